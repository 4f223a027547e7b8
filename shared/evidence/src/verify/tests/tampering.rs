//! Bundles that were changed, and the step that finds each change.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::last;
use crate::base64::Base64;
use crate::bundle::{Bundle, BundleError};
use crate::keyset::KeyDocument;
use crate::log::inclusion::LogProof;
use crate::payload::PAYLOAD_LIMIT_BYTES;
use crate::verify::{Outcome, StepName, verify, verify_bytes};
use crate::{bundle, dsse, sample};

type Change = fn(&mut Bundle);

const INVALID: Outcome = Outcome::Invalid;
const UNDECIDABLE: Outcome = Outcome::Undecidable;

fn assert_found(table: &[(&str, Change, Outcome, StepName)]) {
    for (name, change, outcome, step) in table {
        let mut bundle = sample::bundle();
        change(&mut bundle);
        let direct = verify(&bundle, None, None);
        assert_eq!(last(&direct), (*outcome, *step), "{name}: {direct:?}");
        let read = verify_bytes(&bundle.to_json(), None, None);
        assert_eq!(last(&read), (*outcome, *step), "{name}, read again");
    }
}

#[test]
fn a_changed_envelope() {
    use StepName::{Envelope, Key, KeyState, Parse, Signature};
    assert_found(&[
        (
            "a newer bundle",
            |b| b.media_type.push('2'),
            UNDECIDABLE,
            Parse,
        ),
        (
            "no signature",
            |b| b.envelope.signatures.clear(),
            INVALID,
            Envelope,
        ),
        (
            "two signatures",
            |b| b.envelope.signatures.extend_from_within(..),
            INVALID,
            Envelope,
        ),
        (
            "short keyid",
            |b| b.envelope.signatures[0].keyid.truncate(16),
            INVALID,
            Envelope,
        ),
        (
            "other keyid",
            |b| b.envelope.signatures[0].keyid = "0".repeat(64),
            UNDECIDABLE,
            Key,
        ),
        (
            "no keys",
            |b| b.keys = b.keys.excerpt(&[]),
            UNDECIDABLE,
            Key,
        ),
        (
            "an agent's key as attestation key",
            |b| b.envelope.signatures[0].keyid = b.keys.keys()[1].key_id.to_string(),
            INVALID,
            KeyState,
        ),
        (
            "other payload",
            |b| b.envelope.payload.0[9] ^= 1,
            INVALID,
            Signature,
        ),
        (
            "other payload type",
            |b| b.envelope.payload_type.push('x'),
            INVALID,
            Signature,
        ),
        (
            "short signature",
            |b| b.envelope.signatures[0].sig.0.truncate(63),
            INVALID,
            Signature,
        ),
    ]);
}

#[test]
fn a_signed_payload_of_another_form() {
    use StepName::{CanonicalForm, PayloadVersion, Schema};
    assert_found(&[
        (
            "unknown payload type",
            |b| sign_bytes(b, "text/plain", b"hello"),
            UNDECIDABLE,
            PayloadVersion,
        ),
        (
            "no statement",
            |b| sign_bytes(b, dsse::PAYLOAD_TYPE, b"hello"),
            INVALID,
            PayloadVersion,
        ),
        (
            "newer payload version",
            |b| sign_with(b, "/predicate/payload_version", json!("2.0")),
            UNDECIDABLE,
            PayloadVersion,
        ),
        (
            "other predicate type",
            |b| sign_with(b, "/predicateType", json!("https://slsa.dev/provenance/v1")),
            UNDECIDABLE,
            PayloadVersion,
        ),
        (
            "a space behind the payload",
            |b| {
                let payload = [b.envelope.payload.as_bytes(), b" "].concat();
                sign_bytes(b, dsse::PAYLOAD_TYPE, &payload);
            },
            INVALID,
            CanonicalForm,
        ),
        (
            "a fifth state",
            |b| sign_with(b, "/predicate/assertions/0/state", json!("PASSED")),
            INVALID,
            Schema,
        ),
        (
            "no reason",
            |b| sign_with(b, "/predicate/assertions/1/reason", Value::Null),
            INVALID,
            Schema,
        ),
        (
            "no scope",
            |b| sign_with(b, "/predicate/scope", Value::Null),
            INVALID,
            Schema,
        ),
    ]);
}

