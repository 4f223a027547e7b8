//! The coordinator: its own dispatcher with schedule, leases and queue, its own
//! check of reports. Around it, what the tasks of the role do with the store.

mod step;

use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    sync::Arc,
};

use futures_util::{FutureExt as _, future::BoxFuture};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use touchstone_coordinator::{
    fleet::{
        dispatch::{Connected, Dispatch, Dispatcher, Parts},
        ingest::{BATCH_LIMIT, BATCH_LINGER, MISSED_WAIT},
        lease::ConnectionId,
        line::{Line, LineEnd, line},
        report::{Accepted, Refusal, Targets, check},
        view::FleetView,
    },
    queue::MemoryQueue,
    schedule::Missed,
    store::Recorded,
};
use touchstone_proto::fleet::{Outcome, Report, WorkResponse};

use super::{
    Event, World,
    net::{Down, Link, Up},
    plan::When,
    store::Slot,
};

/// Messages down to one agent that may wait to be sent.
const DOWN_LIMIT: usize = 1_024;
/// Ranges of missed slots that are written in one go.
const MISSED_BATCH: usize = 512;

pub(crate) struct Coordinator {
    life: u64,
    dispatch: Dispatch,
    running: Option<Running>,
    /// What was said to the dispatcher and found no room yet.
    sends: VecDeque<BoxFuture<'static, ()>>,
    line: Line,
    missed: LineEnd,
    view: watch::Receiver<FleetView>,
    targets: Targets,
    hosts: usize,
    sessions: BTreeMap<Link, Serving>,
    /// Results that wait for the writer.
    items: VecDeque<Item>,
    writing: bool,
    /// Missed slots that are being written.
    recording: Vec<Missed>,
    record_failures: u32,
    wake: Option<i64>,
    serial: u64,
    /// What the dispatcher was told.
    settled: HashSet<Slot>,
    waits: HashMap<Arc<str>, i64>,
}

enum Running {
    Idle(Box<Dispatcher>),
    /// It waits for room for missed slots.
    Stalled(BoxFuture<'static, Box<Dispatcher>>),
}

struct Serving {
    agent: usize,
    connection: ConnectionId,
    down: mpsc::Receiver<Result<WorkResponse, tonic::Status>>,
    end: CancellationToken,
}

#[derive(Debug)]
pub(crate) struct Item {
    link: Link,
    accepted: Accepted,
}

/// What a transaction writes.
#[derive(Debug)]
pub(crate) enum Write {
    Results(Vec<Item>, Vec<Recorded>),
    Missed,
}

impl Coordinator {
    fn tell<F>(&mut self, tell: impl FnOnce(Dispatch) -> F)
    where
        F: Future<Output = Result<(), touchstone_coordinator::fleet::dispatch::Ended>>
            + Send
            + 'static,
    {
        let told = tell(self.dispatch.clone());
        self.sends.push_back(told.map(drop).boxed());
    }

    /// Says what was to be said, as far as there is room and an answer.
    fn flush(&mut self) {
        while let Some(send) = self.sends.front_mut() {
            if send.now_or_never().is_none() {
                break;
            }
            self.sends.pop_front();
        }
    }

    /// Lets the dispatcher work as far as it can; true when it stalled.
    fn work(&mut self) -> bool {
        self.flush();
        let mut step = match self.running.take() {
            None => return false,
            Some(Running::Stalled(step)) => step,
            Some(Running::Idle(mut dispatcher)) => async move {
                dispatcher.step().await;
                dispatcher
            }
            .boxed(),
        };
        let done = (&mut step).now_or_never();
        let stalled = done.is_none();
        self.flush();
        self.running = Some(done.map_or(Running::Stalled(step), Running::Idle));
        stalled
    }

    /// Takes missed slots to be written, unless some are being written.
    fn take_missed(&mut self) -> bool {
        if !self.recording.is_empty() {
            return false;
        }
        let taken = self.missed.take(MISSED_BATCH).now_or_never();
        self.recording = taken.unwrap_or_default();
        !self.recording.is_empty()
    }
}

impl World {
    pub(crate) fn start_coordinator(&mut self) {
        if self.coordinator.is_some() {
            return;
        }
        if self.store.away_until > self.now {
            let wait_ms = self.draw.time(1_000, 30_000);
            self.after(wait_ms, Event::Start);
            return;
        }
        self.take_up_targets();
        self.lives += 1;
        let (line, missed) = line(self.plan.missed_limit);
        let (view_sender, view) = watch::channel(FleetView::default());
        let (dispatch, dispatcher) = Dispatch::new(Parts {
            queue: Box::new(MemoryQueue::default()),
            clock: Arc::clone(&self.clock) as _,
            random: Arc::clone(&self.random) as _,
            lease_key: self.lease_key.clone(),
            missed: line.clone(),
            view: view_sender,
        });
        let known = self.store.known_targets();
        let hosts: HashSet<_> = known.iter().map(|known| &known.target.host).collect();
        let mut coordinator = Coordinator {
            life: self.lives,
            dispatch,
            running: Some(Running::Idle(Box::new(dispatcher))),
            sends: VecDeque::new(),
            line,
            missed,
            view,
            targets: Targets::of(&known),
            hosts: hosts.len(),
            sessions: BTreeMap::new(),
            items: VecDeque::new(),
            writing: false,
            recording: Vec::new(),
            record_failures: 0,
            wake: None,
            serial: 0,
            settled: HashSet::new(),
            waits: HashMap::new(),
        };
        let shown = self.shown();
        for (host, until_ms) in self.store.waits(shown) {
            coordinator.waits.insert(Arc::clone(&host), until_ms);
            coordinator.tell(|dispatch| async move { dispatch.wait_until(host, until_ms).await });
        }
        coordinator.tell(|dispatch| async move { dispatch.add(known).await });
        self.coordinator = Some(coordinator);
        self.step();
    }

