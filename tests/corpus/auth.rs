//! Sign-in walls: challenges, and the metadata behind them.

use touchstone_suites::registry::CheckId as C;

use super::case::{Case, always};
use super::expect::{Expect, Signing, errored, risk, verified};
use super::reply::Reply;
use super::server::On;

pub const NAMED: &str = r#"Bearer resource_metadata="@ORIGIN@/prm""#;
pub const RESOURCE: &str = r#"{"resource":"@ORIGIN@/mcp","authorization_servers":["@ORIGIN@"]}"#;
pub const ISSUER: &str = r#"{"issuer":"@ORIGIN@","authorization_endpoint":"@ORIGIN@/authorize","token_endpoint":"@ORIGIN@/token"}"#;
pub const PATH_PLACE: On = On::Get("/.well-known/oauth-protected-resource/mcp");
const ROOT_PLACE: On = On::Get("/.well-known/oauth-protected-resource");
pub const SERVER_PLACE: On = On::Get("/.well-known/oauth-authorization-server");

pub fn cases() -> Vec<Case> {
    // A gate with this challenge and both documents, of which auth_metadata says:
    let gate = |id, traps, against, challenge: &str, outcome| {
        always(id, traps, against, &wall(challenge))
            .on(On::Get("/prm"), Reply::json(RESOURCE))
            .on(PATH_PLACE, Reply::json(RESOURCE))
            .on(SERVER_PLACE, Reply::json(ISSUER))
            .expect(Expect::gated_handshake())
            .with(C::AuthMetadata, outcome)
    };
    let resource = |id, traps, against, reply, key| {
        gate(id, traps, against, NAMED, risk(key)).on(On::Get("/prm"), reply)
    };
    let fine = verified("metadata_well_formed");
    vec![
        gate(
            "gate",
            &[23],
            "A sign-in wall is a failed handshake.",
            NAMED,
            fine,
        )
        .asked("digg"),
        always(
            "gate-bare",
            &[23],
            "A challenge that names nothing is malformed.",
            &wall("Bearer"),
        )
        .expect(Expect::gated_handshake().asked("digg")),
        gate(
            "resource-metadata-twice",
            &[52],
            "Of two places the second is as good.",
            r#"Bearer resource_metadata="@ORIGIN@/prm", resource_metadata="@ORIGIN@/other""#,
            risk("challenge_parameter_repeated"),
        ),
        gate(
            "challenge-single-quotes",
            &[53],
            "Single quotes are quotes.",
            r#"Bearer realm='x', resource_metadata="@ORIGIN@/prm""#,
            risk("challenge_quoting"),
        ),
        gate(
            "challenge-of-several-schemes",
            &[53],
            "Only the first challenge names metadata.",
            r#"Basic realm="x", Bearer resource_metadata="@ORIGIN@/prm""#,
            fine,
        ),
        always(
            "challenge-in-two-headers",
            &[53],
            "Only the first header counts.",
            &wall(r#"Basic realm="x""#).header("www-authenticate", NAMED),
        )
        .on(On::Get("/prm"), Reply::json(RESOURCE))
        .on(SERVER_PLACE, Reply::json(ISSUER))
        .expect(Expect::gated_handshake())
        .with(C::AuthMetadata, fine),
        always(
            "challenge-unquoted-url",
            &[53],
            "A challenge that breaks the grammar is a gate.",
            &wall("Bearer resource_metadata=@ORIGIN@/prm"),
        )
        .on(On::Get("/prm"), Reply::json(RESOURCE))
        .on(SERVER_PLACE, Reply::json(ISSUER))
        .expect(no_gate().with(C::AuthMetadata, risk("challenge_quoting"))),
        always(
            "unauthorized-without-challenge",
            &[54],
            "401 alone is a credential gate.",
            &Reply::status(401),
        )
        .expect(no_gate().asked("digg")),
        always(
            "unauthorized-with-well-known",
            &[54],
            "Without a challenge there is no metadata.",
            &Reply::status(401),
        )
        .on(PATH_PLACE, Reply::json(RESOURCE))
        .on(SERVER_PLACE, Reply::json(ISSUER))
        .expect(no_gate().with(C::AuthMetadata, fine)),
        always(
            "root-metadata-only",
            &[55],
            "A forbidden place ends the search.",
            &wall("Bearer"),
        )
        .on(PATH_PLACE, Reply::status(403))
        .on(ROOT_PLACE, Reply::json(RESOURCE))
        .on(SERVER_PLACE, Reply::json(ISSUER))
        .expect(Expect::gated_handshake().asked("diggg"))
        .with(C::AuthMetadata, fine),
        resource(
            "resource-of-the-host",
            &[56],
            "A resource of the same host will do.",
            Reply::json(RESOURCE.replace("/mcp", "")),
            "metadata_resource_mismatch",
        ),
        resource(
            "resource-with-slash",
            &[56],
            "A slash more makes no other resource.",
            Reply::json(RESOURCE.replace("/mcp", "/mcp/")),
            "metadata_resource_mismatch",
        ),
        resource(
            "resource-elsewhere",
            &[56],
            "Another host's resource is ours.",
            Reply::json(RESOURCE.replace("@ORIGIN@/mcp", "https://elsewhere.example/mcp")),
            "metadata_resource_mismatch",
        ),
        resource(
            "metadata-404",
            &[55],
            "A place that a challenge names may be empty.",
            Reply::status(404),
            "metadata_http_error",
        ),
        resource(
            "metadata-html",
            &[55],
            "A page is a document.",
            Reply::of(200, "text/html", "<!doctype html>"),
            "metadata_malformed",
        ),
        resource(
            "metadata-without-servers",
            &[55],
            "Metadata needs no authorization server.",
            Reply::json(r#"{"resource":"@ORIGIN@/mcp","authorization_servers":[]}"#),
            "metadata_malformed",
        ),
        gate(
            "issuer-with-slash",
            &[57],
            "An issuer with a slash more is the same.",
            NAMED,
            risk("metadata_issuer_mismatch"),
        )
        .on(
            SERVER_PLACE,
            Reply::json(ISSUER.replace(r#":"@ORIGIN@","#, r#":"@ORIGIN@/","#)),
        ),
        gate(
            "issuer-elsewhere",
            &[57],
            "Metadata speaks for any issuer.",
            NAMED,
            risk("metadata_issuer_mismatch"),
        )
        .on(
            SERVER_PLACE,
            Reply::json(ISSUER.replace(r#":"@ORIGIN@","#, r#":"https://as.example","#)),
        ),
        gate(
            "insecure-token-endpoint",
            &[57],
            "A token may be asked for without TLS.",
            NAMED,
            risk("metadata_malformed"),
        )
        .on(
            SERVER_PLACE,
            Reply::json(ISSUER.replace("@ORIGIN@/token", "http://as.example/token")),
        ),
        gate(
            "server-metadata-nowhere",
            &[57],
            "An authorization server needs no metadata.",
            NAMED,
            risk("server_metadata_not_found"),
        )
        .on(SERVER_PLACE, Reply::status(404))
        .asked("diggg"),
        gate(
            "challenge-relative-url",
            &[53],
            "A place is relative to the endpoint.",
            r#"Bearer resource_metadata="/prm""#,
            risk("challenge_metadata_url_invalid"),
        ),
        gate(
            "challenge-url-with-user",
            &[53],
            "An address with a user name is no address.",
            r#"Bearer resource_metadata="https://me:pw@elsewhere.example/prm""#,
            risk("challenge_metadata_url_credentials"),
        ),
        gate(
            "scope-unsupported",
            &[56],
            "A scope that nobody offers can be asked for.",
            r#"Bearer resource_metadata="@ORIGIN@/prm", scope="tools:read""#,
            risk("challenge_scope_unsupported"),
        )
        .on(
            On::Get("/prm"),
            Reply::json(RESOURCE.replace('}', r#","scopes_supported":["other"]}"#)),
        ),
        gate(
            "metadata-redirect-loop",
            &[55],
            "Redirects are followed to their end.",
            NAMED,
            errored("too_many_redirects"),
        )
        .on(
            On::Get("/prm"),
            Reply::status(302).header("location", "@ORIGIN@/prm"),
        )
        .asked("digggg"),
        gate(
            "metadata-redirect-inside",
            &[55],
            "A redirect may lead into a private network.",
            NAMED,
            errored("policy_refused"),
        )
        .on(
            On::Get("/prm"),
            Reply::status(302).header("location", "http://10.0.0.1/prm"),
        )
        .with(C::RedirectPolicy, risk("cross_host_redirect")),
        gate(
            "metadata-moved",
            &[55],
            "A redirect within the host crosses hosts.",
            NAMED,
            fine,
        )
        .on(
            On::Get("/prm"),
            Reply::status(302).header("location", "/prm2"),
        )
        .on(On::Get("/prm2"), Reply::json(RESOURCE))
        .asked("diggg"),
    ]
}

pub fn wall(challenge: &str) -> Reply {
    Reply::status(401).header("www-authenticate", challenge)
}

/// A 401 that asks for nothing that can be had.
fn no_gate() -> Expect {
    Expect::failed_handshake("handshake_http_error").signed(Signing::None("challenge_unusable"))
}
