//! The check suites: an observation in, one assertion a check out.

pub mod reason;
pub mod registry;
