//! The queue of a single coordinator: bounded, in memory, earliest end first.
//! Short cadences come first by that rule, since their slots end sooner.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::{FutureExt as _, future::BoxFuture};
use tokio::time::Instant;

use super::{CLAIM_AFTER, Queue, QueueError, Queued, REGION_LIMIT};

/// See the module.
#[derive(Debug)]
pub struct MemoryQueue {
    regions: Mutex<HashMap<Arc<str>, Region>>,
    region_limit: usize,
    claim_after: Duration,
}

#[derive(Debug, Default)]
struct Region {
    waiting: BTreeMap<(i64, Arc<str>), Queued>,
    taken: BTreeMap<(Instant, Arc<str>), Queued>,
    /// Where each run is; the time is that of its taking.
    places: HashMap<Arc<str>, Option<Instant>>,
}

impl Default for MemoryQueue {
    fn default() -> Self {
        Self::new(REGION_LIMIT, CLAIM_AFTER)
    }
}

impl MemoryQueue {
    pub fn new(region_limit: usize, claim_after: Duration) -> Self {
        Self {
            regions: Mutex::default(),
            region_limit,
            claim_after,
        }
    }

    /// No code that holds the lock can panic half-way through a change.
    fn regions(&self) -> MutexGuard<'_, HashMap<Arc<str>, Region>> {
        self.regions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, run: &Queued) -> Result<(), QueueError> {
        let mut regions = self.regions();
        let region = regions.entry(Arc::clone(&run.region)).or_default();
        if region.places.contains_key(&run.run_id) {
            return Ok(());
        }
        if region.places.len() >= self.region_limit {
            return Err(QueueError::Full);
        }
        region.places.insert(Arc::clone(&run.run_id), None);
        let key = (run.ends_at_ms, Arc::clone(&run.run_id));
        region.waiting.insert(key, run.clone());
        Ok(())
    }
}

impl Region {
    fn take(&mut self, limit: usize, claim_after: Duration) -> Vec<Queued> {
        let now = Instant::now();
        let mut runs = Vec::new();
        while runs.len() < limit
            && let Some(first) = self.taken.first_entry()
            && now.duration_since(first.key().0) >= claim_after
        {
            runs.push(first.remove());
        }
        while runs.len() < limit
            && let Some((_, run)) = self.waiting.pop_first()
        {
            runs.push(run);
        }
        for run in &runs {
            self.places.insert(Arc::clone(&run.run_id), Some(now));
            self.taken
                .insert((now, Arc::clone(&run.run_id)), run.clone());
        }
        runs
    }

    fn remove(&mut self, run: &Queued) {
        match self.places.remove(&run.run_id) {
            None => {}
            Some(None) => {
                self.waiting
                    .remove(&(run.ends_at_ms, Arc::clone(&run.run_id)));
            }
            Some(Some(at)) => {
                self.taken.remove(&(at, Arc::clone(&run.run_id)));
            }
        }
    }
}

impl Queue for MemoryQueue {
    fn push<'q>(&'q self, run: &'q Queued) -> BoxFuture<'q, Result<(), QueueError>> {
        std::future::ready(self.put(run)).boxed()
    }

    fn take<'q>(
        &'q self,
        region: &'q str,
        limit: usize,
    ) -> BoxFuture<'q, Result<Vec<Queued>, QueueError>> {
        let taken = self
            .regions()
            .get_mut(region)
            .map_or_else(Vec::new, |region| region.take(limit, self.claim_after));
        std::future::ready(Ok(taken)).boxed()
    }

    fn remove<'q>(&'q self, run: &'q Queued) -> BoxFuture<'q, Result<(), QueueError>> {
        if let Some(region) = self.regions().get_mut(&run.region) {
            region.remove(run);
        }
        std::future::ready(Ok(())).boxed()
    }

    fn depth<'q>(&'q self, region: &'q str) -> BoxFuture<'q, Result<usize, QueueError>> {
        let regions = self.regions();
        let depth = regions.get(region).map_or(0, |region| region.waiting.len());
        std::future::ready(Ok(depth)).boxed()
    }
}
