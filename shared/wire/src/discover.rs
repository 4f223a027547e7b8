//! The answer to `server/discover`: which era does this server speak?
//! (Specification pages `2026-07-28/server/discover`,
//! `2026-07-28/basic/versioning` and `.../transports/streamable-http`.)
//!
//! A success counts only where it is due, on a 2xx; a modern protocol error
//! counts on any status but 429. What is neither leads to `initialize`.

use touchstone_canonical::Value;

use crate::jsonrpc::Answer;
use crate::revision::{MODERN, is_legacy};
use crate::server::ServerInfo;

/// Revisions kept of a list.
pub const LISTED_LIMIT: usize = 64;

/// Bytes of one listed revision; what is longer is no revision and is left out.
pub const REVISION_LIMIT: usize = 32;

/// Header fields disagree with the body, or are missing.
pub const HEADER_MISMATCH: i64 = -32_020;
/// The request needs a capability that the client did not declare.
pub const MISSING_CAPABILITY: i64 = -32_021;
/// The revision is unknown or refused.
pub const UNSUPPORTED_VERSION: i64 = -32_022;

/// What the answer to `server/discover` says about the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Discovery {
    /// It accepted the revision offered and lists it.
    Modern(Discovered),
    /// It knows `server/discover` but lists no revision of the modern era, and
    /// at least one older one: go on with `initialize`.
    LegacyOnly(Discovered),
    /// It lists neither the revision offered nor an older one.
    Unknown(Discovered),
    /// A modern server that refused: no fallback.
    Refused { code: i64, supported: Vec<String> },
    /// Any other 2xx or 4xx: go on with `initialize`.
    NotModern,
    /// 429, or neither 2xx nor 4xx, and no modern error: the handshake ends here.
    HttpStatus,
}

/// A discover result.
#[derive(Clone, Debug, PartialEq)]
pub struct Discovered {
    /// The whole list in the server's order, which has no meaning.
    pub supported: Vec<String>,
    pub server: Option<ServerInfo>,
    pub deviations: Vec<Deviation>,
}

/// How a discover result strays from the schema of 2026-07-28.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deviation {
    /// An entry of `supportedVersions` is no string.
    VersionNotString,
    /// `capabilities` is missing or no object.
    Capabilities,
    /// `resultType` is missing.
    ResultTypeMissing,
    /// `resultType` is anything but `complete`.
    ResultType,
    /// `ttlMs` is missing or no integer from 0 up.
    TtlMs,
    /// `cacheScope` is missing or neither `public` nor `private`.
    CacheScope,
    /// `serverInfo` at the top level, where drafts before release had it.
    ServerInfoTopLevel,
    /// `serverInfo` is nowhere, or lacks name or version.
    ServerInfo,
}

impl Deviation {
    /// The stable key of this deviation.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::VersionNotString => "version_not_string",
            Self::Capabilities => "capabilities",
            Self::ResultTypeMissing => "result_type_missing",
            Self::ResultType => "result_type",
            Self::TtlMs => "ttl_ms",
            Self::CacheScope => "cache_scope",
            Self::ServerInfoTopLevel => "server_info_top_level",
            Self::ServerInfo => "server_info",
        }
    }

    /// Whether the released schema requires it. `serverInfo` it only advises,
    /// and an absent `resultType` a client must read as `complete`.
    pub fn is_violation(self) -> bool {
        !matches!(
            self,
            Self::ServerInfo | Self::ServerInfoTopLevel | Self::ResultTypeMissing
        )
    }
}

/// Reads the answer to `server/discover`. `answer` is `None` when the body held
/// no JSON-RPC response.
pub fn classify(status: u16, answer: Option<&Answer>) -> Discovery {
    if status == 429 {
        return Discovery::HttpStatus;
    }
    if let Some(error) = answer.and_then(Answer::error)
        && let Some(code) = error.code.filter(|code| is_modern_error(*code))
    {
        let supported = error.supported();
        return Discovery::Refused { code, supported };
    }
    match status {
        200..=299 => answer
            .and_then(Answer::result)
            .and_then(discovered)
            .unwrap_or(Discovery::NotModern),
        400..=499 => Discovery::NotModern,
        _ => Discovery::HttpStatus,
    }
}

