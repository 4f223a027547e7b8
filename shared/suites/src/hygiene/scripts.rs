//! H1: which characters hide, and when a joiner is ordinary spelling. H8: the
//! script of an odd character in a name.

use std::sync::LazyLock;

use regex::RegexSet;

use super::{
    Listed, ODD_CHARACTERS_READ,
    classes::{Beside, Characters},
    rules::Rule,
    work,
};

/// The scripts that use ZWNJ or ZWJ in ordinary spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    Arabic,
    Syriac,
    Nko,
    Mongolian,
    Devanagari,
    Bengali,
    Gurmukhi,
    Gujarati,
    Oriya,
    Tamil,
    Telugu,
    Kannada,
    Malayalam,
    Sinhala,
    Khmer,
    Myanmar,
    Tibetan,
}

const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// The rule that a character breaks by being there, whatever stands beside it.
pub(super) const fn hidden(c: char) -> Option<Rule> {
    match c {
        '\u{200b}' | '\u{2060}' | '\u{feff}' => Some(Rule::ZeroWidth),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some(Rule::Bidi),
        '\u{e0000}'..='\u{e007f}' => Some(Rule::Tag),
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}' => {
            Some(Rule::PrivateUse)
        }
        _ => None,
    }
}

/// Whether a character joins or parts letters without being seen.
pub(super) const fn is_joiner(c: char) -> bool {
    matches!(c, ZERO_WIDTH_NON_JOINER | ZERO_WIDTH_JOINER)
}

/// Whether the joiner `c` between these two texts is ordinary spelling.
///
/// The marks it steps over lie between it and the next joiner or letter, so that
/// a mark is seen at most twice however many joiners a text has.
pub(super) fn is_spelling(characters: Characters, before: &str, c: char, after: &str) -> bool {
    let script = letter_beside(characters, before.chars().rev());
    if script.is_some() && script == letter_beside(characters, after.chars()) {
        return true;
    }
    let is_pictograph = |c| characters.of(c).beside == Beside::Pictograph;
    // A skin tone is no pictograph, so a joiner after one is not excused.
    c == ZERO_WIDTH_JOINER
        && before.chars().next_back().is_some_and(is_pictograph)
        && after.chars().next().is_some_and(is_pictograph)
}

/// The script of the nearest character that is not a combining mark, if that is a
/// letter of a script in the list.
fn letter_beside(characters: Characters, beside: impl Iterator<Item = char>) -> Option<Script> {
    for c in beside {
        work::spend(1);
        match characters.of(c).beside {
            Beside::Mark => {}
            Beside::Letter(script) => return Some(script),
            Beside::Pictograph | Beside::Else => return None,
        }
    }
    None
}

/// H8: the name's characters outside U+0020–U+007E, the first of each script.
pub(super) fn odd_characters(name: &str) -> Vec<Listed> {
    let odd = name.char_indices().filter(|(_, c)| !matches!(c, ' '..='~'));
    let mut seen = Vec::new();
    for (offset, character) in odd.take(ODD_CHARACTERS_READ) {
        let script = script_name(character);
        let is_new = seen.iter().all(
            |listed| !matches!(listed, Listed::OddName { script: other, .. } if *other == script),
        );
        if is_new {
            seen.push(Listed::OddName {
                offset,
                character,
                script,
            });
        }
    }
    seen
}

/// Scripts by their Unicode names: those with letters that pass for Latin ones,
/// and those that living languages are written in.
#[rustfmt::skip]
const SCRIPT_NAMES: [&str; 40] = [
    "Common", "Inherited", "Latin", "Greek", "Cyrillic", "Armenian", "Hebrew", "Arabic",
    "Syriac", "Thaana", "Nko", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya",
    "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Thai", "Lao", "Tibetan", "Myanmar",
    "Georgian", "Hangul", "Ethiopic", "Cherokee", "Canadian_Aboriginal", "Khmer", "Mongolian",
    "Hiragana", "Katakana", "Bopomofo", "Han", "Coptic", "Lisu", "Deseret", "Tifinagh",
];

static SCRIPTS: LazyLock<RegexSet> = LazyLock::new(|| {
    let patterns = SCRIPT_NAMES.map(|name| format!(r"^\p{{Script={name}}}$"));
    // The patterns are constants, and a test builds them.
    RegexSet::new(patterns).expect("every name is one of Unicode's")
});

fn script_name(c: char) -> &'static str {
    let found = SCRIPTS.matches(c.encode_utf8(&mut [0; 4]));
    let index = found.iter().next();
    index.map_or("Other", |index| SCRIPT_NAMES[index])
}
