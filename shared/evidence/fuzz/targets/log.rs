//! Any bytes as what a log serves: notes, checkpoints, entries, bundles of
//! them, addresses of tiles, proofs. None panics, and what was read is written
//! as it was read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use touchstone_evidence::log::checkpoint::SignedCheckpoint;
use touchstone_evidence::log::entry::Entry;
use touchstone_evidence::log::hash::Hash;
use touchstone_evidence::log::inclusion::LogProof;
use touchstone_evidence::log::proof::{check_consistency, check_inclusion};
use touchstone_evidence::log::tile::{Tile, read_entries, read_hashes, write_entries};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(signed) = SignedCheckpoint::read(bytes) {
        assert_eq!(signed.to_string().as_bytes(), bytes);
    }
    if let Ok(entry) = Entry::read(bytes) {
        assert_eq!(entry.to_bytes(), bytes);
    }
    if let Some(path) = std::str::from_utf8(bytes).ok().and_then(Tile::read_path) {
        assert_eq!(path.path().as_bytes(), bytes);
    }
    let Some((&width, rest)) = bytes.split_first() else {
        return;
    };
    let width = u64::from(width);
    if let Ok(entries) = read_entries(rest, width) {
        assert_eq!(write_entries(entries).as_deref(), Some(rest));
    }
    if let Ok(hashes) = read_hashes(rest, width) {
        let root = Hash::empty();
        let _ = check_inclusion(&hashes, root, width, width + 1, root);
        let _ = check_consistency(&hashes, (width, root), (2 * width, root));
    }
    let _ = serde_json::from_slice::<LogProof>(bytes);
});
