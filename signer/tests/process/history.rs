//! What a build says about the tree that it was built from: the very code of
//! the build script, run on small trees of every kind.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

#[path = "../../build/history.rs"]
mod build;

use build::{Identity, SOURCES, identify};

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=Test", "-c", "user.email=test@example.com"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Files where the sources stand, without any history.
fn tree(folder: &Path) {
    let write = |path: &Path, text: &str| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    for source in SOURCES.iter().copied().chain(["shared/suites", "tests"]) {
        let path = folder.join(source);
        if is_file(source) {
            write(&path, "source");
        } else {
            write(&path.join("lib.rs"), "source");
        }
    }
}

fn is_file(source: &str) -> bool {
    source.contains('.')
}

/// The same, committed.
fn committed() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    tree(folder.path());
    git(folder.path(), &["init", "--quiet", "."]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "--quiet", "-m", "all"]);
    folder
}

fn of(tree: &Path) -> Option<Identity> {
    identify(&tree.join("signer"))
}

#[test]
fn a_clean_tree_names_its_commit_and_any_change_to_a_source_is_said() {
    let folder = committed();
    let tree = folder.path();
    let clean = of(tree).unwrap();
    assert_eq!(clean.commit, git(tree, &["rev-parse", "HEAD"]).trim_end());
    assert!(!clean.dirty);

    // What no program is built from makes none dirty.
    std::fs::write(tree.join("notes.txt"), "mine").unwrap();
    std::fs::write(tree.join("tests/lib.rs"), "mine").unwrap();
    assert_eq!(of(tree).unwrap(), clean);

    for source in SOURCES {
        let (tracked, new) = if is_file(source) {
            (tree.join(source), None)
        } else {
            let folder = tree.join(source);
            (folder.join("lib.rs"), Some(folder.join("new/new.rs")))
        };
        for changed in std::iter::once(tracked).chain(new) {
            std::fs::create_dir_all(changed.parent().unwrap()).unwrap();
            std::fs::write(&changed, "changed").unwrap();
            let dirty = of(tree).unwrap();
            assert!(dirty.dirty, "{}", changed.display());
            // Digest and commit are git's objects', whatever lies in the folder.
            assert_eq!(
                (&dirty.commit, &dirty.digest),
                (&clean.commit, &clean.digest)
            );
            git(tree, &["checkout", "--quiet", "--", "."]);
            git(tree, &["clean", "--quiet", "--force", "-d"]);
            assert!(!of(tree).unwrap().dirty, "{}", changed.display());
        }
    }
}

#[test]
fn a_tree_without_its_history_names_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("vendored/archive");
    tree(&archive);
    assert_eq!(of(&archive), None);
    // Unpacked in another project's repository.
    std::fs::write(folder.path().join("theirs.txt"), "theirs").unwrap();
    git(folder.path(), &["init", "--quiet", "."]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "--quiet", "-m", "all"]);
    assert_eq!(of(&archive), None);
    // And as the very root of a repository without a commit.
    git(&archive, &["init", "--quiet", "."]);
    assert_eq!(of(&archive), None);
}

/// What is built is a source: a crate of the workspace that is not listed
/// could change without a build saying so.
#[test]
fn every_crate_of_the_workspace_lies_in_a_source() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap();
    let program = &manifest["bin"][0]["path"];
    for path in members.iter().chain([program]) {
        let path = Path::new(path.as_str().unwrap());
        assert!(
            SOURCES.iter().any(|source| path.starts_with(source)),
            "{}",
            path.display()
        );
    }
}
