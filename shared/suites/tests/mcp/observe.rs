//! Builds observations the way an agent records them, a line an exchange, and
//! compares what an evaluation says with what the specification wants.

use std::fmt::Write as _;

use prost::Message as _;
use sha2::{Digest as _, Sha256};
use touchstone_proto::Recorded;
use touchstone_proto::observation::{
    Body, BodyEnd, EndpointSource, Exchange, Failure, FailureKind, Framing, Header, Observation,
    Response, Run, SignedObservation, SseNote, Step, Stop, StopKind, Tls, TlsVerdict,
};
use touchstone_suites::{Evaluation, Param, Signing, evaluate};

pub(crate) const ENDPOINT: &str = "https://mcp.example/mcp";
/// 2026-11-30T12:00:00Z.
pub(crate) const STARTED_MS: i64 = 1_796_040_000_000;
pub(crate) const DAY_S: i64 = 86_400;

/// One run in the making.
#[derive(Clone, Debug)]
pub(crate) struct Observe {
    pub(crate) observation: Observation,
    pub(crate) bodies: Vec<Vec<u8>>,
    plain: bool,
}

/// What an exchange came to.
#[derive(Clone, Default)]
pub(crate) struct Reply {
    status: u32,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    framing: Framing,
    notes: Vec<SseNote>,
    answered: bool,
    failure: Option<Failure>,
    headers_us: u64,
    tls: Option<Tls>,
}

pub(crate) fn reply(status: u32, content_type: &str, body: impl Into<Vec<u8>>) -> Reply {
    let body = body.into();
    let framing = match content_type {
        _ if body.is_empty() => Framing::Empty,
        "application/json" => Framing::Json,
        "text/event-stream" => Framing::Sse,
        _ => Framing::Other,
    };
    let reply = Reply {
        status,
        body,
        framing,
        headers_us: 40_000,
        ..Reply::default()
    };
    match content_type {
        "" => reply,
        named => reply.header("content-type", named),
    }
}

pub(crate) fn json(status: u32, body: &str) -> Reply {
    reply(status, "application/json", body)
}

/// A JSON-RPC result with the id that every request here carries.
pub(crate) fn result(result: &str) -> Reply {
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
    json(200, &body)
}

pub(crate) fn error(status: u32, code: i64) -> Reply {
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"no"}}}}"#);
    json(status, &body)
}

pub(crate) fn html(status: u32, body: &str) -> Reply {
    reply(status, "text/html; charset=utf-8", body)
}

pub(crate) fn empty(status: u32) -> Reply {
    reply(status, "", "")
}

