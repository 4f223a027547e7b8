//! Times several things in turn, round after round, and keeps each one's best:
//! what is compared ran under the same conditions.
//!
//! In CPU time of this thread and not by the clock on the wall, so that other
//! work on the machine counts as little as may be.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

const ROUNDS: usize = 15;
/// Each thing runs at least this long in a round.
const LEAST: Duration = Duration::from_millis(10);

/// A thing to time.
pub(crate) struct Side<'a> {
    name: &'a str,
    run: Box<dyn FnMut() + 'a>,
    times: u32,
}

impl<'a> Side<'a> {
    pub(crate) fn new(name: &'a str, run: impl FnMut() + 'a) -> Self {
        let run = Box::new(run);
        Self {
            name,
            run,
            times: 1,
        }
    }

    /// One run, on average.
    fn time(&mut self) -> Duration {
        let before = cpu_time();
        for _ in 0..self.times {
            (self.run)();
        }
        (cpu_time() - before) / self.times
    }
}

/// What one run of each takes at best.
pub(crate) fn race(mut sides: Vec<Side<'_>>) -> Vec<Duration> {
    for side in &mut sides {
        while side.time() * side.times < LEAST {
            side.times *= 2;
        }
    }
    let mut best = vec![Duration::MAX; sides.len()];
    for _ in 0..ROUNDS {
        for (side, best) in sides.iter_mut().zip(&mut best) {
            *best = side.time().min(*best);
        }
    }
    for (side, best) in sides.iter().zip(&best) {
        assert!(!best.is_zero(), "{} takes no time", side.name);
    }
    best
}

fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(now).expect("CPU time is not negative")
}
