//! The rules of a payload that go beyond single fields.

use touchstone_proto::vocabulary::{Scope, State};

use super::{
    ASSERTIONS_LIMIT, CHALLENGE_NAMES_LIMIT, LIMITED_CHECKS, PARAMS_LIMIT, PayloadError, Predicate,
    Protocol, REVISIONS_LIMIT, Reason, Suite,
};

pub(super) fn check(predicate: &Predicate) -> Result<(), PayloadError> {
    check_assertions(predicate)?;
    check_suite(&predicate.suite)?;
    check_protocol(&predicate.protocol)?;
    rule(
        predicate.run.started_at <= predicate.run.finished_at,
        "the run ends before it begins",
    )?;
    check_definition(predicate)?;
    match predicate.scope {
        None => Ok(()),
        Some(Scope::Full) => rule(
            predicate.tool_count.is_some() && predicate.challenge.is_none(),
            "a full payload counts the tools and has no challenge",
        ),
        Some(Scope::Limited) => check_limited(predicate),
    }
}

fn check_assertions(predicate: &Predicate) -> Result<(), PayloadError> {
    let assertions = &predicate.assertions;
    rule(
        !assertions.is_empty() && assertions.len() <= ASSERTIONS_LIMIT,
        "it has no assertion, or more than are allowed",
    )?;
    rule(
        assertions.is_sorted_by(|a, b| a.check < b.check),
        "its assertions do not stand in the order of their check ids, once each",
    )?;
    rule(
        assertions
            .iter()
            .all(|assertion| assertion.reason.params.len() <= PARAMS_LIMIT),
        "a reason has more parameters than are allowed",
    )
}

fn check_suite(suite: &Suite) -> Result<(), PayloadError> {
    let identified = suite.suite_commit.is_some();
    rule(
        suite.suite_digest.is_some() == identified && suite.dirty.is_some() == identified,
        "commit, digest and dirty of the suite are neither all there nor all null",
    )
}

fn check_protocol(protocol: &Protocol) -> Result<(), PayloadError> {
    let supported = &protocol.supported_revisions;
    rule(
        supported.len() <= REVISIONS_LIMIT,
        "it lists more revisions than are allowed",
    )?;
    rule(
        protocol.first_listed_revision.as_ref() == supported.first(),
        "its first listed revision is not the first of the list",
    )
}

/// A fingerprint, or why there is none; compared only with what was approved.
fn check_definition(predicate: &Predicate) -> Result<(), PayloadError> {
    let (fingerprint, refusal) = (
        predicate.definition_fingerprint.is_some(),
        predicate.definition_refusal.is_some(),
    );
    rule(
        !(fingerprint && refusal)
            && (predicate.scope != Some(Scope::Full) || fingerprint || refusal),
        "it has neither a fingerprint of the full definitions nor why there is none, or both",
    )?;
    let params = |reason: &Reason| reason.params.len() <= PARAMS_LIMIT;
    rule(
        predicate.definition_refusal.as_ref().is_none_or(params),
        "a reason has more parameters than are allowed",
    )?;
    rule(
        predicate.baseline_definition_fingerprint.is_none() || predicate.baseline_id.is_some(),
        "it states a fingerprint of an approved run and no approved run",
    )
}

/// A limited payload vouches for a few checks and the challenge alone.
fn check_limited(predicate: &Predicate) -> Result<(), PayloadError> {
    let challenge = predicate.challenge.as_ref();
    rule(
        challenge.is_some_and(|challenge| challenge.names.len() <= CHALLENGE_NAMES_LIMIT),
        "a limited payload has no challenge, or one with more names than are allowed",
    )?;
    rule(
        predicate.protocol.recorded_revision.is_none()
            && predicate.protocol.supported_revisions.is_empty()
            && predicate.toolset_fingerprint.is_none()
            && predicate.schema_fingerprint.is_none()
            && predicate.definition_fingerprint.is_none()
            && predicate.definition_refusal.is_none()
            && predicate.baseline_definition_fingerprint.is_none()
            && predicate.tool_count.is_none()
            && predicate.assertions.iter().all(|assertion| {
                assertion.state == State::Unverified
                    || LIMITED_CHECKS.contains(&assertion.check.as_str())
            }),
        "a limited payload states what lies behind the sign-in wall",
    )
}

fn rule(holds: bool, sentence: &'static str) -> Result<(), PayloadError> {
    if holds {
        Ok(())
    } else {
        Err(PayloadError::Rule(sentence))
    }
}
