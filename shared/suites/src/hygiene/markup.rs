//! H8: what begins with `<` or `[`: forged role delimiters and tags that bear
//! scripts.
//!
//! The lists are closed. A tag such as `<user>` is how documentation writes a
//! value to fill in, so it is not in them.

use super::{after, rules::Rule};

/// The longest name between `<|` and `|>`, in bytes.
const MARK_BYTES: usize = 32;

/// Names that, alone between `<` or `</` and `>`, pass for the frame of a prompt.
const ROLES: [&str; 6] = [
    "system",
    "assistant",
    "instructions",
    "instruction",
    "system_prompt",
    "system-prompt",
];

/// Delimiters of chat templates, whole.
const DELIMITERS: [&str; 6] = [
    "[inst]",
    "[/inst]",
    "<<sys>>",
    "<</sys>>",
    "[system]",
    "[/system]",
];

/// The rule and the end of what begins at this byte.
pub(super) fn begins(text: &str, at: usize) -> Option<(Rule, usize)> {
    let whole = DELIMITERS
        .iter()
        .find_map(|whole| after::literal(text, at, whole));
    if let Some(end) = whole.or_else(|| role(text, at)).or_else(|| mark(text, at)) {
        return Some((Rule::RoleDelimiter, end));
    }
    Some((Rule::ScriptMarkup, script(text, at)?))
}

/// Whether an HTML tag opens at this byte.
pub(super) fn opens_tag(text: &str, at: usize) -> bool {
    matches!(text.as_bytes().get(at..at + 2), Some([b'<', letter]) if letter.is_ascii_alphabetic())
}

/// `<system>`, `</instructions>`
fn role(text: &str, at: usize) -> Option<usize> {
    let name = after_open(text, at)?;
    ROLES.iter().find_map(|role| {
        let end = after::literal(text, name, role)?;
        after::literal(text, end, ">")
    })
}

/// `<|im_start|>`
fn mark(text: &str, at: usize) -> Option<usize> {
    let name = after::literal(text, at, "<|")?;
    let rest = text.as_bytes()[name..].iter().take(MARK_BYTES);
    let length = rest
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count();
    if length == 0 {
        return None;
    }
    after::literal(text, name + length, "|>")
}

/// `<script`, `</iframe`
fn script(text: &str, at: usize) -> Option<usize> {
    let name = after_open(text, at)?;
    ["script", "iframe"].iter().find_map(|tag| {
        let end = after::literal(text, name, tag)?;
        let rest = &text[end..];
        (rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || matches!(c, '>' | '/')))
            .then_some(end)
    })
}

fn after_open(text: &str, at: usize) -> Option<usize> {
    after::literal(text, at, "</").or_else(|| after::literal(text, at, "<"))
}
