//! Deletes runs that are older than they are kept, a few at a time, and then the
//! bodies that nothing refers to any more. What the days said stays.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::{
    backoff::pause,
    clock::SharedClock,
    history::days::day_of,
    random::SharedRandom,
    store::{Pruned, Store, StoreError},
};

/// From the end of one look through all targets to the next.
pub const PRUNE_EVERY: Duration = Duration::from_hours(6);
/// Before the first, so that a start is not made slower.
const FIRST_AFTER: Duration = Duration::from_mins(2);
/// Between two transactions, for others to write in.
const BETWEEN: Duration = Duration::from_millis(50);

/// See the module.
#[derive(Debug)]
pub struct Prune {
    pub store: Store,
    pub clock: SharedClock,
    pub random: SharedRandom,
    /// How long runs are kept; `None`: for ever.
    pub kept_days: Option<u32>,
}

impl Prune {
    /// Works until `end` is cancelled.
    pub async fn run(self, end: CancellationToken) {
        let Some(kept_days) = self.kept_days else {
            return end.cancelled().await;
        };
        // Replicas do not all look at once.
        let mut wait = pause(FIRST_AFTER, FIRST_AFTER, 0, &*self.random);
        loop {
            tokio::select! {
                () = end.cancelled() => return,
                () = tokio::time::sleep(wait) => {}
            }
            tokio::select! {
                () = end.cancelled() => return,
                // A failure is logged by the store; what is left is left to the next time.
                _ = self.prune(kept_days) => {}
            }
            wait = pause(PRUNE_EVERY, PRUNE_EVERY, 0, &*self.random);
        }
    }

    /// Looks through all targets once.
    pub async fn prune(&self, kept_days: u32) -> Result<(), StoreError> {
        let before_day = day_of(self.clock.now_ms()) - i64::from(kept_days);
        let (mut runs, mut bodies) = (0, 0);
        let mut after = String::new();
        loop {
            let targets = self.store.targets_with_old_runs(&after, before_day).await?;
            let Some(last) = targets.last() else {
                break;
            };
            after.clone_from(last);
            for target_id in &targets {
                runs += self.prune_target(target_id, before_day).await?;
            }
        }
        loop {
            let now_ms = self.clock.now_ms();
            let Pruned { rows, more } = self.store.prune_bodies(before_day, now_ms).await?;
            bodies += rows;
            if !more {
                break;
            }
            tokio::time::sleep(BETWEEN).await;
        }
        if runs > 0 || bodies > 0 {
            tracing::info!(runs, bodies, kept_days, "pruned");
        }
        Ok(())
    }

    async fn prune_target(&self, target_id: &str, before_day: i64) -> Result<usize, StoreError> {
        let mut runs = 0;
        loop {
            let Pruned { rows, more } = self.store.prune_runs(target_id, before_day).await?;
            runs += rows;
            if !more {
                break;
            }
            tokio::time::sleep(BETWEEN).await;
        }
        let now_ms = self.clock.now_ms();
        self.store
            .keep_bodies(target_id, before_day, now_ms)
            .await?;
        Ok(runs)
    }
}
