//! Where two JSON values differ, place by place, for a person to read.
//!
//! Bounded in number, depth and text. Two values differ here exactly when their
//! canonical forms do.

use std::collections::BTreeMap;

use crate::canonical::canonicalize_value;
use crate::string::JsonString;
use crate::value::Value;

/// Differences of one pair of values that are written down.
const DIFFERENCES_SHOWN: usize = 50;
/// Levels that are looked into; what differs further down is shown whole.
const LEVELS: usize = 64;
/// Characters of a value that are shown.
const VALUE_SHOWN: usize = 120;
/// Characters before the first that differs, of two values that are cut.
const LEAD_SHOWN: usize = 40;
/// Bytes of a path; what lies deeper is shown at its last step that fits.
const PATH_BYTES: usize = 512;

/// One place in which two values differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// A JSON path from the value's root, `$`.
    pub path: String,
    /// Canonical text, cut to a bound around the first character that differs;
    /// `None`: not there.
    pub before: Option<String>,
    pub after: Option<String>,
}

/// The differences, and whether there are more.
pub fn differences(before: Option<&Value>, after: Option<&Value>) -> (Vec<Difference>, bool) {
    let mut walk = Walk {
        found: Vec::new(),
        truncated: false,
    };
    walk.compare("$", LEVELS, before, after);
    (walk.found, walk.truncated)
}

struct Walk {
    found: Vec<Difference>,
    truncated: bool,
}

impl Walk {
    fn compare(
        &mut self,
        path: &str,
        levels: usize,
        before: Option<&Value>,
        after: Option<&Value>,
    ) {
        if self.truncated {
            return;
        }
        let looks_in = levels > 0 && path.len() < PATH_BYTES;
        match (before, after) {
            (Some(Value::Object(a)), Some(Value::Object(b))) if looks_in => {
                let (a, b) = (members(a.iter()), members(b.iter()));
                for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
                    let path = format!("{path}{}", step(key));
                    let (a, b) = (a.get(key).copied(), b.get(key).copied());
                    self.compare(&path, levels - 1, a, b);
                }
            }
            (Some(Value::Array(a)), Some(Value::Array(b))) if looks_in => {
                for index in 0..a.len().max(b.len()) {
                    let path = format!("{path}[{index}]");
                    self.compare(&path, levels - 1, a.get(index), b.get(index));
                }
            }
            _ => {
                let (before, after) = (before.map(text), after.map(text));
                if before != after {
                    self.found(path, before, after);
                }
            }
        }
    }

    fn found(&mut self, path: &str, before: Option<String>, after: Option<String>) {
        if self.found.len() == DIFFERENCES_SHOWN {
            self.truncated = true;
            return;
        }
        let (before, after) = windows(before, after);
        self.found.push(Difference {
            path: path.to_owned(),
            before,
            after,
        });
    }
}

/// Both texts from where they begin to differ, when that lies too far in to be
/// seen from the start: what was put at the end of a long text is shown.
fn windows(before: Option<String>, after: Option<String>) -> (Option<String>, Option<String>) {
    let (Some(before), Some(after)) = (&before, &after) else {
        return (before.map(cut), after.map(cut));
    };
    let same = before.chars().zip(after.chars());
    let same = same.take_while(|(before, after)| before == after).count();
    let from = if same < VALUE_SHOWN - LEAD_SHOWN {
        0
    } else {
        same - LEAD_SHOWN
    };
    let window = |text: &str| {
        let rest = text
            .char_indices()
            .nth(from)
            .map_or("", |(at, _)| &text[at..]);
        let lead = if from == 0 { "" } else { "…" };
        format!("{lead}{}", cut(rest.to_owned()))
    };
    (Some(window(before)), Some(window(after)))
}

/// Members by their key in canonical text, so that spellings of one key meet.
fn members<'v>(
    object: impl Iterator<Item = (&'v JsonString, &'v Value)>,
) -> BTreeMap<String, &'v Value> {
    object
        .map(|(key, value)| (text(&Value::from(key.clone())), value))
        .collect()
}

/// The step to a member, from its key's canonical text.
fn step(key: &str) -> String {
    let bare = key.trim_matches('"');
    let plain = bare.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && bare
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$');
    if plain {
        format!(".{bare}")
    } else {
        format!("[{}]", cut(key.to_owned()))
    }
}

/// Canonical text; a value without one is not compared in the first place.
fn text(value: &Value) -> String {
    canonicalize_value(value).map_or_else(
        |refusal| format!("({})", refusal.kind.as_str()),
        |canonical| canonical.as_str().to_owned(),
    )
}

fn cut(text: String) -> String {
    match text.char_indices().nth(VALUE_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(before: &str, after: &str) -> Vec<String> {
        let read = |text: &str| crate::read(text.as_bytes()).expect("JSON");
        let (found, _) = differences(Some(&read(before)), Some(&read(after)));
        let side = |side: Option<String>| side.unwrap_or_else(|| "-".to_owned());
        found
            .into_iter()
            .map(|d| format!("{} {} {}", d.path, side(d.before), side(d.after)))
            .collect()
    }

    #[test]
    fn each_place_is_named() {
        assert_eq!(
            between(
                r#"{"type":"object","properties":{"a b":{"type":"string"},"n":1.0},"required":["a b"]}"#,
                r#"{"properties":{"n":1,"a b":{"type":"number"}},"required":["a b","n"],"type":"object","x":null}"#,
            ),
            [
                r#"$.properties["a b"].type "string" "number""#,
                r#"$.required[1] - "n""#,
                "$.x - null",
            ]
        );
        assert_eq!(between("{}", "[]"), ["$ {} []"]);
        assert!(between(r#"{"e\u0301":1}"#, r#"{"\u00e9":1}"#).is_empty());
    }

    #[test]
    fn bounded_in_depth_number_and_text() {
        let deep = |leaf: &str| format!("{}{leaf}{}", "[".repeat(900), "]".repeat(900));
        assert_eq!(between(&deep("1"), &deep("2")).len(), 1);
        let many = |from: usize| {
            let items: Vec<String> = (from..from + 999).map(|n| n.to_string()).collect();
            format!("[{}]", items.join(","))
        };
        assert_eq!(between(&many(0), &many(1)).len(), DIFFERENCES_SHOWN);
        let long = format!("\"{}\"", "x".repeat(9_999));
        assert!(between(&long, "1")[0].len() < 200);
        let end = |end: &str| format!("\"{}{end}\"", "x".repeat(9_999));
        let found = &between(&end("a"), &end("b"))[0];
        assert!(
            found.len() < 200 && found.contains("xa\"") && found.contains("xb\""),
            "{found}"
        );
    }
}
