//! The signer from outside: as a process that is killed, and by the judgement
//! of tools that we did not write. Apart from the unit tests, for a process
//! that starts others holds their locks for a moment.

// These are tests, also where clippy does not see it: outside of the functions
// that are marked as such.
#![allow(clippy::unwrap_used)]

mod history;
mod killed;
mod other_tools;
#[path = "../../src/sample.rs"]
#[allow(dead_code)]
mod sample;
