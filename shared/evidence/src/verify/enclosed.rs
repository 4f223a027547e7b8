//! The observations that a bundle encloses: the very ones that the payload
//! names, signed by the agents that they name, with all their bodies.

use touchstone_proto::Recorded;
use touchstone_proto::identity::{OBSERVATION_TYPE, pae};

use super::sentence;
use super::steps::{Judged, StepName, Steps};
use crate::bundle::{Bundle, Enclosed};
use crate::keyset::{KeyDocument, KeyEntry, Purpose};
use crate::payload::Predicate;
use crate::text::Digest;

/// The enclosed observation, and the baseline it was compared with.
#[derive(Debug)]
pub(super) struct Observed {
    pub(super) run: Recorded,
    pub(super) baseline: Option<Recorded>,
}

/// Nothing enclosed is nothing to check: then no step is taken here.
pub(super) fn check(
    bundle: &Bundle,
    pinned: Option<&KeyDocument>,
    predicate: &Predicate,
    steps: &mut Steps,
) -> Judged<Option<Observed>> {
    let Some(enclosed) = &bundle.observation else {
        if bundle.baseline.is_some() || !bundle.bodies.is_empty() {
            return steps.fails(
                StepName::Bodies,
                "The bundle encloses bodies or a baseline without the observation they belong to.",
            );
        }
        return Ok(None);
    };
    let signed = bundle.signed(enclosed);
    let digest = Digest::from(sha256(&signed.observation));
    if digest != predicate.observation_digest {
        return steps.fails(
            StepName::ObservationDigest,
            "The enclosed observation is not the one that the payload names.",
        );
    }
    steps.holds(
        StepName::ObservationDigest,
        "The enclosed observation is the one that the payload names.",
    );
    if enclosed.agent_key_id != predicate.run.agent_key_id.as_str() {
        return steps.fails(
            StepName::AgentSignature,
            "The enclosed observation is signed by another agent than the payload names.",
        );
    }
    check_agent(bundle, pinned, enclosed, steps, StepName::AgentSignature)?;
    steps.holds(
        StepName::AgentSignature,
        "The agent that the payload names signed the observation.",
    );
    let run = match Recorded::open(&signed) {
        Ok(recorded) => recorded,
        Err(error) => return steps.fails(StepName::Bodies, sentence(&error)),
    };
    let baseline = check_baseline(bundle, pinned, predicate, steps)?;
    check_no_body_is_foreign(bundle, &run, baseline.as_ref(), steps)?;
    Ok(Some(Observed { run, baseline }))
}

fn check_baseline(
    bundle: &Bundle,
    pinned: Option<&KeyDocument>,
    predicate: &Predicate,
    steps: &mut Steps,
) -> Judged<Option<Recorded>> {
    let Some(enclosed) = &bundle.baseline else {
        return Ok(None);
    };
    let signed = bundle.signed(enclosed);
    let digest = Digest::from(sha256(&signed.observation));
    if Some(&digest) != predicate.baseline_id.as_ref() {
        return steps.fails(
            StepName::Baseline,
            "The enclosed baseline is not the one that the payload names.",
        );
    }
    check_agent(bundle, pinned, enclosed, steps, StepName::Baseline)?;
    match Recorded::open(&signed) {
        Ok(recorded) => {
            steps.holds(
                StepName::Baseline,
                "The enclosed baseline is the one that the payload names, signed by its agent.",
            );
            Ok(Some(recorded))
        }
        Err(error) => steps.fails(StepName::Baseline, sentence(&error)),
    }
}

/// The agent's key is believed for its id, which is the digest of the key and
/// stands in the signed payload or in the observation that the payload names:
/// so it may come with the bundle also where the attestation key may not.
/// Whether the agent counted at that time was the signer's to judge.
fn check_agent(
    bundle: &Bundle,
    pinned: Option<&KeyDocument>,
    enclosed: &Enclosed,
    steps: &mut Steps,
    step: StepName,
) -> Judged<()> {
    let id = enclosed.agent_key_id.as_str();
    let found = pinned
        .and_then(|keys| keys.find(id))
        .or_else(|| bundle.keys.find(id));
    let Some(agent) = found else {
        return steps.cannot_tell(step, "The key of the observation's agent is not known.");
    };
    if agent.purpose != Purpose::AgentIdentity || !is_signed(enclosed, agent) {
        return steps.fails(
            step,
            "The signature on the observation is not that of the agent it names.",
        );
    }
    Ok(())
}

fn is_signed(enclosed: &Enclosed, agent: &KeyEntry) -> bool {
    let message = pae(OBSERVATION_TYPE, enclosed.bytes.as_bytes());
    ed25519_dalek::Signature::from_slice(enclosed.signature.as_bytes())
        .and_then(|signature| {
            agent
                .public_key
                .verifying_key()
                .verify_strict(&message, &signature)
        })
        .is_ok()
}

fn check_no_body_is_foreign(
    bundle: &Bundle,
    run: &Recorded,
    baseline: Option<&Recorded>,
    steps: &mut Steps,
) -> Judged<()> {
    let named = |digest: &[u8; 32]| {
        run.bodies().contains_key(digest)
            || baseline.is_some_and(|baseline| baseline.bodies().contains_key(digest))
    };
    if bundle.bodies.iter().all(|body| named(&sha256(&body.0))) {
        let count = bundle.bodies.len();
        steps.holds(
            StepName::Bodies,
            format!("All bodies that were named are enclosed, and no other: {count}."),
        );
        Ok(())
    } else {
        steps.fails(
            StepName::Bodies,
            "The bundle encloses a body that no enclosed observation names.",
        )
    }
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes).into()
}
