//! Tests of the whole check; those of a part stand beside it.

mod cases;
mod hostile;
mod lists;
mod properties;
mod rules;
mod windows;

use super::{Scan, scan};

/// Scans a description under a plain name.
fn described(description: &str) -> Scan {
    scan("probe_tool", description)
}

/// The ids of the rules that hit, each once, in order.
fn rules(description: &str) -> Vec<&'static str> {
    let mut rules: Vec<_> = described(description)
        .hits
        .iter()
        .map(|hit| hit.rule.as_str())
        .collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

/// Checks each text against the one rule it should hit, or none for "".
fn check(table: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for &(expected, text) in table {
        let found = rules(text).join(" ");
        if found != expected {
            wrong.push(format!("{text:?}: {found:?} and not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
