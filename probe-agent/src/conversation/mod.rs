//! What to say next to an MCP server, and when to stop.
//!
//! A conversation is a state machine without I/O and without a clock: it gives
//! the next request, is fed with what came back, and gives the next. It
//! decides as little as the protocol needs; what the answers are worth is the
//! suites' to say, who read them with the same functions (`touchstone-wire`).
//!
//! It sends no credential, no `Origin`, no call of a tool that is listed, and
//! never asks the endpoint with another method than POST, but for the DELETE
//! that ends a session.

mod came;
mod listing;
mod mcp;
mod messages;
mod metadata;
mod wait;

#[cfg(test)]
mod tests;

pub use listing::{PAGES_LIMIT, TOOLS_LIMIT};
pub use mcp::Mcp;
pub use wait::WAIT_LIMIT_S;

use crate::exchange::Request;

/// What a conversation wants.
#[derive(Clone, Debug)]
pub enum Next {
    Send(Request),
    Done,
}
