//! Text of strangers on our pages: tool names, excerpts, URLs.
//!
//! It is escaped, bounded, and isolated in its direction; a character that
//! would not be seen, or that would move others, is shown as its number in a
//! box and never rendered (Unicode TR 36, sections 2 and 3).

use std::fmt;

use askama::filters::HtmlSafe;

/// Characters of a stranger's text that a page shows; the rest is cut, and
/// said to be cut.
pub(super) const SHOWN_LIMIT: usize = 400;

/// A stranger's text, isolated in `<bdi>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stranger(pub(super) String);

/// The same without the isolation, line breaks kept, for a `<pre>`.
#[derive(Clone, Debug)]
pub(super) struct Verbatim(pub(super) String);

impl HtmlSafe for Stranger {}
impl HtmlSafe for Verbatim {}

impl fmt::Display for Stranger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<bdi>")?;
        let mut previous = ' ';
        for (place, character) in self.0.chars().enumerate() {
            if place == SHOWN_LIMIT {
                f.write_str("…")?;
                break;
            }
            show(character, previous, f)?;
            previous = character;
        }
        f.write_str("</bdi>")
    }
}

impl fmt::Display for Verbatim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut previous = ' ';
        for character in self.0.chars() {
            if character == '\n' {
                f.write_str("\n")?;
            } else {
                show(character, previous, f)?;
            }
            previous = character;
        }
        Ok(())
    }
}

/// Writes text of ours with HTML's five characters escaped.
pub(super) fn escape(text: &str, f: &mut impl fmt::Write) -> fmt::Result {
    for character in text.chars() {
        escaped(character, f)?;
    }
    Ok(())
}

fn show(character: char, previous: char, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if is_hidden(character, previous) {
        write!(
            f,
            "<span class=\"esc\">U+{:04X}</span>",
            u32::from(character)
        )
    } else {
        escaped(character, f)
    }
}

fn escaped(character: char, f: &mut impl fmt::Write) -> fmt::Result {
    match character {
        '&' => f.write_str("&amp;"),
        '<' => f.write_str("&lt;"),
        '>' => f.write_str("&gt;"),
        '"' => f.write_str("&quot;"),
        '\'' => f.write_str("&#39;"),
        other => f.write_char(other),
    }
}

/// Controls, format characters, fillers, spaces that are not the space, private
/// use, tags, and variation selectors that follow nothing they could vary.
fn is_hidden(character: char, previous: char) -> bool {
    match character {
        // An emoji or a CJK character in its text or picture form.
        '\u{FE0E}' | '\u{FE0F}' => {
            previous.is_ascii() && !matches!(previous, '0'..='9' | '#' | '*')
        }
        _ => HIDDEN
            .binary_search_by(|(first, last)| {
                if *last < character {
                    std::cmp::Ordering::Less
                } else if *first > character {
                    std::cmp::Ordering::Greater
                } else {
                    std::cmp::Ordering::Equal
                }
            })
            .is_ok(),
    }
}

/// Ranges, sorted: general categories Cc, Cf, Co, Zl, Zp, Zs but U+0020 and
/// U+3000, and Default_Ignorable_Code_Point (Unicode 16, DerivedCoreProperties).
const HIDDEN: [(char, char); 36] = [
    ('\u{0}', '\u{1F}'),
    ('\u{7F}', '\u{A0}'),
    ('\u{AD}', '\u{AD}'),
    ('\u{34F}', '\u{34F}'),
    ('\u{600}', '\u{605}'),
    ('\u{61C}', '\u{61C}'),
    ('\u{6DD}', '\u{6DD}'),
    ('\u{70F}', '\u{70F}'),
    ('\u{890}', '\u{891}'),
    ('\u{8E2}', '\u{8E2}'),
    ('\u{115F}', '\u{1160}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{17B4}', '\u{17B5}'),
    ('\u{180B}', '\u{180F}'),
    ('\u{2000}', '\u{200F}'),
    ('\u{2028}', '\u{202F}'),
    ('\u{205F}', '\u{206F}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{E000}', '\u{F8FF}'),
    ('\u{FE00}', '\u{FE0D}'),
    ('\u{FEFF}', '\u{FEFF}'),
    ('\u{FFA0}', '\u{FFA0}'),
    ('\u{FFF0}', '\u{FFFB}'),
    ('\u{FFFE}', '\u{FFFF}'),
    ('\u{110BD}', '\u{110BD}'),
    ('\u{110CD}', '\u{110CD}'),
    ('\u{13430}', '\u{1343F}'),
    ('\u{1BCA0}', '\u{1BCA3}'),
    ('\u{1D173}', '\u{1D17A}'),
    ('\u{1FFFE}', '\u{1FFFF}'),
    ('\u{2FFFE}', '\u{2FFFF}'),
    ('\u{3FFFE}', '\u{3FFFF}'),
    ('\u{DFFFE}', '\u{DFFFF}'),
    ('\u{E0000}', '\u{E0FFF}'),
    ('\u{EFFFE}', '\u{10FFFF}'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_hidden_characters_are_shown_and_not_obeyed() {
        let shown = Stranger("<script>a\u{202E}b\u{200B}</script>\u{E0041}".to_owned()).to_string();
        assert_eq!(
            shown,
            "<bdi>&lt;script&gt;a<span class=\"esc\">U+202E</span>b<span class=\"esc\">U+200B</span>&lt;/script&gt;<span class=\"esc\">U+E0041</span></bdi>"
        );
    }

    #[test]
    fn ordinary_text_of_any_script_is_left_alone() {
        for text in [
            "get_tide_table",
            "潮汐 表",
            "जलवायु",
            "Ünïcødé",
            "❤\u{FE0F}",
            "1\u{FE0F}\u{20E3}",
        ] {
            assert!(
                !Stranger(text.to_owned()).to_string().contains("esc"),
                "{text}"
            );
        }
        assert!(
            Stranger("a\u{FE0F}".to_owned())
                .to_string()
                .contains("U+FE0F")
        );
    }

    #[test]
    fn long_text_is_cut_and_says_so() {
        let shown = Stranger("x".repeat(SHOWN_LIMIT + 1)).to_string();
        assert!(shown.ends_with("x…</bdi>"));
        assert_eq!(shown.matches('x').count(), SHOWN_LIMIT);
    }

    #[test]
    fn ranges_are_sorted_and_apart() {
        for pair in HIDDEN.windows(2) {
            assert!(pair[0].1 < pair[1].0);
        }
    }
}
