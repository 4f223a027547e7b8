//! H6, first half: the phrases P1–P16 and the words their conditions ask about.
//!
//! A phrase is read back from its last word. What decides whether it counts is
//! left to [`Surroundings`].

use super::{
    after,
    clauses::{Phrase, Span, Surroundings},
    han::{self, Han},
    openers::Openers,
    patterns::{extended, fixed, free, idle, owner_funds},
    rules::{Matches, Rule},
    tokens::{Back, Gap, Part, Recent, Token},
    words::{Roles, Word},
};

/// P1, P16: at most this many characters between the two parts of the phrase.
const PAY_GAP_CHARACTERS: usize = 40;
/// P14: the same.
const SELL_GAP_CHARACTERS: usize = 80;
/// P16: at most this many characters between `ask` and `permission`.
const ASK_GAP_CHARACTERS: usize = 40;
/// P5: a negation is looked for this far before the phrase.
const NEGATION_CHARACTERS: usize = 30;

/// What was seen of H6 so far.
#[derive(Debug)]
pub(super) struct Spending {
    around: Surroundings,
    pays: Openers,
    sells: Openers,
    owners: Openers,
    /// The last of `ask` and its forms.
    ask: Option<Token>,
    /// The last of never, not, …n't.
    negation: Option<Span>,
}

impl Spending {
    /// The roles of the words it is to be given.
    pub(super) const ROLES: Roles = Roles::PHRASE
        .and(Roles::EXCUSE)
        .and(Roles::MONEY)
        .and(Roles::POLICY)
        .and(Roles::NOTED);

    pub(super) fn new() -> Self {
        Self {
            around: Surroundings::default(),
            pays: Openers::of(Rule::PayByDefault, PAY_GAP_CHARACTERS),
            sells: Openers::of(Rule::SellLent, SELL_GAP_CHARACTERS),
            owners: Openers::of(Rule::OwnerFunds, PAY_GAP_CHARACTERS),
            ask: None,
            negation: None,
        }
    }

    /// Takes the newest word.
    pub(super) fn word(&mut self, text: &str, recent: &Recent) {
        let back = recent.back();
        let last = back.first();
        let roles = last.word.roles();
        if roles.any(Roles::PHRASE) {
            self.phrase(text, back);
        }
        if roles.any(Roles::EXCUSE) {
            self.excuse(back);
        }
        if roles.any(Roles::MONEY) {
            self.around.money.push(in_clause(last, last));
        }
        if roles.any(Roles::POLICY) {
            self.around.policies.push(in_clause(last, last));
        }
        if roles.any(Roles::NOTED) {
            self.note(text, back);
        }
    }

    /// Takes `$` with a digit after it.
    pub(super) fn amount(&mut self, at: usize, part: Part) {
        self.around.money.push(Span {
            start: at,
            end: at + 2,
            part: part.clause,
        });
    }

    /// Takes a Han character, the first of `rest`, which is `start` bytes and `at`
    /// characters into the text.
    pub(super) fn han(&mut self, rest: &str, start: usize, at: usize, part: Part) {
        let Some(first) = rest.chars().next() else {
            return;
        };
        let Some(&(word, meaning)) = han::words(first)
            .iter()
            .find(|(word, _)| rest.starts_with(word))
        else {
            return;
        };
        let until = at + word.len() / han::CHARACTER_BYTES;
        let span = Span {
            start: at,
            end: until,
            part: part.clause,
        };
        match meaning {
            Han::Money => self.around.money.push(span),
            Han::Policy => self.around.policies.push(span),
            Han::Free => self.around.free.push(span),
            Han::Phrase => self.around.phrases.push(Phrase {
                rule: Rule::DeemedConsent,
                start,
                end: start + word.len(),
                at,
                until,
                part,
            }),
        }
    }

    /// Settles what the text behind the character `now` decides, see
    /// [`Surroundings::settle`]. `open_since` is where the words that are still
    /// being joined begin. Gives how much is left.
    pub(super) fn settle(&mut self, now: usize, open_since: usize, matches: &mut Matches) -> usize {
        let mut first = open_since;
        for openers in [&mut self.pays, &mut self.sells, &mut self.owners] {
            openers.forget(open_since, &mut self.around.phrases);
            first = openers.first().map_or(first, |opener| first.min(opener));
        }
        self.around.settle(now, first, matches);
        self.around.len()
    }

    /// The end of the text.
    pub(super) fn finish(mut self, matches: &mut Matches) {
        self.settle(usize::MAX, usize::MAX, matches);
    }

