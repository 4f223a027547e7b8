//! One run: a conversation, carried out inside its budget, as an observation.
//!
//! It always ends in an observation: whatever goes wrong on the way is part of
//! what was seen. No session id and no body beyond those that exchanges name
//! enters it.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use tokio::time::timeout_at;
use touchstone_proto::OBSERVATION_FORMAT;
use touchstone_proto::fleet::Lease;
use touchstone_proto::observation::{
    EndpointSource, Exchange, Failure, FailureKind, Observation, Run, Step, Stop, StopKind,
};
use tracing::debug;
use url::Url;

use crate::conversation::{Mcp, Next};
use crate::exchange::{Budget, Egress, Limits, Method, Request, Session, perform};
use crate::guard::Rule;
use crate::worker::Prober;

/// The suite whose conversation this is.
pub const SUITE: &str = "mcp";
/// What an exchange may take beyond the budget that it keeps itself; beyond
/// this it is cut off as a fault of ours.
const GRACE: Duration = Duration::from_millis(500);

/// What a run is made for.
#[derive(Clone, Debug)]
pub struct RunSpec {
    pub run_id: String,
    pub target_id: String,
    pub suite: String,
    pub slot: u64,
    pub region: String,
    pub agent_key_id: String,
    pub endpoint_url: String,
    pub endpoint_source: EndpointSource,
}

/// An observation, not yet signed, and the bodies that its exchanges name.
#[derive(Clone, Debug)]
pub struct Recording {
    pub observation: Observation,
    pub bodies: Vec<Bytes>,
}

/// Makes a run. It ends inside ten seconds and [`GRACE`]. `started_at` is the
/// wall clock now.
pub async fn probe(run: RunSpec, egress: &Arc<Egress>, started_at: SystemTime) -> Recording {
    probe_within(Limits::RUN, run, egress, started_at).await
}

async fn probe_within(
    limits: Limits,
    run: RunSpec,
    egress: &Arc<Egress>,
    started_at: SystemTime,
) -> Recording {
    let mut session = Session::new(Arc::clone(egress), started_at);
    let mut budget = Budget::start(limits);
    let started_at_ms = session.now_ms();
    let had = match Url::parse(&run.endpoint_url) {
        Ok(endpoint) => converse(endpoint, &mut session, &mut budget).await,
        Err(_) => Had::no_url(&run.endpoint_url, started_at_ms),
    };
    let finished_at_ms = session.now_ms();
    let seen = session.finish();
    Recording {
        observation: Observation {
            format: OBSERVATION_FORMAT,
            run: Some(Run {
                run_id: run.run_id,
                target_id: run.target_id,
                suite: run.suite,
                slot: run.slot,
                region: run.region,
                agent_key_id: run.agent_key_id,
                endpoint_url: run.endpoint_url,
                endpoint_source: run.endpoint_source.into(),
                started_at_ms,
                finished_at_ms,
                offered_revision: had.offered_revision.to_owned(),
            }),
            exchanges: had.exchanges,
            lookups: seen.lookups,
            stop: had.stop,
            agent_version: crate::VERSION.to_owned(),
            trust_store: egress.trust_store().to_owned(),
        },
        bodies: seen.bodies,
    }
}

/// Probes over the Internet, or wherever the egress lets them.
#[derive(Clone, Debug)]
pub struct Probes(pub Arc<Egress>);

impl Prober for Probes {
    async fn probe(&self, run: RunSpec) -> Recording {
        probe(run, &self.0, SystemTime::now()).await
    }
}

impl RunSpec {
    /// As leased to the agent whose key is named.
    pub fn leased(lease: &Lease, agent_key_id: &str) -> Self {
        Self {
            run_id: lease.run_id.clone(),
            target_id: lease.target_id.clone(),
            suite: lease.suite.clone(),
            slot: lease.slot,
            region: lease.region.clone(),
            agent_key_id: agent_key_id.to_owned(),
            endpoint_url: lease.endpoint_url.clone(),
            endpoint_source: lease.endpoint_source(),
        }
    }
}

/// A conversation that was had.
struct Had {
    offered_revision: &'static str,
    exchanges: Vec<Exchange>,
    stop: Option<Stop>,
}

impl Had {
    /// None, for an endpoint that is no URL and was never dialled.
    fn no_url(text: &str, at_ms: i64) -> Self {
        Self {
            offered_revision: "",
            exchanges: vec![Exchange {
                step: Step::Discover.into(),
                method: Method::Post.as_str().to_owned(),
                url: text.to_owned(),
                sent_at_ms: at_ms,
                failure: Some(Failure {
                    kind: FailureKind::PolicyRefused.into(),
                    rule: Rule::Scheme.as_str().to_owned(),
                }),
                ..Exchange::default()
            }],
            stop: Some(failed_at(0)),
        }
    }
}

async fn converse(endpoint: Url, session: &mut Session, budget: &mut Budget) -> Had {
    let mut conversation = Mcp::new(endpoint);
    let mut exchanges = Vec::new();
    let mut stop = None;
    while let Next::Send(request) = conversation.what_next() {
        let latest = budget.deadline() + GRACE;
        let performed = perform(session, &request, budget);
        let Ok(received) = timeout_at(latest, performed).await else {
            stop = Some(failed_at(exchanges.len()));
            exchanges.push(cut_off(&request, session.now_ms()));
            break;
        };
        let last = received.last();
        debug!(
            step = last.step().as_str_name(),
            url.host = request.url.host_str(),
            status = received.status(),
            failure = received.failure().map(|kind| kind.as_str_name()),
            "exchanged"
        );
        conversation.feed(&received, session.now_ms());
        exchanges.extend(received.exchanges);
    }
    Had {
        offered_revision: conversation.offered_revision(),
        exchanges,
        stop: stop.or_else(|| conversation.stop_reason()),
    }
}

fn cut_off(request: &Request, at_ms: i64) -> Exchange {
    Exchange {
        step: request.step.into(),
        page: request.page,
        method: request.method.as_str().to_owned(),
        url: request.url.as_str().to_owned(),
        request_body: request.body.clone(),
        sent_at_ms: at_ms,
        failure: Some(Failure {
            kind: FailureKind::Agent.into(),
            rule: String::new(),
        }),
        ..Exchange::default()
    }
}

fn failed_at(exchange: usize) -> Stop {
    Stop {
        kind: StopKind::ExchangeFailed.into(),
        exchange: u32::try_from(exchange).unwrap_or(u32::MAX),
        retry_after_s: 0,
    }
}

#[cfg(test)]
mod peer;
#[cfg(test)]
mod tests;
