//! One connection to the coordinator, from the welcome to its end.
//!
//! Credits follow one rule: what the coordinator may still send plus what goes
//! on here is never more than what can run at once. Reading never waits for
//! writing, so that neither side can hold up the other for good.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use touchstone_proto::fleet::{Credits, Draining, Lease, WorkRequest, work_request, work_response};
use tracing::{debug, error, info};

use super::Timing;
use super::link::{Link, LinkError};
use super::outbox::Outbox;
use super::runs::{Prober, Runs};
use super::spool::Spool;
use crate::probe::SUITE;

/// How a connection ended.
#[derive(Debug)]
pub(crate) enum End {
    /// Shutdown: all is settled, or the bound was reached.
    Left,
    /// The coordinator is going and has all that there was.
    Moved,
    Lost(LinkError),
}

/// Works on one connection until it ends.
pub(crate) async fn serve<P: Prober>(
    link: Link,
    runs: &mut Runs<P>,
    spool: &Arc<Spool>,
    kept: &Arc<Notify>,
    timing: Timing,
    shutdown: &CancellationToken,
) -> End {
    let Link {
        outgoing,
        mut incoming,
        region,
    } = link;
    let outbox = Arc::new(Outbox::new(
        Arc::clone(spool),
        Arc::clone(kept),
        timing.resend_after,
    ));
    let sending = Arc::clone(&outbox).run(outgoing.clone());
    let mut sending = AbortOnDropHandle::new(tokio::spawn(sending));
    let mut terms = Terms {
        region,
        outstanding: 0,
        leaving: None,
    };

    loop {
        if let Some(leaving) = &terms.leaving
            && runs.is_idle()
            && (leaving.announced || leaving.for_move)
            && outbox.is_settled().await
        {
            return leaving.end();
        }
        let due = terms.due(runs);
        let until = terms.leaving.as_ref().map(|leaving| leaving.until);
        tokio::select! {
            message = incoming.message() => {
                match message.map(|message| message.and_then(|m| m.message)) {
                    Ok(Some(message)) => terms.take(message, runs, &outbox, timing).await,
                    Ok(None) => return End::Lost(LinkError::Closed),
                    Err(status) => {
                        return End::Lost(LinkError::refused("working for the coordinator")(status));
                    }
                }
            }
            room = outgoing.reserve(), if due.is_some() => {
                let (Ok(room), Some(due)) = (room, due) else { return End::Lost(LinkError::Closed) };
                terms.sent(&due);
                room.send(WorkRequest { message: Some(due) });
            }
            _ = &mut sending => return End::Lost(LinkError::Closed),
            () = runs.ended() => {}
            () = shutdown.cancelled(), if !terms.is_shutting_down() => {
                info!("shutting down; no further leases are taken");
                terms.leaving = Some(Leaving::by(timing, false));
            }
            () = at(until) => {
                info!("runs or reports were not settled in time; what is kept is sent again later");
                return terms.leaving.map_or(End::Left, |leaving| leaving.end());
            }
        }
    }
}

/// What holds between the two sides.
#[derive(Debug)]
struct Terms {
    region: String,
    /// Leases that the coordinator may still send.
    outstanding: usize,
    leaving: Option<Leaving>,
}

#[derive(Debug)]
struct Leaving {
    until: Instant,
    /// The coordinator goes, not this agent.
    for_move: bool,
    /// The coordinator was told.
    announced: bool,
}

impl Leaving {
    fn by(timing: Timing, for_move: bool) -> Self {
        Self {
            until: Instant::now() + timing.drain_limit,
            for_move,
            announced: false,
        }
    }

    fn end(&self) -> End {
        if self.for_move { End::Moved } else { End::Left }
    }
}

impl Terms {
    fn is_shutting_down(&self) -> bool {
        self.leaving
            .as_ref()
            .is_some_and(|leaving| !leaving.for_move)
    }

    /// What must be said now, if anything.
    fn due<P: Prober>(&self, runs: &Runs<P>) -> Option<work_request::Message> {
        if let Some(leaving) = &self.leaving {
            return (!leaving.announced && !leaving.for_move)
                .then_some(work_request::Message::Draining(Draining {}));
        }
        let permits = runs.free().saturating_sub(self.outstanding);
        let permits = u32::try_from(permits).unwrap_or(u32::MAX);
        (permits > 0).then_some(work_request::Message::Credits(Credits { permits }))
    }

    fn sent(&mut self, message: &work_request::Message) {
        match message {
            work_request::Message::Credits(credits) => {
                self.outstanding += usize::try_from(credits.permits).unwrap_or(0);
            }
            work_request::Message::Draining(_) => {
                if let Some(leaving) = &mut self.leaving {
                    leaving.announced = true;
                }
            }
            _ => {}
        }
    }

    async fn take<P: Prober>(
        &mut self,
        message: work_response::Message,
        runs: &mut Runs<P>,
        outbox: &Outbox,
        timing: Timing,
    ) {
        match message {
            work_response::Message::Lease(lease) => self.lease(lease, runs, outbox).await,
            work_response::Message::Acknowledgement(answer) => {
                outbox.answered(&answer.run_id, answer.outcome()).await;
            }
            work_response::Message::Draining(_) => {
                self.leaving
                    .get_or_insert_with(|| Leaving::by(timing, true));
            }
            work_response::Message::Challenge(_) | work_response::Message::Welcome(_) => {
                debug!("a greeting came after the greeting; ignored");
            }
        }
    }

    async fn lease<P: Prober>(&mut self, lease: Lease, runs: &mut Runs<P>, outbox: &Outbox) {
        let refused = if self.outstanding == 0 {
            Some("it was not asked for")
        } else if self.leaving.is_some() {
            Some("this agent takes no more")
        } else if lease.region != self.region {
            Some("it is for another region")
        } else if lease.suite != SUITE {
            Some("its suite is not known here")
        } else if lease.run_id.is_empty() || lease.lasts_ms == 0 {
            Some("it names no run or no time")
        } else {
            None
        };
        self.outstanding = self.outstanding.saturating_sub(1);
        if let Some(reason) = refused {
            error!(
                run.id = lease.run_id,
                region = lease.region,
                suite = lease.suite,
                reason,
                "lease not taken"
            );
        } else if runs.renew(&lease.run_id, &lease.lease_token)
            || outbox.renew(&lease.run_id, &lease.lease_token).await
        {
            info!(
                run.id = lease.run_id,
                "offered again while it is known here; not made twice"
            );
        } else {
            runs.start(lease);
        }
    }
}

/// Comes back at `until`; never without one.
async fn at(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}
