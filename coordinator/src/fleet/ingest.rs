//! Results into the store, in batches: one transaction for several reports. An
//! agent is told that a result is stored after the transaction is committed and
//! never before; when it could not be, the agent is asked to send it again.

use std::{sync::Arc, time::Duration};
use touchstone_telemetry::{
    Chain,
    trace::{Attribute, Place, Span},
};

use tokio::{
    sync::{Notify, Semaphore, mpsc, oneshot},
    time::Instant,
};
use touchstone_proto::fleet::{Outcome, Report};

use super::{
    dispatch::Dispatch,
    line::Line,
    report::{Accepted, Targets, check},
    token::LeaseKey,
};
use crate::{
    clock::SharedClock,
    event::{Event, Events, PagesUrl},
    metrics::metrics,
    store::{Agent, NewRun, Recorded, Store},
    targets::run_path,
};

/// Results of one transaction.
pub const BATCH_LIMIT: usize = 64;
/// How long the first result of a batch waits for others.
pub const BATCH_LINGER: Duration = Duration::from_millis(20);
/// How long results wait for the missed slots before them to be recorded.
pub const MISSED_WAIT: Duration = Duration::from_secs(2);
/// Bytes of all reports that are being checked or stored.
pub const REPORTS_LIMIT_BYTES: usize = 256 * 1024 * 1024;
/// Reports that are checked at the same time.
const CHECKS_LIMIT: usize = 2;
/// The unit in which bytes of reports are counted.
const UNIT_BYTES: usize = 1024;

/// What the ingest needs.
#[derive(Clone, Debug)]
pub struct Parts {
    pub store: Store,
    pub clock: SharedClock,
    pub targets: Arc<Targets>,
    pub lease_key: LeaseKey,
    pub dispatch: Dispatch,
    /// Missed slots that no result may overtake.
    pub missed: Line,
    pub events: Events,
    pub pages: PagesUrl,
    /// Woken when there is something to attest.
    pub stored: Arc<Notify>,
}

#[derive(Debug)]
struct Item {
    accepted: Accepted,
    /// In the run's trace.
    place: Place,
    done: oneshot::Sender<Outcome>,
}

/// Takes reports. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Ingest {
    items: mpsc::Sender<Item>,
    bytes: Arc<Semaphore>,
    checks: Arc<Semaphore>,
    parts: Parts,
}

impl Ingest {
    /// The handle, and the task that writes.
    pub fn new(parts: Parts) -> (Self, Writer) {
        let (sender, items) = mpsc::channel(BATCH_LIMIT);
        let writer = Writer {
            items,
            parts: parts.clone(),
        };
        let handle = Self {
            items: sender,
            bytes: Arc::new(Semaphore::new(REPORTS_LIMIT_BYTES / UNIT_BYTES)),
            checks: Arc::new(Semaphore::new(CHECKS_LIMIT)),
            parts,
        };
        (handle, writer)
    }

    /// Checks and stores a report; says what the agent may be told.
    pub async fn take(&self, report: Report, agent: Agent) -> Outcome {
        let at = Place::claimed(&report.traceparent, &report.run_id);
        let mut span = Span::begin("ingest", &at);
        span.set(Attribute::RunId, &*report.run_id);
        span.set(Attribute::Region, &*agent.region);
        let place = span.place_or(&at);
        let outcome = self.store(report, agent, place).await;
        span.set(Attribute::Outcome, outcome_word(outcome));
        outcome
    }

    async fn store(&self, report: Report, agent: Agent, place: Place) -> Outcome {
        let units = size(&report).div_ceil(UNIT_BYTES).max(1);
        let units = u32::try_from(units.min(REPORTS_LIMIT_BYTES / UNIT_BYTES)).unwrap_or(u32::MAX);
        // Semaphores of ours are never closed.
        let (Ok(_bytes), Ok(turn)) = (
            self.bytes.acquire_many(units).await,
            self.checks.acquire().await,
        ) else {
            return Outcome::Retry;
        };
        let run_id = report.run_id.clone();
        let agent_key_id = agent.agent_key_id.clone();
        let region = agent.region.clone();
        let mut checking = Span::begin("check", &place);
        let parts = self.parts.clone();
        let now_ms = parts.clock.now_ms();
        let checked = tokio::task::spawn_blocking(move || {
            check(report, &agent, &parts.targets, &parts.lease_key, now_ms)
        })
        .await;
        drop(turn);
        let accepted = match checked {
            Ok(Ok(accepted)) => accepted,
            Ok(Err(refusal)) => {
                checking.fail("refused");
                metrics().refused(&region);
                tracing::warn!(
                    run.id = run_id,
                    agent.key_id = agent_key_id,
                    error = %Chain(&refusal),
                    "a report was refused"
                );
                return Outcome::Refused;
            }
            Err(error) => {
                tracing::error!(
                    error = %Chain(&error),
                    "a check broke off"
                );
                return Outcome::Retry;
            }
        };
        drop(checking);
        let (done, outcome) = oneshot::channel();
        let item = Item {
            accepted,
            place,
            done,
        };
        if self.items.send(item).await.is_err() {
            return Outcome::Retry;
        }
        outcome.await.unwrap_or(Outcome::Retry)
    }
}

/// As a label.
fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Stored => "stored",
        Outcome::AlreadyStored => "already_stored",
        Outcome::Conflict => "conflict",
        Outcome::Refused => "refused",
        Outcome::Retry | Outcome::Unspecified => "retry",
    }
}

