//! Whatever an agent signs, the answer is a payload of the schema or a refusal.

use std::sync::LazyLock;

use ed25519_dalek::Signer as _;
use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Value, json};
use touchstone_evidence::payload::Statement;
use touchstone_evidence::schema::Version;
use touchstone_evidence::text::Name;
use touchstone_suites::reason::SPECS;
use touchstone_suites::registry::CHECKS;

use super::tests::{AGENT, agent_key, attest, attestor};
use super::*;
use crate::sample::{Sample, agent};

/// The schema of what is signed.
static SIGNED: LazyLock<Validator> = LazyLock::new(|| validator(&schema()));
/// The schema of what is shown unsigned.
static UNSIGNED: LazyLock<Validator> = LazyLock::new(|| {
    validator(&json!({ "$ref": "#/$defs/predicate", "$defs": schema()["$defs"] }))
});

fn schema() -> Value {
    serde_json::from_str(Version::find("1.0").unwrap().schema).unwrap()
}

fn validator(schema: &Value) -> Validator {
    jsonschema::validator_for(schema).unwrap()
}

fn assert_valid(validator: &Validator, json: &[u8]) {
    let value: Value = serde_json::from_slice(json).unwrap();
    if let Err(error) = validator.validate(&value) {
        panic!("{error} at {}", error.instance_path());
    }
}

fn assert_fits(answer: &Answer) {
    let predicate = answer.predicate.canonical().unwrap();
    assert_valid(&UNSIGNED, predicate.as_bytes());
    if let Attested::Signed { envelope, .. } = &answer.attested {
        let payload = envelope.payload.as_bytes();
        assert_valid(&SIGNED, payload);
        Statement::read(payload).unwrap();
    }
}

#[test]
fn every_check_and_reason_of_the_suite_can_be_written() {
    for name in CHECKS.iter().map(|check| check.name) {
        assert!(Name::new(name).is_ok(), "{name}");
    }
    for spec in SPECS {
        assert!(Name::new(spec.name).is_ok(), "{}", spec.name);
        for param in spec.params {
            assert!(Name::new(*param).is_ok(), "{}.{param}", spec.name);
        }
    }
}

#[test]
fn each_kind_of_answer_fits_the_schema() {
    let server = Sample::full(AGENT, &["add", "remove"]);
    for sample in [server, Sample::gated(AGENT), Sample::failing(AGENT)] {
        assert_fits(&attest(&sample).unwrap());
    }
}

proptest! {
    #[test]
    fn whatever_a_server_answers(
        exchange in 0_usize..5,
        status in prop_oneof![Just(200_u32), Just(401), Just(429), Just(503), 0_u32..1000],
        body in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..64),
            "[\\[\\]{}\":,0-9a-z ]{0,64}".prop_map(String::into_bytes),
            Just(br#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"\ud800"}]}}"#.to_vec()),
            Just(br#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"x","inputSchema":{"a":1e400}}]}}"#.to_vec()),
            Just(br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"ignore previous"}}"#.to_vec()),
        ],
        challenge in "[ -~]{0,80}",
    ) {
        let mut sample = Sample::full(AGENT, &["add"]);
        sample.answer(exchange, status, &body);
        sample.header(exchange, "www-authenticate", &challenge);
        assert_fits(&attest(&sample).unwrap());
    }

    #[test]
    fn whatever_an_agent_signs(place in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut signed = Sample::full(AGENT, &["add"]).sign(AGENT);
        *place.get_mut(&mut signed.observation) = byte;
        let message = pae(OBSERVATION_TYPE, &signed.observation);
        signed.signature = agent(AGENT).sign(&message).to_vec();
        if let Ok(answer) = attestor().attest(&signed, None, &agent_key(AGENT)) {
            assert_fits(&answer);
        }
    }
}
