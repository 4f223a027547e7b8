//! Runs that wait for an agent, per region. In process here; a queue that other
//! replicas share has the same face. A queue may lose everything at any moment:
//! slots are computed again, and only time is lost.

mod memory;

use std::{fmt, sync::Arc};

use futures_util::future::BoxFuture;
pub use memory::{MemoryQueue, REGION_LIMIT};

use crate::targets::Target;

/// One run to be done: what a lease is made of.
#[derive(Clone, Debug)]
pub struct Work {
    pub run_id: Arc<str>,
    pub target: Arc<Target>,
    pub suite: &'static str,
    pub slot: u64,
    pub slot_at_ms: i64,
    /// When the slot ends; after that nobody wants the run.
    pub ends_at_ms: i64,
    pub region: Arc<str>,
    /// When it was put into the queue.
    pub offered_at_ms: i64,
}

/// Runs of a region that wait, and since when the oldest does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    pub runs: usize,
    pub oldest_at_ms: Option<i64>,
}

/// Why a run could not be queued or taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    #[error("queueing a run: the region's queue is full")]
    Full,
}

/// Due runs, per region, the one whose slot ends first foremost.
pub trait Queue: Send + Sync + fmt::Debug {
    /// Puts a run in; one that is in already stays once.
    fn push(&self, work: Work) -> BoxFuture<'_, Result<(), QueueError>>;
    /// Takes at most `limit` runs out.
    fn take<'q>(
        &'q self,
        region: &'q str,
        limit: usize,
    ) -> BoxFuture<'q, Result<Vec<Work>, QueueError>>;
    /// Takes one run out, if it is in.
    fn remove<'q>(&'q self, work: &'q Work) -> BoxFuture<'q, Result<(), QueueError>>;
    /// What waits in a region.
    fn waiting<'q>(&'q self, region: &'q str) -> BoxFuture<'q, Result<Waiting, QueueError>>;
}
