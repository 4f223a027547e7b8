//! The key document: which keys there are, what each is for, and since when
//! and until when it counts.
//!
//! A document that was read is consistent: every id is the digest of its key,
//! every key is a usable Ed25519 key, and the times fit the states. It says
//! nothing of who published it; a verifier trusts the document it was given.

use data_encoding::BASE64URL_NOPAD;
use ed25519_dalek::VerifyingKey;
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest as _, Sha256};
use touchstone_proto::identity;

use crate::base64::Base64;
use crate::text::KeyId;
use crate::timestamp::Timestamp;

/// Largest key document that is read, in bytes.
pub const KEY_DOCUMENT_LIMIT_BYTES: usize = 8 * 1024 * 1024;
/// Most keys in one document; agents' keys are the most of them.
pub const KEYS_LIMIT: usize = 20_000;
/// The format of documents that this build writes and reads.
pub const KEY_DOCUMENT_FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedDocument")]
pub struct KeyDocument {
    format: u32,
    /// One more with every change of the document.
    version: u64,
    keys: Vec<KeyEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UncheckedDocument {
    format: u32,
    version: u64,
    keys: Vec<KeyEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyEntry {
    pub key_id: KeyId,
    pub purpose: Purpose,
    pub algorithm: Algorithm,
    /// DER SubjectPublicKeyInfo.
    pub public_key: PublicKey,
    pub state: KeyState,
    /// It signs from here on. Null: pending, not yet decided.
    #[serde(deserialize_with = "present")]
    pub from: Option<Timestamp>,
    /// Up to here it signed; for a revoked key, when it was revoked. Null: open.
    #[serde(deserialize_with = "present")]
    pub to: Option<Timestamp>,
}

/// What a key is for. No key has two purposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    Attestation,
    LogCheckpoint,
    AgentIdentity,
    AgentIssuer,
    WebBotAuth,
}

impl Purpose {
    /// As in key documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Attestation => "attestation",
            Self::LogCheckpoint => "log-checkpoint",
            Self::AgentIdentity => "agent-identity",
            Self::AgentIssuer => "agent-issuer",
            Self::WebBotAuth => "web-bot-auth",
        }
    }
}

/// Where a key stands in its life: pending, then active, then retired or
/// revoked, which it stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    /// Published, signs nothing yet.
    Pending,
    Active,
    /// Signs no more; what it signed stays good.
    Retired,
    /// Not to be believed any more.
    Revoked,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Algorithm {
    Ed25519,
}

/// An Ed25519 key, written as the base64 of its SubjectPublicKeyInfo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Base64", into = "Base64")]
pub struct PublicKey(VerifyingKey);

#[derive(Debug, thiserror::Error)]
pub enum KeyDocumentError {
    #[error("reading a key document: it is longer than {KEY_DOCUMENT_LIMIT_BYTES} bytes")]
    TooLarge,
    #[error("reading a key document: it does not have the form of one")]
    Form(#[from] serde_json::Error),
    #[error("reading a key document: format {0} is not known to this version")]
    Format(u32),
    #[error("reading a key document: it holds more than {KEYS_LIMIT} keys")]
    TooManyKeys,
    #[error("reading a key document: {0} is not the id of the key beside it")]
    WrongId(KeyId),
    #[error("reading a key document: key {0} is there twice")]
    Twice(KeyId),
    #[error("reading a key document: the times of key {0} do not fit its state")]
    Times(KeyId),
}

#[derive(Debug, thiserror::Error)]
#[error("reading a key: it is not the SubjectPublicKeyInfo of an Ed25519 key")]
pub struct NotAKey;

impl KeyDocument {
    /// A document of these keys, refused when it is not consistent.
    pub fn new(version: u64, keys: Vec<KeyEntry>) -> Result<Self, KeyDocumentError> {
        let format = KEY_DOCUMENT_FORMAT;
        UncheckedDocument {
            format,
            version,
            keys,
        }
        .try_into()
    }

    pub fn read(bytes: &[u8]) -> Result<Self, KeyDocumentError> {
        if bytes.len() > KEY_DOCUMENT_LIMIT_BYTES {
            return Err(KeyDocumentError::TooLarge);
        }
        Ok(serde_json::from_slice(bytes)?)
    }

    /// The document as JSON for people and programs alike, with a last newline.
    pub fn to_json(&self) -> Vec<u8> {
        // Text and whole numbers serialize without fail.
        let mut json = serde_json::to_vec_pretty(self).expect("a key document serializes");
        json.push(b'\n');
        json
    }

    pub fn version(&self) -> u64 {
        self.version
    }

    pub fn keys(&self) -> &[KeyEntry] {
        &self.keys
    }

    /// The key of this id.
    pub fn find(&self, key_id: &str) -> Option<&KeyEntry> {
        self.keys.iter().find(|key| key.key_id.as_str() == key_id)
    }

