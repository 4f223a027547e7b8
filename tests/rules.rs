//! The dependency rules of the house, read from cargo's own metadata.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};

/// Which crates of ours a crate may use. A crate that is not listed here may not exist.
const MAY_USE: &[(&str, &[&str])] = &[
    ("proto", &[]),
    ("canonical", &[]),
    ("telemetry", &[]),
    ("words", &[]),
    ("wire", &["canonical"]),
    ("suites", &["canonical", "proto", "wire"]),
    ("evidence", &["canonical", "proto"]),
    ("probe-agent", &["canonical", "proto", "telemetry", "wire"]),
    (
        "signer",
        &["canonical", "evidence", "proto", "suites", "telemetry"],
    ),
    (
        "coordinator",
        &["canonical", "evidence", "proto", "telemetry", "words"],
    ),
];

/// Crates without I/O, and what their sources may not name.
const PURE: &[&str] = &["canonical", "wire", "suites", "evidence", "words"];
const IMPURE_CRATES: &[&str] = &[
    "tokio",
    "reqwest",
    "hyper",
    "hyper-util",
    "sqlx",
    "redis",
    "tonic",
];
const IMPURE_PATHS: &[&str] = &[
    "std::fs",
    "std::net::Tcp",
    "std::net::Udp",
    "std::process",
    "std::env::var",
    "std::thread",
    "SystemTime::now",
    "Instant::now",
];

/// Never in the tree, whoever asks for them.
const BANNED: &[&str] = &[
    "aws-lc-rs",
    "aws-lc-sys",
    "openssl-sys",
    "native-tls",
    "fancy-regex",
];

/// Licences that may be linked into the program; the same list as in deny.toml.
const LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-3-Clause",
    "BSL-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Zlib",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .other_options(vec!["--offline".to_owned(), "--locked".to_owned()])
        .exec()
        .expect("cargo metadata answers")
}

fn short(package: &Package) -> &str {
    let name = package.name.as_str();
    name.strip_prefix("touchstone-").unwrap_or(name)
}

fn ours(metadata: &Metadata) -> Vec<&Package> {
    metadata
        .workspace_packages()
        .into_iter()
        .filter(|package| package.name.as_str() != "touchstone")
        .collect()
}

/// Everything that is linked into a package's program, itself included.
fn linked<'a>(metadata: &'a Metadata, from: &PackageId) -> BTreeSet<&'a str> {
    let nodes: BTreeMap<_, _> = metadata
        .resolve
        .as_ref()
        .unwrap()
        .nodes
        .iter()
        .map(|node| (&node.id, node))
        .collect();
    let mut seen = BTreeSet::new();
    let mut queue = vec![from];
    while let Some(id) = queue.pop() {
        if !seen.insert(id) {
            continue;
        }
        for dep in &nodes[id].deps {
            if dep
                .dep_kinds
                .iter()
                .any(|kind| kind.kind == DependencyKind::Normal)
            {
                queue.push(&dep.pkg);
            }
        }
    }
    seen.into_iter()
        .map(|id| metadata[id].name.as_str())
        .collect()
}

#[test]
fn a_room_uses_only_the_rooms_it_may() {
    let metadata = metadata();
    let allowed: BTreeMap<_, _> = MAY_USE.iter().copied().collect();
    let names: BTreeSet<_> = ours(&metadata).into_iter().map(short).collect();
    assert_eq!(names, allowed.keys().copied().collect());
    for package in ours(&metadata) {
        let may = allowed[short(package)];
        for dependency in &package.dependencies {
            let Some(name) = dependency.name.strip_prefix("touchstone-") else {
                continue;
            };
            if dependency.kind != DependencyKind::Development {
                assert!(may.contains(&name), "{} may not use {name}", package.name);
            }
        }
    }
}

#[test]
fn the_pure_rooms_do_no_io() {
    let metadata = metadata();
    for package in ours(&metadata)
        .into_iter()
        .filter(|package| PURE.contains(&short(package)))
    {
        for dependency in &package.dependencies {
            assert!(
                dependency.kind == DependencyKind::Development
                    || !IMPURE_CRATES.contains(&dependency.name.as_str()),
                "{} may not use {}",
                package.name,
                dependency.name
            );
        }
        for source in sources(
            &package
                .manifest_path
                .parent()
                .unwrap()
                .as_std_path()
                .join("src"),
        ) {
            let text = std::fs::read_to_string(&source).unwrap();
            // What stands after `#[cfg(test)] mod tests` may read its vectors.
            let code = text.split("#[cfg(test)]").next().unwrap();
            if source.ends_with("tests.rs") {
                continue;
            }
            for path in IMPURE_PATHS {
                let named = code
                    .lines()
                    .any(|line| !line.trim_start().starts_with("//") && line.contains(path));
                assert!(!named, "{} names {path}", source.display());
            }
        }
    }
}

#[test]
fn the_signer_holds_no_http_client_and_no_database() {
    let metadata = metadata();
    let signer = ours(&metadata)
        .into_iter()
        .find(|package| short(package) == "signer")
        .unwrap();
    let linked = linked(&metadata, &signer.id);
    for name in ["reqwest", "sqlx", "hickory-resolver", "rustls"] {
        assert!(!linked.contains(name), "the signer links {name}");
    }
}

#[test]
fn the_tree_holds_nothing_banned_and_every_licence_is_allowed() {
    let metadata = metadata();
    let program = metadata.root_package().unwrap();
    let linked = linked(&metadata, &program.id);
    for name in BANNED {
        assert!(!linked.contains(name), "{name} is in the tree");
    }
    for package in metadata
        .packages
        .iter()
        .filter(|package| linked.contains(package.name.as_str()))
    {
        let licence = package.license.as_deref().unwrap_or("none");
        // An SPDX expression of `OR`s needs one allowed term, each `AND` all of them.
        let terms = licence.replace('/', " OR ").replace(['(', ')'], "");
        let fits = terms
            .split(" AND ")
            .all(|all| all.split(" OR ").any(|one| LICENCES.contains(&one.trim())));
        assert!(fits, "{} has the licence {licence}", package.name);
    }
}

#[test]
fn no_path_of_one_machine_and_no_unfinished_work_is_committed() {
    let listed = std::process::Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root())
        .output()
        .expect("git lists the files");
    let marks = [
        ["TO", "DO"].concat(),
        ["FIX", "ME"].concat(),
        ["todo", "!("].concat(),
    ];
    for file in String::from_utf8(listed.stdout)
        .unwrap()
        .split_terminator('\0')
    {
        if !(file.ends_with(".rs") || file.ends_with(".proto") || file.ends_with(".toml")) {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(root().join(file)) else {
            continue;
        };
        for mark in &marks {
            assert!(!text.contains(mark.as_str()), "{file} holds {mark}");
        }
    }
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut queue = vec![folder.to_path_buf()];
    while let Some(folder) = queue.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                queue.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}
