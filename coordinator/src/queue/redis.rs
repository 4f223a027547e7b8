//! The queue that replicas share: one Redis stream a region, read by a consumer
//! group whose pending list says what is taken.
//!
//! Every change is one script, so that Redis carries it out whole. Redis may be
//! away: then each call fails at once, and it is asked again after a pause that
//! grows to a bound. Redis may forget: a mark beside each stream tells, and
//! [`QueueError::Lost`] asks for everything to be pushed again. Keys die out by
//! themselves when nobody uses them.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures_util::{FutureExt as _, future::BoxFuture};
use redis::{
    AsyncConnectionConfig, Client, FromRedisValue, RedisError, Script, ScriptInvocation,
    aio::MultiplexedConnection,
};
use sha2::{Digest as _, Sha256};
use tokio::{sync::Mutex as AsyncMutex, time::Instant};
use touchstone_telemetry::Chain;

use super::{CLAIM_AFTER, Queue, QueueError, QueueUrlError, Queued, REGION_LIMIT};
use crate::{
    backoff::pause,
    clock::SharedClock,
    random::{NoRandomness, SharedRandom, draw},
    service_url::ServiceUrl,
};

/// How long Redis may take to answer: the dispatcher waits for it.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(500);
/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// Between two calls while Redis is away.
const AWAY_FIRST: Duration = Duration::from_millis(250);
const AWAY_LIMIT: Duration = Duration::from_secs(10);
/// How often one looks for runs that other replicas put in.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Keys that nobody used for this long are gone: a day, twice the longest cadence.
const KEYS_LAST: Duration = Duration::from_hours(24);
/// The consumer group of every stream.
const GROUP: &str = "coordinators";

/// Which installation a queue belongs to, so that two can share one Redis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespace(String);

impl Namespace {
    /// Of the installation that holds this key. The key cannot be told from it.
    pub fn of(key: &[u8; 32]) -> Self {
        let hash = Sha256::new()
            .chain_update(b"queue")
            .chain_update(key)
            .finalize();
        Self(data_encoding::HEXLOWER.encode(&hash[..8]))
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// See the module.
pub struct RedisQueue {
    client: Client,
    namespace: Namespace,
    link: AsyncMutex<Link>,
    marks: Mutex<Marks>,
    scripts: Scripts,
    region_limit: usize,
    claim_after: Duration,
    clock: SharedClock,
    random: SharedRandom,
    /// Names this process in marks.
    process: String,
    marked: AtomicU64,
}

/// The connection, or when to try for one again.
struct Link {
    connection: Option<MultiplexedConnection>,
    failures: u32,
    not_before: Instant,
}

/// What is known of each region's mark.
#[derive(Default)]
struct Marks {
    seen: HashMap<Arc<str>, String>,
    /// Regions whose runs are to be pushed again.
    lost: HashSet<Arc<str>>,
}

struct Scripts {
    push: Script,
    take: Script,
    remove: Script,
    depth: Script,
}

impl Scripts {
    fn new() -> Self {
        macro_rules! script {
            ($file:literal) => {
                Script::new(concat!(
                    include_str!("scripts/mark.lua"),
                    include_str!(concat!("scripts/", $file, ".lua"))
                ))
            };
        }
        Self {
            push: script!("push"),
            take: script!("take"),
            remove: script!("remove"),
            depth: script!("depth"),
        }
    }
}

/// A client, which has not connected yet.
pub(super) fn client(url: &ServiceUrl) -> Result<Client, QueueUrlError> {
    // Its error may repeat the URL.
    Client::open(url.expose()).map_err(|_| QueueUrlError::Unreadable)
}

impl RedisQueue {
    /// A queue that connects when it is first used.
    pub fn new(
        url: &ServiceUrl,
        namespace: Namespace,
        clock: SharedClock,
        random: SharedRandom,
    ) -> Result<Self, QueueUrlError> {
        let process = draw::<8>(&*random);
        // Without randomness the time tells processes apart.
        let process = process.unwrap_or_else(|NoRandomness| clock.now_ms().to_be_bytes());
        Ok(Self {
            client: client(url)?,
            namespace,
            link: AsyncMutex::new(Link {
                connection: None,
                failures: 0,
                not_before: Instant::now(),
            }),
            marks: Mutex::default(),
            scripts: Scripts::new(),
            region_limit: REGION_LIMIT,
            claim_after: CLAIM_AFTER,
            clock,
            random,
            process: data_encoding::HEXLOWER.encode(&process),
            marked: AtomicU64::new(0),
        })
    }

    #[cfg(test)]
    pub(super) fn with_limits(mut self, region_limit: usize, claim_after: Duration) -> Self {
        self.region_limit = region_limit;
        self.claim_after = claim_after;
        self
    }

    /// A script's call with what all of them take. The braces keep the keys of
    /// a region together where Redis is a cluster.
    fn call<'s>(&self, script: &'s Script, region: &str) -> ScriptInvocation<'s> {
        let namespace = &self.namespace;
        let mut call = script.prepare_invoke();
        for name in ["runs", "entries", "mark"] {
            call.key(format!("touchstone:{namespace}:{{{region}}}:{name}"));
        }
        let fresh = self.marked.fetch_add(1, Ordering::Relaxed);
        call.arg(format!("{}-{fresh}", self.process));
        call.arg(millis(KEYS_LAST));
        call
    }

