//! H6: the phrases in two parts, with anything between them but not too much: P1,
//! P14, P16.
//!
//! Holds the first parts only as long as a second can follow.

use std::collections::VecDeque;

use super::{clauses::Phrase, rules::Rule, tokens::Token, work};

/// Words that open a phrase if its second part comes soon.
#[derive(Debug)]
pub(super) struct Openers {
    rule: Rule,
    /// At most this many characters between the parts.
    reach: usize,
    words: VecDeque<Opener>,
}

#[derive(Debug)]
struct Opener {
    /// In characters, of the word itself.
    until: usize,
    /// The sentence or passage that the whole phrase must lie in.
    part: u32,
    /// As far as it goes.
    phrase: Phrase,
    closed: bool,
}

impl Openers {
    pub(super) const fn of(rule: Rule, reach: usize) -> Self {
        Self {
            rule,
            reach,
            words: VecDeque::new(),
        }
    }

    pub(super) fn open(&mut self, word: &Token, part: u32, phrases: &mut Vec<Phrase>) {
        self.forget(word.at, phrases);
        let phrase = Phrase::new(self.rule, word, word);
        self.words.push_back(Opener {
            until: word.until(),
            part,
            phrase,
            closed: false,
        });
    }

    /// The second part begins at `at` and ends with `last`. Of two phrases with one
    /// opener the longer counts wherever the shorter does, so there is one for each.
    pub(super) fn close(&mut self, at: usize, part: u32, last: &Token, phrases: &mut Vec<Phrase>) {
        self.forget(at, phrases);
        for opener in self.words.iter_mut().filter(|opener| opener.part == part) {
            work::spend(1);
            if !opener.closed {
                opener.closed = true;
                opener.phrase.end = last.end;
            }
            opener.phrase.until = last.until();
        }
    }

    /// Drops those that nothing from `at` on can close, and gives up their phrases.
    pub(super) fn forget(&mut self, at: usize, phrases: &mut Vec<Phrase>) {
        while let Some(first) = self.words.front() {
            if first.until.saturating_add(self.reach) >= at {
                break;
            }
            work::spend(1);
            if first.closed {
                phrases.push(first.phrase);
            }
            self.words.pop_front();
        }
    }

    /// Where the first that is left begins.
    pub(super) fn first(&self) -> Option<usize> {
        self.words.front().map(|first| first.phrase.at)
    }
}
