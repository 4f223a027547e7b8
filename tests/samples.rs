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
                .args(["config", "check"])
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
            let said = String::from_utf8_lossy(&checked.stdout).into_owned();
            assert!(said.ends_with(&format!(": valid for a {role}\n")), "{said}");
        }
    }
}

/// Whose configuration a file is, is told by its keys; what is wrong with it,
/// by one sentence with the line.
#[test]
fn what_is_wrong_is_told_with_its_line_and_whose_file_it_is() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text, exit, says) in [
        (
            "a.toml",
            "pages_listen = \"127.0.0.1:1\"",
            0,
            "valid for a coordinator\n",
        ),
        (
            "a.toml",
            "runs_in_flight = 2",
            0,
            "valid for a probe-agent\n",
        ),
        (
            "a.toml",
            "admin_socket = \"a.sock\"",
            0,
            "valid for a signer\n",
        ),
        (
            "a.toml",
            "data = \"d\"",
            0,
            "valid for a signer or a probe-agent\n",
        ),
        (
            "a.toml",
            "data = \"d\"\nruns_in_flight = 0\n",
            78,
            "line 2: runs_in_flight is 0, not 1 to 256 (read as a probe-agent's)",
        ),
        (
            "a.toml",
            "# mine\n\nregions = [\"fra\"]\npages_listne = \"127.0.0.1:1\"",
            78,
            "line 4: unknown field `pages_listne`",
        ),
        (
            "a.toml",
            "regions = [\"fra\"]\n[[targets]]\nurl = \"a.example\"",
            78,
            "line 3: adding the target",
        ),
        (
            "a.toml",
            "agents_listen = \"0.0.0.0:1\"",
            78,
            "line 1: agents_listen",
        ),
        ("a.toml", "admin_socket = [", 78, "line 1: "),
        (
            "signer.toml",
            "dtaa = \"signer\"\n",
            78,
            "line 1: unknown field `dtaa`",
        ),
        ("a.toml", "dtaa = \"signer\"\n", 78, "say whose with --role"),
        (
            "a.toml",
            "[log]\nlevel = \"info\"\n",
            78,
            "line 2: unknown field `level`",
        ),
    ] {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        let checked = Command::new(program())
            .args(["config", "check"])
            .arg(&file)
            .output()
            .unwrap();
        let said = if exit == 0 {
            &checked.stdout
        } else {
            &checked.stderr
        };
        let said = String::from_utf8_lossy(said).into_owned();
        assert_eq!(checked.status.code(), Some(exit), "{text}: {said}");
        assert!(said.contains(says), "{text}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        std::fs::remove_file(&file).unwrap();
    }
}

#[test]
fn a_role_that_is_named_is_the_one_that_is_held_against() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("signer.toml");
    std::fs::write(&file, "socket = \"s.sock\"\n").unwrap();
    let checked = Command::new(program())
        .args(["config", "check", "--role", "coordinator"])
        .arg(&file)
        .output()
        .unwrap();
    assert_eq!(checked.status.code(), Some(78));
    let said = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(said.contains("line 1: unknown field `socket`"), "{said}");
}
