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
    // The wrappings pass on what is behind them: an error as an error, a result as a result.
    Expected {
        kind: Kind::SuperGateway,
        revision: LEGACY,
        modern: false,
        scope: "full",
        other: &[OPEN],
    },
    Expected {
        kind: Kind::SuperGatewayOnce,
        revision: LEGACY,
        modern: false,
        scope: "full",
        other: &[OPEN],
    },
    Expected {
        kind: Kind::McpProxyNode,
        revision: MODERN,
        modern: true,
        scope: "full",
        other: &[OPEN, AS_RESULT],
    },
    Expected {
        kind: Kind::McpProxyPython,
        revision: LEGACY,
        modern: false,
        scope: "full",
        other: &[OPEN, AS_RESULT],
    },
    Expected {
        kind: Kind::Rmcp,
        revision: MODERN,
        modern: true,
        scope: "full",
        other: &[OPEN],
    },
    Expected {
        kind: Kind::RmcpJson,
        revision: MODERN,
        modern: true,
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

/// All peers under one `up`: slots, leases, signing and pages of all targets at once.
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
        let read = judge(expected, peer, &statement);
        let published = published_names(&up.pages, result["slug"].as_str().unwrap(), run_id);
        match read {
            Some(read) => assert_eq!(
                published,
                (read.names.clone(), Some(read.names)),
                "{:?}: the report's names, and those of the pages that it publishes",
                expected.kind
            ),
            None => {
                assert_eq!(published, (Vec::new(), None), "{:?}", expected.kind);
                encloses_the_challenge(&bundle, &statement);
            }
        }
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

/// As the report says: of a challenge's parameters the names are signed, and
/// the values stand in the raw observation alone.
fn encloses_the_challenge(bundle: &str, statement: &Value) {
    let bundle: Value = serde_json::from_str(bundle).unwrap();
    let observation = bundle["observation"]["bytes"].as_str().unwrap();
    let observation = data_encoding::BASE64
        .decode(observation.as_bytes())
        .unwrap();
    let observation = String::from_utf8_lossy(&observation);
    assert!(
        observation.contains("error=\"invalid_token\""),
        "{observation}"
    );
    let signed = statement.to_string();
    assert!(!signed.contains("invalid_token"), "{signed}");
}

/// The names of the tools as the report's twin has them, and as they stand in
/// the pages of the list that are published beside the evidence; `None` where
/// no page is.
fn published_names(pages: &str, slug: &str, run_id: &str) -> (Vec<String>, Option<Vec<String>>) {
    let (status, twin) = get(&format!("{pages}/servers/{slug}.json"));
    assert_eq!(status, 200, "{slug}");
    let twin: Value = serde_json::from_str(&twin).unwrap();
    let names = twin["tool_names"].as_array().unwrap();
    let in_report = names.iter().map(|name| name.as_str().unwrap().to_owned());
    let mut in_pages = None;
    for page in 1.. {
        let (status, body) = get(&format!("{pages}/evidence/{run_id}/tools-{page}.json"));
        if status == 404 {
            break;
        }
        assert_eq!(status, 200, "{slug} tools-{page}.json");
        let names = names_in(&message(&body)["result"]);
        in_pages.get_or_insert_with(Vec::new).extend(names);
    }
    (in_report.collect(), in_pages)
}

/// The answer to our request in a body as it came, plain JSON or an event stream.
fn message(body: &str) -> Value {
    if let Ok(message) = serde_json::from_str(body) {
        return message;
    }
    body.lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .filter_map(|data| serde_json::from_str::<Value>(data).ok())
        .find(|message| message.get("result").is_some())
        .unwrap_or_else(|| panic!("no answer in {body}"))
}

fn names_in(page: &Value) -> Vec<String> {
    let tools = page["tools"].as_array().unwrap();
    let names = tools.iter().map(|tool| tool["name"].as_str().unwrap());
    names.map(str::to_owned).collect()
}

/// What an independent client read of a server's tools.
struct Read {
    names: Vec<String>,
    /// How many.
    tools: Value,
    /// In the order of [`FINGERPRINTS`].
    fingerprints: [Value; 3],
}

const FINGERPRINTS: [&str; 3] = [
    "toolset_fingerprint",
    "schema_fingerprint",
    "definition_fingerprint",
];

/// Gives what the independent client read, if there is a list to read.
fn judge(expected: &Expected, peer: &Peer, statement: &Value) -> Option<Read> {
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
        let read = independent_reading(peer, expected.modern);
        assert_eq!(predicate["tool_count"], read.tools, "{kind:?}");
        for (key, fingerprint) in FINGERPRINTS.iter().zip(&read.fingerprints) {
            assert_eq!(&predicate[key], fingerprint, "{kind:?}: {key}");
        }
        Some(read)
    } else {
        assert_eq!(predicate["tool_count"], Value::Null, "{kind:?}");
        assert_eq!(predicate["toolset_fingerprint"], Value::Null, "{kind:?}");
        assert_eq!(predicate["challenge"]["scheme"], "bearer", "{kind:?}");
        None
    }
}

/// Names, tool count and the three fingerprints, by a client and two scripts that share no line with us.
fn independent_reading(peer: &Peer, modern: bool) -> Read {
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
    for key in FINGERPRINTS.iter().chain(&["tools"]) {
        assert_eq!(by_python[key], by_node[key]);
        assert_eq!(by_python[key], ours[key]);
    }
    let names: Vec<String> = pages.iter().flat_map(names_in).collect();
    assert!(!names.is_empty(), "{:?}", peer.url);
    Read {
        names,
        tools: by_python["tools"].clone(),
        fingerprints: FINGERPRINTS.map(|key| by_python[key].clone()),
    }
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
