//! When each target is due, and how gently. Pure: nothing here waits, stores or
//! sends; time comes in as an argument, and what should happen comes out as
//! [`Decision`]s.

mod bucket;
mod current;
mod due;
mod politeness;
pub mod slot;

#[cfg(test)]
mod tests;

pub use bucket::{Bucket, CATCH_UP_BURST, CATCH_UP_INTERVAL_MS};
pub use current::Missed;
pub use due::{Decision, LATE_AFTER_MS, Schedule, Start};
pub use politeness::RETRY_AFTER_LIMIT;
