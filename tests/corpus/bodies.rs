//! Bodies: codings, sizes, media types, and JSON at its edges.

use touchstone_suites::registry::CheckId as C;

use super::bounds::unread;
use super::case::{Case, TOOL, always, legacy, legacy_page, modern, page};
use super::expect::{Expect, Signing, blocked, errored, failed};
use super::reply::{Ending, Reply, answer};
use super::server::On;

/// The largest response that is read, in bytes.
const LIMIT_BYTES: usize = 2_097_152;

pub fn cases() -> Vec<Case> {
    let list = answer(&page(&[TOOL], ""));
    let plain = |body: &str| Reply::json(body);
    let exact = format!("{list}{}", " ".repeat(LIMIT_BYTES - list.len()));
    let schema = |schema: &str| {
        let tool = format!(r#"{{"name":"a","inputSchema":{schema}}}"#);
        Reply::result(&page(&[&tool], ""))
    };
    let not_canonical = failed("fingerprint_not_canonical");
    vec![
        modern(
            "gzip",
            &[11],
            "A compressed answer that was not asked for is no answer.",
        )
        .on(On::List, packed(&list)),
        modern(
            "brotli-unasked",
            &[11],
            "What we do not decode is a list that is invalid.",
        )
        .on(
            On::List,
            plain("\u{1}\u{2}").header("content-encoding", "br"),
        )
        .expect(unread("response_undecodable")),
        modern(
            "gzip-that-is-none",
            &[11],
            "What does not decode is a connection that failed.",
        )
        .on(On::List, plain(&list).header("content-encoding", "gzip"))
        .expect(Expect::modern().bad_list("tools_list_not_jsonrpc")),
        modern(
            "content-length-too-long",
            &[11],
            "A body that broke off is bad JSON of the server's.",
        )
        .on(On::List, plain(&list).ending(Ending::Promise(9_000)))
        .expect(broken_list("connection_failed")),
        modern(
            "media-type-with-charset",
            &[12],
            "Parameters and case of a media type matter.",
        )
        .on(
            On::List,
            Reply::of(200, "Application/JSON; Charset=UTF-8", list.clone()),
        ),
        always(
            "html-200",
            &[14],
            "A status of 200 is an answer.",
            &sign_in(),
        )
        .expect(Expect::failed_handshake("handshake_not_jsonrpc").asked("di")),
        legacy(
            "html-200-to-discover",
            &[14],
            "A page in answer to discover ends the handshake.",
        )
        .on(On::Discover, sign_in()),
        modern("array-of-one", &[15], "An answer in an array is no answer.")
            .on(On::List, plain(&format!("[{list}]"))),
        modern(
            "list-at-the-limit",
            &[16],
            "The limit of 2 MB is lower than it says.",
        )
        .on(On::List, plain(&exact)),
        modern("list-over-the-limit", &[16], "A list over 2 MB was read.")
            .on(On::List, plain(&format!("{exact} ")).ending(Ending::Close))
            .expect(broken_list("response_too_large")),
        modern(
            "list-over-the-limit-packed",
            &[16],
            "Only what comes over the wire counts.",
        )
        .on(On::List, packed(&format!("{exact} ")))
        .expect(broken_list("response_too_large")),
        modern("json-bom", &[7], "A byte order mark spoils JSON.")
            .on(On::List, plain(&format!("\u{feff}{list}"))),
        modern("json-cut-short", &[], "Half a list is a list.")
            .on(On::List, plain(&list[..list.len() - 2]))
            .expect(Expect::modern().bad_list("tools_list_not_jsonrpc")),
        modern("empty-200", &[], "An empty body is an empty list.")
            .on(On::List, Reply::status(200))
            .expect(Expect::modern().bad_list("tools_list_not_jsonrpc")),
        modern("no-media-type", &[], "JSON without a name for it is none.").on(
            On::List,
            Reply {
                headers: Vec::new(),
                ..plain(&list)
            },
        ),
        modern("chunked", &[], "A body of unknown length has none.")
            .on(On::List, plain(&list).split(7).ending(Ending::Chunked)),
        modern(
            "closes-every-connection",
            &[],
            "A closed connection is a lost one.",
        )
        .on(
            On::Discover,
            super::case::discovers(r#"["2026-07-28"]"#).ending(Ending::Close),
        )
        .on(On::List, plain(&list).ending(Ending::Close)),
        modern(
            "lone-surrogate-in-name",
            &[],
            "A name that is no Unicode has a digest.",
        )
        .on(
            On::List,
            Reply::result(&page(&[r#"{"name":"a\ud800","inputSchema":{}}"#], "")),
        )
        .with(C::ToolsetFingerprint, not_canonical)
        .with(C::SchemaFingerprint, not_canonical),
        modern(
            "lone-surrogate-in-schema",
            &[],
            "A schema without a canonical form spoils the names too.",
        )
        .on(On::List, schema(r#"{"title":"\udc00"}"#))
        .with(C::SchemaFingerprint, not_canonical),
        modern(
            "keys-that-become-one",
            &[],
            "Keys that normalize to one key have a canonical form.",
        )
        .on(On::List, schema("{\"\u{e9}\":1,\"e\u{301}\":2}"))
        .with(C::SchemaFingerprint, not_canonical),
        modern(
            "number-beyond-double",
            &[],
            "A number that no reader can hold has a digest.",
        )
        .on(On::List, schema(r#"{"maximum":1e999}"#))
        .with(C::SchemaFingerprint, not_canonical),
        modern(
            "repeated-key",
            &[],
            "A key that stands twice is refused, which JSON readers do not.",
        )
        .on(On::List, schema(r#"{"a":1,"a":2}"#)),
        legacy(
            "packed-legacy-list",
            &[11],
            "Only the modern era is unpacked.",
        )
        .on(On::List, packed(&answer(&legacy_page(&[TOOL], "")))),
    ]
}

/// The first page did not come in full.
fn broken_list(key: &'static str) -> Expect {
    [
        C::ToolsetFingerprint,
        C::SchemaFingerprint,
        C::ToolDescriptionHygiene,
        C::ErrorTaxonomy,
        C::AuthMetadata,
    ]
    .into_iter()
    .fold(Expect::modern(), |expect, check| {
        expect.with(check, blocked(key))
    })
    .with(C::ToolsList, errored(key))
    .signed(Signing::None(key))
}

fn packed(body: &str) -> Reply {
    Reply::json(body).packed()
}

fn sign_in() -> Reply {
    Reply::of(200, "text/html", "<!doctype html><title>Sign in</title>")
}
