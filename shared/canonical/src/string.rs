//! A string as JSON can hold it: UTF-16 code units, unpaired surrogates included.
//!
//! Almost every string is well formed and is then kept as UTF-8. The rare one
//! that holds an unpaired surrogate is kept as its code units, so that it can
//! be read and compared, and refused only where text is asked of it.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// A JSON string. Ordered by UTF-16 code units, as ECMAScript orders strings.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct JsonString(Repr);

/// Bytes of text kept without an allocation of their own: most keys, most
/// enumeration values.
const INLINE: usize = 22;

/// Each string has exactly one form, so that equality can be derived.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// Text of at most [`INLINE`] bytes; behind it zeros.
    Short { length: u8, bytes: [u8; INLINE] },
    /// Longer text.
    Text(Box<str>),
    /// What is not well formed.
    Units(Box<[u16]>),
}

impl JsonString {
    /// From UTF-16 code units, whether well formed or not.
    pub fn from_utf16(units: &[u16]) -> Self {
        match String::from_utf16(units) {
            Ok(text) => Self::from(text),
            Err(_) => Self(Repr::Units(units.into())),
        }
    }

    /// The text; `None` when the string holds an unpaired surrogate.
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Repr::Text(text) => Some(text),
            // Copied from a whole `str`, so never `None` for short text.
            _ => std::str::from_utf8(self.as_utf8()?).ok(),
        }
    }

    /// The text's bytes; `None` when the string holds an unpaired surrogate.
    pub(crate) fn as_utf8(&self) -> Option<&[u8]> {
        match &self.0 {
            Repr::Short { length, bytes } => Some(&bytes[..usize::from(*length)]),
            Repr::Text(text) => Some(text.as_bytes()),
            Repr::Units(_) => None,
        }
    }

    /// The text for showing, each unpaired surrogate replaced by U+FFFD.
    pub fn to_string_lossy(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Units(units) => Cow::Owned(String::from_utf16_lossy(units)),
            _ => Cow::Borrowed(self.as_str().unwrap_or_default()),
        }
    }

    /// The UTF-16 code units.
    pub fn encode_utf16(&self) -> Vec<u16> {
        match &self.0 {
            Repr::Units(units) => units.to_vec(),
            _ => self.to_string_lossy().encode_utf16().collect(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.as_utf8().is_some_and(<[u8]>::is_empty)
    }

    fn short(text: &str) -> Option<Self> {
        let mut bytes = [0; INLINE];
        bytes
            .get_mut(..text.len())?
            .copy_from_slice(text.as_bytes());
        let length = u8::try_from(text.len()).ok()?;
        Some(Self(Repr::Short { length, bytes }))
    }
}

impl From<&str> for JsonString {
    fn from(text: &str) -> Self {
        Self::short(text).unwrap_or_else(|| Self(Repr::Text(text.into())))
    }
}

impl From<String> for JsonString {
    fn from(text: String) -> Self {
        Self::short(&text).unwrap_or_else(|| Self(Repr::Text(text.into_boxed_str())))
    }
}

impl PartialEq<str> for JsonString {
    fn eq(&self, other: &str) -> bool {
        self.as_utf8() == Some(other.as_bytes())
    }
}

impl PartialEq<&str> for JsonString {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl Ord for JsonString {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.as_utf8(), other.as_utf8()) {
            (Some(a), Some(b)) => utf16_order(a, b),
            _ => self.encode_utf16().cmp(&other.encode_utf16()),
        }
    }
}

impl PartialOrd for JsonString {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for JsonString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_string_lossy(), f)
    }
}

/// The order of two texts, given as UTF-8, by UTF-16 code units.
///
/// UTF-8 bytes order by code point, which differs in one place: U+E000 to
/// U+FFFF stand above the surrogates that UTF-16 writes for U+10000 and up.
/// Their lead bytes are 0xEE and 0xEF, and no continuation byte is that large,
/// so lifting these two above 0xF4 makes byte order code-unit order.
pub(crate) fn utf16_order(a: &[u8], b: &[u8]) -> Ordering {
    match a.iter().zip(b).find(|(x, y)| x != y) {
        Some((&x, &y)) => lifted(x).cmp(&lifted(y)),
        None => a.len().cmp(&b.len()),
    }
}

/// The first eight bytes as a number that orders as [`utf16_order`] does, as
/// far as eight bytes decide.
pub(crate) fn utf16_prefix(text: &[u8]) -> u64 {
    let mut prefix = [0; 8];
    for (place, &byte) in prefix.iter_mut().zip(text) {
        *place = lifted(byte);
    }
    u64::from_be_bytes(prefix)
}

fn lifted(byte: u8) -> u8 {
    match byte {
        0xEE | 0xEF => byte + 0x10,
        _ => byte,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn unpaired_surrogates_are_kept_and_compared() {
        let pair = JsonString::from_utf16(&[0xD83D, 0xDE00]);
        assert_eq!(pair.as_str(), Some("\u{1F600}"));
        let lone = JsonString::from_utf16(&[0x61, 0xD83D]);
        assert_eq!(lone.as_str(), None);
        assert_eq!(lone.to_string_lossy(), "a\u{FFFD}");
        assert!(JsonString::from_utf16(&[0xD83D]) < pair);
        assert!(JsonString::from_utf16(&[0xDE00]) > pair);
        let above = JsonString::from("\u{FB1E}");
        assert!(above > pair);
    }

    proptest! {
        #[test]
        fn order_is_that_of_code_units(a: String, b: String) {
            let units = a.encode_utf16().cmp(b.encode_utf16());
            prop_assert_eq!(utf16_order(a.as_bytes(), b.as_bytes()), units);
            let prefixes = utf16_prefix(a.as_bytes()).cmp(&utf16_prefix(b.as_bytes()));
            prop_assert!(prefixes == units || prefixes.is_eq());
            prop_assert_eq!(JsonString::from(a).cmp(&JsonString::from(b)), units);
        }

        #[test]
        fn text_comes_back(text in "\\PC{0,40}") {
            let string = JsonString::from(&text[..]);
            prop_assert_eq!(string.as_str(), Some(&text[..]));
            prop_assert_eq!(string.is_empty(), text.is_empty());
            prop_assert_eq!(string, JsonString::from(text));
        }

        #[test]
        fn code_units_come_back(units: Vec<u16>) {
            prop_assert_eq!(JsonString::from_utf16(&units).encode_utf16(), units);
        }
    }
}
