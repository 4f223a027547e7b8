//! RFC 8785 bytes of a value, its strings and keys in NFC.
//!
//! What cannot be written is refused with the place where it stands: an
//! unpaired surrogate, two keys that become equal under NFC, a number that no
//! finite double holds. Never recurses; one buffer holds the output, one the
//! members that wait to be written.

use std::borrow::Cow;

use crate::canonical::{Canonical, Refusal, RefusalKind};
use crate::normal::nfc;
use crate::path;
use crate::read::DEPTH_LIMIT;
use crate::scan::plain_length;
use crate::string::{JsonString, utf16_order, utf16_prefix};
use crate::value::{Object, Value};

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
    prefix: u64,
    key: Cow<'v, [u8]>,
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
        Canonical::written(self.out)
    }

    /// Bytes written so far.
    pub(crate) fn len(&self) -> usize {
        self.out.len()
    }

    /// Canonical text that is finished already, and punctuation.
    pub(crate) fn raw(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    /// Writes one value; `root` says where it stands in its document.
    pub(crate) fn value(
        &mut self,
        value: &'v Value,
        root: impl FnOnce() -> String,
    ) -> Result<(), Refusal> {
        self.begin(value)
            .and_then(|()| self.rest())
            .map_err(|fault| Refusal {
                kind: fault.kind,
                path: self.path(root(), fault.key),
            })
    }

    /// Writes a string; `root` says where it stands in its document.
    pub(crate) fn text(
        &mut self,
        text: &JsonString,
        root: impl FnOnce() -> String,
    ) -> Result<(), Refusal> {
        let text = nfc(text).ok_or_else(|| Refusal {
            kind: RefusalKind::LoneSurrogate,
            path: root(),
        })?;
        self.quoted(&text);
        Ok(())
    }

    /// Writes a scalar, or the bracket that begins a container.
    fn begin(&mut self, value: &'v Value) -> Result<(), Fault<'v>> {
        match value {
            Value::Null => self.raw(b"null"),
            Value::Bool(true) => self.raw(b"true"),
            Value::Bool(false) => self.raw(b"false"),
            Value::Number(number) => self.number(*number)?,
            Value::String(text) => {
                let text = nfc(text).ok_or_else(|| Fault::new(RefusalKind::LoneSurrogate))?;
                self.quoted(&text);
            }
            Value::Array(items) => {
                self.enter()?;
                self.raw(b"[");
                self.open.push(Open::Array { items, next: 0 });
            }
            Value::Object(object) => {
                self.enter()?;
                self.raw(b"{");
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
                        self.raw(b"]");
                        continue;
                    };
                    *next += 1;
                    if *next > 1 {
                        self.raw(b",");
                    }
                    self.begin(item)?;
                }
                Open::Object { outer, key } => {
                    if self.members.len() == *outer {
                        self.open.pop();
                        self.raw(b"}");
                        continue;
                    }
                    // Longer than `outer`, so there is a last one.
                    let Some(member) = self.members.pop() else {
                        continue;
                    };
                    let first = key.is_none();
                    *key = Some(member.raw);
                    if !first {
                        self.raw(b",");
                    }
                    self.quoted(&member.key);
                    self.raw(b":");
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
            let key = nfc(raw).ok_or_else(|| Fault::new(RefusalKind::LoneSurrogate).at(raw))?;
            self.members.push(Member {
                prefix: utf16_prefix(&key),
                key,
                raw,
                value,
            });
        }
        let members = &mut self.members[outer..];
        members.sort_unstable_by(|a, b| {
            b.prefix
                .cmp(&a.prefix)
                .then_with(|| utf16_order(&b.key, &a.key))
        });
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
        self.raw(buffer.format_finite(number).as_bytes());
        Ok(())
    }

    /// A string between quotes, escaped no more than RFC 8785 section 3.2.2.2 asks.
    fn quoted(&mut self, text: &[u8]) {
        self.out.push(b'"');
        let mut rest = text;
        loop {
            let (plain, special) = rest.split_at(plain_length(rest));
            self.out.extend_from_slice(plain);
            let Some((&byte, behind)) = special.split_first() else {
                break;
            };
            self.escape(byte);
            rest = behind;
        }
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
    fn path(&self, mut path: String, key: Option<&JsonString>) -> String {
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

#[cfg(test)]
mod tests;
