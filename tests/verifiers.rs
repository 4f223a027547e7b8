//! Evidence in the hands of others: every command that the evidence page of a
//! real run prints, run in a shell as it is printed, by OpenSSL, PyPI
//! securesystemslib, npm @sigstore/verify, git, and our own `verify`; and again
//! after one byte of the payload was changed.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use data_encoding::BASE64;
use serde_json::Value;

use crate::support::peers::{Kind, Peer, installed};
use crate::support::up::{Up, get, program};

/// What the page offers to copy, and what it says that comes out.
#[derive(Debug)]
struct Printed {
    code: String,
    expected: Vec<String>,
}

impl Printed {
    fn uses(&self, tool: &str) -> bool {
        self.code.contains(tool)
    }
}

/// The commands of a page in its order, as a browser would copy them.
fn printed(page: &str) -> Vec<Printed> {
    let text = |html: &str| {
        ["&lt;<", "&gt;>", "&quot;\"", "&#34;\"", "&#39;'", "&amp;&"]
            .iter()
            .fold(html.to_owned(), |text, of| {
                let (entity, character) = of.split_at(of.len() - 1);
                text.replace(entity, character)
            })
    };
    let until = |rest: &str, end: &str| text(rest.split(end).next().unwrap());
    page.split("<code id=\"cmd-")
        .skip(1)
        .map(|rest| {
            let (_, rest) = rest.split_once('>').unwrap();
            let item = rest.split("</li>").next().unwrap();
            let expected = item.split("<samp>").skip(1);
            Printed {
                code: until(rest, "</code>"),
                expected: expected.map(|rest| until(rest, "</samp>")).collect(),
            }
        })
        .collect()
}

/// A shell in a folder, for which our program is installed and the packages of
/// others are at hand without a registry.
struct Shell {
    folder: PathBuf,
    path: std::ffi::OsString,
}

impl Shell {
    fn in_folder(folder: &Path) -> Self {
        let copied = Command::new("cp")
            .arg("-R")
            .arg(installed().join("sigstore/."))
            .arg(folder)
            .status();
        assert!(copied.unwrap().success());
        let ours = Path::new(program()).parent().unwrap().to_owned();
        let path = std::env::var_os("PATH").unwrap();
        let path = std::iter::once(ours).chain(std::env::split_paths(&path));
        Self {
            folder: folder.to_owned(),
            path: std::env::join_paths(path).unwrap(),
        }
    }

    fn run(&self, code: &str) -> Output {
        Command::new("sh")
            .args(["-c", code])
            .current_dir(&self.folder)
            .env("PATH", &self.path)
            .env("PIP_NO_INDEX", "1")
            .env("PIP_FIND_LINKS", installed().join("verify/packages"))
            .env("npm_config_offline", "true")
            .output()
            .unwrap()
    }
}

fn succeeds(shell: &Shell, printed: &Printed) {
    let output = shell.run(&printed.code);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}\n{output:?}", printed.code);
    for line in &printed.expected {
        assert!(
            said.lines().any(|said| said == line),
            "{} should print {line}: {said}",
            printed.code
        );
    }
}

/// A clone of this repository as it is committed.
fn clone(into: &Path) -> Shell {
    let cloned = Command::new("git")
        .args(["clone", "--quiet", "--shared", env!("CARGO_MANIFEST_DIR")])
        .arg(into)
        .status();
    assert!(cloned.unwrap().success());
    Shell {
        folder: into.to_owned(),
        path: std::env::var_os("PATH").unwrap(),
    }
}

/// One bit of the payload turned over, in each file that holds it.
fn alter(folder: &Path, names: &[String], payload: &[u8], at: usize) {
    let mut other = payload.to_vec();
    other[at] ^= 1;
    for name in names {
        let file = folder.join(name);
        let text = std::fs::read_to_string(&file).unwrap();
        let altered = text.replace(&BASE64.encode(payload), &BASE64.encode(&other));
        assert_ne!(altered, text, "{name}");
        std::fs::write(file, altered).unwrap();
    }
}

#[test]
fn every_printed_command_works_as_printed_and_refuses_an_altered_payload() {
    let peer = Peer::start(Kind::Ts2);
    let folder = tempfile::tempdir().unwrap();
    let mut up = Up::start(&folder.path().join("data"), &[&peer.url]);
    let result = up.result_of(&peer.url);
    let run_id = result["run_id"].as_str().unwrap();
    let (status, page) = get(&format!("{}/evidence/{run_id}", up.pages));
    assert_eq!(status, 200);
    let commands = printed(&page);
    let with = |tool: &str| -> Vec<&Printed> {
        let found: Vec<_> = commands
            .iter()
            .filter(|printed| printed.uses(tool))
            .collect();
        assert!(!found.is_empty(), "no command uses {tool}");
        found
    };

    let work = folder.path().join("work");
    std::fs::create_dir(&work).unwrap();
    let shell = Shell::in_folder(&work);
    let recipe = |printed: &&Printed| printed.uses("git ls-tree");
    for printed in commands.iter().filter(|printed| !recipe(printed)) {
        succeeds(&shell, printed);
    }
    // A program that knows its history prints the recipe, for a fresh clone.
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let recipes: Vec<_> = commands.iter().filter(recipe).collect();
    assert_eq!(recipes.len(), usize::from(repository.join(".git").exists()));
    for printed in recipes {
        succeeds(&clone(&folder.path().join("clone")), printed);
    }

    let bundles = [".json", ".sigstore.json"].map(|end| format!("{run_id}{end}"));
    let whole: Vec<_> = bundles
        .iter()
        .map(|name| std::fs::read(work.join(name)).unwrap())
        .collect();
    let bundle: Value = serde_json::from_slice(&whole[0]).unwrap();
    let payload = bundle["envelope"]["payload"].as_str().unwrap();
    let payload = BASE64.decode(payload.as_bytes()).unwrap();
    for at in [0, payload.len() - 1] {
        alter(&work, &bundles, &payload, at);
        for (tool, count) in [
            ("openssl pkeyutl", 1),
            ("securesystemslib", 1),
            ("@sigstore/verify", 1),
            ("touchstone verify", 2),
        ] {
            let found = with(tool);
            assert_eq!(found.len(), count, "{tool}");
            for printed in found {
                let output = shell.run(&printed.code);
                assert!(!output.status.success(), "byte {at}: {}", printed.code);
                if tool.starts_with("touchstone") {
                    assert_eq!(output.status.code(), Some(7), "byte {at}");
                }
            }
        }
        for (name, bytes) in bundles.iter().zip(&whole) {
            std::fs::write(work.join(name), bytes).unwrap();
        }
    }
    // What was refused was refused for that byte.
    for printed in with("openssl pkeyutl")
        .into_iter()
        .chain(with("@sigstore/verify"))
    {
        succeeds(&shell, printed);
    }
}
