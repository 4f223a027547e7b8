//! One report in each form.

use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use touchstone_proto::observation::{Failure, FailureKind, Step};
use touchstone_proto::vocabulary::Scope;

use super::parts::{
    Told, days, detail, digest, exchange, observed, predicate, report, run, signed, target, whole,
};
use super::{HOUR_MS, NOW_MS, TOOLS};
use crate::history::days::{Day, DayKind, ObservedDays};
use crate::store::read::{Attestation, Evidence, Report, StateCounts, ToolChanges};
use crate::targets::Tier;

const FAILED: &str = "FAILED";
const RISK: &str = "OBSERVED_RISK";
const UNVERIFIED: &str = "UNVERIFIED";
const VERIFIED: &str = "VERIFIED";
const COMPLETED: &str = "completed";

#[rustfmt::skip] // one check a line
fn told_full() -> Vec<Told> {
    let ok = |check, key, params| (check, VERIFIED, COMPLETED, key, params);
    let discovered = json!({ "revision": "2026-07-28", "listed": 2, "first_listed": "2025-11-25" });
    let spoken = json!({ "revision": "2026-07-28", "handshake": "discover" });
    let framed = json!({ "transport": "streamable_http", "framing": "json" });
    let changed = json!({ "changed": 1, "compared": 4 });
    let hits = json!({ "hits": 1, "tools": 1 });
    vec![
        ("auth_metadata", UNVERIFIED, COMPLETED, "not_observable", json!({})),
        ok("discovery_handshake", "handshake_discovered", discovered),
        ok("error_taxonomy", "error_shape_fits", json!({ "status": 200, "code": -32602 })),
        ok("latency_profile", "latency_measured", json!({ "p50_ms": 118, "p95_ms": 342, "n": 5 })),
        ok("protocol_revision", "revision_spoken", spoken),
        ok("reachability", "answered", json!({ "status": 200 })),
        ok("redirect_policy", "no_cross_host_redirect", json!({ "redirects": 0 })),
        ok("schema_fingerprint", "fingerprint_computed", json!({ "tools": 4 })),
        ("schema_unchanged_vs_approved", FAILED, COMPLETED, "schemas_changed", changed),
        ok("tls_certificate", "certificate_valid", json!({ "days_left": 73 })),
        ("tool_description_hygiene", RISK, COMPLETED, "hygiene_hits", hits),
        ok("tools_list", "tools_listed", json!({ "tools": 4, "pages": 1 })),
        ok("toolset_fingerprint", "fingerprint_computed", json!({ "tools": 4 })),
        ok("toolset_unchanged_vs_approved", "toolset_unchanged", json!({ "tools": 4 })),
        ok("transport_type", "transport_answered", framed),
    ]
}

#[rustfmt::skip] // one check a line
fn told_limited() -> Vec<Told> {
    let ok = |check, key, params| (check, VERIFIED, COMPLETED, key, params);
    let gated = |check| {
        let walled = json!({ "status": 401, "scheme": "bearer" });
        (check, UNVERIFIED, "blocked", "credential_required", walled)
    };
    let framed = json!({ "transport": "streamable_http", "framing": "json" });
    vec![
        ok("auth_metadata", "metadata_well_formed", json!({ "scheme": "bearer", "documents": 2 })),
        gated("discovery_handshake"),
        gated("error_taxonomy"),
        gated("latency_profile"),
        gated("protocol_revision"),
        ok("reachability", "answered", json!({ "status": 401 })),
        ok("redirect_policy", "no_cross_host_redirect", json!({ "redirects": 0 })),
        gated("schema_fingerprint"),
        gated("schema_unchanged_vs_approved"),
        ("tls_certificate", UNVERIFIED, COMPLETED, "outside_limited_scope", json!({})),
        gated("tool_description_hygiene"),
        gated("tools_list"),
        gated("toolset_fingerprint"),
        gated("toolset_unchanged_vs_approved"),
        ok("transport_type", "transport_answered", framed),
    ]
}

