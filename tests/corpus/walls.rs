//! Walls that stand before a part of a server only, and what looks like one.

use touchstone_suites::registry::CheckId as C;

use super::auth::{ISSUER, PATH_PLACE, RESOURCE, SERVER_PLACE, wall};
use super::case::{Case, always, legacy, modern};
use super::expect::{Expect, Signing, blocked, skipped, unclear, verified};
use super::reply::Reply;
use super::server::On;

pub fn cases() -> Vec<Case> {
    let gated = "credential_required";
    let outside = unclear("outside_limited_scope");
    vec![
        legacy(
            "discover-gated-only",
            &[23],
            "A wall before one method is a wall before all.",
        )
        .on(On::Discover, wall("Bearer"))
        .with(C::AuthMetadata, verified("challenge_well_formed"))
        .asked("dinlcggx"),
        always(
            "gate-before-modern-refusal",
            &[23, 24],
            "A modern server behind a wall that refuses initialize fails its handshake.",
            &wall("Bearer"),
        )
        .on(
            On::Initialize,
            Reply::error(400, r#"{"code":-32020,"message":"Header mismatch"}"#),
        )
        .expect(Expect::gated_handshake().asked("digg")),
        always(
            "bare-401-before-modern-refusal",
            &[54, 24],
            "A wall that states no challenge is one before a modern refusal.",
            &Reply::status(401),
        )
        .on(
            On::Initialize,
            Reply::error(400, r#"{"code":-32022,"message":"Unsupported"}"#),
        )
        .expect(Expect::failed_handshake("handshake_jsonrpc_error").asked("digg")),
        modern(
            "list-gated",
            &[58],
            "A wall before the list is an invalid list.",
        )
        .on(On::List, wall("Bearer"))
        .expect(
            [
                C::ToolsList,
                C::ToolsetFingerprint,
                C::SchemaFingerprint,
                C::ErrorTaxonomy,
                C::ToolDescriptionHygiene,
            ]
            .into_iter()
            .fold(Expect::modern(), |expect, check| {
                expect.with(check, blocked(gated))
            })
            .with(C::ProtocolRevision, outside)
            .with(C::DiscoveryHandshake, outside)
            .with(C::LatencyProfile, outside)
            .with(C::AuthMetadata, verified("challenge_well_formed"))
            .signed(Signing::Limited)
            .revision(None)
            .asked("dlgg"),
        ),
        modern(
            "list-401-bare",
            &[54],
            "401 without a challenge before the list is a gate.",
        )
        .on(On::List, Reply::status(401))
        .expect(
            Expect::modern()
                .bad_list("tools_list_http_error")
                .signed(Signing::None("challenge_unusable"))
                .asked("dlgg"),
        ),
        modern(
            "list-403-challenge",
            &[23],
            "403 with a challenge is a credential gate.",
        )
        .on(
            On::List,
            wall(r#"Bearer error="insufficient_scope""#).with_status(403),
        )
        .expect(
            Expect::modern()
                .bad_list("tools_list_http_error")
                .with(C::AuthMetadata, verified("challenge_well_formed")),
        ),
        modern("metadata-of-an-open-server", &[58], "Metadata is a wall.")
            .on(PATH_PLACE, Reply::json(RESOURCE))
            .on(SERVER_PLACE, Reply::json(ISSUER))
            .with(C::AuthMetadata, skipped("not_observable"))
            .asked("dlc"),
        always(
            "forbidden",
            &[23],
            "403 before the handshake is a credential gate.",
            &Reply::of(403, "text/plain", "Forbidden"),
        )
        .expect(Expect::failed_handshake("handshake_http_error").asked("di")),
        legacy(
            "acknowledgement-gated",
            &[23],
            "A wall before the acknowledgement refuses it.",
        )
        .on(On::Initialized, wall("Bearer"))
        .expect(Expect::gated_handshake().asked("dinggx")),
    ]
}
