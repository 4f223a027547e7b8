//! Room in memory for the bodies of all runs of a process together: a bound
//! for each response alone would let many large ones add up.
//!
//! A reader takes room as bytes arrive and waits when there is none, so that
//! its server is slowed down by its own connection. A wait that lasts to the
//! end of the run's budget is a fault of ours and never the target's.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of bodies that the runs of one process hold at once, unless its
/// operator says otherwise.
pub const BODIES_LIMIT_BYTES: usize = 256 * 1024 * 1024;
/// Room is taken in steps of this many bytes.
const STEP_BYTES: usize = 16 * 1024;

/// The room of a process.
#[derive(Clone, Debug)]
pub(super) struct House(Arc<Semaphore>);

/// The part of it that one holder has taken; given back when dropped.
#[derive(Debug)]
pub(super) struct Room {
    house: House,
    taken: Vec<OwnedSemaphorePermit>,
}

impl House {
    pub(super) fn of(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes / STEP_BYTES)))
    }

    pub(super) fn room(&self) -> Room {
        Room {
            house: self.clone(),
            taken: Vec::new(),
        }
    }
}

impl Room {
    /// Waits until there is room for this many bytes in all.
    pub(super) async fn grow(&mut self, bytes: usize) {
        let steps = bytes.div_ceil(STEP_BYTES);
        while self.taken.len() < steps {
            match Arc::clone(&self.house.0).acquire_owned().await {
                Ok(step) => self.taken.push(step),
                // Only a semaphore that was closed refuses, and this one never is.
                Err(_) => std::future::pending().await,
            }
        }
    }

    /// Keeps room for this many bytes and gives the rest back.
    pub(super) fn shrink(&mut self, bytes: usize) {
        self.taken.truncate(bytes.div_ceil(STEP_BYTES));
    }

    /// Takes over what another holder had.
    pub(super) fn join(&mut self, mut other: Self) {
        self.taken.append(&mut other.taken);
    }
}
