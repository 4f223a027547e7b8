//! The world of one seed: true time, who lives in it, and what happens next.

mod agent;
mod coordinator;
mod draw;
mod net;
mod plan;
mod store;

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};

use touchstone_coordinator::{
    clock::FixedClock,
    fleet::token::LeaseKey,
    random::CountedRandom,
    store::read::MissedCause,
    targets::{EndpointSource, Seed, Target},
};

use agent::{Agent, Observed};
use coordinator::{Coordinator, Write};
use draw::Draw;
use net::{Down, Link, Up, Wire};
pub(crate) use plan::Plan;
use plan::{DAY_MS, MINUTE_MS, Op, QUIET_MS, Rates, STORY_MS, When};
use store::Store;

/// 2026-12-01 00:00 UTC.
const START_MS: i64 = 1_796_083_200_000;

#[derive(Debug)]
enum Event {
    Op(usize),
    /// From now on all is well.
    Quiet,
    Start,
    Wake {
        life: u64,
        serial: u64,
    },
    Greeted {
        link: Link,
    },
    Up {
        link: Link,
        up: Up,
    },
    Down {
        link: Link,
        down: Down,
    },
    Cut {
        link: Link,
    },
    AgentLost {
        agent: usize,
        link: Link,
    },
    CoordinatorLost {
        link: Link,
    },
    AgentUp(usize),
    AgentDies {
        agent: usize,
        down_ms: i64,
    },
    Dial {
        agent: usize,
        life: u64,
    },
    RunEnds {
        agent: usize,
        life: u64,
        number: u64,
        run_id: String,
        observed: Option<Observed>,
    },
    Resend {
        agent: usize,
        link: Link,
    },
    Batch {
        life: u64,
    },
    Commit {
        life: u64,
        write: Write,
    },
    Committed {
        life: u64,
        write: Write,
        done: bool,
    },
    RetryMissed {
        life: u64,
    },
    Dies {
        down_ms: i64,
    },
}

impl Event {
    /// The agent in which it happens.
    fn agent(&self, world: &World) -> Option<usize> {
        match self {
            Self::Down { link, .. } => world.wired(*link),
            Self::AgentLost { agent, .. }
            | Self::Dial { agent, .. }
            | Self::RunEnds { agent, .. }
            | Self::Resend { agent, .. } => Some(*agent),
            _ => None,
        }
    }
}

/// What was seen in one story.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) leases: u32,
    pub(crate) writes: u32,
    pub(crate) missed: u32,
    pub(crate) crashes: u32,
    pub(crate) stored: usize,
    pub(crate) conflicts: usize,
    pub(crate) unrecorded: u32,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Self) {
        self.leases += other.leases;
        self.writes += other.writes;
        self.missed += other.missed;
        self.crashes += other.crashes;
        self.stored += other.stored;
        self.conflicts += other.conflicts;
        self.unrecorded += other.unrecorded;
    }
}

pub(crate) struct World {
    plan: Plan,
    start: i64,
    now: i64,
    /// How far the coordinator's clock is ahead of the true time.
    offset: i64,
    /// The latest that the coordinator's clock ever showed.
    latest: i64,
    stepped: bool,
    clock: Arc<FixedClock>,
    random: Arc<CountedRandom>,
    lease_key: LeaseKey,
    events: BTreeMap<(i64, u64), Event>,
    serial: u64,
    lives: u64,
    links: u64,
    draw: Draw,
    agents: Vec<Agent>,
    coordinator: Option<Coordinator>,
    wires: BTreeMap<Link, Wire>,
    store: Store,
    /// Digests of all results that are the result of their slot.
    stored: HashSet<String>,
    /// Targets of the plan that were not taken up yet.
    coming: BTreeSet<usize>,
    tally: Tally,
    fault: Option<String>,
}

/// Plays a story to its end and holds it against the invariants.
pub(crate) fn play(plan: &Plan) -> Result<Tally, String> {
    let mut world = World::new(plan.clone());
    let end = world.start + STORY_MS;
    while let Some(entry) = world.events.first_entry() {
        if entry.key().0 > end {
            break;
        }
        let ((at, _), event) = entry.remove_entry();
        world.now = at;
        world.happen(event);
        if let Some(fault) = world.fault.take() {
            let day = (world.now - world.start) / DAY_MS;
            return Err(format!("day {day}: {fault}"));
        }
    }
    world.now = end;
    world.account()?;
    Ok(world.tally)
}

