//! Brings due runs to agents: the one task that owns schedule, leases and
//! credits, and talks to the queue. Everyone else sends it commands through
//! [`Dispatch`](super::dispatch::Dispatch); it never touches the database, and
//! hands missed slots to a writer.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::Duration,
};
use touchstone_telemetry::{
    Chain,
    trace::{Attribute, Place, Span},
};

use tokio::{sync::mpsc, time::Instant};
use tokio_util::sync::CancellationToken;
use touchstone_proto::fleet::{Lease, WorkResponse, work_response::Message};

use super::{
    dispatch::{Command, Connected, Parts},
    lease::{ConnectionId, LEASE_MS, Leases, Lost},
    view::{FleetView, RegionView},
};
use crate::{
    metrics::metrics,
    queue::{CLAIM_AFTER, QueueError, Queued, Work},
    schedule::{Decision, Schedule, Start},
};

/// Commands that are taken in one go.
const COMMANDS_PER_TURN: usize = 256;
/// Runs taken from the queue in one go.
const TAKE_LIMIT: usize = 64;
/// The longest sleep: a clock that was set is noticed after this.
const SLEEP_LIMIT: Duration = Duration::from_secs(30);

// Otherwise another replica would take a run whose lease still holds.
const _: () = assert!(CLAIM_AFTER.as_millis() > LEASE_MS as u128);

/// The task behind [`Dispatch`].
#[derive(Debug)]
pub struct Dispatcher {
    schedule: Schedule,
    leases: Leases,
    agents: HashMap<ConnectionId, Connected>,
    /// Region and time of the runs that were offered here and not yet leased.
    offered: HashMap<Arc<str>, (Arc<str>, i64)>,
    /// The spans of all leases, as long as these are held.
    traced: HashMap<Arc<str>, Span>,
    commands: mpsc::Receiver<Command>,
    /// Taken and not yet obeyed.
    taken: Vec<Command>,
    stopped: bool,
    /// When it was last asked how many runs wait.
    counted_at: Option<Instant>,
    parts: Parts,
}

impl Dispatcher {
    pub(super) fn new(parts: Parts, commands: mpsc::Receiver<Command>) -> Self {
        Self {
            schedule: Schedule::new(parts.clock.now_ms()),
            leases: Leases::default(),
            agents: HashMap::new(),
            offered: HashMap::new(),
            traced: HashMap::new(),
            commands,
            taken: Vec::new(),
            stopped: false,
            counted_at: None,
            parts,
        }
    }

    /// Works until every handle is gone, or `end` is cancelled.
    pub async fn run(mut self, end: CancellationToken) {
        loop {
            let sleep = tokio::time::sleep(self.until_next());
            tokio::select! {
                biased;
                () = end.cancelled() => return,
                count = self.commands.recv_many(&mut self.taken, COMMANDS_PER_TURN) => {
                    if count == 0 {
                        return;
                    }
                }
                () = sleep => {}
            }
            self.step().await;
        }
    }

    /// Obeys the commands that wait and does what is due now. Waits for nothing
    /// but the queue, and room for missed slots; whoever has a clock of its own
    /// can do without [`Dispatcher::run`].
    pub async fn step(&mut self) {
        while self.taken.len() < COMMANDS_PER_TURN
            && let Ok(command) = self.commands.try_recv()
        {
            self.taken.push(command);
        }
        for command in std::mem::take(&mut self.taken) {
            self.obey(command).await;
        }
        self.turn().await;
    }

    /// When [`Dispatcher::step`] has something to do, unless a command comes.
    pub fn next_at_ms(&self) -> Option<i64> {
        let wake = self.schedule.next_wake_ms();
        wake.into_iter().chain(self.leases.next_deadline_ms()).min()
    }

    fn until_next(&self) -> Duration {
        let limit = self.parts.queue.shared().unwrap_or(SLEEP_LIMIT);
        self.next_at_ms().map_or(limit, |at_ms| {
            let wait_ms = at_ms.saturating_sub(self.now_ms()).max(0);
            Duration::from_millis(wait_ms.unsigned_abs()).min(limit)
        })
    }

    fn now_ms(&self) -> i64 {
        self.parts.clock.now_ms()
    }

    async fn obey(&mut self, command: Command) {
        match command {
            Command::Add(targets, done) => {
                for known in targets {
                    let now_ms = self.now_ms();
                    let decisions = self.schedule.add(known.target, known.known_at_ms, now_ms);
                    self.carry_out(decisions).await;
                }
                // Whoever asked may be gone.
                let _gone = done.send(());
            }
            Command::WaitUntil(host, until_ms) => self.schedule.wait_until(&host, until_ms),
            Command::Join(connected) => self.join(connected).await,
            Command::Credit(connection, permits) => self.leases.credit(connection, permits),
            Command::Drain(connection) => self.leases.drain(connection),
            Command::Leave(connection) => self.leave(connection).await,
            Command::Settled {
                target_id,
                slot,
                run_id,
            } => {
                self.leases.settle(&run_id);
                self.traced.remove(&*run_id);
                let decisions = self.schedule.settled(&target_id, slot);
                self.carry_out(decisions).await;
            }
            Command::Stop => self.stopped = true,
        }
    }

