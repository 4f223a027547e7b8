//! A disk in memory that fails when it is told to, and crashes.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use super::super::disk::{Growing, Storage};
use crate::disk::DiskError;

/// The steps of one append that may fail: two writes, two syncs, the checkpoint.
pub(super) const STEPS: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    No,
    Yes,
}

/// What becomes of that which was written and not synced.
#[derive(Clone, Copy, Debug)]
pub(super) enum Crash {
    Lost,
    Kept,
    /// Half of every file's change.
    Torn,
}

/// Shared by its clones, as the disk of one machine is.
#[derive(Clone, Default)]
pub(super) struct Memory(Arc<Mutex<Inner>>);

#[derive(Clone, Default)]
struct Inner {
    synced: Files,
    written: Files,
    checkpoint: Option<Vec<u8>>,
    /// Steps until the one that fails.
    fails: Option<(usize, Kept)>,
}

#[derive(Clone, Default)]
struct Files {
    entries: Vec<u8>,
    nodes: Vec<u8>,
}

impl Files {
    fn of(&mut self, growing: Growing) -> &mut Vec<u8> {
        match growing {
            Growing::Entries => &mut self.entries,
            Growing::Nodes => &mut self.nodes,
        }
    }
}

impl Memory {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap()
    }

    /// The step that comes after so many others fails.
    pub(super) fn fail(&self, after: usize, kept: Kept) {
        self.inner().fails = Some((after, kept));
    }

    pub(super) fn fail_no_more(&self) {
        self.inner().fails = None;
    }

    pub(super) fn crash(&self, crash: Crash) {
        let mut inner = self.inner();
        inner.fails = None;
        for growing in [Growing::Entries, Growing::Nodes] {
            let synced = inner.synced.of(growing).clone();
            let written = inner.written.of(growing);
            match crash {
                Crash::Lost => *written = synced,
                Crash::Kept => {}
                Crash::Torn => {
                    let half = synced.len() + written.len().saturating_sub(synced.len()) / 2;
                    written.truncate(half);
                }
            }
            let after = written.clone();
            *inner.synced.of(growing) = after;
        }
    }

    pub(super) fn was_used(&self) -> bool {
        self.inner().checkpoint.is_some()
    }

    /// A disk of its own with the same on it.
    pub(super) fn copied(&self) -> Self {
        Self(Arc::new(Mutex::new(self.inner().clone())))
    }

    /// Changes the last byte that counts.
    pub(super) fn damage(&self, growing: Growing) {
        let mut inner = self.inner();
        let bytes = inner.written.of(growing);
        let at = match growing {
            // The one byte of the last entry, behind its length.
            Growing::Entries => bytes.len() / 3 * 2 + 1,
            Growing::Nodes => bytes.len() - 1,
        };
        bytes[at] ^= 1;
    }

    fn step(&self, act: impl Fn(&mut Inner)) -> Result<(), DiskError> {
        let mut inner = self.inner();
        let failing = match &mut inner.fails {
            None => None,
            Some((0, kept)) => Some(*kept),
            Some((left, _)) => {
                *left -= 1;
                None
            }
        };
        if failing.is_some() {
            inner.fails = None;
        }
        if failing != Some(Kept::No) {
            act(&mut inner);
        }
        match failing {
            None => Ok(()),
            Some(_) => Err(DiskError::Io {
                action: "writing",
                path: PathBuf::from("memory"),
                source: io::Error::other("told to fail"),
            }),
        }
    }
}

impl Storage for Memory {
    fn path(&self) -> String {
        "memory".to_owned()
    }

    fn read(&self, of: Growing, offset: u64, bytes: &mut [u8]) -> Result<(), DiskError> {
        let mut inner = self.inner();
        let from = usize::try_from(offset).unwrap();
        let kept = inner.written.of(of).get(from..from + bytes.len());
        bytes.copy_from_slice(kept.ok_or_else(|| DiskError::Io {
            action: "reading",
            path: PathBuf::from("memory"),
            source: io::ErrorKind::UnexpectedEof.into(),
        })?);
        Ok(())
    }

    fn write(&mut self, to: Growing, offset: u64, bytes: &[u8]) -> Result<(), DiskError> {
        self.step(|inner| {
            let file = inner.written.of(to);
            let from = usize::try_from(offset).unwrap();
            file.resize(file.len().max(from + bytes.len()), 0);
            file[from..from + bytes.len()].copy_from_slice(bytes);
        })
    }

    fn sync(&mut self, of: Growing) -> Result<(), DiskError> {
        self.step(|inner| {
            let written = inner.written.of(of).clone();
            *inner.synced.of(of) = written;
        })
    }

    fn checkpoint(&self) -> Result<Option<Vec<u8>>, DiskError> {
        Ok(self.inner().checkpoint.clone())
    }

    fn replace_checkpoint(&mut self, bytes: &[u8]) -> Result<(), DiskError> {
        self.step(|inner| inner.checkpoint = Some(bytes.to_vec()))
    }
}
