//! Leases and credits. An agent says how many runs it can start; it is never
//! given more. A lease that is not reported in time, or whose agent is gone, is
//! lost and its run offered again; the first result wins, whoever brings it.
//! Pure: time comes in as an argument.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use crate::queue::Work;

/// Longest that a run may take, handshake included.
pub const PROBE_BUDGET: Duration = Duration::from_secs(10);
/// For sending the lease, signing, and sending the report.
pub const LEASE_MARGIN: Duration = Duration::from_secs(10);
/// Times that one run is leased in its slot before the slot is given up.
pub const OFFERS_LIMIT: u32 = 3;
/// Permits that one agent can hold at once.
pub const CREDITS_LIMIT: u32 = 256;

/// Milliseconds from giving a lease to counting it as lost.
pub const LEASE_MS: u32 = {
    let lasts = PROBE_BUDGET.as_secs() + LEASE_MARGIN.as_secs();
    // Twenty seconds fit.
    #[allow(clippy::cast_possible_truncation)]
    {
        (lasts * 1_000) as u32
    }
};

/// One connection of an agent; a new connection has a new number.
pub type ConnectionId = u64;

/// A lease that did not come to a report.
#[derive(Clone, Debug)]
pub struct Lost {
    pub work: Work,
    /// It may be offered once more.
    pub again: bool,
}

#[derive(Debug)]
struct Agent {
    region: Arc<str>,
    credits: u32,
    draining: bool,
}

#[derive(Debug)]
struct Held {
    work: Work,
    connection: ConnectionId,
    given_at_ms: i64,
    deadline_ms: i64,
}

/// All connected agents and all leases.
#[derive(Debug, Default)]
pub struct Leases {
    agents: HashMap<ConnectionId, Agent>,
    held: HashMap<Arc<str>, Held>,
    deadlines: BTreeSet<(i64, Arc<str>)>,
    /// How often each open run was leased.
    offers: HashMap<Arc<str>, u32>,
}

impl Leases {
    pub fn join(&mut self, connection: ConnectionId, region: &Arc<str>) {
        let agent = Agent {
            region: Arc::clone(region),
            credits: 0,
            draining: false,
        };
        self.agents.insert(connection, agent);
    }

    /// The agent can start this many runs more.
    pub fn credit(&mut self, connection: ConnectionId, permits: u32) {
        if let Some(agent) = self.agents.get_mut(&connection) {
            agent.credits = agent.credits.saturating_add(permits).min(CREDITS_LIMIT);
        }
    }

    /// The agent takes no more runs.
    pub fn drain(&mut self, connection: ConnectionId) {
        if let Some(agent) = self.agents.get_mut(&connection) {
            agent.draining = true;
        }
    }

    /// The agent is gone; what it held is lost at once.
    pub fn leave(&mut self, connection: ConnectionId) -> Vec<Lost> {
        self.agents.remove(&connection);
        let its = |held: &&Held| held.connection == connection;
        let mut runs: Vec<_> = self
            .held
            .values()
            .filter(its)
            .map(|held| (held.given_at_ms, Arc::clone(&held.work.run_id)))
            .collect();
        runs.sort();
        runs.iter().filter_map(|(_, run)| self.lose(run)).collect()
    }

    /// The agents of a region, and the permits that they have left together.
    pub fn permits(&self, region: &str) -> usize {
        let ready = |agent: &&Agent| &*agent.region == region && !agent.draining;
        let credits = self.agents.values().filter(ready);
        credits.map(|agent| agent.credits as usize).sum()
    }

    /// Regions in which an agent is connected.
    pub fn regions(&self) -> BTreeSet<Arc<str>> {
        let agents = self.agents.values();
        agents.map(|agent| Arc::clone(&agent.region)).collect()
    }

    /// Gives the run to the agent of its region that has most permits left.
    pub fn grant(&mut self, work: Work, now_ms: i64) -> Option<ConnectionId> {
        let (connection, agent) = self
            .agents
            .iter_mut()
            .filter(|(_, agent)| {
                agent.region == work.region && !agent.draining && agent.credits > 0
            })
            .max_by_key(|(connection, agent)| (agent.credits, **connection))?;
        agent.credits -= 1;
        let connection = *connection;
        let run = Arc::clone(&work.run_id);
        let deadline_ms = now_ms.saturating_add(i64::from(LEASE_MS));
        *self.offers.entry(Arc::clone(&run)).or_default() += 1;
        self.deadlines.insert((deadline_ms, Arc::clone(&run)));
        let held = Held {
            work,
            connection,
            given_at_ms: now_ms,
            deadline_ms,
        };
        if let Some(before) = self.held.insert(Arc::clone(&run), held) {
            // A run is leased once at a time; keep the books right all the same.
            self.deadlines.remove(&(before.deadline_ms, run));
        }
        Some(connection)
    }

    /// How often an open run was leased.
    pub fn offers(&self, run_id: &str) -> u32 {
        self.offers.get(run_id).copied().unwrap_or(0)
    }

    /// The run has a result, or nobody wants it any more.
    pub fn settle(&mut self, run_id: &str) {
        self.offers.remove(run_id);
        if let Some(held) = self.held.remove(run_id) {
            self.deadlines.remove(&(held.deadline_ms, held.work.run_id));
        }
    }

