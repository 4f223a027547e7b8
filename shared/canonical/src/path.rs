//! Where in a document something stands, as text: `$.tools[3].inputSchema["a b"]`.
//!
//! A path names the target's own keys, so it is for people who look at a
//! finding and never for a signed payload. Its length is bounded.

use std::fmt::Write as _;

use crate::string::JsonString;

/// Characters of one key shown at most.
const KEY_LIMIT: usize = 64;

/// Bytes of a path after which no further step is written.
const PATH_LIMIT: usize = 1_024;

/// Appends the step into an array.
pub(crate) fn push_index(path: &mut String, index: usize) {
    push(path, &format!("[{index}]"));
}

/// Appends the step to a member of an object.
pub(crate) fn push_key(path: &mut String, key: &JsonString) {
    let step = match key.as_str().filter(|text| is_plain(text)) {
        Some(text) => format!(".{text}"),
        None => format!("[\"{}\"]", escaped(key)),
    };
    push(path, &step);
}

/// One step, or, where the path grew too long, a mark that some are left out.
fn push(path: &mut String, step: &str) {
    if path.len() + step.len() <= PATH_LIMIT {
        path.push_str(step);
    } else if !path.ends_with('…') {
        path.push('…');
    }
}

fn is_plain(text: &str) -> bool {
    text.len() <= KEY_LIMIT
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$')
}

/// Printable ASCII as it is, everything else as `\uXXXX`: the reader of a path
/// must see what a key that looks like another really holds.
fn escaped(key: &JsonString) -> String {
    let units = key.encode_utf16();
    let mut text = String::new();
    for &unit in units.iter().take(KEY_LIMIT) {
        match u8::try_from(unit) {
            Ok(byte @ (b'"' | b'\\')) => text.extend(['\\', char::from(byte)]),
            Ok(byte @ 0x20..=0x7E) => text.push(char::from(byte)),
            // Writing into a String cannot fail.
            _ => _ = write!(text, "\\u{unit:04x}"),
        }
    }
    if units.len() > KEY_LIMIT {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_readable_and_bounded() {
        let mut path = String::from("$");
        push_key(&mut path, &"tools".into());
        push_index(&mut path, 3);
        push_key(&mut path, &"a b".into());
        push_key(&mut path, &"e\u{301}\"".into());
        push_key(&mut path, &JsonString::from_utf16(&[0xD83D]));
        push_key(&mut path, &"".into());
        assert_eq!(path, r#"$.tools[3]["a b"]["e\u0301\""]["\ud83d"][""]"#);
        push_key(&mut path, &"k".repeat(5_000).into());
        for _ in 0..10_000 {
            push_key(&mut path, &"key".into());
        }
        assert!(path.len() <= PATH_LIMIT + '…'.len_utf8(), "{}", path.len());
        assert!(path.ends_with('…'));
    }
}
