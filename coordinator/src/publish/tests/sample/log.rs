//! A log of a few entries, signed, and a proof for an envelope of a run.

use std::convert::Infallible;

use ed25519_dalek::{Signer as _, SigningKey};
use touchstone_evidence::dsse::Envelope;
use touchstone_evidence::log::checkpoint::{Checkpoint, Origin};
use touchstone_evidence::log::entry::Entry;
use touchstone_evidence::log::hash::Hash;
use touchstone_evidence::log::tile::{Edge, Kind, Tile, write_entries};
use touchstone_evidence::text::RunId;
use touchstone_proto::signer::LogProof;

const ENTRIES: [&[u8]; 3] = [b"one", b"two", b"three"];

pub(super) fn key() -> SigningKey {
    SigningKey::from_bytes(&[11; 32])
}

fn edge_of(entries: &[&[u8]]) -> Edge {
    let mut edge = Edge::empty();
    for entry in entries {
        edge.push(Hash::of_leaf(entry));
    }
    edge
}

fn edge() -> Edge {
    edge_of(&ENTRIES)
}

/// That the envelope is the second of two entries.
pub(super) fn proof(envelope: &Envelope, run_id: &str) -> LogProof {
    let entry = Entry::of(envelope, &RunId::new(run_id).unwrap()).unwrap();
    let before = ENTRIES[0];
    LogProof {
        index: 1,
        inclusion: vec![Hash::of_leaf(before).as_bytes().to_vec()],
        checkpoint: signed(&edge_of(&[before, &entry.to_bytes()])),
    }
}

pub(super) fn checkpoint() -> Vec<u8> {
    signed(&edge())
}

fn signed(edge: &Edge) -> Vec<u8> {
    let key = key();
    let checkpoint = Checkpoint {
        origin: Origin::new("touchstone/0123456789abcdef").unwrap(),
        size: edge.size(),
        root: edge.root(),
    };
    let sign = |text: &[u8]| Ok::<_, Infallible>(key.sign(text));
    let Ok(signed) = checkpoint.signed(&key.verifying_key(), sign);
    signed.to_string().into_bytes()
}

pub(super) fn tile(tile: Tile) -> Option<Vec<u8>> {
    if !tile.is_in(edge().size()) {
        return None;
    }
    match tile.kind {
        Kind::Hashes { .. } => {
            let edge = edge();
            let (_, hashes) = edge.partial().next()?;
            Some(hashes.iter().flat_map(|hash| hash.0).collect())
        }
        Kind::Entries => write_entries(ENTRIES),
    }
}
