//! Leases in, observations out.
//!
//! The agent dials, proves who it is, says how many runs it can start, and
//! makes those it is given. What it saw is signed, kept on disk, sent, and
//! forgotten only when the coordinator says that it is stored. A lost
//! connection loses nothing: runs go on, and what was kept is sent again over
//! the next one. On shutdown it takes no more, finishes and reports what goes
//! on within a bound, and leaves.
//!
//! It trusts the coordinator with work and with nothing else: a lease for
//! another region than its own, for an unknown suite, or beyond what it asked
//! for is not run.

mod backoff;
mod link;
mod outbox;
mod runs;
mod serve;
mod spool;
mod trace;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use touchstone_telemetry::Chain;
use tracing::{info, warn};

use crate::config::Address;
use crate::identity::Identity;
use crate::metrics::metrics;
use backoff::{Backoff, Random};
use runs::Runs;
use serve::End;
use spool::{Spool, SpoolLimits};

pub use runs::Prober;
pub use spool::SpoolError;

/// The spool's file below the agent's data.
const SPOOL_FILE: &str = "spool.sqlite";
/// The wait after the first failure to reach the coordinator, and the longest.
const BACKOFF_FIRST: Duration = Duration::from_millis(250);
const BACKOFF_CAP: Duration = Duration::from_secs(30);
/// A report that was not settled for so long is sent again.
const RESEND_AFTER: Duration = Duration::from_secs(30);
/// How long runs that go on at shutdown may take to end and be settled: one
/// whole run and its report, and less than supervisors wait before they kill.
const DRAIN_LIMIT: Duration = Duration::from_secs(12);

/// What a worker works with.
#[derive(Debug)]
pub struct Worker<P> {
    pub coordinator: Address,
    pub join_token_file: PathBuf,
    pub data: PathBuf,
    pub identity: Arc<Identity>,
    pub runs_in_flight: u16,
    pub prober: P,
    pub timing: Timing,
}

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    backoff_first: Duration,
    backoff_cap: Duration,
    resend_after: Duration,
    drain_limit: Duration,
    random: Random,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            backoff_first: BACKOFF_FIRST,
            backoff_cap: BACKOFF_CAP,
            resend_after: RESEND_AFTER,
            drain_limit: DRAIN_LIMIT,
            random: backoff::machine,
        }
    }
}

impl<P: Prober> Worker<P> {
    /// Works until `shutdown`. A coordinator that cannot be reached is waited
    /// for, whatever the reason; only what is wrong on this machine is an error.
    pub async fn run(self, shutdown: CancellationToken) -> Result<(), SpoolError> {
        let spool = Spool::open(&self.data.join(SPOOL_FILE), SpoolLimits::default()).await?;
        let spool = Arc::new(spool);
        let kept = Arc::new(Notify::new());
        let mut runs = Runs::new(
            self.prober,
            Arc::clone(&self.identity),
            Arc::clone(&spool),
            Arc::clone(&kept),
            self.runs_in_flight.into(),
        );
        let mut backoff = Backoff::new(
            self.timing.backoff_first,
            self.timing.backoff_cap,
            self.timing.random,
        );
        while !shutdown.is_cancelled() {
            let opened = tokio::select! {
                opened = link::open(&self.coordinator, &self.identity, &self.join_token_file) => opened,
                () = shutdown.cancelled() => break,
            };
            match opened {
                Ok(link) => {
                    let connected = Instant::now();
                    let _connected = metrics().connected();
                    info!(region = link.region, coordinator = %self.coordinator, "connected");
                    match serve::serve(link, &mut runs, &spool, &kept, self.timing, &shutdown).await
                    {
                        End::Left => return Ok(()),
                        End::Moved => info!("the coordinator is going; connecting anew"),
                        End::Lost(error) => warn!(error = %Chain(&error), "connection lost"),
                    }
                    // One that greets and drops is not reached any better than
                    // one that does not answer.
                    if connected.elapsed() >= self.timing.backoff_cap {
                        backoff.reset();
                    }
                }
                Err(error) => warn!(
                    error = %Chain(&error),
                    join_token_file = %self.join_token_file.display(),
                    "no connection to the coordinator"
                ),
            }
            tokio::select! {
                () = tokio::time::sleep(backoff.next()) => {}
                () = shutdown.cancelled() => {}
            }
        }
        // Not connected: what goes on is finished and kept for the next start.
        let ends = Instant::now() + self.timing.drain_limit;
        while !runs.is_idle() && tokio::time::timeout_at(ends, runs.ended()).await.is_ok() {}
        Ok(())
    }
}
