//! Every sentence a person reads: from stable keys and typed parameters to
//! English or Chinese, at the moment of reading.
//!
//! Evidence carries keys; prose is made here and nowhere else. The texts are
//! Fluent files (`en/`, `zh/`), parsed once in a process. A key without a text
//! comes out as the key itself with a note beside it: this crate never fails
//! and never panics on what a payload holds. Markup is limited to backticks
//! around what a machine said or reads; escaping is the reader's work.

mod catalogue;
mod judged;
mod language;
mod order;
mod wording;

use std::collections::BTreeMap;

pub use catalogue::{keys, variables};
pub use judged::{ANSWERS, Answers, STATES, answers};
pub use language::Language;
pub use order::{CHECKS, CheckPlace, GROUPS};
pub use wording::{WordOf, Wording};

/// A parameter of a text: a number, or a word from a bounded set.
#[derive(Clone, Debug, PartialEq)]
pub enum Param {
    Number(f64),
    Text(String),
}

impl From<i64> for Param {
    // A count or a status; beyond 2^53 the last digits of a count are no news.
    #[allow(clippy::cast_precision_loss)]
    fn from(number: i64) -> Self {
        Self::Number(number as f64)
    }
}

impl From<f64> for Param {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Param {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Param {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// What a check is called, looks at, and cannot show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckWords {
    /// A noun ("Redirects"), never a condition that could be read as a pass.
    pub title: String,
    pub looked_at: String,
    pub cannot_show: String,
}

/// The sentence of a reason of an assertion.
pub fn reason(language: Language, key: &str, params: &BTreeMap<String, Param>) -> String {
    let args: Vec<(&str, Param)> = params
        .iter()
        .map(|(name, value)| (name.as_str(), value.clone()))
        .collect();
    find(language, &format!("reason-{key}"), None, &args).unwrap_or_else(|| unknown(language, key))
}

/// The sentence of a reason with its parameters as names, for a page about the
/// check and not about a run.
pub fn reason_wording(language: Language, key: &str) -> Wording {
    wording::wording(language, &format!("reason-{key}")).unwrap_or_else(|| Wording {
        sentence: unknown(language, key),
        words: Vec::new(),
    })
}

/// How a check is judged when it comes to this state. `None` for a state that
/// it never gives.
pub fn judged(language: Language, check: &str, state: &str) -> Option<String> {
    find(language, &format!("judged-{check}"), Some(state), &[])
}

/// What an owner can do about a finding with this reason, where there is
/// something: whole sentences.
pub fn fix(language: Language, key: &str) -> Option<String> {
    find(language, &format!("reason-{key}"), Some("fix"), &[])
}

/// The sentence that says why a run is not signed.
pub fn signing(language: Language, key: &str) -> String {
    find(language, &format!("signing-{key}"), None, &[]).unwrap_or_else(|| unknown(language, key))
}

/// The texts of a check, by its id.
pub fn check(language: Language, id: &str) -> CheckWords {
    let key = format!("check-{id}");
    let part =
        |attribute| find(language, &key, attribute, &[]).unwrap_or_else(|| unknown(language, id));
    CheckWords {
        title: part(None),
        looked_at: part(Some("looked-at")),
        cannot_show: part(Some("cannot-show")),
    }
}

/// The word of a state, from its name in payloads.
pub fn state(language: Language, state: &str) -> String {
    find(language, &format!("state-{state}"), None, &[]).unwrap_or_else(|| unknown(language, state))
}

/// The word of an execution, from its name in payloads.
pub fn execution(language: Language, execution: &str) -> String {
    find(language, &format!("execution-{execution}"), None, &[])
        .unwrap_or_else(|| unknown(language, execution))
}

/// The name of a group of checks, and one line about it.
pub fn group(language: Language, id: &str) -> (String, String) {
    let key = format!("group-{id}");
    let part =
        |attribute| find(language, &key, attribute, &[]).unwrap_or_else(|| unknown(language, id));
    (part(None), part(Some("note")))
}

/// A text of the pages themselves, by its id, or `id.attribute`.
pub fn ui(language: Language, id: &str, args: &[(&str, Param)]) -> String {
    let (message, attribute) = match id.split_once('.') {
        Some((message, attribute)) => (message, Some(attribute)),
        None => (id, None),
    };
    find(language, message, attribute, args).unwrap_or_else(|| unknown(language, id))
}

/// As [`ui`], where a missing text has a better answer than a note: the name
/// of a region, say, that an operator made up.
pub fn known(language: Language, id: &str) -> Option<String> {
    find(language, id, None, &[])
}

fn find(
    language: Language,
    id: &str,
    attribute: Option<&str>,
    args: &[(&str, Param)],
) -> Option<String> {
    catalogue::format(language, id, attribute, args)
}

fn unknown(language: Language, key: &str) -> String {
    match language {
        Language::English => format!("{key} (no text in this version)"),
        Language::Chinese => format!("{key}（此版本没有对应文字）"),
    }
}

#[cfg(test)]
mod tests;