/// Whether the code is one that only servers of the modern era send.
pub fn is_modern_error(code: i64) -> bool {
    matches!(code, UNSUPPORTED_VERSION..=HEADER_MISMATCH)
}

/// `None` when the result lists no revision at all: it is no discover result.
fn discovered(result: &Value) -> Option<Discovery> {
    let versions = result.get("supportedVersions")?.as_array()?;
    let has = |test: &dyn Fn(&str) -> bool| versions.iter().filter_map(Value::as_str).any(test);
    let form: fn(Discovered) -> Discovery = if has(&|version| version == MODERN) {
        Discovery::Modern
    } else if has(&is_legacy) {
        Discovery::LegacyOnly
    } else if has(&|_| true) {
        Discovery::Unknown
    } else {
        return None;
    };
    let (server, deviations) = envelope(result, versions);
    Some(form(Discovered {
        supported: listed(versions),
        server,
        deviations,
    }))
}

fn envelope(result: &Value, versions: &[Value]) -> (Option<ServerInfo>, Vec<Deviation>) {
    let mut deviations = Vec::new();
    if versions.iter().any(|version| version.as_str().is_none()) {
        deviations.push(Deviation::VersionNotString);
    }
    if result
        .get("capabilities")
        .and_then(Value::as_object)
        .is_none()
    {
        deviations.push(Deviation::Capabilities);
    }
    deviations.extend(list_envelope(result));
    let proper = result
        .get("_meta")
        .and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
    let draft = result.get("serverInfo");
    if proper.is_none() && draft.is_some() {
        deviations.push(Deviation::ServerInfoTopLevel);
    }
    let server = proper.or(draft).and_then(ServerInfo::read);
    if !server.as_ref().is_some_and(ServerInfo::is_complete) {
        deviations.push(Deviation::ServerInfo);
    }
    (server, deviations)
}

/// What 2026-07-28 asks of every cacheable result (page `server/utilities/caching`).
pub(crate) fn list_envelope(result: &Value) -> Vec<Deviation> {
    let mut deviations = Vec::new();
    match result.get("resultType").map(Value::as_str) {
        Some(Some("complete")) => {}
        Some(_) => deviations.push(Deviation::ResultType),
        None => deviations.push(Deviation::ResultTypeMissing),
    }
    let ttl = result.get("ttlMs").and_then(Value::as_i64);
    if ttl.is_none_or(|ttl| ttl < 0) {
        deviations.push(Deviation::TtlMs);
    }
    let scope = result.get("cacheScope").and_then(Value::as_str);
    if !matches!(scope, Some("public" | "private")) {
        deviations.push(Deviation::CacheScope);
    }
    deviations
}

