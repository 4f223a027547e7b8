//! Bounds of what pages read, take and wait for.

use std::time::Duration;

/// A page that takes longer has failed.
pub const PAGE_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of a request's body. No page reads one.
pub const REQUEST_BODY_LIMIT: usize = 1024;
/// Characters of a search.
pub const QUERY_LIMIT: usize = 200;
/// Entries of one page of the directory.
pub const PAGE_ENTRIES: u32 = 50;
/// Characters of a target's name in an address.
pub const SLUG_LIMIT: usize = 256;
/// Characters of a run's name in an address.
pub const RUN_ID_LIMIT: usize = 128;
/// Characters of a cursor of the directory.
pub const CURSOR_LIMIT: usize = 512;
/// Evidences that are held in memory at one time. One may be as large as two
/// messages between two roles, 80 MiB, when the run was compared with a
/// baseline; who comes later waits, at most as long as a page may take.
pub const EVIDENCE_AT_ONCE: usize = 8;
/// Names of tools that a report lists; the rest is counted.
pub const TOOL_NAMES_LIMIT: usize = 1000;
/// Differences from the baseline that a report lists; the rest is counted.
pub const DIFFERENCES_LIMIT: usize = 200;
/// Places that differ which one page of a history lists; the rest is counted.
pub const HISTORY_ROWS_LIMIT: usize = 400;
/// Responses shorter than this are not worth compressing, in bytes.
pub const COMPRESS_FROM_BYTES: u64 = 512;

/// What a run may cost a server, as pages say it: requests and seconds. The
/// agent enforces it, and a test of the root package holds both together; so it
/// does for all that follows, which the suites judge by.
pub const RUN_REQUESTS: i64 = 8;
pub const RUN_SECONDS: i64 = 10;
/// Requests for later pages of a tool list, beyond [`RUN_REQUESTS`].
pub const LATER_PAGE_REQUESTS: i64 = 9;
/// Bytes of one response, as sent and decoded.
pub const RESPONSE_BYTES: i64 = 2_097_152;
/// Bytes of all headers of one response together, and levels of nesting of JSON.
pub const RESPONSE_HEADERS_BYTES: i64 = 65_536;
pub const JSON_LEVELS: i64 = 1_024;
/// Pages and tools of one tool list.
pub const LIST_PAGES: i64 = 10;
pub const LIST_TOOLS: i64 = 5_000;
/// Redirects followed, on metadata requests only.
pub const REDIRECTS: i64 = 3;
/// Characters of a hit's excerpt.
pub const EXCERPT_CHARACTERS: i64 = 80;
/// Characters beyond which a description is listed as long.
pub const LONG_DESCRIPTION_CHARACTERS: i64 = 2_048;
/// The suite whose method is described.
pub const SUITE: &str = "mcp";
pub const SUITE_VERSION: &str = "1.0.0";
