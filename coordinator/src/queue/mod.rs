//! Runs that wait for an agent, per region: in process, or in Redis where other
//! replicas share them. A queue may lose everything at any moment: slots are
//! computed again, and only time is lost. It holds names alone, no URL and no
//! secret.
//!
//! A run that is taken stays in the queue until it is removed; whoever took it
//! and does not remove it in time has died, and the run is taken once more.

mod memory;
mod redis;
#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
pub use memory::MemoryQueue;
pub use redis::{Namespace, RedisQueue};

use crate::{service_url::ServiceUrl, targets::Target};

/// Runs of one region that a queue holds; a run beyond it is a missed slot.
pub const REGION_LIMIT: usize = 20_000;
/// A run that was taken this long ago and not removed may be taken again. Longer
/// than a lease lasts, so that only the runs of the dead are.
pub const CLAIM_AFTER: Duration = Duration::from_secs(30);

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
}

/// The name of a run: what a queue holds of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queued {
    pub run_id: Arc<str>,
    pub target_id: Arc<str>,
    pub suite: String,
    pub slot: u64,
    pub ends_at_ms: i64,
    pub region: Arc<str>,
}

impl From<&Work> for Queued {
    fn from(work: &Work) -> Self {
        Self {
            run_id: Arc::clone(&work.run_id),
            target_id: Arc::clone(&work.target.target_id),
            suite: work.suite.to_owned(),
            slot: work.slot,
            ends_at_ms: work.ends_at_ms,
            region: Arc::clone(&work.region),
        }
    }
}

/// Why a run could not be queued or taken.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    #[error("queueing a run: the region's queue is full")]
    Full,
    /// What was pushed and not taken is to be pushed again.
    #[error("taking runs: the queue lost what was in it")]
    Lost,
    #[error("{doing}: Redis does not answer")]
    Redis {
        doing: &'static str,
        source: ::redis::RedisError,
    },
    #[error("{doing}: Redis did not answer just now and is asked again later")]
    Away { doing: &'static str },
}

/// Why a queue URL cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueUrlError {
    #[error("it is neither a redis: nor a rediss: URL")]
    Scheme,
    #[error("it is no URL; write redis://:PASSWORD@HOST:PORT")]
    Unreadable,
}

/// Says what is wrong with a queue URL before anything is opened.
pub fn check_url(url: &ServiceUrl) -> Result<(), QueueUrlError> {
    if !matches!(url.scheme(), "redis" | "rediss") {
        return Err(QueueUrlError::Scheme);
    }
    redis::client(url).map(drop)
}

/// Due runs, per region. In process the one whose slot ends first comes first;
/// in Redis the one that was pushed first, behind those that the dead left.
pub trait Queue: Send + Sync + fmt::Debug {
    /// Puts a run in; one that is in already, taken or not, stays once.
    fn push<'q>(&'q self, run: &'q Queued) -> BoxFuture<'q, Result<(), QueueError>>;
    /// Takes at most `limit` runs, which stay in until they are removed.
    fn take<'q>(
        &'q self,
        region: &'q str,
        limit: usize,
    ) -> BoxFuture<'q, Result<Vec<Queued>, QueueError>>;
    /// Takes one run out for good, if it is in.
    fn remove<'q>(&'q self, run: &'q Queued) -> BoxFuture<'q, Result<(), QueueError>>;
    /// How many runs of a region wait to be taken.
    fn depth<'q>(&'q self, region: &'q str) -> BoxFuture<'q, Result<usize, QueueError>>;
    /// How often to look for runs that others put in; `None`: there are no others.
    fn shared(&self) -> Option<Duration> {
        None
    }
}