/// The revisions of a list that can be ones, bounded.
pub(crate) fn listed(versions: &[Value]) -> Vec<String> {
    versions
        .iter()
        .filter_map(Value::as_str)
        .filter(|version| version.len() <= REVISION_LIMIT)
        .take(LISTED_LIMIT)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonrpc::{Id, read_answer};

    /// The era, what was listed, and the deviations, in one line.
    fn line(status: u16, body: &str) -> String {
        let reading = read_answer(body.as_bytes(), &Id::from("d1")).ok();
        let found = |era: &str, found: Discovered| {
            let deviations = found.deviations.iter().map(|one| one.as_str());
            let listed = found.supported.iter().map(|one| &one[..]);
            let words: Vec<&str> = [era].into_iter().chain(listed).chain(deviations).collect();
            words.join(" ")
        };
        match classify(status, reading.as_ref().map(|reading| &reading.answer)) {
            Discovery::Modern(one) => found("modern", one),
            Discovery::LegacyOnly(one) => found("legacy", one),
            Discovery::Unknown(one) => found("unknown", one),
            Discovery::Refused { code, supported } => format!("refused {code} {supported:?}"),
            Discovery::NotModern => String::from("initialize"),
            Discovery::HttpStatus => String::from("stop"),
        }
    }

    fn result(members: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":"d1","result":{{{members}}}}}"#)
    }

    fn error(code: &str, data: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},"message":"","data":{data}}}}}"#)
    }

    const REST: &str = r#""capabilities":{},"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}"#;

    #[test]
    fn the_status_and_the_answer_decide_together() {
        let modern = result(&format!(r#""supportedVersions":["2026-07-28"],{REST}"#));
        for (status, body, expected) in [
            (200, &modern[..], "modern 2026-07-28"),
            (202, &modern, "modern 2026-07-28"),
            (404, &modern, "initialize"),
            (500, &modern, "stop"),
            (302, &modern, "stop"),
            (429, &modern, "stop"),
            // Traps 19 to 22, 25: what is neither leads to initialize.
            (200, &error("-32601", "null"), "initialize"),
            (400, &error("-32000", "null"), "initialize"),
            (404, &error("-32601", "null"), "initialize"),
            (400, &error("\"E\"", "null"), "initialize"),
            (400, r#"{"error":"bad_request"}"#, "initialize"),
            (400, "Bad Request: missing session id", "initialize"),
            (200, "<html>", "initialize"),
            (204, "", "initialize"),
            // Trap 23: a wall is no era evidence; whoever calls keeps it apart.
            (401, r#"{"error":"invalid_token"}"#, "initialize"),
            (403, "", "initialize"),
            (503, "", "stop"),
            // Trap 24, and the codes on either side of the three.
            (400, &error("-32020", "null"), "refused -32020 []"),
            (200, &error("-32021", "{}"), "refused -32021 []"),
            (
                400,
                &error("-32022", r#"{"supported":["2027-01-01"]}"#),
                r#"refused -32022 ["2027-01-01"]"#,
            ),
            (500, &error("-32022", "7"), "refused -32022 []"),
            (429, &error("-32022", "7"), "stop"),
            (400, &error("-32019", "null"), "initialize"),
            (400, &error("-32023", "null"), "initialize"),
            // The numbers of drafts are no evidence.
            (400, &error("-32001", "null"), "initialize"),
            (400, &error("-32004", "null"), "initialize"),
        ] {
            assert_eq!(line(status, body), expected, "{status} {body}");
        }
    }

    #[test]
    fn the_list_decides_the_era_and_its_order_does_not() {
        for (versions, expected) in [
            // Trap 27: oldest first.
            (
                r#"["2024-11-05","2025-11-25","2026-07-28"]"#,
                "modern 2024-11-05 2025-11-25 2026-07-28",
            ),
            // Trap 26.
            (r#"["2025-11-25"]"#, "legacy 2025-11-25"),
            (r#"["2024-10-07"]"#, "legacy 2024-10-07"),
            (
                r#"["2027-01-01","2025-11-25"]"#,
                "legacy 2027-01-01 2025-11-25",
            ),
            (r#"["2027-01-01"]"#, "unknown 2027-01-01"),
            (r#"["draft"]"#, "unknown draft"),
            (
                r#"[7,"2026-07-28"]"#,
                "modern 2026-07-28 version_not_string",
            ),
            ("[]", "initialize"),
            ("[7]", "initialize"),
            (r#""2026-07-28""#, "initialize"),
            ("null", "initialize"),
        ] {
            let body = result(&format!(r#""supportedVersions":{versions},{REST}"#));
            assert_eq!(line(200, &body), expected, "{versions}");
        }
        let many = vec!["\"2024-11-05\""; 5_000].join(",");
        let body = result(&format!(
            r#""supportedVersions":[{many},"2026-07-28"],{REST}"#
        ));
        let text = line(200, &body);
        assert!(text.starts_with("modern "));
        assert_eq!(text.matches("2024-11-05").count(), LISTED_LIMIT);
    }

    #[test]
    fn deviations_are_noted_and_stop_nothing() {
        let listed = r#""supportedVersions":["2026-07-28"]"#;
        for (members, deviations) in [
            (
                "",
                "capabilities result_type_missing ttl_ms cache_scope server_info",
            ),
            (
                r#","capabilities":[],"resultType":"input_required","ttlMs":-1,"cacheScope":"all","serverInfo":{"name":"s","version":"1"}"#,
                "capabilities result_type ttl_ms cache_scope server_info_top_level",
            ),
            (
                r#","capabilities":{},"resultType":"complete","ttlMs":0.5,"cacheScope":"public","serverInfo":"s""#,
                "ttl_ms server_info_top_level server_info",
            ),
        ] {
            let body = result(&format!("{listed}{members}"));
            let expected = format!("modern 2026-07-28 {deviations}");
            assert_eq!(line(200, &body), expected, "{members}");
        }
    }
}
