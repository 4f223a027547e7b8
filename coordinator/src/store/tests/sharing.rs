//! Several writers at once, and a writer that dies between the commit and the
//! acknowledgement.

use std::{collections::BTreeSet, sync::Arc};

use sqlx::Executor as _;
use tokio::task::JoinSet;

use super::{Fixture, NOON_MS, current_slot, result, seed, slots};
use crate::{
    schedule::Missed,
    store::{
        Agent, NewRun, Options, Recorded, Store,
        read::{MissedCause, StoreHealth},
    },
};

const STORED: Recorded = Recorded::Stored { was_missed: false };

on_both_engines!(
    of_many_writers_one_is_first,
    a_batch_is_told_apart_run_by_run,
    what_was_committed_is_there_after_a_crash,
    a_slot_is_never_both_missed_and_stored_whoever_is_faster,
    results_that_come_late_at_once_each_take_their_slot_out_of_the_range,
    targets_that_two_add_at_once_are_added_once,
    what_the_signer_and_hosts_told_us_is_kept,
);

impl Fixture {
    /// A second process on the same database, patient like a real one.
    async fn another(&self) -> Store {
        Store::open(Options::new(self.options().url)).await.unwrap()
    }
}

async fn of_many_writers_one_is_first(fixture: Fixture) {
    let target = fixture.target("https://a.example/mcp").await;
    let stores = [fixture.another().await, fixture.another().await];
    let newest = current_slot(&target);
    for round in 0..10 {
        let mut writing = JoinSet::new();
        for writer in 0..4 {
            let slot = |back: u64| newest - round * 5 - back;
            // The same runs in another order, by each with another result.
            let mut batch: Vec<NewRun> = (0..5)
                .map(|back| result(&target, slot(back), &format!("by {writer}")))
                .collect();
            if writer % 2 == 1 {
                batch.reverse();
            }
            let store = stores[writer % 2].clone();
            writing.spawn(async move { store.record(Arc::new(batch), NOON_MS).await.unwrap() });
        }
        let recorded: Vec<Recorded> = writing.join_all().await.concat();
        let count = |kind| recorded.iter().filter(|one| **one == kind).count();
        assert_eq!(count(STORED), 5, "one result a run");
        assert_eq!(count(Recorded::Conflict), 15);
    }
    assert_eq!(fixture.store.backlog().await.unwrap().pending, 50);
}

async fn a_batch_is_told_apart_run_by_run(fixture: Fixture) {
    let target = fixture.target("https://a.example/mcp").await;
    let slot = current_slot(&target);
    fixture.record(result(&target, slot, "before")).await;
    let batch = vec![
        result(&target, slot, "another"),
        result(&target, slot - 1, "new"),
        result(&target, slot, "before"),
        result(&target, slot - 1, "new"),
        result(&target, slot - 1, "newer"),
    ];
    let recorded = fixture.store.record(Arc::new(batch), NOON_MS).await;
    assert_eq!(
        recorded.unwrap(),
        [
            Recorded::Conflict,
            STORED,
            Recorded::AlreadyStored,
            Recorded::AlreadyStored,
            Recorded::Conflict,
        ]
    );
    let nothing = fixture.store.record(Arc::default(), NOON_MS).await;
    assert!(nothing.unwrap().is_empty());
}

async fn what_was_committed_is_there_after_a_crash(fixture: Fixture) {
    let target = fixture.target("https://a.example/mcp").await;
    let run = result(&target, current_slot(&target), "one");
    assert_eq!(fixture.record(run.clone()).await, STORED);
    // Nobody was told; the connections are cut off and not closed.
    let after = fixture.another().await;
    let again = after.record(Arc::new(vec![run.clone()]), NOON_MS).await;
    assert_eq!(again.unwrap(), [Recorded::AlreadyStored]);
    let pending = after.pending(NOON_MS, 9).await.unwrap();
    assert_eq!(pending.len(), 1, "and it waits for the signer once");
}

async fn a_slot_is_never_both_missed_and_stored_whoever_is_faster(fixture: Fixture) {
    let target = fixture.target("https://a.example/mcp").await;
    let other = fixture.another().await;
    let newest = current_slot(&target);
    for back in 0..20 {
        let slot = newest - back;
        let run = result(&target, slot, "late");
        let missed = Missed {
            target: Arc::clone(&target),
            first_slot: slot,
            last_slot: slot,
            first_at_ms: slots(&target).starts_at(slot),
            last_at_ms: slots(&target).starts_at(slot),
            region: "fra".to_owned(),
            cause: MissedCause::NoAgent,
        };
        let (stored, recorded) = tokio::join!(
            other.record(Arc::new(vec![run]), NOON_MS),
            fixture
                .store
                .record_missed(Arc::new(vec![missed.clone()]), NOON_MS),
        );
        // Told as missed, it is told as not missed; else it never was.
        if let Ok(parts) = recorded {
            let was_missed = !parts[0].is_empty();
            assert_eq!(stored.unwrap(), [Recorded::Stored { was_missed }]);
        } else {
            // This one waits 20 ms and no longer; then it comes again.
            assert_eq!(stored.unwrap(), [STORED]);
            let again = other.record_missed(Arc::new(vec![missed]), NOON_MS);
            assert!(again.await.unwrap()[0].is_empty());
        }
    }
    let report = fixture.reader().report(&target.slug, None).await;
    assert!(report.unwrap().unwrap().missed.is_empty());
}

