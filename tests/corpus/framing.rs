//! Event streams, in every framing that servers send them in.

use touchstone_suites::registry::CheckId as C;

use super::case::{Case, TOOL, always, legacy, modern, page, unknown_tool};
use super::expect::{Expect, Signing, blocked, errored};
use super::reply::{Ending, Reply, answer};
use super::server::On;

pub fn cases() -> Vec<Case> {
    let list = answer(&page(&[TOOL], ""));
    let event = format!("event: message\ndata: {list}\n\n");
    let listed = |chunks: &[&str]| Reply::sse(chunks);
    let mut bom_split = listed(&["", "", &event]);
    bom_split.chunks[0] = b"\xef".to_vec();
    bom_split.chunks[1] = b"\xbb\xbf".to_vec();
    let priming = "id: 0\nretry: 3000\ndata:\n\n";
    let several_lines = list.replace(r#","result""#, "\ndata: ,\"result\"");
    let with_crlf = event.replace('\n', "\r\n");
    vec![
        modern("sse-plain", &[], "A stream is no list.")
            .on(On::List, listed(&[&event])),
        modern("sse-priming", &[1], "The empty data of a priming event is bad JSON.")
            .on(On::List, listed(&[priming, &event])),
        legacy("sse-priming-on-initialize", &[1], "The first event of a stream is the answer.").on(
            On::Initialize,
            Reply::sse(&[priming, &format!("data: {}\n\n", answer(INITIALIZED))])
                .header("mcp-session-id", "s-1"),
        ),
        modern("sse-left-open", &[2], "A stream that stays open after the answer is a time-out.")
            .on(On::List, listed(&[&event]).ending(Ending::Open)),
        modern("sse-unterminated-open", &[3], "An answer whose blank line never comes is no answer.")
            .on(On::List, listed(&[&format!("data: {list}\n")]).ending(Ending::Open))
            .with(C::ErrorTaxonomy, errored("budget_exhausted"))
            .with(C::AuthMetadata, blocked("budget_exhausted"))
            .asked("dl")
            .slow(),
        modern("sse-unterminated-end", &[4], "The last event of a stream without a blank line is lost.")
            .on(On::List, listed(&[&format!("data: {list}\n")])),
        modern("sse-no-newline-at-all", &[4], "The last line of a stream without its end is lost.")
            .on(On::List, listed(&[&format!("data: {list}")]).ending(Ending::Close)),
        modern("sse-crlf", &[5], "Lines end with LF only.")
            .on(On::List, listed(&[&with_crlf])),
        modern("sse-cr", &[5], "A lone CR ends no line.")
            .on(On::List, listed(&[&event.replace('\n', "\r")])),
        modern("sse-crlf-split", &[5], "A CR and an LF in two pieces are two line ends.")
            .on(On::List, listed(&[&with_crlf]).split(1)),
        modern("sse-mixed-ends", &[5], "One stream has one kind of line end.").on(
            On::List,
            listed(&[": one\r\n: two\n: three\r", &format!("event: message\rdata: {list}\r\n\n")]),
        ),
        modern("sse-comments", &[6], "Keep-alive comments are data.")
            .on(On::List, listed(&[": ping\n\n", ":\n\n", &event])),
        modern("sse-comments-for-ever", &[6], "A server that pings is alive, so that the run waits on.")
            .on(On::List, listed(&[]).dripping())
            .with(C::ToolsList, errored("budget_exhausted"))
            .with(C::ToolsetFingerprint, blocked("budget_exhausted"))
            .with(C::SchemaFingerprint, blocked("budget_exhausted"))
            .with(C::ToolDescriptionHygiene, blocked("budget_exhausted"))
            .with(C::ErrorTaxonomy, blocked("budget_exhausted"))
            .with(C::AuthMetadata, blocked("budget_exhausted"))
            .signed(Signing::None("budget_exhausted"))
            .slow(),
        modern("sse-bom", &[7], "A byte order mark hides the first field.")
            .on(On::List, listed(&[&format!("\u{feff}data: {list}\n\n")])),
        modern("sse-bom-split", &[7], "A byte order mark comes in one piece.")
            .on(On::List, bom_split),
        modern("sse-notification-first", &[8], "What comes first is the answer.").on(
            On::List,
            listed(&[
                "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}\n\n",
                &event,
            ]),
        ),
        modern("sse-request-with-our-id", &[8], "A request of the server's with our id is the answer.").on(
            On::List,
            listed(&["data: {\"jsonrpc\":\"2.0\",\"id\":@ID@,\"method\":\"ping\"}\n\n", &event]),
        ),
        modern("sse-foreign-answer-first", &[8, 17], "A result for somebody else's request is ours.").on(
            On::List,
            listed(&["data: {\"jsonrpc\":\"2.0\",\"id\":\"other\",\"result\":{}}\n\n", &event]),
        ),
        modern("sse-event-error", &[9], "A protocol error under `event: error` is no answer.").on(
            On::Call,
            Reply::sse(&["event: error\ndata: {\"jsonrpc\":\"2.0\",\"id\":@ID@,\"error\":{\"code\":-32602,\"message\":\"Unknown tool\"}}\n\n"]),
        ),
        always(
            "sse-endpoint-event",
            &[10],
            "The SSE transport of 2024-11-05 is Streamable HTTP that is broken.",
            &Reply::sse(&["event: endpoint\ndata: /messages?session=1\n\n"]),
        )
        .expect(Expect::failed_handshake("handshake_sse_transport").asked("di")),
        modern("sse-lines-of-data", &[], "An event has one line of data.")
            .on(On::List, listed(&[&format!("data: {several_lines}\n\n")])),
        modern("sse-odd-fields", &[], "Fields that nobody knows, or without a blank, spoil an event.").on(
            On::List,
            listed(&["event\nfoo: bar\nid:\n", &format!("data:{list}\n\n")]),
        ),
        modern("json-called-a-stream", &[], "JSON in no event of a stream is an answer.")
            .on(
                On::List,
                Reply::of(200, "text/event-stream", answer(&page(&[TOOL], ""))),
            )
            .expect(Expect::modern().bad_list("tools_list_not_jsonrpc").asked("dl")),
        modern("stream-called-json", &[], "An event is JSON.")
            .on(On::List, Reply::of(200, "application/json", event.clone()))
            .expect(Expect::modern().bad_list("tools_list_not_jsonrpc").asked("dl")),
        legacy("initialize-called-a-stream", &[], "A revision in no event of a stream is named.")
            .on(
                On::Initialize,
                Reply::of(200, "text/event-stream", answer(INITIALIZED)),
            )
            .expect(Expect::failed_handshake("handshake_not_jsonrpc").asked("di")),
        modern("sse-byte-by-byte", &[], "A piece of a stream is an event.")
            .on(On::List, listed(&[&event]).split(1)),
        modern("sse-everywhere", &[2], "Only the list may be a stream.")
            .on(On::Discover, Reply::event(DISCOVERED).ending(Ending::Open))
            .on(On::List, listed(&[&event]).ending(Ending::Open))
            .on(On::Call, {
                let error = String::from_utf8(unknown_tool().chunks[0].clone()).unwrap();
                Reply::sse(&[&format!("data: {error}\n\n")]).ending(Ending::Open)
            })
            .asked("dlc"),
        modern("sse-media-in-capitals", &[12], "Media types are compared letter by letter.").on(
            On::List,
            Reply {
                headers: vec![("Content-Type", "Text/Event-Stream;Charset=UTF-8".to_owned())],
                ..listed(&[&event])
            },
        ),
    ]
}

const INITIALIZED: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"corpus","version":"1"}}"#;
const DISCOVERED: &str = r#"{"supportedVersions":["2026-07-28"],"capabilities":{},"resultType":"complete","ttlMs":0,"cacheScope":"public"}"#;
