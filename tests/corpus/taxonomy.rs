//! The answer to the call of a tool that nobody has.

use touchstone_suites::registry::CheckId as C;

use super::case::{Case, modern};
use super::expect::{blocked, errored, risk, verified};
use super::reply::Reply;
use super::server::On;

pub fn cases() -> Vec<Case> {
    let answers = |id, traps, against, reply, outcome| {
        modern(id, traps, against)
            .on(On::Call, reply)
            .with(C::ErrorTaxonomy, outcome)
    };
    let error = |error: &str| Reply::error(200, error);
    vec![
        answers(
            "call-method-not-found",
            &[],
            "Only -32602 fits.",
            Reply::error(404, r#"{"code":-32601,"message":"no"}"#),
            verified("error_shape_fits"),
        ),
        answers(
            "call-code-zero",
            &[],
            "Code 0 is no code.",
            error(r#"{"code":0,"message":"no"}"#),
            verified("error_shape_fits"),
        ),
        answers(
            "call-error-500",
            &[],
            "The status decides before the body.",
            Reply::error(500, r#"{"code":-32603,"message":"no"}"#),
            verified("error_shape_fits"),
        ),
        answers(
            "call-is-error-result",
            &[],
            "A result with isError is a protocol error.",
            Reply::result(r#"{"content":[],"isError":true,"resultType":"complete"}"#),
            risk("error_as_result"),
        ),
        answers(
            "call-succeeds",
            &[],
            "A tool that does not exist may answer.",
            Reply::result(r#"{"content":[],"resultType":"complete"}"#),
            risk("error_as_success"),
        ),
        answers(
            "call-is-error-in-text",
            &[],
            "The text `true` is true.",
            Reply::result(r#"{"content":[],"isError":"true"}"#),
            risk("error_as_success"),
        ),
        answers(
            "call-html",
            &[14],
            "A page is an error of the protocol.",
            Reply::of(500, "text/html", "<!doctype html>"),
            risk("error_not_jsonrpc"),
        ),
        answers(
            "call-accepted",
            &[],
            "An empty body is an error of the protocol.",
            Reply::status(202),
            risk("error_not_jsonrpc"),
        ),
        answers(
            "call-code-in-text",
            &[20],
            "A code in text is a code.",
            error(r#"{"code":"-32602","message":"no"}"#),
            risk("error_object_malformed"),
        ),
        answers(
            "call-without-message",
            &[],
            "An error needs no message.",
            error(r#"{"code":-32602}"#),
            risk("error_object_malformed"),
        ),
        answers(
            "call-error-is-text",
            &[],
            "An error in text is an error object.",
            Reply::json(r#"{"jsonrpc":"2.0","id":@ID@,"error":"Unknown tool"}"#),
            risk("error_not_jsonrpc"),
        ),
        answers(
            "call-401",
            &[58],
            "A gate before calls is a gate before the list.",
            Reply::status(401).header("www-authenticate", "Bearer"),
            blocked("credential_required"),
        )
        .with(C::AuthMetadata, verified("challenge_well_formed")),
        answers(
            "call-403",
            &[23],
            "A refusal of who asks is a misshapen error.",
            Reply::status(403),
            blocked("credential_required"),
        ),
        answers(
            "call-401-with-error",
            &[58],
            "An error object behind 401 cannot be classified.",
            Reply::error(401, r#"{"code":-32000,"message":"Unauthorized"}"#),
            verified("error_shape_fits"),
        ),
        answers(
            "call-429",
            &[49],
            "A rate limit is a misshapen error.",
            Reply::status(429).header("retry-after", "5"),
            errored("rate_limited"),
        )
        .with(C::AuthMetadata, blocked("rate_limited")),
        answers(
            "call-cut",
            &[],
            "A lost connection is a misshapen error.",
            Reply::cut(),
            errored("connection_failed"),
        )
        .with(C::AuthMetadata, blocked("connection_failed")),
    ]
}