/// Signed in full, with one finding of each kind.
pub(in crate::publish::tests) fn signed_full(
    host: &str,
    tools: &[&str],
    started_at_ms: i64,
) -> (Report, Option<Evidence>) {
    let target = target(host, Tier::Free);
    let run = run(
        &target,
        started_at_ms,
        "fra",
        signed(Scope::Full, started_at_ms + 3000),
    );
    let list = json!({ "jsonrpc": "2.0", "id": 2, "result": {
        "tools": tools.iter().map(|name| json!({ "name": name, "inputSchema": { "type": "object" } })).collect::<Vec<_>>(),
    }})
    .to_string();
    let exchanges = vec![
        exchange(Step::Discover, 200, &[], b"{}"),
        exchange(Step::ListTools, 200, &[], list.as_bytes()),
    ];
    let observed = observed(&run, exchanges, &[b"{}", list.as_bytes()]);
    let observation = format!(
        "sha256:{}",
        HEXLOWER.encode(&Sha256::digest(&observed.1.observation))
    );
    let predicate = predicate(&run, Some("full"), &observation, &told_full());
    let (newest, evidence) = whole(&target, run, observed, &predicate, &detail(tools));
    let states = StateCounts {
        failed: 1,
        observed_risk: 1,
        unverified: 1,
        verified: 12,
    };
    (report(target, newest, Some(states)), evidence)
}

/// Signed to the sign-in wall.
pub(in crate::publish::tests) fn signed_limited() -> (Report, Option<Evidence>) {
    let target = target("mcp.ledgerline.example", Tier::Unclaimed);
    let started_at_ms = NOW_MS - 9_076_000;
    let run = run(
        &target,
        started_at_ms,
        "gru",
        signed(Scope::Limited, started_at_ms + 3000),
    );
    let exchanges = vec![exchange(
        Step::Discover,
        401,
        &[("www-authenticate", "Bearer realm=\"secret realm\"")],
        b"",
    )];
    let observed = observed(&run, exchanges, &[]);
    let observation = format!(
        "sha256:{}",
        HEXLOWER.encode(&Sha256::digest(&observed.1.observation))
    );
    let predicate = predicate(&run, Some("limited"), &observation, &told_limited());
    let (newest, evidence) = whole(&target, run, observed, &predicate, &json!(null));
    (report(target, newest, None), evidence)
}

/// Declined by the signer, for a reason of the server's or of ours.
pub(in crate::publish::tests) fn unsigned(
    host: &str,
    reason_key: &str,
    likely: Option<&str>,
) -> (Report, Option<Evidence>) {
    let target = target(host, Tier::Unclaimed);
    let started_at_ms = NOW_MS - 2 * HOUR_MS;
    let declined = Attestation::Declined {
        reason_key: reason_key.to_owned(),
        attested_at_ms: started_at_ms + 2000,
    };
    let run = run(&target, started_at_ms, "hkg", declined);
    let allow = [("allow", "GET, \u{202E}evil")];
    let mut lost = exchange(Step::Initialize, 405, &allow, b"");
    lost.failure = Some(Failure {
        kind: FailureKind::ConnectionLost.into(),
        rule: String::new(),
    });
    let exchanges = vec![exchange(Step::Discover, 405, &allow, b""), lost];
    let observed = observed(&run, exchanges, &[]);
    let told = [(
        "discovery_handshake",
        FAILED,
        COMPLETED,
        "handshake_http_error",
        json!({ "step": "initialize", "status": 405 }),
    )];
    let predicate = predicate(&run, None, &digest("observation"), &told);
    let mut detail = detail(&TOOLS);
    detail["likely_cause"] = json!(likely);
    detail["revisions"]["recorded"] = Value::Null;
    let (newest, evidence) = whole(&target, run, observed, &predicate, &detail);
    (report(target, newest, None), evidence)
}

/// Stored, and the signer was asked twice.
pub(in crate::publish::tests) fn pending() -> (Report, Option<Evidence>) {
    let (mut report, mut evidence) = unsigned("mcp.waiting.example", "handshake_http_error", None);
    let waiting = Attestation::Pending { attempts: 2 };
    for run in report
        .run
        .iter_mut()
        .map(|run| &mut run.run)
        .chain(report.runs.iter_mut().map(|line| &mut line.run))
    {
        run.attestation = waiting.clone();
    }
    if let Some(run) = &mut report.run {
        run.findings = None;
    }
    if let Some(evidence) = &mut evidence {
        evidence.run.attestation = waiting.clone();
        evidence.findings = None;
    }
    (report, evidence)
}

/// No run has looked yet.
pub(in crate::publish::tests) fn unobserved() -> Report {
    let target = target("mcp.plover.example", Tier::Unclaimed);
    let days = days(false).days.into_iter().map(|day| Day {
        kind: DayKind::Before,
        runs: 0,
        answered: 0,
        missed: 0,
        ..day
    });
    Report {
        target,
        run: None,
        is_newest: true,
        runs: Vec::new(),
        run_count: 0,
        missed: Vec::new(),
        observed_days: ObservedDays {
            days: days.collect(),
            answered: 0,
            counted: 0,
        },
        tools_unchanged: None,
        tool_changes: ToolChanges::default(),
        regions: Vec::new(),
        baseline: None,
    }
}
