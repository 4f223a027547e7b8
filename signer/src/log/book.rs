//! The log itself, over any storage: one append after the other, each step in
//! the order that keeps what was given out true.

use std::collections::HashMap;

use touchstone_evidence::log::checkpoint::{Checkpoint, Origin, SignedCheckpoint};
use touchstone_evidence::log::entry::ENTRY_LIMIT_BYTES;
use touchstone_evidence::log::hash::{HASH_BYTES, Hash};
use touchstone_evidence::log::inclusion::LogProof;
use touchstone_evidence::log::note::SignedBy;
use touchstone_evidence::log::proof::{consistency, inclusion};
use touchstone_evidence::log::tree::{Frontier, Place, places, position, positions};
use touchstone_proto::identity;

use super::disk::{Growing, Storage};
use super::{ENTRIES_AT_ONCE, LogError, Part, REMEMBERED};
use crate::disk::DiskError;
use crate::keys::{PrivateKey, SigningError};

/// The place of one entry on disk: its length, itself, zeros.
const PLACE_BYTES: usize = 1 + ENTRY_LIMIT_BYTES;
/// Leaves that are read at once when the newest are looked through.
const LEAVES_AT_ONCE: u64 = 4096;

pub(super) struct Book<S> {
    storage: S,
    key: Box<dyn PrivateKey>,
    /// The newest checkpoint that may be shown, and the tree it stands for.
    checkpoint: SignedCheckpoint,
    frontier: Frontier,
    /// The newest entries, by the beginning of their leaves' hashes.
    remembered: HashMap<[u8; 16], u64>,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Sound,
    /// A step failed, or never ended: the disk is read again before the next.
    InDoubt,
    /// We gave out a checkpoint that the disk does not know.
    Contradicted(Contradiction),
}

#[derive(Clone, Copy, Debug)]
enum Contradiction {
    Behind { held: u64 },
    Forked { size: u64 },
}

impl<S: Storage> Book<S> {
    pub(super) fn open(
        storage: S,
        key: Box<dyn PrivateKey>,
        key_is_published: bool,
    ) -> Result<Self, LogError> {
        if key_is_published && storage.checkpoint()?.is_none() {
            return Err(LogError::Gone(storage.path()));
        }
        let empty = Frontier::empty();
        let mut book = Self {
            checkpoint: signed(&*key, &empty)?,
            storage,
            key,
            frontier: empty,
            remembered: HashMap::new(),
            state: State::InDoubt,
        };
        book.make_sound()?;
        Ok(book)
    }

    /// Appends those entries that are new, in this order, and proves all of
    /// them under one checkpoint.
    pub(super) fn append(&mut self, entries: &[Vec<u8>]) -> Result<Vec<LogProof>, LogError> {
        self.make_sound()?;
        let mut new: Vec<(&[u8], Hash)> = Vec::new();
        let mut indices = Vec::new();
        for entry in entries {
            let leaf = Hash::of_leaf(entry);
            let twin = new.iter().position(|(_, other)| *other == leaf);
            indices.push(match (self.find(leaf)?, twin) {
                (Some(index), _) => index,
                (None, Some(place)) => self.frontier.size() + place as u64,
                (None, None) => {
                    new.push((entry, leaf));
                    self.frontier.size() + new.len() as u64 - 1
                }
            });
        }
        if !new.is_empty() {
            self.write(&new)?;
        }
        indices.into_iter().map(|index| self.prove(index)).collect()
    }

    /// Refuses to go on when the caller holds a checkpoint of ours that the
    /// disk does not bear out. Empty: it holds none.
    pub(super) fn check_held(&mut self, held: &[u8]) -> Result<(), LogError> {
        self.make_sound()?;
        if held.is_empty() {
            return Ok(());
        }
        let held = SignedCheckpoint::read(held).map_err(|_| LogError::Foreign)?;
        if held == self.checkpoint {
            return Ok(());
        }
        let (size, here) = (held.checkpoint().size, self.frontier.size());
        // Of another log, which says nothing about this one.
        if held.checkpoint().origin != self.checkpoint.checkpoint().origin {
            return Ok(());
        }
        if size <= here && self.root_of(size)? == held.checkpoint().root {
            return Ok(());
        }
        // It contradicts us, which counts only if it is our own word.
        if held.signed_by(&self.key.public()) != SignedBy::Key {
            return Err(LogError::Foreign);
        }
        self.state = State::Contradicted(if size > here {
            Contradiction::Behind { held: size }
        } else {
            Contradiction::Forked { size }
        });
        tracing::error!(
            size,
            here,
            "a checkpoint was given out that the disk does not bear out"
        );
        self.make_sound()
    }

