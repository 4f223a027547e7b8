//! The signer's own keys: made here at the first start, kept here, and never
//! given out. Beside the private key lies the key document, which says what
//! the key is for and since when; the two must agree or the signer does not
//! start.

mod file;
mod passphrase;
mod vault;

use ed25519_dalek::{VerifyingKey, pkcs8};
pub(crate) use file::generate;
pub use passphrase::PassphraseError;
use touchstone_evidence::keyset::{KeyDocument, KeyDocumentError, KeyEntry, KeyState, Purpose};
use touchstone_evidence::timestamp::{Timestamp, TimestampError};
use touchstone_proto::identity;

use crate::disk::{DiskError, PrivateFolder};
pub(crate) use vault::{FileVault, Stored, Vault};
pub use vault::{PrivateKey, SigningError};

/// The private key that attests: PKCS#8, PEM.
pub(crate) const ATTESTATION_KEY_FILE: &str = "attestation.pem";
/// The private key that signs the log's checkpoints: PKCS#8, PEM.
pub(crate) const LOG_KEY_FILE: &str = "log.pem";
/// The key document of the signer's own keys.
pub(crate) const KEY_DOCUMENT_FILE: &str = "keys.json";

/// Largest document of the signer's own keys that is read, in bytes.
const DOCUMENT_LIMIT_BYTES: u64 = 1024 * 1024;

/// Each says what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error("making a key: the operating system gave no random bytes")]
    Random(#[source] getrandom::Error),
    #[error(
        "{0} is damaged: restore it from a backup. Without one, move it and keys.json away, and the signer starts anew with another key"
    )]
    Damaged(String),
    #[error("{0} is damaged: restore it from a backup")]
    DamagedDocument(String, #[source] KeyDocumentError),
    #[error(transparent)]
    Passphrase(#[from] PassphraseError),
    #[error(
        "{0} is sealed: name the file of its passphrase as passphrase_file in the configuration"
    )]
    Sealed(String),
    #[error(
        "the passphrase in {passphrase} does not open {path}: put the one there that sealed it, or restore the key from a backup if it is damaged"
    )]
    WrongPassphrase { path: String, passphrase: String },
    #[error("sealing {0}: it could not be opened again afterwards, so it was left as it is")]
    Seal(String),
    #[error("writing a key: it has no PKCS#8 form")]
    Encode(#[source] pkcs8::Error),
    #[error(
        "keys.json names the key of the log, and log.pem beside it is not there: restore it from a backup. The log cannot go on without it"
    )]
    LogKeyGone,
    #[error(
        "{0} is damaged: restore it from a backup. Without one, move it, keys.json and the folder log away, and the signer starts anew with another log"
    )]
    DamagedLogKey(String),
    #[error(
        "log.pem holds key {0}, which keys.json does not name as the active key of the log: restore both from the same backup"
    )]
    ForeignLogKey(String),
    #[error(
        "{0} is there, and attestation.pem beside it is not: restore that from a backup. Without one, move keys.json away, and the signer starts anew with another key"
    )]
    Gone(String),
    #[error(
        "attestation.pem holds key {0}, which keys.json does not name as the active attestation key: restore both from the same backup"
    )]
    Foreign(String),
    #[error("dating a key")]
    Time(#[from] TimestampError),
}

impl KeyError {
    /// Whether it takes another configuration, or another passphrase, to mend it.
    pub(crate) fn is_of_configuration(&self) -> bool {
        matches!(
            self,
            Self::Passphrase(_) | Self::Sealed(_) | Self::WrongPassphrase { .. }
        )
    }
}

/// The keys of a running signer.
#[derive(Debug)]
pub(crate) struct Keys {
    pub(crate) attestation: Box<dyn PrivateKey>,
    /// Since when the attestation key signs.
    pub(crate) from: Timestamp,
    /// The signer's own keys, as they are published.
    pub(crate) document: KeyDocument,
}

/// The key of the log's checkpoints.
#[derive(Debug)]
pub(crate) struct LogKey {
    pub(crate) key: Box<dyn PrivateKey>,
    /// Whether the key document names it, and so the log may be known outside.
    pub(crate) is_published: bool,
}

