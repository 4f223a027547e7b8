//! The answer to `initialize` (specification page `2025-11-25/basic/lifecycle`).
//!
//! The revision is the string at `result.protocolVersion` of an HTTP 200
//! answer, and is read nowhere else.

use touchstone_canonical::Value;

use crate::discover::REVISION_LIMIT;
use crate::jsonrpc::Answer;
use crate::server::ServerInfo;

/// What the answer to `initialize` says.
#[derive(Clone, Debug, PartialEq)]
pub enum Initialized {
    /// The server named a revision. It is a claim: some echo whatever is offered.
    Accepted(Accepted),
    /// A result without a string at `protocolVersion`.
    NoRevision,
    /// A JSON-RPC error with status 200 or a 4xx. `supported` is what
    /// `data.supported` lists: see [`crate::revision::newest_legacy`].
    Refused {
        code: Option<i64>,
        supported: Vec<String>,
    },
    /// Status 200 and no JSON-RPC response.
    NotJsonRpc,
    /// Another status, and no JSON-RPC error that explains it.
    HttpStatus,
}

/// An accepted `initialize`.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepted {
    /// As the server wrote it, at most [`REVISION_LIMIT`] bytes.
    pub revision: String,
    pub server: Option<ServerInfo>,
    pub deviations: Vec<Deviation>,
}

/// How an initialize result strays from the schema, the same in every legacy revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deviation {
    /// `capabilities` is missing or no object.
    Capabilities,
    /// `serverInfo` is missing, or lacks name or version.
    ServerInfo,
}

impl Deviation {
    /// The stable key of this deviation.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Capabilities => "capabilities",
            Self::ServerInfo => "server_info",
        }
    }
}

/// Reads the answer to `initialize`. `answer` is `None` when the body held no
/// JSON-RPC response.
pub fn read(status: u16, answer: Option<&Answer>) -> Initialized {
    match (status, answer) {
        (200, None) => Initialized::NotJsonRpc,
        (200, Some(Answer::Result(result))) => accepted(result),
        (200 | 400..=499, Some(Answer::Error(error))) => Initialized::Refused {
            code: error.code,
            supported: error.supported(),
        },
        _ => Initialized::HttpStatus,
    }
}

fn accepted(result: &Value) -> Initialized {
    let Some(revision) = result.get("protocolVersion").and_then(Value::as_str) else {
        return Initialized::NoRevision;
    };
    let mut deviations = Vec::new();
    if result
        .get("capabilities")
        .and_then(Value::as_object)
        .is_none()
    {
        deviations.push(Deviation::Capabilities);
    }
    let server = result.get("serverInfo").and_then(ServerInfo::read);
    if !server.as_ref().is_some_and(ServerInfo::is_complete) {
        deviations.push(Deviation::ServerInfo);
    }
    let end = revision.floor_char_boundary(REVISION_LIMIT);
    Initialized::Accepted(Accepted {
        revision: revision[..end].to_owned(),
        server,
        deviations,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonrpc::{Id, read_answer};

    fn line(status: u16, body: &str) -> String {
        let reading = read_answer(body.as_bytes(), &Id::from(1)).ok();
        match read(status, reading.as_ref().map(|reading| &reading.answer)) {
            Initialized::Accepted(one) => {
                let deviations = one.deviations.iter().map(|one| one.as_str());
                let words: Vec<&str> = [&one.revision[..]].into_iter().chain(deviations).collect();
                words.join(" ")
            }
            Initialized::NoRevision => String::from("no revision"),
            Initialized::Refused { code, supported } => format!("refused {code:?} {supported:?}"),
            Initialized::NotJsonRpc => String::from("not JSON-RPC"),
            Initialized::HttpStatus => String::from("status"),
        }
    }

    #[test]
    fn the_revision_is_read_in_one_place_only() {
        let result = |members: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{members}}}"#);
        let good = result(
            r#"{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#,
        );
        let refused = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"","data":{"supported":["2025-06-18"]}}}"#;
        for (status, body, expected) in [
            (200, &good[..], "2025-06-18"),
            (201, &good, "status"),
            (202, &good, "status"),
            (400, &good, "status"),
            (500, &good, "status"),
            // Whatever it says is recorded; whether it is known is judged later.
            (
                200,
                &result(r#"{"protocolVersion":"2099-01-01"}"#),
                "2099-01-01 capabilities server_info",
            ),
            (
                200,
                &result(r#"{"protocolVersion":"x","capabilities":{},"serverInfo":{"name":"s"}}"#),
                "x server_info",
            ),
            (
                200,
                &result(r#"{"protocolVersion":20250618}"#),
                "no revision",
            ),
            (
                200,
                &result(r#"{"_meta":{"protocolVersion":"2025-06-18"}}"#),
                "no revision",
            ),
            (200, &result(r#""2025-06-18""#), "no revision"),
            (200, r#"{"protocolVersion":"2025-06-18"}"#, "not JSON-RPC"),
            (200, "", "not JSON-RPC"),
            (401, "", "status"),
            // Trap 35.
            (400, refused, r#"refused Some(-32602) ["2025-06-18"]"#),
            (200, refused, r#"refused Some(-32602) ["2025-06-18"]"#),
            (503, refused, "status"),
        ] {
            assert_eq!(line(status, body), expected, "{status} {body}");
        }
        let long = result(&format!(r#"{{"protocolVersion":"{}"}}"#, "é".repeat(1_000)));
        let Initialized::Accepted(accepted) = read(
            200,
            read_answer(long.as_bytes(), &Id::from(1))
                .ok()
                .map(|r| r.answer)
                .as_ref(),
        ) else {
            panic!("accepted");
        };
        assert_eq!(accepted.revision, "é".repeat(REVISION_LIMIT / 2));
    }
}
