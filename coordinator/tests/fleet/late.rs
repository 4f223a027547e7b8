//! A slot that was told as missed and whose result comes after all: who keeps
//! books by the events has the slot as stored, and nothing else changed.

use std::{collections::BTreeMap, sync::Arc};

use touchstone_coordinator::{
    Event,
    clock::{Clock as _, FixedClock, SystemClock},
};
use touchstone_proto::fleet::Outcome;

use super::{URL, connect, lease};
use crate::support::{Coordinator, Engines, Site, agent::Identity, signer::FakeSigner};

// Which slots passed is the store's to know; the queue has no part in it.
#[tokio::test]
async fn on_sqlite() {
    a_result_that_comes_late_takes_back_that_its_slot_was_missed(Engines::SqliteAndMemory).await;
}

#[tokio::test]
async fn on_postgres() {
    a_result_that_comes_late_takes_back_that_its_slot_was_missed(Engines::PostgresAndMemory).await;
}

/// From a slot of an unclaimed target to the next.
const CADENCE_MS: i64 = 12 * 3_600_000;

/// What a reader of the events believes of each slot.
#[derive(Debug, Default)]
struct Books(BTreeMap<u64, &'static str>);

impl Books {
    fn read(&mut self, event: &Event) {
        match event {
            Event::Missed {
                first_slot,
                last_slot,
                ..
            } => {
                for slot in *first_slot..=*last_slot {
                    assert_eq!(self.0.insert(slot, "missed"), None, "{slot} missed twice");
                }
            }
            Event::Run { slot, .. } if self.0.get(slot) != Some(&"missed") => {
                self.0.insert(*slot, "stored");
            }
            Event::NotMissed { slot, .. } => {
                assert_eq!(self.0.insert(*slot, "stored"), Some("missed"), "{slot}");
            }
            _ => {}
        }
    }
}

async fn a_result_that_comes_late_takes_back_that_its_slot_was_missed(engines: Engines) {
    let site = Site::new(engines).await;
    let agents = vec![Identity::new(1).entry("local")];
    let _signer = FakeSigner::start(&site.path("signer.sock"), agents);
    let clock = Arc::new(FixedClock::new(SystemClock.now_ms()));
    let start = async || Coordinator::start_at(site.config(&[URL]), clock.clone()).await;
    let coordinator = start().await;
    let mut agent = connect(&site, 1).await;
    let held = lease(&mut agent).await;
    drop(agent);
    coordinator.stop().await;

    // Four slots later: that of the lease and the three after it have passed.
    clock.set(clock.now_ms() + 4 * CADENCE_MS);
    let mut coordinator = start().await;
    let mut books = Books::default();
    coordinator
        .event("the missed slots", |event| {
            books.read(&event);
            (books.0.len() == 4).then_some(())
        })
        .await;
    let mut agent = connect(&site, 1).await;
    let late = agent.identity.report(&held, "{}");
    assert_eq!(agent.deliver(late.clone()).await, Outcome::Stored);
    assert_eq!(agent.deliver(late).await, Outcome::AlreadyStored);
    let run_id = coordinator
        .event("that it was not missed", |event| {
            books.read(&event);
            match event {
                Event::NotMissed { run_id, .. } => Some(run_id),
                _ => None,
            }
        })
        .await;
    assert_eq!(run_id, held.run_id);
    let slots: Vec<_> = books.0.into_iter().collect();
    assert_eq!(
        slots,
        [
            (held.slot, "stored"),
            (held.slot + 1, "missed"),
            (held.slot + 2, "missed"),
            (held.slot + 3, "missed")
        ]
    );
    drop(agent);
    coordinator.stop().await;
}
