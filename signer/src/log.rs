//! The transparency log: every envelope that leaves this signer stands in it.
//!
//! An append is on disk before its checkpoint is signed, and the checkpoint is
//! on disk before anybody sees it. So whatever crashes between the steps, a
//! signer that starts again goes on from a tree that every checkpoint it ever
//! gave out is a beginning of. What a crash cannot undo, a restored backup can:
//! callers show the newest checkpoint they hold, and a log that is behind it,
//! or holds another history, appends nothing more.
//!
//! Callers that come while a batch is being written share the next one.

mod book;
mod disk;

use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use touchstone_evidence::log::checkpoint::SignedCheckpoint;
use touchstone_evidence::log::hash::Hash;
use touchstone_evidence::log::inclusion::LogProof;

use crate::disk::DiskError;
use crate::keys::{PrivateKey, SigningError};
use book::Book;
use disk::Folder;

/// Entries that are appended under one checkpoint, at most.
pub(crate) const BATCH_LIMIT: usize = 256;
/// Entries that one answer to a reader of the log holds, at most.
pub(crate) const ENTRIES_AT_ONCE: u64 = 1024;
/// Entries, from the newest back, among which an envelope that is attested
/// again is found; an older one gets a second entry, which says nothing false.
const REMEMBERED: u64 = 262_144;

/// Each says what to do about it, where something can be done.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error(transparent)]
    Key(#[from] SigningError),
    #[error(
        "{0} is gone, and keys.json names the key of a log that was in use: restore the folder from a backup of its latest state. A log that began anew under the same key would contradict the one that was published"
    )]
    Gone(String),
    #[error("{path} is damaged ({what}): restore the folder from a backup of its latest state")]
    Damaged { path: String, what: &'static str },
    #[error(
        "appending to the log: a checkpoint of {held} entries was given out, and the disk holds {here}. The signer's folder was set back: restore its latest state"
    )]
    Behind { here: u64, held: u64 },
    #[error(
        "appending to the log: a checkpoint of {size} entries was given out under our key, and the disk holds other entries. Two signers ran with one key, or the folder was set back: restore its latest state"
    )]
    Forked { size: u64 },
    #[error("reading the checkpoint that the caller holds: it is none that this log signed")]
    Foreign,
    #[error("reading the log: it has {here} entries, and entry {from} was asked for")]
    Beyond { here: u64, from: u64 },
}

/// The log of a running signer.
pub(crate) struct Log {
    book: Mutex<Book<Folder>>,
    /// Who waits to be taken into the next batch.
    waiting: Mutex<Vec<Waiting>>,
}

/// One caller, the checkpoint it holds, and the way back to it.
struct Waiting {
    entry: Vec<u8>,
    held: Vec<u8>,
    answer: SyncSender<Answer>,
}

/// An error of a batch is that of all who were in it.
pub(crate) type Answer = Result<LogProof, Arc<LogError>>;

/// A part of the log, and the proof that it is the beginning of the whole.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) checkpoint: SignedCheckpoint,
    pub(crate) entries: Vec<Vec<u8>>,
    pub(crate) consistency: Vec<Hash>,
}

impl Log {
    /// Opens the log in this folder. One is made only where its key has never
    /// been published: see [`LogError::Gone`].
    pub(crate) fn open(
        folder: &Path,
        key: Box<dyn PrivateKey>,
        key_is_published: bool,
    ) -> Result<Self, LogError> {
        let book = Book::open(Folder::open(folder)?, key, key_is_published)?;
        Ok(Self {
            book: Mutex::new(book),
            waiting: Mutex::default(),
        })
    }

    /// Appends an entry, or finds it, and proves it under the newest
    /// checkpoint. `held` is the checkpoint that the caller has, empty for
    /// none. Blocks on the disk.
    pub(crate) fn append(&self, entry: Vec<u8>, held: Vec<u8>) -> Answer {
        let (answer, answered) = sync_channel(1);
        locked(&self.waiting).push(Waiting {
            entry,
            held,
            answer,
        });
        let mut book = locked(&self.book);
        // Whoever wrote while we waited may have taken ours along. If not, it
        // is among those that wait, and each round takes the oldest.
        loop {
            match answered.try_recv() {
                Ok(answer) => return answer,
                Err(_) => append_batch(&mut book, take_batch(&self.waiting)),
            }
        }
    }

    /// Entries from `from` on. Blocks on the disk.
    pub(crate) fn read(&self, from: u64, held: &[u8]) -> Result<Part, LogError> {
        let mut book = locked(&self.book);
        book.check_held(held)?;
        book.part(from)
    }
}

fn take_batch(waiting: &Mutex<Vec<Waiting>>) -> Vec<Waiting> {
    let mut waiting = locked(waiting);
    let count = waiting.len().min(BATCH_LIMIT);
    waiting.drain(..count).collect()
}

fn append_batch(book: &mut Book<Folder>, batch: Vec<Waiting>) {
    let mut entries = Vec::new();
    let mut answers = Vec::new();
    for Waiting {
        entry,
        held,
        answer,
    } in batch
    {
        match book.check_held(&held) {
            Ok(()) => {
                entries.push(entry);
                answers.push(answer);
            }
            // Room for one answer, and this is the only one.
            Err(error) => drop(answer.try_send(Err(Arc::new(error)))),
        }
    }
    let proofs = match book.append(&entries) {
        Ok(proofs) => proofs.into_iter().map(Ok).collect(),
        Err(error) => {
            let error = Arc::new(error);
            vec![Err(error); answers.len()]
        }
    };
    for (answer, proof) in answers.into_iter().zip(proofs) {
        drop(answer.try_send(proof));
    }
}

/// A panic while it was held left it between two steps of one append, which
/// the book itself undoes.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
