//! JSON text, read exactly as ECMAScript's `JSON.parse` reads it (ECMA-262
//! section 25.5.1; the grammar is RFC 8259's).
//!
//! A number becomes the nearest double; one that is too large becomes infinite
//! and is refused only when it is to be written. An escape may name an unpaired
//! surrogate. A repeated key keeps the last value. A leading byte order mark is
//! an error. Never recurses and never panics; depth and size are bounded.

use std::fmt;

use crate::escape::{Unescaped, hex_unit};
use crate::scan::plain_length;
use crate::string::JsonString;
use crate::value::{Object, Value};

/// Arrays and objects may be nested this many levels deep.
///
/// Enough for any honest schema, and few enough that code which walks a value
/// by recursion stays well inside a stack of 2 MiB.
pub const DEPTH_LIMIT: usize = 1_024;

/// Bytes of JSON text read at most: the 2 MiB that a probe reads of a response.
pub const INPUT_LIMIT: usize = 2_097_152;

/// Why text could not be read as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("reading JSON text: {kind} at byte {offset}")]
pub struct ReadError {
    pub kind: ReadErrorKind,
    /// Byte offset into the text.
    pub offset: usize,
}

/// What kind of fault stopped the reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadErrorKind {
    /// The text breaks JSON's grammar, or is not UTF-8.
    Syntax,
    /// Deeper than [`DEPTH_LIMIT`].
    Depth,
    /// Longer than [`INPUT_LIMIT`].
    TooLarge,
}

impl fmt::Display for ReadErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax => f.write_str("not JSON"),
            Self::Depth => write!(f, "nested deeper than {DEPTH_LIMIT} levels"),
            Self::TooLarge => write!(f, "longer than {INPUT_LIMIT} bytes"),
        }
    }
}

/// Reads one JSON value that fills the whole text.
pub fn read(bytes: &[u8]) -> Result<Value, ReadError> {
    if bytes.len() > INPUT_LIMIT {
        return Err(ReadError {
            kind: ReadErrorKind::TooLarge,
            offset: INPUT_LIMIT,
        });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| ReadError {
        kind: ReadErrorKind::Syntax,
        offset: error.valid_up_to(),
    })?;
    Reader::new(text).document()
}

