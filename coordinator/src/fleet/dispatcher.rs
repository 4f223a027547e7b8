//! Brings due runs to agents: the one task that owns schedule, leases and
//! credits, and talks to the queue. Everyone else sends it commands through
//! [`Dispatch`](super::dispatch::Dispatch); it never touches the database, and
//! hands missed slots to a writer.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::Duration,
};
use touchstone_telemetry::Chain;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use touchstone_proto::fleet::{Lease, WorkResponse, work_response::Message};

use super::{
    dispatch::{Command, Connected, Parts},
    lease::{ConnectionId, LEASE_MS, Leases, Lost},
    view::{FleetView, RegionView},
};
use crate::{
    queue::Work,
    schedule::{Decision, Schedule, Start},
};

/// Commands that are taken in one go.
const COMMANDS_PER_TURN: usize = 256;
/// Runs taken from the queue in one go.
const TAKE_LIMIT: usize = 64;
/// The longest sleep: a clock that was set is noticed after this.
const SLEEP_LIMIT: Duration = Duration::from_secs(30);

/// The task behind [`Dispatch`].
#[derive(Debug)]
pub struct Dispatcher {
    schedule: Schedule,
    leases: Leases,
    agents: HashMap<ConnectionId, Connected>,
    commands: mpsc::Receiver<Command>,
    /// Taken and not yet obeyed.
    taken: Vec<Command>,
    stopped: bool,
    parts: Parts,
}

impl Dispatcher {
    pub(super) fn new(parts: Parts, commands: mpsc::Receiver<Command>) -> Self {
        Self {
            schedule: Schedule::new(parts.clock.now_ms()),
            leases: Leases::default(),
            agents: HashMap::new(),
            commands,
            taken: Vec::new(),
            stopped: false,
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
        self.next_at_ms().map_or(SLEEP_LIMIT, |at_ms| {
            let wait_ms = at_ms.saturating_sub(self.now_ms()).max(0);
            Duration::from_millis(wait_ms.unsigned_abs()).min(SLEEP_LIMIT)
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
            let decisions = self.schedule.lost(&lost.work, lost.again);
            self.carry_out(decisions).await;
        }
    }

    async fn carry_out(&mut self, decisions: Vec<Decision>) {
        let mut decisions = VecDeque::from(decisions);
        while let Some(decision) = decisions.pop_front() {
            match decision {
                Decision::Offer(work) => {
                    if let Err(error) = self.parts.queue.push(work.clone()).await {
                        tracing::warn!(
                            run.id = &*work.run_id,
                            region = &*work.region,
                            error = %Chain(&error),
                            "a due run found no place"
                        );
                        decisions.extend(self.schedule.overflowed(&work));
                    }
                }
                Decision::Withdraw(work) => {
                    self.leases.settle(&work.run_id);
                    if let Err(error) = self.parts.queue.remove(&work).await {
                        // Whoever takes it is told that it is gone.
                        tracing::debug!(error = %Chain(&error), "not removed");
                    }
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

    /// Leases as many runs of a region as its agents can start.
    async fn hand_out(&mut self, region: &Arc<str>) {
        loop {
            let permits = self.leases.permits(region).min(TAKE_LIMIT);
            if permits == 0 {
                return;
            }
            let taken = match self.parts.queue.take(region, permits).await {
                Ok(taken) => taken,
                Err(error) => {
                    tracing::warn!(error = %Chain(&error), "no runs taken");
                    return;
                }
            };
            if taken.is_empty() {
                return;
            }
            for work in taken {
                self.give(work).await;
            }
        }
    }

    async fn give(&mut self, work: Work) {
        let now_ms = self.now_ms();
        if self.schedule.start(&work, now_ms) != Start::Go {
            return;
        }
        let Some(connection) = self.leases.grant(work.clone(), now_ms) else {
            // Taken within the permits, so this is only for the books.
            let decisions = self.schedule.lost(&work, true);
            self.carry_out(decisions).await;
            return;
        };
        let sent = self.agents.get(&connection).is_some_and(|agent| {
            let lease = self.lease(&work, &agent.agent_key_id);
            lease.is_some_and(|lease| agent.sender.try_send(Ok(lease)).is_ok())
        });
        if !sent {
            // It does not read what we send: no agent that can do work.
            self.leave(connection).await;
        }
    }

    fn lease(&self, work: &Work, agent_key_id: &str) -> Option<WorkResponse> {
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
        };
        Some(WorkResponse {
            message: Some(Message::Lease(lease)),
        })
    }

    /// Shows pages how the fleet is.
    async fn show(&self) {
        let mut view = FleetView::default();
        for region in self.schedule.regions() {
            let (agents, leased, oldest_lease_at_ms) = self.leases.region(&region);
            let queued = self.parts.queue.depth(&region).await.unwrap_or(0);
            let region_view = RegionView {
                agents,
                leased,
                oldest_lease_at_ms,
                queued: u32::try_from(queued).unwrap_or(u32::MAX),
            };
            view.regions.insert(region, region_view);
        }
        self.parts.view.send_if_modified(|shown| {
            let changed = *shown != view;
            if changed {
                *shown = view;
            }
            changed
        });
    }
}
