use ed25519_dalek::SigningKey;
use touchstone_evidence::bundle::Bundle;
use touchstone_evidence::keyset::KeyDocument;
use touchstone_evidence::verify::{Outcome, Replay, StepName, verify_bytes};
use touchstone_proto::vocabulary::State;
use touchstone_suites::registry::CHECKS;

use super::*;
use crate::derive;
use crate::sample::{REGION, STARTED_AT_MS, Sample, agent};

pub(super) const AGENT: u8 = 1;
const OTHER_AGENT: u8 = 2;

pub(super) fn attestor() -> Attestor {
    let from = Timestamp::from_ms(STARTED_AT_MS).unwrap();
    Attestor::new(SigningKey::from_bytes(&[7; 32]), from)
}

/// What the roster would say of that agent.
pub(super) fn agent_key(seed: u8) -> AgentKey {
    AgentKey {
        public_key: agent(seed).verifying_key(),
        region: Region::new(REGION).unwrap(),
        revoked_at: None,
    }
}

pub(super) fn attest(sample: &Sample) -> Result<Answer, Refused> {
    attestor().attest(&sample.sign(AGENT), None, &agent_key(AGENT))
}

fn envelope(answer: &Answer) -> (&Envelope, Scope) {
    match &answer.attested {
        Attested::Signed {
            envelope, scope, ..
        } => (envelope, *scope),
        Attested::Declined { reason_key } => panic!("declined: {reason_key}"),
    }
}

fn keys() -> KeyDocument {
    let from = Timestamp::from_ms(STARTED_AT_MS).unwrap();
    let agent = |seed| KeyEntry::active(Purpose::AgentIdentity, &agent_key(seed).public_key, from);
    let keys = vec![attestor().key_entry(), agent(AGENT), agent(OTHER_AGENT)];
    KeyDocument::new(1, keys).unwrap()
}

#[test]
fn a_complete_run_is_signed_in_full_and_verifies() {
    let sample = Sample::full(AGENT, &["add", "remove"]);
    let signed = sample.sign(AGENT);
    let answer = attest(&sample).unwrap();
    let (envelope, scope) = envelope(&answer);
    assert_eq!(scope, Scope::Full);
    let predicate = &answer.predicate;
    assert_eq!(predicate.tool_count, Some(2));
    assert!(predicate.toolset_fingerprint.is_some() && predicate.schema_fingerprint.is_some());
    let mut checks: Vec<_> = CHECKS.iter().map(|check| check.name).collect();
    checks.sort_unstable();
    let asserted: Vec<_> = predicate
        .assertions
        .iter()
        .map(|a| a.check.as_str())
        .collect();
    assert_eq!(asserted, checks);
    assert_eq!(answer.detail.tool_names, ["add", "remove"]);

    let bundle = Bundle::new(envelope.clone(), &keys(), Some(&signed), None).to_json();
    let suite = suite_identity();
    let replay = Replay {
        suite: &suite,
        derive: &derive,
    };
    let verdict = verify_bytes(&bundle, Some(&keys()), Some(&replay));
    assert_eq!(verdict.verdict, Outcome::Valid, "{verdict:?}");
    assert_eq!(verdict.steps.last().unwrap().step, StepName::Replay);
}

#[test]
fn a_gated_run_is_signed_as_far_as_the_wall() {
    let answer = attest(&Sample::gated(AGENT)).unwrap();
    assert_eq!(envelope(&answer).1, Scope::Limited);
    let predicate = &answer.predicate;
    let challenge = predicate.challenge.as_ref().unwrap();
    assert_eq!(challenge.scheme.as_str(), "bearer");
    assert_eq!(predicate.tool_count, None);
    let verified: Vec<_> = predicate
        .assertions
        .iter()
        .filter(|assertion| assertion.state != State::Unverified)
        .map(|assertion| assertion.check.as_str())
        .collect();
    assert!(
        verified
            .iter()
            .all(|check| touchstone_evidence::payload::LIMITED_CHECKS.contains(check)),
        "{verified:?}"
    );
}

#[test]
fn a_failed_run_is_declined_with_its_reason_and_its_findings() {
    let answer = attest(&Sample::failing(AGENT)).unwrap();
    let Attested::Declined { reason_key } = &answer.attested else {
        panic!("signed");
    };
    assert_eq!(reason_key, "server_error");
    assert_eq!(answer.predicate.scope, None);
    assert_eq!(answer.predicate.assertions.len(), CHECKS.len());
    answer.predicate.canonical().unwrap();
}

#[test]
fn the_same_observation_gives_the_same_bytes() {
    let sample = Sample::full(AGENT, &["add"]);
    let once = attest(&sample).unwrap();
    let again = attest(&sample).unwrap();
    assert_eq!(envelope(&once).0, envelope(&again).0);
    let mut other = sample.clone();
    other.run().finished_at_ms += 1;
    let other = attest(&other).unwrap();
    assert_ne!(envelope(&once).0, envelope(&other).0);
}

#[test]
fn a_thousand_replays_of_one_observation_give_one_payload() {
    let signed = Sample::full(AGENT, &["add", "Übersetzen", "e\u{301}"]).sign(AGENT);
    let approved = Sample::full(OTHER_AGENT, &["add"]).sign(OTHER_AGENT);
    let baseline_agent = agent_key(OTHER_AGENT);
    let payload = || {
        let baseline = Some((&approved, &baseline_agent));
        let answer = attestor().attest(&signed, baseline, &agent_key(AGENT));
        envelope(&answer.unwrap()).0.payload.clone()
    };
    let first = payload();
    let open = |signed| Recorded::open(signed).unwrap();
    for replay in 0..1_000 {
        // The signatures, which no payload depends on, are what takes the time.
        if replay % 50 == 0 {
            assert_eq!(payload(), first);
        }
        let replayed = derive(&open(&signed), Some(&open(&approved))).unwrap();
        let replayed = replayed.canonical().unwrap();
        assert_eq!(replayed.as_bytes(), first.as_bytes());
    }
}

