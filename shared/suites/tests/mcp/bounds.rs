//! What goes beyond our own bounds is undetermined, with the bound's own
//! number, wherever an answer is read.

use touchstone_proto::observation::{FailureKind as F, TlsVerdict};
use touchstone_suites::limits;

use crate::observe::{
    INITIALIZED, Observe, Reply, TOOLS, expect, fails, fallen_back, json, modern, open, reply,
    result, wall,
};

/// A result that is one level deeper than is read, message included.
fn too_deep() -> Reply {
    result(&nested(limits::JSON_LEVELS))
}

fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

const DEEP: &str = "response_too_deep limit_levels=1024";

#[test]
fn a_handshake_that_is_too_deep_was_answered_and_is_not_judged() {
    let undetermined = format!(
        "reachability VERIFIED completed answered status=200
         transport_type VERIFIED completed transport_answered transport=streamable_http framing=json
         protocol_revision UNVERIFIED errored {DEEP}
         discovery_handshake UNVERIFIED errored {DEEP}
         tools_list UNVERIFIED blocked {DEEP}
         toolset_fingerprint UNVERIFIED blocked {DEEP}
         error_taxonomy UNVERIFIED blocked {DEEP}"
    );
    for (name, observe) in [
        (
            "discover, and no initialize either",
            Observe::new()
                .discover(too_deep())
                .initialize(crate::observe::empty(404)),
        ),
        ("initialize", fallen_back().initialize(too_deep())),
    ] {
        expect(name, &observe.evaluate(), &undetermined);
    }
    // What is spoken after it all the same is what it speaks.
    expect(
        "discover before a legacy handshake",
        &Observe::new()
            .discover(too_deep())
            .initialize(result(INITIALIZED))
            .acknowledge(crate::observe::empty(202))
            .list(result(TOOLS))
            .evaluate(),
        "discovery_handshake VERIFIED completed handshake_initialized revision=2025-06-18 session=no
         tools_list VERIFIED completed tools_listed tools=2 pages=1",
    );
}

#[test]
fn what_follows_the_handshake_is_not_judged_either() {
    expect(
        "the list",
        &modern().list(too_deep()).evaluate(),
        &format!(
            "tools_list UNVERIFIED errored {DEEP}
             schema_fingerprint UNVERIFIED blocked {DEEP}
             tool_description_hygiene UNVERIFIED blocked {DEEP}
             error_taxonomy UNVERIFIED blocked {DEEP}"
        ),
    );
    expect(
        "the call",
        &open().call(too_deep()).evaluate(),
        &format!("error_taxonomy UNVERIFIED errored {DEEP}"),
    );
    let place = "https://mcp.example/prm";
    expect(
        "metadata",
        &fallen_back()
            .initialize(wall(&format!(r#"Bearer resource_metadata="{place}""#)))
            .resource(place, json(200, &nested(limits::JSON_LEVELS + 1)))
            .evaluate(),
        &format!("auth_metadata UNVERIFIED errored {DEEP}"),
    );
    expect(
        "a stream, as an agent keeps one in which it found no answer",
        &modern()
            .list(reply(
                200,
                "text/event-stream",
                format!("data: {}\n\n", nested(limits::JSON_LEVELS + 1)),
            ))
            .evaluate(),
        &format!("tools_list UNVERIFIED errored {DEEP}"),
    );
}

#[test]
fn a_coding_that_we_do_not_read_is_not_a_broken_one() {
    let coded = |coding: &str| {
        json(200, "")
            .header("content-encoding", coding)
            .broken(F::Undecodable)
    };
    for coding in ["br", "zstd", "gzip, br", "\u{fffd}"] {
        expect(
            coding,
            &modern().list(coded(coding)).evaluate(),
            "tools_list UNVERIFIED errored response_undecodable",
        );
        expect(
            coding,
            &fallen_back().initialize(coded(coding)).evaluate(),
            "reachability VERIFIED completed answered status=200
             discovery_handshake UNVERIFIED errored response_undecodable",
        );
    }
    for coding in ["gzip", "X-GZip", "deflate"] {
        expect(
            coding,
            &modern().list(coded(coding)).evaluate(),
            "tools_list FAILED completed tools_list_not_jsonrpc status=200 content=undecodable",
        );
    }
}

#[test]
fn headers_have_a_bound_of_their_own() {
    let reason = "response_headers_too_large limit_bytes=65536";
    expect(
        "the list",
        &modern().list(fails(F::HeadersTooLarge)).evaluate(),
        &format!("tools_list UNVERIFIED errored {reason}"),
    );
    expect(
        "the handshake",
        &Observe::new()
            .discover(fails(F::HeadersTooLarge))
            .evaluate(),
        &format!(
            "reachability UNVERIFIED errored {reason}
             discovery_handshake UNVERIFIED errored {reason}"
        ),
    );
}

#[test]
fn a_chain_that_our_verifier_does_not_know_is_not_judged() {
    let tls = |verdict| fails(F::Tls).tls(verdict, -10, 10);
    expect(
        "unsupported",
        &Observe::new()
            .discover(tls(TlsVerdict::Unsupported))
            .evaluate(),
        "tls_certificate UNVERIFIED errored tls_failed fault=unsupported
         reachability UNVERIFIED errored tls_failed fault=unsupported",
    );
    expect(
        "a valid chain, and then no handshake",
        &Observe::new().discover(tls(TlsVerdict::Valid)).evaluate(),
        "reachability UNVERIFIED errored tls_failed fault=broken_off",
    );
}

#[test]
fn an_address_with_a_user_name_says_so() {
    expect(
        "metadata",
        &gated(r#"Bearer resource_metadata="https://me@mcp.example/prm""#),
        "auth_metadata OBSERVED_RISK completed challenge_metadata_url_credentials",
    );
    expect(
        "no web address",
        &gated(r#"Bearer resource_metadata="ftp://me@mcp.example/prm""#),
        "auth_metadata OBSERVED_RISK completed challenge_metadata_url_invalid",
    );
}

fn gated(challenge: &str) -> touchstone_suites::Evaluation {
    fallen_back().initialize(wall(challenge)).evaluate()
}
