//! One private key as PKCS#8 in PEM (RFC 5958, 7468, 8410), the form that
//! openssl reads. Every copy made on the way is wiped.

use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{self, DecodePrivateKey as _, EncodePrivateKey as _, KeypairBytes};
use zeroize::{Zeroize as _, Zeroizing};

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

/// The key without its public half, which openssl 3.0 does not read in PKCS#8.
pub(super) fn write(key: &SigningKey) -> Result<Zeroizing<String>, pkcs8::Error> {
    let mut pair = KeypairBytes {
        secret_key: key.to_bytes(),
        public_key: None,
    };
    let pem = pair.to_pkcs8_pem(LineEnding::LF);
    pair.secret_key.zeroize();
    pem
}
