//! The suite `mcp` against observations built by hand: what the specification
//! says of each, check by check, and the traps that servers set.

#![allow(
    clippy::too_many_lines,
    reason = "a table of cases is as long as it is"
)]
#![allow(clippy::unwrap_used, reason = "all of this is test code")]

mod alone;
mod arbitrary;
mod auth;
mod bounds;
mod drift;
mod handshake;
mod list;
mod observe;
mod signing;
mod traps;
