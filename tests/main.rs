//! Whole processes, real MCP servers, real faults. One file a subject.
//!
//! `tests/run` installs what these need; a missing peer is a failure here and
//! never a skipped test.

#![allow(clippy::pedantic, clippy::unwrap_used, unreachable_pub)]

mod bad_input;
mod baseline;
mod conformance;
mod corpus;
mod folder;
mod limits;
mod log;
mod places;
mod resilience;
mod rules;
mod samples;
mod secrets;
mod slips;
mod spine;
mod support;
mod telemetry;
mod terminal;
mod verifiers;
mod words;
