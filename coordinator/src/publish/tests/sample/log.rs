//! A log of a few entries, signed.

use std::convert::Infallible;

use ed25519_dalek::{Signer as _, SigningKey};
use touchstone_evidence::log::checkpoint::{Checkpoint, Origin};
use touchstone_evidence::log::hash::Hash;
use touchstone_evidence::log::tile::{Edge, Kind, Tile, write_entries};

const ENTRIES: [&[u8]; 3] = [b"one", b"two", b"three"];

fn edge() -> Edge {
    let mut edge = Edge::empty();
    for entry in ENTRIES {
        edge.push(Hash::of_leaf(entry));
    }
    edge
}

pub(super) fn checkpoint() -> Vec<u8> {
    let edge = edge();
    let key = SigningKey::from_bytes(&[5; 32]);
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