    /// Runs a script and notes the mark that it answers with.
    async fn run<T: FromRedisValue>(
        &self,
        doing: &'static str,
        region: &str,
        call: &ScriptInvocation<'_>,
    ) -> Result<T, QueueError> {
        let mut link = self.link.lock().await;
        let result = match self.connected(&mut link).await {
            Err(None) => return Err(QueueError::Away { doing }),
            Err(Some(error)) => Err(error),
            Ok(connection) => call.invoke_async::<(String, T)>(connection).await,
        };
        match result {
            Ok((mark, value)) => {
                if link.failures > 0 {
                    tracing::info!("Redis answers again");
                    link.failures = 0;
                }
                self.note(region, mark);
                Ok(value)
            }
            Err(source) => {
                link.connection = None;
                let wait = pause(AWAY_FIRST, AWAY_LIMIT, link.failures, &*self.random);
                link.not_before = Instant::now() + wait;
                if link.failures == 0 {
                    tracing::error!(doing, error = %Chain(&source), "Redis does not answer");
                }
                link.failures = link.failures.saturating_add(1);
                Err(QueueError::Redis { doing, source })
            }
        }
    }

    /// `None` as the error: it is too early to try again.
    async fn connected<'l>(
        &self,
        link: &'l mut Link,
    ) -> Result<&'l mut MultiplexedConnection, Option<RedisError>> {
        let connection = match link.connection.take() {
            Some(connection) => connection,
            None if Instant::now() < link.not_before => return Err(None),
            None => {
                let config = AsyncConnectionConfig::new()
                    .set_connection_timeout(Some(CONNECT_TIMEOUT))
                    .set_response_timeout(Some(ANSWER_TIMEOUT));
                self.client
                    .get_multiplexed_async_connection_with_config(&config)
                    .await?
            }
        };
        Ok(link.connection.insert(connection))
    }

    fn note(&self, region: &str, mark: String) {
        let mut marks = self.marks();
        match marks.seen.get_mut(region) {
            Some(seen) if *seen == mark => {}
            Some(seen) => {
                *seen = mark;
                marks.lost.insert(region.into());
            }
            None => {
                marks.seen.insert(region.into(), mark);
            }
        }
    }

    fn marks(&self) -> std::sync::MutexGuard<'_, Marks> {
        // Nothing that holds the lock can panic half-way through a change.
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn put(&self, run: &Queued) -> Result<(), QueueError> {
        let mut call = self.call(&self.scripts.push, &run.region);
        call.arg(self.region_limit)
            .arg(self.clock.now_ms())
            .arg(&*run.run_id)
            .arg(&*run.target_id)
            .arg(&run.suite)
            .arg(run.slot)
            .arg(run.ends_at_ms);
        let put: Result<u32, _> = self.run("queueing a run", &run.region, &call).await;
        match put {
            Ok(0) => Err(QueueError::Full),
            Ok(_) => Ok(()),
            Err(error) => {
                self.marks().lost.insert(Arc::clone(&run.region));
                Err(error)
            }
        }
    }

    async fn taken(&self, region: &str, limit: usize) -> Result<Vec<Queued>, QueueError> {
        let mut call = self.call(&self.scripts.take, region);
        call.arg(GROUP).arg(limit).arg(millis(self.claim_after));
        let rows: Vec<[String; 5]> = self.run("taking runs", region, &call).await?;
        if rows.is_empty() && self.marks().lost.remove(region) {
            return Err(QueueError::Lost);
        }
        let name: Arc<str> = region.into();
        let read = rows.into_iter().filter_map(|row| {
            let run = queued(row, &name);
            if run.is_none() {
                tracing::warn!(region, "a run in Redis that is none of those we write");
            }
            run
        });
        Ok(read.collect())
    }
}

/// A run as its entry has it.
fn queued([run_id, target_id, suite, slot, end]: [String; 5], region: &Arc<str>) -> Option<Queued> {
    Some(Queued {
        run_id: run_id.into(),
        target_id: target_id.into(),
        suite,
        slot: slot.parse().ok()?,
        ends_at_ms: end.parse().ok()?,
        region: Arc::clone(region),
    })
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Queue for RedisQueue {
    fn push<'q>(&'q self, run: &'q Queued) -> BoxFuture<'q, Result<(), QueueError>> {
        self.put(run).boxed()
    }

    fn take<'q>(
        &'q self,
        region: &'q str,
        limit: usize,
    ) -> BoxFuture<'q, Result<Vec<Queued>, QueueError>> {
        self.taken(region, limit).boxed()
    }

    fn remove<'q>(&'q self, run: &'q Queued) -> BoxFuture<'q, Result<(), QueueError>> {
        async move {
            let mut call = self.call(&self.scripts.remove, &run.region);
            call.arg(GROUP).arg(&*run.run_id);
            self.run::<u32>("removing a run", &run.region, &call)
                .await
                .map(drop)
        }
        .boxed()
    }

    fn depth<'q>(&'q self, region: &'q str) -> BoxFuture<'q, Result<usize, QueueError>> {
        async move {
            let mut call = self.call(&self.scripts.depth, region);
            call.arg(GROUP);
            self.run("counting runs", region, &call).await
        }
        .boxed()
    }

    fn shared(&self) -> Option<Duration> {
        Some(LOOK_EVERY)
    }
}

impl fmt::Debug for RedisQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisQueue")
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}