    /// Entries from `from` on, and the proof that the tree up to the last of
    /// them is the beginning of the newest checkpoint's.
    pub(super) fn part(&mut self, from: u64) -> Result<Part, LogError> {
        self.make_sound()?;
        let here = self.frontier.size();
        let count = here
            .checked_sub(from)
            .ok_or(LogError::Beyond { here, from })?
            .min(ENTRIES_AT_ONCE);
        let entries = (from..from + count)
            .map(|index| self.entry(index))
            .collect::<Result<_, _>>()?;
        Ok(Part {
            checkpoint: self.checkpoint.clone(),
            entries,
            consistency: consistency(from + count, here, |place| self.node(place))?,
        })
    }

    /// The steps of an append. Only what each of them leaves on disk counts:
    /// whatever fails here, the next append begins by reading it again.
    fn write(&mut self, new: &[(&[u8], Hash)]) -> Result<(), LogError> {
        self.state = State::InDoubt;
        let before = self.frontier.size();
        let mut frontier = self.frontier.clone();
        let (mut places, mut nodes) = (Vec::new(), Vec::new());
        for (entry, leaf) in new {
            places.extend_from_slice(&placed(entry));
            for node in frontier.push(*leaf) {
                nodes.extend_from_slice(node.as_bytes());
            }
        }
        // Behind what the checkpoint stands for, over whatever an append that
        // failed may have left there.
        let storage = &mut self.storage;
        storage.write(Growing::Entries, entry_offset(before), &places)?;
        storage.write(Growing::Nodes, node_offset(positions(before)), &nodes)?;
        storage.sync(Growing::Entries)?;
        storage.sync(Growing::Nodes)?;
        let checkpoint = signed(&*self.key, &frontier)?;
        storage.replace_checkpoint(checkpoint.to_string().as_bytes())?;
        // On disk, so it may be seen.
        self.frontier = frontier;
        self.checkpoint = checkpoint;
        for (place, (_, leaf)) in (before..).zip(new) {
            self.remember(*leaf, place)?;
        }
        self.state = State::Sound;
        Ok(())
    }

    /// Makes what is held in memory what the disk holds.
    fn make_sound(&mut self) -> Result<(), LogError> {
        let here = self.frontier.size();
        match self.state {
            State::Sound => Ok(()),
            State::Contradicted(Contradiction::Behind { held }) => {
                Err(LogError::Behind { here, held })
            }
            State::Contradicted(Contradiction::Forked { size }) => Err(LogError::Forked { size }),
            State::InDoubt => self.reload(),
        }
    }

    fn reload(&mut self) -> Result<(), LogError> {
        let checkpoint = match self.storage.checkpoint()? {
            Some(bytes) => self.own(&bytes)?,
            None if self.frontier.size() > 0 => return Err(LogError::Gone(self.storage.path())),
            // The first start: nothing was given out.
            None => signed(&*self.key, &Frontier::empty())?,
        };
        let size = checkpoint.checkpoint().size;
        let nodes: Result<Vec<_>, _> = places(size).into_iter().map(|p| self.node(p)).collect();
        let frontier = Frontier::of(size, nodes?)
            .filter(|frontier| frontier.root() == checkpoint.checkpoint().root)
            .ok_or_else(|| self.damaged("its nodes do not lead to the root of its checkpoint"))?;
        self.frontier = frontier;
        if let Some(last) = size.checked_sub(1) {
            let leaf = Hash::of_leaf(&self.entry(last)?);
            if leaf != self.node((0, last))? {
                return Err(self.damaged("its last entry is not the one in the tree"));
            }
        }
        // Whoever wrote it may not have learned whether it is kept. It is shown
        // from here on, so it must be.
        self.storage
            .replace_checkpoint(checkpoint.to_string().as_bytes())?;
        self.checkpoint = checkpoint;
        self.remember_newest()?;
        self.state = State::Sound;
        Ok(())
    }

    fn own(&self, bytes: &[u8]) -> Result<SignedCheckpoint, LogError> {
        SignedCheckpoint::read(bytes)
            .ok()
            .filter(|read| read.signed_by(&self.key.public()) == SignedBy::Key)
            .ok_or_else(|| self.damaged("its checkpoint is not one that log.pem signed"))
    }

