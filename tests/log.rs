//! What was signed stands in a log, by our own programs and by a script that
//! shares no line with them; and a log that was changed is found out.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::support::peers::{Kind, Peer};
use crate::support::until::until;
use crate::support::up::{Up, get, program};

/// From a signed run to its entry among what is served.
const SERVED_WITHIN: Duration = Duration::from_secs(60);

fn run(arguments: &[&str]) -> (Option<i32>, Value) {
    let output = Command::new(program())
        .args(arguments)
        .arg("--json")
        .output()
        .unwrap();
    let said = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
        let error = String::from_utf8_lossy(&output.stderr);
        Value::String(error.into_owned())
    });
    (output.status.code(), said)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The page's own copy of a run's bundle.
fn bundle(up: &Up, folder: &Path, run_id: &str) -> PathBuf {
    let (status, bundle) = get(&format!("{}/evidence/{run_id}.json", up.pages));
    assert_eq!(status, 200);
    let file = folder.join(format!("{run_id}.json"));
    std::fs::write(&file, bundle).unwrap();
    file
}

fn served(up: &Up, size: u64) {
    until(SERVED_WITHIN, || {
        let (_, log) = get(&format!("{}/log.json", up.pages));
        let log: Value = serde_json::from_str(&log).unwrap_or_default();
        if log["size"] == size {
            Ok(())
        } else {
            Err(format!("the log that is served: {log}"))
        }
    });
}

/// Copies a log of at most 256 entries by its addresses.
fn mirror(up: &Up, to: &Path, size: u64) {
    let files = [
        "checkpoint".to_owned(),
        format!("tile/0/000.p/{size}"),
        format!("tile/entries/000.p/{size}"),
    ];
    for name in files {
        let output = Command::new("curl")
            .args(["-fsS", &format!("{}/log/{name}", up.pages)])
            .output()
            .unwrap();
        assert!(output.status.success(), "{name}");
        let file = to.join(&name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, output.stdout).unwrap();
    }
}

#[test]
fn what_is_signed_stands_in_a_log_that_others_can_check() {
    let (one, two) = (Peer::start(Kind::Ts2), Peer::start(Kind::Ts1Json));
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut up = Up::start(&folder.join("data"), &[&one.url]);
    let first = up.result_of(&one.url)["run_id"]
        .as_str()
        .unwrap()
        .to_owned();
    served(&up, 1);
    let keys = folder.join("keys.json");
    std::fs::write(&keys, get(&format!("{}/keys.json", up.pages)).1).unwrap();
    let log = format!("{}/log", up.pages);
    let (keys, state) = (text(&keys), folder.join("state"));
    let audit = ["audit", &log, "--keys", keys, "--state", text(&state)];
    let (code, said) = run(&audit);
    assert_eq!((code, &said["size"]), (Some(0), &1.into()), "{said}");
    let old = folder.join("old");
    mirror(&up, &old, 1);
    assert_eq!(up.interrupt().0, Some(0));

    // Another start, another run: the log goes on, and so does the audit.
    let mut up = Up::start(&folder.join("data"), &[&two.url]);
    let second = up.result_of(&two.url)["run_id"]
        .as_str()
        .unwrap()
        .to_owned();
    served(&up, 2);
    let log = format!("{}/log", up.pages);
    let audit = ["audit", &log, "--keys", keys, "--state", text(&state)];
    let (code, said) = run(&audit);
    let found = (&said["from"], &said["checked"], &said["unknown_keys"]);
    assert_eq!(found, (&1.into(), &1.into(), &0.into()), "{said}");
    assert_eq!((code, &said["verdict"]), (Some(0), &"valid".into()));

    for (index, run_id) in [first, second].iter().enumerate() {
        let bundle = bundle(&up, folder, run_id);
        let (code, said) = run(&["verify", text(&bundle), "--keys", keys]);
        assert_eq!(code, Some(0), "{said}");
        let steps = said["steps"].as_array().unwrap();
        assert!(steps.iter().any(|step| step["step"] == "inclusion"));
        let python = Command::new("python3")
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/verify_log.py"))
            .args([&log, keys, text(&bundle)])
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&python.stdout).into_owned();
        let error = String::from_utf8_lossy(&python.stderr);
        assert_eq!(
            printed,
            format!("2 entries, entry {index} proved\n"),
            "{error}"
        );
        let (_, found) = get(&format!("{}/log.json?q={run_id}", up.pages));
        let found: Value = serde_json::from_str(&found).unwrap();
        assert_eq!(found["entries"][0]["index"], index);

        // Without its proof it cannot be told; with another's it is false.
        let mut stripped: Value = serde_json::from_slice(&std::fs::read(&bundle).unwrap()).unwrap();
        let changed = folder.join("changed.json");
        stripped["log"]["index"] = (1 - index).into();
        std::fs::write(&changed, stripped.to_string()).unwrap();
        assert_eq!(run(&["verify", text(&changed), "--keys", keys]).0, Some(7));
        stripped["log"] = Value::Null;
        std::fs::write(&changed, stripped.to_string()).unwrap();
        assert_eq!(run(&["verify", text(&changed), "--keys", keys]).0, Some(8));
    }
    let (code, said) = run(&["audit", text(&old), "--keys", keys, "--state", text(&state)]);
    assert_eq!(code, Some(7), "set back: {said}");
    let copy = folder.join("copy");
    mirror(&up, &copy, 2);
    assert_eq!(run(&["audit", text(&copy), "--keys", keys]).0, Some(0));
    for file in ["tile/0/000.p/2", "tile/entries/000.p/2", "checkpoint"] {
        let file = copy.join(file);
        let good = std::fs::read(&file).unwrap();
        let mut bad = good.clone();
        // In a checkpoint, a digit of the root or of the signature.
        let at = bad.len() - 9;
        bad[at] ^= 1;
        std::fs::write(&file, bad).unwrap();
        let (code, said) = run(&["audit", text(&copy), "--keys", keys]);
        assert!(code == Some(7), "{}: {said}", file.display());
        std::fs::write(&file, good).unwrap();
    }
    let (code, _) = run(&["audit", text(&folder.join("nothing"))]);
    assert_eq!(code, Some(5));
    assert_eq!(up.interrupt().0, Some(0));
}