    async fn join(&mut self, connected: Connected) {
        let dead = self
            .agents
            .values()
            .find(|agent| agent.agent_key_id == connected.agent_key_id)
            .map(|agent| agent.connection);
        if let Some(dead) = dead {
            self.leave(dead).await;
        }
        self.leases.join(connected.connection, &connected.region);
        self.schedule.region_joined(&connected.region);
        self.agents.insert(connected.connection, connected);
    }

    async fn leave(&mut self, connection: ConnectionId) {
        let Some(agent) = self.agents.remove(&connection) else {
            return;
        };
        agent.end.cancel();
        self.schedule.region_left(&agent.region, self.now_ms());
        let lost = self.leases.leave(connection);
        self.lose(lost).await;
    }

    /// Everything that is due, lost or possible now.
    async fn turn(&mut self) {
        let now_ms = self.now_ms();
        let decisions = self.schedule.tick(now_ms);
        self.carry_out(decisions).await;
        let lost = self.leases.expire(now_ms);
        self.lose(lost).await;
        if !self.stopped {
            for region in self.leases.regions() {
                self.hand_out(&region).await;
            }
        }
        self.show().await;
    }

    async fn lose(&mut self, lost: Vec<Lost>) {
        for lost in lost {
            tracing::info!(
                run.id = &*lost.work.run_id,
                region = &*lost.work.region,
                again = lost.again,
                "a lease was lost"
            );
            metrics().lease_lost(&lost.work.region);
            if let Some(mut span) = self.traced.remove(&lost.work.run_id) {
                span.fail("lease_lost");
            }
            self.unqueue(&Queued::from(&lost.work)).await;
            let decisions = self.schedule.lost(&lost.work, lost.again);
            self.carry_out(decisions).await;
        }
    }

    async fn carry_out(&mut self, decisions: Vec<Decision>) {
        let mut decisions = VecDeque::from(decisions);
        while let Some(decision) = decisions.pop_front() {
            match decision {
                Decision::Offer(work) => decisions.extend(self.offer(&work).await),
                Decision::Withdraw(work) => {
                    self.leases.settle(&work.run_id);
                    self.traced.remove(&work.run_id);
                    self.unqueue(&Queued::from(&work)).await;
                }
                Decision::Missed(missed) => {
                    // Waits while the store is away: without it no result could
                    // be stored either. Fails only when the coordinator ends.
                    if self.parts.missed.send(missed).await.is_err() {
                        tracing::warn!("a missed slot comes too late to be recorded");
                    }
                }
            }
        }
    }

    async fn offer(&mut self, work: &Work) -> Vec<Decision> {
        match self.parts.queue.push(&Queued::from(work)).await {
            Ok(()) => {
                let since = (Arc::clone(&work.region), self.now_ms());
                self.offered
                    .entry(Arc::clone(&work.run_id))
                    .or_insert(since);
                Vec::new()
            }
            Err(QueueError::Full) => {
                tracing::warn!(
                    run.id = &*work.run_id,
                    region = &*work.region,
                    "a due run found no place"
                );
                // Was queued once if it is the queue that lost it.
                self.offered.remove(&work.run_id);
                self.schedule.overflowed(work)
            }
            Err(error) => {
                // The queue says that it lost runs once it is back.
                tracing::debug!(run.id = &*work.run_id, error = %Chain(&error), "not queued");
                Vec::new()
            }
        }
    }

    async fn unqueue(&mut self, run: &Queued) {
        self.offered.remove(&run.run_id);
        if let Err(error) = self.parts.queue.remove(run).await {
            // Whoever takes it finds that it is gone.
            tracing::debug!(run.id = &*run.run_id, error = %Chain(&error), "not removed");
        }
    }

    /// Leases as many runs of a region as its agents can start.
    async fn hand_out(&mut self, region: &Arc<str>) {
        loop {
            let permits = self.leases.permits(region).min(TAKE_LIMIT);
            if permits == 0 {
                return;
            }
            let taken = match self.parts.queue.take(region, permits).await {
                Ok(taken) => taken,
                Err(QueueError::Lost) => {
                    tracing::warn!(
                        region = &**region,
                        "the queue lost its runs; they are queued again"
                    );
                    let decisions = self.schedule.offered(region);
                    self.carry_out(decisions).await;
                    return;
                }
                Err(error) => {
                    tracing::debug!(error = %Chain(&error), "no runs taken");
                    return;
                }
            };
            if taken.is_empty() {
                return;
            }
            for run in taken {
                self.give(&run).await;
            }
        }
    }

