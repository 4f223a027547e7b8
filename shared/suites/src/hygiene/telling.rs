//! H3: "do not tell the user".
//!
//! What follows directly is looked at right there. Where that leaves it open, the
//! phrase waits for an excuse or a stop, whichever comes first, and is settled.

use super::{
    after,
    rules::{Matches, Rule},
    tokens::{Back, Token},
    words::Word,
    work,
};

/// The phrases that wait.
#[derive(Debug, Default)]
pub(super) struct Telling {
    waiting: Vec<Waiting>,
}

/// A phrase of H3 (b), in bytes.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    start: usize,
    end: usize,
    /// Excuses and stops before this are not after the phrase.
    from: usize,
}

impl Telling {
    /// At `user`.
    pub(super) fn user(&mut self, text: &str, mut back: Back<'_>, matches: &mut Matches) {
        let end = back.first().end;
        back.skip(|word| word == Word::The);
        let told = back.take(|word| {
            matches!(
                word,
                Word::Tell | Word::Inform | Word::Mention | Word::Reveal | Word::Show
            )
        }) && back.take(|word| word == Word::Not)
            && back.take(|word| word == Word::Do);
        if !told {
            return;
        }
        let start = back.first().start;
        match follows_user(text, end) {
            Some(Follows::Hit) => {
                matches.add(Rule::TellUser, start, end);
            }
            Some(Follows::Unless { from }) => {
                self.waiting.push(Waiting { start, end, from });
            }
            None => {}
        }
    }

    /// An excuse clears what it stands after.
    pub(super) fn excuse(&mut self, word: &Token) {
        work::spend(self.waiting.len());
        self.waiting.retain(|waiting| waiting.from > word.start);
    }

    /// A stop at this byte.
    pub(super) fn stop(&mut self, at: usize, matches: &mut Matches) {
        if self.waiting.is_empty() {
            return;
        }
        self.waiting.retain(|waiting| {
            work::spend(1);
            if waiting.from <= at {
                matches.add(Rule::TellUser, waiting.start, waiting.end);
            }
            waiting.from > at
        });
    }
}

/// What is found after `user`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follows {
    /// (a)
    Hit,
    /// (b): a hit unless an excuse stands from here on.
    Unless { from: usize },
}

/// Reads what follows `user`. White space is passed over only before a listed
/// word and at the end of the text.
fn follows_user(text: &str, end: usize) -> Option<Follows> {
    let rest = &text[end..];
    let next = after::space(text, end);
    if next == text.len() || rest.starts_with(['.', ',', ';', ':', '!', ')']) {
        return Some(Follows::Hit);
    }
    for possessive in ["'s", "\u{2019}s"] {
        if let Some(from) = after::word(text, end, possessive) {
            return Some(Follows::Unless { from });
        }
    }
    if next == end {
        return None;
    }
    let listed: &[&str] = match text.as_bytes()[next].to_ascii_lowercase() {
        b'a' => &["about", "anything", "any"],
        b't' => &["that", "this"],
        b'w' => &["what", "why", "where"],
        b'h' => &["how"],
        _ => &[],
    };
    let word = after::one_of(text, next, listed);
    if let Some((from, word)) = word {
        let goes_on = match word {
            "about" | "anything" => return Some(Follows::Hit),
            "that" | "what" | "how" => "you",
            "any" => "of",
            _ => "",
        };
        let second = after::space(text, from);
        if second > from && !goes_on.is_empty() && after::word(text, second, goes_on).is_some() {
            return Some(Follows::Hit);
        }
    }
    let line = rest
        .strip_prefix("\r\n")
        .or_else(|| rest.strip_prefix(after::is_newline));
    if let Some(line) = line {
        return Some(Follows::Unless {
            from: text.len() - line.len(),
        });
    }
    if let Some((from, _)) = word {
        return Some(Follows::Unless { from });
    }
    let spaced = rest[..next - end].chars().all(|c| matches!(c, ' ' | '\t'));
    let dashed = text[next..].strip_prefix(['-', '\u{2013}', '\u{2014}'])?;
    spaced.then(|| Follows::Unless {
        from: text.len() - dashed.len(),
    })
}
