//! An agent as the coordinator meets it: it dials, gives credits, makes runs,
//! keeps each report until it is told what became of it, and sends it again.

use std::collections::{BTreeMap, HashMap};

use data_encoding::HEXLOWER;
use ed25519_dalek::{Signer as _, SigningKey};
use prost::Message as _;
use sha2::{Digest as _, Sha256};
use touchstone_coordinator::store;
use touchstone_proto::{
    fleet::{Lease, Outcome, Report},
    identity::{OBSERVATION_TYPE, key_id, pae},
    observation::{
        Exchange, Failure, FailureKind, Observation, Response, Run, SignedObservation, Step, Stop,
        StopKind,
    },
};

use super::{
    Event, World,
    draw::Draw,
    net::{Down, Link, Up},
    plan::{AgentPlan, QUIET_MS},
};

/// A report that is not settled for so long is sent again.
const RESEND_MS: i64 = 30_000;
/// What a lease must leave for signing, keeping and reporting.
const LEASE_MARGIN_MS: i64 = 2_000;
const BACKOFF_LIMIT_MS: i64 = 30_000;

#[derive(Debug)]
pub(crate) struct Agent {
    key: SigningKey,
    pub(crate) entry: store::Agent,
    capacity: usize,
    /// A new one with every start; `None` while it is down.
    pub(crate) life: Option<u64>,
    pub(crate) paused_until: i64,
    pub(crate) partitioned_until: i64,
    failures: u32,
    session: Option<Session>,
    /// By run: the newest lease, and the number of the run.
    runs: HashMap<String, (Lease, u64)>,
    pub(crate) spool: BTreeMap<u64, Kept>,
    made: u64,
}

#[derive(Debug)]
struct Session {
    link: Link,
    welcome: bool,
    outstanding: usize,
    /// By run: what was sent, when, and whether it is to be sent later.
    sent: HashMap<String, (u64, i64)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) digest: String,
    report: Report,
}

impl Agent {
    pub(crate) fn new(index: usize, plan: &AgentPlan) -> Self {
        let key = SigningKey::from_bytes(&[u8::try_from(index + 1).unwrap(); 32]);
        let public_key = key.verifying_key().to_bytes();
        Self {
            entry: store::Agent {
                agent_key_id: key_id(&public_key),
                public_key,
                region: plan.region.clone(),
                enrolled_at_ms: 1,
                revoked_at_ms: 0,
            },
            key,
            capacity: plan.capacity,
            life: None,
            paused_until: 0,
            partitioned_until: 0,
            failures: 0,
            session: None,
            runs: HashMap::new(),
            spool: BTreeMap::new(),
            made: 0,
        }
    }

    pub(crate) fn link(&self) -> Option<Link> {
        self.session.as_ref().map(|session| session.link)
    }

    fn report(&self, lease: &Lease, observed: Observed, now_ms: i64) -> Kept {
        let run = Run {
            run_id: lease.run_id.clone(),
            target_id: lease.target_id.clone(),
            suite: lease.suite.clone(),
            slot: lease.slot,
            region: lease.region.clone(),
            agent_key_id: self.entry.agent_key_id.clone(),
            endpoint_url: lease.endpoint_url.clone(),
            endpoint_source: lease.endpoint_source,
            started_at_ms: now_ms - observed.took_ms,
            finished_at_ms: now_ms,
            offered_revision: String::new(),
        };
        let response = |status| Response {
            status,
            ..Response::default()
        };
        let failure = Failure {
            kind: FailureKind::ConnectRefused.into(),
            rule: String::new(),
        };
        let observation = Observation {
            format: 1,
            run: Some(run),
            exchanges: vec![Exchange {
                step: Step::Discover.into(),
                failure: (observed.status == 0).then_some(failure),
                response: (observed.status > 0).then(|| response(observed.status)),
                ..Exchange::default()
            }],
            stop: (observed.retry_after_s > 0).then(|| Stop {
                kind: StopKind::RateLimited.into(),
                exchange: 0,
                retry_after_s: observed.retry_after_s,
            }),
            // No two results are the same.
            agent_version: format!("{} {}", self.entry.region, self.made),
            ..Observation::default()
        }
        .encode_to_vec();
        let signature = self.key.sign(&pae(OBSERVATION_TYPE, &observation));
        Kept {
            digest: HEXLOWER.encode(&Sha256::digest(&observation)),
            report: Report {
                run_id: lease.run_id.clone(),
                lease_token: lease.lease_token.clone(),
                signed: Some(SignedObservation {
                    observation,
                    signature: signature.to_bytes().to_vec(),
                    agent_key_id: self.entry.agent_key_id.clone(),
                    bodies: Vec::new(),
                }),
                traceparent: String::new(),
            },
        }
    }
}

