//! Bytes as JSON carries them: base64. Written in the standard alphabet with
//! padding; read in the standard or the URL-safe one, as DSSE asks of a
//! verifier, and refused when a second spelling of the same bytes is tried.

use data_encoding::{BASE64, BASE64URL};
use serde::{Deserialize, Serialize};

/// Bytes whose JSON is a base64 string.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Base64(pub Vec<u8>);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("reading evidence: a value is not padded base64")]
pub struct NotBase64;

impl Base64 {
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<Base64> for String {
    fn from(bytes: Base64) -> Self {
        BASE64.encode(&bytes.0)
    }
}

impl TryFrom<String> for Base64 {
    type Error = NotBase64;
    fn try_from(text: String) -> Result<Self, NotBase64> {
        // Both decoders insist on padding and on zero bits behind the last byte.
        BASE64
            .decode(text.as_bytes())
            .or_else(|_| BASE64URL.decode(text.as_bytes()))
            .map(Self)
            .map_err(|_| NotBase64)
    }
}

impl std::fmt::Debug for Base64 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Base64({} bytes)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling_in_each_alphabet() {
        let read = |text: &str| Base64::try_from(text.to_owned()).map(|b| b.0);
        assert_eq!(read("+/8="), Ok(vec![0xfb, 0xff]));
        assert_eq!(read("-_8="), Ok(vec![0xfb, 0xff]));
        for other in ["+/8", "+/9=", "+/8=\n", " +/8=", "+_8=="] {
            assert_eq!(read(other), Err(NotBase64), "{other:?}");
        }
    }
}
