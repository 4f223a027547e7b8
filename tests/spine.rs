//! The main job on real MCP servers that nobody here wrote: through
//! `touchstone up`, from slot to signed evidence, each value compared with an
//! independent reading of the same server.

use std::process::Command;

use serde_json::Value;

use crate::support::peers::{Kind, Peer, installed};
use crate::support::up::{Up, get, program};

/// What a peer must come out as. Written from the specification and from what
/// the peer answers to curl, before the code was run against it.
struct Expected {
    kind: Kind,
    revision: Option<&'static str>,
    /// The independent client's era.
    modern: bool,
    scope: &'static str,
    /// Checks that are not VERIFIED: id, state, reason key.
    other: &'static [(&'static str, &'static str, &'static str)],
}

/// Every peer is plain http on loopback, shows no sign-in and has no baseline.
const COMMON: &[(&str, &str, &str)] = &[
    ("tls_certificate", "UNVERIFIED", "plain_http"),
    (
        "toolset_unchanged_vs_approved",
        "UNVERIFIED",
        "no_approved_baseline",
    ),
    (
        "schema_unchanged_vs_approved",
        "UNVERIFIED",
        "no_approved_baseline",
    ),
];
const OPEN: (&str, &str, &str) = ("auth_metadata", "UNVERIFIED", "not_observable");
/// An unknown tool is answered by a result with isError, as most SDKs do.
const AS_RESULT: (&str, &str, &str) = ("error_taxonomy", "OBSERVED_RISK", "error_as_result");

const LEGACY: Option<&str> = Some("2025-11-25");
const MODERN: Option<&str> = Some("2026-07-28");

const EXPECTED: &[Expected] = &[
    Expected {
        kind: Kind::Everything,
        revision: LEGACY,
        modern: false,
        scope: "full",
        other: &[OPEN, AS_RESULT],
    },
    Expected {
        kind: Kind::Mcp2,
        revision: MODERN,
        modern: true,
        scope: "full",
        other: &[OPEN, AS_RESULT],
    },
    Expected {
        kind: Kind::Mcp2Json,
        revision: MODERN,
        modern: true,
        scope: "full",
        other: &[OPEN, AS_RESULT],
    },
    Expected {
        kind: Kind::FastMcp,
        revision: MODERN,
        modern: true,
        scope: "full",
        other: &[OPEN, AS_RESULT],
    },
    Expected {
        kind: Kind::Ts2,
        revision: MODERN,
        modern: true,
        scope: "full",
        other: &[OPEN],
    },
    Expected {
        kind: Kind::Ts2ModernSse,
        revision: MODERN,
        modern: true,
        scope: "full",
        other: &[OPEN],
    },
    Expected {
        kind: Kind::Ts1Paged,
        revision: LEGACY,
        modern: false,
        scope: "full",
        other: &[OPEN],
    },
    Expected {
        kind: Kind::Ts1Json,
        revision: LEGACY,
        modern: false,
        scope: "full",
        other: &[OPEN],
    },
    Expected {
        kind: Kind::Mcp1,
        revision: LEGACY,
        modern: false,
        scope: "full",
        other: &[OPEN, AS_RESULT],
    },
    Expected {
        kind: Kind::Go,
        revision: LEGACY,
        modern: false,
        scope: "full",
        other: &[OPEN],
    },
    Expected {
        kind: Kind::Gated,
        revision: None,
        modern: false,
        scope: "limited",
        other: &[
            // Its resource metadata names itself as authorization server, and it serves no such metadata.
            (
                "auth_metadata",
                "OBSERVED_RISK",
                "server_metadata_not_found",
            ),
            ("protocol_revision", "UNVERIFIED", "credential_required"),
            ("discovery_handshake", "UNVERIFIED", "credential_required"),
            ("tools_list", "UNVERIFIED", "credential_required"),
            ("toolset_fingerprint", "UNVERIFIED", "credential_required"),
            ("schema_fingerprint", "UNVERIFIED", "credential_required"),
            ("error_taxonomy", "UNVERIFIED", "credential_required"),
            ("latency_profile", "UNVERIFIED", "credential_required"),
            (
                "tool_description_hygiene",
                "UNVERIFIED",
                "credential_required",
            ),
        ],
    },
];

const CHECKS: [&str; 15] = [
    "auth_metadata",
    "discovery_handshake",
    "error_taxonomy",
    "latency_profile",
    "protocol_revision",
    "reachability",
    "redirect_policy",
    "schema_fingerprint",
    "schema_unchanged_vs_approved",
    "tls_certificate",
    "tool_description_hygiene",
    "tools_list",
    "toolset_fingerprint",
    "toolset_unchanged_vs_approved",
    "transport_type",
];

/// All peers under one `up`: slots, leases, signing and pages of eleven targets at once.
#[test]
fn real_servers_come_out_as_they_are() {
    let peers: Vec<Peer> = std::thread::scope(|scope| {
        let starting: Vec<_> = EXPECTED
            .iter()
            .map(|expected| scope.spawn(|| Peer::start(expected.kind)))
            .collect();
        starting
            .into_iter()
            .map(|peer| peer.join().unwrap())
            .collect()
    });
    let folder = tempfile::tempdir().unwrap();
    let urls: Vec<&str> = peers.iter().map(|peer| peer.url.as_str()).collect();
    let mut up = Up::start(&folder.path().join("data"), &urls);
    for (expected, peer) in EXPECTED.iter().zip(&peers) {
        let result = up.result_of(&peer.url);
        assert_eq!(result["event"], "attested", "{:?}: {result}", expected.kind);
        let run_id = result["run_id"].as_str().unwrap();
        let bundle_path = folder.path().join(format!("{:?}.json", expected.kind));
        let (status, bundle) = get(&format!("{}/evidence/{run_id}.json", up.pages));
        assert_eq!(status, 200, "{:?}", expected.kind);
        std::fs::write(&bundle_path, &bundle).unwrap();
        let statement = payload(&bundle);
        judge(expected, peer, &statement);
        verifies(&bundle_path, expected.kind);
        let (status, page) = get(&format!(
            "{}/servers/{}",
            up.pages,
            result["slug"].as_str().unwrap()
        ));
        assert_eq!(status, 200);
        assert!(
            page.contains(&peer.url.replace('/', "&#x2f;")) || page.contains(&peer.url),
            "{:?}",
            expected.kind
        );
    }
    let (code, took) = up.interrupt();
    assert_eq!(code, Some(0), "Ctrl-C ends cleanly, took {took:?}");
}

