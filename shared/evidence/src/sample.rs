//! Small whole pieces of evidence for the tests of this crate.

use std::convert::Infallible;

use ed25519_dalek::{Signer as _, SigningKey};
use prost::Message as _;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use touchstone_proto::identity::{OBSERVATION_TYPE, key_id, pae};
use touchstone_proto::observation::{
    Body, Exchange, Observation, Response, Run, SignedObservation, Step,
};

use crate::bundle::Bundle;
use crate::dsse;
use crate::keyset::{KeyDocument, KeyEntry, Purpose};
use crate::log::checkpoint::{Checkpoint, Origin, SignedCheckpoint};
use crate::log::entry::Entry;
use crate::log::hash::Hash;
use crate::log::inclusion::LogProof;
use crate::log::proof::inclusion;
use crate::log::tree::{Frontier, position};
use crate::payload::Statement;
use crate::timestamp::Timestamp;

pub(crate) fn attestation_key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

pub(crate) fn agent_key() -> SigningKey {
    SigningKey::from_bytes(&[9; 32])
}

pub(crate) fn log_key() -> SigningKey {
    SigningKey::from_bytes(&[11; 32])
}

/// A signed observation of one exchange with one body.
pub(crate) fn signed_observation(run_id: &str) -> SignedObservation {
    let key = agent_key();
    let body = format!(r#"{{"run":"{run_id}"}}"#).into_bytes();
    let observation = Observation {
        format: 1,
        run: Some(Run {
            run_id: run_id.to_owned(),
            agent_key_id: key_id(key.verifying_key().as_bytes()),
            ..Run::default()
        }),
        exchanges: vec![Exchange {
            step: Step::Discover.into(),
            response: Some(Response {
                status: 200,
                body: Some(Body {
                    kept_sha256: Sha256::digest(&body).to_vec(),
                    kept_size: body.len() as u64,
                    ..Body::default()
                }),
                ..Response::default()
            }),
            ..Exchange::default()
        }],
        ..Observation::default()
    }
    .encode_to_vec();
    SignedObservation {
        signature: key.sign(&pae(OBSERVATION_TYPE, &observation)).to_vec(),
        agent_key_id: key_id(key.verifying_key().as_bytes()),
        bodies: vec![body.into()],
        observation,
    }
}

fn digest(bytes: &[u8]) -> String {
    crate::text::Digest::from(<[u8; 32]>::from(Sha256::digest(bytes))).into()
}

/// The JSON of a full payload over an observation and its baseline.
pub(crate) fn full(run: &SignedObservation, baseline: &SignedObservation) -> Value {
    json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{
            "name": "https://mcp.example/mcp",
            "digest": { "sha256": "333712d9ee0f904d68242e29c51dedd69336e909f19d927e3fb59b22d6b2d61e" }
        }],
        "predicateType": "https://touchstone.dev/attestation/mcp/v1",
        "predicate": {
            "payload_version": "1.0",
            "canonicalization": "nfc-jcs/v1",
            "run": {
                "id": "run-1",
                "slot": 41,
                "started_at": "2026-12-04T11:20:00.000Z",
                "finished_at": "2026-12-04T11:20:03.250Z",
                "region": "eu-west",
                "agent_key_id": run.agent_key_id,
            },
            "observation_digest": digest(&run.observation),
            "endpoint": { "url": "https://mcp.example/mcp", "source": "operator" },
            "scope": "full",
            "suite": {
                "name": "mcp",
                "version": "1.0.0",
                "suite_commit": "0123456789abcdef0123456789abcdef01234567",
                "suite_digest": digest(b"listing"),
                "dirty": false,
            },
            "protocol": {
                "offered_revision": "2026-07-28",
                "recorded_revision": "2026-07-28",
                "supported_revisions": ["2026-07-28", "2025-11-25"],
                "first_listed_revision": "2026-07-28",
            },
            "assertions": [
                {
                    "check": "reachability",
                    "state": "VERIFIED",
                    "execution": "completed",
                    "reason": { "key": "answered", "params": { "status": 200 } },
                },
                {
                    "check": "tools_list",
                    "state": "UNVERIFIED",
                    "execution": "blocked",
                    "reason": { "key": "connection_failed", "params": { "fault": "refused" } },
                },
            ],
            "toolset_projection_version": "v1",
            "toolset_fingerprint": digest(b"tools"),
            "schema_fingerprint": null,
            "definition_projection_version": "definition/v1",
            "definition_fingerprint": digest(b"definitions"),
            "definition_refusal": null,
            "baseline_definition_fingerprint": digest(b"approved definitions"),
            "tool_count": 2,
            "baseline_id": digest(&baseline.observation),
            "challenge": null,
        }
    })
}

