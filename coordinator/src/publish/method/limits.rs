//! The limits of a run as rows of a table, and which of them bear on a check.

use crate::publish::limits as shown;
use crate::publish::text::{Prose, Text};

/// One limit with its value.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: Prose,
    pub(super) value: Prose,
}

/// Id of the name, the number, and the id of its unit.
type Limit = (&'static str, i64, Option<&'static str>);

const RUN: [Limit; 5] = [
    ("limit-requests", shown::RUN_REQUESTS, None),
    (
        "limit-seconds",
        shown::RUN_SECONDS,
        Some("limit-seconds-value"),
    ),
    (
        "limit-bytes",
        shown::RESPONSE_BYTES,
        Some("limit-bytes-value"),
    ),
    (
        "limit-headers",
        shown::RESPONSE_HEADERS_BYTES,
        Some("limit-bytes-value"),
    ),
    ("limit-levels", shown::JSON_LEVELS, None),
];
const LIST: [Limit; 3] = [
    ("limit-later-requests", shown::LATER_PAGE_REQUESTS, None),
    ("limit-pages", shown::LIST_PAGES, None),
    ("limit-tools", shown::LIST_TOOLS, None),
];
const REDIRECTS: [Limit; 1] = [("limit-redirects", shown::REDIRECTS, None)];
const TEXTS: [Limit; 2] = [
    (
        "limit-excerpt",
        shown::EXCERPT_CHARACTERS,
        Some("limit-characters"),
    ),
    (
        "limit-description",
        shown::LONG_DESCRIPTION_CHARACTERS,
        Some("limit-over-characters"),
    ),
];

/// Every limit, as the index lists them.
pub(super) fn all(text: Text) -> Vec<Row> {
    rows(text, &[&RUN, &LIST, &REDIRECTS, &TEXTS])
}

/// What bears on one check: every check on the run, some on the list.
pub(super) fn of(text: Text, check: &str) -> Vec<Row> {
    match check {
        "tools_list"
        | "toolset_fingerprint"
        | "schema_fingerprint"
        | "error_taxonomy"
        | "toolset_unchanged_vs_approved"
        | "schema_unchanged_vs_approved" => rows(text, &[&RUN, &LIST]),
        "tool_description_hygiene" => rows(text, &[&RUN, &LIST, &TEXTS]),
        "auth_metadata" | "redirect_policy" => rows(text, &[&RUN, &REDIRECTS]),
        _ => rows(text, &[&RUN]),
    }
}

fn rows(text: Text, limits: &[&[Limit]]) -> Vec<Row> {
    limits
        .concat()
        .into_iter()
        .map(|(name, number, unit)| Row {
            name: text.t(name),
            value: match unit {
                Some(unit) => text.with(unit, &[("count", grouped(number).into())]),
                None => Prose(grouped(number)),
            },
        })
        .collect()
}

/// Thousands parted by commas, as in both languages.
fn grouped(number: i64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_parted() {
        let shown = [3, 80, 999, 2_048, 2_097_152].map(grouped);
        assert_eq!(shown, ["3", "80", "999", "2,048", "2,097,152"]);
    }
}
