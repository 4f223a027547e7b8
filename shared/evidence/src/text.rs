//! The few kinds of text that evidence may hold, each a type that cannot be
//! built from anything else. They keep strangers' text, and text without a
//! bound, out of what is signed.

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};

/// Text that has not the form its place asks for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("reading evidence: {what} is not {form}")]
pub struct WrongForm {
    what: &'static str,
    form: &'static str,
}

macro_rules! text_of_one_form {
    ($(#[$doc:meta])* $name:ident, $what:literal, $form:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            pub fn new(text: impl Into<String>) -> Result<Self, WrongForm> {
                let text = text.into();
                let check: fn(&str) -> bool = $check;
                if check(&text) {
                    Ok(Self(text))
                } else {
                    Err(WrongForm { what: $what, form: $form })
                }
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = WrongForm;
            fn try_from(text: String) -> Result<Self, WrongForm> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }
    };
}

text_of_one_form!(
    /// `sha256:` and 64 lowercase hex digits.
    Digest, "a digest", "sha256: and 64 lowercase hex digits",
    |text| text.strip_prefix("sha256:").is_some_and(|hex| is_hex(hex, 64))
);
text_of_one_form!(
    /// SHA-256 over a key's SPKI: 64 lowercase hex digits.
    KeyId, "a key id", "64 lowercase hex digits",
    |text| is_hex(text, 64)
);
text_of_one_form!(
    /// SHA-256, 64 lowercase hex digits, as in-toto writes a digest of that name.
    HexDigest, "a sha256 digest", "64 lowercase hex digits",
    |text| is_hex(text, 64)
);
text_of_one_form!(
    /// A git commit, 40 lowercase hex digits.
    Commit, "a commit", "40 lowercase hex digits",
    |text| is_hex(text, 40)
);
text_of_one_form!(
    /// A word of our own vocabulary: the id of a check, a reason's key, the name of a parameter.
    Name, "a name", "1 to 64 characters of a-z, 0-9 and _, a letter first",
    |text| text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
);
text_of_one_form!(
    /// A word as the value of a reason's parameter, or an authentication
    /// scheme: at most 64 characters of an HTTP token (RFC 9110, section 5.6.2).
    Word, "a word", "1 to 64 characters of an HTTP token",
    |text| (1..=64).contains(&text.len()) && text.bytes().all(is_token_byte)
);
text_of_one_form!(
    /// A protocol revision: the one text of a server's that evidence may hold.
    Revision, "a protocol revision", "of the form YYYY-MM-DD",
    |text| text.len() == 10
        && text.bytes().zip(b"dddd-dd-dd").all(|(byte, form)| match form {
            b'd' => byte.is_ascii_digit(),
            _ => byte == *form,
        })
);
text_of_one_form!(
    /// The name of a run.
    RunId, "a run's id", "1 to 128 characters of A-Z, a-z, 0-9, dot, colon, hyphen and _",
    |text| (1..=128).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b':' | b'-' | b'_'))
);
text_of_one_form!(
    /// Where an agent stands.
    Region, "a region", "1 to 32 characters of a-z, 0-9 and hyphen, not a hyphen first",
    |text| (1..=32).contains(&text.len())
        && !text.starts_with('-')
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
);
text_of_one_form!(
    /// The name or the version of a suite.
    SuiteText, "a suite's name or version", "1 to 64 characters of a-z, 0-9, dot, + and hyphen",
    |text| (1..=64).contains(&text.len())
        && text.bytes().all(|b| {
            b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'+' | b'-')
        })
);
text_of_one_form!(
    /// A URL as a URL parser writes it: visible ASCII, nothing that JSON escapes.
    UrlText, "a URL", "1 to 2,048 visible ASCII characters with a scheme",
    |text| text.len() <= 2048
        && text.split_once("://").is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty())
        && text.bytes().all(|b| b.is_ascii_graphic() && b != b'"' && b != b'\\')
);

impl From<[u8; 32]> for Digest {
    fn from(sha256: [u8; 32]) -> Self {
        Self(format!("sha256:{}", HEXLOWER.encode(&sha256)))
    }
}

impl From<[u8; 32]> for HexDigest {
    fn from(sha256: [u8; 32]) -> Self {
        Self(HEXLOWER.encode(&sha256))
    }
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_takes_its_own_form_only() {
        let hex = "0123456789abcdef".repeat(4);
        assert!(Digest::new(format!("sha256:{hex}")).is_ok());
        assert!(Digest::new(format!("sha256:{}", hex.to_uppercase())).is_err());
        assert!(Digest::new(hex.clone()).is_err());
        assert!(KeyId::new(hex.clone()).is_ok());
        assert!(KeyId::new(&hex[..63]).is_err());
        assert!(Name::new("tools_list_incomplete").is_ok());
        for not_a_name in ["", "Tools", "1st", "a-b", "a b", "é"] {
            assert!(Name::new(not_a_name).is_err(), "{not_a_name}");
        }
        assert!(Word::new("Bearer").is_ok());
        for not_a_word in ["", "a b", "a\"b", "ä", &"x".repeat(65)] {
            assert!(Word::new(not_a_word).is_err(), "{not_a_word}");
        }
        assert!(UrlText::new("https://a.example/mcp?x=1").is_ok());
        for not_a_url in [
            "",
            "a.example",
            "://a",
            "https://",
            "https://a b",
            "https://é.example",
            "https://a\\b",
        ] {
            assert!(UrlText::new(not_a_url).is_err(), "{not_a_url}");
        }
    }
}
