//! `nfc-jcs/v1`: every string and key in NFC, then the bytes of RFC 8785.
//!
//! What cannot be written is refused with the place where it stands: an
//! unpaired surrogate, two keys that become equal under NFC, a number that no
//! finite double holds. Never recurses.

use std::borrow::Cow;
use std::fmt;

use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

use crate::digest::{sha256, sha256_text};
use crate::path;
use crate::read::{DEPTH_LIMIT, INPUT_LIMIT, ReadErrorKind, read};
use crate::string::{JsonString, utf16_order};
use crate::value::{Object, Value};

/// Canonical bytes. Only this module makes them, so whoever holds one holds
/// the canonical form of something.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Canonical(String);

impl Canonical {
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.0.into_bytes()
    }

    pub fn sha256(&self) -> [u8; 32] {
        sha256(self.as_bytes())
    }

    /// `sha256:` and 64 lowercase hex digits.
    pub fn digest(&self) -> String {
        sha256_text(&self.sha256())
    }
}

/// Why there is no canonical form, and where the reason stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("canonicalizing JSON: {kind} at {path}")]
pub struct Refusal {
    pub kind: RefusalKind,
    /// `$.tools[3].inputSchema["a b"]`. For text that could not be read at all,
    /// the byte: `byte 17`. May quote keys of the document, shortened.
    pub path: String,
}

/// The closed set of reasons for a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefusalKind {
    /// Not JSON, or not UTF-8.
    Syntax,
    /// Nested deeper than [`DEPTH_LIMIT`].
    Depth,
    /// Longer than [`INPUT_LIMIT`].
    TooLarge,
    /// A string or key holds an unpaired surrogate.
    LoneSurrogate,
    /// Two keys of one object are equal once in NFC.
    DuplicateKeyAfterNfc,
    /// A number too large for a double, such as `1e400`.
    NonFiniteNumber,
}

impl RefusalKind {
    pub const ALL: [Self; 6] = [
        Self::Syntax,
        Self::Depth,
        Self::TooLarge,
        Self::LoneSurrogate,
        Self::DuplicateKeyAfterNfc,
        Self::NonFiniteNumber,
    ];

    /// The stable key of this reason.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Depth => "depth",
            Self::TooLarge => "too_large",
            Self::LoneSurrogate => "lone_surrogate",
            Self::DuplicateKeyAfterNfc => "duplicate_key_after_nfc",
            Self::NonFiniteNumber => "non_finite_number",
        }
    }
}

impl fmt::Display for RefusalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax => f.write_str("not JSON"),
            Self::Depth => write!(f, "nested deeper than {DEPTH_LIMIT} levels"),
            Self::TooLarge => write!(f, "longer than {INPUT_LIMIT} bytes"),
            Self::LoneSurrogate => f.write_str("unpaired surrogate"),
            Self::DuplicateKeyAfterNfc => f.write_str("two keys that are equal in NFC"),
            Self::NonFiniteNumber => f.write_str("number beyond the range of a double"),
        }
    }
}

/// The canonical form of JSON text.
pub fn canonicalize(bytes: &[u8]) -> Result<Canonical, Refusal> {
    let value = read(bytes).map_err(|error| Refusal {
        kind: match error.kind {
            ReadErrorKind::Syntax => RefusalKind::Syntax,
            ReadErrorKind::Depth => RefusalKind::Depth,
            ReadErrorKind::TooLarge => RefusalKind::TooLarge,
        },
        path: format!("byte {}", error.offset),
    })?;
    let mut writer = Writer::with_capacity(bytes.len());
    writer.value(&value, "$")?;
    Ok(writer.finish())
}

/// The canonical form of a value that was read before.
pub fn canonicalize_value(value: &Value) -> Result<Canonical, Refusal> {
    let mut writer = Writer::with_capacity(0);
    writer.value(value, "$")?;
    Ok(writer.finish())
}

/// Writes canonical JSON into one buffer.
pub(crate) struct Writer<'v> {
    out: Vec<u8>,
    /// Containers begun and not yet ended.
    open: Vec<Open<'v>>,
    /// The members still to write of the objects in `open`, innermost last, the
    /// next one of each object at its end.
    members: Vec<Member<'v>>,
}

enum Open<'v> {
    Array {
        items: &'v [Value],
        next: usize,
    },
    /// Members of the enclosing objects, and the key being written.
    Object {
        outer: usize,
        key: Option<&'v JsonString>,
    },
}

struct Member<'v> {
    key: Cow<'v, str>,
    raw: &'v JsonString,
    value: &'v Value,
}