/// What a target did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observed {
    took_ms: i64,
    /// 0: no connection.
    status: u32,
    retry_after_s: u32,
}

impl Observed {
    fn draw(world: &mut World) -> Self {
        let rates = world.rates();
        let draw = &mut world.draw;
        let mut observed = Self {
            took_ms: if draw.chance(900) {
                draw.time(50, 1_000)
            } else {
                draw.time(50, 10_000)
            },
            status: 200,
            retry_after_s: 0,
        };
        if draw.chance(rates.run_hangs) {
            observed.took_ms = draw.time(10_000, 60_000);
        }
        if draw.chance(rates.asks_to_wait) {
            observed.status = 429;
            let second = Draw::any_time(draw, 100_000_000) / 1_000;
            observed.retry_after_s = u32::try_from(second).unwrap();
        } else if draw.chance(rates.unanswered) {
            observed.status = draw.of(&[0, 500]);
        }
        observed
    }
}

impl World {
    pub(crate) fn start_agent(&mut self, agent: usize) {
        self.lives += 1;
        let life = self.lives;
        self.agents[agent].life = Some(life);
        self.agents[agent].failures = 0;
        self.after(0, Event::Dial { agent, life });
    }

    /// It dies: what goes on is lost, what it kept is not.
    pub(crate) fn crash_agent(&mut self, agent: usize, down_ms: i64) {
        let ended = &mut self.agents[agent];
        if ended.life.take().is_none() {
            return;
        }
        ended.paused_until = 0;
        ended.runs.clear();
        if let Some(session) = ended.session.take() {
            self.cut(session.link);
        }
        self.after(down_ms, Event::AgentUp(agent));
    }

    pub(crate) fn dial(&mut self, agent: usize, life: u64) {
        if self.agents[agent].life != Some(life) || self.agents[agent].session.is_some() {
            return;
        }
        let link = (self.agents[agent].partitioned_until <= self.now)
            .then(|| self.connect(agent))
            .flatten();
        let Some(link) = link else {
            self.dial_later(agent, life);
            return;
        };
        self.agents[agent].session = Some(Session {
            link,
            welcome: false,
            outstanding: 0,
            sent: HashMap::new(),
        });
    }

    fn dial_later(&mut self, agent: usize, life: u64) {
        let failures = self.agents[agent].failures;
        self.agents[agent].failures = failures.saturating_add(1);
        let bound = (250_i64 << failures.min(10)).min(BACKOFF_LIMIT_MS);
        let wait_ms = self.draw.time(0, bound);
        self.after(wait_ms, Event::Dial { agent, life });
    }

    /// The agent notices that its connection is gone.
    pub(crate) fn agent_lost(&mut self, agent: usize, link: Link) {
        if self.agents[agent].link() != Some(link) {
            return;
        }
        self.agents[agent].session = None;
        if let Some(life) = self.agents[agent].life {
            self.dial_later(agent, life);
        }
    }

    pub(crate) fn agent_takes(&mut self, agent: usize, link: Link, down: Down) {
        if self.agents[agent].link() != Some(link) {
            return;
        }
        match down {
            Down::Welcome => {
                self.agents[agent].failures = 0;
                if let Some(session) = &mut self.agents[agent].session {
                    session.welcome = true;
                }
                self.send_kept(agent);
            }
            Down::Lease(lease) => self.take_lease(agent, lease),
            Down::Answer(run_id, outcome) => self.answered(agent, &run_id, outcome),
        }
        self.give_credits(agent);
    }

    fn give_credits(&mut self, index: usize) {
        let agent = &mut self.agents[index];
        let free = agent.capacity.saturating_sub(agent.runs.len());
        let Some(session) = agent.session.as_mut().filter(|session| session.welcome) else {
            return;
        };
        let permits = free.saturating_sub(session.outstanding);
        if permits > 0 {
            session.outstanding += permits;
            let link = session.link;
            self.up(link, Up::Credits(u32::try_from(permits).unwrap()));
        }
    }

