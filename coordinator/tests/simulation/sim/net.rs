//! Connections between agents and the coordinator: in order, with delay, and
//! cut at any moment, which either side notices later.

use touchstone_proto::fleet::{Lease, Outcome, Report};

use super::{Event, World};

/// Names a connection.
pub(crate) type Link = u64;

/// After so long a keepalive has noticed that the other side is gone.
const KEEPALIVE_MS: i64 = 15_000;

#[derive(Clone, Debug)]
pub(crate) enum Up {
    Credits(u32),
    Report(Report),
}

#[derive(Clone, Debug)]
pub(crate) enum Down {
    Welcome,
    Lease(Lease),
    Answer(String, Outcome),
}

#[derive(Debug)]
pub(crate) struct Wire {
    agent: usize,
    /// When the last message of each direction arrives.
    up_at: i64,
    down_at: i64,
}

impl World {
    /// The coordinator answers, or does not.
    pub(crate) fn connect(&mut self, agent: usize) -> Option<Link> {
        self.coordinator.as_ref()?;
        self.links += 1;
        let link = self.links;
        let wire = Wire {
            agent,
            up_at: self.now,
            down_at: self.now,
        };
        self.wires.insert(link, wire);
        let delay_ms = self.draw.time(3, 600);
        self.after(delay_ms, Event::Greeted { link });
        Some(link)
    }

    /// The agent of a connection that is not cut.
    pub(crate) fn wired(&self, link: Link) -> Option<usize> {
        self.wires.get(&link).map(|wire| wire.agent)
    }

    pub(crate) fn up(&mut self, link: Link, up: Up) {
        if let Some(at) = self.carry(link, true) {
            self.at(at, Event::Up { link, up });
        }
    }

    pub(crate) fn down(&mut self, link: Link, down: Down) {
        if let Some(at) = self.carry(link, false) {
            self.at(at, Event::Down { link, down });
        }
    }

    /// When a message arrives, if it does.
    fn carry(&mut self, link: Link, up: bool) -> Option<i64> {
        let cut = self.rates().cut;
        let delay_ms = if self.draw.chance(980) {
            self.draw.time(1, 200)
        } else {
            self.draw.time(1, 5_000)
        };
        let wire = self.wires.get_mut(&link)?;
        let last = if up {
            &mut wire.up_at
        } else {
            &mut wire.down_at
        };
        *last = (self.now + delay_ms).max(*last);
        let at = *last;
        if self.draw.chance(cut) {
            // Before it arrives, or just after.
            let cut_at = (at + self.draw.time(-100, 100)).max(self.now);
            self.at(cut_at, Event::Cut { link });
        }
        Some(at)
    }

    /// What is on its way is lost; each side notices in its own time.
    pub(crate) fn cut(&mut self, link: Link) {
        let Some(wire) = self.wires.remove(&link) else {
            return;
        };
        let agent = wire.agent;
        let after_ms = self.draw.time(0, KEEPALIVE_MS);
        self.after(after_ms, Event::AgentLost { agent, link });
        let after_ms = self.draw.time(0, KEEPALIVE_MS);
        self.after(after_ms, Event::CoordinatorLost { link });
    }
}
