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