async fn results_that_come_late_at_once_each_take_their_slot_out_of_the_range(fixture: Fixture) {
    const SLOTS: u64 = 24;
    let target = fixture.target("https://a.example/mcp").await;
    let newest = current_slot(&target);
    let first_slot = newest - SLOTS;
    let missed = Missed {
        target: Arc::clone(&target),
        first_slot,
        last_slot: newest,
        first_at_ms: slots(&target).starts_at(first_slot),
        last_at_ms: slots(&target).starts_at(newest),
        region: "fra".to_owned(),
        cause: MissedCause::NoAgent,
    };
    let recorded = fixture.store.record_missed(Arc::new(vec![missed]), NOON_MS);
    recorded.await.unwrap();
    let mut writing = JoinSet::new();
    for slot in first_slot..newest {
        let store = fixture.another().await;
        let run = result(&target, slot, "late");
        writing.spawn(async move { store.record(Arc::new(vec![run]), NOON_MS).await.unwrap() });
    }
    for recorded in writing.join_all().await {
        assert_eq!(recorded, [Recorded::Stored { was_missed: true }]);
    }
    let report = fixture.reader().report(&target.slug, None).await;
    let missed = report.unwrap().unwrap().missed;
    let left: Vec<_> = missed.iter().map(|m| (m.first_slot, m.last_slot)).collect();
    assert_eq!(left, [(newest, newest)]);
}

async fn targets_that_two_add_at_once_are_added_once(fixture: Fixture) {
    let urls = ["https://a.example/mcp", "http://a.example/mcp"];
    let mut adding = JoinSet::new();
    for index in 0..4 {
        let store = fixture.another().await;
        let mut seeds = urls.map(seed).to_vec();
        if index % 2 == 1 {
            seeds.reverse();
        }
        adding.spawn(async move { store.add_targets(seeds, NOON_MS).await.unwrap() });
    }
    let added: usize = adding.join_all().await.into_iter().sum();
    assert_eq!(added, urls.len());
    let known = fixture.store.known_targets().await.unwrap();
    let slugs: BTreeSet<_> = known.iter().map(|known| &known.target.slug).collect();
    assert_eq!(slugs.len(), urls.len());
}

async fn what_the_signer_and_hosts_told_us_is_kept(fixture: Fixture) {
    let store = &fixture.store;
    let agent = |seed: u8| Agent {
        agent_key_id: format!("{seed:02x}").repeat(32),
        public_key: [seed; 32],
        region: "fra".to_owned(),
        enrolled_at_ms: 1,
        revoked_at_ms: 0,
    };
    store.keep_agents(vec![agent(1), agent(2)]).await.unwrap();
    store.keep_agents(vec![agent(3), agent(2)]).await.unwrap();
    assert_eq!(store.agents().await.unwrap(), [agent(2), agent(3)]);
    let another = fixture.another().await;
    let key = store.lease_key([1; 32], NOON_MS).await.unwrap();
    assert_eq!(another.lease_key([2; 32], NOON_MS).await.unwrap(), key);
    store.keep_key_document(vec![0, 255], 1).await.unwrap();
    store.keep_key_document(vec![255, 0], 2).await.unwrap();
    let document = another.key_document().await.unwrap().unwrap();
    assert_eq!(
        (document.document, document.fetched_at_ms),
        (vec![255, 0], 2)
    );

    let target = fixture.target("https://a.example/mcp").await;
    let slot = current_slot(&target);
    for (back, until_ms) in [(0, 60), (1, 30), (2, 90)] {
        let wait = Some((Arc::from("a.example"), NOON_MS + until_ms));
        let run = result(&target, slot - back, &format!("wait {back}"));
        fixture.record(NewRun { wait, ..run }).await;
    }
    let waits = another.waits(NOON_MS).await.unwrap();
    assert_eq!(
        waits,
        [("a.example".to_owned(), NOON_MS + 90)],
        "the longest"
    );
    assert!(another.waits(NOON_MS + 90).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_server_that_ends_all_connections_is_reached_again() {
    let fixture = Fixture::postgres().await;
    let target = fixture.target("https://a.example/mcp").await;
    let mut other = fixture.other_connection().await;
    for back in 0..3 {
        other
            .execute(
                // In a CASE, so that nobody else's connection is met.
                "SELECT CASE WHEN datname = current_database() AND pid <> pg_backend_pid() \
                 THEN pg_terminate_backend(pid) END AS ended FROM pg_stat_activity",
            )
            .await
            .unwrap();
        let run = result(&target, current_slot(&target) - back, "after");
        assert_eq!(fixture.record(run).await, STORED);
    }
    assert_eq!(fixture.store.health(), StoreHealth::Ok);
}