/// 401 with this challenge.
pub(crate) fn wall(challenge: &str) -> Reply {
    json(401, r#"{"error":"unauthorized"}"#).header("www-authenticate", challenge)
}

/// No response at all.
pub(crate) fn fails(kind: FailureKind) -> Reply {
    Reply::default().broken(kind)
}

impl Reply {
    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn broken(mut self, kind: FailureKind) -> Self {
        self.failure = Some(Failure {
            kind: kind.into(),
            rule: String::new(),
        });
        self
    }

    pub(crate) fn rule(mut self, rule: &str) -> Self {
        if let Some(failure) = &mut self.failure {
            rule.clone_into(&mut failure.rule);
        }
        self
    }

    pub(crate) fn note(mut self, note: SseNote) -> Self {
        self.notes.push(note);
        self
    }

    /// The body is the data of the event that answered, as an agent keeps it.
    pub(crate) fn answered(mut self) -> Self {
        self.answered = true;
        self
    }

    pub(crate) fn took_us(mut self, us: u64) -> Self {
        self.headers_us = us;
        self
    }

    /// A certificate valid from and to these days from the run's start.
    pub(crate) fn tls(mut self, verdict: TlsVerdict, from_day: i64, to_day: i64) -> Self {
        self.tls = Some(certificate(verdict, from_day, to_day));
        self
    }

    fn response(&self) -> Option<Response> {
        (self.status > 0).then(|| Response {
            status: self.status,
            http_version: "1.1".to_owned(),
            headers: self
                .headers
                .iter()
                .map(|(name, value)| Header {
                    name: (*name).to_owned(),
                    value: value.clone(),
                    redacted: false,
                })
                .collect(),
            body: Some(Body {
                kept_sha256: Sha256::digest(&self.body).to_vec(),
                kept_size: self.body.len() as u64,
                read_sha256: Sha256::digest(&self.body).to_vec(),
                read_size: self.body.len() as u64,
                wire_size: self.body.len() as u64,
                end: if self.answered {
                    BodyEnd::Answered.into()
                } else {
                    BodyEnd::Complete.into()
                },
                framing: self.framing.into(),
                sse_notes: self.notes.iter().map(|note| (*note).into()).collect(),
            }),
        })
    }
}

fn certificate(verdict: TlsVerdict, from_day: i64, to_day: i64) -> Tls {
    Tls {
        verdict: verdict.into(),
        version: "1.3".to_owned(),
        not_before_s: STARTED_MS / 1_000 + from_day * DAY_S,
        not_after_s: STARTED_MS / 1_000 + to_day * DAY_S,
        ..Tls::default()
    }
}

impl Observe {
    pub(crate) fn at(url: &str) -> Self {
        Self {
            observation: Observation {
                format: 1,
                run: Some(Run {
                    run_id: "r".to_owned(),
                    suite: "mcp".to_owned(),
                    endpoint_url: url.to_owned(),
                    endpoint_source: EndpointSource::Operator.into(),
                    started_at_ms: STARTED_MS,
                    finished_at_ms: STARTED_MS + 900,
                    offered_revision: "2026-07-28".to_owned(),
                    ..Run::default()
                }),
                ..Observation::default()
            },
            bodies: Vec::new(),
            plain: url.starts_with("http:"),
        }
    }

    pub(crate) fn new() -> Self {
        Self::at(ENDPOINT)
    }

    pub(crate) fn discover(self, reply: Reply) -> Self {
        self.post(Step::Discover, 0, "server/discover", reply)
    }

    pub(crate) fn initialize(mut self, reply: Reply) -> Self {
        if let Some(run) = &mut self.observation.run {
            "2025-11-25".clone_into(&mut run.offered_revision);
        }
        self.post(Step::Initialize, 0, "initialize", reply)
    }

    pub(crate) fn acknowledge(self, reply: Reply) -> Self {
        let body = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let url = self.url();
        self.exchange(Step::Initialized, 0, "POST", &url, body, reply)
    }

    /// The next page of the list.
    pub(crate) fn list(self, reply: Reply) -> Self {
        let pages = self.observation.exchanges.iter();
        let page = pages.filter(|e| e.step() == Step::ListTools).count() + 1;
        let page = u32::try_from(page).unwrap();
        self.post(Step::ListTools, page, "tools/list", reply)
    }

    /// The first page again, after a session begun anew.
    pub(crate) fn list_anew(self, reply: Reply) -> Self {
        self.post(Step::ListTools, 1, "tools/list", reply)
    }

    pub(crate) fn call(self, reply: Reply) -> Self {
        self.call_of(touchstone_wire::PROBE_TOOL_NAME, reply)
    }

    pub(crate) fn call_of(self, name: &str, reply: Reply) -> Self {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}"}}}}"#
        );
        let url = self.url();
        self.exchange(Step::CallUnknownTool, 0, "POST", &url, &body, reply)
    }

    pub(crate) fn resource(self, url: &str, reply: Reply) -> Self {
        self.exchange(Step::ResourceMetadata, 0, "GET", url, "", reply)
    }

    pub(crate) fn server(self, url: &str, reply: Reply) -> Self {
        self.exchange(Step::ServerMetadata, 0, "GET", url, "", reply)
    }

    /// A redirect followed from the exchange before.
    pub(crate) fn hop(mut self, url: &str, reply: Reply) -> Self {
        let last = self.observation.exchanges.last().unwrap().clone();
        self = self.exchange(last.step(), 0, "GET", url, "", reply);
        let exchange = self.observation.exchanges.last_mut().unwrap();
        exchange.hop = last.hop + 1;
        self
    }

    pub(crate) fn end_session(self, reply: Reply) -> Self {
        let url = self.url();
        self.exchange(Step::EndSession, 0, "DELETE", &url, "", reply)
    }

    /// The last exchange ended the run.
    pub(crate) fn stop(mut self, kind: StopKind, retry_after_s: u32) -> Self {
        let last = self.observation.exchanges.len().saturating_sub(1);
        self.observation.stop = Some(Stop {
            kind: kind.into(),
            exchange: u32::try_from(last).unwrap(),
            retry_after_s,
        });
        self
    }

    pub(crate) fn record(&self) -> Recorded {
        let mut bodies = self.bodies.clone();
        bodies.sort();
        bodies.dedup();
        Recorded::open(&SignedObservation {
            observation: self.observation.encode_to_vec(),
            bodies: bodies.into_iter().map(Into::into).collect(),
            ..SignedObservation::default()
        })
        .expect("an observation that fits together")
    }

    pub(crate) fn evaluate(&self) -> Evaluation {
        evaluate(&self.record(), None)
    }

    fn url(&self) -> String {
        self.observation.run.as_ref().unwrap().endpoint_url.clone()
    }

    fn post(self, step: Step, page: u32, method: &str, reply: Reply) -> Self {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{}}}}"#);
        let url = self.url();
        self.exchange(step, page, "POST", &url, &body, reply)
    }

    fn exchange(
        mut self,
        step: Step,
        page: u32,
        method: &str,
        url: &str,
        request: &str,
        reply: Reply,
    ) -> Self {
        let tls = || certificate(TlsVerdict::Valid, -10, 90);
        let connected = reply.status > 0;
        self.observation.exchanges.push(Exchange {
            step: step.into(),
            page,
            method: method.to_owned(),
            url: url.to_owned(),
            request_body: request.as_bytes().to_vec(),
            tls: reply
                .tls
                .clone()
                .or_else(|| (connected && !self.plain).then(tls)),
            headers_us: reply.headers_us,
            response: reply.response(),
            failure: reply.failure,
            ..Exchange::default()
        });
        if !reply.body.is_empty() {
            self.bodies.push(reply.body);
        }
        self
    }
}

