//! One server of the corpus: a healthy base, what is changed of it, the
//! misjudgement that it guards against and what must be said of it.

use touchstone_suites::registry::CheckId;

use super::expect::{Expect, Outcome, Signing};
use super::reply::Reply;
use super::server::{Guard, On, Request, Script};
use crate::support::hostile::Certificate;

/// Of the healthy servers.
pub const TOOL: &str = r#"{"name":"echo","description":"Returns its text.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}"#;

/// What every result of the modern era carries.
pub const ENVELOPE: &str = r#""resultType":"complete","ttlMs":0,"cacheScope":"public""#;

#[derive(Clone, Debug)]
pub struct Case {
    pub id: &'static str,
    /// Of the research notes on real servers, 1 to 58; see the table.
    pub traps: &'static [u8],
    pub against: &'static str,
    pub script: Script,
    pub expect: Expect,
    /// It uses up the whole run.
    pub slow: bool,
    /// Over TLS, with this certificate.
    pub tls: Option<Certificate>,
}

/// A healthy server of 2026-07-28.
pub fn modern(id: &'static str, traps: &'static [u8], against: &'static str) -> Case {
    Case::new(id, traps, against, Expect::modern())
        .on(On::Discover, discovers(r#"["2026-07-28"]"#))
        .on(On::List, Reply::result(&page(&[TOOL], "")))
        .on(On::Call, unknown_tool())
        .guard(keeps_to_modern)
}

/// A healthy server of 2025-11-25 that keeps sessions and insists on them.
pub fn legacy(id: &'static str, traps: &'static [u8], against: &'static str) -> Case {
    Case::new(id, traps, against, Expect::legacy())
        .on(On::Discover, Reply::of(400, "text/plain", "Bad Request"))
        .on(On::Initialize, initializes("2025-11-25"))
        .on(On::Initialized, Reply::status(202))
        .on(On::List, Reply::result(&legacy_page(&[TOOL], "")))
        .on(On::Call, unknown_tool())
        .on(On::Delete, Reply::status(204))
        .guard(keeps_session)
}

/// One reply to every POST.
pub fn always(
    id: &'static str,
    traps: &'static [u8],
    against: &'static str,
    reply: &Reply,
) -> Case {
    [
        On::Discover,
        On::Initialize,
        On::Initialized,
        On::List,
        On::Call,
    ]
    .into_iter()
    .fold(
        Case::new(id, traps, against, Expect::legacy()),
        |case, on| case.on(on, reply.clone()),
    )
}

pub fn discovers(versions: &str) -> Reply {
    Reply::result(&format!(
        r#"{{"supportedVersions":{versions},"capabilities":{{"tools":{{}}}},{ENVELOPE},"_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"corpus","version":"1"}}}}}}"#
    ))
}

pub fn initializes(revision: &str) -> Reply {
    Reply::result(&format!(
        r#"{{"protocolVersion":"{revision}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"corpus","version":"1"}}}}"#
    ))
    .header("mcp-session-id", "s-1")
}

/// A page of the modern era. `more`: members after the tools, comma first.
pub fn page(tools: &[&str], more: &str) -> String {
    format!(r#"{{"tools":[{}],{ENVELOPE}{more}}}"#, tools.join(","))
}

pub fn legacy_page(tools: &[&str], more: &str) -> String {
    format!(r#"{{"tools":[{}]{more}}}"#, tools.join(","))
}

/// A tool with this name.
pub fn named(name: &str) -> String {
    format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#)
}

pub fn unknown_tool() -> Reply {
    Reply::error(200, r#"{"code":-32602,"message":"Unknown tool"}"#)
}

impl Case {
    fn new(id: &'static str, traps: &'static [u8], against: &'static str, expect: Expect) -> Self {
        Self {
            id,
            traps,
            against,
            script: Script::default(),
            expect,
            slow: false,
            tls: None,
        }
    }

    /// The only reply there.
    pub fn on(mut self, on: On, reply: Reply) -> Self {
        self.script.replies.insert(on, vec![reply]);
        self
    }

    /// Replies in turn; the last one stays.
    pub fn turns(mut self, on: On, replies: Vec<Reply>) -> Self {
        self.script.replies.insert(on, replies);
        self
    }

    pub fn guard(mut self, guard: Guard) -> Self {
        self.script.guards.push(guard);
        self
    }

    pub fn lenient(mut self) -> Self {
        self.script.guards.clear();
        self
    }

    pub fn expect(mut self, expect: Expect) -> Self {
        self.expect = expect;
        self
    }

    pub fn with(mut self, check: CheckId, outcome: Outcome) -> Self {
        self.expect = self.expect.with(check, outcome);
        self
    }

    pub fn signed(mut self, signing: Signing) -> Self {
        self.expect = self.expect.signed(signing);
        self
    }

    pub fn asked(mut self, asked: &'static str) -> Self {
        self.expect = self.expect.asked(asked);
        self
    }

    pub fn over_tls(mut self, certificate: Certificate) -> Self {
        self.tls = Some(certificate);
        self
    }

    pub fn slow(mut self) -> Self {
        self.slow = true;
        self
    }
}

/// Every request of the modern era says so in headers that agree with its body
/// (page `2026-07-28/basic/transports/streamable-http`).
fn keeps_to_modern(request: &Request) -> Option<Reply> {
    let method = request.body["method"].as_str();
    let version = &request.body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
    let fits = request.method != "POST"
        || request.header("mcp-method") == method
            && request.header("mcp-protocol-version") == version.as_str()
            && request.header("mcp-name") == request.body["params"]["name"].as_str();
    (!fits).then(|| Reply::error(400, r#"{"code":-32020,"message":"Header mismatch"}"#))
}

/// What follows `initialize` carries its session.
fn keeps_session(request: &Request) -> Option<Reply> {
    let has = request.header("mcp-session-id") == Some("s-1");
    let needs = !matches!(request.on(), On::Discover | On::Initialize | On::AnyGet);
    (needs && !has).then(|| Reply::of(400, "text/plain", "Missing session id"))
}
