//! Whatever fails or crashes, the log goes on from a tree that every
//! checkpoint it gave out is a beginning of.
//!
//! Each step of an append is tried in two variants: it failed and nothing was
//! kept, and it failed but was kept. After each the same process goes on, or
//! the machine crashes, with what was not synced lost, kept or torn.

mod memory;

use ed25519_dalek::SigningKey;
use proptest::prelude::*;
use touchstone_evidence::log::checkpoint::Checkpoint;
use touchstone_evidence::log::tree::Frontier;

use super::disk::Growing;
use super::*;
use memory::{Crash, Kept, Memory, STEPS};

fn key() -> Box<dyn PrivateKey> {
    key_of(3)
}

fn key_of(seed: u8) -> Box<dyn PrivateKey> {
    Box::new(SigningKey::from_bytes(&[seed; 32]))
}

fn open(storage: &Memory) -> Book<Memory> {
    Book::open(storage.clone(), key(), storage.was_used()).unwrap()
}

fn entry(name: &str) -> Vec<u8> {
    name.as_bytes().to_vec()
}

/// A log and everything it gave out.
struct Watched {
    storage: Memory,
    book: Book<Memory>,
    given: Vec<LogProof>,
}

impl Watched {
    fn new() -> Self {
        let storage = Memory::default();
        Self {
            book: open(&storage),
            storage,
            given: Vec::new(),
        }
    }

    /// Appends these; gives their places.
    fn append(&mut self, names: &[&str]) -> Option<Vec<u64>> {
        let entries: Vec<_> = names.iter().map(|name| entry(name)).collect();
        let proofs = self.book.append(&entries).ok()?;
        for (entry, proof) in entries.iter().zip(&proofs) {
            proof
                .holds_for(entry, &proof.signed_checkpoint().unwrap())
                .unwrap();
        }
        let places = proofs.iter().map(|proof| proof.index).collect();
        self.given.extend(proofs);
        Some(places)
    }

    fn crash(&mut self, crash: Crash) {
        self.storage.crash(crash);
        self.book = open(&self.storage);
    }

    /// All entries there are, after every check that an auditor could make.
    fn whole(&mut self) -> Vec<Vec<u8>> {
        let part = self.book.part(0).unwrap();
        let mut tree = Frontier::empty();
        let mut roots = vec![tree.root()];
        for entry in &part.entries {
            tree.push(Hash::of_leaf(entry));
            roots.push(tree.root());
        }
        let newest = part.checkpoint.checkpoint();
        assert_eq!((newest.size, newest.root), (tree.size(), tree.root()));
        for proof in &self.given {
            let signed = proof.signed_checkpoint().unwrap();
            let Checkpoint { size, root, .. } = signed.checkpoint();
            assert_eq!(roots.get(usize::try_from(*size).unwrap()), Some(root));
        }
        part.entries
    }
}

#[test]
fn no_failed_step_of_an_append_contradicts_what_was_given_out() {
    let after = [
        None,
        Some(Crash::Lost),
        Some(Crash::Kept),
        Some(Crash::Torn),
    ];
    for step in 0..STEPS {
        for kept in [Kept::No, Kept::Yes] {
            for crash in after {
                let mut log = Watched::new();
                log.append(&["a", "b", "c"]).unwrap();
                log.storage.fail(step, kept);
                assert_eq!(log.append(&["d", "e"]), None, "{step} {kept:?}");
                if let Some(crash) = crash {
                    log.crash(crash);
                }
                log.whole();
                // Others come first this time; those that failed come again.
                log.append(&["x"]).unwrap();
                let first = log.append(&["e", "d"]).unwrap();
                assert_eq!(log.append(&["e", "d"]).unwrap(), first);
                let entries = log.whole();
                assert_eq!(entries.len(), 6, "{step} {kept:?} {crash:?}");
            }
        }
    }
}

#[test]
fn a_failed_step_of_a_start_leaves_all_as_it_was() {
    for kept in [Kept::No, Kept::Yes] {
        let mut log = Watched::new();
        log.append(&["a", "b"]).unwrap();
        log.storage.fail(0, kept);
        assert!(Book::open(log.storage.clone(), key(), true).is_err());
        log.crash(Crash::Lost);
        log.append(&["c"]).unwrap();
        assert_eq!(log.whole().len(), 3);
    }
    // The very first start, cut off before and after its one step.
    for kept in [Kept::No, Kept::Yes] {
        let storage = Memory::default();
        storage.fail(0, kept);
        assert!(Book::open(storage.clone(), key(), false).is_err());
        open(&storage);
    }
}

#[test]
fn an_answer_that_was_lost_is_given_again() {
    let mut log = Watched::new();
    log.append(&["a"]).unwrap();
    // The step after the last: all is on disk, and the reply never left.
    log.append(&["b"]).unwrap();
    log.given.pop();
    log.crash(Crash::Lost);
    assert_eq!(log.append(&["c", "b", "b", "c"]), Some(vec![2, 1, 1, 2]));
    assert_eq!(log.whole().len(), 3);
}

