//! What each character beyond ASCII is to the pass and to the joiner rules.
//!
//! The Basic Multilingual Plane is a table, made on first use, so that a text in
//! any script is read at about the speed of an English one.

use std::{ops::RangeInclusive, sync::LazyLock};

use super::{
    after, han,
    rules::Rule,
    scripts::{self, Script},
    tables::{JOINING_LETTERS, MARKS},
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

/// A character's class, and what it is beside a joiner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Character {
    pub(super) class: Class,
    /// A letter of a script in which joiners are spelling.
    pub(super) script: Option<Script>,
    /// A combining mark.
    pub(super) mark: bool,
}

/// The look-up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Characters(&'static [Character]);

impl Characters {
    /// For a text. In ASCII nothing is looked up, and no table need be made.
    pub(super) fn for_text(text: &str) -> Self {
        static PLANE: LazyLock<Box<[Character]>> = LazyLock::new(plane);
        Self(if text.is_ascii() { &[] } else { &PLANE })
    }

    /// What the character is.
    pub(super) fn of(self, c: char) -> Character {
        match self.0.get(index(c)) {
            Some(&character) => character,
            None => Character {
                class: class(c),
                script: script_of(c),
                mark: is_among(c, &MARKS),
            },
        }
    }
}

/// The Basic Multilingual Plane.
fn plane() -> Box<[Character]> {
    // A surrogate is no character; its entry is never asked for.
    let character = |code: u16| char::from_u32(code.into()).unwrap_or_default();
    let plain = |code| Character {
        class: class(character(code)),
        script: None,
        mark: false,
    };
    let mut plane: Box<[_]> = (0..=u16::MAX).map(plain).collect();
    for (first, last, script) in JOINING_LETTERS {
        for entry in plane
            .get_mut(index(first)..=index(last))
            .unwrap_or_default()
        {
            entry.script = Some(script);
        }
    }
    for (first, last) in MARKS {
        for entry in plane
            .get_mut(index(first)..=index(last))
            .unwrap_or_default()
        {
            entry.mark = true;
        }
    }
    plane
}

const fn index(c: char) -> usize {
    c as usize
}

/// Han characters beyond the plane: nothing to us, and known without a look-up.
const MORE_HAN: RangeInclusive<char> = '\u{20000}'..='\u{3ffff}';

fn class(c: char) -> Class {
    match c {
        c if !han::words(c).is_empty() => Class::Han,
        // Most of the plane: nothing to us, and known without a look-up.
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => Class::Else,
        '。' | '！' | '？' => Class::FullStop,
        '，' | '；' => Class::Comma,
        '\u{2019}' => Class::Quote,
        c if MORE_HAN.contains(&c) => Class::Else,
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

fn script_of(c: char) -> Option<Script> {
    let index = JOINING_LETTERS.partition_point(|&(_, last, _)| last < c);
    let &(first, _, script) = JOINING_LETTERS.get(index)?;
    (first <= c).then_some(script)
}

/// Whether a character lies in one of the ranges, which are in order.
pub(super) fn is_among(c: char, ranges: &[(char, char)]) -> bool {
    let index = ranges.partition_point(|&(_, last)| last < c);
    ranges.get(index).is_some_and(|&(first, _)| first <= c)
}
