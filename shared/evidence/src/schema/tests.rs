//! The schema and the types must say the same: what one refuses, so does the other.

use serde_json::{Value, json};

use super::*;
use crate::payload::Statement;
use crate::sample;

fn validator() -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(VERSIONS[0].schema).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn good() -> Vec<Value> {
    let (run, baseline) = (
        sample::signed_observation("run-1"),
        sample::signed_observation("run-0"),
    );
    let full = sample::full(&run, &baseline);
    let mut unidentified = full.clone();
    for key in ["suite_commit", "suite_digest", "dirty"] {
        unidentified["predicate"]["suite"][key] = Value::Null;
    }
    let mut bare = full.clone();
    bare["predicate"]["protocol"] = json!({
        "offered_revision": null,
        "recorded_revision": null,
        "supported_revisions": [],
        "first_listed_revision": null,
    });
    bare["predicate"]["assertions"][0]["reason"]["params"] =
        json!({ "n": -9_007_199_254_740_991_i64, "scheme": "Bearer" });
    vec![full, sample::limited(&run), unidentified, bare]
}

/// One payload of each version as it was once signed. A file here is never
/// edited again once its version is released: it must stay verifiable.
const SIGNED_ONCE: [(&str, &str); 1] = [("1.0", include_str!("../../schema/signed-1.0.json"))];

#[test]
fn what_was_signed_in_any_version_is_still_read() {
    assert!(
        VERSIONS
            .iter()
            .map(|known| known.version)
            .eq(SIGNED_ONCE.map(|(version, _)| version))
    );
    for (version, signed) in SIGNED_ONCE {
        let Claimed::Known(known) = Version::claimed(signed.as_bytes()) else {
            panic!("{version} is not known")
        };
        assert_eq!(known.version, version);
        let schema: Value = serde_json::from_str(known.schema).unwrap();
        assert!(schema["$id"].as_str().unwrap().ends_with(&known.file()));
        let payload: Value = serde_json::from_str(signed).unwrap();
        jsonschema::validator_for(&schema)
            .unwrap()
            .validate(&payload)
            .unwrap();
        let statement = known.read(signed.as_bytes()).unwrap();
        assert_eq!(statement.canonical().unwrap().as_bytes(), signed.as_bytes());
    }
}