    /// Leases whose time is over.
    pub fn expire(&mut self, now_ms: i64) -> Vec<Lost> {
        let mut lost = Vec::new();
        while let Some((deadline_ms, run)) = self.deadlines.first().cloned() {
            if deadline_ms > now_ms {
                break;
            }
            self.deadlines.remove(&(deadline_ms, Arc::clone(&run)));
            lost.extend(self.lose(&run));
        }
        lost
    }

    /// When the next lease ends.
    pub fn next_deadline_ms(&self) -> Option<i64> {
        self.deadlines.first().map(|(deadline_ms, _)| *deadline_ms)
    }

    /// Agents connected, leases held, and when the oldest of them was given.
    pub fn region(&self, region: &str) -> (u32, u32, Option<i64>) {
        let agents = self
            .agents
            .values()
            .filter(|agent| &*agent.region == region);
        let held = self
            .held
            .values()
            .filter(|held| &*held.work.region == region);
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        (
            count(agents.count()),
            count(held.clone().count()),
            held.map(|held| held.given_at_ms).min(),
        )
    }

    fn lose(&mut self, run_id: &Arc<str>) -> Option<Lost> {
        let held = self.held.remove(run_id)?;
        self.deadlines
            .remove(&(held.deadline_ms, Arc::clone(run_id)));
        let again = self.offers(run_id) < OFFERS_LIMIT;
        if !again {
            self.offers.remove(run_id);
        }
        Some(Lost {
            work: held.work,
            again,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::tests_support::target;

    fn work(name: &str) -> Work {
        Work {
            run_id: name.into(),
            target: Arc::new(target("https://a.example/mcp")),
            suite: "mcp",
            slot: 1,
            slot_at_ms: 0,
            ends_at_ms: 900_000,
            region: "fra".into(),
        }
    }

    fn with_agents(credits: &[u32]) -> Leases {
        let mut leases = Leases::default();
        for (connection, credits) in (0..).zip(credits) {
            leases.join(connection, &"fra".into());
            leases.credit(connection, *credits);
        }
        leases
    }

    fn names(lost: &[Lost]) -> Vec<(&str, bool)> {
        let name = |lost: &'_ Lost| lost.again;
        lost.iter()
            .map(|lost| (&*lost.work.run_id, name(lost)))
            .collect()
    }

    #[test]
    fn an_agent_is_never_given_more_than_it_can_start() {
        let mut leases = with_agents(&[1, 2]);
        assert_eq!(leases.permits("fra"), 3);
        let given: Vec<_> = ["a", "b", "c"].map(|run| leases.grant(work(run), 0)).into();
        assert_eq!(
            given.iter().flatten().filter(|&&agent| agent == 1).count(),
            2
        );
        assert_eq!(leases.grant(work("d"), 0), None);
        leases.credit(0, u32::MAX);
        leases.credit(0, u32::MAX);
        assert_eq!(leases.permits("fra"), CREDITS_LIMIT as usize);
        leases.drain(0);
        assert_eq!(leases.permits("fra"), 0);
        assert_eq!(leases.permits("iad"), 0);
        assert_eq!(leases.region("fra"), (2, 3, Some(0)));
    }

    #[test]
    fn a_lease_ends_at_its_deadline_and_not_before() {
        let mut leases = with_agents(&[9]);
        leases.grant(work("a"), 0).unwrap();
        leases.grant(work("b"), 5_000).unwrap();
        let deadline_ms = i64::from(LEASE_MS);
        assert_eq!(leases.next_deadline_ms(), Some(deadline_ms));
        assert!(leases.expire(deadline_ms - 1).is_empty());
        assert_eq!(names(&leases.expire(deadline_ms)), [("a", true)]);
        leases.settle("b");
        assert_eq!(leases.next_deadline_ms(), None);
        assert!(leases.expire(i64::MAX).is_empty());
    }

    #[test]
    fn what_a_gone_agent_held_is_lost_at_once() {
        let mut leases = with_agents(&[1, 9]);
        for (run, at_ms) in [("a", 1), ("b", 2), ("c", 3)] {
            assert_eq!(leases.grant(work(run), at_ms), Some(1));
        }
        assert_eq!(
            names(&leases.leave(1)),
            [("a", true), ("b", true), ("c", true)]
        );
        assert!(leases.leave(1).is_empty());
        assert_eq!(leases.grant(work("a"), 4), Some(0));
        assert_eq!(leases.regions().len(), 1);
    }

    #[test]
    fn a_run_that_keeps_getting_lost_is_given_up() {
        let mut leases = with_agents(&[9]);
        for offer in 1..=OFFERS_LIMIT {
            leases.grant(work("a"), 0).unwrap();
            assert_eq!(
                names(&leases.expire(i64::MAX)),
                [("a", offer < OFFERS_LIMIT)]
            );
        }
        leases.grant(work("a"), 0).unwrap();
        assert_eq!(
            names(&leases.expire(i64::MAX)),
            [("a", true)],
            "a new slot counts anew"
        );
    }
}