/// Holds an evaluation against lines of the form
/// `check STATE execution key name=value …` and `signing full|limited|key`.
/// Checks that no line names are left alone.
pub(crate) fn expect(name: &str, evaluation: &Evaluation, lines: &str) {
    let said: Vec<String> = evaluation.assertions.iter().map(line).collect();
    for wanted in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let check = wanted.split(' ').next().unwrap();
        let found = match check {
            "signing" => signing(evaluation),
            _ => said
                .iter()
                .find(|line| line.split(' ').next() == Some(check))
                .unwrap_or_else(|| panic!("{name}: no check {check}"))
                .clone(),
        };
        assert_eq!(found, wanted, "{name}\nin full:\n{}", said.join("\n"));
    }
}

pub(crate) fn line(assertion: &touchstone_suites::Assertion) -> String {
    let mut line = format!(
        "{} {} {} {}",
        assertion.check.as_str(),
        assertion.state.as_str(),
        assertion.execution.as_str(),
        assertion.reason.key().as_str()
    );
    for (name, value) in assertion.reason.params() {
        match value {
            Param::Number(number) => write!(line, " {name}={number}").unwrap(),
            Param::Word(word) => write!(line, " {name}={word}").unwrap(),
        }
    }
    line
}

fn signing(evaluation: &Evaluation) -> String {
    let word = match evaluation.signing {
        Signing::Full => "full",
        Signing::Limited => "limited",
        Signing::None(key) => key.as_str(),
    };
    format!("signing {word}")
}

pub(crate) const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],
    "capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private",
    "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"srv","version":"1.0"}}}"#;
pub(crate) const INITIALIZED: &str = r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},
    "serverInfo":{"name":"srv","version":"1.0"}}"#;
pub(crate) const TOOLS: &str = r#"{"resultType":"complete","ttlMs":0,"cacheScope":"public",
    "tools":[{"name":"add","description":"Adds.","inputSchema":{"type":"object"}},
    {"name":"sub","inputSchema":{"type":"object"}}]}"#;
pub(crate) const NOT_ACCEPTED: &str =
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"not initialized"}}"#;

/// A modern server up to its handshake.
pub(crate) fn modern() -> Observe {
    Observe::new().discover(result(DISCOVERED))
}

/// A legacy server up to its `initialize`.
pub(crate) fn fallen_back() -> Observe {
    Observe::new().discover(json(400, NOT_ACCEPTED))
}

/// A legacy server up to its handshake.
pub(crate) fn legacy() -> Observe {
    fallen_back()
        .initialize(result(INITIALIZED))
        .acknowledge(empty(202))
}

/// An open server, asked all there is to ask.
pub(crate) fn open() -> Observe {
    modern().list(result(TOOLS)).call(error(200, -32_602))
}

impl Observe {
    pub(crate) fn digest(body: &[u8]) -> Vec<u8> {
        Sha256::digest(body).to_vec()
    }
}

/// Bodies that get a conversation somewhere, for arbitrary records.
pub(crate) const BODIES: [&str; 16] = [
    "",
    r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2025-06-18"],"capabilities":{}}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{}}]}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"b"}],"nextCursor":"1"}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"\ud800","description":"\u202e"},null]}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"__touchstone_probe_no_such_tool__"}]}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{"isError":true}}"#,
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"m"}}"#,
    r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m"}}"#,
    "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}",
    r#"{"resource":"https://mcp.example/mcp","authorization_servers":["https://as.example"]}"#,
    r#"{"issuer":"https://as.example"}"#,
    "<html><script>_cf_chl_opt</script>",
];

pub(crate) const HEADERS: [(&str, &str); 12] = [
    ("content-type", "application/json"),
    ("content-type", "application/json"),
    ("content-type", "text/event-stream"),
    ("content-type", "text/html"),
    ("www-authenticate", "Bearer"),
    (
        "www-authenticate",
        r#"Bearer resource_metadata="https://mcp.example/prm""#,
    ),
    ("www-authenticate", "?"),
    ("retry-after", "5"),
    ("location", "https://other.example/"),
    ("location", "\u{0}"),
    ("cf-mitigated", "challenge"),
    ("mcp-session-id", ""),
];
