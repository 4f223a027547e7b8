//! The limits that a run of the suite `mcp` is held to, as reasons and the
//! methodology page state them. The agent enforces them; a record that goes
//! beyond one is not signed.

/// Requests of one run, handshake included.
pub const REQUESTS: usize = 8;
/// Requests for later pages of the tool list, beyond [`REQUESTS`].
pub const LATER_PAGE_REQUESTS: usize = 9;
/// Seconds for the whole run.
pub const RUN_SECONDS: u32 = 10;
/// Bytes of one response, on the wire and again after content decoding.
pub const RESPONSE_BYTES: u32 = 2_097_152;
/// Bytes of all headers of one response together, as HTTP/1.1 writes them.
pub const RESPONSE_HEADERS_BYTES: u32 = 65_536;
/// Levels of nesting of JSON that is read.
pub const JSON_LEVELS: usize = touchstone_canonical::DEPTH_LIMIT;
/// Pages of one tool list.
pub const LIST_PAGES: usize = 10;
/// Tools of one tool list.
pub const LIST_TOOLS: usize = 5_000;
/// Redirects followed, on metadata requests only.
pub const REDIRECTS: u32 = 3;
