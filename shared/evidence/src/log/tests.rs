//! The tree against the definition of RFC 6962, section 2.1, written down as
//! it stands there; proofs of every tree up to a size; whatever is changed in
//! a proof or a note no longer holds.

use std::convert::Infallible;

use ed25519_dalek::Signer as _;
use proptest::prelude::*;

use super::checkpoint::{Checkpoint, Origin, SignedCheckpoint};
use super::entry::{ENTRY_LIMIT_BYTES, Entry, EntryError};
use super::hash::Hash;
use super::inclusion::LogProof;
use super::note::{NOTE_LIMIT_BYTES, Note, SignedBy, verifier_key};
use super::proof::{check_consistency, check_inclusion, consistency, inclusion};
use super::tile::{Edge, Kind, TILE_WIDTH, Tile, read_entries, read_hashes, write_entries};
use super::tree::{Frontier, places, position, positions};
use crate::sample;

/// Every tree up to here is proved from one leaf at least.
const TREES: u64 = 600;
/// Every leaf and every beginning of every tree up to here.
const WHOLE_TREES: u64 = 40;

fn leaf(index: u64) -> Hash {
    Hash::of_leaf(&index.to_be_bytes())
}

/// MTH of RFC 6962, section 2.1.
fn naive(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => Hash::empty(),
        [one] => *one,
        many => {
            let (left, right) = many.split_at(many.len().next_power_of_two() / 2);
            Hash::of_node(naive(left), naive(right))
        }
    }
}

/// All complete nodes of a tree, in the order of `position`.
struct Nodes(Vec<Hash>);

impl Nodes {
    fn of(size: u64) -> Self {
        let mut frontier = Frontier::empty();
        Self(
            (0..size)
                .flat_map(|index| frontier.push(leaf(index)))
                .collect(),
        )
    }

    fn at(&self, place: (u32, u64)) -> Hash {
        self.0[usize::try_from(position(place)).unwrap()]
    }

    fn inclusion(&self, index: u64, size: u64) -> Vec<Hash> {
        let Ok::<_, Infallible>(proof) = inclusion(index, size, |place| Ok(self.at(place)));
        proof
    }

    fn consistency(&self, old: u64, size: u64) -> Vec<Hash> {
        let Ok::<_, Infallible>(proof) = consistency(old, size, |place| Ok(self.at(place)));
        proof
    }
}

fn roots() -> Vec<Hash> {
    let mut frontier = Frontier::empty();
    let mut roots = vec![frontier.root()];
    roots.extend((0..TREES).map(|index| {
        frontier.push(leaf(index));
        frontier.root()
    }));
    roots
}

#[test]
fn every_way_to_the_root_leads_to_the_same() {
    let leaves: Vec<Hash> = (0..TREES).map(leaf).collect();
    let nodes = Nodes::of(TREES);
    let mut edge = Edge::empty();
    for (size, root) in roots().into_iter().enumerate() {
        if size % 7 == 0 || size < 40 || size.is_power_of_two() {
            assert_eq!(root, naive(&leaves[..size]), "{size}");
        }
        let read: Vec<Hash> = places(size as u64)
            .into_iter()
            .map(|place| nodes.at(place))
            .collect();
        let read = Frontier::of(size as u64, read).unwrap();
        assert_eq!(read.root(), root, "{size}");
        assert_eq!(edge.root(), root, "{size}");
        assert_eq!(positions(size as u64), Nodes::of_count(size as u64));
        if (size as u64) < TREES {
            edge.push(leaves[size]);
        }
    }
}

impl Nodes {
    /// How many nodes are complete: every leaf, every second, every fourth, ...
    fn of_count(size: u64) -> u64 {
        (0..64).map(|level| size >> level).sum()
    }
}

#[test]
fn every_proof_holds_for_its_own_leaf_and_tree_alone() {
    let (nodes, roots) = (Nodes::of(TREES), roots());
    let root = |size: u64| roots[usize::try_from(size).unwrap()];
    for size in 1..=TREES {
        let all = size <= WHOLE_TREES;
        let some = [0, size / 3, size / 2, size - 1];
        for index in (0..size).filter(|index| all || some.contains(index)) {
            let proof = nodes.inclusion(index, size);
            let check = |proof: &[Hash], leaf, index, size, root| {
                check_inclusion(proof, leaf, index, size, root).is_ok()
            };
            assert!(
                check(&proof, leaf(index), index, size, root(size)),
                "{index} of {size}"
            );
            assert!(!check(&proof, leaf(index + 1), index, size, root(size)));
            assert!(!check(&proof, leaf(index), index, size, root(size - 1)));
            assert!(!check(&proof, leaf(index), size, size, root(size)));
            if !proof.is_empty() {
                assert!(!check(&proof[1..], leaf(index), index, size, root(size)));
            }
            let longer = [&proof[..], &[leaf(0)]].concat();
            assert!(!check(&longer, leaf(index), index, size, root(size)));
        }
        for old in (0..=size).filter(|old| all || some.contains(old)) {
            let proof = nodes.consistency(old, size);
            let check = |proof: &[Hash], old, new| check_consistency(proof, old, new).is_ok();
            let (before, after) = ((old, root(old)), (size, root(size)));
            assert!(check(&proof, before, after), "{old} of {size}");
            assert!(!check(&proof, (old, leaf(0)), after) || (old, size) == (1, 1) || old == 1);
            assert!(!check(&proof, after, before) || old == size);
            let longer = [&proof[..], &[leaf(0)]].concat();
            assert!(!check(&longer, before, after));
            if !proof.is_empty() {
                assert!(!check(&proof[1..], before, after));
                assert!(!check(&proof, before, (size, root(size - 1))));
            }
        }
    }
}