    /// It dies: all that was not committed is lost.
    pub(crate) fn crash(&mut self, down_ms: i64) {
        let Some(coordinator) = self.coordinator.take() else {
            return;
        };
        self.tally.crashes += 1;
        let unrecorded = coordinator.recording.len();
        self.tally.unrecorded += u32::try_from(unrecorded).unwrap();
        drop(coordinator);
        let links: Vec<Link> = self.wires.keys().copied().collect();
        for link in links {
            self.cut(link);
        }
        self.after(down_ms, Event::Start);
    }

    pub(crate) fn greeted(&mut self, link: Link) {
        let (Some(agent), Some(coordinator)) = (self.wired(link), &mut self.coordinator) else {
            return;
        };
        // Agents are let in once all targets are taken up.
        if !coordinator.sends.is_empty() && coordinator.sessions.is_empty() {
            self.cut(link);
            return;
        }
        let (sender, down) = mpsc::channel(DOWN_LIMIT);
        let entry = &self.agents[agent].entry;
        let serving = Serving {
            agent,
            connection: coordinator.dispatch.next_connection(),
            down,
            end: CancellationToken::new(),
        };
        let connected = Connected {
            connection: serving.connection,
            agent_key_id: entry.agent_key_id.clone(),
            region: entry.region.as_str().into(),
            sender,
            end: serving.end.clone(),
        };
        coordinator.tell(|dispatch| async move { dispatch.join(connected).await });
        coordinator.sessions.insert(link, serving);
        self.down(link, Down::Welcome);
        self.step();
    }

    pub(crate) fn session_lost(&mut self, link: Link) {
        let Some(coordinator) = &mut self.coordinator else {
            return;
        };
        if let Some(serving) = coordinator.sessions.remove(&link) {
            let connection = serving.connection;
            coordinator.tell(|dispatch| async move { dispatch.leave(connection).await });
            self.step();
        }
    }

    pub(crate) fn take(&mut self, link: Link, up: Up) {
        let Some(coordinator) = &mut self.coordinator else {
            return;
        };
        let Some(serving) = coordinator.sessions.get(&link) else {
            return;
        };
        match up {
            Up::Credits(permits) => {
                let connection = serving.connection;
                coordinator
                    .tell(|dispatch| async move { dispatch.credit(connection, permits).await });
                self.step();
            }
            Up::Report(report) => {
                let agent = serving.agent;
                self.take_report(link, agent, report);
            }
        }
    }

    fn take_report(&mut self, link: Link, agent: usize, report: Report) {
        let shown = self.shown();
        let Some(coordinator) = &mut self.coordinator else {
            return;
        };
        let run_id = report.run_id.clone();
        let entry = &self.agents[agent].entry;
        match check(report, entry, &coordinator.targets, &self.lease_key, shown) {
            Ok(accepted) => {
                coordinator.items.push_back(Item { link, accepted });
                self.next_batch();
            }
            Err(refusal) => {
                if !matches!(refusal, Refusal::Times) {
                    self.fault(format!("{run_id} was refused: {refusal}"));
                }
                self.down(link, Down::Answer(run_id, Outcome::Refused));
            }
        }
    }

    fn next_batch(&mut self) {
        let Some(coordinator) = &mut self.coordinator else {
            return;
        };
        if !coordinator.writing && !coordinator.items.is_empty() {
            coordinator.writing = true;
            let life = coordinator.life;
            let linger_ms = i64::try_from(BATCH_LINGER.as_millis()).unwrap();
            self.after(linger_ms, Event::Batch { life });
        }
    }

    pub(crate) fn batch(&mut self, life: u64) {
        let Some(coordinator) = self.coordinator.as_mut().filter(|its| its.life == life) else {
            return;
        };
        let count = coordinator.items.len().min(BATCH_LIMIT);
        let items = coordinator.items.drain(..count).collect();
        let write = Write::Results(items, Vec::new());
        if coordinator.line.recorded().now_or_never().is_some() {
            self.begin(life, write);
        } else {
            let wait_ms = i64::try_from(MISSED_WAIT.as_millis()).unwrap();
            self.after(
                wait_ms,
                Event::Committed {
                    life,
                    write,
                    done: false,
                },
            );
        }
    }