    async fn give(&mut self, run: &Queued) {
        let now_ms = self.now_ms();
        if !self.schedule.knows(&run.target_id) {
            // Left to a replica that does; it is taken again after a while.
            return;
        }
        let work = self.schedule.named(run);
        let Some(work) = work.filter(|work| self.schedule.start(work, now_ms) == Start::Go) else {
            self.unqueue(run).await;
            return;
        };
        let Some(connection) = self.leases.grant(work.clone(), now_ms) else {
            // Taken within the permits, so this is only for the books.
            self.lose(vec![Lost { work, again: true }]).await;
            return;
        };
        metrics().leased(&work.region, now_ms.saturating_sub(work.slot_at_ms));
        let traceparent = self.trace(&work, now_ms);
        let sent = self.agents.get(&connection).is_some_and(|agent| {
            let lease = self.lease(&work, &agent.agent_key_id, traceparent);
            lease.is_some_and(|lease| agent.sender.try_send(Ok(lease)).is_ok())
        });
        if !sent {
            // It does not read what we send: no agent that can do work.
            self.leave(connection).await;
        }
    }

    /// Writes what led to a lease into the run's trace; gives the place of the
    /// lease itself.
    fn trace(&mut self, work: &Work, now_ms: i64) -> String {
        let root = Place::of_run(&work.run_id);
        let offered = self.offered.remove(&work.run_id);
        let offered_at_ms = offered.map_or(now_ms, |(_, at_ms)| at_ms);
        if self.leases.offers(&work.run_id) == 1 {
            let from_ms = work.slot_at_ms.min(offered_at_ms);
            let mut first = Span::first("schedule", &work.run_id, from_ms);
            first.set(Attribute::RunId, &*work.run_id);
            first.set(Attribute::TargetId, &*work.target.target_id);
            first.set(Attribute::Suite, work.suite);
            first.set(Attribute::Slot, work.slot);
            first.set(Attribute::Region, &*work.region);
            first.end_at(offered_at_ms);
        }
        Span::since("queue", &root, offered_at_ms).end_at(now_ms);
        let mut lease = Span::since("lease", &root, now_ms);
        lease.set(Attribute::RunId, &*work.run_id);
        lease.set(Attribute::Region, &*work.region);
        let place = lease.place_or(&root);
        if place.is_recorded() {
            self.traced.insert(Arc::clone(&work.run_id), lease);
        }
        place.traceparent()
    }

    fn lease(&self, work: &Work, agent_key_id: &str, traceparent: String) -> Option<WorkResponse> {
        let parts = &self.parts;
        let token = parts
            .lease_key
            .mint(&work.run_id, agent_key_id, &*parts.random);
        let lease_token = token
            .inspect_err(|error| {
                tracing::error!(error = %Chain(error), "no lease token");
            })
            .ok()?;
        let lease = Lease {
            run_id: work.run_id.to_string(),
            lease_token,
            target_id: work.target.target_id.to_string(),
            suite: work.suite.to_owned(),
            slot: work.slot,
            region: work.region.to_string(),
            endpoint_url: work.target.url.clone(),
            endpoint_source: work.target.source.into(),
            lasts_ms: LEASE_MS,
            traceparent,
        };
        Some(WorkResponse {
            message: Some(Message::Lease(lease)),
        })
    }

    /// Shows pages how the fleet is.
    async fn show(&mut self) {
        let every = self.parts.queue.shared().unwrap_or_default();
        let count_again = self
            .counted_at
            .is_none_or(|counted_at| counted_at.elapsed() >= every);
        if count_again {
            self.counted_at = Some(Instant::now());
        }
        let mut view = FleetView::default();
        for region in self.schedule.regions() {
            let (agents, leased, oldest_lease_at_ms) = self.leases.region(&region);
            let mut queued = self
                .parts
                .view
                .borrow()
                .regions
                .get(&region)
                .map_or(0, |r| r.queued);
            if count_again && let Ok(depth) = self.parts.queue.depth(&region).await {
                queued = u32::try_from(depth).unwrap_or(u32::MAX);
            }
            let oldest_queued_at_ms = self
                .offered
                .values()
                .filter(|(of, _)| **of == *region)
                .map(|(_, at_ms)| *at_ms)
                .min();
            let region_view = RegionView {
                agents,
                leased,
                oldest_lease_at_ms,
                queued,
                oldest_queued_at_ms,
            };
            view.regions.insert(region, region_view);
        }
        self.parts.view.send_if_modified(|shown| {
            let changed = *shown != view;
            if changed {
                metrics().fleet(&view);
                *shown = view;
            }
            changed
        });
    }
}
