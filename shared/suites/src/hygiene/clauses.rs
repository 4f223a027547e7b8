//! H6, second half: whether a phrase counts, by the words around it (C1–C4, and
//! P16's own excuse).
//!
//! Phrases and words are noted while the text passes, and judged together once
//! the text has gone on for as far as any condition looks. What no phrase can ask
//! about any more is dropped, so the lists stay as short as the windows are. They
//! are in order of both start and end: the first span that starts late enough also
//! ends earliest, one look decides, and a list is walked once for all phrases.

use std::ops::RangeInclusive;

use super::{
    rules::{Matches, Rule},
    tokens::{Part, Token},
    work,
};

/// C1: a money word is looked for this far before and after a phrase.
const MONEY_CHARACTERS: usize = 200;
/// C2: a policy word is looked for this far before a phrase.
const POLICY_CHARACTERS: usize = 120;
/// C3, C4, H5: a clause reaches this far from the first character of what it is
/// the clause of.
pub(super) const CLAUSE_CHARACTERS: usize = 200;
/// P16: its two sentences reach this far back from the start of the phrase …
const CONSENT_CHARACTERS_BACK: usize = 400;
/// … and this far on.
const CONSENT_CHARACTERS_ON: usize = 800;

/// A stretch of text in characters, and the number of the part it lies in: its
/// clause, or for P16's excuses its passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) part: u32,
}

/// A phrase of H6 that stands in the text and has yet to be judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Phrase {
    pub(super) rule: Rule,
    /// In bytes.
    pub(super) start: usize,
    pub(super) end: usize,
    /// In characters.
    pub(super) at: usize,
    pub(super) until: usize,
    /// Of its first character.
    pub(super) part: Part,
}

impl Phrase {
    /// From one word to another.
    pub(super) const fn new(rule: Rule, first: &Token, last: &Token) -> Self {
        Self {
            rule,
            start: first.start,
            end: last.end,
            at: first.at,
            until: last.until(),
            part: first.part,
        }
    }
}

/// All of a text that the conditions ask about.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    pub(super) phrases: Vec<Phrase>,
    pub(super) money: Vec<Span>,
    pub(super) policies: Vec<Span>,
    /// C3 and C4: beside these a money word does not count.
    pub(super) free: Spans,
    /// C4: beside these a phrase does not count.
    pub(super) idle: Spans,
    /// P16: near these it does not count.
    pub(super) consents: Spans,
}

impl Surroundings {
    /// Judges the phrases that nothing from the character `now` on can change, and
    /// drops what only they could ask about. Of phrases to come none begins before
    /// `open_since`.
    pub(super) fn settle(&mut self, now: usize, open_since: usize, matches: &mut Matches) {
        if !self.phrases.is_empty() {
            self.judge(now, matches);
        }
        let first = self.phrases.first().map_or(open_since, |phrase| phrase.at);
        let from = first
            .min(open_since)
            .saturating_sub(CONSENT_CHARACTERS_BACK);
        let spans = [&mut self.money, &mut self.policies];
        let smallest = [&mut self.free, &mut self.idle, &mut self.consents];
        for spans in spans.into_iter().chain(smallest.map(|spans| &mut spans.0)) {
            let old = spans.partition_point(|span| span.start < from);
            spans.drain(..old);
        }
    }

    /// How much is held.
    pub(super) fn len(&self) -> usize {
        let spans = [
            &self.money,
            &self.policies,
            &self.free.0,
            &self.idle.0,
            &self.consents.0,
        ];
        self.phrases.len() + spans.map(Vec::len).iter().sum::<usize>()
    }

    fn judge(&mut self, now: usize, matches: &mut Matches) {
        let mut free = Cursor::over(&self.free.0);
        self.money.retain(|word| {
            work::spend(1);
            word.start + CLAUSE_CHARACTERS >= now || !free.in_clause(word.part, word.start)
        });
        self.phrases.sort_by_key(|phrase| phrase.at);

        let mut money = Cursor::over(&self.money);
        let mut policies = Cursor::over(&self.policies);
        let mut idle = Cursor::over(&self.idle.0);
        let mut consents = Cursor::over(&self.consents.0);
        self.phrases.retain(|phrase| {
            work::spend(1);
            // A money word at the edge of C1's window has a clause of its own.
            let settled = phrase.until + MONEY_CHARACTERS + CLAUSE_CHARACTERS < now
                && phrase.at + CONSENT_CHARACTERS_ON < now;
            if !settled {
                return true;
            }
            let passage = phrase.part.passage;
            let excused = idle.in_clause(phrase.part.clause, phrase.at)
                || phrase.rule != Rule::RaiseLimit
                    && policies.ends_before(phrase.at, POLICY_CHARACTERS)
                || phrase.rule == Rule::OwnerFunds
                    && consents.within(
                        passage..=passage.saturating_add(1),
                        phrase.at.saturating_sub(CONSENT_CHARACTERS_BACK),
                        phrase.at + CONSENT_CHARACTERS_ON,
                    );
            let paid = money.within(
                0..=u32::MAX,
                phrase.at.saturating_sub(MONEY_CHARACTERS),
                phrase.until + MONEY_CHARACTERS,
            );
            if paid && !excused {
                matches.add(phrase.rule, phrase.start, phrase.end);
            }
            false
        });
    }
}

/// Spans of which none holds another.
#[derive(Debug, Default)]
pub(super) struct Spans(Vec<Span>);

impl Spans {
    /// Adds a span that ends no earlier than any before it. Of two where one holds
    /// the other the smaller is kept: wherever the larger fits, it fits too.
    pub(super) fn push(&mut self, span: Span) {
        while let Some(last) = self.0.last() {
            work::spend(1);
            if last.start >= span.start {
                return;
            }
            if last.end < span.end {
                break;
            }
            self.0.pop();
        }
        self.0.push(span);
    }
}

/// A place in a list of spans that only moves on; questions come in order.
#[derive(Debug)]
struct Cursor<'s> {
    spans: &'s [Span],
    next: usize,
}

impl<'s> Cursor<'s> {
    const fn over(spans: &'s [Span]) -> Self {
        Self { spans, next: 0 }
    }

    /// Whether a span lies in these parts, wholly between the two characters.
    fn within(&mut self, parts: RangeInclusive<u32>, start: usize, end: usize) -> bool {
        self.skip_while(|span| span.start < start || span.part < *parts.start());
        self.spans
            .get(self.next)
            .is_some_and(|span| span.end <= end && span.part <= *parts.end())
    }

    /// Whether a span lies in the clause, as far as that reaches from `start`.
    fn in_clause(&mut self, clause: u32, start: usize) -> bool {
        self.within(
            clause..=clause,
            start.saturating_sub(CLAUSE_CHARACTERS),
            start + CLAUSE_CHARACTERS,
        )
    }

    /// Whether a span lies wholly within the `reach` characters before `at`.
    fn ends_before(&mut self, at: usize, reach: usize) -> bool {
        self.skip_while(|span| span.end <= at);
        let last = self.next.checked_sub(1).map(|index| &self.spans[index]);
        last.is_some_and(|span| span.start + reach >= at)
    }

    fn skip_while(&mut self, passed: impl Fn(&Span) -> bool) {
        while self.spans.get(self.next).is_some_and(&passed) {
            work::spend(1);
            self.next += 1;
        }
    }
}
