//! Plays many simulated stories: `simulate SEEDS [FIRST]`. Prints how fast it
//! went, and of each story that fails what went wrong and the shortest list of
//! operations that was found to do it.

// All of this is test code: what it unwraps, it asserts.
#![allow(clippy::unwrap_used)]

#[path = "../tests/simulation/sim/mod.rs"]
mod sim;

use std::{
    panic::catch_unwind,
    process::ExitCode,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use sim::{Plan, Tally, play};

/// Failing stories that are shrunk; more are only counted.
const SHRUNK_LIMIT: usize = 10;

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let (Some(Ok(seeds)), first) = (numbers.next(), numbers.next()) else {
        eprintln!("usage: simulate SEEDS [FIRST]");
        return ExitCode::FAILURE;
    };
    let first = first.and_then(Result::ok).unwrap_or(0);
    let began = seconds();
    let (tallies, failed) = play_all(first, seeds);
    let took = seconds() - began;
    println!("{seeds} stories from seed {first} in {took:.0} s; in all {tallies:?}");
    println!("{} failed", failed.len());
    for (seed, fault) in failed.iter().take(SHRUNK_LIMIT) {
        let plan = shrunk(Plan::of(*seed));
        let now = outcome(&plan).err();
        println!("seed {seed}, {fault}\n  shrunk: {now:?}\n  {plan:?}");
    }
    for (seed, fault) in failed.iter().skip(SHRUNK_LIMIT) {
        println!("seed {seed}, {fault}");
    }
    if failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn play_all(first: u64, seeds: u64) -> (Tally, Vec<(u64, String)>) {
    let next = AtomicU64::new(first);
    let results = Mutex::new((Tally::default(), Vec::new()));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + seeds {
                        return;
                    }
                    let outcome = outcome(&Plan::of(seed));
                    let mut results = results.lock().unwrap();
                    match outcome {
                        Ok(tally) => results.0.add(tally),
                        Err(fault) => results.1.push((seed, fault)),
                    }
                }
            });
        }
    });
    let (tally, mut failed) = results.into_inner().unwrap();
    failed.sort();
    (tally, failed)
}

/// A panic of the code that is simulated is a fault like any other.
fn outcome(plan: &Plan) -> Result<Tally, String> {
    catch_unwind(|| play(plan)).unwrap_or_else(|_| Err("it panicked".to_owned()))
}

/// Leaves out operations as long as the story fails without them.
fn shrunk(mut plan: Plan) -> Plan {
    let mut index = 0;
    while index < plan.ops.len() {
        let mut without = plan.clone();
        without.ops.remove(index);
        if outcome(&without).is_err() {
            plan = without;
        } else {
            index += 1;
        }
    }
    plan
}

fn seconds() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}