    /// The same version of the document, with the keys of these ids only.
    #[must_use]
    pub fn excerpt(&self, key_ids: &[&str]) -> Self {
        let wanted = |key: &&KeyEntry| key_ids.contains(&key.key_id.as_str());
        Self {
            format: self.format,
            version: self.version,
            keys: self.keys.iter().filter(wanted).cloned().collect(),
        }
    }

    /// The attestation keys whose signatures count, as a JSON Web Key Set (RFC
    /// 7517, 8037) for tools that read those. `kid` is the thumbprint of RFC
    /// 7638; `touchstone_key_id` is the id that envelopes name.
    pub fn jwks(&self) -> serde_json::Value {
        let keys: Vec<_> = self
            .keys
            .iter()
            .filter(|key| key.purpose == Purpose::Attestation)
            .filter(|key| matches!(key.state, KeyState::Active | KeyState::Retired))
            .map(|key| {
                serde_json::json!({
                    "kty": "OKP",
                    "crv": "Ed25519",
                    "alg": "EdDSA",
                    "use": "sig",
                    "x": BASE64URL_NOPAD.encode(key.public_key.as_bytes()),
                    "kid": key.public_key.thumbprint(),
                    "touchstone_key_id": key.key_id,
                })
            })
            .collect();
        serde_json::json!({ "keys": keys })
    }
}

impl KeyEntry {
    /// The entry of a key that signs from a moment on.
    pub fn active(purpose: Purpose, key: &VerifyingKey, from: Timestamp) -> Self {
        let public_key = PublicKey(*key);
        Self {
            key_id: public_key.key_id(),
            purpose,
            algorithm: Algorithm::Ed25519,
            public_key,
            state: KeyState::Active,
            from: Some(from),
            to: None,
        }
    }

    fn times_fit(&self) -> bool {
        match (self.state, self.from, self.to) {
            (KeyState::Pending, _, None) | (KeyState::Active, Some(_), None) => true,
            (KeyState::Retired, Some(from), Some(to)) => from <= to,
            (KeyState::Revoked, from, Some(to)) => from.is_none_or(|from| from <= to),
            _ => false,
        }
    }
}

impl PublicKey {
    pub fn verifying_key(&self) -> &VerifyingKey {
        &self.0
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    pub fn key_id(&self) -> KeyId {
        // 64 lowercase hex digits, by its own documentation.
        KeyId::new(identity::key_id(self.as_bytes())).expect("a key id has the form of one")
    }

    /// RFC 7638 with the members of RFC 8037, appendix A.3.
    pub fn thumbprint(&self) -> String {
        let x = BASE64URL_NOPAD.encode(self.as_bytes());
        let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
        BASE64URL_NOPAD.encode(&Sha256::digest(members))
    }
}

impl From<VerifyingKey> for PublicKey {
    fn from(key: VerifyingKey) -> Self {
        Self(key)
    }
}

impl From<PublicKey> for Base64 {
    fn from(key: PublicKey) -> Self {
        Self(identity::spki(key.as_bytes()))
    }
}

impl TryFrom<Base64> for PublicKey {
    type Error = NotAKey;
    fn try_from(spki: Base64) -> Result<Self, NotAKey> {
        let raw: &[u8; 32] = spki.as_bytes().last_chunk().ok_or(NotAKey)?;
        if identity::spki(raw) != spki.as_bytes() {
            return Err(NotAKey);
        }
        let key = VerifyingKey::from_bytes(raw).map_err(|_| NotAKey)?;
        if key.is_weak() {
            Err(NotAKey)
        } else {
            Ok(Self(key))
        }
    }
}

impl TryFrom<UncheckedDocument> for KeyDocument {
    type Error = KeyDocumentError;
    fn try_from(document: UncheckedDocument) -> Result<Self, KeyDocumentError> {
        let UncheckedDocument {
            format,
            version,
            keys,
        } = document;
        if format != KEY_DOCUMENT_FORMAT {
            return Err(KeyDocumentError::Format(format));
        }
        if keys.len() > KEYS_LIMIT {
            return Err(KeyDocumentError::TooManyKeys);
        }
        let mut seen = std::collections::HashSet::new();
        for key in &keys {
            let id = || key.key_id.clone();
            if key.public_key.key_id() != key.key_id {
                return Err(KeyDocumentError::WrongId(id()));
            }
            if !seen.insert(key.public_key.as_bytes()) {
                return Err(KeyDocumentError::Twice(id()));
            }
            if !key.times_fit() {
                return Err(KeyDocumentError::Times(id()));
            }
        }
        Ok(Self {
            format,
            version,
            keys,
        })
    }
}

/// See the same in `payload`: null is allowed, absence is not.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    Option::deserialize(deserializer)
}

#[cfg(test)]
mod tests;
