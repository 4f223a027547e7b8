//! The store as a model: what is committed stays, the first result of a slot is
//! the result, an equal one is acknowledged, another one kept beside it. It
//! complains when it is asked for what must never happen.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use touchstone_coordinator::{
    history::{
        days::{DayMissed, DayRuns, OBSERVED_DAYS, ObservedDays, day_of, observed_days},
        reach::Reach,
    },
    schedule::{Missed, slot::Slots},
    store::{KnownTarget, NewRun, Recorded, read::MissedCause},
    targets::Target,
};

/// A target's place in the list, and a slot.
pub(crate) type Slot = (usize, u64);

#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) digest: String,
    region: String,
    reach: Reach,
    started_at_ms: i64,
}

#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(crate) targets: Vec<Arc<Target>>,
    places: HashMap<Arc<str>, usize>,
    pub(crate) runs: BTreeMap<Slot, Row>,
    pub(crate) missed: BTreeMap<Slot, MissedCause>,
    pub(crate) conflicts: BTreeSet<String>,
    waits: BTreeMap<Arc<str>, i64>,
    /// One writer at a time: when the last one ends.
    pub(crate) busy_until: i64,
    /// Nothing can be written until then.
    pub(crate) away_until: i64,
    pub(crate) slow_until: i64,
}

impl Store {
    pub(crate) fn add(&mut self, target: Target) {
        let target = Arc::new(target);
        let place = self.targets.len();
        self.places.insert(Arc::clone(&target.target_id), place);
        self.targets.push(target);
    }

    pub(crate) fn place(&self, target_id: &str) -> usize {
        self.places[target_id]
    }

    pub(crate) fn slots(&self, place: usize) -> Slots {
        let target = &self.targets[place];
        Slots::new(&target.target_id, target.tier.cadence_ms())
    }

    pub(crate) fn record(
        &mut self,
        batch: &[NewRun],
        now_ms: i64,
    ) -> Result<Vec<Recorded>, String> {
        batch
            .iter()
            .map(|run| self.record_one(run, now_ms))
            .collect()
    }

    fn record_one(&mut self, run: &NewRun, now_ms: i64) -> Result<Recorded, String> {
        let slot = (self.place(&run.target_id), run.slot);
        if let Some(first) = self.runs.get(&slot) {
            if first.region != run.region {
                return Err(format!("{slot:?} has results of two regions"));
            }
            if first.digest == run.observation_digest {
                return Ok(Recorded::AlreadyStored);
            }
            self.conflicts.insert(run.observation_digest.clone());
            return Ok(Recorded::Conflict);
        }
        let row = Row {
            digest: run.observation_digest.clone(),
            region: run.region.clone(),
            reach: run.reach,
            started_at_ms: run.started_at_ms,
        };
        self.runs.insert(slot, row);
        let was_missed = self.missed.remove(&slot).is_some();
        if let Some((host, until_ms)) = &run.wait {
            let wait = self.waits.entry(Arc::clone(host)).or_insert(*until_ms);
            *wait = (*wait).max(*until_ms);
            self.waits.retain(|_, until_ms| *until_ms > now_ms);
        }
        Ok(Recorded::Stored { was_missed })
    }

    /// `again`: an earlier try may have been committed.
    pub(crate) fn record_missed(&mut self, batch: &[Missed], again: bool) -> Result<(), String> {
        for missed in batch {
            let place = self.place(&missed.target.target_id);
            for number in missed.first_slot..=missed.last_slot {
                let slot = (place, number);
                if self.runs.contains_key(&slot) {
                    continue;
                }
                if self.missed.insert(slot, missed.cause).is_some() && !again {
                    return Err(format!("{slot:?} was missed twice"));
                }
            }
        }
        Ok(())
    }

    pub(crate) fn known_targets(&self) -> Vec<KnownTarget> {
        let known = |(place, target): (usize, &Arc<Target>)| {
            let all = (place, 0)..=(place, u64::MAX);
            let run = self
                .runs
                .range(all.clone())
                .next_back()
                .map(|(slot, _)| slot.1);
            let missed = self.missed.range(all).next_back().map(|(slot, _)| slot.1);
            let newest = run.max(missed);
            KnownTarget {
                target: Arc::clone(target),
                known_at_ms: newest.map(|slot| self.slots(place).starts_at(slot)),
            }
        };
        self.targets.iter().enumerate().map(known).collect()
    }

