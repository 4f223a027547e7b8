//! How a key is named and what exactly a role signs.

use sha2::{Digest as _, Sha256};

/// Payload type under which an agent signs an observation's bytes.
pub const OBSERVATION_TYPE: &str = "application/vnd.touchstone.observation.v1+protobuf";
/// Payload type under which an agent answers a coordinator's challenge.
pub const HELLO_TYPE: &str = "application/vnd.touchstone.hello.v1";
/// Payload type under which a new agent proves that it holds its key.
pub const ENROL_TYPE: &str = "application/vnd.touchstone.enrol.v1";

/// SubjectPublicKeyInfo of an Ed25519 key up to the key itself (RFC 8410, section 4).
const ED25519_SPKI_PREFIX: [u8; 12] = [
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
];

/// The DER SubjectPublicKeyInfo of a raw Ed25519 public key.
pub fn spki(public_key: &[u8; 32]) -> Vec<u8> {
    [&ED25519_SPKI_PREFIX[..], public_key].concat()
}

/// The id of a key: SHA-256 over its SPKI, 64 lowercase hex digits.
pub fn key_id(public_key: &[u8; 32]) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(spki(public_key)))
}

/// DSSE pre-authentication encoding, version 1: the bytes that are signed.
pub fn pae(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!(
        "DSSEv1 {} {payload_type} {} ",
        payload_type.len(),
        payload.len()
    );
    [head.as_bytes(), payload].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pae_is_the_vector_of_the_dsse_specification() {
        assert_eq!(
            pae("http://example.com/HelloWorld", b"hello world"),
            b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
        );
    }

    #[test]
    fn key_id_is_sha256_over_the_spki() {
        // openssl pkey -pubin -outform DER | sha256sum, for the key of RFC 8032, test 1.
        let key = data_encoding::HEXLOWER
            .decode(b"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
            .unwrap();
        assert_eq!(spki(&key.try_into().unwrap()).len(), 44);
    }
}