impl World {
    fn new(plan: Plan) -> Self {
        let agents = plan.agents.iter().enumerate();
        let mut world = Self {
            start: START_MS,
            now: START_MS,
            offset: 0,
            latest: START_MS,
            stepped: false,
            clock: Arc::new(FixedClock::new(START_MS)),
            random: Arc::default(),
            lease_key: LeaseKey::new([7; 32]),
            events: BTreeMap::new(),
            serial: 0,
            lives: 0,
            links: 0,
            draw: Draw::new(plan.seed),
            agents: agents
                .map(|(index, plan)| Agent::new(index, plan))
                .collect(),
            coordinator: None,
            wires: BTreeMap::new(),
            store: Store::default(),
            stored: HashSet::new(),
            coming: (0..plan.targets.len()).collect(),
            tally: Tally::default(),
            fault: None,
            plan,
        };
        world.after(0, Event::Start);
        for agent in 0..world.agents.len() {
            world.after(0, Event::AgentUp(agent));
        }
        for index in 0..world.plan.ops.len() {
            if let When::At(at) = world.plan.ops[index].0 {
                world.after(at, Event::Op(index));
            }
        }
        // Whoever adds targets starts the coordinator anew.
        for index in 0..world.plan.targets.len() {
            let from_ms = world.plan.targets[index].from_ms;
            if from_ms > 0 {
                world.after(from_ms, Event::Dies { down_ms: 1_000 });
            }
        }
        world.after(QUIET_MS, Event::Quiet);
        world
    }

    fn at(&mut self, at: i64, event: Event) {
        self.serial += 1;
        self.events.insert((at, self.serial), event);
    }

    fn after(&mut self, wait_ms: i64, event: Event) {
        self.at(self.now + wait_ms, event);
    }

    /// What goes wrong by itself at this time.
    fn rates(&self) -> Rates {
        if self.quiet() {
            Rates::default()
        } else {
            self.plan.rates
        }
    }

    fn quiet(&self) -> bool {
        self.now >= self.start + QUIET_MS
    }

    fn fault(&mut self, fault: String) {
        self.fault.get_or_insert(fault);
    }

    /// What the coordinator's clock shows.
    fn shown(&mut self) -> i64 {
        let shown = self.now + self.offset;
        self.latest = self.latest.max(shown);
        self.clock.set(shown);
        shown
    }

    fn happen(&mut self, event: Event) {
        self.shown();
        // One that stands still does it later.
        if let Some(agent) = event.agent(self)
            && self.agents[agent].paused_until > self.now
        {
            self.at(self.agents[agent].paused_until, event);
            return;
        }
        match event {
            Event::Op(index) => self.operate(self.plan.ops[index].1),
            Event::Quiet => self.calm(),
            Event::Start => self.start_coordinator(),
            Event::Wake { life, serial } => self.wake(life, serial),
            Event::Greeted { link } => self.greeted(link),
            Event::Up { link, up } => {
                if self.wired(link).is_some() {
                    self.take(link, up);
                }
            }
            Event::Down { link, down } => {
                if let Some(agent) = self.wired(link) {
                    self.agent_takes(agent, link, down);
                }
            }
            Event::Cut { link } => self.cut(link),
            Event::AgentLost { agent, link } => self.agent_lost(agent, link),
            Event::CoordinatorLost { link } => self.session_lost(link),
            Event::AgentUp(agent) => self.start_agent(agent),
            Event::AgentDies { agent, down_ms } => self.crash_agent(agent, down_ms),
            Event::Dial { agent, life } => self.dial(agent, life),
            Event::RunEnds {
                agent,
                life,
                number,
                run_id,
                observed,
            } => {
                self.run_ends(agent, (life, number), &run_id, observed);
            }
            Event::Resend { agent, link } => {
                if self.agents[agent].link() == Some(link) {
                    self.send_kept(agent);
                }
            }
            Event::Batch { life } => self.batch(life),
            Event::Commit { life, write } => self.commit(life, write),
            Event::Committed { life, write, done } => self.committed(life, write, done),
            Event::RetryMissed { life } => self.retry_missed(life),
            Event::Dies { down_ms } => self.crash(down_ms),
        }
    }

