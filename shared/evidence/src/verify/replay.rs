//! Replay: derive the payload anew from the enclosed observation and compare.

use super::enclosed::Observed;
use super::steps::{Judged, StepName, Steps};
use super::{Replay, sentence};
use crate::bundle::Bundle;
use crate::payload::Statement;

/// The bytes must be the same. When the payload was judged by another build of
/// the suite than this program carries, its identity is left out of the
/// comparison, and a difference proves nothing.
pub(super) fn check(
    bundle: &Bundle,
    signed: &Statement,
    observed: Option<&Observed>,
    replay: &Replay<'_>,
    steps: &mut Steps,
) -> Judged<()> {
    const STEP: StepName = StepName::Replay;
    let Some(observed) = observed else {
        return steps.cannot_tell(STEP, "The bundle encloses no observation to replay.");
    };
    let suite = &signed.predicate().suite;
    if signed.predicate().baseline_id.is_some() && observed.baseline.is_none() {
        return steps.cannot_tell(
            STEP,
            "The run was compared with a baseline that the bundle does not enclose.",
        );
    }
    let same_suite = suite == replay.suite;
    let derived = match (replay.derive)(&observed.run, observed.baseline.as_ref()) {
        Ok(statement) => statement.with_suite(suite),
        Err(reason) if same_suite => {
            return steps.fails(STEP, format!("Nothing signed follows from it: {reason}"));
        }
        Err(_) => return differs(suite, false, steps),
    };
    let derived = match derived.canonical() {
        Ok(canonical) => canonical,
        Err(refusal) => return steps.fails(STEP, sentence(&refusal)),
    };
    if derived.as_bytes() != bundle.envelope.payload.as_bytes() {
        return differs(suite, same_suite, steps);
    }
    steps.holds(
        STEP,
        if same_suite {
            "The same payload follows from the observation, byte for byte."
        } else {
            "The same results follow from the observation, judged by another build of the suite than the payload names."
        },
    );
    Ok(())
}

fn differs(suite: &crate::payload::Suite, same_suite: bool, steps: &mut Steps) -> Judged<()> {
    if same_suite {
        return steps.fails(
            StepName::Replay,
            "Another payload follows from the observation.",
        );
    }
    let (name, version) = (&suite.name, &suite.version);
    steps.cannot_tell(
        StepName::Replay,
        format!(
            "Other results follow from the observation, but this program carries another build of the suite than the payload names ({name} {version})."
        ),
    )
}
