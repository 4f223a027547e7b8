//! The log as it is stored part by part, and read tile by tile.

use touchstone_evidence::log::{
    checkpoint::{Checkpoint, Origin, SignedCheckpoint},
    entry::Entry,
    hash::Hash,
    tile::{Edge, Tile, read_entries, read_hashes},
};
use touchstone_evidence::text::{KeyId, RunId};

use super::*;
use crate::store::LogPart;

on_both_engines!(
    what_was_stored_in_parts_is_served_as_far_as_the_checkpoint_goes,
    the_newest_checkpoint_that_was_given_is_held,
);

fn entry(index: u64) -> Vec<u8> {
    let entry = Entry {
        envelope_sha256: [u8::try_from(index % 256).unwrap(); 32],
        key_id: KeyId::new("0".repeat(64)).unwrap(),
        run_id: RunId::new(format!("run-{index}")).unwrap(),
    };
    entry.to_bytes()
}

/// The checkpoint of a tree, signed by nobody who matters here.
fn checkpoint(edge: &Edge) -> Vec<u8> {
    let key = ed25519_dalek::SigningKey::from_bytes(&[1; 32]);
    let checkpoint = Checkpoint {
        origin: Origin::new("log").unwrap(),
        size: edge.size(),
        root: edge.root(),
    };
    let sign = |text: &[u8]| Ok(ed25519_dalek::Signer::sign(&key, text));
    let signed: Result<_, std::convert::Infallible> = checkpoint.signed(&key.verifying_key(), sign);
    signed.unwrap().to_string().into_bytes()
}

async fn grow(store: &Store, to: u64, shown: bool) -> Edge {
    let mut edge = store.log_edge().await.unwrap();
    let entries: Vec<_> = (edge.size()..to).map(entry).collect();
    let leaves = entries.iter().map(|entry| Hash::of_leaf(entry));
    let whole = leaves.flat_map(|leaf| edge.push(leaf)).collect();
    let part = LogPart {
        entries,
        whole,
        checkpoint: shown.then(|| checkpoint(&edge)),
        edge: edge.clone(),
    };
    store.keep_log_part(part, NOON_MS).await.unwrap();
    edge
}

async fn what_was_stored_in_parts_is_served_as_far_as_the_checkpoint_goes(fixture: Fixture) {
    let reader = fixture.reader();
    let tile = |path: &str| Tile::read_path(path).unwrap();
    assert_eq!(reader.log_tile(tile("0/000.p/1")).await.unwrap(), None);
    for (to, shown) in [(0, true), (3, true), (300, true), (700, false)] {
        let grown = grow(&fixture.store, to, shown).await;
        // As after a restart: from what is stored.
        assert_eq!(fixture.store.log_edge().await.unwrap(), grown);
    }
    let shown = reader.log_checkpoint().await.unwrap().unwrap();
    let shown = SignedCheckpoint::read(&shown).unwrap();
    assert_eq!(shown.checkpoint().size, 300);
    for (path, width) in [
        ("0/000", 256),
        ("0/001.p/44", 44),
        ("0/001.p/7", 7),
        ("1/000.p/1", 1),
    ] {
        let bytes = reader.log_tile(tile(path)).await.unwrap().unwrap();
        assert_eq!(
            read_hashes(&bytes, width).unwrap().len() as u64,
            width,
            "{path}"
        );
    }
    let bytes = reader
        .log_tile(tile("entries/001.p/44"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(read_entries(&bytes, 44).unwrap()[43], entry(299));
    for beyond in [
        "0/001.p/45",
        "0/001",
        "entries/001.p/45",
        "entries/002.p/1",
        "1/000.p/2",
    ] {
        assert_eq!(
            reader.log_tile(tile(beyond)).await.unwrap(),
            None,
            "{beyond}"
        );
    }
    let lines = async |text: &str| reader.log_lines(text).await.unwrap();
    assert_eq!(lines("run-7").await[0].index, 7);
    assert_eq!(lines(&"2a".repeat(32)).await.last().unwrap().index, 42);
    assert_eq!(lines("").await[0].index, 299);
    assert!(lines("run-300").await.is_empty() && lines("' OR 1=1").await.is_empty());
}

async fn the_newest_checkpoint_that_was_given_is_held(fixture: Fixture) {
    let target = fixture.target("https://one.example/mcp").await;
    let mut edge = Edge::empty();
    let mut given = Vec::new();
    for index in 0..3 {
        edge.push(Hash::of_leaf(&entry(index)));
        given.push(checkpoint(&edge));
    }
    // An answer that was on its way for longer holds an older one.
    for (slot, place) in [(1, 0), (2, 2), (3, 1)] {
        let run = result(&target, slot, "{}");
        let run_id = run.run_id.clone();
        fixture.record(run).await;
        let mut answer = signed(Scope::Full, "f");
        if let Answer::Signed { log, .. } = &mut answer {
            log.index = place as u64;
            log.checkpoint.clone_from(&given[place]);
        }
        assert!(
            fixture
                .store
                .answer(&run_id, answer, NOON_MS)
                .await
                .unwrap()
        );
    }
    assert_eq!(
        fixture.store.log_held().await.unwrap().as_ref(),
        Some(&given[2])
    );
}