    fn take_lease(&mut self, index: usize, lease: Lease) {
        let agent = &mut self.agents[index];
        let Some(session) = &mut agent.session else {
            return;
        };
        if session.outstanding == 0 || lease.region != agent.entry.region {
            self.fault(format!(
                "a lease that agent {index} did not ask for: {lease:?}"
            ));
            return;
        }
        session.outstanding -= 1;
        if let Some((going, _)) = agent.runs.get_mut(&lease.run_id) {
            going.lease_token = lease.lease_token;
            return;
        }
        let mut kept = agent.spool.values_mut();
        if let Some(kept) = kept.find(|kept| kept.report.run_id == lease.run_id) {
            kept.report.lease_token = lease.lease_token;
            session.sent.remove(&lease.run_id);
            self.send_kept(index);
            return;
        }
        let observed = Observed::draw(self);
        let rates = self.rates();
        let agent = &mut self.agents[index];
        agent.made += 1;
        let number = agent.made;
        let limit_ms = i64::from(lease.lasts_ms) - LEASE_MARGIN_MS;
        let ends = Event::RunEnds {
            agent: index,
            life: agent.life.unwrap_or(0),
            number,
            run_id: lease.run_id.clone(),
            observed: (observed.took_ms < limit_ms).then_some(observed),
        };
        agent.runs.insert(lease.run_id.clone(), (lease, number));
        self.after(observed.took_ms.min(limit_ms), ends);
        if self.draw.chance(rates.run_kills) {
            let after_ms = self.draw.time(0, 2_000);
            let down_ms = self.draw.any_time(3_600_000);
            self.after(
                after_ms,
                Event::AgentDies {
                    agent: index,
                    down_ms,
                },
            );
        }
    }

    pub(crate) fn run_ends(
        &mut self,
        index: usize,
        (life, number): (u64, u64),
        run_id: &str,
        observed: Option<Observed>,
    ) {
        let now_ms = self.now;
        let agent = &mut self.agents[index];
        if agent.life != Some(life) || agent.runs.get(run_id).is_none_or(|run| run.1 != number) {
            return;
        }
        let Some((lease, _)) = agent.runs.remove(run_id) else {
            return;
        };
        // One that took longer than its lease has no result.
        if let Some(observed) = observed {
            let kept = agent.report(&lease, observed, now_ms);
            agent.spool.insert(number, kept);
            self.send_kept(index);
        }
        self.give_credits(index);
    }

    pub(crate) fn send_kept(&mut self, index: usize) {
        let now = self.now;
        let agent = &mut self.agents[index];
        let Some(session) = agent.session.as_mut().filter(|session| session.welcome) else {
            return;
        };
        let link = session.link;
        let mut due = Vec::new();
        for (number, kept) in &agent.spool {
            let run_id = &kept.report.run_id;
            let waits = session
                .sent
                .get(run_id)
                .is_some_and(|(sent, at)| sent == number && now - at < RESEND_MS);
            if !waits {
                session.sent.insert(run_id.clone(), (*number, now));
                due.push(kept.report.clone());
            }
        }
        if !due.is_empty() {
            self.after(RESEND_MS, Event::Resend { agent: index, link });
        }
        for report in due {
            self.up(link, Up::Report(report));
        }
    }

    fn answered(&mut self, index: usize, run_id: &str, outcome: Outcome) {
        let now = self.now;
        let agent = &mut self.agents[index];
        let Some(session) = &mut agent.session else {
            return;
        };
        let link = session.link;
        if outcome == Outcome::Retry {
            if let Some(sent) = session.sent.get_mut(run_id) {
                sent.1 = now;
            }
            self.after(RESEND_MS, Event::Resend { agent: index, link });
            return;
        }
        let sent = session.sent.remove(run_id);
        let kept = sent.and_then(|(number, _)| agent.spool.remove(&number));
        let Some(kept) = kept else {
            return;
        };
        let in_store = self.stored.contains(&kept.digest);
        let beside = self.store.conflicts.contains(&kept.digest);
        let right = match outcome {
            Outcome::Stored | Outcome::AlreadyStored => in_store,
            Outcome::Conflict => beside,
            // Only a clock that is wrong makes a result of ours impossible.
            Outcome::Refused => self.stepped,
            Outcome::Retry | Outcome::Unspecified => false,
        };
        if !right {
            self.fault(format!("told {outcome:?} of {run_id}, which does not hold"));
        }
        if outcome == Outcome::Refused && self.now >= self.start + QUIET_MS + 60_000 {
            self.fault(format!("{run_id} was refused while every clock was right"));
        }
    }
}
