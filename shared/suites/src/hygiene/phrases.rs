//! H4, H5, H7 and the word rules of H8, and the way to H3: text that gives the
//! assistant orders.
//!
//! A rule is read back from its last word; what must follow is either looked at
//! right there or waited for, each waiting phrase settled once and then forgotten.

use std::collections::VecDeque;

use super::{
    after,
    clauses::CLAUSE_CHARACTERS,
    rules::{Matches, Rule},
    telling::Telling,
    tokens::{Back, Gap, Recent, Token},
    words::Word,
    work,
};

/// H8: at most this many characters between `read` and the credential file.
const CREDENTIAL_GAP_CHARACTERS: usize = 40;

/// What was seen so far that later words decide.
#[derive(Debug, Default)]
pub(super) struct Orders {
    telling: Telling,
    /// H5: hits if a missing check is named before a reason is.
    hiding: VecDeque<Hiding>,
    /// H4: where `system` stands at the head of a line.
    headed: Option<usize>,
    /// H8: the last of read, send and the like.
    reading: Option<Token>,
}

/// A phrase of H5.
#[derive(Clone, Copy, Debug)]
struct Hiding {
    /// In bytes.
    start: usize,
    /// In characters.
    at: usize,
    clause: u32,
}

/// The frame a word stands in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Only white space and list marks stand before it in its line.
    pub(super) line_head: bool,
    /// A tag was opened and not closed.
    pub(super) in_tag: bool,
}

impl Orders {
    /// Takes the newest word, which is a listed one.
    pub(super) fn word(
        &mut self,
        text: &str,
        recent: &Recent,
        frame: Frame,
        matches: &mut Matches,
    ) {
        let back = recent.back();
        let last = back.first();
        let mut hit = |rule, first: &Token| {
            matches.add(rule, first.start, last.end);
        };
        match last.word {
            Word::User | Word::Human => self.telling.user(text, back, matches),
            Word::System if frame.line_head => self.headed = Some(last.start),
            Word::Prompt => {
                if let Some(first) = self.system_prompt(text, back) {
                    hit(Rule::SystemPrompt, first);
                }
                if let Some(first) = without_user(back) {
                    hit(Rule::WithoutUser, first);
                }
            }
            Word::Prompts | Word::Message | Word::Request | Word::Turn => {
                if let Some(first) = without_user(back) {
                    hit(Rule::WithoutUser, first);
                }
            }
            Word::Earlier => {
                let mut all = back;
                all.skip(|word| matches!(word, Word::All | Word::Any));
                if all.take(|word| word == Word::Ignore) {
                    hit(Rule::IgnorePrevious, all.first());
                }
            }
            Word::Always | Word::Never => {
                let mut must = back;
                if must.take(|word| word == Word::Must) && must.take(|word| word == Word::You) {
                    hit(Rule::MustAlways, must.first());
                }
            }
            Word::Tool => {
                let mut other = back;
                if other.take(|word| word == Word::Other)
                    && other.take(|word| word == Word::Any)
                    && other.take(|word| word == Word::Using)
                    && other.take(|word| word == Word::Before)
                {
                    hit(Rule::BeforeOtherTool, other.first());
                }
            }
            Word::OnEvent if frame.in_tag => {
                if let Some(end) = after::literal(text, after::space(text, last.end), "=") {
                    matches.add(Rule::ScriptMarkup, last.start, end);
                }
            }
            Word::Javascript => {
                if let Some(end) = script_url(text, last) {
                    matches.add(Rule::ScriptMarkup, last.start, end);
                }
            }
            Word::If => {
                self.telling.excuse(last);
                self.hiding.clear();
            }
            Word::Until | Word::Before => self.telling.excuse(last),
            Word::Because | Word::As => self.hiding.clear(),
            Word::Lacking => self.lacking(last, last, matches),
            Word::Verified => {
                let mut not = back;
                if not.take(|word| word == Word::Not) {
                    self.lacking(not.first(), last, matches);
                }
            }
            Word::Say | Word::Mention | Word::Tell | Word::Disclose | Word::Reveal => {
                if let Some(first) = silenced(back) {
                    self.hide(first);
                }
            }
            Word::Read | Word::Send | Word::Dump | Word::Upload => self.reading = Some(*last),
            _ => self.credential_file(text, last, matches),
        }
    }

    /// A stop of H3 at this byte.
    pub(super) fn stop(&mut self, at: usize, matches: &mut Matches) {
        self.telling.stop(at, matches);
    }

    /// The end of the text: the last stop.
    pub(super) fn finish(mut self, matches: &mut Matches) {
        self.stop(usize::MAX, matches);
    }

