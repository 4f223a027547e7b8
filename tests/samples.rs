//! The sample configurations are read by the program that they are for.

use std::path::Path;
use std::process::Command;

use crate::support::up::program;

#[test]
fn every_sample_is_valid_and_every_printed_default_too() {
    let folder = tempfile::tempdir().unwrap();
    for (role, sample) in [
        ("signer", "signer"),
        ("probe-agent", "probe-agent"),
        ("coordinator", "coordinator"),
        ("coordinator", "coordinator-fleet"),
    ] {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("deploy/samples")
            .join(format!("{sample}.toml"));
        let printed = folder.path().join(format!("{role}.toml"));
        let defaults = Command::new(program())
            .args(["config", "print", role])
            .output()
            .unwrap();
        std::fs::write(&printed, defaults.stdout).unwrap();
        for file in [sample, printed] {
            let checked = Command::new(program())
                .args(["config", "check", "--role", role])
                .arg(&file)
                .output()
                .unwrap();
            assert_eq!(
                checked.status.code(),
                Some(0),
                "{}: {}",
                file.display(),
                String::from_utf8_lossy(&checked.stderr)
            );
        }
    }
}

#[test]
fn a_key_that_is_not_known_is_named_and_exits_78() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("signer.toml");
    std::fs::write(&file, "dtaa = \"signer\"\n").unwrap();
    let checked = Command::new(program())
        .args(["config", "check", "--role", "signer"])
        .arg(&file)
        .output()
        .unwrap();
    assert_eq!(checked.status.code(), Some(78));
    let said = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(said.contains("dtaa") && said.contains("line 1"), "{said}");
}