    pub(crate) fn waits(&self, now_ms: i64) -> Vec<(Arc<str>, i64)> {
        let waits = self
            .waits
            .iter()
            .filter(|(_, until_ms)| **until_ms > now_ms);
        waits
            .map(|(host, until_ms)| (Arc::clone(host), *until_ms))
            .collect()
    }

    /// Every slot of a target from its first to those that ended before
    /// `until_ms` has a result or a cause, and its days say the same.
    pub(crate) fn account(&self, place: usize, until_ms: i64, now_ms: i64) -> Result<(), String> {
        let slots = self.slots(place);
        let first = slots.slot_at(self.targets[place].added_at_ms);
        for number in first..slots.slot_at(until_ms) {
            let slot = (place, number);
            match (self.runs.contains_key(&slot), self.missed.get(&slot)) {
                (true, None) | (false, Some(_)) => {}
                (stored, missed) => {
                    return Err(format!("{slot:?}: stored {stored}, missed {missed:?}"));
                }
            }
        }
        self.account_days(place, &self.days(place, now_ms), now_ms)
    }

    /// As the store's reader groups rows.
    fn days(&self, place: usize, now_ms: i64) -> ObservedDays {
        let all = (place, 0)..=(place, u64::MAX);
        let runs: Vec<DayRuns> = self
            .runs
            .range(all.clone())
            .map(|(_, row)| DayRuns {
                day: day_of(row.started_at_ms),
                reach: row.reach,
                runs: 1,
                signed: 0,
            })
            .collect();
        let missed: Vec<DayMissed> = self
            .missed
            .range(all)
            .map(|(slot, cause)| DayMissed {
                day: day_of(self.slots(place).starts_at(slot.1)),
                slots: 1,
                asked_to_wait: *cause == MissedCause::AskedToWait,
            })
            .collect();
        let today = day_of(now_ms);
        let first_run = runs.iter().map(|runs| runs.day).min().unwrap_or(today);
        let first_day = first_run.min(day_of(self.targets[place].added_at_ms));
        observed_days(&runs, &missed, first_day, today)
    }

    fn account_days(
        &self,
        place: usize,
        observed: &ObservedDays,
        now_ms: i64,
    ) -> Result<(), String> {
        use touchstone_coordinator::history::days::DayKind;
        if observed.days.len() != OBSERVED_DAYS || observed.answered > observed.counted {
            return Err(format!(
                "target {place}: not 90 days, or more answered than counted"
            ));
        }
        let slots = self.slots(place);
        let today = day_of(now_ms);
        let first = day_of(self.targets[place].added_at_ms);
        let oldest = today + 1 - i64::try_from(OBSERVED_DAYS).unwrap();
        for (day, observed) in (oldest..).zip(&observed.days) {
            let all = (place, 0)..=(place, u64::MAX);
            let runs = self
                .runs
                .range(all)
                .filter(|(_, row)| day_of(row.started_at_ms) == day);
            let (mut answered, mut unanswered, mut open) = (0, 0, 0);
            for (_, row) in runs {
                match row.reach {
                    Reach::Answered => answered += 1,
                    Reach::Unanswered(_) => unanswered += 1,
                    Reach::NotCounted(_) => open += 1,
                }
            }
            let right = match observed.kind {
                DayKind::Unanswered => unanswered > 0,
                DayKind::Answered => answered > 0 && unanswered + open == 0,
                DayKind::NotCounted => unanswered == 0 && (open > 0 || observed.missed > 0),
                DayKind::Before => day < first && answered + unanswered + open == 0,
                DayKind::NotYet => day == today,
                DayKind::Undetermined => answered + unanswered + open == 0 && day >= first,
            };
            // A run of a slot near midnight may have begun on the other day.
            let mut begun = (0..).map_while(|step| {
                let slot = slots
                    .slot_at((day + 1) * touchstone_coordinator::history::days::DAY_MS - 1)
                    - step;
                (day_of(slots.starts_at(slot)) == day).then_some((place, slot))
            });
            let explained = observed.kind != DayKind::Undetermined
                || observed.missed > 0
                || begun.any(|slot| self.runs.contains_key(&slot));
            if !right || !explained || observed.runs != answered + unanswered + open {
                return Err(format!("target {place}, day {day}: {observed:?}"));
            }
        }
        Ok(())
    }
}
