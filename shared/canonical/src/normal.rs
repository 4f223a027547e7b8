//! Unicode NFC of strings and keys, the step that RFC 8785 does not have.
//!
//! Unicode never changes the NFC of a character once it is assigned (UAX 15,
//! section 3). Only text with characters newer than a program's tables may come
//! out differently in two programs.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

use crate::scan::ascii_length;
use crate::string::JsonString;

/// The string's UTF-8 in NFC, borrowed when it is in it already; `None` when it
/// holds an unpaired surrogate.
pub(crate) fn nfc(string: &JsonString) -> Option<Cow<'_, [u8]>> {
    let bytes = string.as_utf8()?;
    if is_inert(bytes) {
        return Some(Cow::Borrowed(bytes));
    }
    let text = string.as_str()?;
    if is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return Some(Cow::Borrowed(bytes));
    }
    Some(Cow::Owned(text.nfc().collect::<String>().into_bytes()))
}

/// Whether the text holds only characters that NFC leaves alone whatever stands
/// beside them: all below U+0300, U+0400 to U+047F (Cyrillic), U+2010 to U+205F
/// (dashes, quotation marks, bullets), U+3000 to U+3029 (punctuation of Chinese
/// and Japanese), U+4000 to U+9FFF (ideographs) and U+FF00 to U+FF3F (full-width
/// punctuation). Says no where it does not know.
fn is_inert(mut bytes: &[u8]) -> bool {
    loop {
        bytes = match &bytes[ascii_length(bytes)..] {
            [] => return true,
            [0..0xCC | 0xD0..=0xD1, _, rest @ ..]
            | [0xE2, 0x80, 0x90..=0xBF, rest @ ..]
            | [0xE2, 0x81, 0x80..=0x9F, rest @ ..]
            | [0xE3, 0x80, 0x80..=0xA9, rest @ ..]
            | [0xE4..=0xE9, _, _, rest @ ..]
            | [0xEF, 0xBC, _, rest @ ..] => rest,
            _ => return false,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization::char::canonical_combining_class;

    /// A text is in NFC when each of its characters is a starter and may stand
    /// in NFC text (UAX 15, section 9): so single characters are all to check.
    #[test]
    fn inert_characters_are_starters_that_nfc_allows() {
        for character in (0..=0x10_FFFF).filter_map(char::from_u32) {
            if is_inert(character.encode_utf8(&mut [0; 4]).as_bytes()) {
                let allowed = is_nfc_quick([character].into_iter()) == IsNormalized::Yes;
                assert!(allowed && canonical_combining_class(character) == 0);
            }
        }
    }

    #[test]
    fn short_cuts_change_nothing() {
        for text in [
            "",
            "é – “仓库”",
            "e\u{301}",
            "仓\u{301}",
            "Й，И\u{306}「。」",
            "—\u{338}",
            "a\u{300}\u{327}",
        ] {
            let slow: String = text.nfc().collect();
            assert_eq!(nfc(&text.into()).as_deref(), Some(slow.as_bytes()));
        }
        assert_eq!(nfc(&JsonString::from_utf16(&[0xDC00])), None);
    }
}
