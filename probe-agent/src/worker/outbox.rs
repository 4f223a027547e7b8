//! Sends what the spool holds over one connection and remembers what is still
//! unanswered.
//!
//! Every kept report is sent on a new connection, oldest first, one in memory
//! at a time. One that was answered "not now", or not answered, is sent again
//! after a while. Only an answer that settles a report removes it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use touchstone_proto::fleet::{Outcome, Report, WorkRequest, work_request};
use touchstone_telemetry::Chain;
use touchstone_telemetry::trace::{Attribute, Place, Span};
use tracing::{debug, error, info, warn};

use super::spool::{Seq, Spool, SpoolError};

/// Kept reports on their way over one connection.
#[derive(Debug)]
pub(crate) struct Outbox {
    spool: Arc<Spool>,
    /// A run was finished, or a kept report changed.
    wake: Arc<Notify>,
    resend_after: Duration,
    sent: Mutex<HashMap<String, Sent>>,
}

/// A report that was sent on this connection.
#[derive(Clone, Debug)]
struct Sent {
    seq: Seq,
    at: Instant,
    place: Place,
    /// The coordinator asked for it again later.
    put_off: bool,
}

impl Outbox {
    pub(crate) fn new(spool: Arc<Spool>, wake: Arc<Notify>, resend_after: Duration) -> Self {
        Self {
            spool,
            wake,
            resend_after,
            sent: Mutex::default(),
        }
    }

    /// Sends until the connection ends. It waits for room on the wire and for
    /// the disk, so that it must run beside the task that reads.
    pub(crate) async fn run(self: Arc<Self>, outgoing: mpsc::Sender<WorkRequest>) {
        loop {
            if let Err(error) = self.send_due(&outgoing).await {
                match error {
                    SendError::Closed => return,
                    SendError::Spool(error) => report_fault(&error),
                }
            }
            let _ = tokio::time::timeout(self.resend_after, self.wake.notified()).await;
        }
    }

    /// Takes the coordinator's answer about one run.
    pub(crate) async fn answered(&self, run_id: &str, outcome: Outcome) {
        match outcome {
            Outcome::Stored | Outcome::AlreadyStored => {
                debug!(
                    run.id = run_id,
                    outcome = outcome.as_str_name(),
                    "report settled"
                );
            }
            Outcome::Conflict => warn!(
                run.id = run_id,
                "another result of this run was stored first; ours is kept there as a conflict"
            ),
            Outcome::Refused => error!(
                run.id = run_id,
                "the coordinator refused a report for good; it is dropped"
            ),
            Outcome::Retry | Outcome::Unspecified => {
                info!(
                    run.id = run_id,
                    "the coordinator cannot store a report now; it is kept"
                );
                if let Some(sent) = self.lock().get_mut(run_id) {
                    sent.trace("retry");
                    sent.put_off = true;
                    sent.at = Instant::now();
                }
                return;
            }
        }
        let Some(sent) = self.lock().remove(run_id) else {
            debug!(
                run.id = run_id,
                "an answer came to no report of this connection"
            );
            return;
        };
        if let Err(error) = self.spool.forget(sent.seq).await {
            report_fault(&error);
        }
        sent.trace("settled");
    }

    /// Gives a kept report a newer lease and sends it once more. False when no
    /// report of this run is kept.
    pub(crate) async fn renew(&self, run_id: &str, lease_token: &str) -> bool {
        match self.spool.renew(run_id, lease_token).await {
            Ok(kept) => {
                if kept {
                    self.lock().remove(run_id);
                    self.wake.notify_one();
                }
                kept
            }
            Err(error) => {
                report_fault(&error);
                false
            }
        }
    }

    /// Nothing is kept but what the coordinator asked for again later.
    pub(crate) async fn is_settled(&self) -> bool {
        match self.spool.list().await {
            Ok(kept) => {
                let sent = self.lock();
                kept.iter()
                    .all(|(_, run_id)| sent.get(run_id).is_some_and(|sent| sent.put_off))
            }
            Err(error) => {
                report_fault(&error);
                false
            }
        }
    }

    async fn send_due(&self, outgoing: &mpsc::Sender<WorkRequest>) -> Result<(), SendError> {
        for (seq, run_id) in self.spool.list().await? {
            if !self.is_due(seq, &run_id) {
                continue;
            }
            // Loaded only once there is room, so that one report at most waits here.
            let room = outgoing.reserve().await.map_err(|_| SendError::Closed)?;
            let Some(report) = self.spool.get(seq).await? else {
                continue;
            };
            let sent = Sent {
                seq,
                at: Instant::now(),
                place: Place::passed_on(&report.traceparent, &run_id),
                put_off: false,
            };
            self.lock().insert(run_id, sent);
            room.send(message(report));
        }
        Ok(())
    }

    fn is_due(&self, seq: Seq, run_id: &str) -> bool {
        self.lock()
            .get(run_id)
            .is_none_or(|sent| sent.seq != seq || sent.at.elapsed() >= self.resend_after)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Sent>> {
        // No holder can panic between two changes that belong together.
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sent {
    /// Writes that it was sent, and answered now, into the run's trace.
    fn trace(&self, outcome: &'static str) {
        let mut span = Span::over("report", &self.place, self.at.elapsed());
        span.set(Attribute::Outcome, outcome);
    }
}

enum SendError {
    /// The other side takes no more messages.
    Closed,
    Spool(SpoolError),
}

impl From<SpoolError> for SendError {
    fn from(error: SpoolError) -> Self {
        Self::Spool(error)
    }
}

fn message(report: Report) -> WorkRequest {
    WorkRequest {
        message: Some(work_request::Message::Report(report)),
    }
}

fn report_fault(error: &SpoolError) {
    error!(error = %Chain(error), "the spool failed");
}
