//! What a terminal adds: colour for states, and nothing that a pipe would miss.

use std::io::IsTerminal as _;

use touchstone_proto::vocabulary::State;

/// Whether standard output takes colour: a terminal, and `NO_COLOR` not set
/// (no-color.org: any non-empty value switches colour off).
pub(crate) fn colour() -> bool {
    std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|value| value != "dumb")
}

/// Whether messages and progress go to a person.
pub(crate) fn progress() -> bool {
    std::io::stderr().is_terminal()
}

/// A state as its shape and its word, the word padded to `width`, coloured where colour is wanted.
pub(crate) fn state(state: State, width: usize, colour: bool) -> String {
    let (glyph, code) = match state {
        State::Verified => ("●", "36"),
        State::Failed => ("■", "31"),
        State::ObservedRisk => ("◆", "35"),
        State::Unverified => ("○", "90"),
    };
    let text = format!("{glyph} {:width$}", state.as_str());
    paint(&text, code, colour)
}

/// Text of lesser weight.
pub(crate) fn faint(text: &str, colour: bool) -> String {
    paint(text, "2", colour)
}

/// Text of greater weight.
pub(crate) fn strong(text: &str, colour: bool) -> String {
    paint(text, "1", colour)
}

fn paint(text: &str, code: &str, colour: bool) -> String {
    if colour {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

/// A stranger's text for a terminal: control characters, and characters that
/// hide or reorder text, are written out as escapes.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let hidden = matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
        if c.is_control() || hidden {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_cannot_write_escapes_to_the_terminal() {
        assert_eq!(plain("a\u{1b}[31mb\u{202e}c"), "a\\u{1b}[31mb\\u{202e}c");
    }

    #[test]
    fn without_colour_a_state_is_shape_and_word() {
        assert_eq!(state(State::Failed, 13, false), "■ FAILED       ");
    }
}
