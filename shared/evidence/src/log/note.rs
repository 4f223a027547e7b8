//! Signed notes (C2SP signed-note, 1.0.0): a text, an empty line, and one line
//! for each signature.
//!
//! A note that was read has the form of one and nothing more; who signed it is
//! asked with a key. Signatures of kinds or keys that are not known are passed
//! over, as the specification asks.

use data_encoding::BASE64;
use ed25519_dalek::{Signature, VerifyingKey};
use sha2::{Digest as _, Sha256};

/// Longest note that is read, in bytes.
pub const NOTE_LIMIT_BYTES: usize = 16 * 1024;
/// Most signatures of a note that is read.
pub const SIGNATURES_LIMIT: usize = 32;
/// Longest name of a key, in bytes.
const NAME_LIMIT_BYTES: usize = 256;
/// The kind of signature that we make and check: Ed25519 over the text.
const ED25519: u8 = 0x01;

/// A note: text that ends with a newline, and its signature lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<NoteSignature>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct NoteSignature {
    name: String,
    key_hash: [u8; 4],
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    #[error("reading a signed note: it is longer than {NOTE_LIMIT_BYTES} bytes")]
    TooLarge,
    #[error("reading a signed note: it does not have the form of one")]
    Form,
    #[error("reading a signed note: it has more than {SIGNATURES_LIMIT} signatures")]
    TooManySignatures,
}

/// What a key has to say about a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedBy {
    /// It signed the text.
    Key,
    /// A line bears its name, and the signature is not its.
    Broken,
    /// No line bears its name.
    No,
}

impl Note {
    /// A text that ends with a newline, with one signature over it.
    pub(super) fn signed(
        text: String,
        name: &str,
        key: &VerifyingKey,
        signature: &Signature,
    ) -> Self {
        Self {
            text,
            signatures: vec![NoteSignature {
                name: name.to_owned(),
                key_hash: key_hash(name, key),
                bytes: signature.to_bytes().to_vec(),
            }],
        }
    }

    pub fn read(bytes: &[u8]) -> Result<Self, NoteError> {
        if bytes.len() > NOTE_LIMIT_BYTES {
            return Err(NoteError::TooLarge);
        }
        let note = std::str::from_utf8(bytes).map_err(|_| NoteError::Form)?;
        // The last empty line parts text and signatures.
        let (text, lines) = note.rsplit_once("\n\n").ok_or(NoteError::Form)?;
        let text = format!("{text}\n");
        let lines = lines.strip_suffix('\n').ok_or(NoteError::Form)?;
        if !is_text(&text) {
            return Err(NoteError::Form);
        }
        let mut signatures = Vec::new();
        for line in lines.split('\n') {
            if signatures.len() == SIGNATURES_LIMIT {
                return Err(NoteError::TooManySignatures);
            }
            signatures.push(NoteSignature::read(line).ok_or(NoteError::Form)?);
        }
        Ok(Self { text, signatures })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether this key, under this name, signed the text.
    pub fn signed_by(&self, name: &str, key: &VerifyingKey) -> SignedBy {
        let wanted = key_hash(name, key);
        let mut found = SignedBy::No;
        for line in &self.signatures {
            if line.name != name || line.key_hash != wanted {
                continue;
            }
            let holds = Signature::from_slice(&line.bytes)
                .and_then(|signature| key.verify_strict(self.text.as_bytes(), &signature))
                .is_ok();
            if !holds {
                return SignedBy::Broken;
            }
            found = SignedBy::Key;
        }
        found
    }
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}", self.text)?;
        for NoteSignature {
            name,
            key_hash,
            bytes,
        } in &self.signatures
        {
            let signature = BASE64.encode(&[&key_hash[..], bytes].concat());
            writeln!(f, "\u{2014} {name} {signature}")?;
        }
        Ok(())
    }
}

impl NoteSignature {
    fn read(line: &str) -> Option<Self> {
        let (name, signature) = line.strip_prefix("\u{2014} ")?.split_once(' ')?;
        if !is_name(name) {
            return None;
        }
        let signature = BASE64.decode(signature.as_bytes()).ok()?;
        let (key_hash, bytes) = signature.split_first_chunk::<4>()?;
        (!bytes.is_empty()).then(|| Self {
            name: name.to_owned(),
            key_hash: *key_hash,
            bytes: bytes.to_vec(),
        })
    }
}

/// The key as tools for signed notes take it: `name+hash+base64`.
pub fn verifier_key(name: &str, key: &VerifyingKey) -> String {
    let hash = u32::from_be_bytes(key_hash(name, key));
    let encoded = BASE64.encode(&[&[ED25519], &key.as_bytes()[..]].concat());
    format!("{name}+{hash:08x}+{encoded}")
}

fn key_hash(name: &str, key: &VerifyingKey) -> [u8; 4] {
    let digest = Sha256::new()
        .chain_update(name)
        .chain_update([b'\n', ED25519])
        .chain_update(key.as_bytes())
        .finalize();
    [digest[0], digest[1], digest[2], digest[3]]
}

/// Not empty, no white space, no plus, which parts a verifier key.
pub(super) fn is_name(name: &str) -> bool {
    (1..=NAME_LIMIT_BYTES).contains(&name.len())
        && !name
            .chars()
            .any(|c| c.is_whitespace() || c.is_control() || c == '+')
}

/// Ends with a newline, which is its only control character.
fn is_text(text: &str) -> bool {
    text.ends_with('\n') && !text.chars().any(|c| c.is_control() && c != '\n')
}
