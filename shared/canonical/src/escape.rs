//! A string with escapes in it, put together piece by piece.
//!
//! An escape names one UTF-16 code unit, so two of them may make one character,
//! and one alone may be half of none.

use crate::string::JsonString;

/// Four hex digits of either case.
pub(crate) fn hex_unit(digits: &[u8]) -> Option<u16> {
    digits.iter().try_fold(0, |unit: u16, &digit| {
        let digit = char::from(digit).to_digit(16)?;
        u16::try_from(digit).ok().map(|digit| unit << 4 | digit)
    })
}

/// A string under way that held an escape.
pub(crate) struct Unescaped {
    text: String,
    /// A high surrogate that still waits for its low one.
    high: Option<u16>,
    /// All code units so far, once an unpaired surrogate was met.
    units: Option<Vec<u16>>,
}

impl Unescaped {
    pub(crate) fn new(start: &str) -> Self {
        Self {
            text: start.to_owned(),
            high: None,
            units: None,
        }
    }

    pub(crate) fn push_str(&mut self, part: &str) {
        if part.is_empty() {
            return;
        }
        self.settle();
        match &mut self.units {
            Some(units) => units.extend(part.encode_utf16()),
            None => self.text.push_str(part),
        }
    }

    pub(crate) fn push_char(&mut self, character: char) {
        self.push_str(character.encode_utf8(&mut [0; 4]));
    }

    pub(crate) fn push_unit(&mut self, unit: u16) {
        match (self.high.take(), unit) {
            (Some(high), 0xDC00..=0xDFFF) => {
                let pair = char::decode_utf16([high, unit]).flatten().next();
                // A high and a low surrogate always make a character.
                self.push_char(pair.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (high, _) => {
                self.high = high;
                self.settle();
                match unit {
                    0xD800..=0xDBFF => self.high = Some(unit),
                    0xDC00..=0xDFFF => self.push_unpaired(unit),
                    _ => {
                        // Every other code unit is a character of its own.
                        let one = char::from_u32(unit.into());
                        self.push_char(one.unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                }
            }
        }
    }

    /// What follows is no low surrogate: a waiting high one stays unpaired.
    fn settle(&mut self) {
        if let Some(high) = self.high.take() {
            self.push_unpaired(high);
        }
    }

    fn push_unpaired(&mut self, unit: u16) {
        self.units
            .get_or_insert_with(|| self.text.encode_utf16().collect())
            .push(unit);
    }

    pub(crate) fn finish(mut self) -> JsonString {
        self.settle();
        match self.units {
            Some(units) => JsonString::from_utf16(&units),
            None => JsonString::from(self.text),
        }
    }
}
