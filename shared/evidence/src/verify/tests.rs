use serde_json::Value;

use super::*;
use crate::keyset::{KeyEntry, KeyState, Purpose};
use crate::sample;
use crate::timestamp::Timestamp;

mod tampering;

fn last(verdict: &Verdict) -> (Outcome, StepName) {
    (verdict.verdict, verdict.steps.last().unwrap().step)
}

fn keys_with(change: impl Fn(&mut KeyEntry)) -> KeyDocument {
    let mut keys = sample::keys().keys().to_vec();
    change(&mut keys[0]);
    KeyDocument::new(4, keys).unwrap()
}

fn without(purpose: Purpose) -> KeyDocument {
    let keys = sample::keys();
    let others = keys.keys().iter().filter(|key| key.purpose != purpose);
    KeyDocument::new(4, others.cloned().collect()).unwrap()
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

#[test]
fn a_whole_bundle_is_valid_and_each_step_says_so() {
    let bundle = Bundle::read(&sample::bundle().to_json()).unwrap();
    let own = verify(&bundle, None, None);
    assert_eq!(own.verdict, Outcome::Valid, "{own:?}");
    assert!(own.steps.iter().all(|step| step.ok == Finding::Holds));
    assert!(own.steps.is_sorted_by(|a, b| a.step < b.step));
    assert!(own.steps[2].detail.contains("whole, not who made it"));
    let pinned = verify(&bundle, Some(&sample::keys()), None);
    assert_eq!(pinned.verdict, Outcome::Valid);
    assert!(
        pinned.steps[2]
            .detail
            .contains("key document given, version 3")
    );
    let json = serde_json::to_value(&own).unwrap();
    assert_eq!(json["verdict"], "valid");
    assert_eq!(json["steps"][0]["step"], "parse");
    assert_eq!(json["steps"][0]["ok"], true);
    for step in &own.steps {
        assert!(step.detail.ends_with('.'), "{}", step.detail);
        assert_eq!(serde_json::to_value(step.step).unwrap(), step.step.as_str());
    }
}

#[test]
fn an_envelope_alone_is_enough() {
    let mut bundle = sample::bundle();
    bundle.observation = None;
    bundle.baseline = None;
    bundle.bodies.clear();
    let verdict = verify(&bundle, None, None);
    assert_eq!(last(&verdict), (Outcome::Valid, StepName::Inclusion));
}

#[test]
fn a_pinned_document_decides_which_key_is_believed() {
    use Outcome::{Invalid, Undecidable, Valid};
    let bundle = sample::bundle();
    let table: &[(&str, KeyDocument, Outcome, StepName)] = &[
        (
            "it does not hold the key",
            sample::keys().excerpt(&[]),
            Undecidable,
            StepName::Key,
        ),
        (
            "it holds no agent, so the bundle's is taken",
            without(Purpose::AgentIdentity),
            Valid,
            StepName::Bodies,
        ),
        (
            "it holds no key of a log",
            without(Purpose::LogCheckpoint),
            Undecidable,
            StepName::LogKey,
        ),
        (
            "the log's key was revoked",
            KeyDocument::new(4, {
                let mut keys = sample::keys().keys().to_vec();
                keys[2].state = KeyState::Revoked;
                keys[2].to = keys[2].from;
                keys
            })
            .unwrap(),
            Invalid,
            StepName::LogKey,
        ),
        (
            "retired later",
            keys_with(|key| {
                key.state = KeyState::Retired;
                key.to = Some(at("2026-12-04T11:20:03.250Z"));
            }),
            Valid,
            StepName::Bodies,
        ),
        (
            "retired before",
            keys_with(|key| {
                key.state = KeyState::Retired;
                key.to = Some(at("2026-12-04T11:20:03.249Z"));
            }),
            Invalid,
            StepName::KeyWindow,
        ),
        (
            "in use only later",
            keys_with(|key| key.from = Some(at("2026-12-04T11:20:03.251Z"))),
            Invalid,
            StepName::KeyWindow,
        ),
        (
            "revoked",
            keys_with(|key| {
                key.state = KeyState::Revoked;
                key.to = Some(at("2027-01-01T00:00:00.000Z"));
            }),
            Invalid,
            StepName::KeyState,
        ),
        (
            "pending",
            keys_with(|key| {
                key.state = KeyState::Pending;
                key.from = None;
            }),
            Invalid,
            StepName::KeyState,
        ),
        (
            "for another purpose",
            keys_with(|key| key.purpose = Purpose::WebBotAuth),
            Invalid,
            StepName::KeyState,
        ),
    ];
    for (name, keys, outcome, step) in table {
        let verdict = verify(&bundle, Some(keys), None);
        assert_eq!(last(&verdict), (*outcome, *step), "{name}: {verdict:?}");
    }
}

#[test]
fn a_proof_of_the_log_is_due_where_the_keys_name_one() {
    let mut bundle = sample::bundle();
    bundle.log = None;
    let verdict = verify(&bundle, Some(&sample::keys()), None);
    assert_eq!(last(&verdict), (Outcome::Undecidable, StepName::Inclusion));
    let keys = without(Purpose::LogCheckpoint);
    let verdict = verify(&bundle, Some(&keys), None);
    assert_eq!(last(&verdict), (Outcome::Valid, StepName::Bodies));
}

#[test]
fn a_replay_compares_the_payloads_bytes() {
    let bundle = sample::bundle();
    let same = Statement::read(bundle.envelope.payload.as_bytes()).unwrap();
    let with = |change: fn(&mut Value)| {
        let mut payload: Value =
            serde_json::from_slice(bundle.envelope.payload.as_bytes()).unwrap();
        change(&mut payload);
        sample::statement(&payload)
    };
    let worse = with(|p| p["predicate"]["assertions"][0]["state"] = "FAILED".into());
    let other_build = with(|p| p["predicate"]["suite"]["suite_commit"] = "f".repeat(40).into());
    let replayed = |derived: Result<&Statement, &str>, suite: &Statement| {
        let derive = |run: &Recorded, baseline: Option<&Recorded>| {
            assert_eq!(run.run().run_id, "run-1");
            assert_eq!(baseline.unwrap().run().run_id, "run-0");
            derived.cloned().map_err(str::to_owned)
        };
        let suite = &suite.predicate().suite;
        let replay = Replay {
            suite,
            derive: &derive,
        };
        last(&verify(&bundle, None, Some(&replay)))
    };
    let step = StepName::Replay;
    assert_eq!(replayed(Ok(&same), &same), (Outcome::Valid, step));
    assert_eq!(replayed(Ok(&worse), &same), (Outcome::Invalid, step));
    assert_eq!(replayed(Err("no list."), &same), (Outcome::Invalid, step));
    // Another build that comes to the same results confirms them; one that
    // comes to others proves nothing.
    assert_eq!(
        replayed(Ok(&other_build), &other_build),
        (Outcome::Valid, step)
    );
    assert_eq!(
        replayed(Ok(&worse), &other_build),
        (Outcome::Undecidable, step)
    );
    assert_eq!(
        replayed(Err("no list."), &other_build),
        (Outcome::Undecidable, step)
    );
}

#[test]
fn without_an_observation_there_is_nothing_to_replay() {
    let mut bundle = sample::bundle();
    let same = Statement::read(bundle.envelope.payload.as_bytes()).unwrap();
    let suite = &same.predicate().suite;
    let derive = |_: &Recorded, _: Option<&Recorded>| Ok(same.clone());
    let replay = Replay {
        suite,
        derive: &derive,
    };
    bundle.baseline = None;
    bundle.bodies.remove(0);
    let verdict = verify(&bundle, None, Some(&replay));
    assert_ne!(verdict.verdict, Outcome::Valid);
    bundle.observation = None;
    bundle.bodies.clear();
    let verdict = verify(&bundle, None, Some(&replay));
    assert_eq!(last(&verdict), (Outcome::Undecidable, StepName::Replay));
}
