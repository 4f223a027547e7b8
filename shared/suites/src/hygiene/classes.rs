//! What each character beyond ASCII is to the pass and to the joiner rules.
//!
//! The planes in use are a table, made on first use, so that a text in any script is
//! read at about the speed of an English one.

use std::sync::LazyLock;

use super::{
    after, han,
    rules::Rule,
    scripts::{self, Script},
    tables::{JOINING_LETTERS, MARKS, PICTOGRAPHS},
};

/// What a character is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Part of a word.
    Word,
    /// White space that ends no line.
    Space,
    Newline,
    /// `。！？`
    FullStop,
    /// `，；`
    Comma,
    /// U+2019
    Quote,
    /// A Chinese word of ours may begin here.
    Han,
    /// A hit wherever it stands.
    Hidden(Rule),
    /// A hit unless it is ordinary spelling.
    Joiner,
    Else,
}

/// What a character is beside a joiner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// A letter of a script in which joiners are spelling.
    Letter(Script),
    /// A combining mark.
    Mark,
    /// An emoji, but no skin tone.
    Pictograph,
    Else,
}

/// What a character is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Character {
    pub(super) class: Class,
    pub(super) beside: Beside,
}

/// The look-up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Characters(&'static [Character]);

impl Characters {
    /// For a text. In ASCII nothing is looked up, and no table need be made.
    pub(super) fn for_text(text: &str) -> Self {
        static TABLE: LazyLock<Box<[Character]>> = LazyLock::new(table);
        Self(if text.is_ascii() { &[] } else { &TABLE })
    }

    /// What the character is.
    pub(super) fn of(self, c: char) -> Character {
        self.0.get(index(c)).copied().unwrap_or_else(|| Character {
            class: class(c),
            beside: match c {
                MORE_MARKS_FIRST..=MORE_MARKS_LAST => Beside::Mark,
                _ => Beside::Else,
            },
        })
    }
}

/// The table's characters: the planes that have letters with and without case,
/// marks and emoji. Beyond are Han characters and little else.
const TABLE_CHARACTERS: u32 = 0x2_0000;

/// The only marks beyond the table.
const MORE_MARKS_FIRST: char = '\u{e0100}';
const MORE_MARKS_LAST: char = '\u{e01ef}';

fn table() -> Box<[Character]> {
    // A surrogate is no character; its entry is never asked for.
    let character = |code| char::from_u32(code).unwrap_or_default();
    let plain = |code| Character {
        class: class(character(code)),
        beside: Beside::Else,
    };
    let mut table: Box<[_]> = (0..TABLE_CHARACTERS).map(plain).collect();
    let letters =
        JOINING_LETTERS.map(|(first, last, script)| (first, last, Beside::Letter(script)));
    let marks = MARKS.map(|(first, last)| (first, last, Beside::Mark));
    let pictographs = PICTOGRAPHS.map(|(first, last)| (first, last, Beside::Pictograph));
    for (first, last, beside) in letters.into_iter().chain(marks).chain(pictographs) {
        for entry in table
            .get_mut(index(first)..=index(last))
            .unwrap_or_default()
        {
            entry.beside = beside;
        }
    }
    table
}

const fn index(c: char) -> usize {
    c as usize
}

fn class(c: char) -> Class {
    match c {
        c if !han::words(c).is_empty() => Class::Han,
        // Han and Hangul, and what is beyond the table but not hidden, are nothing to
        // us: known without a look-up.
        '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{20000}'..='\u{dffff}'
        | '\u{e0080}'..='\u{effff}' => Class::Else,
        '。' | '！' | '？' => Class::FullStop,
        '，' | '；' => Class::Comma,
        '\u{2019}' => Class::Quote,
        c if after::is_newline(c) => Class::Newline,
        c if scripts::is_joiner(c) => Class::Joiner,
        c => match scripts::hidden(c) {
            Some(rule) => Class::Hidden(rule),
            None if c.is_whitespace() => Class::Space,
            None if after::is_word(c) => Class::Word,
            None => Class::Else,
        },
    }
}