#[test]
fn a_folder_that_was_set_back_is_noticed() {
    let mut log = Watched::new();
    log.append(&["a", "b", "c"]).unwrap();
    let old = log.storage.copied();
    log.append(&["d", "e"]).unwrap();
    let held = log.given.last().unwrap().checkpoint.clone().into_bytes();
    log.book.check_held(&held).unwrap();

    let mut behind = open(&old.copied());
    assert!(matches!(
        behind.check_held(&held),
        Err(LogError::Behind { here: 3, held: 5 })
    ));
    assert!(matches!(
        behind.append(&[entry("x")]),
        Err(LogError::Behind { .. })
    ));
    // As long as nobody shows it, it cannot know; shown, it stops.
    let mut forked = open(&old);
    forked.append(&["x", "y", "z"].map(entry)).unwrap();
    assert!(matches!(
        forked.check_held(&held),
        Err(LogError::Forked { size: 5 })
    ));
    assert!(matches!(forked.part(0), Err(LogError::Forked { .. })));
    assert!(matches!(
        forked.append(&[entry("v")]),
        Err(LogError::Forked { .. })
    ));
}

#[test]
fn the_word_of_others_stops_nothing() {
    let mut log = Watched::new();
    log.append(&["a"]).unwrap();
    let held = log.given[0].checkpoint.clone();
    let mut stranger = Book::open(Memory::default(), key_of(4), false).unwrap();
    let theirs = stranger.append(&["a", "b"].map(entry)).unwrap()[0]
        .checkpoint
        .clone();
    let renamed = theirs.replace(theirs.lines().next().unwrap(), held.lines().next().unwrap());
    log.book.check_held(theirs.as_bytes()).unwrap();
    for foreign in [renamed, held.replace("\n1\n", "\n9\n"), "x".to_owned()] {
        let refused = log.book.check_held(foreign.as_bytes());
        assert!(matches!(refused, Err(LogError::Foreign)), "{foreign}");
    }
    log.append(&["b"]).unwrap();
    log.book.check_held(held.as_bytes()).unwrap();
    log.whole();
}

#[test]
fn a_log_that_is_gone_or_damaged_does_not_start() {
    let mut log = Watched::new();
    log.append(&["a", "b", "c"]).unwrap();
    let error = |storage: Memory, key| Book::open(storage, key, true).err().unwrap().to_string();
    assert!(error(Memory::default(), key()).contains("restore the folder"));
    for growing in [Growing::Entries, Growing::Nodes] {
        let damaged = log.storage.copied();
        damaged.damage(growing);
        assert!(
            error(damaged, key()).contains("restore the folder"),
            "{growing:?}"
        );
    }
    assert!(error(log.storage.copied(), key_of(4)).contains("not one that log.pem signed"));
}

#[test]
fn callers_at_one_time_share_checkpoints_and_all_are_proved() {
    const CALLERS: usize = 8;
    const EACH: usize = 40;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let log = Log::open(&path, key(), false).unwrap();
    let append = |caller: usize, number: usize| {
        let entry = format!("{caller}/{number}").into_bytes();
        let proof = log.append(entry.clone(), Vec::new()).unwrap();
        let signed = proof.signed_checkpoint().unwrap();
        proof.holds_for(&entry, &signed).unwrap();
        proof.index
    };
    let all = || {
        std::thread::scope(|scope| {
            let work = |caller| scope.spawn(move || (0..EACH).map(|n| append(caller, n)).collect());
            let callers: Vec<_> = (0..CALLERS).map(work).collect();
            let joined = callers.into_iter().map(|caller| caller.join().unwrap());
            joined.collect::<Vec<Vec<u64>>>()
        })
    };
    let first = all();
    let mut sorted = first.concat();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..(CALLERS * EACH) as u64).collect::<Vec<_>>());
    assert_eq!(all(), first);
    drop(log);
    let log = Log::open(&path, key(), true).unwrap();
    assert_eq!(log.read(0, &[]).unwrap().entries.len(), CALLERS * EACH);
}

proptest! {
    // Each case is a log of its own with many appends.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_sequence_of_faults_and_crashes_contradicts_what_was_given_out(
        actions in prop::collection::vec((0..2 * STEPS, any::<bool>(), 0..5_u8, 1..4_usize), 1..24),
    ) {
        let mut log = Watched::new();
        for (number, (step, kept, crash, count)) in actions.into_iter().enumerate() {
            // Every second append or so goes well.
            log.storage.fail(step, if kept { Kept::Yes } else { Kept::No });
            let names: Vec<String> = (0..count).map(|n| format!("{}", number * 2 + n)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let _ = log.append(&names);
            log.storage.fail_no_more();
            match crash {
                0 => log.crash(Crash::Lost),
                1 => log.crash(Crash::Kept),
                2 => log.crash(Crash::Torn),
                _ => {}
            }
            let entries = log.whole();
            let mut once = entries.clone();
            once.sort();
            once.dedup();
            prop_assert_eq!(once.len(), entries.len());
        }
    }
}
