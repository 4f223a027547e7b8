//! The program as a person types it, in a folder of things that somebody could
//! name by mistake.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::up::program;

/// Runs the program in a folder, with nothing on standard input.
pub fn run(folder: &Path, args: &[OsString]) -> Output {
    Command::new(program())
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The arguments of a line; '' is an empty one.
pub fn words(line: &str) -> Vec<OsString> {
    line.split(' ')
        .filter(|word| !word.is_empty())
        .map(|word| {
            if word == "''" {
                OsString::new()
            } else {
                word.into()
            }
        })
        .collect()
}

/// A folder with a file of each kind that somebody could name by mistake.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("a-folder")).unwrap();
    write("empty", "");
    write("text", "this is no JSON\n");
    write("object.json", "{\"a\": 1}");
    write(
        "nameless.json",
        "{\"tools\": [{\"name\": \"a\"}, {\"description\": \"x\"}]}",
    );
    write("numbered.json", "[{\"name\": 7, \"description\": \"x\"}]");
    write("strings.json", "[\"a\"]");
    write("bad.toml", "dtaa = 1\n");
    folder
}
