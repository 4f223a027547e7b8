//! The requests of a conversation, byte for byte.
//!
//! Headers beyond these are the transport's. `application/json` stands without
//! a `charset`, which strict servers refuse, and both answer types are accepted
//! in every POST, which servers insist on (page `basic/transports` of every
//! revision). Ids are strings in the modern era and integers before it, where
//! some servers cannot read strings.

use serde_json::{Value, json};
use touchstone_proto::observation::Step;
use touchstone_wire::jsonrpc::Id;
use touchstone_wire::{MODERN, PROBE_TOOL_NAME};
use url::Url;

use crate::exchange::{Method, Request};

/// The first revision that asks for `mcp-protocol-version` after `initialize`
/// (page `2025-06-18/basic/transports`). Revisions compare as text.
const FIRST_WITH_VERSION_HEADER: &str = "2025-06-18";

/// A request, and the id that its answer must carry, if one is due.
pub(super) type Message = (Request, Option<Id>);

/// What a legacy server agreed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Agreed {
    pub(super) revision: String,
    pub(super) session: Option<String>,
}

/// `server/discover` of 2026-07-28; `attempt` is 1 for the first.
pub(super) fn discover(endpoint: &Url, attempt: u32) -> Message {
    let id = format!("d{attempt}");
    let (step, params) = (Step::Discover, json!({}));
    modern(endpoint, step, 0, id, "server/discover", params)
}

/// One page of `tools/list`, modern era.
pub(super) fn list_modern(endpoint: &Url, page: u32, cursor: Option<&str>) -> Message {
    let id = format!("t{page}");
    modern(
        endpoint,
        Step::ListTools,
        page,
        id,
        "tools/list",
        cursor_params(cursor),
    )
}

/// A call of the one tool that nobody has, modern era.
pub(super) fn call_modern(endpoint: &Url) -> Message {
    let (step, id, params) = (Step::CallUnknownTool, "c1".into(), call_params());
    let (mut request, expects) = modern(endpoint, step, 0, id, "tools/call", params);
    request.headers.push(("mcp-name", PROBE_TOOL_NAME.into()));
    (request, expects)
}

/// `initialize`. It carries no `mcp-protocol-version`: some servers refuse one here.
pub(super) fn initialize(endpoint: &Url, id: i64, revision: &str) -> Message {
    let params = json!({
        "protocolVersion": revision,
        "capabilities": {},
        "clientInfo": client_info(),
    });
    let body = json!({"jsonrpc": "2.0", "id": id, "method": "initialize", "params": params});
    (post(endpoint, Step::Initialize, 0, &body), Some(id.into()))
}

/// `notifications/initialized`, to which no JSON-RPC answer is due.
pub(super) fn initialized(endpoint: &Url, agreed: &Agreed) -> Message {
    let body = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    (
        within(agreed, post(endpoint, Step::Initialized, 0, &body)),
        None,
    )
}

/// One page of `tools/list`, legacy era.
pub(super) fn list_legacy(
    endpoint: &Url,
    agreed: &Agreed,
    id: i64,
    page: u32,
    cursor: Option<&str>,
) -> Message {
    let params = cursor_params(cursor);
    let body = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": params});
    let request = post(endpoint, Step::ListTools, page, &body);
    (within(agreed, request), Some(id.into()))
}

/// A call of the one tool that nobody has, legacy era.
pub(super) fn call_legacy(endpoint: &Url, agreed: &Agreed, id: i64) -> Message {
    let params = call_params();
    let body = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
    let request = post(endpoint, Step::CallUnknownTool, 0, &body);
    (within(agreed, request), Some(id.into()))
}

/// Ends a session, so that nothing of ours stays on the server.
pub(super) fn end_session(endpoint: &Url, agreed: &Agreed) -> Message {
    let request = Request {
        step: Step::EndSession,
        page: 0,
        method: Method::Delete,
        url: endpoint.clone(),
        headers: Vec::new(),
        body: Vec::new(),
    };
    (within(agreed, request), None)
}

/// A metadata document.
pub(super) fn metadata(step: Step, url: Url) -> Message {
    let request = Request {
        step,
        page: 0,
        method: Method::Get,
        url,
        headers: vec![("accept", "application/json".into())],
        body: Vec::new(),
    };
    (request, None)
}

fn modern(
    endpoint: &Url,
    step: Step,
    page: u32,
    id: String,
    method: &str,
    mut params: Value,
) -> Message {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": client_info(),
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let mut request = post(endpoint, step, page, &body);
    request
        .headers
        .push(("mcp-protocol-version", MODERN.into()));
    request.headers.push(("mcp-method", method.into()));
    (request, Some(Id::Text(id)))
}

fn post(endpoint: &Url, step: Step, page: u32, body: &Value) -> Request {
    Request {
        step,
        page,
        method: Method::Post,
        url: endpoint.clone(),
        headers: vec![
            ("content-type", "application/json".into()),
            ("accept", "application/json, text/event-stream".into()),
        ],
        body: body.to_string().into_bytes(),
    }
}

/// With the headers that the agreed revision asks for.
fn within(agreed: &Agreed, mut request: Request) -> Request {
    if agreed.revision.as_str() >= FIRST_WITH_VERSION_HEADER {
        request
            .headers
            .push(("mcp-protocol-version", agreed.revision.clone()));
    }
    if let Some(session) = &agreed.session {
        request.headers.push(("mcp-session-id", session.clone()));
    }
    request
}

fn client_info() -> Value {
    json!({"name": "touchstone-probe", "version": crate::VERSION})
}

fn cursor_params(cursor: Option<&str>) -> Value {
    cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}))
}

fn call_params() -> Value {
    json!({"name": PROBE_TOOL_NAME, "arguments": {}})
}