#[test]
fn an_unknown_version_is_named() {
    let mut bundle = sample::bundle();
    sign_with(&mut bundle, "/predicate/payload_version", json!("2.0"));
    assert_eq!(
        verify(&bundle, None, None).steps.last().unwrap().detail,
        "The payload is of version 2.0, which this program has no schema for."
    );
}

/// A file may hold anything; what is said about it goes to a terminal.
#[test]
fn a_sentence_holds_no_control_character_of_the_file() {
    let mut bundle = sample::bundle();
    let state = json!("\u{1b}[31m\u{202e}".repeat(500));
    sign_with(&mut bundle, "/predicate/assertions/0/state", state);
    let verdict = verify(&bundle, None, None);
    assert_eq!(last(&verdict), (INVALID, StepName::Schema));
    let sentence = &verdict.steps.last().unwrap().detail;
    assert!(sentence.len() <= 301 && sentence.bytes().all(|b| (b' '..=b'~').contains(&b)));
}

#[test]
fn changed_observations_and_bodies() {
    use StepName::{AgentSignature, Baseline, Bodies, ObservationDigest};
    assert_found(&[
        (
            "observation of another run",
            |b| b.observation = b.baseline.clone(),
            INVALID,
            ObservationDigest,
        ),
        (
            "agent's signature",
            |b| b.observation.as_mut().unwrap().signature.0[5] ^= 1,
            INVALID,
            AgentSignature,
        ),
        (
            "another agent's id",
            |b| b.observation.as_mut().unwrap().agent_key_id = "0".repeat(64),
            INVALID,
            AgentSignature,
        ),
        (
            "agent's key left out",
            |b| {
                let agent = sample::keys().keys()[1].key_id.clone();
                let others = b.keys.keys().iter().filter(|key| key.key_id != agent);
                b.keys = KeyDocument::new(3, others.cloned().collect()).unwrap();
            },
            UNDECIDABLE,
            AgentSignature,
        ),
        ("a body left out", |b| b.bodies.clear(), INVALID, Bodies),
        (
            "a body changed",
            |b| b.bodies.iter_mut().for_each(|body| body.0[0] ^= 1),
            INVALID,
            Bodies,
        ),
        (
            "a body too many",
            |b| b.bodies.push(Base64(b"surplus".to_vec())),
            INVALID,
            Bodies,
        ),
        (
            "bodies without observation",
            |b| b.observation = None,
            INVALID,
            Bodies,
        ),
        (
            "another baseline",
            |b| b.baseline = b.observation.clone(),
            INVALID,
            Baseline,
        ),
        (
            "baseline's signature",
            |b| b.baseline.as_mut().unwrap().signature.0[5] ^= 1,
            INVALID,
            Baseline,
        ),
    ]);
}

#[test]
fn a_changed_proof_of_the_log() {
    use StepName::{Checkpoint, Inclusion, LogKey};
    fn proof(bundle: &mut Bundle) -> &mut LogProof {
        bundle.log.as_mut().unwrap()
    }
    assert_found(&[
        ("another index", |b| proof(b).index = 2, INVALID, Inclusion),
        ("no such index", |b| proof(b).index = 5, INVALID, Inclusion),
        (
            "a hash left out",
            |b| {
                proof(b).inclusion.pop();
            },
            INVALID,
            Inclusion,
        ),
        (
            "a hash changed",
            |b| proof(b).inclusion[0].0[0] ^= 1,
            INVALID,
            Inclusion,
        ),
        (
            "another size",
            |b| proof(b).checkpoint = proof(b).checkpoint.replace("\n5\n", "\n6\n"),
            INVALID,
            Checkpoint,
        ),
        (
            "no checkpoint",
            |b| proof(b).checkpoint.clear(),
            INVALID,
            Checkpoint,
        ),
        (
            "another log",
            |b| proof(b).checkpoint = proof(b).checkpoint.replace("log.example", "log.other"),
            UNDECIDABLE,
            LogKey,
        ),
        ("no proof", |b| b.log = None, UNDECIDABLE, Inclusion),
    ]);
}

