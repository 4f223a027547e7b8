//! The signed head of a log (C2SP tlog-checkpoint, 1.0.0): whose log, how many
//! leaves, which root.

use data_encoding::BASE64;
use ed25519_dalek::{Signature, VerifyingKey};

use super::hash::Hash;
use super::note::{Note, NoteError, SignedBy, is_name};
use super::proof::TREE_LIMIT;

/// The name of a log, and of its key in notes: not empty, without white space
/// or plus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(String);

/// What a checkpoint says; whether it is signed is another question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    pub origin: Origin,
    pub size: u64,
    pub root: Hash,
}

/// A checkpoint and the note that carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedCheckpoint {
    checkpoint: Checkpoint,
    note: Note,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    #[error(transparent)]
    Note(#[from] NoteError),
    #[error("reading a checkpoint: its text does not have the form of one")]
    Form,
}

impl Origin {
    pub fn new(name: &str) -> Option<Self> {
        is_name(name).then(|| Self(name.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Checkpoint {
    /// Has it signed by the log's key.
    pub fn signed<E>(
        self,
        key: &VerifyingKey,
        sign: impl FnOnce(&[u8]) -> Result<Signature, E>,
    ) -> Result<SignedCheckpoint, E> {
        let text = self.text();
        let signature = sign(text.as_bytes())?;
        let note = Note::signed(text, self.origin.as_str(), key, &signature);
        Ok(SignedCheckpoint {
            checkpoint: self,
            note,
        })
    }

    fn text(&self) -> String {
        format!("{}\n{}\n{}\n", self.origin.0, self.size, self.root)
    }

    /// Further lines are allowed by the format and say nothing to us.
    fn read(text: &str) -> Option<Self> {
        let mut lines = text.split('\n');
        let origin = Origin::new(lines.next()?)?;
        let digits = lines.next()?;
        let size: u64 = digits.parse().ok()?;
        // One spelling: no sign, no leading zero.
        if size.to_string() != digits || size > TREE_LIMIT {
            return None;
        }
        let root = BASE64.decode(lines.next()?.as_bytes()).ok()?;
        Some(Self {
            origin,
            size,
            root: Hash::try_from(&root[..]).ok()?,
        })
    }
}

impl SignedCheckpoint {
    pub fn read(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let note = Note::read(bytes)?;
        let checkpoint = Checkpoint::read(note.text()).ok_or(CheckpointError::Form)?;
        Ok(Self { checkpoint, note })
    }

    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Whether who holds the other should hold this one instead: it is larger,
    /// or of another log.
    pub fn supersedes(&self, held: &Self) -> bool {
        let (new, old) = (&self.checkpoint, &held.checkpoint);
        new.origin != old.origin || new.size > old.size
    }

    /// Whether this key signed it as the log's own.
    pub fn signed_by(&self, key: &VerifyingKey) -> SignedBy {
        self.note.signed_by(self.checkpoint.origin.as_str(), key)
    }
}

impl std::fmt::Display for SignedCheckpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.note.fmt(f)
    }
}
