//! Answers beyond what we read: every limit there is ours, so that none of
//! these servers may come to a FAILED by it.

use touchstone_suites::registry::CheckId as C;

use super::auth::{NAMED, wall};
use super::case::{Case, ENVELOPE, TOOL, always, initializes, legacy, modern, page};
use super::expect::{Expect, Signing, blocked, errored};
use super::pages::stopped;
use super::reply::Reply;
use super::server::{On, Request};

/// Levels of JSON that are read.
const LEVELS: usize = 1_024;
/// Levels of a tool's schema in an answer: message, result, list, tool, itself.
const SCHEMA_LEVEL: usize = 5;
/// Longer than any id should be, and yet a header that can be sent.
const SESSION_ID_BYTES: usize = 20_000;

pub fn cases() -> Vec<Case> {
    let deep = "response_too_deep";
    let listed = |levels| page(&[&tool(levels)], "");
    let too_deep = || listed(LEVELS + 1 - SCHEMA_LEVEL);
    let part = |asked| Expect::modern().part_of_list().asked(asked);
    let second_is = |id, against, reply| {
        let first = Reply::result(&page(&[TOOL], r#","nextCursor":"p2""#));
        modern(id, &[], against)
            .turns(On::List, vec![first, reply])
            .expect(part("dll"))
    };
    let heavy = |reply: Reply| reply.header("x-heavy", "x".repeat(70_000));
    let crowded = (0..300).fold(Reply::result(&page(&[TOOL], "")), |reply, _| {
        reply.header("x-one-of-many", "and more")
    });
    let long_cursor = format!(r#","nextCursor":"{}""#, "c".repeat(65_537));
    vec![
        modern("list-as-deep-as-read", &[], "Depth alone is a fault.")
            .on(On::List, Reply::result(&listed(LEVELS - SCHEMA_LEVEL))),
        modern("list-too-deep", &[], "What we do not read is no JSON.")
            .on(On::List, Reply::result(&too_deep()))
            .expect(unread(deep)),
        modern(
            "list-too-deep-in-a-stream",
            &[],
            "An event that we do not read is none.",
        )
        .on(On::List, Reply::event(&too_deep()))
        .expect(unread(deep)),
        second_is(
            "page-two-too-deep",
            "A later page that we do not read is no tool list.",
            Reply::result(&too_deep()),
        ),
        modern(
            "discover-too-deep",
            &[],
            "A modern server that we do not read fails as a legacy one.",
        )
        .on(
            On::Discover,
            Reply::result(&format!(
                r#"{{"supportedVersions":["2026-07-28"],{ENVELOPE},"_meta":{}}}"#,
                nested(LEVELS)
            )),
        )
        .expect(unread_handshake(deep)),
        legacy(
            "legacy-discover-too-deep",
            &[],
            "Where discover is not read there is no handshake at all.",
        )
        .on(On::Discover, Reply::result(&nested(LEVELS)))
        .asked("dinlcx"),
        legacy(
            "initialize-too-deep",
            &[],
            "An initialize that we do not read is a failed one.",
        )
        .on(
            On::Initialize,
            Reply::result(&format!(
                r#"{{"protocolVersion":"2025-11-25","capabilities":{}}}"#,
                nested(LEVELS)
            )),
        )
        .expect(unread_handshake(deep)),
        modern(
            "call-too-deep",
            &[],
            "An error that we do not read deviates from the protocol.",
        )
        .on(
            On::Call,
            Reply::error(
                200,
                &format!(
                    r#"{{"code":-32602,"message":"no","data":{}}}"#,
                    nested(LEVELS)
                ),
            ),
        )
        .with(C::ErrorTaxonomy, errored(deep)),
        always(
            "metadata-too-deep",
            &[],
            "Metadata that we do not read is malformed.",
            &wall(NAMED),
        )
        .on(On::Get("/prm"), Reply::json(nested(LEVELS + 1)))
        .expect(Expect::gated_handshake().asked("dig"))
        .with(C::AuthMetadata, errored(deep)),
        modern(
            "headers-too-large",
            &[],
            "Headers beyond our limit are a body of 2 MB.",
        )
        .on(On::List, heavy(Reply::result(&page(&[TOOL], ""))))
        .expect(stopped("response_headers_too_large").asked("dl")),
        second_is(
            "page-two-headers-too-large",
            "Headers of a later page end the run.",
            heavy(Reply::result(&page(&[TOOL], ""))),
        ),
        modern(
            "three-hundred-headers",
            &[],
            "Many small headers are too large.",
        )
        .on(On::List, crowded),
        modern(
            "cursor-too-long",
            &[],
            "A cursor that we do not send back is the last page.",
        )
        .on(On::List, Reply::result(&page(&[TOOL], &long_cursor)))
        .expect(part("dl")),
        legacy(
            "session-id-of-20-kb",
            &[29],
            "A session id that is long for us is none.",
        )
        .on(
            On::Initialize,
            Reply {
                headers: vec![
                    ("content-type", "application/json".to_owned()),
                    ("mcp-session-id", "s".repeat(SESSION_ID_BYTES)),
                ],
                ..initializes("2025-11-25")
            },
        )
        .lenient()
        .guard(keeps_long_session)
        .asked("dinlcx"),
        always(
            "challenge-of-20-kb",
            &[23],
            "A challenge that is long for us is none.",
            &wall(&format!(r#"Bearer realm="{}""#, "r".repeat(20_000))),
        )
        .expect(Expect::gated_handshake().asked("digg")),
    ]
}

/// Arrays in each other.
fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

/// A tool whose schema has so many levels below itself.
fn tool(levels: usize) -> String {
    let default = nested(levels);
    format!(r#"{{"name":"a","inputSchema":{{"type":"object","default":{default}}}}}"#)
}

/// The answer that decided the handshake goes beyond what we read.
fn unread_handshake(key: &'static str) -> Expect {
    Expect::not_met(key)
        .with(C::ProtocolRevision, errored(key))
        .with(C::DiscoveryHandshake, errored(key))
        .asked("di")
}

/// So does the first page.
pub fn unread(key: &'static str) -> Expect {
    [
        C::ToolsetFingerprint,
        C::SchemaFingerprint,
        C::ToolDescriptionHygiene,
        C::ErrorTaxonomy,
    ]
    .into_iter()
    .fold(Expect::modern(), |expect, check| {
        expect.with(check, blocked(key))
    })
    .with(C::ToolsList, errored(key))
    .signed(Signing::None(key))
    .asked("dl")
}

fn keeps_long_session(request: &Request) -> Option<Reply> {
    let has = request
        .header("mcp-session-id")
        .is_some_and(|id| id.len() == SESSION_ID_BYTES);
    let needs = !matches!(request.on(), On::Discover | On::Initialize | On::AnyGet);
    (needs && !has).then(|| Reply::of(400, "text/plain", "Missing session id"))
}
