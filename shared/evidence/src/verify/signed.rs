//! The envelope and what is signed in it: form, key, signature, payload.

use touchstone_canonical::canonicalize;

use super::sentence;
use super::steps::{Judged, StepName, Steps};
use crate::bundle::Bundle;
use crate::dsse::{Envelope, PAYLOAD_TYPE, Signature};
use crate::keyset::{KeyDocument, KeyEntry, KeyState, Purpose};
use crate::payload::{PAYLOAD_LIMIT_BYTES, Predicate, Statement};
use crate::schema::{Claimed, Version};
use crate::text::KeyId;

pub(super) fn check(
    bundle: &Bundle,
    pinned: Option<&KeyDocument>,
    steps: &mut Steps,
) -> Judged<Statement> {
    let envelope = &bundle.envelope;
    let signature = check_form(envelope, steps)?;
    let key = find_key(bundle, pinned, signature, steps)?;
    check_state(key, steps)?;
    if !envelope.is_signed_by(signature, key.public_key.verifying_key()) {
        return steps.fails(
            StepName::Signature,
            "The signature is not that of this key over this payload.",
        );
    }
    steps.holds(
        StepName::Signature,
        "The signature is that of this key over this payload.",
    );
    let statement = read_payload(envelope, steps)?;
    check_window(key, statement.predicate(), steps)?;
    Ok(statement)
}

fn check_form<'b>(envelope: &'b Envelope, steps: &mut Steps) -> Judged<&'b Signature> {
    let [signature] = &envelope.signatures[..] else {
        return steps.fails(
            StepName::Envelope,
            "The envelope does not carry exactly one signature.",
        );
    };
    if KeyId::new(signature.keyid.as_str()).is_err() {
        return steps.fails(
            StepName::Envelope,
            "The envelope's keyid is not 64 lowercase hex digits.",
        );
    }
    if envelope.payload.as_bytes().len() > PAYLOAD_LIMIT_BYTES {
        return steps.fails(
            StepName::Envelope,
            format!("The payload is longer than {PAYLOAD_LIMIT_BYTES} bytes."),
        );
    }
    steps.holds(
        StepName::Envelope,
        "The envelope is DSSE with one signature.",
    );
    Ok(signature)
}

fn find_key<'k>(
    bundle: &'k Bundle,
    pinned: Option<&'k KeyDocument>,
    signature: &Signature,
    steps: &mut Steps,
) -> Judged<&'k KeyEntry> {
    let short = &signature.keyid[..16];
    let known = pinned.unwrap_or(&bundle.keys);
    match (known.find(&signature.keyid), pinned) {
        (Some(key), Some(document)) => {
            let version = document.version();
            steps.holds(
                StepName::Key,
                format!("Key {short} stands in the key document given, version {version}."),
            );
            Ok(key)
        }
        (Some(key), None) => {
            steps.holds(
                StepName::Key,
                format!(
                    "Key {short} came with the bundle: this shows that the file is whole, not who made it."
                ),
            );
            Ok(key)
        }
        (None, Some(_)) => steps.cannot_tell(
            StepName::Key,
            format!("Key {short} does not stand in the key document given."),
        ),
        (None, None) => steps.cannot_tell(
            StepName::Key,
            format!("Key {short} did not come with the bundle, and no key document was given."),
        ),
    }
}

fn check_state(key: &KeyEntry, steps: &mut Steps) -> Judged<()> {
    if key.purpose != Purpose::Attestation {
        let purpose = key.purpose.as_str();
        return steps.fails(
            StepName::KeyState,
            format!("The key is for {purpose} and not for attestations."),
        );
    }
    match key.state {
        KeyState::Active => steps.holds(StepName::KeyState, "The key is active."),
        KeyState::Retired => steps.holds(
            StepName::KeyState,
            "The key is retired: it signs no more, and what it signed stays good.",
        ),
        KeyState::Pending => {
            return steps.fails(
                StepName::KeyState,
                "The key is pending: it was announced and may not sign yet.",
            );
        }
        KeyState::Revoked => {
            return steps.fails(
                StepName::KeyState,
                "The key was revoked, and nothing in the bundle proves that it signed before that.",
            );
        }
    }
    Ok(())
}

/// Reads the bytes that the signature was just found to be over.
fn read_payload(envelope: &Envelope, steps: &mut Steps) -> Judged<Statement> {
    let bytes = envelope.payload.as_bytes();
    if envelope.payload_type != PAYLOAD_TYPE {
        return steps.cannot_tell(
            StepName::PayloadVersion,
            format!("This program reads payloads of type {PAYLOAD_TYPE} only."),
        );
    }
    let version = match Version::claimed(bytes) {
        Claimed::Known(known) => known,
        Claimed::Unknown(name) => {
            return steps.cannot_tell(
                StepName::PayloadVersion,
                format!("The payload is of version {name}, which this program has no schema for."),
            );
        }
        Claimed::Nothing => {
            return steps.fails(
                StepName::PayloadVersion,
                "The payload is no in-toto Statement with a payload version.",
            );
        }
    };
    let number = version.version;
    steps.holds(
        StepName::PayloadVersion,
        format!("The payload is of version {number}, which this program knows."),
    );
    match canonicalize(bytes) {
        Ok(canonical) if canonical.as_bytes() == bytes => steps.holds(
            StepName::CanonicalForm,
            "The payload's bytes are their own canonical form.",
        ),
        Ok(_) => {
            return steps.fails(
                StepName::CanonicalForm,
                "The payload's bytes are not their own canonical form.",
            );
        }
        Err(refusal) => return steps.fails(StepName::CanonicalForm, sentence(&refusal)),
    }
    match version.read(bytes) {
        Ok(statement) => {
            steps.holds(
                StepName::Schema,
                format!("The payload has the form of version {number}."),
            );
            Ok(statement)
        }
        Err(error) => steps.fails(StepName::Schema, sentence(&error)),
    }
}

fn check_window(key: &KeyEntry, predicate: &Predicate, steps: &mut Steps) -> Judged<()> {
    let finished = predicate.run.finished_at;
    if key.from.is_some_and(|from| finished < from) {
        return steps.fails(
            StepName::KeyWindow,
            "The run ended before the key was in use.",
        );
    }
    if key.to.is_some_and(|to| finished > to) {
        return steps.fails(
            StepName::KeyWindow,
            "The run ended after the key had gone out of use.",
        );
    }
    steps.holds(
        StepName::KeyWindow,
        format!("The run ended at {finished}, while the key was in use."),
    );
    Ok(())
}
