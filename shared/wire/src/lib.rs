//! What the bytes of an MCP server say.
//!
//! The agent reads answers to decide what to send next, and the suites read the
//! same answers again to judge them. Both use these functions, so that they
//! never disagree about what was said.
//!
//! * [`media`]: which of the two framings a `Content-Type` names.
//! * [`sse`]: events out of a byte stream, and the one that answers our request.
//! * [`jsonrpc`]: a JSON-RPC answer, with notes on how it strays from the form.
//! * [`discover`], [`initialize`]: which era and revision the server spoke.
//! * [`revision`], [`server`]: the matrix of revisions; what a server says of itself.
//! * [`tools`]: one page of `tools/list`.
//! * [`challenge`], [`metadata`]: what a sign-in wall says, and where its
//!   metadata lies.
//! * [`edge`]: whether a firewall answered in the server's place.
//!
//! Every reader takes what hostile peers send: none panics, recurses without
//! bound, or keeps more than it was allowed. None judges; deviations are noted
//! and the suites say what they mean. Nothing here does I/O.
//!
//! Sources: the MCP specification pages named in each module, RFC 9110, RFC
//! 8414, RFC 9728, the WHATWG HTML standard.

pub mod challenge;
pub mod discover;
pub mod edge;
pub mod initialize;
pub mod jsonrpc;
pub mod media;
pub mod metadata;
pub mod revision;
pub mod server;
pub mod sse;
pub mod tools;

pub use revision::{Era, LEGACY_OFFER, MODERN, REVISIONS};

/// The tool that `error_taxonomy` calls: a name of ours that nobody's list has.
pub const PROBE_TOOL_NAME: &str = "__touchstone_probe_no_such_tool__";
