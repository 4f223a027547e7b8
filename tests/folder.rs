//! `touchstone verify` over a folder of bundles: all of them, in one order, one
//! sentence for each that does not hold, and an exit code for the whole.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::peers::{Kind, Peer};
use crate::support::up::program;

/// Bundles that hold, in two folders.
const WHOLE: usize = 40;

fn touchstone(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(program())
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    let said = std::str::from_utf8(&output.stdout).unwrap();
    said.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn said(output: &Output) -> String {
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A bundle of a real server, as `check` writes it.
fn bundle(folder: &Path) -> String {
    let peer = Peer::start(Kind::Ts2);
    let output = touchstone(
        folder,
        &[
            "check",
            &peer.url,
            "--allow-net",
            "127.0.0.0/8",
            "--bundle",
            "one",
        ],
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    std::fs::read_to_string(folder.join("one")).unwrap()
}

#[test]
fn a_folder_is_verified_whole_in_one_order_with_one_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let whole = bundle(here);
    std::fs::create_dir_all(here.join("all/below")).unwrap();
    for number in 0..WHOLE {
        let name = if number % 2 == 0 { "all" } else { "all/below" };
        std::fs::write(here.join(name).join(format!("{number:03}.json")), &whole).unwrap();
    }
    // What is no bundle by its name is not looked at, and keys may lie among them.
    std::fs::write(here.join("all/README"), "mine").unwrap();
    let keys = serde_json::from_str::<Value>(&whole).unwrap()["keys"].to_string();
    std::fs::write(here.join("all/keys.json"), keys).unwrap();
    let verify = |more: &[&str]| {
        let arguments = [&["verify", "all", "--keys", "all/keys.json"], more].concat();
        touchstone(here, &arguments)
    };
    let summary = |counts: [usize; 4]| {
        let [valid, invalid, undecidable, unreadable] = counts;
        let files: usize = counts.iter().sum();
        format!(
            "{files} files: {valid} valid, {invalid} do not verify, {undecidable} cannot be told, {unreadable} cannot be read\n"
        )
    };

    let output = verify(&[]);
    assert_eq!(said(&output), summary([WHOLE, 0, 0, 0]));
    assert_eq!(output.status.code(), Some(0));

    // One of each kind that does not hold.
    let signature = whole
        .split("\"sig\": \"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let forged = whole.replace(signature, &format!("{}A==", "A".repeat(85)));
    std::fs::write(here.join("all/below/forged.json"), forged).unwrap();
    let other = whole.replacen("bundle.v1", "bundle.v9", 1);
    std::fs::write(here.join("all/newer.json"), other).unwrap();
    std::fs::write(here.join("all/odd\u{1b}name.json"), "").unwrap();
    let output = verify(&["--replay"]);
    assert_eq!(output.status.code(), Some(10));
    let told = said(&output);
    let told: Vec<&str> = told.lines().collect();
    assert_eq!(
        told,
        [
            "does not verify (7)  all/below/forged.json: The signature is not that of this key over this payload.",
            "cannot be told (8)  all/newer.json: reading a bundle: this version does not know the media type it states.",
            "cannot be read (2)  all/odd\\u{1b}name.json: all/odd\\u{1b}name.json is empty; name a file, or pipe one into standard input",
            summary([WHOLE, 1, 1, 1]).trim_end(),
        ]
    );

    let output = verify(&["--json"]);
    assert_eq!(output.status.code(), Some(10));
    let found = lines(&output);
    let (last, files) = found.split_last().unwrap();
    assert_eq!(
        *last,
        serde_json::json!({
            "summary": { "files": WHOLE + 3, "valid": WHOLE, "invalid": 1, "undecidable": 1, "unreadable": 1 },
            "exit": 10,
        })
    );
    assert_eq!(files.len(), WHOLE + 3);
    assert!(files.is_sorted_by_key(|line| line["file"].as_str().unwrap().to_owned()));
    for line in files {
        let holds = line["exit"] == 0;
        assert_eq!(line["sentence"].is_null(), holds, "{line}");
        assert_eq!(line["verdict"] == "valid", holds, "{line}");
        assert!(line["steps"].is_array(), "{line}");
    }
    assert_eq!(verify(&["--json"]).stdout, output.stdout, "the same again");

    // Where none holds, the worst that was found says it.
    for (kept, exit) in [
        (
            ["forged.json", "newer.json", "odd\u{1b}name.json"].as_slice(),
            7,
        ),
        (&["newer.json", "odd\u{1b}name.json"], 8),
        (&["odd\u{1b}name.json"], 2),
    ] {
        let some = here.join(format!("some-{exit}"));
        std::fs::create_dir(&some).unwrap();
        for name in kept {
            let from = ["all", "all/below"].map(|folder| here.join(folder).join(name));
            let from = from.into_iter().find(|from| from.exists()).unwrap();
            std::fs::copy(from, some.join(name)).unwrap();
        }
        let output = touchstone(here, &["verify", some.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(exit), "{kept:?}");
    }
    // A link to a folder may lead round in a circle, and is not a bundle.
    std::os::unix::fs::symlink(here.join("all"), here.join("all/below/round")).unwrap();
    assert_eq!(verify(&["--json"]).stdout, output.stdout);
}
