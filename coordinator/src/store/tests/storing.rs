//! What is stored, once and whole.

use std::sync::Arc;

use touchstone_proto::observation::SignedObservation;

use super::{Fixture, NOON_MS, current_slot, result, slots};
use crate::{
    schedule::{Missed, slot::run_id},
    store::{CONFLICTS_LIMIT, Recorded, read::MissedCause, row},
};

on_both_engines!(
    the_first_result_of_a_slot_is_the_result,
    a_body_that_many_runs_saw_is_stored_once,
    targets_are_added_once_and_slugs_never_meet,
    a_slot_is_never_both_missed_and_stored,
);

async fn the_first_result_of_a_slot_is_the_result(fixture: Fixture) {
    let target = fixture.target("https://a.example/mcp").await;
    let slot = current_slot(&target);
    assert_eq!(
        fixture.record(result(&target, slot, "one")).await,
        Recorded::Stored { was_missed: false }
    );
    assert_eq!(
        fixture.record(result(&target, slot, "one")).await,
        Recorded::AlreadyStored
    );
    for other in 0..CONFLICTS_LIMIT + 3 {
        let conflict = result(&target, slot, &format!("other {other}"));
        assert_eq!(fixture.record(conflict).await, Recorded::Conflict);
    }
    let id = run_id(&target.target_id, "mcp", slot, "fra");
    let signed = fixture.store.signed(&id).await.unwrap().unwrap();
    let first = result(&target, slot, "one");
    assert_eq!(
        signed,
        SignedObservation {
            observation: first.observation,
            signature: first.signature,
            agent_key_id: first.agent_key_id,
            bodies: vec!["one".into()],
        }
    );
    let report = fixture
        .reader()
        .report(&target.slug, None)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        i64::from(report.run.unwrap().run.conflicts),
        CONFLICTS_LIMIT
    );
}

async fn a_body_that_many_runs_saw_is_stored_once(fixture: Fixture) {
    let target = fixture.target("https://a.example/mcp").await;
    let slot = current_slot(&target);
    for slot in slot - 3..=slot {
        fixture.record(result(&target, slot, "the same")).await;
    }
    let mut other = fixture.other_connection().await;
    let row = sqlx::query("SELECT COUNT(*) AS n FROM bodies")
        .fetch_one(&mut other)
        .await
        .unwrap();
    assert_eq!(row::unsigned(&row, "n").unwrap(), 1);
}

async fn targets_are_added_once_and_slugs_never_meet(fixture: Fixture) {
    let urls = [
        "https://a.example/mcp",
        "http://a.example/mcp",
        "https://a.example/mcp?x",
    ];
    for _ in 0..2 {
        for url in urls {
            fixture.target(url).await;
        }
    }
    let known = fixture.store.known_targets().await.unwrap();
    let mut slugs: Vec<_> = known
        .iter()
        .map(|known| known.target.slug.clone())
        .collect();
    slugs.sort();
    slugs.dedup();
    assert_eq!(slugs.len(), urls.len());
    assert!(slugs.contains(&"a.example-mcp".to_owned()));
    assert!(known.iter().all(|known| known.known_at_ms.is_none()));
}

async fn a_slot_is_never_both_missed_and_stored(fixture: Fixture) {
    let target = fixture.target("https://a.example/mcp").await;
    let slot = current_slot(&target);
    let missed = |first, last| Missed {
        target: Arc::clone(&target),
        first_slot: first,
        last_slot: last,
        first_at_ms: slots(&target).starts_at(first),
        last_at_ms: slots(&target).starts_at(last),
        region: "fra".to_owned(),
        cause: MissedCause::NoAgent,
    };
    let record = async |ranges: Vec<Missed>| {
        fixture
            .store
            .record_missed(Arc::new(ranges), NOON_MS)
            .await
            .unwrap();
        let report = fixture
            .reader()
            .report(&target.slug, None)
            .await
            .unwrap()
            .unwrap();
        let ranges = report.missed.iter();
        ranges
            .map(|m| (slot - m.first_slot, slot - m.last_slot))
            .collect::<Vec<_>>()
    };
    assert_eq!(record(vec![missed(slot - 9, slot - 5)]).await, [(9, 5)]);
    assert_eq!(
        record(vec![missed(slot - 4, slot - 4)]).await,
        [(9, 4)],
        "one range, longer"
    );
    assert_eq!(
        record(vec![missed(slot - 9, slot - 9)]).await,
        [(9, 4)],
        "twice is once"
    );
    assert_eq!(
        fixture.record(result(&target, slot - 6, "late")).await,
        Recorded::Stored { was_missed: true }
    );
    assert_eq!(record(vec![]).await, [(5, 4), (9, 7)]);
    assert_eq!(
        fixture.record(result(&target, slot - 1, "ran")).await,
        Recorded::Stored { was_missed: false }
    );
    assert_eq!(
        record(vec![missed(slot - 2, slot)]).await,
        [(0, 0), (2, 2), (5, 4), (9, 7)],
        "a stored slot is left out"
    );
    let again = Arc::new(vec![missed(slot - 2, slot)]);
    let told = fixture.store.record_missed(again, NOON_MS).await.unwrap();
    let told: Vec<_> = told[0]
        .iter()
        .map(|m| (slot - m.first_slot, slot - m.last_slot))
        .collect();
    assert_eq!(told, [(2, 2), (0, 0)], "and said to be");
    let known = fixture.store.known_targets().await.unwrap();
    assert_eq!(known[0].known_at_ms, Some(slots(&target).starts_at(slot)));
}