/// An array or object that was opened and not yet closed.
#[derive(Clone, Copy)]
enum Open {
    /// Where its items begin among [`Reader::items`].
    Array { items: usize },
    /// Where its members begin among [`Reader::members`].
    Object { members: usize },
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    open: Vec<Open>,
    /// Finished items of the arrays still open, innermost last.
    items: Vec<Value>,
    /// Members of the objects still open, innermost last; the last one's value
    /// is yet to come when its object is the innermost.
    members: Vec<(JsonString, Value)>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            open: Vec::new(),
            items: Vec::new(),
            members: Vec::new(),
        }
    }

    fn document(mut self) -> Result<Value, ReadError> {
        loop {
            self.skip_space();
            let value = match self.peek() {
                Some(b'[') => {
                    self.enter()?;
                    self.skip_space();
                    if !self.eat(b']') {
                        self.open.push(Open::Array {
                            items: self.items.len(),
                        });
                        continue;
                    }
                    Value::Array(Vec::new())
                }
                Some(b'{') => {
                    self.enter()?;
                    self.skip_space();
                    if !self.eat(b'}') {
                        self.open.push(Open::Object {
                            members: self.members.len(),
                        });
                        self.key()?;
                        continue;
                    }
                    Value::Object(Object::default())
                }
                _ => self.scalar()?,
            };
            if let Some(whole) = self.finish(value)? {
                self.skip_space();
                return match self.peek() {
                    None => Ok(whole),
                    Some(_) => Err(self.fault()),
                };
            }
        }
    }

    /// Consumes the bracket that opens a container.
    fn enter(&mut self) -> Result<(), ReadError> {
        if self.open.len() == DEPTH_LIMIT {
            return Err(ReadError {
                kind: ReadErrorKind::Depth,
                offset: self.at,
            });
        }
        self.at += 1;
        Ok(())
    }

    /// Puts a finished value in its place and closes what it completes. Gives
    /// the value back once it is the whole document.
    fn finish(&mut self, mut value: Value) -> Result<Option<Value>, ReadError> {
        loop {
            let Some(&open) = self.open.last() else {
                return Ok(Some(value));
            };
            value = match open {
                Open::Array { items } => {
                    self.items.push(value);
                    self.skip_space();
                    if self.eat(b',') {
                        return Ok(None);
                    }
                    if !self.eat(b']') {
                        return Err(self.fault());
                    }
                    Value::Array(self.items.split_off(items))
                }
                Open::Object { members } => {
                    if let Some(member) = self.members.last_mut() {
                        member.1 = value;
                    }
                    self.skip_space();
                    if self.eat(b',') {
                        self.skip_space();
                        self.key()?;
                        return Ok(None);
                    }
                    if !self.eat(b'}') {
                        return Err(self.fault());
                    }
                    Value::Object(Object::from_text(self.members.split_off(members)))
                }
            };
            self.open.pop();
        }
    }

    /// A key and its colon.
    fn key(&mut self) -> Result<(), ReadError> {
        let key = self.string()?;
        self.members.push((key, Value::Null));
        self.skip_space();
        if self.eat(b':') {
            Ok(())
        } else {
            Err(self.fault())
        }
    }

    fn scalar(&mut self) -> Result<Value, ReadError> {
        match self.peek() {
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number().map(Value::Number),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            _ => Err(self.fault()),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, ReadError> {
        if self.rest().starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(value)
        } else {
            Err(self.fault())
        }
    }

    fn number(&mut self) -> Result<f64, ReadError> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        // Rust's reading of a decimal is the nearest double, ties to even, and
        // infinite beyond the range: as ECMA-262 reads it.
        self.text[start..self.at].parse().map_err(|_| self.fault())
    }

    /// One digit or more.
    fn digits(&mut self) -> Result<(), ReadError> {
        let count = self
            .rest()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        self.at += count;
        if count == 0 {
            Err(self.fault())
        } else {
            Ok(())
        }
    }

    fn string(&mut self) -> Result<JsonString, ReadError> {
        if !self.eat(b'"') {
            return Err(self.fault());
        }
        let plain = self.plain()?;
        if self.eat(b'"') {
            return Ok(JsonString::from(plain));
        }
        let mut text = Unescaped::new(plain);
        loop {
            // Not at the closing quote, so at a backslash: `plain` stops at nothing else.
            self.at += 1;
            self.escape(&mut text)?;
            let plain = self.plain()?;
            text.push_str(plain);
            if self.eat(b'"') {
                return Ok(text.finish());
            }
        }
    }

    /// Text up to the next quote or backslash.
    fn plain(&mut self) -> Result<&'t str, ReadError> {
        let start = self.at;
        self.at += plain_length(self.rest());
        match self.peek() {
            Some(b'"' | b'\\') => Ok(&self.text[start..self.at]),
            _ => Err(self.fault()),
        }
    }

    /// What stands behind a backslash.
    fn escape(&mut self, text: &mut Unescaped) -> Result<(), ReadError> {
        let plain = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let unit = self
                    .rest()
                    .get(1..5)
                    .and_then(hex_unit)
                    .ok_or_else(|| self.fault())?;
                self.at += 5;
                text.push_unit(unit);
                return Ok(());
            }
            _ => return Err(self.fault()),
        };
        self.at += 1;
        text.push_char(plain);
        Ok(())
    }

    fn rest(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn fault(&self) -> ReadError {
        ReadError {
            kind: ReadErrorKind::Syntax,
            offset: self.at,
        }
    }
}

#[cfg(test)]
mod tests;
