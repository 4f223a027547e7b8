//! The schedule: for every target, the slot that is current and where its run
//! stands. Each slot comes to exactly one end: a stored result, or a
//! [`Missed`] with its cause. Catch-up runs only the newest slot of a target.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, BinaryHeap, HashMap, VecDeque},
    sync::Arc,
};

use super::{
    bucket::Bucket,
    current::{Current, Missed, RegionPresence, State},
    politeness::{Entry, Hosts, RETRY_AFTER_LIMIT},
    slot::Slots,
};
use crate::{
    queue::{Queued, Work},
    store::read::MissedCause,
    targets::Target,
};

/// A slot that is looked at later than this after its start is a late one and
/// passes through the token bucket, in milliseconds.
pub const LATE_AFTER_MS: i64 = 60_000;

/// What should happen now.
#[derive(Clone, Debug)]
pub enum Decision {
    /// Queue this run.
    Offer(Work),
    /// Take this run out of the queue and forget its lease.
    Withdraw(Work),
    /// Record that these slots passed without a result.
    Missed(Missed),
}

/// Whether a run that was taken from the queue may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    Go,
    /// Not now; it is offered again by itself.
    Parked,
    /// Its slot has passed, or it was done meanwhile.
    Gone,
}

/// See the module.
#[derive(Debug)]
pub struct Schedule {
    targets: HashMap<Arc<str>, Current>,
    /// When a target has to be looked at again.
    wakes: BinaryHeap<Reverse<(i64, Arc<str>)>>,
    late: VecDeque<Arc<str>>,
    bucket: Bucket,
    hosts: Hosts,
    regions: HashMap<String, RegionPresence>,
}