impl Keys {
    /// Reads the keys, or makes them when there are none.
    pub(crate) fn open(
        vault: &impl Vault,
        folder: &PrivateFolder,
        now: Timestamp,
    ) -> Result<Self, KeyError> {
        let key = vault.load(ATTESTATION_KEY_FILE)?;
        let document = folder.read(KEY_DOCUMENT_FILE, DOCUMENT_LIMIT_BYTES)?;
        let path = || folder.path_of(KEY_DOCUMENT_FILE).display().to_string();
        let document = document
            .map(|file| KeyDocument::read(&file.bytes))
            .transpose()
            .map_err(|error| KeyError::DamagedDocument(path(), error))?;
        match (key, document) {
            (Some(Stored { key, .. }), Some(document)) => Self::matched(key, document),
            // The first start was cut off between the two files; the key is as
            // old as its file.
            (Some(Stored { key, since }), None) => {
                let from = ms(since).map_or(Ok(now), Timestamp::from_ms)?;
                Self::document(folder, key, from)
            }
            (None, Some(_)) => Err(KeyError::Gone(path())),
            (None, None) => Self::document(folder, vault.make(ATTESTATION_KEY_FILE)?, now),
        }
    }

    /// Reads the log's key, or makes it when there is none.
    pub(crate) fn log_key(&self, vault: &impl Vault) -> Result<LogKey, KeyError> {
        let published = active(&self.document, Purpose::LogCheckpoint);
        let is_published = published.is_some();
        let stored = vault.load(LOG_KEY_FILE).map_err(|error| match error {
            KeyError::Damaged(path) => KeyError::DamagedLogKey(path),
            other => other,
        })?;
        let Some(Stored { key, .. }) = stored else {
            if is_published {
                return Err(KeyError::LogKeyGone);
            }
            let key = vault.make(LOG_KEY_FILE)?;
            return Ok(LogKey { key, is_published });
        };
        let key_id = identity::key_id(key.public().as_bytes());
        if published.is_some_and(|entry| entry.key_id.as_str() != key_id) {
            return Err(KeyError::ForeignLogKey(key_id));
        }
        Ok(LogKey { key, is_published })
    }

    /// Names the log's key in the key document. Only after the log is on disk:
    /// see `log::LogError::Gone`.
    pub(crate) fn publish_log_key(
        &mut self,
        folder: &PrivateFolder,
        key: &VerifyingKey,
        now: Timestamp,
    ) -> Result<(), KeyError> {
        let entry = KeyEntry::active(Purpose::LogCheckpoint, key, now);
        let keys = self.document.keys().iter().cloned().chain([entry]);
        let document = KeyDocument::new(self.document.version() + 1, keys.collect());
        let path = || folder.path_of(KEY_DOCUMENT_FILE).display().to_string();
        let document = document.map_err(|error| KeyError::DamagedDocument(path(), error))?;
        folder.replace(KEY_DOCUMENT_FILE, &document.to_json())?;
        self.document = document;
        Ok(())
    }

    /// Writes the first key document.
    fn document(
        folder: &PrivateFolder,
        attestation: Box<dyn PrivateKey>,
        from: Timestamp,
    ) -> Result<Self, KeyError> {
        let entry = KeyEntry::active(Purpose::Attestation, &attestation.public(), from);
        let path = || folder.path_of(KEY_DOCUMENT_FILE).display().to_string();
        let document = KeyDocument::new(1, vec![entry])
            .map_err(|error| KeyError::DamagedDocument(path(), error))?;
        folder.replace(KEY_DOCUMENT_FILE, &document.to_json())?;
        Ok(Self {
            attestation,
            from,
            document,
        })
    }

    fn matched(attestation: Box<dyn PrivateKey>, document: KeyDocument) -> Result<Self, KeyError> {
        let key_id = identity::key_id(attestation.public().as_bytes());
        let active =
            active(&document, Purpose::Attestation).filter(|entry| entry.key_id.as_str() == key_id);
        match active.and_then(|entry| entry.from) {
            Some(from) => Ok(Self {
                attestation,
                from,
                document,
            }),
            None => Err(KeyError::Foreign(key_id)),
        }
    }
}

fn active(document: &KeyDocument, purpose: Purpose) -> Option<&KeyEntry> {
    let fits = |key: &&KeyEntry| key.purpose == purpose && key.state == KeyState::Active;
    document.keys().iter().find(fits)
}

/// Milliseconds since the epoch; `None` before it.
fn ms(time: std::time::SystemTime) -> Option<i64> {
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}

#[cfg(test)]
mod tests;
