//! What git knows about the tree that a program is built from. The recipe of
//! the digest is that of `Suite::recompute_command` in `evidence`, which the
//! evidence pages print; tests run it and compare.

use std::path::Path;
use std::process::Command;

use sha2::{Digest as _, Sha256};

/// The folder whose listing is digested.
const SUITES: &str = "shared/suites";

/// What the programs are built from. A change to any of it that is not in the
/// commit makes a build dirty.
pub(crate) const SOURCES: [&str; 9] = [
    "Cargo.lock",
    "Cargo.toml",
    "coordinator",
    "deploy/touchstone",
    "probe-agent",
    "proto",
    "rust-toolchain.toml",
    "shared",
    "signer",
];

/// Which code judges.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) commit: String,
    /// `sha256:` and hex digits.
    pub(crate) digest: String,
    pub(crate) dirty: bool,
}

/// The identity of the tree whose folder `signer` this is; `None` where git
/// does not know it.
pub(crate) fn identify(signer: &Path) -> Option<Identity> {
    // In another project's repository, say as vendored source, its commits say
    // nothing about us.
    if text(signer, &["rev-parse", "--show-prefix"])? != "signer/" {
        return None;
    }
    let commit = text(signer, &["rev-parse", "--verify", "HEAD^{commit}"])?;
    let listed = ["ls-tree", "-r", "-z", "--full-tree", &commit, "--", SUITES];
    let listing = git(signer, &listed)?;
    if commit.len() != 40 || listing.is_empty() {
        return None;
    }
    let digest = data_encoding::HEXLOWER.encode(&Sha256::digest(&listing));
    Some(Identity {
        commit,
        digest: format!("sha256:{digest}"),
        dirty: is_dirty(signer)?,
    })
}

fn is_dirty(signer: &Path) -> Option<bool> {
    let places = SOURCES.map(|source| format!(":/{source}"));
    // Without the lock, or reading the status would itself touch the index
    // that is watched. With all files, whatever the user's settings hide.
    let mut arguments = vec![
        "--no-optional-locks",
        "status",
        "--porcelain",
        "--untracked-files=all",
        "--",
    ];
    arguments.extend(places.iter().map(String::as_str));
    Some(!git(signer, &arguments)?.is_empty())
}

/// The files by which git says where HEAD points. One that is not there is left
/// out, for cargo would then run the build script every time.
#[cfg_attr(test, expect(dead_code, reason = "for cargo alone"))]
pub(crate) fn head_files(signer: &Path) -> Vec<String> {
    let mut names = vec![
        "HEAD".to_owned(),
        "index".to_owned(),
        "packed-refs".to_owned(),
    ];
    names.extend(text(signer, &["symbolic-ref", "-q", "HEAD"]));
    names
        .iter()
        .filter_map(|name| text(signer, &["rev-parse", "--git-path", name]))
        .filter(|path| signer.join(path).exists())
        .collect()
}

fn text(folder: &Path, arguments: &[&str]) -> Option<String> {
    let text = String::from_utf8(git(folder, arguments)?).ok()?;
    Some(text.trim_end_matches('\n').to_owned())
}

/// What git prints; `None` when there is no git, no repository, or no answer.
fn git(folder: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .output()
        .ok()?;
    output.status.success().then_some(output.stdout)
}