    /// Begins a transaction once the one before it has ended.
    fn begin(&mut self, life: u64, write: Write) {
        let rates = self.rates();
        let slow = self.store.slow_until > self.now || self.draw.chance(rates.write_slow);
        let takes_ms = if slow {
            self.draw.time(500, 8_000)
        } else {
            self.draw.time(1, 20)
        };
        let commit_at = self.store.busy_until.max(self.now) + takes_ms;
        self.store.busy_until = commit_at;
        self.at(commit_at, Event::Commit { life, write });
        if self.draw.chance(rates.write_kills) {
            let after_ms = self.draw.time(0, 2 * (commit_at - self.now));
            let down_ms = self.draw.any_time(3_600_000);
            self.after(after_ms, Event::Dies { down_ms });
        }
    }

    pub(crate) fn commit(&mut self, life: u64, mut write: Write) {
        let shown = self.shown();
        let rates = self.rates();
        let Some(coordinator) = self.coordinator.as_ref().filter(|its| its.life == life) else {
            return;
        };
        let away = self.store.away_until > self.now;
        let fails = away || self.draw.chance(rates.write_fails);
        let commits = !away && (!fails || self.draw.chance(500));
        if commits {
            let done = match &mut write {
                Write::Results(items, recorded) => {
                    let runs: Vec<_> = items.iter().map(|item| item.accepted.run.clone()).collect();
                    let done = self.store.record(&runs, shown);
                    done.map(|done| {
                        for (run, recorded) in runs.iter().zip(&done) {
                            if matches!(recorded, Recorded::Stored { .. }) {
                                self.stored.insert(run.observation_digest.clone());
                            }
                        }
                        *recorded = done;
                    })
                }
                Write::Missed => {
                    let again = coordinator.record_failures > 0;
                    self.store.record_missed(&coordinator.recording, again)
                }
            };
            if let Err(fault) = done {
                self.fault(fault);
            }
        }
        let count = self.tally.writes;
        self.tally.writes += 1;
        self.counted(|when| match when {
            When::Write(at, delay_ms) if at == count => Some(delay_ms),
            _ => None,
        });
        let after_ms = self.draw.time(0, 10);
        let done = !fails;
        self.after(after_ms, Event::Committed { life, write, done });
    }

    pub(crate) fn committed(&mut self, life: u64, write: Write, done: bool) {
        if self.coordinator.as_ref().is_none_or(|its| its.life != life) {
            return;
        }
        match write {
            Write::Results(items, recorded) => {
                let mut recorded = recorded.into_iter();
                for item in items {
                    let recorded = recorded.next().filter(|_| done);
                    self.answer(item, recorded.map_or(Outcome::Retry, Outcome::from));
                }
                if let Some(coordinator) = &mut self.coordinator {
                    coordinator.writing = false;
                }
                self.next_batch();
            }
            Write::Missed => self.missed_written(life, done),
        }
        self.step();
    }

    fn answer(&mut self, item: Item, outcome: Outcome) {
        let run = item.accepted.run;
        self.down(item.link, Down::Answer(run.run_id.clone(), outcome));
        let Some(coordinator) = self
            .coordinator
            .as_mut()
            .filter(|_| outcome != Outcome::Retry)
        else {
            return;
        };
        if let Some((host, until_ms)) = run.wait {
            let wait = coordinator.waits.entry(Arc::clone(&host)).or_default();
            *wait = until_ms.max(*wait);
            coordinator.tell(|dispatch| async move { dispatch.wait_until(host, until_ms).await });
        }
        let place = self.store.place(&run.target_id);
        coordinator.settled.insert((place, run.slot));
        let (id, slot) = (run.target_id, run.slot);
        coordinator.tell(|dispatch| async move { dispatch.settled(id, slot, run.run_id).await });
    }

    fn missed_written(&mut self, life: u64, done: bool) {
        let Some(coordinator) = &mut self.coordinator else {
            return;
        };
        if done {
            coordinator.missed.record(coordinator.recording.len());
            coordinator.recording.clear();
            coordinator.record_failures = 0;
            return;
        }
        coordinator.record_failures += 1;
        let limit_ms = (250_i64 << coordinator.record_failures.min(10)).min(10_000);
        let wait_ms = self.draw.time(limit_ms / 2, limit_ms);
        self.after(wait_ms, Event::RetryMissed { life });
    }

    pub(crate) fn retry_missed(&mut self, life: u64) {
        if self
            .coordinator
            .as_ref()
            .is_some_and(|its| its.life == life)
        {
            self.begin(life, Write::Missed);
        }
    }

    pub(crate) fn wake(&mut self, life: u64, serial: u64) {
        if let Some(coordinator) = &mut self.coordinator
            && (coordinator.life, coordinator.serial) == (life, serial)
        {
            coordinator.wake = None;
            self.step();
        }
    }

    /// A clock that was set is noticed after the longest sleep.
    pub(crate) fn clock_stepped(&mut self) {
        if let Some(coordinator) = &mut self.coordinator {
            let (life, serial) = (coordinator.life, coordinator.serial);
            let wait_ms = self.draw.time(0, 30_000);
            self.after(wait_ms, Event::Wake { life, serial });
        }
    }
}