/// Bits of envelope, observation and bodies, as the file writes them: one in
/// every thirteenth byte here, any of them below.
#[test]
fn no_flipped_bit_verifies() {
    let file = sample::bundle().to_json();
    assert_eq!(verify_bytes(&file, None, None).verdict, Outcome::Valid);
    for place in flippable(&file).into_iter().step_by(13) {
        assert_flip_is_found(&file, place, (place / 13) % 8);
    }
}

/// All bytes but those of the keys that came along, which are not believed
/// here, and the last newline.
fn flippable(file: &[u8]) -> Vec<usize> {
    let text = std::str::from_utf8(file).unwrap();
    let keys = text.find("\"keys\"").unwrap()..text.find("\"observation\"").unwrap();
    (0..file.len() - 1)
        .filter(|place| !keys.contains(place))
        .collect()
}

fn assert_flip_is_found(file: &[u8], place: usize, bit: usize) {
    let mut flipped = file.to_vec();
    flipped[place] ^= 1 << bit;
    let verdict = verify_bytes(&flipped, Some(&sample::keys()), None).verdict;
    assert_ne!(verdict, Outcome::Valid, "byte {place}, bit {bit}");
}

#[test]
fn what_is_too_large_is_not_read() {
    let bytes = vec![b' '; bundle::BUNDLE_LIMIT_BYTES + 1];
    assert!(matches!(Bundle::read(&bytes), Err(BundleError::TooLarge)));
    let mut bundle = sample::bundle();
    let long = vec![b'1'; PAYLOAD_LIMIT_BYTES + 1];
    sign_bytes(&mut bundle, dsse::PAYLOAD_TYPE, &long);
    let verdict = verify(&bundle, None, None);
    assert_eq!(last(&verdict), (Outcome::Invalid, StepName::Envelope));
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        let verdict = verify_bytes(&bytes, None, None);
        prop_assert_ne!(verdict.verdict, Outcome::Valid);
    }

    #[test]
    fn no_splice_of_a_bundle_panics(
        place in any::<prop::sample::Index>(),
        length in 0_usize..64,
        splice in "[\\[\\]{}\":,0-9a-zA-Z\\\\ +/=-]{0,64}",
    ) {
        let mut file = sample::bundle().to_json();
        let start = place.index(file.len());
        let end = (start + length).min(file.len());
        file.splice(start..end, splice.into_bytes());
        let _ = verify_bytes(&file, None, None);
    }

    #[test]
    fn no_signed_payload_panics(payload in proptest::collection::vec(any::<u8>(), 0..256)) {
        let mut bundle = sample::bundle();
        sign_bytes(&mut bundle, dsse::PAYLOAD_TYPE, &payload);
        prop_assert_ne!(verify(&bundle, None, None).verdict, Outcome::Valid);
    }

    #[test]
    fn no_flipped_bit_verifies_wherever(place in any::<prop::sample::Index>(), bit in 0_usize..8) {
        let file = sample::bundle().to_json();
        assert_flip_is_found(&file, *place.get(&flippable(&file)), bit);
    }
}

/// Changes one place of the payload and signs it.
fn sign_with(bundle: &mut Bundle, pointer: &str, value: Value) {
    let mut payload: Value = serde_json::from_slice(bundle.envelope.payload.as_bytes()).unwrap();
    *payload.pointer_mut(pointer).unwrap() = value;
    let canonical = touchstone_canonical::canonicalize(payload.to_string().as_bytes()).unwrap();
    bundle.envelope = dsse::sign(&canonical, &sample::attestation_key());
}

/// Signs bytes as they are, canonical or not, under any payload type.
fn sign_bytes(bundle: &mut Bundle, payload_type: &str, payload: &[u8]) {
    use ed25519_dalek::Signer as _;
    payload_type.clone_into(&mut bundle.envelope.payload_type);
    bundle.envelope.payload = Base64(payload.to_vec());
    let signature = sample::attestation_key().sign(&bundle.envelope.signed_bytes());
    bundle.envelope.signatures[0].sig = Base64(signature.to_vec());
}
