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

/// The rule and the end of what begins at this byte, which is `<` or `[`.
pub(super) fn begins(text: &str, at: usize) -> Option<(Rule, usize)> {
    let mark = |end| (Rule::RoleDelimiter, end);
    match text.as_bytes().get(at..at + 2)? {
        b"<|" => chat_mark(text, at).map(mark),
        b"<<" => whole(text, at, &["<<sys>>", "<</sys>>"]).map(mark),
        [b'<', b'/'] => tag(text, at + 2),
        [b'<', letter] if letter.is_ascii_alphabetic() => tag(text, at + 1),
        [b'[', _] => whole(text, at, &["[inst]", "[/inst]", "[system]", "[/system]"]).map(mark),
        _ => None,
    }
}

/// Whether an HTML tag opens at this byte.
pub(super) fn opens_tag(text: &str, at: usize) -> bool {
    matches!(text.as_bytes().get(at..at + 2), Some([b'<', letter]) if letter.is_ascii_alphabetic())
}

/// `system>`, `instructions>`; `script`, `iframe` of any tag
fn tag(text: &str, name: usize) -> Option<(Rule, usize)> {
    let role = |role: &&str| after::literal(text, after::literal(text, name, role)?, ">");
    if let Some(end) = ROLES.iter().find_map(role) {
        return Some((Rule::RoleDelimiter, end));
    }
    let (end, _) = after::one_of(text, name, &["script", "iframe"])?;
    let closes = |c: char| c.is_whitespace() || matches!(c, '>' | '/');
    let is_tag = end == text.len() || text[end..].starts_with(closes);
    is_tag.then_some((Rule::ScriptMarkup, end))
}

/// `<|im_start|>`
fn chat_mark(text: &str, at: usize) -> Option<usize> {
    let name = at + 2;
    let rest = text.as_bytes()[name..].iter().take(MARK_BYTES);
    let length = rest
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count();
    if length == 0 {
        return None;
    }
    after::literal(text, name + length, "|>")
}

fn whole(text: &str, at: usize, delimiters: &[&str]) -> Option<usize> {
    delimiters
        .iter()
        .find_map(|delimiter| after::literal(text, at, delimiter))
}
