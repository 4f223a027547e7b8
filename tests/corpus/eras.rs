//! Which era does a server speak, and which revision?

use touchstone_suites::registry::CheckId as C;

use super::case::{Case, ENVELOPE, always, discovers, initializes, legacy, modern};
use super::expect::{Expect, Signing, failed, unclear, verified};
use super::reply::Reply;
use super::server::{On, Request};

pub fn cases() -> Vec<Case> {
    let refused = |code: i64| {
        let error = format!(r#"{{"code":{code},"message":"no"}}"#);
        Reply::error(400, &error)
    };
    let to_discover = |id, traps, against, reply| {
        legacy(id, traps, against)
            .on(On::Discover, reply)
            .asked("dinlcx")
    };
    let speaks = |id, revision: &'static str, against| {
        let case = legacy(id, &[36], against).on(On::Initialize, initializes(revision));
        let expect = case.expect.clone().revision(Some(revision));
        case.expect(expect.asked("dinlcx"))
    };
    let unknown = || {
        Expect::failed_handshake("revision_unknown")
            .with(C::DiscoveryHandshake, unclear("revision_unknown"))
    };
    vec![
        to_discover("discover-200-error", &[19], "A protocol error with status 200 is a modern server.",
            Reply::error(200, r#"{"code":-32601,"message":"Method not found"}"#)),
        to_discover("discover-400-other-json", &[20], "JSON that is no JSON-RPC stops the fallback.",
            Reply::of(400, "application/json", r#"{"error":"bad_request"}"#)),
        to_discover("discover-400-string-code", &[20], "A code in text is a modern error.",
            Reply::error(400, r#"{"code":"-32022","message":"no"}"#)),
        to_discover("discover-400-text", &[21], "Plain text with 400 stops the fallback.",
            Reply::of(400, "text/plain", "Invalid request")),
        to_discover("discover-missing-session", &[22, 28], "A session id on an error is a session.",
            Reply::error(400, r#"{"code":-32000,"message":"Missing session ID"}"#)
                .header("mcp-session-id", "not-this-one")),
        to_discover("discover-202-empty", &[19], "Accepted is an answer.", Reply::status(202)),
        to_discover("discover-200-empty-object", &[20], "A result that lists nothing is a discover result.",
            Reply::result("{}")),
        to_discover("discover-draft-code", &[24], "The drafts' error numbers are modern evidence.",
            refused(-32_004)),
        to_discover("discover-legacy-only", &[26], "A server that knows discover speaks 2026-07-28.",
            discovers(r#"["2025-06-18","2025-11-25"]"#)),
        to_discover("discover-404", &[25], "A path that is not there for one method is for none.",
            Reply::error(404, r#"{"code":-32601,"message":"Method not found"}"#)),
        always("refuses-headers", &[24], "A modern server behind a proxy that strips headers is legacy.",
            &refused(-32_020))
            .expect(Expect::failed_handshake("handshake_refused").asked("d")),
        always("refuses-capability", &[24], "A modern server that wants a capability is legacy.",
            &refused(-32_021))
            .expect(Expect::failed_handshake("handshake_refused").asked("d")),
        always("refuses-version", &[24], "A modern server that refuses the revision is legacy.",
            &refused(-32_022))
            .expect(Expect::failed_handshake("handshake_refused").asked("d")),
        always("refuses-version-it-lists", &[24], "A server that refuses what it lists is asked until it does not.",
            &refused_listing_it())
            .expect(Expect::failed_handshake("handshake_refused").asked("dd")),
        modern("refuses-once", &[24], "A revision that is refused once, and listed as spoken, is not spoken.")
            .turns(On::Discover, vec![refused_listing_it(), discovers(r#"["2026-07-28"]"#)])
            .asked("ddlc"),
        modern("lists-without-discover", &[25], "A list that comes is proof of the modern era.")
            .on(On::Discover, Reply::error(404, r#"{"code":-32601,"message":"no"}"#))
            .on(On::Initialize, Reply::error(404, r#"{"code":-32601,"message":"no"}"#))
            .lenient()
            .expect(Expect::failed_handshake("handshake_jsonrpc_error").asked("di")),
        modern("oldest-first", &[27], "The first revision of a list is the one that was spoken.")
            .on(On::Discover, discovers(
                r#"["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"]"#)),
        modern("dual-era", &[26], "A server of both eras is spoken to twice.")
            .on(On::Initialize, initializes("2025-11-25"))
            .on(On::Initialized, Reply::status(202))
            .asked("dlc"),
        modern("server-info-of-the-drafts", &[], "Where the drafts had serverInfo it is a fault.")
            .on(On::Discover, Reply::result(&format!(
                r#"{{"supportedVersions":["2026-07-28"],"capabilities":{{}},{ENVELOPE},"serverInfo":{{"name":"s","version":"1"}}}}"#))),
        modern("discover-wants-input", &[], "A discover result of another type is fit.")
            .on(On::Discover, Reply::result(
                r#"{"supportedVersions":["2026-07-28"],"capabilities":{},"resultType":"input_required","ttlMs":0,"cacheScope":"public"}"#))
            .with(C::DiscoveryHandshake, failed("handshake_result_invalid")),
        always("discover-from-the-future", &[27], "A revision that nobody knows is the newest one.",
            &discovers(r#"["2099-01-01"]"#))
            .expect(unknown().asked("d")),
        always("discover-500", &[], "A server that is broken is an old one.", &Reply::status(500))
            .expect(Expect::failed_handshake("handshake_http_error")
                .signed(Signing::None("server_error")).asked("d")),
        legacy("initialize-500", &[], "A server that is broken has no list.")
            .on(On::Initialize, Reply::status(500))
            .expect(Expect::failed_handshake("handshake_http_error")
                .signed(Signing::None("server_error")).asked("di")),
        legacy("initialize-unknown-revision", &[36], "Whatever a server names is a revision.")
            .on(On::Initialize, initializes("2099-01-01"))
            .expect(unknown().revision(Some("2099-01-01")).asked("dix")),
        legacy("initialize-says-modern", &[36], "2026-07-28 can be had by initialize.")
            .on(On::Initialize, initializes("2026-07-28"))
            .expect(Expect::failed_handshake("handshake_result_invalid")
                .with(C::ProtocolRevision, verified("revision_spoken"))
                .revision(Some("2026-07-28"))),
        legacy("initialize-without-revision", &[36], "A result without protocolVersion is of the revision offered.")
            .on(On::Initialize, Reply::result(r#"{"capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#))
            .expect(Expect::failed_handshake("protocol_version_missing").asked("di")),
        legacy("initialize-201", &[36], "The revision may stand in an answer of another status.")
            .on(On::Initialize, initializes("2025-11-25").with_status(201))
            .expect(Expect::failed_handshake("handshake_http_error").asked("di")),
        speaks("speaks-2024-11-05", "2024-11-05", "A server of 2024-11-05 over Streamable HTTP is none.")
            .guard(no_version_header),
        speaks("speaks-2025-03-26", "2025-03-26", "Revision 2025-03-26 knows the version header.")
            .guard(no_version_header),
        speaks("speaks-2025-06-18", "2025-06-18", "Revision 2025-06-18 does without the version header.")
            .guard(wants_version_header),
        proposed_again(),
        legacy("refuses-every-proposal", &[35], "A refusal is asked about until it changes.")
            .on(On::Initialize, only_2025_06_18())
            .expect(Expect::failed_handshake("handshake_jsonrpc_error").asked("dii")),
    ]
}

/// Refuses the offer and names what it speaks.
fn proposed_again() -> Case {
    let case = legacy(
        "initialize-names-another",
        &[35],
        "A server that names the revision it speaks, in an error, speaks none.",
    )
    .turns(
        On::Initialize,
        vec![only_2025_06_18(), initializes("2025-06-18")],
    );
    let expect = case.expect.clone().revision(Some("2025-06-18"));
    case.expect(expect.asked("diinlcx"))
}

fn refused_listing_it() -> Reply {
    Reply::error(
        400,
        r#"{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2026-07-28"}}"#,
    )
}

fn only_2025_06_18() -> Reply {
    Reply::error(
        400,
        r#"{"code":-32602,"message":"Unsupported protocol version","data":{"supported":["2024-11-05","2025-06-18"]}}"#,
    )
}

/// Only 2025-06-18 brought the header (page `2025-06-18/basic/transports`).
fn no_version_header(request: &Request) -> Option<Reply> {
    let strange = request.on() != On::Discover && request.header("mcp-protocol-version").is_some();
    strange.then(|| Reply::of(400, "text/plain", "What version header?"))
}

fn wants_version_header(request: &Request) -> Option<Reply> {
    let due = !matches!(request.on(), On::Discover | On::Initialize);
    let says = request.header("mcp-protocol-version") == Some("2025-06-18");
    (due && !says).then(|| Reply::of(400, "text/plain", "Which version?"))
}