fn payload(bundle: &str) -> Value {
    let bundle: Value = serde_json::from_str(bundle).unwrap();
    let payload = bundle["envelope"]["payload"].as_str().unwrap();
    let bytes = data_encoding::BASE64.decode(payload.as_bytes()).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

fn judge(expected: &Expected, peer: &Peer, statement: &Value) {
    let kind = expected.kind;
    let predicate = &statement["predicate"];
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(predicate["scope"], expected.scope, "{kind:?}");
    assert_eq!(predicate["endpoint"]["url"], peer.url, "{kind:?}");
    assert_eq!(
        predicate["protocol"]["recorded_revision"].as_str(),
        expected.revision,
        "{kind:?}"
    );
    let assertions = predicate["assertions"].as_array().unwrap();
    let ids: Vec<&str> = assertions
        .iter()
        .map(|a| a["check"].as_str().unwrap())
        .collect();
    assert_eq!(ids, CHECKS, "{kind:?}: one assertion a check, sorted");
    for assertion in assertions {
        let id = assertion["check"].as_str().unwrap();
        let (state, reason) = match expected
            .other
            .iter()
            .chain(COMMON)
            .find(|other| other.0 == id)
        {
            Some((_, state, reason)) => (*state, Some(*reason)),
            None => ("VERIFIED", None),
        };
        // Behind a sign-in wall nothing but four checks is concluded.
        let reason = reason.filter(|_| {
            expected.scope == "full" || assertion["reason"]["key"] != "outside_limited_scope"
        });
        assert_eq!(assertion["state"], state, "{kind:?} {id}: {assertion}");
        if let Some(reason) = reason {
            assert_eq!(
                assertion["reason"]["key"], reason,
                "{kind:?} {id}: {assertion}"
            );
        }
    }
    if expected.scope == "full" {
        let [tools, toolset, schema, definition] = independent_reading(peer, expected.modern);
        assert_eq!(predicate["tool_count"], tools, "{kind:?}");
        assert_eq!(predicate["toolset_fingerprint"], toolset, "{kind:?}");
        assert_eq!(predicate["schema_fingerprint"], schema, "{kind:?}");
        assert_eq!(predicate["definition_fingerprint"], definition, "{kind:?}");
    } else {
        assert_eq!(predicate["toolset_fingerprint"], Value::Null, "{kind:?}");
        assert_eq!(predicate["challenge"]["scheme"], "bearer", "{kind:?}");
    }
}

/// Tool count and the three fingerprints, by a client and two scripts that share no line with us.
fn independent_reading(peer: &Peer, modern: bool) -> [Value; 4] {
    let python = installed().join("mcp2/bin/python");
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut client = Command::new(&python);
    client
        .arg(here.join("tests/peers/python/list_tools.py"))
        .arg(&peer.url);
    if modern {
        client.arg("modern");
    }
    let listed = client.output().unwrap();
    assert!(
        listed.status.success(),
        "{}",
        String::from_utf8_lossy(&listed.stderr)
    );
    let pages: Vec<Value> = serde_json::from_slice(&listed.stdout).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<_> = pages
        .iter()
        .enumerate()
        .map(|(place, page)| {
            let file = folder.path().join(format!("{place}.json"));
            std::fs::write(&file, page.to_string()).unwrap();
            file
        })
        .collect();
    let run = |program: &std::path::Path, script: &str| -> Value {
        let output = Command::new(program)
            .arg(here.join(script))
            .args(&files)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let by_python = run(&python, "shared/canonical/recompute_fingerprints.py");
    let by_node = run(
        std::path::Path::new("node"),
        "shared/canonical/recompute-fingerprints.mjs",
    );
    let ours = Command::new(program())
        .arg("fingerprint")
        .arg("--json")
        .args(&files)
        .output()
        .unwrap();
    let ours: Value = serde_json::from_slice(&ours.stdout).unwrap();
    [
        "tools",
        "toolset_fingerprint",
        "schema_fingerprint",
        "definition_fingerprint",
    ]
    .map(|key| {
        assert_eq!(by_python[key], by_node[key]);
        assert_eq!(by_python[key], ours[key]);
        by_python[key].clone()
    })
}

/// By our own `verify`, and by securesystemslib, which is not ours.
fn verifies(bundle: &std::path::Path, kind: Kind) {
    let ours = Command::new(program())
        .args(["verify", "--json", "--replay"])
        .arg(bundle)
        .output()
        .unwrap();
    assert_eq!(
        ours.status.code(),
        Some(0),
        "{kind:?}: {}",
        String::from_utf8_lossy(&ours.stdout)
    );
    let theirs = Command::new(installed().join("verify/bin/python"))
        .arg(
            std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/peers/python/verify_dsse.py"),
        )
        .arg(bundle)
        .output()
        .unwrap();
    assert!(
        theirs.status.success(),
        "{kind:?}: {}",
        String::from_utf8_lossy(&theirs.stderr)
    );
}
