//! What came back → what is sent next, and how the conversation ends.
//!
//! Here: the replies and the one way to hold a conversation; the cases stand in
//! the modules.

// Literals of `json!` read best where they are handed over.
#![allow(clippy::needless_pass_by_value)]

mod endings;
mod handshake;
mod sequence;
mod wall;

use bytes::Bytes;
use serde_json::{Value, json};
use touchstone_proto::observation::{
    Body, BodyEnd, Exchange, Failure, FailureKind, Header, Response, Step, StopKind,
};
use url::Url;

use super::{Mcp, Next};
use crate::exchange::{Method, Received, Request};

/// 2026-11-30T12:00:00Z.
const NOW_MS: i64 = 1_796_040_000_000;

/// One turn: what must be asked for, and what comes back.
type Turn<'a> = (&'a str, Received);

fn reply(status: u32, content_type: &str, body: &str) -> Received {
    let headers = [("content-type", content_type)]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| header(name, value))
        .collect();
    Received {
        exchanges: vec![Exchange {
            response: Some(Response {
                status,
                headers,
                body: Some(Body::default()),
                ..Response::default()
            }),
            ..Exchange::default()
        }],
        body: Bytes::copy_from_slice(body.as_bytes()),
        session_id: None,
    }
}

/// A stream in which the answer was found: its data.
fn answered(data: &str) -> Received {
    let mut received = reply(200, "text/event-stream", data);
    let response = received.exchanges[0].response.as_mut();
    let body = response.and_then(|response| response.body.as_mut());
    body.unwrap().set_end(BodyEnd::Answered);
    received
}

fn header(name: &str, value: &str) -> Header {
    Header {
        name: name.into(),
        value: value.into(),
        redacted: false,
    }
}

fn json_reply(status: u32, body: &Value) -> Received {
    reply(status, "application/json", &body.to_string())
}

fn result(id: impl Into<Value>, result: Value) -> Received {
    json_reply(
        200,
        &json!({"jsonrpc": "2.0", "id": id.into(), "result": result}),
    )
}

fn error(status: u32, code: i64, data: Value) -> Received {
    json_reply(
        status,
        &json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": "m", "data": data}}),
    )
}

fn with(mut received: Received, name: &str, value: &str) -> Received {
    let response = received.exchanges[0].response.as_mut().unwrap();
    response.headers.push(header(name, value));
    received
}

fn session(mut received: Received, id: &str) -> Received {
    received.session_id = Some(id.into());
    received
}

fn failure(kind: FailureKind) -> Received {
    let mut received = reply(0, "", "");
    received.exchanges[0].response = None;
    received.exchanges[0].failure = Some(Failure {
        kind: kind.into(),
        rule: String::new(),
    });
    received
}

/// A response whose status was read and whose body was not.
fn broken(mut received: Received, kind: FailureKind) -> Received {
    received.exchanges[0].failure = failure(kind).exchanges[0].failure.clone();
    received
}

fn discovered(versions: &[&str]) -> Received {
    result(
        "d1",
        json!({"supportedVersions": versions, "capabilities": {}, "resultType": "complete"}),
    )
}

fn initialized(revision: &str) -> Received {
    result(
        1,
        json!({"protocolVersion": revision, "capabilities": {},
               "serverInfo": {"name": "s", "version": "1"}}),
    )
}

fn tools(names: &[&str], next: Value) -> Received {
    let tools: Vec<Value> = names
        .iter()
        .map(|name| json!({"name": name, "inputSchema": {"type": "object"}}))
        .collect();
    result("t1", json!({"tools": tools, "nextCursor": next}))
}

fn list() -> Received {
    tools(&["a", "b"], Value::Null)
}

fn no_such_tool() -> Received {
    error(200, -32_602, Value::Null)
}

fn accepted() -> Received {
    reply(202, "", "")
}

fn wall() -> Received {
    walled(401)
}

fn walled(status: u32) -> Received {
    with(
        reply(status, "application/json", r#"{"error":"invalid_token"}"#),
        "www-authenticate",
        r#"Bearer resource_metadata="https://h.example/prm""#,
    )
}

/// In one word, what a request is for.
fn word(request: &Request) -> String {
    let name = match request.step {
        Step::Discover => "discover",
        Step::Initialize => "initialize",
        Step::Initialized => "initialized",
        Step::ListTools => return format!("list {}", request.page),
        Step::CallUnknownTool => "call",
        Step::ResourceMetadata => return format!("prm {}", request.url.path()),
        Step::ServerMetadata => return format!("as {}", request.url.path()),
        Step::EndSession => "delete",
        Step::Unspecified => "unspecified",
    };
    name.to_owned()
}

impl Request {
    fn sent(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(header, _)| *header == name);
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "{name} is sent twice");
        value
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

struct Held {
    requests: Vec<Request>,
    mcp: Mcp,
}

impl Held {
    fn stop(&self) -> Option<(StopKind, u32, u32)> {
        let stop = self.mcp.stop_reason()?;
        Some((stop.kind(), stop.exchange, stop.retry_after_s))
    }
}

/// Holds the conversation and checks each step; nothing may be left unsaid.
fn hold(case: &str, steps: Vec<Turn<'_>>) -> Held {
    let mut mcp = Mcp::new(Url::parse("https://h.example/mcp").unwrap());
    let mut requests = Vec::new();
    for (expected, received) in steps {
        match mcp.what_next() {
            Next::Send(request) => {
                assert_eq!(word(&request), expected, "{case}");
                always(&request);
                requests.push(request);
            }
            Next::Done => panic!("{case}: done, expected {expected}"),
        }
        mcp.feed(&received, NOW_MS);
    }
    if let Next::Send(request) = mcp.what_next() {
        panic!("{case}: {} is sent, expected the end", word(&request));
    }
    Held { requests, mcp }
}

/// What holds for every request.
fn always(request: &Request) {
    for forbidden in [
        "authorization",
        "origin",
        "cookie",
        "accept-encoding",
        "last-event-id",
    ] {
        assert_eq!(request.sent(forbidden), None);
    }
    match request.method {
        Method::Post => {
            assert_eq!(request.url.as_str(), "https://h.example/mcp");
            assert_eq!(request.sent("content-type"), Some("application/json"));
            assert_eq!(
                request.sent("accept"),
                Some("application/json, text/event-stream")
            );
            assert_eq!(request.json()["jsonrpc"], "2.0");
        }
        Method::Get => {
            assert!(matches!(
                request.step,
                Step::ResourceMetadata | Step::ServerMetadata
            ));
            assert!(request.sent("mcp-session-id").is_none());
        }
        Method::Delete => assert_eq!(request.step, Step::EndSession),
    }
}

fn list_with_status(status: u32) -> Received {
    let mut received = list();
    received.exchanges[0].response.as_mut().unwrap().status = status;
    received
}

/// A 401 anywhere has the well-known places tried.
fn metadata_after(received: &Received) -> Vec<Turn<'static>> {
    if received.status() != Some(401) {
        return Vec::new();
    }
    vec![
        (
            "prm /.well-known/oauth-protected-resource/mcp",
            reply(404, "", ""),
        ),
        (
            "prm /.well-known/oauth-protected-resource",
            reply(403, "", ""),
        ),
    ]
}
