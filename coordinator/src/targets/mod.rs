//! What is watched, and how often.

mod target;
mod tier;

pub use target::{EndpointSource, report_path, run_path};
pub use tier::Tier;
