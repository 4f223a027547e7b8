//! Where private keys lie: in files, sealed by a passphrase where there is
//! one. A store that never gives a key out (a token, a key service) is another
//! [`Vault`], whose keys sign inside it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

use super::file::{self, Unread};
use super::{KeyError, generate};
use crate::disk::PrivateFolder;
use crate::keys::passphrase::Passphrase;

/// Largest key file that is read, in bytes.
const KEY_FILE_LIMIT_BYTES: u64 = 4096;
/// How the file of every private key ends.
const KEY_FILE_ENDING: &str = ".pem";

/// A private key that signs, and that nobody sees.
pub trait PrivateKey: fmt::Debug + Send + Sync {
    fn public(&self) -> VerifyingKey;
    fn signature_over(&self, message: &[u8]) -> Result<Signature, SigningError>;
}

/// The key's store did not sign; it may later.
#[derive(Debug, thiserror::Error)]
#[error("signing: the store of the key did not answer")]
pub struct SigningError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// Keeps private keys under names.
pub(crate) trait Vault {
    /// `None` when there is none of this name.
    fn load(&self, name: &str) -> Result<Option<Stored>, KeyError>;

    /// Makes a key and keeps it before it is used.
    fn make(&self, name: &str) -> Result<Box<dyn PrivateKey>, KeyError>;
}

/// A key, and since when it has been there.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) key: Box<dyn PrivateKey>,
    pub(crate) since: SystemTime,
}

/// Keys as files of the signer's folder.
#[derive(Debug)]
pub(crate) struct FileVault {
    folder: Arc<PrivateFolder>,
    /// What seals them.
    seal: Option<Seal>,
}

#[derive(Debug)]
struct Seal {
    passphrase: Passphrase,
    read_from: PathBuf,
}

impl FileVault {
    /// With a passphrase, keys that still lie open are sealed first. Blocks on
    /// the disk.
    pub(crate) fn open(
        folder: Arc<PrivateFolder>,
        passphrase_file: Option<&Path>,
    ) -> Result<Self, KeyError> {
        let seal = passphrase_file
            .map(|path| {
                Ok::<_, KeyError>(Seal {
                    passphrase: Passphrase::read(path)?,
                    read_from: path.to_owned(),
                })
            })
            .transpose()?;
        let vault = Self { folder, seal };
        if let Some(seal) = &vault.seal {
            vault.seal_all(seal)?;
        }
        Ok(vault)
    }

    fn seal_all(&self, seal: &Seal) -> Result<(), KeyError> {
        let unfinished = format!("{KEY_FILE_ENDING}{}", PrivateFolder::UNFINISHED);
        let names = self.folder.names()?;
        // First what a crash left, which may hold a key that lies open.
        for name in names.iter().filter(|name| name.ends_with(&unfinished)) {
            self.folder.wipe(name)?;
        }
        for name in names.iter().filter(|name| name.ends_with(KEY_FILE_ENDING)) {
            self.seal_one(name, seal)?;
        }
        Ok(())
    }

    fn seal_one(&self, name: &str, seal: &Seal) -> Result<(), KeyError> {
        let Some(stored) = self.folder.read(name, KEY_FILE_LIMIT_BYTES)? else {
            return Ok(());
        };
        if file::is_sealed(&stored.bytes) {
            return Ok(());
        }
        let key = file::read(&stored.bytes).ok_or_else(|| self.damaged(name))?;
        let pem = file::write_sealed(&key, &seal.passphrase).map_err(KeyError::Encode)?;
        // The open one goes only for one that can be opened again.
        let again = file::read_sealed(pem.as_bytes(), &seal.passphrase);
        if !again.is_ok_and(|again| again == key) {
            return Err(KeyError::Seal(self.path(name)));
        }
        self.folder.replace_wiping(name, pem.as_bytes())?;
        tracing::info!(key = name, "a private key that lay open is sealed now");
        Ok(())
    }

    fn open_sealed(&self, name: &str, pem: &[u8]) -> Result<SigningKey, KeyError> {
        let path = self.path(name);
        let Some(seal) = &self.seal else {
            return Err(KeyError::Sealed(path));
        };
        file::read_sealed(pem, &seal.passphrase).map_err(|unread| match unread {
            Unread::Damaged => self.damaged(name),
            Unread::Passphrase => KeyError::WrongPassphrase {
                path,
                passphrase: seal.read_from.display().to_string(),
            },
        })
    }

    fn damaged(&self, name: &str) -> KeyError {
        KeyError::Damaged(self.path(name))
    }

    fn path(&self, name: &str) -> String {
        self.folder.path_of(name).display().to_string()
    }
}

impl Vault for FileVault {
    fn load(&self, name: &str) -> Result<Option<Stored>, KeyError> {
        let Some(stored) = self.folder.read(name, KEY_FILE_LIMIT_BYTES)? else {
            return Ok(None);
        };
        let key = if file::is_sealed(&stored.bytes) {
            self.open_sealed(name, &stored.bytes)?
        } else {
            file::read(&stored.bytes).ok_or_else(|| self.damaged(name))?
        };
        Ok(Some(Stored {
            key: Box::new(key),
            since: stored.written,
        }))
    }

    fn make(&self, name: &str) -> Result<Box<dyn PrivateKey>, KeyError> {
        let key = generate().map_err(KeyError::Random)?;
        let pem = match &self.seal {
            Some(seal) => file::write_sealed(&key, &seal.passphrase),
            None => file::write(&key),
        };
        let pem = pem.map_err(KeyError::Encode)?;
        self.folder.replace(name, pem.as_bytes())?;
        Ok(Box::new(key))
    }
}

impl PrivateKey for SigningKey {
    fn public(&self) -> VerifyingKey {
        self.verifying_key()
    }

    fn signature_over(&self, message: &[u8]) -> Result<Signature, SigningError> {
        self.try_sign(message)
            .map_err(|error| SigningError(Box::new(error)))
    }
}
