//! The few characters of a text that are shown with a hit.
//!
//! An excerpt never holds a character that could hide in it or turn it round.

use super::EXCERPT_CHARACTERS;

/// Of the text before and after a match at most this many characters are shown.
const CONTEXT_CHARACTERS: usize = 24;

const CUT: char = '…';

/// The match `text[start..end]` and a little around it.
pub(super) fn excerpt(text: &str, start: usize, end: usize) -> String {
    let mut matched = Line::new(EXCERPT_CHARACTERS);
    matched.fill(text[start..end].chars());
    let room = EXCERPT_CHARACTERS - matched.length;

    let mut before = Line::new(CONTEXT_CHARACTERS.min(room / 2));
    before.fill(text[..start].chars().rev());
    let room = room - before.length;
    let mut after = Line::new(CONTEXT_CHARACTERS.min(room));
    after.fill(text[end..].chars());

    before.pieces.reverse();
    let pieces = [before.pieces, matched.pieces, after.pieces];
    pieces.into_iter().flatten().collect()
}

/// Characters as they are shown, and how many that takes.
struct Line {
    pieces: Vec<String>,
    length: usize,
    limit: usize,
}

impl Line {
    const fn new(limit: usize) -> Self {
        Self {
            pieces: Vec::new(),
            length: 0,
            limit,
        }
    }

    /// Adds characters while there is room, and a mark when there is too little.
    fn fill(&mut self, characters: impl Iterator<Item = char>) {
        for c in characters {
            let piece = shown(c);
            // All that is shown is ASCII but for a single character.
            let length = if piece.is_ascii() { piece.len() } else { 1 };
            if self.length + length > self.limit {
                self.cut();
                return;
            }
            self.length += length;
            self.pieces.push(piece);
        }
    }

    /// Makes room for the mark, which takes one character.
    fn cut(&mut self) {
        if self.limit == 0 {
            return;
        }
        if self.length == self.limit {
            let last = self.pieces.pop().unwrap_or_default();
            self.length -= if last.is_ascii() { last.len() } else { 1 };
        }
        self.pieces.push(CUT.to_string());
        self.length += 1;
    }
}

fn shown(c: char) -> String {
    if is_unseen(c) {
        c.escape_unicode().to_string()
    } else {
        c.to_string()
    }
}

/// Control, format, private-use and other characters without a form of their own.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{600}'..='\u{605}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{e000}'..='\u{f8ff}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{10ffff}'
        )
}