/// The JSON of a limited payload over an observation.
pub(crate) fn limited(run: &SignedObservation) -> Value {
    let mut payload = full(run, run);
    let predicate = &mut payload["predicate"];
    predicate["scope"] = json!("limited");
    predicate["protocol"] = json!({
        "offered_revision": "2026-07-28",
        "recorded_revision": null,
        "supported_revisions": [],
        "first_listed_revision": null,
    });
    for key in [
        "toolset_fingerprint",
        "schema_fingerprint",
        "definition_fingerprint",
        "baseline_definition_fingerprint",
        "tool_count",
        "baseline_id",
    ] {
        predicate[key] = Value::Null;
    }
    predicate["challenge"] = json!({
        "scheme": "bearer",
        "names": ["realm", "resource_metadata"],
        "url": "https://mcp.example/.well-known/oauth-protected-resource",
        "digest": digest(b"Bearer realm=x"),
    });
    payload
}

pub(crate) fn statement(payload: &Value) -> Statement {
    Statement::read(payload.to_string().as_bytes()).unwrap()
}

pub(crate) fn keys() -> KeyDocument {
    let from = Timestamp::parse("2026-12-01T00:00:00.000Z").unwrap();
    let entry = |purpose, key: SigningKey| KeyEntry::active(purpose, &key.verifying_key(), from);
    KeyDocument::new(
        3,
        vec![
            entry(Purpose::Attestation, attestation_key()),
            entry(Purpose::AgentIdentity, agent_key()),
            entry(Purpose::LogCheckpoint, log_key()),
        ],
    )
    .unwrap()
}

/// A whole bundle that verifies, observation and baseline enclosed.
pub(crate) fn bundle() -> Bundle {
    let run = signed_observation("run-1");
    let baseline = signed_observation("run-0");
    let payload = statement(&full(&run, &baseline)).canonical().unwrap();
    let envelope = dsse::sign(&payload, &attestation_key());
    let proof = log_proof(&envelope);
    Bundle::new(envelope, &keys(), Some(&run), Some(&baseline)).logged(proof, &keys())
}

/// The proof of a log of five entries in which this envelope is the fourth.
fn log_proof(envelope: &dsse::Envelope) -> LogProof {
    let statement = Statement::read(envelope.payload.as_bytes()).unwrap();
    let entry = Entry::of(envelope, &statement.predicate().run.id)
        .unwrap()
        .to_bytes();
    let entries = [b"0", b"1", b"2", &entry[..], b"4"];
    let mut tree = Frontier::empty();
    let nodes: Vec<Hash> = entries
        .iter()
        .flat_map(|entry| tree.push(Hash::of_leaf(entry)))
        .collect();
    let size = tree.size();
    let Ok::<_, Infallible>(inclusion) = inclusion(3, size, |place| {
        Ok(nodes[usize::try_from(position(place)).unwrap()])
    });
    let checkpoint = Checkpoint {
        origin: Origin::new("log.example/touchstone").unwrap(),
        size,
        root: tree.root(),
    };
    LogProof {
        index: 3,
        inclusion,
        checkpoint: signed(checkpoint).to_string(),
    }
}

pub(crate) fn signed(checkpoint: Checkpoint) -> SignedCheckpoint {
    let sign = |text: &[u8]| Ok::<_, Infallible>(log_key().sign(text));
    let Ok(signed) = checkpoint.signed(&log_key().verifying_key(), sign);
    signed
}
