//! Writes missed slots into the store, in batches, and does not give up on one:
//! while the store is away they wait here, up to a bound at which the
//! dispatcher waits too.

use std::{sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;

use crate::{
    backoff::pause,
    clock::SharedClock,
    event::{Event, Events},
    fleet::line::LineEnd,
    metrics::metrics,
    random::SharedRandom,
    schedule::Missed,
    store::{Store, read::MissedSlots},
};

/// Missed slots that may wait to be recorded.
pub const MISSED_LIMIT: usize = 4_096;
const BATCH_LIMIT: usize = 512;
const AWAY_FIRST: Duration = Duration::from_millis(250);
const AWAY_LIMIT: Duration = Duration::from_secs(10);

/// See the module.
#[derive(Debug)]
pub struct RecordMissed {
    pub store: Store,
    pub clock: SharedClock,
    pub random: SharedRandom,
    pub events: Events,
    pub missed: LineEnd,
}

impl RecordMissed {
    /// Works until the dispatcher is gone and all it sent is recorded, or, while
    /// the store is away, until `end` is cancelled.
    pub async fn run(mut self, end: CancellationToken) {
        loop {
            let missed = Arc::new(self.missed.take(BATCH_LIMIT).await);
            if missed.is_empty() {
                return;
            }
            let mut failures = 0;
            while !self.record(&missed).await {
                let wait = pause(AWAY_FIRST, AWAY_LIMIT, failures, &*self.random);
                failures += 1;
                tokio::select! {
                    () = tokio::time::sleep(wait) => {}
                    () = end.cancelled() => {
                        tracing::warn!(ranges = missed.len(), "missed slots are left for the next start");
                        return;
                    }
                }
            }
            self.missed.record(missed.len());
        }
    }

    /// Stores the ranges and tells of them; a failure is logged by the store.
    async fn record(&self, missed: &Arc<Vec<Missed>>) -> bool {
        let _order = self.events.in_order().await;
        let now_ms = self.clock.now_ms();
        let recorded = self.store.record_missed(Arc::clone(missed), now_ms).await;
        let Ok(recorded) = recorded else {
            return false;
        };
        for (missed, parts) in missed.iter().zip(&recorded) {
            for part in parts {
                self.tell(missed, part);
            }
        }
        true
    }

    fn tell(&self, missed: &Missed, part: &MissedSlots) {
        tracing::info!(
            target.id = &*missed.target.target_id,
            slot.first = part.first_slot,
            slot.last = part.last_slot,
            cause = missed.cause.as_str(),
            "slots passed without a result"
        );
        let slots = part.last_slot.saturating_sub(part.first_slot) + 1;
        metrics().missed(missed.cause.as_str(), slots);
        self.events.tell(Event::Missed {
            target_id: missed.target.target_id.to_string(),
            url: missed.target.url.clone(),
            slug: missed.target.slug.clone(),
            first_slot: part.first_slot,
            last_slot: part.last_slot,
            cause: missed.cause,
        });
    }
}
