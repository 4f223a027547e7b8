//! The schedule driven by hand: each case is a short story of one or two targets.

use std::sync::Arc;

use super::{
    Decision, Schedule, Start,
    bucket::{CATCH_UP_BURST, CATCH_UP_INTERVAL_MS},
    slot::Slots,
};
use crate::{
    queue::Work,
    store::read::MissedCause,
    targets::{Target, Tier, tests_support::target_of},
};

/// 2026-11-30 12:00 UTC.
const NOON_MS: i64 = 1_796_040_000_000;
const HOUR_MS: i64 = 3_600_000;

fn target(url: &str) -> Arc<Target> {
    Arc::new(target_of(url, Tier::Unclaimed, &["fra"]))
}

fn slots(target: &Target) -> Slots {
    Slots::new(&target.target_id, target.tier.cadence_ms())
}

fn offers(decisions: &[Decision]) -> Vec<Work> {
    let offered = |decision: &Decision| match decision {
        Decision::Offer(work) => Some(work.clone()),
        _ => None,
    };
    decisions.iter().filter_map(offered).collect()
}

fn missed(decisions: &[Decision]) -> Vec<(u64, u64, MissedCause)> {
    let missed = |decision: &Decision| match decision {
        Decision::Missed(missed) => Some((missed.first_slot, missed.last_slot, missed.cause)),
        _ => None,
    };
    decisions.iter().filter_map(missed).collect()
}

#[test]
fn a_new_target_runs_at_once_and_then_at_every_slot() {
    let target = target("https://a.example/mcp");
    let slots = slots(&target);
    let mut schedule = Schedule::new(NOON_MS);
    let first = offers(&schedule.add(Arc::clone(&target), None, NOON_MS));
    assert_eq!(first.len(), 1);
    assert_eq!(first[0].slot, slots.slot_at(NOON_MS));
    assert!(
        schedule.add(Arc::clone(&target), None, NOON_MS).is_empty(),
        "no duplicate"
    );
    assert_eq!(schedule.start(&first[0], NOON_MS), Start::Go);
    assert_eq!(schedule.start(&first[0], NOON_MS), Start::Gone);
    schedule.settled(&target.target_id, first[0].slot);

    let next_ms = schedule.next_wake_ms().unwrap();
    assert_eq!(next_ms, slots.ends_at(first[0].slot));
    assert!(schedule.tick(next_ms - 1).is_empty());
    let decisions = schedule.tick(next_ms);
    assert_eq!(missed(&decisions), []);
    assert_eq!(offers(&decisions)[0].slot, first[0].slot + 1);
}

#[test]
fn after_a_pause_only_the_newest_slot_runs_and_the_others_are_recorded() {
    let target = target("https://a.example/mcp");
    let slots = slots(&target);
    let current = slots.slot_at(NOON_MS);
    let mut schedule = Schedule::new(NOON_MS);
    let known_at_ms = slots.starts_at(current - 4);
    let decisions = schedule.add(Arc::clone(&target), Some(known_at_ms), NOON_MS);
    assert_eq!(
        missed(&decisions),
        [(current - 3, current - 1, MissedCause::CoordinatorDown)]
    );
    assert_eq!(offers(&decisions)[0].slot, current);

    let mut schedule = Schedule::new(NOON_MS);
    let decisions = schedule.add(target, Some(slots.starts_at(current)), NOON_MS);
    assert!(decisions.is_empty(), "the current slot is known");
}

#[test]
fn a_target_that_was_added_and_never_run_has_missed_every_slot_since() {
    let target = target("https://a.example/mcp");
    let slots = slots(&target);
    let (first, later_ms) = (slots.slot_at(NOON_MS), NOON_MS + 48 * HOUR_MS);
    let mut schedule = Schedule::new(later_ms);
    let decisions = schedule.add(target, None, later_ms);
    assert_eq!(
        missed(&decisions),
        [(first, first + 3, MissedCause::CoordinatorDown)]
    );
    assert_eq!(offers(&decisions)[0].slot, first + 4);
}

#[test]
fn a_clock_that_jumps_ahead_leaves_no_slot_without_a_record() {
    let target = target("https://a.example/mcp");
    let slots = slots(&target);
    let mut schedule = Schedule::new(NOON_MS);
    let first = offers(&schedule.add(target, None, NOON_MS))[0].slot;
    let later_ms = slots.starts_at(first + 5) + HOUR_MS;
    let decisions = schedule.tick(later_ms);
    assert_eq!(
        missed(&decisions),
        [
            (first, first, MissedCause::NoAgent),
            (first + 1, first + 4, MissedCause::CoordinatorDown),
        ]
    );
    assert_eq!(offers(&decisions)[0].slot, first + 5);
    assert!(
        schedule.tick(NOON_MS).is_empty(),
        "a clock set back does nothing"
    );
}

