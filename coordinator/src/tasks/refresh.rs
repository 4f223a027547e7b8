//! Keeps what the signer says at hand: its key document for the pages, its
//! roster for the fleet. Also says when the signer goes and comes back, and when
//! results cannot be stored.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use touchstone_telemetry::Chain;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{
    backoff::pause,
    event::{Event, Events},
    fleet::roster::Roster,
    random::SharedRandom,
    signer::Signer,
    store::read::StoreHealth,
};

/// How often key document and roster are fetched; so long may a revoked agent
/// go on.
pub const REFRESH_EVERY: Duration = Duration::from_secs(30);
const AWAY_FIRST: Duration = Duration::from_millis(250);
const AWAY_LIMIT: Duration = Duration::from_secs(10);

/// See the module.
#[derive(Clone, Debug)]
pub struct Refresh {
    pub store_health: watch::Receiver<StoreHealth>,
    pub signer: Signer,
    pub roster: Arc<Roster>,
    pub random: SharedRandom,
    pub events: Events,
}

impl Refresh {
    /// Works until `end` is cancelled.
    pub async fn run(mut self, end: CancellationToken) {
        let mut failures = 0;
        let mut told = None;
        loop {
            let fetched = self.once().await;
            let reached = self.signer.reachable().load(Ordering::Relaxed);
            let state = (reached, self.signer.isolation().now());
            if told.as_ref() != Some(&state) {
                let (reachable, isolation) = state.clone();
                told = Some(state);
                self.events.tell(Event::Signer {
                    reachable,
                    isolation,
                });
            }
            let wait = if fetched {
                failures = 0;
                REFRESH_EVERY
            } else {
                failures += 1;
                pause(AWAY_FIRST, AWAY_LIMIT, failures - 1, &*self.random)
            };
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                Ok(()) = self.store_health.changed() => {
                    let health = *self.store_health.borrow_and_update();
                    self.events.tell(Event::Store { health });
                }
                () = end.cancelled() => return,
            }
        }
    }

    async fn once(&self) -> bool {
        let refreshed = self.roster.refresh().await;
        if let Err(error) = &refreshed {
            tracing::debug!(
                error = %Chain(error),
                "key document and roster not refreshed"
            );
        }
        refreshed.is_ok()
    }
}
