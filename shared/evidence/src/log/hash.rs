//! Hashes of the tree: SHA-256, a leaf and an inner node told apart by their
//! first byte (RFC 6962, section 2.1).

use data_encoding::{BASE64, HEXLOWER};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::base64::Base64;

/// Bytes of one hash.
pub const HASH_BYTES: usize = 32;

/// A hash of a leaf, a node or a whole tree. Its JSON is base64.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Base64", into = "Base64")]
pub struct Hash(pub [u8; HASH_BYTES]);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("reading a log: a hash is not {HASH_BYTES} bytes long")]
pub struct NotAHash;

impl Hash {
    /// The root of a tree without leaves.
    pub fn empty() -> Self {
        Self(Sha256::digest([]).into())
    }

    pub fn of_leaf(entry: &[u8]) -> Self {
        Self(
            Sha256::new()
                .chain_update([0])
                .chain_update(entry)
                .finalize()
                .into(),
        )
    }

    pub fn of_node(left: Self, right: Self) -> Self {
        let node = Sha256::new()
            .chain_update([1])
            .chain_update(left.0)
            .chain_update(right.0);
        Self(node.finalize().into())
    }

    pub fn as_bytes(&self) -> &[u8; HASH_BYTES] {
        &self.0
    }
}

impl TryFrom<&[u8]> for Hash {
    type Error = NotAHash;
    fn try_from(bytes: &[u8]) -> Result<Self, NotAHash> {
        bytes.try_into().map(Self).map_err(|_| NotAHash)
    }
}

impl TryFrom<Base64> for Hash {
    type Error = NotAHash;
    fn try_from(bytes: Base64) -> Result<Self, NotAHash> {
        bytes.as_bytes().try_into()
    }
}

impl From<Hash> for Base64 {
    fn from(hash: Hash) -> Self {
        Self(hash.0.to_vec())
    }
}

/// As checkpoints write it.
impl std::fmt::Display for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&BASE64.encode(&self.0))
    }
}

impl std::fmt::Debug for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Hash({})", HEXLOWER.encode(&self.0))
    }
}