impl<'v> Writer<'v> {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self {
            out: Vec::with_capacity(bytes),
            open: Vec::new(),
            members: Vec::new(),
        }
    }

    pub(crate) fn finish(self) -> Canonical {
        // Only whole `str`s and ASCII bytes were written.
        Canonical(String::from_utf8(self.out).expect("text"))
    }

    /// Bytes written so far.
    pub(crate) fn len(&self) -> usize {
        self.out.len()
    }

    /// Punctuation between values that a caller writes one by one.
    pub(crate) fn raw(&mut self, ascii: &str) {
        self.out.extend_from_slice(ascii.as_bytes());
    }

    /// Writes one value; `root` is where it stands in its document.
    pub(crate) fn value(&mut self, value: &'v Value, root: &str) -> Result<(), Refusal> {
        self.begin(value)
            .and_then(|()| self.rest())
            .map_err(|fault| Refusal {
                kind: fault.kind,
                path: self.path(root, fault.key),
            })
    }

    /// Writes a string; `root` is where it stands in its document.
    pub(crate) fn text(&mut self, text: &JsonString, root: &str) -> Result<(), Refusal> {
        let text = normal(text).map_err(|fault: Fault<'_>| Refusal {
            kind: fault.kind,
            path: root.to_owned(),
        })?;
        self.quoted(&text);
        Ok(())
    }

    /// Writes a scalar, or the bracket that begins a container.
    fn begin(&mut self, value: &'v Value) -> Result<(), Fault<'v>> {
        match value {
            Value::Null => self.raw("null"),
            Value::Bool(true) => self.raw("true"),
            Value::Bool(false) => self.raw("false"),
            Value::Number(number) => self.number(*number)?,
            Value::String(text) => {
                let text = normal(text)?;
                self.quoted(&text);
            }
            Value::Array(items) => {
                self.enter()?;
                self.raw("[");
                self.open.push(Open::Array { items, next: 0 });
            }
            Value::Object(object) => {
                self.enter()?;
                self.raw("{");
                self.object(object)?;
            }
        }
        Ok(())
    }

    /// Writes until every container is ended.
    fn rest(&mut self) -> Result<(), Fault<'v>> {
        while let Some(open) = self.open.last_mut() {
            match open {
                Open::Array { items, next } => {
                    let Some(item) = items.get(*next) else {
                        self.open.pop();
                        self.raw("]");
                        continue;
                    };
                    *next += 1;
                    if *next > 1 {
                        self.raw(",");
                    }
                    self.begin(item)?;
                }
                Open::Object { outer, key } => {
                    if self.members.len() == *outer {
                        self.open.pop();
                        self.raw("}");
                        continue;
                    }
                    // Longer than `outer`, so there is a last one.
                    let Some(member) = self.members.pop() else {
                        continue;
                    };
                    let first = key.is_none();
                    *key = Some(member.raw);
                    if !first {
                        self.raw(",");
                    }
                    self.quoted(&member.key);
                    self.raw(":");
                    self.begin(member.value)?;
                }
            }
        }
        Ok(())
    }

    fn enter(&self) -> Result<(), Fault<'v>> {
        if self.open.len() < DEPTH_LIMIT {
            Ok(())
        } else {
            Err(Fault::new(RefusalKind::Depth))
        }
    }

    /// Lays an object's members ready, last key first.
    fn object(&mut self, object: &'v Object) -> Result<(), Fault<'v>> {
        let outer = self.members.len();
        for (raw, value) in object.iter() {
            let key = normal(raw).map_err(|fault| fault.at(raw))?;
            self.members.push(Member { key, raw, value });
        }
        let members = &mut self.members[outer..];
        members.sort_unstable_by(|a, b| utf16_order(&b.key, &a.key));
        if let Some(pair) = members.windows(2).find(|pair| pair[0].key == pair[1].key) {
            return Err(Fault::new(RefusalKind::DuplicateKeyAfterNfc).at(pair[0].raw));
        }
        self.open.push(Open::Object { outer, key: None });
        Ok(())
    }

    /// The number as ECMAScript prints it (RFC 8785 section 3.2.2.3).
    fn number(&mut self, number: f64) -> Result<(), Fault<'v>> {
        if !number.is_finite() {
            return Err(Fault::new(RefusalKind::NonFiniteNumber));
        }
        let mut buffer = ryu_js::Buffer::new();
        self.raw(buffer.format_finite(number));
        Ok(())
    }

    /// A string between quotes, escaped no more than RFC 8785 section 3.2.2.2 asks.
    fn quoted(&mut self, text: &str) {
        self.out.push(b'"');
        let mut rest = text.as_bytes();
        while let Some(length) = rest.iter().position(|&byte| needs_escape(byte)) {
            self.out.extend_from_slice(&rest[..length]);
            self.escape(rest[length]);
            rest = &rest[length + 1..];
        }
        self.out.extend_from_slice(rest);
        self.out.push(b'"');
    }

    fn escape(&mut self, byte: u8) {
        let short = match byte {
            b'"' | b'\\' => byte,
            0x08 => b'b',
            0x09 => b't',
            0x0A => b'n',
            0x0C => b'f',
            0x0D => b'r',
            _ => {
                let [high, low] = [byte >> 4, byte & 0xF].map(|n| b"0123456789abcdef"[n as usize]);
                self.out
                    .extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
                return;
            }
        };
        self.out.extend_from_slice(&[b'\\', short]);
    }

    /// Where the writer stands, and there the key at fault.
    fn path(&self, root: &str, key: Option<&JsonString>) -> String {
        let mut path = root.to_owned();
        for open in &self.open {
            match open {
                Open::Array { next: 0, .. } | Open::Object { key: None, .. } => {}
                Open::Array { next, .. } => path::push_index(&mut path, next - 1),
                Open::Object { key: Some(key), .. } => path::push_key(&mut path, key),
            }
        }
        if let Some(key) = key {
            path::push_key(&mut path, key);
        }
        path
    }
}

/// A refusal under way: the place is known to the writer, but for the key.
struct Fault<'v> {
    kind: RefusalKind,
    key: Option<&'v JsonString>,
}

impl<'v> Fault<'v> {
    fn new(kind: RefusalKind) -> Self {
        Self { kind, key: None }
    }

    fn at(self, key: &'v JsonString) -> Self {
        Self {
            key: Some(key),
            ..self
        }
    }
}

fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The string in NFC, borrowed when it is in it already.
fn normal<'v>(text: &JsonString) -> Result<Cow<'_, str>, Fault<'v>> {
    let text = text
        .as_str()
        .ok_or_else(|| Fault::new(RefusalKind::LoneSurrogate))?;
    // Nothing below U+0300 composes or is reordered, and 0xCC is the lead byte
    // with which UTF-8 begins U+0300.
    if text.bytes().all(|byte| byte < 0xCC) || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return Ok(Cow::Borrowed(text));
    }
    Ok(Cow::Owned(text.nfc().collect()))
}