#[test]
fn late_slots_pass_through_the_token_bucket() {
    let mut schedule = Schedule::new(NOON_MS);
    let extra = 5;
    let mut offered = 0;
    for index in 0..CATCH_UP_BURST + extra {
        let target = target(&format!("https://{index}.example/mcp"));
        offered += offers(&schedule.add(target, None, NOON_MS)).len();
    }
    assert_eq!(offered, CATCH_UP_BURST as usize);
    let next_ms = schedule.next_wake_ms().unwrap();
    assert_eq!(next_ms, NOON_MS + CATCH_UP_INTERVAL_MS);
    assert_eq!(offers(&schedule.tick(next_ms)).len(), 1);
    assert_eq!(offers(&schedule.tick(next_ms + 10_000)).len(), 4);
}

#[test]
fn each_way_to_miss_a_slot_has_its_own_cause() {
    let story = |name: &str, play: &dyn Fn(&mut Schedule, &Work)| {
        let target = target("https://a.example/mcp");
        let ends_at_ms = slots(&target).ends_at(slots(&target).slot_at(NOON_MS));
        let mut schedule = Schedule::new(NOON_MS);
        let work = offers(&schedule.add(target, None, NOON_MS)).remove(0);
        play(&mut schedule, &work);
        let missed = missed(&schedule.tick(ends_at_ms));
        assert_eq!(missed.len(), 1, "{name}");
        assert_eq!((missed[0].0, missed[0].1), (work.slot, work.slot), "{name}");
        missed[0].2
    };
    let no_agent = story("nobody", &|_, _| {});
    assert_eq!(no_agent, MissedCause::NoAgent);
    let capacity = story("an agent without permits", &|schedule, _| {
        schedule.region_joined("iad");
        schedule.region_joined("fra");
        schedule.region_left("fra", NOON_MS + 1);
    });
    assert_eq!(capacity, MissedCause::Capacity);
    let expired = story("leased, never reported", &|schedule, work| {
        assert_eq!(schedule.start(work, NOON_MS), Start::Go);
        assert_eq!(offers(&schedule.lost(work, true)).len(), 1);
    });
    assert_eq!(expired, MissedCause::LeaseExpired);
    let asked = story("asked to wait for a day", &|schedule, work| {
        schedule.ask_to_wait(&work.target.host, 86_400, NOON_MS);
        assert_eq!(schedule.start(work, NOON_MS), Start::Parked);
    });
    assert_eq!(asked, MissedCause::AskedToWait);
}

#[test]
fn giving_up_and_overflowing_are_recorded_once() {
    for give_up in [true, false] {
        let target = target("https://a.example/mcp");
        let slots = slots(&target);
        let mut schedule = Schedule::new(NOON_MS);
        let work = offers(&schedule.add(target, None, NOON_MS)).remove(0);
        let (decisions, cause) = if give_up {
            schedule.start(&work, NOON_MS);
            (schedule.lost(&work, false), MissedCause::LeaseExpired)
        } else {
            (schedule.overflowed(&work), MissedCause::Capacity)
        };
        assert_eq!(missed(&decisions), [(work.slot, work.slot, cause)]);
        let decisions = schedule.tick(slots.ends_at(work.slot));
        assert_eq!(missed(&decisions), []);
        assert_eq!(offers(&decisions).len(), 1);
    }
}

#[test]
fn a_host_is_met_by_one_run_at_a_time() {
    let (one, two) = (
        target("https://a.example/one"),
        target("https://a.example/two"),
    );
    let mut schedule = Schedule::new(NOON_MS);
    let first = offers(&schedule.add(one, None, NOON_MS)).remove(0);
    let second = offers(&schedule.add(two, None, NOON_MS)).remove(0);
    assert_eq!(schedule.start(&first, NOON_MS), Start::Go);
    assert_eq!(schedule.start(&second, NOON_MS), Start::Parked);
    let decisions = schedule.settled(&first.target.target_id, first.slot);
    let again = offers(&decisions);
    assert_eq!(again[0].run_id, second.run_id);
    assert_eq!(schedule.start(&second, NOON_MS), Start::Go);
}

#[test]
fn a_wait_that_ends_within_the_slot_only_delays_it() {
    let target = target("https://a.example/mcp");
    let mut schedule = Schedule::new(NOON_MS);
    let work = offers(&schedule.add(target, None, NOON_MS)).remove(0);
    schedule.ask_to_wait(&work.target.host, 30, NOON_MS);
    assert_eq!(schedule.start(&work, NOON_MS), Start::Parked);
    let back_ms = schedule.next_wake_ms().unwrap();
    assert_eq!(back_ms, NOON_MS + 30_000);
    let again = offers(&schedule.tick(back_ms)).remove(0);
    assert_eq!(schedule.start(&again, back_ms), Start::Go);
}

#[test]
fn a_result_from_before_the_restart_settles_the_slot_that_waits() {
    let target = target("https://a.example/mcp");
    let mut schedule = Schedule::new(NOON_MS);
    let work = offers(&schedule.add(Arc::clone(&target), None, NOON_MS)).remove(0);
    let decisions = schedule.settled(&target.target_id, work.slot);
    assert!(matches!(&decisions[..], [Decision::Withdraw(_)]));
    assert_eq!(schedule.start(&work, NOON_MS), Start::Gone);
    let ends_at_ms = slots(&target).ends_at(work.slot);
    assert_eq!(missed(&schedule.tick(ends_at_ms)), []);
}