#[test]
fn tiles_hold_the_whole_tree() {
    let size = 256 * 256 + 256 * 3 + 7;
    let mut edge = Edge::empty();
    let mut whole = Vec::new();
    for index in 0..size {
        whole.extend(edge.push(leaf(index)));
    }
    let partial: Vec<_> = edge
        .partial()
        .map(|(tile, hashes)| (tile, hashes.to_vec()))
        .collect();
    let find = |tile: Tile| {
        let found = whole.iter().chain(&partial).find(|(held, _)| *held == tile);
        found.map(|(_, hashes)| hashes.clone())
    };
    for level in 0..3 {
        for tile in Tile::all(Kind::Hashes { level }, size, 0) {
            let hashes = find(tile).unwrap_or_else(|| panic!("{tile:?} is missing"));
            assert_eq!(hashes.len() as u64, tile.width);
            assert!(tile.is_in(size) && !tile.is_in(tile.index << 8 << (8 * level)));
        }
    }
    assert_eq!(whole.len() + partial.len(), 257 + 2 + 2 + 1 + 1);
    assert_eq!(Edge::of(size, find).unwrap(), edge);
    assert_eq!(Edge::of(size, |_| None), None);
}

#[test]
fn the_address_of_a_tile_has_one_spelling() {
    for path in [
        "0/000",
        "0/001.p/1",
        "1/x001/x234/067",
        "entries/999.p/255",
        "entries/x001/000",
    ] {
        assert_eq!(Tile::read_path(path).unwrap().path(), path);
    }
    let tile = Tile::read_path("1/x001/x234/067").unwrap();
    assert_eq!((tile.index, tile.width), (1_234_067, TILE_WIDTH));
    for path in [
        "",
        "0",
        "0/",
        "0/1",
        "0/0001",
        "00/001",
        "+0/001",
        "8/000",
        "-1/000",
        "0/x001",
        "0/x000/001",
        "0/001.p/0",
        "0/001.p/256",
        "0/001.p/01",
        "0/001.p/",
        "0/1000",
        "x/000",
        "entries/../000",
        "0/x999/x999/x999/x999/x999/x999/x999/999",
        "0/ 01",
        "0/0x1",
    ] {
        assert_eq!(Tile::read_path(path), None, "{path}");
    }
}

#[test]
fn a_bundle_of_entries_is_read_as_it_was_written() {
    let entries = [&b"one"[..], b"", b"three"];
    let bundle = write_entries(entries).unwrap();
    assert_eq!(bundle, b"\0\x03one\0\0\0\x05three");
    assert_eq!(read_entries(&bundle, 3).unwrap(), entries);
    assert!(read_entries(&bundle, 2).is_err() && read_entries(&bundle, 4).is_err());
    assert!(read_entries(&bundle[..bundle.len() - 1], 3).is_err());
    assert!(read_hashes(&[0; 64], 2).is_ok());
    assert!(read_hashes(&[0; 64], 1).is_err() && read_hashes(&[0; 65], 2).is_err());
}

/// The example of the specification of signed notes, whose key and signature
/// are of its own making.
const EXAMPLE: &str = "This is an example message.\n\n\u{2014} example.com/foo rPlzLPgbDqJg+9WKWw7mX+qYTJ7cDVj9yyxBHaKkaHsPoFGXpckKMRRHwphKgC2UbHF4WqR2YOUMRAOM4ElQBRGLwQo=\n";

#[test]
fn a_note_is_read_as_it_was_written() {
    let key = sample::log_key();
    let text = "first\n\nsecond\n";
    let note = Note::signed(
        text.to_owned(),
        "log.example",
        &key.verifying_key(),
        &key.sign(text.as_bytes()),
    );
    let read = Note::read(note.to_string().as_bytes()).unwrap();
    assert_eq!(read, note);
    let public = key.verifying_key();
    assert_eq!(read.signed_by("log.example", &public), SignedBy::Key);
    assert_eq!(read.signed_by("log.exampl", &public), SignedBy::No);
    let other = sample::agent_key().verifying_key();
    assert_eq!(read.signed_by("log.example", &other), SignedBy::No);
    assert!(verifier_key("log.example", &public).starts_with("log.example+"));
    for name in ["a b", "", "a+b", "a\n", "a\u{3000}b"] {
        assert_eq!(Origin::new(name), None);
    }
    assert_eq!(Note::read(EXAMPLE.as_bytes()).unwrap().to_string(), EXAMPLE);
    let longer = "x".repeat(NOTE_LIMIT_BYTES + 1);
    for wrong in [
        "",
        "a\n",
        "a\n\n",
        "a\n\n\n",
        "a\n\n\u{2014} b\n",
        "a\n\n- b AAAAAAA=\n",
        longer.as_str(),
    ] {
        assert!(Note::read(wrong.as_bytes()).is_err(), "{wrong:?}");
    }
}