    /// H4, at `prompt`.
    fn system_prompt<'r>(&self, text: &str, mut back: Back<'r>) -> Option<&'r Token> {
        let end = back.first().end;
        if !back.take(|word| word == Word::System) {
            return None;
        }
        let system = back.first();
        if let Some(first) = asked_for(back) {
            return Some(first);
        }
        let next = after::space(text, end);
        let headed = self.headed == Some(system.start)
            && (text[next..].starts_with(':')
                || next > end && after::word(text, next, "override").is_some());
        headed.then_some(system)
    }

    /// H8: a credential file by name.
    fn credential_file(&mut self, text: &str, last: &Token, matches: &mut Matches) {
        let before = &text.as_bytes()[..last.start];
        let ends_with = |expected: &str| {
            before
                .len()
                .checked_sub(expected.len())
                .is_some_and(|at| before[at..].eq_ignore_ascii_case(expected.as_bytes()))
        };
        // How many characters of the name stand before the word.
        let prefix = match last.word {
            // Not `process.env`: there it is a member, not a file.
            Word::Env if ends_with(".") => {
                let dot = last.start - 1;
                if text[..dot].ends_with(after::is_word) {
                    return;
                }
                1
            }
            Word::Npmrc if ends_with(".") => 1,
            Word::Ssh if ends_with("~/.") => 3,
            Word::Credentials if ends_with(".aws/") => 5,
            Word::CredentialFile => 0,
            _ => return,
        };
        let near = self
            .reading
            .filter(|verb| verb.until() + CREDENTIAL_GAP_CHARACTERS >= last.at - prefix);
        if let Some(verb) = near {
            matches.add(Rule::CredentialFile, verb.start, last.end);
            // One hit a verb, however many files it is given.
            self.reading = None;
        }
    }

    /// H5: waits, and forgets those whose clause does not reach here.
    fn hide(&mut self, never: &Token) {
        let lost = |hiding: &Hiding| hiding.at + CLAUSE_CHARACTERS < never.at;
        while self.hiding.front().is_some_and(lost) {
            work::spend(1);
            self.hiding.pop_front();
        }
        self.hiding.push_back(Hiding {
            start: never.start,
            at: never.at,
            clause: never.part.clause,
        });
    }

    /// H5: the first word that names a failure settles all that wait.
    fn lacking(&mut self, first: &Token, last: &Token, matches: &mut Matches) {
        work::spend(self.hiding.len());
        for never in self.hiding.drain(..) {
            if never.clause == first.part.clause
                && never.clause == last.part.clause
                && last.until() <= never.at + CLAUSE_CHARACTERS
            {
                matches.add(Rule::HideFailure, never.start, last.end);
            }
        }
    }
}

/// H4: the verb or `your` before `system prompt`, read back from `system`.
fn asked_for(system: Back<'_>) -> Option<&Token> {
    // Each optional part is taken if it is there: no word is both a part and a verb.
    let mut back = system;
    back.skip(|word| matches!(word, Word::The | Word::Your));
    let mut contents = back;
    if contents.take(|word| word == Word::Of) && contents.take(|word| word == Word::Contents) {
        back = contents;
    } else {
        back.skip(|word| matches!(word, Word::Earlier | Word::Original));
    }
    back.skip(|word| matches!(word, Word::The | Word::Any | Word::All | Word::Your));
    back.skip(|word| word == Word::Out);
    let mut act = back;
    if act.take(|word| word == Word::As) && act.take(|word| word == Word::Act) {
        return Some(act.first());
    }
    let verb = back.take(|word| {
        matches!(
            word,
            Word::Print | Word::Reveal | Word::Disclose | Word::Ignore | Word::Show | Word::Dump
        )
    });
    if verb {
        return Some(back.first());
    }
    let mut your = system;
    your.skip(|word| word == Word::New);
    your.take(|word| word == Word::Your).then(|| your.first())
}

/// H5: `never`, `do not`, `don't` before the verb.
fn silenced(mut verb: Back<'_>) -> Option<&Token> {
    if verb.take(|word| word == Word::Never) {
        return Some(verb.first());
    }
    if verb.take(|word| word == Word::Not) {
        return verb.take(|word| word == Word::Do).then(|| verb.first());
    }
    let apostrophe = |gap| matches!(gap, Gap::Apostrophe | Gap::Quote);
    verb.take_contraction(apostrophe, |word| word == Word::Don)
        .then(|| verb.first())
}

/// H7: `without` another user message, read back from `message`.
fn without_user(mut back: Back<'_>) -> Option<&Token> {
    if !back.take(|word| matches!(word, Word::User | Word::Human)) {
        return None;
    }
    let one = back.take(|word| matches!(word, Word::Another | Word::Additional | Word::Further));
    let determined = match back.first().word {
        Word::Another if one => true,
        Word::Additional if one => {
            back.skip(|word| word == Word::An);
            true
        }
        Word::Further if one => {
            back.skip(|word| matches!(word, Word::A | Word::Any));
            true
        }
        _ => {
            back.take(|word| matches!(word, Word::New | Word::Second))
                && back.take(|word| word == Word::A)
        }
    };
    let mut waiting = back;
    if waiting.take(|word| word == Word::For) && waiting.take(|word| word == Word::Waiting) {
        back = waiting;
    }
    (determined && back.take(|word| word == Word::Without)).then(|| back.first())
}

/// H8: the end of `javascript:` where it bears a script. In "JavaScript: a
/// language" it bears none.
fn script_url(text: &str, word: &Token) -> Option<usize> {
    let end = after::literal(text, word.end, ":")?;
    let quoted = text[..word.start].ends_with(['"', '\'', '(', '=', '<', '`']);
    let goes_on = text[end..].starts_with(|c: char| !c.is_whitespace());
    (quoted || goes_on).then_some(end)
}
