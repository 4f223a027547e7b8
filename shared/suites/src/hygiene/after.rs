//! Looks at what follows a place in a text: a few steps on, never back.
//!
//! Each look costs the white space it steps over and a constant.

use std::ops::RangeInclusive;

use super::work;

/// Letters of scripts that are written without spaces, or that join to a Latin
/// word without one ("USDC를", "用USDC"): they end a word, they do not carry it on.
const UNSPACED: [RangeInclusive<char>; 10] = [
    '\u{e00}'..='\u{eff}',     // Thai, Lao
    '\u{1000}'..='\u{109f}',   // Myanmar
    '\u{1100}'..='\u{11ff}',   // Hangul
    '\u{1780}'..='\u{17ff}',   // Khmer
    '\u{2e80}'..='\u{9fff}',   // Kana, Bopomofo, Hangul, Han
    '\u{a960}'..='\u{a97f}',   // Hangul
    '\u{ac00}'..='\u{d7ff}',   // Hangul
    '\u{f900}'..='\u{faff}',   // Han
    '\u{1b000}'..='\u{1b16f}', // Kana
    '\u{20000}'..='\u{3ffff}', // Han
];

/// Whether a character is part of a word.
pub(super) fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    c.is_alphanumeric() && !UNSPACED.iter().any(|range| range.contains(&c))
}

/// Whether a character ends a line: those that ECMAScript calls line terminators.
pub(super) const fn is_newline(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// The place after any white space.
pub(super) fn space(text: &str, at: usize) -> usize {
    let rest = &text.as_bytes()[at..];
    let plain = rest
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r'));
    let plain = at + plain.count();
    let next = &text[plain..];
    let end = if next.starts_with(char::is_whitespace) {
        text.len() - next.trim_start().len()
    } else {
        plain
    };
    work::spend(end - at);
    end
}

/// The place after at least one white space character.
pub(super) fn some_space(text: &str, at: usize) -> Option<usize> {
    Some(space(text, at)).filter(|&end| end > at)
}

/// The place after the ASCII word, in either case, if it stands here whole. That
/// no word character stands before it is the caller's to know.
pub(super) fn word(text: &str, at: usize, word: &str) -> Option<usize> {
    let end = literal(text, at, word)?;
    (!text[end..].starts_with(is_word)).then_some(end)
}

/// One of the words, if it stands here whole, and the place after it.
pub(super) fn one_of<'w>(text: &str, at: usize, words: &[&'w str]) -> Option<(usize, &'w str)> {
    words
        .iter()
        .find_map(|&listed| Some((word(text, at, listed)?, listed)))
}

/// The place after the text, in either case, if it stands here.
pub(super) fn literal(text: &str, at: usize, expected: &str) -> Option<usize> {
    let end = at.checked_add(expected.len())?;
    let found = text.as_bytes().get(at..end)?;
    let expected = expected.as_bytes();
    // Most of what does not stand here differs in the first letter.
    let first = found.first()?.eq_ignore_ascii_case(expected.first()?);
    (first && found.eq_ignore_ascii_case(expected)).then_some(end)
}

/// The place after a name: word characters only.
pub(super) fn name(text: &str, at: usize) -> usize {
    until(text, at, |c| !is_word(c))
}

/// The place after characters that are not white space.
pub(super) fn visible(text: &str, at: usize) -> usize {
    until(text, at, char::is_whitespace)
}

fn until(text: &str, at: usize, stop: impl Fn(char) -> bool) -> usize {
    let length = text[at..].find(stop).unwrap_or(text.len() - at);
    work::spend(length);
    at + length
}
