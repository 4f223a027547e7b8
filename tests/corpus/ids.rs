//! Ids that come back as they should not.

use touchstone_suites::registry::CheckId as C;

use super::case::{Case, TOOL, always, legacy, legacy_page, modern, page};
use super::expect::{Expect, failed};
use super::reply::Reply;
use super::server::{On, Request};

pub fn cases() -> Vec<Case> {
    let refusal = |id: &str| {
        let body = format!(
            r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32602,"message":"Unknown tool"}}}}"#
        );
        Reply::json(body)
    };
    let modern_list = |id: &str| {
        let result = page(&[TOOL], "");
        Reply::json(format!(r#"{{"jsonrpc":"2.0",{id}"result":{result}}}"#))
    };
    let legacy_list = |id: &str| {
        let result = legacy_page(&[TOOL], "");
        Reply::json(format!(r#"{{"jsonrpc":"2.0",{id}"result":{result}}}"#))
    };
    vec![
        modern("error-id-null", &[17], "An error whose id is null belongs to nobody.")
            .on(On::Call, refusal(r#""id":null,"#)),
        modern("error-id-missing", &[17], "An error without an id belongs to nobody.")
            .on(On::Call, refusal("")),
        modern("error-id-made-up", &[17], "An error with a made-up id belongs to nobody.")
            .on(On::Call, refusal(r#""id":"server-error","#)),
        always(
            "refusal-id-null",
            &[17, 24],
            "A modern refusal whose id is null is a legacy server.",
            &Reply::of(
                400,
                "application/json",
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"","data":{"supported":["2027-01-01"]}}}"#,
            ),
        )
        .expect(Expect::failed_handshake("handshake_refused").asked("d")),
        modern("string-id-as-number", &[18], "A string id that came back as a number is another's.")
            .on(On::List, modern_list(r#""id":0,"#)),
        legacy("number-id-as-string", &[18], "A number id that came back as a string is another's.")
            .on(On::List, legacy_list(r#""id":"2","#)),
        legacy("result-id-missing", &[18], "A result without an id in a JSON body is no answer.")
            .on(On::List, legacy_list("")),
        legacy("string-ids-crash", &[18], "A server that cannot read string ids is broken.")
            .guard(integers_only),
        modern("jsonrpc-version-missing", &[], "Without `jsonrpc` there is no answer to read.").on(
            On::List,
            Reply::json(format!(r#"{{"id":@ID@,"result":{}}}"#, page(&[TOOL], ""))),
        ),
        modern("error-beside-null-result", &[], "A null result beside an error is a result.").on(
            On::Call,
            Reply::json(
                r#"{"jsonrpc":"2.0","id":@ID@,"result":null,"error":{"code":-32602,"message":"no"}}"#,
            ),
        ),
        legacy("initialize-error-in-form", &[17], "An error to initialize is a missing revision.")
            .on(On::Initialize, Reply::error(200, r#"{"code":-32603,"message":"no"}"#))
            .expect(Expect::failed_handshake("handshake_jsonrpc_error").asked("di")),
        legacy("server-info-missing", &[], "What a client can do without stops the conversation.")
            .on(
                On::Initialize,
                Reply::result(r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#)
                    .header("mcp-session-id", "s-1"),
            )
            .with(C::DiscoveryHandshake, failed("handshake_result_invalid"))
            .asked("dinlcx"),
    ]
}

/// Legacy servers that stumble over string ids do so in their own era.
fn integers_only(request: &Request) -> Option<Reply> {
    let stumbles = request.body["id"].is_string() && request.body["method"] != "server/discover";
    stumbles.then(|| Reply::status(500))
}