/// Bytes that a report holds in memory.
fn size(report: &Report) -> usize {
    report.signed.as_ref().map_or(0, |signed| {
        let bodies: usize = signed.bodies.iter().map(bytes::Bytes::len).sum();
        signed.observation.len() + bodies
    })
}

/// What is told of a result once it is stored.
#[derive(Debug)]
struct Told {
    run: Event,
    /// Of a slot that had been told as missed.
    not_missed: Event,
}

/// What the agent may be told of a result that the store took.
impl From<Recorded> for Outcome {
    fn from(recorded: Recorded) -> Self {
        match recorded {
            Recorded::Stored { .. } => Self::Stored,
            Recorded::AlreadyStored => Self::AlreadyStored,
            Recorded::Conflict => Self::Conflict,
        }
    }
}

/// The task behind [`Ingest`].
#[derive(Debug)]
pub struct Writer {
    items: mpsc::Receiver<Item>,
    parts: Parts,
}

impl Writer {
    /// Writes until every handle is gone.
    pub async fn run(mut self) {
        while let Some(first) = self.items.recv().await {
            let mut batch = vec![first];
            let deadline = Instant::now() + BATCH_LINGER;
            while batch.len() < BATCH_LIMIT {
                match tokio::time::timeout_at(deadline, self.items.recv()).await {
                    Ok(Some(item)) => batch.push(item),
                    Ok(None) | Err(_) => break,
                }
            }
            self.write(batch).await;
        }
    }

    async fn write(&self, batch: Vec<Item>) {
        let mut runs = Vec::with_capacity(batch.len());
        let mut told_of = Vec::with_capacity(batch.len());
        let mut rest = Vec::with_capacity(batch.len());
        let began = Instant::now();
        for item in batch {
            let storing = Span::begin("store", &item.place);
            let told = self.told(&item.accepted);
            let settled = (
                Arc::clone(&item.accepted.target),
                item.accepted.run.slot,
                item.accepted.run.run_id.clone(),
                item.accepted.run.wait.clone(),
            );
            let counted = (
                item.accepted.run.suite.clone(),
                item.accepted.run.region.clone(),
                Event::reach(item.accepted.run.reach).0,
            );
            told_of.push(told);
            rest.push((settled, counted, storing, item.done));
            runs.push(item.accepted.run);
        }
        let count = runs.len();
        let recorded = self.record(runs, told_of).await;
        metrics().written(count, began.elapsed());
        let mut any_stored = false;
        for (index, (settled, (suite, region, reach), mut storing, done)) in
            rest.into_iter().enumerate()
        {
            let recorded = recorded.as_ref().and_then(|recorded| recorded.get(index));
            let outcome = recorded.map_or(Outcome::Retry, |&recorded| recorded.into());
            metrics().reported(&suite, &region, reach, outcome_word(outcome));
            if outcome == Outcome::Retry {
                storing.fail("store_unavailable");
            }
            drop(storing);
            // Whoever asked may be gone; the agent then sends it again and is
            // told that it is stored already.
            let _gone = done.send(outcome);
            if outcome == Outcome::Retry {
                continue;
            }
            let (target, slot, run_id, wait) = settled;
            if let Some((host, until_ms)) = wait {
                let _ending = self.parts.dispatch.wait_until(host, until_ms).await;
            }
            let target_id = Arc::clone(&target.target_id);
            let _ending = self.parts.dispatch.settled(target_id, slot, run_id).await;
            any_stored |= outcome == Outcome::Stored;
        }
        if any_stored {
            self.parts.stored.notify_one();
        }
    }

    /// Stores results and tells of them.
    async fn record(&self, runs: Vec<NewRun>, told_of: Vec<Told>) -> Option<Vec<Recorded>> {
        let recorded = tokio::time::timeout(MISSED_WAIT, self.parts.missed.recorded()).await;
        let Ok(Ok(())) = recorded else {
            tracing::warn!("results have to wait: missed slots before them are not recorded yet");
            return None;
        };
        let _order = self.parts.events.in_order().await;
        let now_ms = self.parts.clock.now_ms();
        // A failure is logged by the store, once for each time it begins.
        let recorded = self.parts.store.record(Arc::new(runs), now_ms).await.ok()?;
        for (told, recorded) in told_of.into_iter().zip(&recorded) {
            if let Recorded::Stored { was_missed } = recorded {
                self.parts.events.tell(told.run);
                if *was_missed {
                    self.parts.events.tell(told.not_missed);
                }
            }
        }
        Some(recorded)
    }

    fn told(&self, accepted: &Accepted) -> Told {
        let (run, target) = (&accepted.run, &accepted.target);
        let (reach, cause) = Event::reach(run.reach);
        let not_missed = Event::NotMissed {
            target_id: target.target_id.to_string(),
            url: target.url.clone(),
            slug: target.slug.clone(),
            slot: run.slot,
            run_id: run.run_id.clone(),
        };
        let run = Event::Run {
            target_id: target.target_id.to_string(),
            url: target.url.clone(),
            slug: target.slug.clone(),
            run_id: run.run_id.clone(),
            slot: run.slot,
            region: run.region.clone(),
            reach,
            cause,
            took_ms: run.finished_at_ms - run.started_at_ms,
            page_url: self.parts.pages.page(&run_path(&target.slug, &run.run_id)),
        };
        Told { run, not_missed }
    }
}