#[test]
fn a_run_is_compared_with_its_approved_baseline() {
    let approved = Sample::full(OTHER_AGENT, &["add"]).sign(OTHER_AGENT);
    let signed = Sample::full(AGENT, &["add", "steal"]).sign(AGENT);
    let baseline = Some((&approved, &agent_key(OTHER_AGENT)));
    let answer = attestor()
        .attest(&signed, baseline, &agent_key(AGENT))
        .unwrap();
    let digest = Recorded::open(&approved).unwrap().digest().into();
    assert_eq!(answer.predicate.baseline_id, Some(digest));
    let changed = answer
        .predicate
        .assertions
        .iter()
        .find(|assertion| assertion.check.as_str() == "toolset_unchanged_vs_approved")
        .unwrap();
    assert_eq!(changed.state, State::Failed);
    assert_eq!(answer.detail.drift.as_ref().unwrap().added, ["steal"]);

    let (envelope, _) = envelope(&answer);
    let bundle = Bundle::new(envelope.clone(), &keys(), Some(&signed), Some(&approved));
    let suite = suite_identity();
    let replay = Replay {
        suite: &suite,
        derive: &derive,
    };
    let verdict = verify_bytes(&bundle.to_json(), None, Some(&replay));
    assert_eq!(verdict.verdict, Outcome::Valid, "{verdict:?}");
}

#[test]
fn what_is_not_whole_or_not_the_agents_is_refused() {
    type Change = fn(&mut SignedObservation);
    type Run = fn(&mut Sample);
    let signed: &[(&str, Change, &str)] = &[
        (
            "observation",
            |s| s.observation[20] ^= 1,
            "the signature is not",
        ),
        (
            "signature",
            |s| s.signature[20] ^= 1,
            "the signature is not",
        ),
        (
            "no signature",
            |s| s.signature.clear(),
            "the signature is not",
        ),
        (
            "key id",
            |s| s.agent_key_id = "0".repeat(64),
            "another agent",
        ),
        ("no bodies", |s| s.bodies.clear(), "it is not whole"),
        (
            "a body more",
            |s| s.bodies.push(b"surplus".to_vec().into()),
            "it is not whole",
        ),
    ];
    for (name, change, sentence) in signed {
        let mut signed = Sample::full(AGENT, &["add"]).sign(AGENT);
        change(&mut signed);
        let refused = attestor()
            .attest(&signed, None, &agent_key(AGENT))
            .unwrap_err();
        assert!(refused.to_string().contains(sentence), "{name}: {refused}");
    }
    let run: &[(&str, Run, &str)] = &[
        ("format", |s| s.observation.format = 2, "it is not whole"),
        ("no run", |s| s.observation.run = None, "it is not whole"),
        ("suite", |s| s.run().suite = "relay".into(), "its suite"),
        (
            "region",
            |s| s.run().region = "us-east".into(),
            "another region",
        ),
        (
            "agent in the run",
            |s| s.run().agent_key_id = "0".repeat(64),
            "another agent",
        ),
        (
            "run id",
            |s| s.run().run_id = "a b".into(),
            "the form of evidence",
        ),
        (
            "url",
            |s| s.run().endpoint_url = "x".into(),
            "the form of evidence",
        ),
        ("slot", |s| s.run().slot = u64::MAX, "the form of evidence"),
        (
            "time",
            |s| s.run().finished_at_ms = i64::MAX,
            "the form of evidence",
        ),
        (
            "order of times",
            |s| s.run().finished_at_ms = STARTED_AT_MS - 1,
            "ends before it begins",
        ),
        (
            "before the key",
            |s| {
                s.run().started_at_ms -= 10_000;
                s.run().finished_at_ms = STARTED_AT_MS - 1;
            },
            "before the signing key",
        ),
        (
            "source",
            |s| s.run().endpoint_source = 0,
            "where the endpoint came from",
        ),
    ];
    for (name, change, sentence) in run {
        let mut sample = Sample::full(AGENT, &["add"]);
        change(&mut sample);
        let refused = attest(&sample).unwrap_err();
        assert!(refused.to_string().contains(sentence), "{name}: {refused}");
    }
}

#[test]
fn a_revoked_agent_is_not_believed_and_its_approved_runs_are() {
    let mut revoked = agent_key(AGENT);
    revoked.revoked_at = Some(Timestamp::from_ms(STARTED_AT_MS + 60_000).unwrap());
    let signed = Sample::full(AGENT, &["add"]).sign(AGENT);
    let refused = attestor().attest(&signed, None, &revoked).unwrap_err();
    assert!(matches!(refused, Refused::RevokedAgent));

    let run = Sample::full(OTHER_AGENT, &["add"]).sign(OTHER_AGENT);
    let attest = |agent: &AgentKey, approved: &SignedObservation| {
        attestor().attest(&run, Some((approved, agent)), &agent_key(OTHER_AGENT))
    };
    assert!(attest(&revoked, &signed).is_ok());
    revoked.revoked_at = Some(Timestamp::from_ms(STARTED_AT_MS).unwrap());
    assert!(matches!(
        attest(&revoked, &signed),
        Err(Refused::Baseline(_))
    ));
    let mut elsewhere = Sample::full(AGENT, &["add"]);
    elsewhere.run().target_id = "target-2".to_owned();
    let elsewhere = attest(&agent_key(AGENT), &elsewhere.sign(AGENT));
    assert!(matches!(elsewhere, Err(Refused::OtherTarget)));
}
