//! Writes down which code judges: the commit that this program is built from,
//! and the digest of the check suites' folder in that commit, from git's
//! objects alone. Built outside the repository, it writes down nothing, and
//! payloads then say null.

#[path = "build/history.rs"]
mod history;

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let here = Path::new(".");
    match history::identify(here) {
        Some(identity) => {
            for source in history::SOURCES {
                println!("cargo::rerun-if-changed=../{source}");
            }
            for file in history::head_files(here) {
                println!("cargo::rerun-if-changed={file}");
            }
            println!(
                "cargo::rustc-env=TOUCHSTONE_SUITE_COMMIT={}",
                identity.commit
            );
            println!(
                "cargo::rustc-env=TOUCHSTONE_SUITE_DIGEST={}",
                identity.digest
            );
            println!("cargo::rustc-env=TOUCHSTONE_SUITE_DIRTY={}", identity.dirty);
        }
        None => println!(
            "cargo::warning=no git history here: payloads will not name the commit of the check suites"
        ),
    }
}
