//! Writes down which code judges: the commit that this program is built from,
//! and the digest of the check suites' folder in that commit, from git's
//! objects alone. Built outside the repository, it writes down nothing.
//!
//! The recipe is that of `Suite::recompute_command` in `evidence`, which the
//! evidence pages print; a test of this crate runs it and compares.

use std::path::Path;
use std::process::Command;

use sha2::{Digest as _, Sha256};

/// The folder whose listing is digested.
const SUITES: &str = "shared/suites";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../{SUITES}");
    match identify() {
        Some((commit, digest, dirty)) => {
            println!("cargo::rustc-env=TOUCHSTONE_SUITE_COMMIT={commit}");
            println!("cargo::rustc-env=TOUCHSTONE_SUITE_DIGEST={digest}");
            println!("cargo::rustc-env=TOUCHSTONE_SUITE_DIRTY={dirty}");
        }
        None => println!(
            "cargo::warning=no git history here: payloads will not name the commit of the check suites"
        ),
    }
}

fn identify() -> Option<(String, String, bool)> {
    // In another project's repository, say as vendored source, its commits say
    // nothing about us.
    if text(&["rev-parse", "--show-prefix"])? != "signer/" {
        return None;
    }
    watch();
    let commit = text(&["rev-parse", "--verify", "HEAD^{commit}"])?;
    let listing = git(&["ls-tree", "-r", "-z", "--full-tree", &commit, "--", SUITES])?;
    if commit.len() != 40 || listing.is_empty() {
        return None;
    }
    let digest = data_encoding::HEXLOWER.encode(&Sha256::digest(&listing));
    // Without the lock, or reading the status would itself touch the index
    // that is watched.
    let top = format!(":/{SUITES}");
    let status = git(&["--no-optional-locks", "status", "--porcelain", "--", &top])?;
    Some((commit, format!("sha256:{digest}"), !status.is_empty()))
}

/// Asks cargo to run this again when HEAD comes to point elsewhere. A file that
/// is not there is left out, for cargo would then run this every time.
fn watch() {
    let mut names = vec![
        "HEAD".to_owned(),
        "index".to_owned(),
        "packed-refs".to_owned(),
    ];
    names.extend(text(&["symbolic-ref", "-q", "HEAD"]));
    for name in names {
        if let Some(path) = text(&["rev-parse", "--git-path", &name])
            && Path::new(&path).exists()
        {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

fn text(arguments: &[&str]) -> Option<String> {
    let text = String::from_utf8(git(arguments)?).ok()?;
    Some(text.trim_end_matches('\n').to_owned())
}

/// What git prints; `None` when there is no git, no repository, or no answer.
fn git(arguments: &[&str]) -> Option<Vec<u8>> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then_some(output.stdout)
}
