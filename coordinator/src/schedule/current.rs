//! Where the current slot of one target stands, and why a slot that ended came
//! to nothing.

use std::{collections::HashMap, sync::Arc};

use super::{
    due::Decision,
    slot::{Slots, region_of, run_id},
};
use crate::{
    queue::Work,
    store::read::MissedCause,
    targets::{SUITE, Target},
};

/// Slots of one target that passed without a result, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    pub target: Arc<Target>,
    pub first_slot: u64,
    pub last_slot: u64,
    pub first_at_ms: i64,
    pub last_at_ms: i64,
    /// Empty when slots of several regions are meant.
    pub region: String,
    pub cause: MissedCause,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Waits for a token of the bucket.
    Late,
    /// In the queue.
    Offered,
    /// Waits for its host: until it is free, or until the time it named.
    Parked { asked_to_wait: bool },
    /// Leased to an agent.
    Started,
    /// Has a result, or a recorded reason why not.
    Closed,
}

#[derive(Debug)]
pub(super) struct Current {
    pub(super) target: Arc<Target>,
    pub(super) slots: Slots,
    pub(super) slot: u64,
    pub(super) state: State,
    /// It was leased at least once in this slot.
    pub(super) was_leased: bool,
    /// It stands in the line of late ones.
    pub(super) in_line: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RegionPresence {
    pub(super) connected: u32,
    pub(super) last_left_ms: Option<i64>,
}

impl Current {
    /// The run of the slot that is current.
    pub(super) fn work(&self) -> Option<Work> {
        let target = &self.target;
        let region = region_of(&target.target_id, self.slot, &target.regions)?;
        Some(Work {
            run_id: run_id(&target.target_id, SUITE, self.slot, region).into(),
            target: Arc::clone(target),
            suite: SUITE,
            slot: self.slot,
            slot_at_ms: self.slots.starts_at(self.slot),
            ends_at_ms: self.slots.ends_at(self.slot),
            region: region.into(),
        })
    }

    /// Why the slot that ends now has no result.
    pub(super) fn cause(&self, regions: &HashMap<String, RegionPresence>) -> MissedCause {
        let present = region_of(&self.target.target_id, self.slot, &self.target.regions)
            .and_then(|region| regions.get(region))
            .is_some_and(|region| {
                region.connected > 0
                    || region
                        .last_left_ms
                        .is_some_and(|left_ms| left_ms >= self.slots.starts_at(self.slot))
            });
        match self.state {
            State::Parked {
                asked_to_wait: true,
            } => MissedCause::AskedToWait,
            _ if self.was_leased => MissedCause::LeaseExpired,
            _ if !present => MissedCause::NoAgent,
            State::Parked { .. } => MissedCause::HostBusy,
            _ => MissedCause::Capacity,
        }
    }

    /// The slot that is current comes to nothing.
    pub(super) fn missed_now(&self, cause: MissedCause) -> Decision {
        self.missed((self.slot, self.slot), cause)
    }

    /// These slots, first to last, come to nothing.
    pub(super) fn missed(
        &self,
        (first_slot, last_slot): (u64, u64),
        cause: MissedCause,
    ) -> Decision {
        let target = &self.target;
        let one_region = first_slot == last_slot || target.regions.len() == 1;
        let region = one_region
            .then(|| region_of(&target.target_id, first_slot, &target.regions))
            .flatten();
        Decision::Missed(Missed {
            target: Arc::clone(target),
            first_slot,
            last_slot,
            first_at_ms: self.slots.starts_at(first_slot),
            last_at_ms: self.slots.starts_at(last_slot),
            region: region.unwrap_or_default().to_owned(),
            cause,
        })
    }
}