fn checkpoint() -> SignedCheckpoint {
    let checkpoint = Checkpoint {
        origin: Origin::new("log.example/touchstone").unwrap(),
        size: 42,
        root: leaf(7),
    };
    sample::signed(checkpoint)
}

#[test]
fn a_checkpoint_has_one_spelling() {
    let written = checkpoint().to_string();
    let read = SignedCheckpoint::read(written.as_bytes()).unwrap();
    assert_eq!(read, checkpoint());
    assert_eq!(
        read.signed_by(&sample::log_key().verifying_key()),
        SignedBy::Key
    );
    for (from, to) in [
        ("\n42\n", "\n042\n"),
        ("\n42\n", "\n+42\n"),
        ("\n42\n", "\n\n"),
        ("\n42\n", "\n9223372036854775808\n"),
        ("log.example/touchstone\n", "log example\n"),
        ("=\n\n", "\n\n"),
    ] {
        let changed = written.replacen(from, to, 1);
        assert_ne!(changed, written);
        assert!(
            SignedCheckpoint::read(changed.as_bytes()).is_err(),
            "{changed}"
        );
    }
}

#[test]
fn an_entry_is_read_as_it_was_written() {
    let bundle = sample::bundle();
    let statement = crate::payload::Statement::read(bundle.envelope.payload.as_bytes()).unwrap();
    let entry = Entry::of(&bundle.envelope, &statement.predicate().run.id).unwrap();
    let bytes = entry.to_bytes();
    assert_eq!(bytes.len(), 65 + "run-1".len());
    assert_eq!(Entry::read(&bytes).unwrap(), entry);
    assert_eq!(Entry::read(&[]), Err(EntryError::Version));
    assert_eq!(Entry::read(&[2; 80]), Err(EntryError::Version));
    assert_eq!(Entry::read(&bytes[..65]), Err(EntryError::Form));
    let longest = [&bytes[..65], &[b'r'; 128]].concat();
    assert_eq!(longest.len(), ENTRY_LIMIT_BYTES);
    assert!(Entry::read(&longest).is_ok());
    assert!(Entry::read(&[&longest[..], b"r"].concat()).is_err());
}

proptest! {
    #[test]
    fn a_changed_proof_of_inclusion_fails(
        size in 2_u64..400, place: prop::sample::Index, at: prop::sample::Index, bit in 0_u8..8,
    ) {
        let index = place.index(usize::try_from(size).unwrap()) as u64;
        let (nodes, root) = (Nodes::of(size), roots()[usize::try_from(size).unwrap()]);
        let mut proof = nodes.inclusion(index, size);
        let hash = at.index(proof.len() * 32);
        proof[hash / 32].0[hash % 32] ^= 1 << bit;
        prop_assert!(check_inclusion(&proof, leaf(index), index, size, root).is_err());
    }

    #[test]
    fn a_changed_proof_of_consistency_fails(
        size in 2_u64..400, before: prop::sample::Index, at: prop::sample::Index, bit in 0_u8..8,
    ) {
        let old = 1 + before.index(usize::try_from(size - 1).unwrap()) as u64;
        let (nodes, roots) = (Nodes::of(size), roots());
        let root = |size: u64| roots[usize::try_from(size).unwrap()];
        let mut proof = nodes.consistency(old, size);
        let hash = at.index(proof.len() * 32);
        proof[hash / 32].0[hash % 32] ^= 1 << bit;
        prop_assert!(check_consistency(&proof, (old, root(old)), (size, root(size))).is_err());
    }

    #[test]
    fn a_changed_checkpoint_is_not_signed(at: prop::sample::Index, bit in 0_u8..8) {
        let mut bytes = checkpoint().to_string().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        let key = sample::log_key().verifying_key();
        let signed = SignedCheckpoint::read(&bytes).map(|read| read.signed_by(&key));
        prop_assert_ne!(signed, Ok(SignedBy::Key));
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), width in 0_u64..300) {
        let _ = Note::read(&bytes);
        let _ = SignedCheckpoint::read(&bytes);
        let _ = Entry::read(&bytes);
        let _ = read_entries(&bytes, width);
        let _ = read_hashes(&bytes, width);
        let _ = Tile::read_path(&String::from_utf8_lossy(&bytes));
        let _ = serde_json::from_slice::<LogProof>(&bytes);
    }

    #[test]
    fn no_proof_of_any_numbers_panics(
        proof in prop::collection::vec(any::<[u8; 32]>().prop_map(Hash), 0..70),
        old: u64, index: u64, size: u64,
    ) {
        prop_assert!(check_inclusion(&proof, leaf(1), index, size, leaf(2)).is_err());
        prop_assert!(check_consistency(&proof, (old, leaf(1)), (size, leaf(2))).is_err());
    }
}