    fn phrase(&mut self, text: &str, back: Back<'_>) {
        let last = back.first();
        match last.word {
            Word::Default => {
                let mut by = back;
                if by.take(|word| word == Word::By) {
                    let by = by.first();
                    self.pays
                        .close(by.at, by.part.sentence, last, &mut self.around.phrases);
                }
            }
            Word::You => {
                let mut lent = back;
                lent.skip(|word| word == Word::To);
                if lent.take(|word| word == Word::Lent) {
                    let lent = lent.first();
                    self.sells
                        .close(lent.at, lent.part.sentence, last, &mut self.around.phrases);
                }
            }
            Word::Credit | Word::Balance => {
                if let Some(from) = owner_funds(back) {
                    self.owners
                        .close(from.at, from.part.passage, last, &mut self.around.phrases);
                }
            }
            Word::Asking => {
                let mut without = back;
                if without.take(|word| word == Word::Without)
                    && !self.negated(without.first())
                    && !asks_for(text, last.end)
                {
                    let without = without.first();
                    self.around
                        .phrases
                        .push(Phrase::new(Rule::WithoutAsking, without, last));
                }
            }
            _ => {
                let found = fixed(back)
                    .map(|(rule, first)| (rule, first, last.end))
                    .or_else(|| extended(text, back));
                if let Some((rule, first, end)) = found {
                    let beyond = match end - last.end {
                        0 => 0,
                        _ => text[last.end..end].chars().count(),
                    };
                    self.around.phrases.push(Phrase {
                        end,
                        until: last.until() + beyond,
                        ..Phrase::new(rule, first, last)
                    });
                }
            }
        }
    }

    /// P5: whether a negation stands in the same sentence shortly before.
    fn negated(&self, without: &Token) -> bool {
        self.negation.is_some_and(|negation| {
            negation.part == without.part.sentence
                && negation.start + NEGATION_CHARACTERS >= without.at
        })
    }

    /// C3, C4: an excuse that ends here and lies in one clause.
    fn excuse(&mut self, back: Back<'_>) {
        let last = back.first();
        let here = |first: &&Token| first.part.clause == last.part.clause;
        let idle = idle(back).filter(here);
        if let Some(first) = idle {
            self.around.idle.push(in_clause(first, last));
        }
        if let Some(first) = idle.or_else(|| free(back).filter(here)) {
            self.around.free.push(in_clause(first, last));
        }
    }

    /// Notes what the word is to phrases elsewhere.
    fn note(&mut self, text: &str, back: Back<'_>) {
        let last = back.first();
        let phrases = &mut self.around.phrases;
        match last.word {
            Word::Pay => self.pays.open(last, last.part.sentence, phrases),
            Word::Sell => self.sells.open(last, last.part.sentence, phrases),
            Word::Pays | Word::Charges => self.owners.open(last, last.part.passage, phrases),
            Word::Ask | Word::Asking | Word::Asks => self.ask = Some(*last),
            Word::Confirms
            | Word::Confirmation
            | Word::Confirmations
            | Word::Approve
            | Word::Approval => self.consent(last, last),
            Word::Permission => {
                let near = self.ask.filter(|ask| {
                    ask.part.passage == last.part.passage
                        && ask.until() + ASK_GAP_CHARACTERS >= last.at
                });
                if let Some(ask) = near {
                    self.consent(&ask, last);
                }
            }
            Word::Never | Word::Not => self.negation = Some(negation(last, last)),
            Word::T => {
                let mut word = back;
                if word.take_over(|gap| gap == Gap::Apostrophe, |_| true) {
                    let first = word.first();
                    if matches!(text.as_bytes()[..first.end].last(), Some(b'n' | b'N')) {
                        self.negation = Some(negation(first, last));
                    }
                }
            }
            // "e-mail", "allow-list"
            Word::Mail => {
                let mut e = back;
                if e.take_over(|gap| gap == Gap::Hyphen, |word| word == Word::E) {
                    self.around.money.push(in_clause(e.first(), last));
                }
            }
            Word::List => {
                let mut allow = back;
                if allow.take_over(|gap| gap == Gap::Hyphen, |word| word == Word::Allow) {
                    self.around.policies.push(in_clause(allow.first(), last));
                }
            }
            _ => {}
        }
    }

    fn consent(&mut self, first: &Token, last: &Token) {
        self.around.consents.push(Span {
            start: first.at,
            end: last.until(),
            part: last.part.passage,
        });
    }
}

/// P5: `asking for` and `asking us` are something else.
fn asks_for(text: &str, end: usize) -> bool {
    after::some_space(text, end)
        .is_some_and(|next| after::one_of(text, next, &["for", "us"]).is_some())
}

const fn in_clause(first: &Token, last: &Token) -> Span {
    Span {
        start: first.at,
        end: last.until(),
        part: first.part.clause,
    }
}

const fn negation(first: &Token, last: &Token) -> Span {
    Span {
        start: first.at,
        end: last.until(),
        part: first.part.sentence,
    }
}
