//! Answers the questions of [`read`](super::read). Reads only; every list is
//! bounded.

mod changes;
mod directory;
mod report;
mod status;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio::sync::watch;

use super::{
    Store, StoreError,
    read::{KeyDocument, TargetView},
};
use crate::{
    clock::SharedClock,
    fleet::view::FleetView,
    history::days::{DAY_MS, OBSERVED_DAYS, ObservedDays, day_of, observed_days},
    schedule::slot::Slots,
    signer::{Isolation, SaidIsolation},
    targets::Target,
};

/// What is known without asking the database.
#[derive(Clone, Debug)]
pub struct Live {
    pub fleet: watch::Receiver<FleetView>,
    /// The last call to the signer got through.
    pub signer_reachable: Arc<AtomicBool>,
    /// What the signer said of its isolation.
    pub signer_isolation: SaidIsolation,
    /// Regions of the configuration, in its order.
    pub regions: Vec<String>,
}

impl Live {
    /// Nobody connected, nothing reached: for tests of pages.
    pub fn nothing(regions: Vec<String>) -> Self {
        Self {
            fleet: watch::channel(FleetView::default()).1,
            signer_reachable: Arc::default(),
            signer_isolation: SaidIsolation::default(),
            regions,
        }
    }

    fn signer_reachable(&self) -> bool {
        self.signer_reachable.load(Ordering::Relaxed)
    }
}

/// The pages' way to the store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Reader {
    store: Store,
    clock: SharedClock,
    live: Live,
}

impl Reader {
    pub fn new(store: Store, clock: SharedClock, live: Live) -> Self {
        Self { store, clock, live }
    }

    pub fn signer_isolation(&self) -> Isolation {
        self.live.signer_isolation.now()
    }

    /// The time by which pages judge age.
    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// The signer's key document as last fetched; `None` when it never was.
    pub async fn keys(&self) -> Result<Option<KeyDocument>, StoreError> {
        self.store.key_document().await
    }

    fn target_view(&self, target: &Target) -> TargetView {
        let slots = Slots::new(&target.target_id, target.tier.cadence_ms());
        TargetView {
            target_id: target.target_id.to_string(),
            slug: target.slug.clone(),
            url: target.url.clone(),
            host: target.host.to_string(),
            source: target.source,
            tier: target.tier,
            regions: target.regions.clone(),
            added_at_ms: target.added_at_ms,
            next_slot_at_ms: slots.ends_at(slots.slot_at(self.now_ms())),
        }
    }

    async fn observed_days(&self, target: &Target) -> Result<ObservedDays, sqlx::Error> {
        let today = day_of(self.now_ms());
        let oldest = today - i64::try_from(OBSERVED_DAYS).unwrap_or(0) + 1;
        let since_ms = oldest * DAY_MS;
        let id = &*target.target_id;
        let runs = self.store.day_runs(id, (since_ms, i64::MAX)).await?;
        let missed = self.store.day_missed(id, (since_ms, i64::MAX)).await?;
        let kept = self.store.kept_days(id, oldest).await?;
        let with_runs = kept.iter().filter(|day| day.runs > 0).map(|day| day.day);
        let first_run = runs.iter().map(|runs| runs.day).chain(with_runs).min();
        let first_day = first_run.unwrap_or(today).min(day_of(target.added_at_ms));
        Ok(observed_days(&runs, &missed, first_day, today).with_kept(&kept, first_day))
    }
}
