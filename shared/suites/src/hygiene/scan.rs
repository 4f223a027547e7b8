//! The pass over one text: characters become words and marks, once each and in
//! order, and go to the rules as they come.
//!
//! Words are runs of letters, digits and `_`. White space is Unicode's. Places
//! are kept in bytes and in characters at once.

use super::{
    classes::{Characters, Class},
    markup,
    phrases::{Frame, Orders},
    rules::{Found, Matches, Rule},
    scripts,
    spending::Spending,
    tokens::{Gap, Part, Recent, Token},
    words::{self, Roles, Word},
    work,
};

/// Reads a text.
pub(super) fn read(text: &str) -> Found {
    read_settling(text, SETTLE_BYTES)
}

/// Reads a text, settling every so many bytes.
pub(super) fn read_settling(text: &str, step: usize) -> Found {
    let mut pass = Pass::over(text, step);
    while let Some(&byte) = pass.bytes.get(pass.at) {
        work::spend(1);
        match KINDS[usize::from(byte)] {
            Kind::Word => pass.word(),
            Kind::Wide => pass.wide(),
            kind => pass.mark(kind),
        }
        if pass.at >= pass.settle_at {
            pass.settle();
        }
    }
    pass.orders.finish(&mut pass.matches);
    pass.spending.finish(&mut pass.matches);
    pass.matches.finish()
}

/// H6 is settled each time this much text has passed, so that what it holds does
/// not grow with the text.
const SETTLE_BYTES: usize = 4_096;

/// What a byte begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Part of a word.
    Word,
    /// White space that ends no line.
    Space,
    Newline,
    /// `. ! ?`
    FullStop,
    /// `, ;`
    Comma,
    Apostrophe,
    Hyphen,
    /// `# * >`: may stand before the first word of a line, as `-` and `[` may.
    Bullet,
    /// `<`
    Open,
    /// `[`
    Bracket,
    /// `$`
    Dollar,
    /// A character of several bytes.
    Wide,
    Else,
}

static KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Else; 256];
    let mut byte = u8::MAX;
    loop {
        kinds[byte as usize] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => Kind::Word,
            b' ' | b'\t' | b'\x0b' | b'\x0c' => Kind::Space,
            b'\n' | b'\r' => Kind::Newline,
            b'.' | b'!' | b'?' => Kind::FullStop,
            b',' | b';' => Kind::Comma,
            b'\'' => Kind::Apostrophe,
            b'-' => Kind::Hyphen,
            b'#' | b'*' | b'>' => Kind::Bullet,
            b'<' => Kind::Open,
            b'[' => Kind::Bracket,
            b'$' => Kind::Dollar,
            0x80.. => Kind::Wide,
            _ => Kind::Else,
        };
        if byte == 0 {
            break kinds;
        }
        byte -= 1;
    }
};

struct Pass<'t> {
    text: &'t str,
    bytes: &'t [u8],
    /// The next byte to read.
    at: usize,
    characters: Characters,
    /// Bytes passed that begin no character; `at` less these is in characters.
    wide: usize,
    gap: Gap,
    part: Part,
    /// The passage so far holds more than white space.
    passage_begun: bool,
    line_head: bool,
    in_tag: bool,
    recent: Recent,
    orders: Orders,
    spending: Spending,
    matches: Matches,
    /// In bytes.
    settle_step: usize,
    settle_at: usize,
}

