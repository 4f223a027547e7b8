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

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Text(Box<str>),
    /// Only for what is not well formed, so that equal strings have one form.
    Units(Box<[u16]>),
}

impl JsonString {
    /// From UTF-16 code units, whether well formed or not.
    pub fn from_utf16(units: &[u16]) -> Self {
        match String::from_utf16(units) {
            Ok(text) => Self(Repr::Text(text.into_boxed_str())),
            Err(_) => Self(Repr::Units(units.into())),
        }
    }

    /// The text; `None` when the string holds an unpaired surrogate.
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Repr::Text(text) => Some(text),
            Repr::Units(_) => None,
        }
    }

    /// The text for showing, each unpaired surrogate replaced by U+FFFD.
    pub fn to_string_lossy(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Text(text) => Cow::Borrowed(text),
            Repr::Units(units) => Cow::Owned(String::from_utf16_lossy(units)),
        }
    }

    /// The UTF-16 code units.
    pub fn encode_utf16(&self) -> Vec<u16> {
        match &self.0 {
            Repr::Text(text) => text.encode_utf16().collect(),
            Repr::Units(units) => units.to_vec(),
        }
    }

    pub fn is_empty(&self) -> bool {
        match &self.0 {
            Repr::Text(text) => text.is_empty(),
            Repr::Units(_) => false,
        }
    }
}

impl From<&str> for JsonString {
    fn from(text: &str) -> Self {
        Self(Repr::Text(text.into()))
    }
}

impl From<String> for JsonString {
    fn from(text: String) -> Self {
        Self(Repr::Text(text.into_boxed_str()))
    }
}

impl PartialEq<str> for JsonString {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<&str> for JsonString {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl Ord for JsonString {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Text(a), Repr::Text(b)) => utf16_order(a, b),
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

/// The order of two texts by UTF-16 code units.
///
/// UTF-8 bytes order by code point, which differs in one place: U+E000 to
/// U+FFFF stand above the surrogates that UTF-16 writes for U+10000 and up.
/// Their lead bytes are 0xEE and 0xEF, and no continuation byte is that large,
/// so lifting these two above 0xF4 makes byte order code-unit order.
pub(crate) fn utf16_order(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    match a.iter().zip(b).find(|(x, y)| x != y) {
        Some((&x, &y)) => lifted(x).cmp(&lifted(y)),
        None => a.len().cmp(&b.len()),
    }
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
            prop_assert_eq!(utf16_order(&a, &b), units);
            prop_assert_eq!(JsonString::from(a).cmp(&JsonString::from(b)), units);
        }

        #[test]
        fn code_units_come_back(units: Vec<u16>) {
            prop_assert_eq!(JsonString::from_utf16(&units).encode_utf16(), units);
        }
    }
}