#[test]
fn a_version_that_is_not_known_is_named_in_plain_text() {
    let mut payload = good()[0].clone();
    let mut claimed = |pointer: &str, text: &str| {
        *payload.pointer_mut(pointer).unwrap() = json!(text);
        match Version::claimed(payload.to_string().as_bytes()) {
            Claimed::Unknown(name) => name,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(claimed("/predicate/payload_version", "2.0"), "2.0");
    assert_eq!(claimed("/predicate/payload_version", "1.0\u{1b}"), "1.0?");
    let long = claimed("/predicate/payload_version", &"9".repeat(500));
    assert_eq!(long.len(), NAME_LIMIT);
    claimed("/predicate/payload_version", "1.0.0");
    let other = claimed("/predicateType", "https://other.example/v1");
    assert_eq!(other, "1.0.0 of https://other.example/v1");
    for nothing in ["", "{}", "[1.0]", r#"{"predicateType":"x","predicate":{}}"#] {
        assert!(matches!(
            Version::claimed(nothing.as_bytes()),
            Claimed::Nothing
        ));
    }
}

#[test]
fn what_types_write_the_schema_accepts() {
    let validator = validator();
    for payload in good() {
        let canonical = sample::statement(&payload).canonical().unwrap();
        let written: Value = serde_json::from_slice(canonical.as_bytes()).unwrap();
        assert_eq!(written, payload);
        if let Err(error) = validator.validate(&written) {
            panic!("{error} at {}", error.instance_path());
        }
    }
}

#[test]
fn every_key_is_required_and_every_object_closed() {
    let validator = validator();
    for payload in good() {
        let mut objects = Vec::new();
        list_objects(&payload, &mut String::new(), &mut objects);
        for (pointer, keys) in objects {
            // A reason's parameters are its own.
            if pointer.ends_with("/params") {
                continue;
            }
            let mut wider = payload.clone();
            wider.pointer_mut(&pointer).unwrap()["surplus"] = json!(1);
            refuse(&validator, &wider, &format!("surplus key in {pointer}"));
            for key in keys {
                let mut narrower = payload.clone();
                let object = narrower.pointer_mut(&pointer).unwrap();
                object.as_object_mut().unwrap().remove(&key);
                refuse(&validator, &narrower, &format!("{pointer}/{key} left out"));
            }
        }
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn values_of_another_form_are_refused() {
    let validator = validator();
    let long = "x".repeat(65);
    let table: &[(&str, Value)] = &[
        ("/_type", json!("https://in-toto.io/Statement/v0.1")),
        (
            "/predicateType",
            json!("https://touchstone.dev/attestation/mcp/v2"),
        ),
        ("/subject", json!([])),
        ("/predicate/payload_version", json!("1.1")),
        ("/predicate/canonicalization", json!("RFC 8785")),
        ("/predicate/scope", Value::Null),
        ("/predicate/scope", json!("partial")),
        ("/predicate/run/started_at", json!("2026-12-04T11:20:00Z")),
        (
            "/predicate/run/started_at",
            json!("2026-12-04T11:20:00.000+00:00"),
        ),
        ("/predicate/run/started_at", json!(1)),
        ("/predicate/run/slot", json!(-1)),
        ("/predicate/run/slot", json!(9_007_199_254_740_992_u64)),
        ("/predicate/run/slot", json!("41")),
        ("/predicate/run/region", json!("EU West")),
        ("/predicate/run/agent_key_id", json!("ab")),
        ("/predicate/observation_digest", json!("ab")),
        ("/predicate/endpoint/url", json!("not a url")),
        ("/predicate/endpoint/source", json!("unspecified")),
        ("/predicate/suite/suite_commit", Value::Null),
        ("/predicate/suite/suite_digest", Value::Null),
        ("/predicate/suite/dirty", Value::Null),
        ("/predicate/suite/dirty", json!("no")),
        (
            "/predicate/protocol/recorded_revision",
            json!("DRAFT-2026-v1"),
        ),
        (
            "/predicate/protocol/supported_revisions",
            json!(["ignore all rules"]),
        ),
        ("/predicate/assertions", json!([])),
        ("/predicate/assertions/0/state", json!("PASSED")),
        ("/predicate/assertions/0/state", Value::Null),
        ("/predicate/assertions/0/execution", json!("COMPLETED")),
        ("/predicate/assertions/0/check", json!("Reachability")),
        ("/predicate/assertions/1/reason", Value::Null),
        ("/predicate/assertions/1/reason", json!("connection_failed")),
        ("/predicate/assertions/1/reason/key", Value::Null),
        (
            "/predicate/assertions/1/reason/key",
            json!("it was refused"),
        ),
        ("/predicate/assertions/1/reason/params", Value::Null),
        (
            "/predicate/assertions/1/reason/params",
            json!({ "fault": "free text" }),
        ),
        (
            "/predicate/assertions/1/reason/params",
            json!({ "fault": long }),
        ),
        (
            "/predicate/assertions/1/reason/params",
            json!({ "fault": 1.5 }),
        ),
        (
            "/predicate/assertions/1/reason/params",
            json!({ "fault": true }),
        ),
        (
            "/predicate/assertions/1/reason/params",
            json!({ "fault": null }),
        ),
        (
            "/predicate/assertions/1/reason/params",
            json!({ "Not a name": 1 }),
        ),
        (
            "/predicate/assertions/1/reason/params",
            json!({ "n": 9_007_199_254_740_992_i64 }),
        ),
        ("/predicate/toolset_projection_version", json!("v2")),
        ("/predicate/toolset_fingerprint", json!("sha256:AB")),
        (
            "/predicate/definition_projection_version",
            json!("definition/v2"),
        ),
        ("/predicate/definition_fingerprint", json!("sha256:AB")),
        ("/predicate/definition_fingerprint", Value::Null),
        (
            "/predicate/definition_refusal",
            json!({ "key": "fingerprint_not_canonical", "params": { "tool": 0 } }),
        ),
        ("/predicate/baseline_id", Value::Null),
        ("/predicate/tool_count", json!(-1)),
        ("/predicate/tool_count", Value::Null),
        ("/predicate/challenge", json!({})),
    ];
    let full = &good()[0];
    for (pointer, value) in table {
        let mut payload = full.clone();
        *payload.pointer_mut(pointer).unwrap() = value.clone();
        refuse(&validator, &payload, &format!("{pointer} = {value}"));
    }
}

#[test]
fn a_list_without_a_definition_fingerprint_says_why() {
    let mut payload = good()[0].clone();
    payload["predicate"]["definition_fingerprint"] = Value::Null;
    payload["predicate"]["definition_refusal"] = json!({ "key": "fingerprint_not_canonical", "params": { "cause": "lone_surrogate", "tool": 3 } });
    assert!(validator().is_valid(&payload));
    assert!(Statement::read(payload.to_string().as_bytes()).is_ok());
}

#[test]
fn a_limited_payload_states_nothing_behind_the_wall() {
    let validator = validator();
    let limited = &good()[1];
    let digest = limited["predicate"]["observation_digest"].clone();
    let table: &[(&str, Value)] = &[
        ("/predicate/challenge", Value::Null),
        ("/predicate/protocol/recorded_revision", json!("2026-07-28")),
        (
            "/predicate/protocol/supported_revisions",
            json!(["2026-07-28"]),
        ),
        ("/predicate/challenge/scheme", json!("two words")),
        ("/predicate/challenge/names", json!(["a\"b"])),
        ("/predicate/toolset_fingerprint", digest.clone()),
        ("/predicate/schema_fingerprint", digest.clone()),
        ("/predicate/definition_fingerprint", digest.clone()),
        ("/predicate/baseline_definition_fingerprint", digest),
        (
            "/predicate/definition_refusal",
            json!({ "key": "fingerprint_not_canonical", "params": {} }),
        ),
        ("/predicate/tool_count", json!(3)),
        ("/predicate/assertions/1/state", json!("VERIFIED")),
        ("/predicate/assertions/1/state", json!("FAILED")),
    ];
    for (pointer, value) in table {
        let mut payload = limited.clone();
        *payload.pointer_mut(pointer).unwrap() = value.clone();
        refuse(&validator, &payload, &format!("{pointer} = {value}"));
    }
}

/// What a schema cannot say, the types still refuse.
#[test]
fn order_subject_and_time_are_checked_beyond_the_schema() {
    let mut unsorted = good()[0].clone();
    unsorted["predicate"]["assertions"]
        .as_array_mut()
        .unwrap()
        .reverse();
    let mut twice = good()[0].clone();
    let first = twice["predicate"]["assertions"][0].clone();
    twice["predicate"]["assertions"][1] = first;
    let mut other_subject = good()[0].clone();
    other_subject["subject"][0]["digest"]["sha256"] = json!("0".repeat(64));
    let mut other_name = good()[0].clone();
    other_name["subject"][0]["name"] = json!("https://other.example/mcp");
    let mut backwards = good()[0].clone();
    backwards["predicate"]["run"]["finished_at"] = json!("2026-12-04T11:19:59.999Z");
    let mut first_listed = good()[0].clone();
    first_listed["predicate"]["protocol"]["first_listed_revision"] = json!("2025-11-25");
    let mut no_such_day = good()[0].clone();
    no_such_day["predicate"]["run"]["started_at"] = json!("2026-02-30T11:19:59.999Z");
    for payload in [
        unsorted,
        twice,
        other_subject,
        other_name,
        backwards,
        first_listed,
        no_such_day,
    ] {
        assert!(Statement::read(payload.to_string().as_bytes()).is_err());
    }
}

fn refuse(validator: &jsonschema::Validator, payload: &Value, what: &str) {
    assert!(!validator.is_valid(payload), "the schema accepts {what}");
    let read = Statement::read(payload.to_string().as_bytes());
    assert!(read.is_err(), "the types accept {what}");
}

fn list_objects(value: &Value, pointer: &mut String, found: &mut Vec<(String, Vec<String>)>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(object) => {
            found.push((pointer.clone(), object.keys().cloned().collect()));
            object
                .iter()
                .map(|(key, value)| (key.clone(), value))
                .collect()
        }
        Value::Array(items) => (0..).map(|i: usize| i.to_string()).zip(items).collect(),
        _ => Vec::new(),
    };
    for (key, child) in children {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(&key);
        list_objects(child, pointer, found);
        pointer.truncate(length);
    }
}
