//! The coordinator: which target is due when, which agent looks at it, what it
//! saw, and what the signer said of it. It stores and publishes; it judges
//! nothing, dials no stranger and holds no key of the fleet.
//!
//! [`run`] is the whole role. Results reach the store through
//! [`fleet::ingest`], the signer through [`tasks::attest_pending`], readers
//! through [`store::Reader`] and [`publish`].

mod backoff;
pub mod clock;
pub mod config;
pub mod event;
pub mod fleet;
mod health;
pub mod history;
mod listen;
mod metrics;
mod operator;
pub mod publish;
pub mod queue;
pub mod random;
mod role;
pub mod schedule;
pub mod service_url;
pub mod signer;
pub mod store;
pub mod targets;
pub mod tasks;
#[cfg(test)]
#[path = "../tests/support/services.rs"]
mod test_services;

pub use config::Config;
pub use event::Event;
pub use operator::{Asked, OperatorClient, OperatorError};
pub use role::{DRAIN_LIMIT, Error, Outside, STOP_LIMIT, VERSION, run, run_with};
