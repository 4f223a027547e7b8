//! Slots are computed, not stored. A target's phase is a hash of its id modulo
//! its cadence, anchored to the epoch; slot `k` starts at `phase + k * cadence`.
//! Any replica computes the same slot, load is spread evenly for ever, and a
//! restart loses nothing. Pure: the time comes in as an argument.
//!
//! The number of a slot is unique for a target as long as its cadence stays.
//! After a change of tier the numbers are others; two cadences give the same
//! number only at times decades apart.

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

/// The slots of one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    phase_ms: i64,
    cadence_ms: i64,
}

impl Slots {
    /// # Panics
    /// Never for the cadence of a tier, which is positive.
    pub fn new(target_id: &str, cadence_ms: i64) -> Self {
        assert!(cadence_ms > 0, "a cadence is a positive time");
        let hash = hash("phase", &[target_id]);
        let phase = u64::from_be_bytes([
            hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7],
        ]) % cadence_ms.unsigned_abs();
        Self {
            // Smaller than the cadence, so it fits.
            phase_ms: i64::try_from(phase).unwrap_or(0),
            cadence_ms,
        }
    }

    /// The newest slot that has started. Before the first, the first.
    pub fn slot_at(&self, now_ms: i64) -> u64 {
        let since_phase = now_ms.saturating_sub(self.phase_ms).max(0);
        (since_phase / self.cadence_ms).unsigned_abs()
    }

    /// When a slot starts, in milliseconds since the epoch.
    pub fn starts_at(&self, slot: u64) -> i64 {
        i64::try_from(slot)
            .unwrap_or(i64::MAX)
            .saturating_mul(self.cadence_ms)
            .saturating_add(self.phase_ms)
    }

    /// When a slot ends, which is when the next one starts.
    pub fn ends_at(&self, slot: u64) -> i64 {
        self.starts_at(slot.saturating_add(1))
    }

    /// The slot that should run now, unless it is known already; with the
    /// slots between the last one known and it, which nobody ran.
    pub fn due(&self, known: Option<u64>, now_ms: i64) -> Due {
        let current = self.slot_at(now_ms);
        let Some(known) = known else {
            return Due {
                run: Some(current),
                missed: None,
            };
        };
        let missed = (known.saturating_add(1) < current)
            // `current` is above 0 here.
            .then(|| (known + 1, current - 1));
        Due {
            run: (known < current).then_some(current),
            missed,
        }
    }
}

/// What [`Slots::due`] answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The current slot, if it has to run.
    pub run: Option<u64>,
    /// First and last of the slots that passed without a result.
    pub missed: Option<(u64, u64)>,
}

/// The region whose turn a slot is: regions take turns, and targets begin with
/// different ones. `None` when there is no region.
pub fn region_of<'r>(target_id: &str, slot: u64, regions: &'r [String]) -> Option<&'r str> {
    let count = u64::try_from(regions.len())
        .ok()
        .filter(|&count| count > 0)?;
    let first = u64::from(hash("turn", &[target_id])[0]);
    let turn = (slot % count + first % count) % count;
    regions.get(usize::try_from(turn).ok()?).map(String::as_str)
}

/// The name of a run: the same work has the same name everywhere.
pub fn run_id(target_id: &str, suite: &str, slot: u64, region: &str) -> String {
    HEXLOWER.encode(&hash("run", &[target_id, suite, &slot.to_string(), region]))
}

/// SHA-256 over the parts, each behind its length, so that no two lists of
/// parts give the same bytes.
fn hash(purpose: &str, parts: &[&str]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in std::iter::once(&purpose).chain(parts) {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::targets::Tier;

    /// 2026-11-30 12:00 UTC.
    const NOON_MS: i64 = 1_796_040_000_000;

    #[test]
    fn a_run_has_the_same_name_for_ever() {
        // The parts, each behind its length as eight bytes, through sha256sum.
        assert_eq!(
            run_id("aa", "mcp", 7, "fra"),
            "8264b87adca7468e7ad7d3e400d5fe784c6db058fced74e3356d1c187360a1d9"
        );
        assert_ne!(run_id("aa", "mcp", 7, "fra"), run_id("aa", "mcp", 71, "ra"));
    }

    #[test]
    fn regions_take_turns_and_each_gets_its_share() {
        let regions: Vec<String> = ["fra", "iad", "sin"].map(str::to_owned).into();
        for slot in 0..6 {
            let turn = |slot| region_of("t", slot, &regions).unwrap();
            assert_eq!(turn(slot), turn(slot + 3));
            assert_ne!(turn(slot), turn(slot + 1));
        }
        assert_eq!(region_of("t", u64::MAX, &regions[..1]), Some("fra"));
        assert_eq!(region_of("t", 1, &[]), None);
    }

    #[test]
    fn phases_spread_evenly_over_the_cadence() {
        let cadence_ms = Tier::Unclaimed.cadence_ms();
        let mut per_hour = [0_u32; 12];
        for index in 0..6_000 {
            let slots = Slots::new(&format!("target {index}"), cadence_ms);
            per_hour[usize::try_from(slots.phase_ms / 3_600_000).unwrap()] += 1;
        }
        // 500 each expected; 4 standard deviations are below 90.
        assert!(
            per_hour.iter().all(|count| (410..590).contains(count)),
            "{per_hour:?}"
        );
    }

    fn tiers() -> impl Strategy<Value = Tier> {
        prop::sample::select(Tier::ALL.to_vec())
    }

    proptest! {
        #[test]
        fn the_slot_of_a_time_has_started_and_not_ended(
            id in "[a-z0-9]{1,8}", tier in tiers(), ago in 0..NOON_MS / 2,
        ) {
            let now_ms = NOON_MS - ago;
            let slots = Slots::new(&id, tier.cadence_ms());
            let slot = slots.slot_at(now_ms);
            prop_assert!(slots.starts_at(slot) <= now_ms);
            prop_assert!(now_ms < slots.ends_at(slot));
            prop_assert_eq!(slots.slot_at(slots.starts_at(slot)), slot);
            prop_assert_eq!(slots.slot_at(slots.ends_at(slot) - 1), slot);
            prop_assert_eq!(slots.ends_at(slot) - slots.starts_at(slot), tier.cadence_ms());
        }

        #[test]
        fn every_slot_is_run_missed_or_known(
            id in "[a-z0-9]{1,8}", tier in tiers(), gap in 0_u64..10_000,
        ) {
            let slots = Slots::new(&id, tier.cadence_ms());
            let current = slots.slot_at(NOON_MS);
            let known = current - gap.min(current);
            let due = slots.due(Some(known), NOON_MS);
            let missed = due.missed.map_or(0, |(first, last)| last - first + 1);
            let run = u64::from(due.run.is_some());
            prop_assert_eq!(known + missed + run, current);
            if let Some((first, last)) = due.missed {
                prop_assert_eq!(first, known + 1);
                prop_assert_eq!(last, current - 1);
            }
            prop_assert_eq!(slots.due(Some(current), NOON_MS), Due { run: None, missed: None });
            prop_assert_eq!(slots.due(Some(current + gap), NOON_MS).run, None);
        }

        #[test]
        fn any_number_of_a_slot_has_a_time(slot: u64, now_ms: i64) {
            let slots = Slots::new("x", Tier::Indie.cadence_ms());
            prop_assert!(slots.starts_at(slot) <= slots.ends_at(slot));
            let _ = slots.slot_at(now_ms);
        }
    }
}
