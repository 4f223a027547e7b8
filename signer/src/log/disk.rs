//! Where the log lies, as a seam: files in earnest, faults in tests.
//!
//! Two files are only ever written behind what a checkpoint stands for, and the
//! checkpoint is replaced as a whole.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use touchstone_evidence::log::note::NOTE_LIMIT_BYTES;

use crate::disk::{DiskError, PrivateFolder, io_error};

/// What grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growing {
    /// The entries, each in a place of the same size.
    Entries,
    /// The complete nodes of the tree, in the order of `tree::position`.
    Nodes,
}

/// Keeps a log. What was written is kept for certain only after `sync`;
/// `replace_checkpoint` is certain when it returns. An error says nothing of
/// what is kept.
pub(super) trait Storage {
    /// For messages.
    fn path(&self) -> String;
    fn read(&self, of: Growing, offset: u64, bytes: &mut [u8]) -> Result<(), DiskError>;
    fn write(&mut self, to: Growing, offset: u64, bytes: &[u8]) -> Result<(), DiskError>;
    fn sync(&mut self, of: Growing) -> Result<(), DiskError>;
    fn checkpoint(&self) -> Result<Option<Vec<u8>>, DiskError>;
    fn replace_checkpoint(&mut self, bytes: &[u8]) -> Result<(), DiskError>;
}

/// A folder of the signer's.
#[derive(Debug)]
pub(super) struct Folder {
    place: PrivateFolder,
    entries: File,
    nodes: File,
}

const CHECKPOINT: &str = "checkpoint";

impl Folder {
    pub(super) fn open(path: &Path) -> Result<Self, DiskError> {
        let place = PrivateFolder::open(path)?;
        Ok(Self {
            entries: place.open_growing(name(Growing::Entries))?,
            nodes: place.open_growing(name(Growing::Nodes))?,
            place,
        })
    }

    fn file(&self, of: Growing) -> &File {
        match of {
            Growing::Entries => &self.entries,
            Growing::Nodes => &self.nodes,
        }
    }
}

impl Storage for Folder {
    fn path(&self) -> String {
        self.place.path().display().to_string()
    }

    fn read(&self, of: Growing, offset: u64, bytes: &mut [u8]) -> Result<(), DiskError> {
        self.file(of)
            .read_exact_at(bytes, offset)
            .map_err(io_error("reading", &self.place.path_of(name(of))))
    }

    fn write(&mut self, to: Growing, offset: u64, bytes: &[u8]) -> Result<(), DiskError> {
        self.file(to)
            .write_all_at(bytes, offset)
            .map_err(io_error("writing", &self.place.path_of(name(to))))
    }

    fn sync(&mut self, of: Growing) -> Result<(), DiskError> {
        self.file(of)
            .sync_data()
            .map_err(io_error("writing", &self.place.path_of(name(of))))
    }

    fn checkpoint(&self) -> Result<Option<Vec<u8>>, DiskError> {
        let file = self.place.read(CHECKPOINT, NOTE_LIMIT_BYTES as u64)?;
        Ok(file.map(|file| file.bytes.to_vec()))
    }

    fn replace_checkpoint(&mut self, bytes: &[u8]) -> Result<(), DiskError> {
        self.place.replace(CHECKPOINT, bytes)
    }
}

fn name(of: Growing) -> &'static str {
    match of {
        Growing::Entries => "entries",
        Growing::Nodes => "nodes",
    }
}
