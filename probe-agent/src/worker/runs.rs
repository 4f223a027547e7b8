//! The runs that are going on: each from its lease to its place in the spool.
//!
//! No more run at once than configured, no run twice at a time, none longer
//! than its lease. They live on when a connection ends.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;
use touchstone_proto::fleet::{Lease, Report};
use touchstone_telemetry::Chain;
use touchstone_telemetry::trace::{Attribute, Place, Span};
use tracing::{Instrument as _, debug, error, info, info_span, warn};

use super::spool::Spool;
use super::trace;
use crate::identity::Identity;
use crate::metrics::metrics;
use crate::probe::{Recording, RunSpec};

/// What a lease must leave for signing, keeping and reporting.
pub(crate) const LEASE_MARGIN: Duration = Duration::from_secs(2);

/// Makes a run; tests put their own in its place.
pub trait Prober: Send + Sync + 'static {
    fn probe(&self, run: RunSpec) -> impl Future<Output = Recording> + Send;
}

#[derive(Debug)]
pub(crate) struct Runs<P> {
    work: Arc<Work<P>>,
    tasks: JoinSet<()>,
    capacity: usize,
}

/// What every run needs.
#[derive(Debug)]
struct Work<P> {
    prober: P,
    identity: Arc<Identity>,
    spool: Arc<Spool>,
    /// Rung when a report was kept.
    kept: Arc<Notify>,
    /// Run id to the newest token leased for it.
    tokens: Mutex<HashMap<String, String>>,
    /// Results that were lost here, since the start.
    lost: AtomicU64,
}

impl<P: Prober> Runs<P> {
    pub(crate) fn new(
        prober: P,
        identity: Arc<Identity>,
        spool: Arc<Spool>,
        kept: Arc<Notify>,
        capacity: usize,
    ) -> Self {
        let work = Arc::new(Work {
            prober,
            identity,
            spool,
            kept,
            tokens: Mutex::default(),
            lost: AtomicU64::new(0),
        });
        Self {
            work,
            tasks: JoinSet::new(),
            capacity,
        }
    }

    /// Runs that could start now.
    pub(crate) fn free(&self) -> usize {
        self.capacity.saturating_sub(self.tasks.len())
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.tasks.is_empty()
    }

    /// If this run is going on, its report will carry the newer token.
    pub(crate) fn renew(&self, run_id: &str, lease_token: &str) -> bool {
        match self.work.tokens().get_mut(run_id) {
            Some(token) => {
                lease_token.clone_into(token);
                true
            }
            None => false,
        }
    }

    /// Starts a run. The caller has seen that one is free.
    pub(crate) fn start(&mut self, lease: Lease) {
        let received = Instant::now();
        let span = info_span!(
            "run",
            run.id = lease.run_id,
            target.id = lease.target_id,
            region = lease.region,
            suite = lease.suite
        );
        self.work
            .tokens()
            .insert(lease.run_id.clone(), lease.lease_token.clone());
        let ends = Ends {
            work: Arc::clone(&self.work),
            run_id: lease.run_id.clone(),
        };
        self.tasks
            .spawn(async move { ends.run(lease, received).await }.instrument(span));
    }

    /// Comes back when a run has ended; never while none goes on.
    pub(crate) async fn ended(&mut self) {
        match self.tasks.join_next().await {
            Some(Ok(())) => {}
            Some(Err(fault)) => {
                let lost = self.work.lose(1);
                error!(error = %fault, lost, "a run broke off by a fault of ours");
            }
            None => std::future::pending().await,
        }
    }
}

impl<P> Work<P> {
    fn tokens(&self) -> MutexGuard<'_, HashMap<String, String>> {
        // Every change under the lock is one call on the map.
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lose(&self, number: u64) -> u64 {
        metrics().results_lost.inc_by(number);
        self.lost.fetch_add(number, Ordering::Relaxed) + number
    }
}

/// One run; forgotten as a going one however it ends.
struct Ends<P> {
    work: Arc<Work<P>>,
    run_id: String,
}

impl<P: Prober> Ends<P> {
    async fn run(self, lease: Lease, received: Instant) {
        let _going = metrics().run_begins();
        let at = Place::passed_on(&lease.traceparent, &lease.run_id);
        let mut span = Span::begin("run", &at);
        span.set(Attribute::RunId, &*lease.run_id);
        span.set(Attribute::Region, &*lease.region);
        span.set(Attribute::AgentKeyId, self.work.identity.key_id());
        let place = span.place_or(&at);
        let lasts = Duration::from_millis(lease.lasts_ms.into());
        let ends = received + lasts.saturating_sub(LEASE_MARGIN);
        let spec = RunSpec::leased(&lease, self.work.identity.key_id());
        let Ok(recording) = tokio::time::timeout_at(ends, self.work.prober.probe(spec)).await
        else {
            let lost = self.work.lose(1);
            span.fail("lease_ended");
            warn!(
                lasts_ms = lease.lasts_ms,
                lost, "the lease ended before the run did"
            );
            return;
        };
        metrics().observed(&recording.observation, received.elapsed());
        trace::exchanges(&place, &recording.observation.exchanges);
        let stop = recording
            .observation
            .stop
            .as_ref()
            .map(|stop| stop.kind().as_str_name());
        info!(
            exchanges = recording.observation.exchanges.len(),
            stop,
            took_ms = u64::try_from(received.elapsed().as_millis()).unwrap_or(u64::MAX),
            "observed"
        );
        let signed = self
            .work
            .identity
            .sign(&recording.observation, recording.bodies);
        let newest = self.work.tokens().remove(&self.run_id);
        let report = Report {
            run_id: lease.run_id,
            lease_token: newest.unwrap_or(lease.lease_token),
            signed: Some(signed),
            traceparent: place.traceparent(),
        };
        match self.work.spool.keep(&report).await {
            Ok(0) => debug!("kept for reporting"),
            Ok(given_up) => {
                let lost = self.work.lose(given_up);
                error!(
                    given_up,
                    lost, "the spool is full; its oldest reports were given up"
                );
            }
            Err(fault) => {
                let lost = self.work.lose(1);
                error!(error = %Chain(&fault), lost, "a result could not be kept and is lost");
            }
        }
        self.work.kept.notify_one();
    }
}

impl<P> Drop for Ends<P> {
    fn drop(&mut self) {
        self.work.tokens().remove(&self.run_id);
    }
}
