//! Stories of 90 days, played in milliseconds: the coordinator's own schedule,
//! queue, leases, dispatcher, check of reports and day rules, between a model of
//! the store and agents, while connections break, processes die or stand
//! still, clocks are set and the store fails before or after it committed.
//!
//! Invariants: no result that an agent was told of is lost or doubled; a slot
//! has one result, of one region; every slot from a target's first to its last
//! has a result or a recorded cause, never both and never two; its 90 days say
//! what its slots say; nobody is given more than asked for, nothing that is
//! settled is leased, no host is met before its time; once nothing goes wrong
//! any more, every slot is answered and every agent has nothing left to report.
//!
//! `cargo run --release -p touchstone-coordinator --example simulate -- 10000`
//! plays many, and shrinks those that fail. A seed gives the same story as long
//! as the simulation stays as it is.

// All of this is test code: what it unwraps, it asserts.
#![allow(clippy::unwrap_used)]

mod sim;

use sim::{Plan, Tally, play};

/// Stories of every run of the tests.
const SEEDS: u64 = 3;

#[test]
fn every_slot_of_many_stories_comes_to_exactly_one_end() {
    let mut seen = Tally::default();
    for seed in 0..SEEDS {
        match play(&Plan::of(seed)) {
            Ok(tally) => seen.add(tally),
            Err(fault) => panic!("seed {seed}, {fault}"),
        }
    }
    // Not a test of nothing.
    assert!(
        seen.stored > 0 && seen.missed > 0 && seen.crashes > 0,
        "{seen:?}"
    );
    println!("{seen:?}");
}
