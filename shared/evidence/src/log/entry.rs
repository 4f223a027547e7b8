//! One leaf of the log: which envelope was signed, for which run, by which key.
//!
//! The bytes, version 1, with nothing before, between or after:
//!
//! | bytes | what |
//! | --- | --- |
//! | 1 | the version, `0x01` |
//! | 32 | SHA-256 over the envelope as the signer wrote it: one line of JSON, the file `envelope.json` of its evidence page |
//! | 32 | the id of the attestation key: SHA-256 over its SubjectPublicKeyInfo |
//! | 1 to 128 | the run's id, ASCII |

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use crate::dsse::Envelope;
use crate::text::{KeyId, RunId};

/// The first byte of entries that this build writes and reads.
pub const ENTRY_VERSION: u8 = 1;
/// Longest entry, in bytes.
pub const ENTRY_LIMIT_BYTES: usize = FIXED_BYTES + 128;
const FIXED_BYTES: usize = 1 + 32 + 32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub envelope_sha256: [u8; 32],
    pub key_id: KeyId,
    pub run_id: RunId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    #[error("reading a log entry: it is of a version that this program does not know")]
    Version,
    #[error("reading a log entry: it does not have the form of version {ENTRY_VERSION}")]
    Form,
}

impl Entry {
    /// The entry of an envelope: `None` when it does not carry exactly one
    /// signature by a key with an id.
    pub fn of(envelope: &Envelope, run_id: &RunId) -> Option<Self> {
        let [signature] = &envelope.signatures[..] else {
            return None;
        };
        Some(Self {
            envelope_sha256: Sha256::digest(envelope.to_json()).into(),
            key_id: KeyId::new(signature.keyid.as_str()).ok()?,
            run_id: run_id.clone(),
        })
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        // A key's id is 64 lowercase hex digits by its type.
        let key_id = HEXLOWER
            .decode(self.key_id.as_str().as_bytes())
            .expect("a key's id is hex");
        let mut bytes = Vec::with_capacity(FIXED_BYTES + self.run_id.as_str().len());
        bytes.push(ENTRY_VERSION);
        bytes.extend_from_slice(&self.envelope_sha256);
        bytes.extend_from_slice(&key_id);
        bytes.extend_from_slice(self.run_id.as_str().as_bytes());
        bytes
    }

    pub fn read(bytes: &[u8]) -> Result<Self, EntryError> {
        if bytes.first() != Some(&ENTRY_VERSION) {
            return Err(EntryError::Version);
        }
        if bytes.len() > ENTRY_LIMIT_BYTES {
            return Err(EntryError::Form);
        }
        let (fixed, run_id) = bytes
            .split_at_checked(FIXED_BYTES)
            .ok_or(EntryError::Form)?;
        let run_id = std::str::from_utf8(run_id).map_err(|_| EntryError::Form)?;
        Ok(Self {
            envelope_sha256: fixed[1..33].try_into().map_err(|_| EntryError::Form)?,
            key_id: KeyId::new(HEXLOWER.encode(&fixed[33..])).map_err(|_| EntryError::Form)?,
            run_id: RunId::new(run_id).map_err(|_| EntryError::Form)?,
        })
    }
}
