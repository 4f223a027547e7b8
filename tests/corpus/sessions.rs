//! Sessions, the acknowledgement and the end.

use touchstone_suites::registry::CheckId as C;

use super::case::{Case, TOOL, initializes, legacy, legacy_page, modern};
use super::expect::{Expect, failed, verified};
use super::reply::{Ending, Reply};
use super::server::{On, Request};

pub fn cases() -> Vec<Case> {
    let acknowledges = |id, traps, against, reply| {
        legacy(id, traps, against)
            .on(On::Initialized, reply)
            .asked("dinlcx")
    };
    let lost = || Reply::error(404, r#"{"code":-32001,"message":"Session not found"}"#);
    let list = || Reply::result(&legacy_page(&[TOOL], ""));
    vec![
        legacy(
            "session-kept",
            &[29, 30],
            "A session is left behind on the server.",
        )
        .asked("dinlcx"),
        legacy(
            "no-session",
            &[30],
            "A server without sessions has one to end.",
        )
        .on(
            On::Initialize,
            Reply {
                headers: vec![("content-type", "application/json".to_owned())],
                ..initializes("2025-11-25")
            },
        )
        .lenient()
        .asked("dinlc"),
        modern(
            "session-of-a-modern-server",
            &[28],
            "A session id of a modern server counts.",
        )
        .on(
            On::Discover,
            super::case::discovers(r#"["2026-07-28"]"#).header("mcp-session-id", "s-9"),
        )
        .guard(no_session)
        .asked("dlc"),
        legacy(
            "session-on-another-answer",
            &[28],
            "The newest session id is the session's.",
        )
        .on(On::List, list().header("mcp-session-id", "s-2"))
        .asked("dinlcx"),
        legacy(
            "session-ends-with-405",
            &[30],
            "A server that ends no sessions is at fault.",
        )
        .on(On::Delete, Reply::status(405))
        .asked("dinlcx"),
        legacy(
            "session-end-breaks-off",
            &[30],
            "What comes of the session's end changes the result.",
        )
        .on(On::Delete, Reply::cut()),
        legacy(
            "session-lost-once",
            &[31],
            "A session lost to another replica is a server without tools.",
        )
        .turns(On::List, vec![lost(), list()])
        .asked("dinlinlcx"),
        legacy(
            "session-lost-always",
            &[31],
            "A lost session is begun anew for ever.",
        )
        .on(On::List, lost())
        .expect(
            Expect::legacy()
                .bad_list("tools_list_jsonrpc_error")
                .asked("dinlinlx"),
        ),
        legacy(
            "list-before-acknowledgement",
            &[32],
            "The list may be asked for at once.",
        )
        .guard(in_order),
        acknowledges(
            "acknowledged-200-empty",
            &[33],
            "Only 202 accepts a notification.",
            Reply::status(200),
        ),
        acknowledges(
            "acknowledged-200-null",
            &[33],
            "A null body refuses a notification.",
            Reply::json("null"),
        ),
        acknowledges(
            "acknowledged-200-object",
            &[33],
            "An empty object refuses a notification.",
            Reply::json("{}"),
        ),
        acknowledges(
            "acknowledged-204",
            &[33],
            "204 refuses a notification.",
            Reply::status(204),
        ),
        acknowledges(
            "acknowledged-202-text",
            &[33],
            "202 comes without a body.",
            Reply::of(202, "text/plain", "Accepted"),
        ),
        acknowledges(
            "acknowledged-by-silent-stream",
            &[33, 2],
            "A stream to a notification is waited for.",
            Reply::sse(&[]).ending(Ending::Open),
        ),
        legacy(
            "acknowledgement-refused",
            &[33],
            "The acknowledgement is no part of the handshake.",
        )
        .on(On::Initialized, Reply::of(400, "text/plain", "no"))
        .expect(
            Expect::failed_handshake("acknowledgement_refused")
                .with(C::ProtocolRevision, verified("revision_spoken"))
                .with(C::DiscoveryHandshake, failed("acknowledgement_refused"))
                .revision(Some("2025-11-25"))
                .asked("dinx"),
        ),
        legacy(
            "version-header-on-initialize",
            &[34],
            "A server that refuses the header on initialize is broken.",
        )
        .guard(bare_initialize),
        legacy("silent-get", &[37], "GET tells whether a server lives.")
            .on(On::AnyGet, Reply::silence())
            .asked("dinlcx"),
        legacy(
            "session-id-with-blanks",
            &[29],
            "Whatever stands in the header is a session id.",
        )
        .on(
            On::Initialize,
            Reply {
                headers: vec![
                    ("content-type", "application/json".to_owned()),
                    ("mcp-session-id", "a b".to_owned()),
                ],
                ..initializes("2025-11-25")
            },
        )
        .lenient()
        .guard(no_session)
        .asked("dinlc"),
    ]
}

fn no_session(request: &Request) -> Option<Reply> {
    let sent = request.header("mcp-session-id").is_some();
    sent.then(|| Reply::of(400, "text/plain", "What session?"))
}

/// The list only after the acknowledgement was answered.
fn in_order(request: &Request) -> Option<Reply> {
    let early = request.on() == On::List && request.before.last() != Some(&On::Initialized);
    early.then(|| Reply::error(400, r#"{"code":-32600,"message":"Not initialized"}"#))
}

fn bare_initialize(request: &Request) -> Option<Reply> {
    let strange =
        request.on() == On::Initialize && request.header("mcp-protocol-version").is_some();
    strange.then(|| Reply::of(400, "text/plain", "Unsupported header"))
}
