//! The last few words of a text, and how a phrase is read back from its end.

use super::words::Word;

/// Words kept. The longest phrase of ours has nine.
const KEPT: usize = 16;

/// What stands between a word and the word before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    /// Nothing yet.
    Nothing,
    /// White space only.
    Space,
    /// One U+0027.
    Apostrophe,
    /// One U+2019.
    Quote,
    /// One hyphen-minus.
    Hyphen,
    /// Anything else.
    Else,
}

impl Gap {
    /// After one more white space character.
    pub(super) const fn space(self) -> Self {
        match self {
            Self::Nothing | Self::Space => Self::Space,
            _ => Self::Else,
        }
    }

    /// After the character `mark`, which is not white space.
    pub(super) const fn mark(self, mark: Self) -> Self {
        match self {
            Self::Nothing => mark,
            _ => Self::Else,
        }
    }
}

/// Where a place is: the parts of the text it lies in, each numbered from the
/// front. The numbers wrap: parts are only ever compared with their neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// The clause of C3, C4 and H5.
    pub(super) clause: u32,
    /// The sentence of H6: any full stop ends it.
    pub(super) sentence: u32,
    /// The sentence of P16: a full stop inside `0.5` does not end it. Empty ones
    /// are not counted.
    pub(super) passage: u32,
}

/// A word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) word: Word,
    pub(super) gap: Gap,
    /// In bytes.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Of the first character, in characters.
    pub(super) at: usize,
    pub(super) part: Part,
}

impl Token {
    const NONE: Self = Self {
        word: Word::Unlisted,
        gap: Gap::Else,
        start: 0,
        end: 0,
        at: 0,
        part: Part {
            clause: 0,
            sentence: 0,
            passage: 0,
        },
    };

    /// Of the end, in characters. Listed words are ASCII; of others nobody asks.
    pub(super) const fn until(&self) -> usize {
        self.at + (self.end - self.start)
    }
}

/// The last words, the newest first.
#[derive(Debug)]
pub(super) struct Recent {
    ring: [Token; KEPT],
    newest: usize,
}

impl Recent {
    pub(super) const fn new() -> Self {
        Self {
            ring: [Token::NONE; KEPT],
            newest: 0,
        }
    }

    pub(super) fn push(&mut self, token: Token) {
        self.newest = (self.newest + 1) % KEPT;
        self.ring[self.newest] = token;
    }

    /// Where a phrase that goes on after the newest word and `gap` can begin at the
    /// earliest, in characters; `now` is where the text is.
    pub(super) fn joined_since(&self, gap: Gap, now: usize) -> usize {
        let mut back = self.back();
        let (mut gap, mut since) = (gap, now);
        while gap != Gap::Else && back.depth < KEPT - 1 {
            gap = back.first().gap;
            since = back.first().at;
            back.depth += 1;
        }
        since
    }

    /// Reads back from the newest word.
    pub(super) const fn back(&self) -> Back<'_> {
        Back {
            recent: self,
            depth: 0,
        }
    }
}

/// A phrase read from its end: the words taken so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Back<'r> {
    recent: &'r Recent,
    depth: usize,
}

impl<'r> Back<'r> {
    /// The first word of the phrase as far as it is read.
    pub(super) fn first(&self) -> &'r Token {
        &self.recent.ring[(self.recent.newest + KEPT - self.depth) % KEPT]
    }

    /// Takes the word before, parted by white space only, if it is one of these.
    pub(super) fn take(&mut self, is: impl FnOnce(Word) -> bool) -> bool {
        self.take_over(|gap| gap == Gap::Space, is)
    }

    /// Takes the word before if it is one of these; it need not be.
    pub(super) fn skip(&mut self, is: impl FnOnce(Word) -> bool) {
        let _taken = self.take(is);
    }

    /// Takes the word before if the gap and the word are among these.
    pub(super) fn take_over(
        &mut self,
        gap: impl FnOnce(Gap) -> bool,
        is: impl FnOnce(Word) -> bool,
    ) -> bool {
        let before = Self {
            depth: self.depth + 1,
            ..*self
        };
        let taken = before.depth < KEPT && gap(self.first().gap) && is(before.first().word);
        if taken {
            *self = before;
        }
        taken
    }

    /// Takes the word before, whichever it is.
    pub(super) fn take_any(&mut self) -> bool {
        self.take(|_| true)
    }

    /// Takes a contraction before, such as `don` + `'t`, its tail apart.
    pub(super) fn take_contraction(
        &mut self,
        apostrophe: impl FnOnce(Gap) -> bool,
        is: impl FnOnce(Word) -> bool,
    ) -> bool {
        let mut back = *self;
        let taken = back.take(|word| word == Word::T) && back.take_over(apostrophe, is);
        if taken {
            *self = back;
        }
        taken
    }
}
