//! Made-up JSON texts: every kind of value, what readers and writers of JSON
//! differ about more often than by chance, and a part of the texts broken.
//!
//! A text follows from the seed and its number alone.

use std::fmt::Write as _;

use crate::parts::{KEYS, NO_VALUES, NUMBERS, PIECES, SELDOM};

/// The text of this number.
pub(crate) fn text(seed: u64, number: u64) -> Vec<u8> {
    let mut maker = Maker {
        // Far apart for neighbours, whatever the seed.
        state: seed
            .wrapping_add(1)
            .wrapping_mul(0xA076_1D64_78BD_642F)
            .wrapping_add(number.wrapping_mul(0xE703_7ED1_A0B4_28DB)),
        text: String::new(),
    };
    match maker.below(20) {
        0 => maker.deep(),
        1 => maker.no_value(),
        2..4 => {
            maker.value(0);
            return maker.broken();
        }
        4..7 => maker.number(),
        7..10 => maker.string(),
        10..14 => maker.object(0),
        _ => maker.value(0),
    }
    maker.text.into_bytes()
}

struct Maker {
    state: u64,
    text: String,
}

impl Maker {
    /// SplitMix64 (Steele, Lea, Flood 2014).
    fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.bits() % bound as u64).expect("below a usize")
    }

    fn one_of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    fn space(&mut self) {
        let space = self.one_of(&["", "", "", "", " ", "\n", "\t", "\r\n", "  "]);
        self.text.push_str(space);
    }

    fn value(&mut self, depth: usize) {
        self.space();
        match self.below(if depth < 5 { 10 } else { 5 }) {
            0 => {
                let word = self.one_of(&["null", "true", "false"]);
                self.text.push_str(word);
            }
            1 | 2 => self.number(),
            3 | 4 => self.string(),
            5 | 6 => self.array(depth),
            _ => self.object(depth),
        }
        self.space();
    }

    fn array(&mut self, depth: usize) {
        self.text.push('[');
        for place in 0..self.below(6) {
            if place > 0 {
                self.text.push(',');
            }
            self.value(depth + 1);
        }
        self.text.push(']');
    }

    fn object(&mut self, depth: usize) {
        self.text.push('{');
        self.space();
        for place in 0..self.below(9) {
            if place > 0 {
                self.text.push(',');
                self.space();
            }
            if self.below(4) == 0 {
                self.string();
            } else {
                let seldom = usize::from(self.below(40) == 0);
                let key = self.one_of(&KEYS[..KEYS.len() - 1 + seldom]);
                self.text.push('"');
                self.text.push_str(key);
                self.text.push('"');
            }
            self.space();
            self.text.push(':');
            self.value(depth + 1);
        }
        self.text.push('}');
    }

    fn string(&mut self) {
        self.text.push('"');
        for _ in 0..self.below(8) {
            match self.below(200) {
                0 => {
                    let piece = self.one_of(&PIECES[PIECES.len() - SELDOM..]);
                    self.text.push_str(piece);
                }
                1..40 => self.character(),
                _ => {
                    let piece = self.one_of(&PIECES[..PIECES.len() - SELDOM]);
                    self.text.push_str(piece);
                }
            }
        }
        self.text.push('"');
    }

    /// Of a block whose characters have long been assigned: programs whose tables
    /// are of different years agree about them.
    fn character(&mut self) {
        let (first, last) = [
            (0x20, 0x7E),
            (0xA0, 0x24F),
            (0x300, 0x345),
            (0x391, 0x3A1),
            (0x5B0, 0x5B9),
            (0x64B, 0x655),
            (0x905, 0x939),
            (0xDCF, 0xDDE),
            (0x1100, 0x11FF),
            (0x1E00, 0x1EF9),
            (0x2200, 0x22FF),
            (0x3041, 0x3094),
            (0x4E00, 0x9FA5),
            (0xAC00, 0xD7A3),
            (0xE000, 0xF8FF),
            (0xF900, 0xFA2D),
            (0x1_D15E, 0x1_D164),
            (0x1_F600, 0x1_F64F),
            (0x2_F800, 0x2_FA1D),
        ][self.below(19)];
        let code = first + u32::try_from(self.below(0x2_0000)).expect("small") % (last - first + 1);
        let Some(character) = char::from_u32(code) else {
            return;
        };
        if self.below(4) == 0 || "\"\\".contains(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(self.text, "\\u{unit:04X}").expect("a String takes all");
            }
        } else {
            self.text.push(character);
        }
    }

    fn number(&mut self) {
        let number = match self.below(8) {
            0..3 => self.one_of(NUMBERS).to_owned(),
            3 => f64::from_bits(self.bits())
                .clamp(-f64::MAX, f64::MAX)
                .to_string(),
            4 => format!("{:e}", f64::from_bits(self.bits()).clamp(-1e300, 1e300)),
            5 => {
                // Half way between two doubles, and a hair beside.
                let whole = (self.bits() >> 11 | 1 << 52) * 2 + 1;
                let hair = self.one_of(&["", ".0", ".5", ".0000000000000000000001"]);
                format!("{whole}{hair}")
            }
            6 => {
                let digits = 1 + self.below(400);
                let mut number = String::from(self.one_of(&["-1", "1", "0.", "-0.00", "7."]));
                for _ in 0..digits {
                    number.push(char::from(
                        b'0' + u8::try_from(self.below(10)).expect("a digit"),
                    ));
                }
                number
            }
            _ => {
                let whole = self.below(1_000_000);
                let sign = self.one_of(&["", "-"]);
                let exponent = self.below(340);
                let way = self.one_of(&["e", "E-", "e+", "e-"]);
                format!("{sign}{whole}{way}{exponent}")
            }
        };
        // Not a number has no text.
        self.text
            .push_str(if number.contains("NaN") { "0" } else { &number });
    }

    /// Nested about as deep as may be, valid otherwise.
    fn deep(&mut self) {
        let depth = match self.below(3) {
            0 => self.below(1_000),
            1 => 1_020 + self.below(9),
            _ => 1_025 + self.below(1_500),
        };
        let objects: Vec<bool> = (0..depth).map(|_| self.below(2) == 0).collect();
        for &object in &objects {
            self.text.push_str(if object { "{\"k\":" } else { "[" });
        }
        self.text.push_str("{}");
        for &object in objects.iter().rev() {
            self.text.push(if object { '}' } else { ']' });
        }
    }

    fn no_value(&mut self) {
        let wrong = self.one_of(NO_VALUES);
        let (before, after) = [("", ""), ("[", "]"), ("{\"a\":", "}"), ("", " x")][self.below(4)];
        self.text = format!("{before}{wrong}{after}");
    }

    /// A few bytes of the text changed, as likely as not no UTF-8 any more.
    fn broken(&mut self) -> Vec<u8> {
        let mut text = std::mem::take(&mut self.text).into_bytes();
        for _ in 0..=self.below(3) {
            let byte = match self.below(3) {
                0 => self.bits().to_le_bytes()[0],
                _ => b"{}[]\",:\\ue+-.0 \n\x00\xC3\xA9\xED\xA0\xF4"[self.below(22)],
            };
            let at = self.below(text.len() + 1);
            match self.below(4) {
                0 => text.insert(at, byte),
                1 => text.truncate(at),
                2 if at < text.len() => text[at] = byte,
                _ if at < text.len() => _ = text.remove(at),
                _ => {}
            }
        }
        text
    }
}