    fn remember_newest(&mut self) -> Result<(), LogError> {
        self.remembered.clear();
        let size = self.frontier.size();
        let mut at = size.saturating_sub(REMEMBERED);
        while at < size {
            let end = (at + LEAVES_AT_ONCE).min(size);
            let (first, behind) = (positions(at), positions(end));
            let mut bytes = vec![0; offset_within(behind - first, HASH_BYTES)];
            let offset = node_offset(first);
            self.storage.read(Growing::Nodes, offset, &mut bytes)?;
            let (nodes, _) = bytes.as_chunks::<HASH_BYTES>();
            for index in at..end {
                let node = nodes[offset_within(positions(index) - first, 1)];
                self.remembered.insert(beginning(Hash(node)), index);
            }
            at = end;
        }
        Ok(())
    }

    fn remember(&mut self, leaf: Hash, index: u64) -> Result<(), LogError> {
        self.remembered.insert(beginning(leaf), index);
        if let Some(old) = index.checked_sub(REMEMBERED) {
            let forgotten = beginning(self.node((0, old))?);
            // Unless a newer leaf stands under the same beginning.
            if self.remembered.get(&forgotten) == Some(&old) {
                self.remembered.remove(&forgotten);
            }
        }
        Ok(())
    }

    fn find(&self, leaf: Hash) -> Result<Option<u64>, LogError> {
        let Some(index) = self.remembered.get(&beginning(leaf)) else {
            return Ok(None);
        };
        Ok((self.node((0, *index))? == leaf).then_some(*index))
    }

    fn prove(&self, index: u64) -> Result<LogProof, LogError> {
        Ok(LogProof {
            index,
            inclusion: inclusion(index, self.frontier.size(), |place| self.node(place))?,
            checkpoint: self.checkpoint.to_string(),
        })
    }

    fn root_of(&self, size: u64) -> Result<Hash, LogError> {
        let nodes: Result<Vec<_>, _> = places(size).into_iter().map(|p| self.node(p)).collect();
        // As many as there are places.
        Ok(Frontier::of(size, nodes?).map_or_else(Hash::empty, |tree| tree.root()))
    }

    fn node(&self, place: Place) -> Result<Hash, DiskError> {
        let mut node = [0; HASH_BYTES];
        let offset = node_offset(position(place));
        self.storage.read(Growing::Nodes, offset, &mut node)?;
        Ok(Hash(node))
    }

    fn entry(&self, index: u64) -> Result<Vec<u8>, LogError> {
        let mut place = [0; PLACE_BYTES];
        let offset = entry_offset(index);
        self.storage.read(Growing::Entries, offset, &mut place)?;
        let (length, rest) = place.split_first().unwrap_or((&0, &[]));
        rest.get(..usize::from(*length))
            .map(<[u8]>::to_vec)
            .ok_or_else(|| self.damaged("an entry is longer than its place"))
    }

    fn damaged(&self, what: &'static str) -> LogError {
        LogError::Damaged {
            path: self.storage.path(),
            what,
        }
    }
}

/// The log is named by its first key, so that no two logs have one name.
fn signed(key: &dyn PrivateKey, tree: &Frontier) -> Result<SignedCheckpoint, SigningError> {
    let public = key.public();
    let key_id = identity::key_id(public.as_bytes());
    let name = format!("touchstone/{}", &key_id[..16]);
    let checkpoint = Checkpoint {
        // Lowercase letters, digits and a slash.
        origin: Origin::new(&name).expect("the name has no white space"),
        size: tree.size(),
        root: tree.root(),
    };
    checkpoint.signed(&public, |text| key.signature_over(text))
}

fn placed(entry: &[u8]) -> [u8; PLACE_BYTES] {
    let mut place = [0; PLACE_BYTES];
    // An entry is no longer than its limit by its type, and that fits a byte.
    place[0] = u8::try_from(entry.len()).expect("an entry has a limit");
    place[1..=entry.len()].copy_from_slice(entry);
    place
}

fn entry_offset(index: u64) -> u64 {
    index * PLACE_BYTES as u64
}

fn node_offset(position: u64) -> u64 {
    position * HASH_BYTES as u64
}

/// `count` things of `size` bytes, of which few are read at once.
fn offset_within(count: u64, size: usize) -> usize {
    usize::try_from(count)
        .unwrap_or(usize::MAX)
        .saturating_mul(size)
}

fn beginning(leaf: Hash) -> [u8; 16] {
    let (beginning, _) = leaf.as_bytes().as_chunks::<16>();
    beginning[0]
}
