//! Whether a report is what it says it is. What passes here is a result that
//! an agent of the roster signed, for a run that was given to it, about the
//! endpoint that was meant. Nothing is said about what the endpoint did.

use std::{collections::HashMap, sync::Arc, time::Duration};

use data_encoding::HEXLOWER;
use ed25519_dalek::{Signature, VerifyingKey};
use touchstone_proto::{
    Malformed, Recorded,
    fleet::Report,
    identity::{OBSERVATION_TYPE, pae},
    observation::{Observation, Run, SignedObservation, StopKind},
};

use super::token::LeaseKey;
use crate::{
    history::reach::Reach,
    schedule::{
        RETRY_AFTER_LIMIT,
        slot::{Slots, run_id},
    },
    store::{Agent, KnownTarget, NewBody, NewRun},
    targets::Target,
};

/// How far an agent's clock may be from ours.
pub const CLOCK_SKEW: Duration = Duration::from_mins(5);

/// A report that will never be stored.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("checking a report: it carries no observation")]
    Empty,
    #[error("checking a report: it was signed by another agent than the one that sent it")]
    ForeignAgent,
    #[error("checking a report: the signature does not hold")]
    Signature,
    #[error("checking a report: the observation is malformed")]
    Malformed(#[from] Malformed),
    #[error("checking a report: the lease token was not given for this run to this agent")]
    Token,
    #[error("checking a report: {0} of the observation is not that of the lease")]
    Mismatch(&'static str),
    #[error("checking a report: its times are impossible; is the agent's clock right?")]
    Times,
}

/// The targets that are scheduled, by id.
#[derive(Debug, Default)]
pub struct Targets(HashMap<Arc<str>, Arc<Target>>);

impl Targets {
    pub fn of(known: &[KnownTarget]) -> Self {
        let by_id = |known: &KnownTarget| {
            let target = &known.target;
            (Arc::clone(&target.target_id), Arc::clone(target))
        };
        Self(known.iter().map(by_id).collect())
    }

    pub fn find(&self, target_id: &str) -> Option<Arc<Target>> {
        self.0.get(target_id).cloned()
    }
}

/// A report that passed, ready to be stored.
#[derive(Debug)]
pub struct Accepted {
    pub run: NewRun,
    pub target: Arc<Target>,
}

/// Checks a report and compresses its bodies: work for a thread that may block.
pub fn check(
    report: Report,
    agent: &Agent,
    targets: &Targets,
    lease_key: &LeaseKey,
    now_ms: i64,
) -> Result<Accepted, Refusal> {
    let signed = report.signed.ok_or(Refusal::Empty)?;
    if signed.agent_key_id != agent.agent_key_id {
        return Err(Refusal::ForeignAgent);
    }
    verify(&signed, &agent.public_key)?;
    let recorded = Recorded::open(&signed)?;
    let run = recorded.run();
    if !lease_key.made(&report.lease_token, &report.run_id, &agent.agent_key_id) {
        return Err(Refusal::Token);
    }
    let target = targets
        .find(&run.target_id)
        .ok_or(Refusal::Mismatch("the target"))?;
    compare(run, &report.run_id, agent, &target)?;
    let slots = Slots::new(&target.target_id, target.tier.cadence_ms());
    let slot_at_ms = slots.starts_at(run.slot);
    check_times(run, slot_at_ms, now_ms)?;
    Ok(Accepted {
        run: NewRun {
            run_id: report.run_id,
            target_id: Arc::clone(&target.target_id),
            suite: run.suite.clone(),
            slot: run.slot,
            slot_at_ms,
            region: run.region.clone(),
            agent_key_id: signed.agent_key_id.clone(),
            endpoint_url: run.endpoint_url.clone(),
            started_at_ms: run.started_at_ms,
            finished_at_ms: run.finished_at_ms,
            observation_digest: HEXLOWER.encode(&recorded.digest()),
            bodies: recorded
                .bodies()
                .iter()
                .map(|(digest, bytes)| NewBody::pack(digest, bytes))
                .collect(),
            reach: Reach::of(recorded.observation()),
            wait: wait(recorded.observation(), &target, now_ms),
            observation: signed.observation,
            signature: signed.signature,
        },
        target,
    })
}

fn verify(signed: &SignedObservation, public_key: &[u8; 32]) -> Result<(), Refusal> {
    let key = VerifyingKey::from_bytes(public_key).map_err(|_| Refusal::Signature)?;
    let signature = Signature::from_slice(&signed.signature).map_err(|_| Refusal::Signature)?;
    key.verify_strict(&pae(OBSERVATION_TYPE, &signed.observation), &signature)
        .map_err(|_| Refusal::Signature)
}

/// The observation is about the run that was leased.
fn compare(run: &Run, leased: &str, agent: &Agent, target: &Target) -> Result<(), Refusal> {
    let named = run_id(&run.target_id, &run.suite, run.slot, &run.region);
    for (same, what) in [
        (run.run_id == leased, "the run"),
        // The token holds for the name, and the name for these four.
        (named == leased, "target, suite, slot or region"),
        (run.region == agent.region, "the region"),
        (run.agent_key_id == agent.agent_key_id, "the agent"),
        (run.endpoint_url == target.url, "the endpoint"),
        (
            run.endpoint_source() == target.source,
            "the endpoint's source",
        ),
    ] {
        if !same {
            return Err(Refusal::Mismatch(what));
        }
    }
    Ok(())
}

fn check_times(run: &Run, slot_at_ms: i64, now_ms: i64) -> Result<(), Refusal> {
    let skew_ms = i64::try_from(CLOCK_SKEW.as_millis()).unwrap_or(i64::MAX);
    let possible = run.started_at_ms <= run.finished_at_ms
        && run.started_at_ms >= slot_at_ms.saturating_sub(skew_ms)
        && run.finished_at_ms <= now_ms.saturating_add(skew_ms);
    possible.then_some(()).ok_or(Refusal::Times)
}

/// Until when the host asked us to stay away, if it did.
fn wait(observation: &Observation, target: &Target, now_ms: i64) -> Option<(Arc<str>, i64)> {
    let stop = observation.stop.as_ref()?;
    if stop.kind() != StopKind::RateLimited || stop.retry_after_s == 0 {
        return None;
    }
    let wait = Duration::from_secs(stop.retry_after_s.into()).min(RETRY_AFTER_LIMIT);
    let wait_ms = i64::try_from(wait.as_millis()).ok()?;
    Some((Arc::clone(&target.host), now_ms.saturating_add(wait_ms)))
}