impl<'t> Pass<'t> {
    fn over(text: &'t str, step: usize) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            characters: Characters::for_text(text),
            wide: 0,
            gap: Gap::Nothing,
            part: Part::default(),
            passage_begun: false,
            line_head: true,
            in_tag: false,
            recent: Recent::new(),
            orders: Orders::default(),
            spending: Spending::new(),
            matches: Matches::new(),
            settle_step: step,
            settle_at: step,
        }
    }

    /// Reads the word that begins here.
    fn word(&mut self) {
        self.word_from(self.at, self.at - self.wide, true);
    }

    /// Reads the word from the byte `start`, the character `at`, on; the pass may be
    /// past its first characters, and in `ascii` says whether all are ASCII so far.
    fn word_from(&mut self, start: usize, at: usize, mut ascii: bool) {
        let mut end = self.at;
        loop {
            while self.kind_at(end) == Some(Kind::Word) {
                end += 1;
            }
            if self.kind_at(end) != Some(Kind::Wide) {
                break;
            }
            match self.text[end..].chars().next() {
                Some(c) if self.characters.of(c).class == Class::Word => {
                    ascii = false;
                    end += c.len_utf8();
                    self.wide += c.len_utf8() - 1;
                }
                _ => break,
            }
        }
        work::spend(end - start);
        let word = if ascii {
            words::look_up(self.bytes, start, end)
        } else {
            Word::Unlisted
        };
        self.recent.push(Token {
            word,
            gap: self.gap,
            start,
            end,
            at,
            part: self.part,
        });
        let roles = word.roles();
        if roles.any(Roles::ORDER) {
            let frame = Frame {
                line_head: self.line_head,
                in_tag: self.in_tag,
            };
            self.orders
                .word(self.text, &self.recent, frame, &mut self.matches);
        }
        if roles.any(Spending::ROLES) {
            self.spending.word(self.text, &self.recent);
        }
        self.line_head = false;
        self.passage_begun = true;
        // Nearly every word has a space after it.
        let spaced = self.bytes.get(end) == Some(&b' ');
        self.gap = if spaced { Gap::Space } else { Gap::Nothing };
        self.at = end + usize::from(spaced);
    }

    /// Lets H6 settle what is behind. Where much is left, as within a phrase that
    /// goes on and on, the next time is further off, so that the cost stays linear.
    fn settle(&mut self) {
        let now = self.at - self.wide;
        let since = self.recent.joined_since(self.gap, now);
        let left = self.spending.settle(now, since, &mut self.matches);
        work::spend(left);
        self.settle_at = self.at + self.settle_step.max(left * 4);
    }

    fn kind_at(&self, at: usize) -> Option<Kind> {
        self.bytes.get(at).map(|&byte| KINDS[usize::from(byte)])
    }

    /// Reads one ASCII character that is not part of a word.
    fn mark(&mut self, kind: Kind) {
        let at = self.at;
        self.at += 1;
        match kind {
            Kind::Space => self.space(matches!(self.bytes[at], b' ' | b'\t')),
            Kind::Newline => self.newline(at),
            Kind::FullStop => self.full_stop(at),
            Kind::Comma => {
                self.clause_ends(at);
                self.other(Gap::Else, false);
            }
            Kind::Apostrophe => self.other(Gap::Apostrophe, false),
            Kind::Hyphen => self.other(Gap::Hyphen, true),
            Kind::Bullet => {
                if self.bytes[at] == b'>' {
                    self.in_tag = false;
                }
                self.other(Gap::Else, true);
            }
            Kind::Open | Kind::Bracket => {
                if let Some((rule, end)) = markup::begins(self.text, at) {
                    self.matches.add(rule, at, end);
                }
                if kind == Kind::Open {
                    self.in_tag = markup::opens_tag(self.text, at);
                }
                self.other(Gap::Else, kind == Kind::Bracket);
            }
            Kind::Dollar => {
                if self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
                    self.spending.amount(at - self.wide, self.part);
                }
                self.other(Gap::Else, false);
            }
            Kind::Else | Kind::Word | Kind::Wide => self.other(Gap::Else, false),
        }
    }

    /// Reads one character of several bytes.
    fn wide(&mut self) {
        let start = self.at;
        let Some(c) = self.text[start..].chars().next() else {
            // Cannot happen: the pass stands before a character.
            self.at = self.bytes.len();
            return;
        };
        let class = self.characters.of(c).class;
        let at = start - self.wide;
        self.at = start + c.len_utf8();
        self.wide += c.len_utf8() - 1;
        match class {
            Class::Word => return self.word_from(start, at, false),
            Class::Space => return self.space(false),
            Class::Newline => return self.newline(start),
            Class::Quote => return self.other(Gap::Quote, false),
            Class::FullStop => self.sentence_ends(start),
            Class::Comma => self.clause_ends(start),
            Class::Han => self.spending.han(&self.text[start..], start, at, self.part),
            Class::Hidden(rule) => self.matches.add_character(rule, start, self.at),
            Class::Joiner => {
                let (before, after) = (&self.text[..start], &self.text[self.at..]);
                if !scripts::is_spelling(self.characters, before, c, after) {
                    self.matches.add_character(Rule::ZeroWidth, start, self.at);
                }
            }
            Class::Else => {}
        }
        self.gap = self.gap.mark(Gap::Else);
        self.line_head = false;
        self.passage_begun |= class != Class::FullStop;
    }
}

impl Pass<'_> {
    /// After a character that is neither white space nor part of a word.
    fn other(&mut self, gap: Gap, line_head: bool) {
        self.gap = self.gap.mark(gap);
        self.line_head &= line_head;
        self.passage_begun = true;
    }

    fn space(&mut self, line_head: bool) {
        self.gap = self.gap.space();
        self.line_head &= line_head;
    }

    /// A newline ends everything.
    fn newline(&mut self, at: usize) {
        self.gap = self.gap.space();
        self.sentence_ends(at);
        self.line_head = true;
    }

    /// `. ! ?` end a clause and a passage only before white space and at the end of
    /// the text.
    fn full_stop(&mut self, at: usize) {
        if self.text[self.at..]
            .chars()
            .next()
            .is_none_or(char::is_whitespace)
        {
            self.sentence_ends(at);
        } else {
            self.part.sentence = self.part.sentence.wrapping_add(1);
            self.orders.stop(at, &mut self.matches);
        }
        self.gap = self.gap.mark(Gap::Else);
        self.line_head = false;
    }

    fn sentence_ends(&mut self, at: usize) {
        self.clause_ends(at);
        self.part.sentence = self.part.sentence.wrapping_add(1);
        if self.passage_begun {
            self.part.passage = self.part.passage.wrapping_add(1);
            self.passage_begun = false;
        }
    }

    fn clause_ends(&mut self, at: usize) {
        self.part.clause = self.part.clause.wrapping_add(1);
        self.orders.stop(at, &mut self.matches);
    }
}
