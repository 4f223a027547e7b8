//! What a bundle carries to prove that its envelope stands in the log.

use serde::{Deserialize, Serialize};

use super::checkpoint::{CheckpointError, SignedCheckpoint};
use super::hash::Hash;
use super::note::NOTE_LIMIT_BYTES;
use super::proof::{Disproved, PROOF_LIMIT, check_inclusion};

/// Where an envelope stands in the log, and the proof of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, try_from = "Unbounded")]
pub struct LogProof {
    /// Of the leaf, counted from 0.
    pub index: u64,
    /// From the leaf up to the root.
    pub inclusion: Vec<Hash>,
    /// The signed note of the tree that the proof is about.
    pub checkpoint: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unbounded {
    index: u64,
    inclusion: Vec<Hash>,
    checkpoint: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("reading a log proof: it is longer than any tree needs")]
pub struct TooLong;

impl TryFrom<Unbounded> for LogProof {
    type Error = TooLong;
    fn try_from(read: Unbounded) -> Result<Self, TooLong> {
        if read.inclusion.len() > PROOF_LIMIT || read.checkpoint.len() > NOTE_LIMIT_BYTES {
            return Err(TooLong);
        }
        Ok(Self {
            index: read.index,
            inclusion: read.inclusion,
            checkpoint: read.checkpoint,
        })
    }
}

impl LogProof {
    pub fn signed_checkpoint(&self) -> Result<SignedCheckpoint, CheckpointError> {
        SignedCheckpoint::read(self.checkpoint.as_bytes())
    }

    /// Whether this entry is the leaf that the proof is about.
    pub fn holds_for(&self, entry: &[u8], signed: &SignedCheckpoint) -> Result<(), Disproved> {
        let checkpoint = signed.checkpoint();
        check_inclusion(
            &self.inclusion,
            Hash::of_leaf(entry),
            self.index,
            checkpoint.size,
            checkpoint.root,
        )
    }
}
