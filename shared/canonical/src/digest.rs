//! SHA-256 and the one way in which this project prints it.

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

/// A SHA-256 value as evidence writes it: `sha256:` and 64 lowercase hex digits.
pub fn sha256_text(digest: &[u8; 32]) -> String {
    let mut text = String::with_capacity("sha256:".len() + 64);
    text.push_str("sha256:");
    HEXLOWER.encode_append(digest, &mut text);
    text
}

pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}
