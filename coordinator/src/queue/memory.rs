//! The queue of a single coordinator: bounded, in memory, earliest end first.
//! Short cadences come first by that rule, since their slots end sooner.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::{FutureExt as _, future::BoxFuture};

use super::{Queue, QueueError, Waiting, Work};

/// Runs that may wait in one region; a run beyond it is a missed slot.
pub const REGION_LIMIT: usize = 20_000;

type Key = (i64, Arc<str>);
type Regions = HashMap<Arc<str>, Region>;

#[derive(Debug, Default)]
struct Region {
    by_end: BTreeMap<Key, Work>,
    /// The same runs by when they were offered.
    by_age: BTreeSet<Key>,
}

impl Region {
    fn insert(&mut self, key: Key, work: Work) {
        self.by_age
            .insert((work.offered_at_ms, Arc::clone(&work.run_id)));
        if let Some(before) = self.by_end.insert(key, work)
            && let Some(now) = self.by_end.get(&(before.ends_at_ms, before.run_id.clone()))
            && now.offered_at_ms != before.offered_at_ms
        {
            self.by_age.remove(&(before.offered_at_ms, before.run_id));
        }
    }

    fn remove(&mut self, key: &Key) -> Option<Work> {
        let work = self.by_end.remove(key)?;
        self.by_age
            .remove(&(work.offered_at_ms, Arc::clone(&work.run_id)));
        Some(work)
    }

    fn take_first(&mut self) -> Option<Work> {
        let key = self.by_end.first_key_value()?.0.clone();
        self.remove(&key)
    }
}

/// See the module.
#[derive(Debug)]
pub struct MemoryQueue {
    regions: Mutex<Regions>,
    region_limit: usize,
}

impl Default for MemoryQueue {
    fn default() -> Self {
        Self::new(REGION_LIMIT)
    }
}

impl MemoryQueue {
    pub fn new(region_limit: usize) -> Self {
        Self {
            regions: Mutex::default(),
            region_limit,
        }
    }

    /// No code that holds the lock can panic half-way through a change.
    fn regions(&self) -> MutexGuard<'_, Regions> {
        self.regions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, work: Work) -> Result<(), QueueError> {
        let mut regions = self.regions();
        let region = regions.entry(Arc::clone(&work.region)).or_default();
        let key = (work.ends_at_ms, Arc::clone(&work.run_id));
        if region.by_end.len() >= self.region_limit && !region.by_end.contains_key(&key) {
            return Err(QueueError::Full);
        }
        region.insert(key, work);
        Ok(())
    }
}

impl Queue for MemoryQueue {
    fn push(&self, work: Work) -> BoxFuture<'_, Result<(), QueueError>> {
        std::future::ready(self.put(work)).boxed()
    }

    fn take<'q>(
        &'q self,
        region: &'q str,
        limit: usize,
    ) -> BoxFuture<'q, Result<Vec<Work>, QueueError>> {
        let mut taken = Vec::new();
        if let Some(waiting) = self.regions().get_mut(region) {
            while taken.len() < limit {
                let Some(work) = waiting.take_first() else {
                    break;
                };
                taken.push(work);
            }
        }
        std::future::ready(Ok(taken)).boxed()
    }

    fn remove<'q>(&'q self, work: &'q Work) -> BoxFuture<'q, Result<(), QueueError>> {
        if let Some(waiting) = self.regions().get_mut(&work.region) {
            let _was_in = waiting.remove(&(work.ends_at_ms, Arc::clone(&work.run_id)));
        }
        std::future::ready(Ok(())).boxed()
    }

    fn waiting<'q>(&'q self, region: &'q str) -> BoxFuture<'q, Result<Waiting, QueueError>> {
        let waiting = self.regions().get(region).map(|region| Waiting {
            runs: region.by_end.len(),
            oldest_at_ms: region.by_age.first().map(|(at_ms, _)| *at_ms),
        });
        std::future::ready(Ok(waiting.unwrap_or_default())).boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::tests_support::target;

    fn work(name: &str, ends_at_ms: i64) -> Work {
        Work {
            run_id: name.into(),
            target: Arc::new(target("https://a.example/mcp")),
            suite: "mcp",
            slot: 1,
            slot_at_ms: 0,
            ends_at_ms,
            region: "fra".into(),
            offered_at_ms: 100 - ends_at_ms,
        }
    }

    #[tokio::test]
    async fn the_run_whose_slot_ends_first_comes_first_and_none_twice() {
        let queue = MemoryQueue::new(3);
        for (name, ends_at_ms) in [("late", 9), ("soon", 1), ("middle", 5), ("soon", 1)] {
            queue.push(work(name, ends_at_ms)).await.unwrap();
        }
        assert_eq!(queue.push(work("more", 2)).await, Err(QueueError::Full));
        queue.remove(&work("middle", 5)).await.unwrap();
        // Offered again while it waits: it waits since then.
        let again = Work {
            offered_at_ms: 200,
            ..work("soon", 1)
        };
        queue.push(again).await.unwrap();
        let waiting = |runs, oldest_at_ms| Ok(Waiting { runs, oldest_at_ms });
        assert_eq!(queue.waiting("fra").await, waiting(2, Some(91)));
        assert!(queue.take("iad", 9).await.unwrap().is_empty());
        let taken = queue.take("fra", 9).await.unwrap();
        let names: Vec<_> = taken.iter().map(|work| &*work.run_id).collect();
        assert_eq!(names, ["soon", "late"]);
        assert_eq!(queue.waiting("fra").await, waiting(0, None));
    }
}
