//! One private key as PKCS#8 in PEM (RFC 5958, 7468, 8410), the form that
//! openssl reads; sealed, as the encrypted form of the same (PBES2 of RFC 8018
//! with scrypt of RFC 7914 and AES-256-CBC). Every copy made on the way is
//! wiped.

use ::pkcs8::{EncryptedPrivateKeyInfoOwned, PrivateKeyInfoRef};
use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{
    self, DecodePrivateKey as _, EncodePrivateKey as _, KeypairBytes, SecretDocument,
};
use zeroize::{Zeroize as _, Zeroizing};

use super::passphrase::Passphrase;

/// The label of a sealed key (RFC 7468, section 11).
const SEALED: &str = "ENCRYPTED PRIVATE KEY";

/// Why a sealed key was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    Damaged,
    /// Or damaged too: from a wrong passphrase follow bytes without meaning.
    Passphrase,
}

/// A new key from the operating system's random bytes.
pub(crate) fn generate() -> Result<SigningKey, getrandom::Error> {
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *seed)?;
    Ok(SigningKey::from_bytes(&seed))
}

/// `None` when the bytes are no such key.
pub(super) fn read(pem: &[u8]) -> Option<SigningKey> {
    let pem = std::str::from_utf8(pem).ok()?;
    let mut pair = KeypairBytes::from_pkcs8_pem(pem).ok()?;
    let key = SigningKey::try_from(&pair).ok();
    pair.secret_key.zeroize();
    key
}

pub(super) fn is_sealed(pem: &[u8]) -> bool {
    std::str::from_utf8(pem).is_ok_and(|pem| {
        pem.lines()
            .any(|line| line == format!("-----BEGIN {SEALED}-----"))
    })
}

pub(super) fn read_sealed(pem: &[u8], passphrase: &Passphrase) -> Result<SigningKey, Unread> {
    let pem = std::str::from_utf8(pem).map_err(|_| Unread::Damaged)?;
    let (_, sealed) = SecretDocument::from_pem(pem).map_err(|_| Unread::Damaged)?;
    let sealed: EncryptedPrivateKeyInfoOwned = sealed.decode_msg().map_err(|_| Unread::Damaged)?;
    let plain = sealed.decrypt(passphrase).map_err(|_| Unread::Passphrase)?;
    let mut pair =
        KeypairBytes::from_pkcs8_der(plain.as_bytes()).map_err(|_| Unread::Passphrase)?;
    let key = SigningKey::try_from(&pair).map_err(|_| Unread::Passphrase);
    pair.secret_key.zeroize();
    key
}

pub(super) fn write_sealed(
    key: &SigningKey,
    passphrase: &Passphrase,
) -> Result<Zeroizing<String>, pkcs8::Error> {
    let plain = without_public_half(key, KeypairBytes::to_pkcs8_der)?;
    let sealed = PrivateKeyInfoRef::try_from(plain.as_bytes())?.encrypt(passphrase)?;
    Ok(sealed.to_pem(SEALED, LineEnding::LF)?)
}

pub(super) fn write(key: &SigningKey) -> Result<Zeroizing<String>, pkcs8::Error> {
    without_public_half(key, |pair| pair.to_pkcs8_pem(LineEnding::LF))
}

/// With it openssl 3.0 does not read the key.
fn without_public_half<T>(key: &SigningKey, write: impl FnOnce(&KeypairBytes) -> T) -> T {
    let mut pair = KeypairBytes {
        secret_key: key.to_bytes(),
        public_key: None,
    };
    let written = write(&pair);
    pair.secret_key.zeroize();
    written
}
