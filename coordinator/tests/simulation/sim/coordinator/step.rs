//! One step of the dispatcher, and what is made of what it did.

use touchstone_coordinator::schedule::Missed;
use touchstone_proto::fleet::work_response::Message;

use super::{Coordinator, Running, Write};
use crate::sim::{Event, World, net::Down, plan::When};

impl World {
    /// The dispatcher does what it can; what comes of it is carried on.
    pub(super) fn step(&mut self) {
        let shown = self.shown();
        let Some(mut coordinator) = self.coordinator.take() else {
            return;
        };
        loop {
            let stalled = coordinator.work();
            let took = coordinator.take_missed();
            if took {
                self.count_missed(&coordinator.recording);
                self.begin(coordinator.life, Write::Missed);
            }
            let goes_on = if stalled {
                took
            } else {
                !coordinator.sends.is_empty()
            };
            if !goes_on {
                break;
            }
        }
        self.carry_leases(&mut coordinator, shown);
        self.look(&coordinator);
        if let Some(Running::Idle(dispatcher)) = &coordinator.running
            && let Some(at) = dispatcher.next_at_ms()
        {
            let at = (at - self.offset).max(self.now);
            if coordinator.wake != Some(at) {
                coordinator.wake = Some(at);
                coordinator.serial += 1;
                let (life, serial) = (coordinator.life, coordinator.serial);
                self.at(at, Event::Wake { life, serial });
            }
        }
        self.coordinator = Some(coordinator);
    }

    fn count_missed(&mut self, batch: &[Missed]) {
        for _ in batch {
            let count = self.tally.missed;
            self.tally.missed += 1;
            self.counted(|when| match when {
                When::Missed(at, delay_ms) if at == count => Some(delay_ms),
                _ => None,
            });
        }
    }

    fn carry_leases(&mut self, coordinator: &mut Coordinator, shown: i64) {
        let mut ended = Vec::new();
        for (link, serving) in &mut coordinator.sessions {
            while let Ok(Ok(response)) = serving.down.try_recv() {
                let Some(Message::Lease(lease)) = response.message else {
                    continue;
                };
                let place = self.store.place(&lease.target_id);
                let host = &self.store.targets[place].host;
                if coordinator.settled.contains(&(place, lease.slot)) {
                    self.fault(format!("leased after its result was stored: {lease:?}"));
                } else if coordinator
                    .waits
                    .get(host)
                    .is_some_and(|until| *until > shown)
                {
                    self.fault(format!("{host} asked to be left alone: {lease:?}"));
                }
                let count = self.tally.leases;
                self.tally.leases += 1;
                self.counted(|when| match when {
                    When::Lease(at, delay_ms) if at == count => Some(delay_ms),
                    _ => None,
                });
                self.down(*link, Down::Lease(lease));
            }
            if serving.end.is_cancelled() {
                ended.push(*link);
            }
        }
        for link in ended {
            coordinator.sessions.remove(&link);
            self.cut(link);
        }
    }

    /// Nothing grows beyond what there is.
    fn look(&mut self, coordinator: &Coordinator) {
        let view = coordinator.view.borrow();
        let leased: u32 = view.regions.values().map(|region| region.leased).sum();
        let queued: u32 = view.regions.values().map(|region| region.queued).sum();
        let targets = self.store.targets.len();
        if leased as usize > coordinator.hosts || queued as usize > targets {
            let fault = format!("{leased} leased and {queued} queued of {targets} targets");
            drop(view);
            self.fault(fault);
        }
    }
}
