//! `nfc-jcs/v1` as a whole: text in, canonical bytes or a refusal out.

use std::fmt;

use crate::digest::{sha256, sha256_text};
use crate::read::{DEPTH_LIMIT, INPUT_LIMIT, ReadErrorKind, read};
use crate::value::Value;
use crate::write::Writer;

/// Canonical bytes. Only this crate makes them, so whoever holds one holds the
/// canonical form of something.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Canonical(Vec<u8>);

impl Canonical {
    /// From what [`Writer`] wrote.
    pub(crate) fn written(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn as_str(&self) -> &str {
        // Only UTF-8 of whole strings, and ASCII, is ever written.
        std::str::from_utf8(&self.0).expect("whole strings")
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub fn sha256(&self) -> [u8; 32] {
        sha256(&self.0)
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
    writer.value(&value, || "$".to_owned())?;
    Ok(writer.finish())
}

/// The canonical form of a value that was read before.
pub fn canonicalize_value(value: &Value) -> Result<Canonical, Refusal> {
    let mut writer = Writer::with_capacity(0);
    writer.value(value, || "$".to_owned())?;
    Ok(writer.finish())
}