impl Schedule {
    pub fn new(now_ms: i64) -> Self {
        Self {
            targets: HashMap::new(),
            wakes: BinaryHeap::new(),
            late: VecDeque::new(),
            bucket: Bucket::new(now_ms),
            hosts: Hosts::default(),
            regions: HashMap::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.targets.len()
    }

    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Takes a target up. `known_at_ms` is the start of the newest slot that
    /// has a result or a recorded miss. A new target runs at once.
    pub fn add(
        &mut self,
        target: Arc<Target>,
        known_at_ms: Option<i64>,
        now_ms: i64,
    ) -> Vec<Decision> {
        if self.targets.contains_key(&target.target_id) {
            return Vec::new();
        }
        let slots = Slots::new(&target.target_id, target.tier.cadence_ms());
        // One without any record was due from the slot in which it was added.
        let known = match known_at_ms {
            Some(at_ms) => Some(slots.slot_at(at_ms)),
            None => slots.slot_at(target.added_at_ms).checked_sub(1),
        };
        let due = slots.due(known, now_ms);
        let id = Arc::clone(&target.target_id);
        for region in &target.regions {
            if !self.regions.contains_key(region) {
                self.regions
                    .insert(region.clone(), RegionPresence::default());
            }
        }
        let mut current = Current {
            target,
            slots,
            slot: slots.slot_at(now_ms).max(known.unwrap_or(0)),
            state: State::Closed,
            was_leased: false,
            in_line: due.run.is_some(),
        };
        let mut decisions = Vec::new();
        if let Some(missed) = due.missed {
            decisions.push(current.missed(missed, MissedCause::CoordinatorDown));
        }
        self.wake_at(slots.ends_at(current.slot), &id);
        if due.run.is_some() {
            current.state = State::Late;
            self.late.push_back(Arc::clone(&id));
        }
        self.targets.insert(id, current);
        self.release_late(now_ms, &mut decisions);
        decisions
    }

    /// Everything that is due by now.
    pub fn tick(&mut self, now_ms: i64) -> Vec<Decision> {
        let mut decisions = Vec::new();
        while let Some(Reverse((at_ms, _))) = self.wakes.peek() {
            if *at_ms > now_ms {
                break;
            }
            if let Some(Reverse((_, id))) = self.wakes.pop() {
                self.look_at(&id, now_ms, &mut decisions);
            }
        }
        self.release_late(now_ms, &mut decisions);
        self.hosts.prune(now_ms);
        decisions
    }

    /// When [`Schedule::tick`] has something to do next.
    pub fn next_wake_ms(&self) -> Option<i64> {
        let slot = self.wakes.peek().map(|Reverse((at_ms, _))| *at_ms);
        let token = (!self.late.is_empty()).then(|| self.bucket.next_at_ms());
        slot.into_iter().chain(token).min()
    }

    /// Asks whether a run that was taken from the queue may begin; `Go` means
    /// that it has begun.
    pub fn start(&mut self, work: &Work, now_ms: i64) -> Start {
        let id = &work.target.target_id;
        let Some(current) = self.targets.get_mut(id) else {
            return Start::Gone;
        };
        if current.slot != work.slot || current.state != State::Offered {
            return Start::Gone;
        }
        match self
            .hosts
            .enter(&work.target.host, id, &work.region, now_ms)
        {
            Entry::Free => {
                current.state = State::Started;
                current.was_leased = true;
                Start::Go
            }
            Entry::Busy => {
                current.state = State::Parked {
                    asked_to_wait: false,
                };
                Start::Parked
            }
            Entry::NotBefore(until_ms) => {
                current.state = State::Parked {
                    asked_to_wait: true,
                };
                self.wake_at(until_ms, id);
                Start::Parked
            }
        }
    }

    /// Whether a target is scheduled here.
    pub fn knows(&self, target_id: &str) -> bool {
        self.targets.contains_key(target_id)
    }

    /// The run that a name from the queue means, while its slot is current.
    pub fn named(&self, run: &Queued) -> Option<Work> {
        let work = self.targets.get(&run.target_id)?.work()?;
        (work.run_id == run.run_id).then_some(work)
    }

    /// The runs of a region that should be in the queue now.
    pub fn offered(&self, region: &str) -> Vec<Decision> {
        let offered = self
            .targets
            .values()
            .filter(|current| current.state == State::Offered);
        offered
            .filter_map(Current::work)
            .filter(|work| &*work.region == region)
            .map(Decision::Offer)
            .collect()
    }

    /// A slot has a result; of no interest unless it is the current one.
    pub fn settled(&mut self, target_id: &Arc<str>, slot: u64) -> Vec<Decision> {
        let mut decisions = Vec::new();
        let Some(current) = self.targets.get(target_id) else {
            return decisions;
        };
        if current.slot == slot && current.state != State::Closed {
            decisions.extend(current.work().map(Decision::Withdraw));
            self.close(target_id, &mut decisions);
        }
        decisions
    }

    /// The lease of a run was lost. With `again` it is offered once more,
    /// otherwise the slot is given up.
    pub fn lost(&mut self, work: &Work, again: bool) -> Vec<Decision> {
        let mut decisions = Vec::new();
        let id = &work.target.target_id;
        let Some(current) = self.targets.get_mut(id) else {
            return decisions;
        };
        if current.slot != work.slot || current.state != State::Started {
            return decisions;
        }
        if again {
            self.offer(id, &mut decisions);
            self.free_host(&work.target.host, id, &mut decisions);
        } else {
            decisions.push(current.missed_now(MissedCause::LeaseExpired));
            self.close(id, &mut decisions);
        }
        decisions
    }

    /// The queue had no room for the run.
    pub fn overflowed(&mut self, work: &Work) -> Vec<Decision> {
        let mut decisions = Vec::new();
        let id = &work.target.target_id;
        if let Some(current) = self.targets.get(id)
            && current.slot == work.slot
            && current.state == State::Offered
        {
            decisions.push(current.missed_now(MissedCause::Capacity));
            self.close(id, &mut decisions);
        }
        decisions
    }

    /// A host asked us to come back after `seconds`.
    pub fn ask_to_wait(&mut self, host: &Arc<str>, seconds: u32, now_ms: i64) {
        let limit = u32::try_from(RETRY_AFTER_LIMIT.as_secs()).unwrap_or(u32::MAX);
        let wait_ms = i64::from(seconds.min(limit)) * 1_000;
        self.wait_until(host, now_ms.saturating_add(wait_ms));
    }

    /// A host wants no request before `until_ms`.
    pub fn wait_until(&mut self, host: &Arc<str>, until_ms: i64) {
        self.hosts.ask_to_wait(host, until_ms);
    }

    /// An agent of the region connected.
    pub fn region_joined(&mut self, region: &str) {
        self.regions.entry(region.to_owned()).or_default().connected += 1;
    }

    /// An agent of the region is gone.
    pub fn region_left(&mut self, region: &str, now_ms: i64) {
        if let Some(presence) = self.regions.get_mut(region) {
            presence.connected = presence.connected.saturating_sub(1);
            presence.last_left_ms = Some(now_ms);
        }
    }

    /// Every region that a target takes turns in or an agent was connected in.
    pub fn regions(&self) -> BTreeSet<String> {
        self.regions.keys().cloned().collect()
    }

    fn wake_at(&mut self, at_ms: i64, id: &Arc<str>) {
        self.wakes.push(Reverse((at_ms, Arc::clone(id))));
    }

    /// Moves a target on to its current slot, or offers again what was parked.
    fn look_at(&mut self, id: &Arc<str>, now_ms: i64, decisions: &mut Vec<Decision>) {
        let Some(current) = self.targets.get_mut(id) else {
            return;
        };
        let slot = current.slots.slot_at(now_ms);
        if slot <= current.slot {
            if current.state
                == (State::Parked {
                    asked_to_wait: true,
                })
            {
                self.offer(id, decisions);
            }
            return;
        }
        if current.state != State::Closed {
            let cause = current.cause(&self.regions);
            decisions.push(current.missed_now(cause));
            decisions.extend(current.work().map(Decision::Withdraw));
            self.close(id, decisions);
        }
        let Some(current) = self.targets.get_mut(id) else {
            return;
        };
        if current.slot + 1 < slot {
            let passed = (current.slot + 1, slot - 1);
            decisions.push(current.missed(passed, MissedCause::CoordinatorDown));
        }
        current.slot = slot;
        current.was_leased = false;
        let ends_at_ms = current.slots.ends_at(slot);
        if now_ms - current.slots.starts_at(slot) > LATE_AFTER_MS {
            current.state = State::Late;
            // In line already when the slot before was late, too.
            if !std::mem::replace(&mut current.in_line, true) {
                self.late.push_back(Arc::clone(id));
            }
        } else {
            self.offer(id, decisions);
        }
        self.wake_at(ends_at_ms, id);
    }

    fn release_late(&mut self, now_ms: i64, decisions: &mut Vec<Decision>) {
        while let Some(id) = self.late.front() {
            let waits = self
                .targets
                .get(id)
                .is_some_and(|current| current.state == State::Late);
            if waits && !self.bucket.take(now_ms) {
                return;
            }
            let Some(id) = self.late.pop_front() else {
                return;
            };
            if let Some(current) = self.targets.get_mut(&id) {
                current.in_line = false;
            }
            if waits {
                self.offer(&id, decisions);
            }
        }
    }

    fn offer(&mut self, id: &Arc<str>, decisions: &mut Vec<Decision>) {
        let Some(current) = self.targets.get_mut(id) else {
            return;
        };
        // A target without a region cannot be built; its slot would stay open
        // and be recorded as missed at its end.
        let Some(work) = current.work() else {
            return;
        };
        current.state = State::Offered;
        decisions.push(Decision::Offer(work));
    }

    fn close(&mut self, id: &Arc<str>, decisions: &mut Vec<Decision>) {
        let Some(current) = self.targets.get_mut(id) else {
            return;
        };
        current.state = State::Closed;
        let host = Arc::clone(&current.target.host);
        self.free_host(&host, id, decisions);
    }

    fn free_host(&mut self, host: &Arc<str>, id: &Arc<str>, decisions: &mut Vec<Decision>) {
        for next in self.hosts.leave(host, id) {
            let parked = self
                .targets
                .get(&next)
                .is_some_and(|current| matches!(current.state, State::Parked { .. }));
            if parked {
                self.offer(&next, decisions);
            }
        }
    }
}
