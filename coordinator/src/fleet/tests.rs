//! The dispatcher under a clock that jumps: stories of single leases, and random
//! lists of operations held against a model of the store.
//!
//! Invariants: an agent is never given more than its credits; a host is met by
//! one run at a time; and every slot of a target, from its first to the last
//! one that has ended, has exactly one result or is recorded as missed.
//! Known source of nondeterminism: which of two agents with equal credits is
//! given a run; no invariant depends on it.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use futures_util::FutureExt as _;
use proptest::prelude::*;
use tokio::{
    sync::{mpsc, watch},
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use touchstone_proto::fleet::{Lease, WorkResponse, work_response::Message};

use super::{
    dispatch::{Connected, Dispatch, Parts},
    lease::{ConnectionId, LEASE_MS, OFFERS_LIMIT},
    line::{LineEnd, line},
    token::LeaseKey,
    view::FleetView,
};
use crate::{
    clock::Clock,
    queue::MemoryQueue,
    random::CountedRandom,
    schedule::{Missed, slot::Slots},
    store::{KnownTarget, read::MissedCause},
    targets::{Target, Tier, tests_support::target_of},
};

/// 2026-11-30 12:00 UTC.
const NOON_MS: i64 = 1_796_040_000_000;

/// The time of tokio's clock, which tests stop and move.
#[derive(Debug)]
struct TestClock(Instant);

impl Clock for TestClock {
    fn now_ms(&self) -> i64 {
        NOON_MS + i64::try_from(self.0.elapsed().as_millis()).unwrap()
    }
}

type Down = mpsc::Receiver<Result<WorkResponse, tonic::Status>>;

struct Agent {
    connection: ConnectionId,
    down: Down,
    end: CancellationToken,
    /// Given and not yet used, by our own count.
    credits: u32,
    held: Vec<Lease>,
}

struct Stage {
    dispatch: Dispatch,
    clock: Arc<TestClock>,
    missed: LineEnd,
    view: watch::Receiver<FleetView>,
}

impl Stage {
    async fn new(targets: &[Arc<Target>]) -> Self {
        let clock = Arc::new(TestClock(Instant::now()));
        let (line, missed) = line(4_096);
        let (view_sender, view) = watch::channel(FleetView::default());
        let (dispatch, dispatcher) = Dispatch::new(Parts {
            queue: Box::new(MemoryQueue::default()),
            clock: Arc::clone(&clock) as _,
            random: Arc::new(CountedRandom::default()),
            lease_key: LeaseKey::new([7; 32]),
            missed: line,
            view: view_sender,
        });
        tokio::spawn(dispatcher.run(CancellationToken::new()));
        let known = |target: &Arc<Target>| KnownTarget {
            target: Arc::clone(target),
            known_at_ms: None,
        };
        dispatch
            .add(targets.iter().map(known).collect())
            .await
            .unwrap();
        Self {
            dispatch,
            clock,
            missed,
            view,
        }
    }

    async fn join(&self, name: &str, region: &str) -> Agent {
        let (sender, down) = mpsc::channel(512);
        let agent = Agent {
            connection: self.dispatch.next_connection(),
            down,
            end: CancellationToken::new(),
            credits: 0,
            held: Vec::new(),
        };
        let connected = Connected {
            connection: agent.connection,
            agent_key_id: name.to_owned(),
            region: region.into(),
            sender,
            end: agent.end.clone(),
        };
        self.dispatch.join(connected).await.unwrap();
        agent
    }

    async fn credit(&self, agent: &mut Agent, permits: u32) {
        agent.credits += permits;
        self.dispatch
            .credit(agent.connection, permits)
            .await
            .unwrap();
    }

    /// What was missed since it was asked before.
    fn missed(&mut self) -> Vec<Missed> {
        self.missed.take(4_096).now_or_never().unwrap_or_default()
    }

    /// Lets time pass, and everyone do what is due in it.
    async fn pass(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    async fn settle(&self, lease: &Lease) {
        let target_id = lease.target_id.as_str().into();
        let settled = self
            .dispatch
            .settled(target_id, lease.slot, lease.run_id.clone());
        settled.await.unwrap();
    }
}

impl Agent {
    /// Reads what came down.
    fn read(&mut self) {
        while let Ok(response) = self.down.try_recv() {
            let Some(Message::Lease(lease)) = response.unwrap().message else {
                panic!("only leases come from the dispatcher");
            };
            self.credits = self
                .credits
                .checked_sub(1)
                .expect("more leases than credits");
            self.held.push(lease);
        }
    }
}

const MOMENT: Duration = Duration::from_millis(5);

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_not_reported_in_time_is_given_to_another() {
    let target = Arc::new(target_of(
        "https://a.example/mcp",
        Tier::Unclaimed,
        &["fra"],
    ));
    let stage = Stage::new(std::slice::from_ref(&target)).await;
    let (mut one, mut two) = (
        stage.join("one", "fra").await,
        stage.join("two", "fra").await,
    );
    stage.credit(&mut one, 1).await;
    stage.pass(MOMENT).await;
    one.read();
    assert_eq!(one.held.len(), 1);
    assert_eq!(stage.view.borrow().regions["fra"].leased, 1);
    stage.credit(&mut two, 1).await;
    stage
        .pass(Duration::from_millis(u64::from(LEASE_MS) - 15))
        .await;
    two.read();
    assert!(two.held.is_empty(), "the lease still holds");
    stage.pass(3 * MOMENT).await;
    two.read();
    assert_eq!(two.held[0].run_id, one.held[0].run_id);
    assert_ne!(two.held[0].lease_token, one.held[0].lease_token);
    stage.settle(&one.held[0]).await;
    stage.pass(MOMENT).await;
    assert_eq!(stage.view.borrow().regions["fra"].leased, 0);
}

#[tokio::test(start_paused = true)]
async fn a_slot_whose_leases_all_get_lost_is_recorded_as_such() {
    let target = Arc::new(target_of(
        "https://a.example/mcp",
        Tier::Unclaimed,
        &["fra"],
    ));
    let mut stage = Stage::new(std::slice::from_ref(&target)).await;
    let mut agent = stage.join("one", "fra").await;
    stage.credit(&mut agent, 9).await;
    stage.pass(Duration::from_mins(50)).await;
    agent.read();
    assert_eq!(agent.held.len(), OFFERS_LIMIT as usize);
    let missed = stage.missed().remove(0);
    assert_eq!(missed.cause, MissedCause::LeaseExpired);
    assert_eq!(missed.first_slot, agent.held[0].slot);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_does_not_read_is_given_up() {
    let target = Arc::new(target_of(
        "https://a.example/mcp",
        Tier::Unclaimed,
        &["fra"],
    ));
    let stage = Stage::new(std::slice::from_ref(&target)).await;
    let Agent {
        connection,
        down,
        end,
        ..
    } = stage.join("one", "fra").await;
    drop(down);
    stage.dispatch.credit(connection, 1).await.unwrap();
    stage.pass(MOMENT).await;
    assert!(end.is_cancelled());
    assert_eq!(stage.view.borrow().regions["fra"].agents, 0);
    assert_eq!(
        stage.view.borrow().regions["fra"].queued,
        1,
        "its run waits for another"
    );
}

#[derive(Clone, Debug)]
enum Op {
    /// Seconds.
    Pass(u32),
    Join(usize),
    Leave(usize),
    Credit(usize, u32),
    /// The agent reports the lease that it has held longest, or newest.
    Report {
        agent: usize,
        newest: bool,
    },
    /// The host of the first target asks to be left alone, for seconds.
    Wait(u32),
}

/// Name and region of each agent.
const AGENTS: [(&str, &str); 3] = [("a", "fra"), ("b", "fra"), ("c", "iad")];

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let agent = 0..AGENTS.len();
    let op = prop_oneof![
        4 => prop_oneof![1..40_u32, 60..3_600_u32].prop_map(Op::Pass),
        3 => agent.clone().prop_map(Op::Join),
        1 => agent.clone().prop_map(Op::Leave),
        4 => (agent.clone(), 1..4_u32).prop_map(|(agent, permits)| Op::Credit(agent, permits)),
        6 => (agent, any::<bool>()).prop_map(|(agent, newest)| Op::Report { agent, newest }),
        1 => (1..4_000_u32).prop_map(Op::Wait),
    ];
    prop::collection::vec(op, 1..60)
}

/// What the store would hold, and who is connected.
#[derive(Default)]
struct Model {
    agents: BTreeMap<usize, Agent>,
    stored: BTreeSet<(String, u64)>,
    missed: BTreeMap<(String, u64), MissedCause>,
}

impl Model {
    async fn play(&mut self, stage: &mut Stage, targets: &[Arc<Target>], op: Op) {
        match op {
            Op::Pass(seconds) => stage.pass(Duration::from_secs(seconds.into())).await,
            Op::Join(index) => {
                let (name, region) = AGENTS[index];
                let joined = stage.join(name, region).await;
                if let Some(before) = self.agents.insert(index, joined) {
                    stage.pass(MOMENT).await;
                    assert!(
                        before.end.is_cancelled(),
                        "a second connection ends the first"
                    );
                }
            }
            Op::Leave(index) => {
                if let Some(agent) = self.agents.remove(&index) {
                    stage.dispatch.leave(agent.connection).await.unwrap();
                }
            }
            Op::Credit(index, permits) => {
                if let Some(agent) = self.agents.get_mut(&index) {
                    stage.credit(agent, permits).await;
                }
            }
            Op::Report { agent, newest } => {
                let Some(agent) = self.agents.get_mut(&agent) else {
                    return;
                };
                if agent.held.is_empty() {
                    return;
                }
                let place = if newest { agent.held.len() - 1 } else { 0 };
                let lease = agent.held.remove(place);
                let slot = (lease.target_id.clone(), lease.slot);
                // As the store does: the first wins, and a missed slot is missed no more.
                self.missed.remove(&slot);
                self.stored.insert(slot);
                stage.settle(&lease).await;
            }
            Op::Wait(seconds) => {
                let until_ms = stage.clock.now_ms() + i64::from(seconds) * 1_000;
                let host = Arc::clone(&targets[0].host);
                stage.dispatch.wait_until(host, until_ms).await.unwrap();
            }
        }
    }

    /// Reads what happened, and holds it against the invariants.
    fn look(&mut self, stage: &mut Stage, targets: &[Arc<Target>]) {
        for agent in self.agents.values_mut() {
            agent.read();
        }
        for missed in stage.missed() {
            for slot in missed.first_slot..=missed.last_slot {
                let slot = (missed.target.target_id.to_string(), slot);
                assert!(
                    !self.stored.contains(&slot),
                    "stored, then missed: {slot:?}"
                );
                let before = self.missed.insert(slot, missed.cause);
                assert_eq!(before, None, "missed twice");
            }
        }
        let leased: u32 = stage
            .view
            .borrow()
            .regions
            .values()
            .map(|region| region.leased)
            .sum();
        let hosts: BTreeSet<_> = targets.iter().map(|target| &target.host).collect();
        assert!(leased as usize <= hosts.len(), "a host is met by two runs");
    }

    fn account(&self, first: &HashMap<String, u64>, slots: impl Fn(&str) -> Slots, now_ms: i64) {
        for (target_id, first) in first {
            for slot in *first..slots(target_id).slot_at(now_ms) {
                let slot = (target_id.clone(), slot);
                let stored = self.stored.contains(&slot);
                let missed = self.missed.contains_key(&slot);
                assert!(
                    stored ^ missed,
                    "{slot:?}: stored {stored}, missed {missed}"
                );
            }
        }
    }
}

async fn simulate(ops: Vec<Op>) {
    let targets: Vec<_> = [
        ("https://one.example/a", Tier::Indie),
        ("https://one.example/b", Tier::Indie),
        ("https://two.example/", Tier::Free),
    ]
    .map(|(url, tier)| Arc::new(target_of(url, tier, &["fra", "iad"])))
    .into();
    let slots = |target_id: &str| {
        let target = targets
            .iter()
            .find(|target| &*target.target_id == target_id);
        Slots::new(target_id, target.unwrap().tier.cadence_ms())
    };
    let mut stage = Stage::new(&targets).await;
    let first = targets.iter().map(|target| {
        let id = target.target_id.to_string();
        let slot = slots(&id).slot_at(NOON_MS);
        (id, slot)
    });
    let first: HashMap<_, _> = first.collect();
    let mut model = Model::default();
    for op in ops {
        model.play(&mut stage, &targets, op).await;
        stage.pass(MOMENT).await;
        model.look(&mut stage, &targets);
    }
    let now_ms = stage.clock.now_ms();
    model.account(&first, slots, now_ms);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_slot_comes_to_exactly_one_end(ops in ops()) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(simulate(ops));
    }
}
