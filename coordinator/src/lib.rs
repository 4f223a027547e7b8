//! The coordinator: which target is due when, which agent looks at it, what it
//! saw, and what the signer said of it. It stores and publishes; it judges
//! nothing, dials no stranger and holds no key of the fleet.

pub mod clock;
pub mod fleet;
pub mod history;
pub mod queue;
pub mod schedule;
pub mod store;
pub mod targets;