    fn operate(&mut self, op: Op) {
        if self.quiet() {
            return;
        }
        let left_ms = self.start + QUIET_MS - self.now;
        let until = |for_ms: i64| self.now + for_ms.min(left_ms);
        match op {
            Op::CrashCoordinator { down_ms } => self.crash(down_ms.min(left_ms)),
            Op::CrashAgent { agent, down_ms } => self.crash_agent(agent, down_ms.min(left_ms)),
            Op::Pause { agent, for_ms } => {
                self.agents[agent].paused_until = until(for_ms);
                // Its keepalive stands still, too.
                if let Some(link) = self.agents[agent].link() {
                    self.after(20_000.min(left_ms), Event::Cut { link });
                }
            }
            Op::Cut { agent } => {
                if let Some(link) = self.agents[agent].link() {
                    self.cut(link);
                }
            }
            Op::Partition { agent, for_ms } => {
                self.agents[agent].partitioned_until = until(for_ms);
                if let Some(link) = self.agents[agent].link() {
                    self.cut(link);
                }
            }
            Op::StepClock { by_ms } => self.step_clock(by_ms),
            Op::StoreAway { for_ms } => self.store.away_until = until(for_ms),
            Op::StoreSlow { for_ms } => self.store.slow_until = until(for_ms),
        }
    }

    fn calm(&mut self) {
        self.step_clock(-self.offset);
    }

    fn step_clock(&mut self, by_ms: i64) {
        self.stepped |= by_ms != 0;
        self.offset = (self.offset + by_ms).clamp(-DAY_MS, DAY_MS);
        self.shown();
        self.clock_stepped();
    }

    /// Operations that wait for the so-manieth of something.
    fn counted(&mut self, is: impl Fn(When) -> Option<i64>) {
        for index in 0..self.plan.ops.len() {
            if let Some(delay_ms) = is(self.plan.ops[index].0) {
                self.after(delay_ms, Event::Op(index));
            }
        }
    }

    fn take_up_targets(&mut self) {
        let shown = self.shown();
        let due = |&index: &usize| self.plan.targets[index].from_ms <= self.now - self.start;
        let due: Vec<usize> = self.coming.iter().copied().filter(due).collect();
        for index in due {
            self.coming.remove(&index);
            let plan = &self.plan.targets[index];
            let (source, regions) = (EndpointSource::Operator, plan.regions.clone());
            let seed = Seed::parse(&plan.url, source, plan.tier, regions).unwrap();
            self.store
                .add(Target::new(seed, format!("t{index}"), shown));
        }
    }

    fn account(&mut self) -> Result<(), String> {
        let shown = self.shown();
        let until_ms = shown - 10 * MINUTE_MS;
        for place in 0..self.store.targets.len() {
            self.store.account(place, until_ms, shown)?;
            let slots = self.store.slots(place);
            // All was well for a day, and no slot was spent by a wrong clock.
            let well = slots.slot_at(
                (self.start + QUIET_MS + DAY_MS)
                    .max(self.latest.min(self.start + QUIET_MS + 2 * DAY_MS)),
            ) + 1;
            for slot in well..slots.slot_at(until_ms) {
                match self.store.missed.get(&(place, slot)) {
                    None | Some(MissedCause::AskedToWait) => {}
                    Some(cause) => {
                        return Err(format!(
                            "({place}, {slot}) missed in quiet times: {cause:?}"
                        ));
                    }
                }
            }
        }
        for (index, agent) in self.agents.iter().enumerate() {
            if let Some(kept) = agent.spool.values().next() {
                return Err(format!("agent {index} still keeps {kept:?}"));
            }
        }
        self.tally.stored = self.store.runs.len();
        self.tally.conflicts = self.store.conflicts.len();
        Ok(())
    }
}
