//! Where randomness comes from: handed in, so that a test decides it.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use sha2::{Digest as _, Sha256};

/// The machine gave no random bytes.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("drawing random bytes: the system has none to give")]
pub struct NoRandomness;

/// Gives bytes that nobody can guess.
pub trait Random: Send + Sync + fmt::Debug {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoRandomness>;
}

/// A source that many hold.
pub type SharedRandom = Arc<dyn Random>;

/// `N` random bytes.
pub(crate) fn draw<const N: usize>(random: &dyn Random) -> Result<[u8; N], NoRandomness> {
    let mut bytes = [0; N];
    random.fill(&mut bytes)?;
    Ok(bytes)
}

/// The operating system's source.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
        getrandom::fill(bytes).map_err(|_| NoRandomness)
    }
}

/// The same bytes in every run, other ones at every call: for tests alone.
#[derive(Debug, Default)]
pub struct CountedRandom(AtomicU64);

impl Random for CountedRandom {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
        for chunk in bytes.chunks_mut(32) {
            let count = self.0.fetch_add(1, Ordering::Relaxed);
            let block = Sha256::digest(count.to_be_bytes());
            chunk.copy_from_slice(&block[..chunk.len()]);
        }
        Ok(())
    }
}
