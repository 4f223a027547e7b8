//! Level-triggered waits: a condition is asked for again until it holds, and
//! what it last said is in the message when it never does.

use std::time::{Duration, Instant};

/// How often a condition is asked for.
const EVERY: Duration = Duration::from_millis(20);

/// Waits until `condition` gives a value; its last `Err` says why it did not.
pub fn until<T>(within: Duration, mut condition: impl FnMut() -> Result<T, String>) -> T {
    let began = Instant::now();
    loop {
        match condition() {
            Ok(value) => return value,
            Err(why) if began.elapsed() > within => panic!("not within {within:?}: {why}"),
            Err(_) => std::thread::sleep(EVERY),
        }
    }
}
