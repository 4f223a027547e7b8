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

/// Every character's entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Characters(&'static [Character]);

impl Characters {
    pub(super) fn all() -> Self {
        static PLANE: LazyLock<Box<[Character]>> = LazyLock::new(plane);
        Self(&PLANE)
    }

    pub(super) fn of(self, c: char) -> Character {
        let index = u32::from(c) as usize;
        self.0.get(index).copied().unwrap_or_else(|| classify(c))
    }
}

/// The Basic Multilingual Plane.
fn plane() -> Box<[Character]> {
    // A surrogate is no character; its entry is never asked for.
    let character = |code: u16| char::from_u32(code.into()).unwrap_or_default();
    (0..=u16::MAX)
        .map(|code| classify(character(code)))
        .collect()
}

fn classify(c: char) -> Character {
    Character {
        class: class(c),
        script: script_of(c),
        mark: is_among(c, &MARKS),
    }
}

/// Han characters beyond the plane: nothing to us, and known without a look-up.
const MORE_HAN: RangeInclusive<char> = '\u{20000}'..='\u{3ffff}';

fn class(c: char) -> Class {
    match c {
        '。' | '！' | '？' => Class::FullStop,
        '，' | '；' => Class::Comma,
        '\u{2019}' => Class::Quote,
        c if !han::words(c).is_empty() => Class::Han,
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
