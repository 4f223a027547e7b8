//! From an observation to what may be said about it: evaluates the suite and
//! puts its findings into the predicate. Pure: the same observation, baseline
//! and suite give the same bytes, on any machine at any time.

use std::collections::BTreeMap;

use touchstone_canonical::Canonical;
use touchstone_evidence::detail::Detail;
use touchstone_evidence::number::{Integer, Slot};
use touchstone_evidence::payload::{
    Assertion, Canonicalization, Challenge, DefinitionProjection, Endpoint, EndpointSource, Param,
    PayloadError, PayloadVersion, Predicate, ProjectionVersion, Protocol, REVISIONS_LIMIT, Reason,
    Run, Statement, Suite,
};
use touchstone_evidence::text::{Digest, KeyId, Name, Region, Revision, RunId, UrlText, Word};
use touchstone_evidence::timestamp::Timestamp;
use touchstone_proto::Recorded;
use touchstone_proto::observation::EndpointSource as Source;
use touchstone_proto::vocabulary::Scope;
use touchstone_suites::reason::{Param as FoundParam, Reason as FoundReason};
use touchstone_suites::registry::SUITE;
use touchstone_suites::{ChallengeFacts, Evaluation, Revisions, Signing, evaluate};

use crate::detail;
use crate::refused::Refused;
use crate::suite::suite_identity;

/// What follows from one observation.
#[derive(Debug)]
pub(crate) struct Derived {
    pub(crate) predicate: Predicate,
    pub(crate) detail: Detail,
    /// The complete list, as the fingerprint of full definitions is taken over it.
    pub(crate) tool_list: Option<Canonical>,
    pub(crate) worth: Worth,
}

/// Whether it may be signed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Worth {
    /// As far as this scope, which stands in the predicate too.
    Signing(Scope),
    /// Not, for this reason; the predicate has no scope.
    Declining(&'static str),
}

/// Judges an observation, held against the approved baseline if there is one.
pub(crate) fn derived(
    recorded: &Recorded,
    baseline: Option<&Recorded>,
    suite: Suite,
) -> Result<Derived, Refused> {
    if recorded.run().suite != SUITE {
        return Err(Refused::UnknownSuite);
    }
    let found = evaluate(recorded, baseline);
    let (worth, scope) = match found.signing {
        Signing::Full => (Worth::Signing(Scope::Full), Some(Scope::Full)),
        Signing::Limited => (Worth::Signing(Scope::Limited), Some(Scope::Limited)),
        Signing::None(key) => (Worth::Declining(key.as_str()), None),
    };
    let predicate = predicate(recorded, baseline, suite, scope, &found)?;
    predicate.check()?;
    Ok(Derived {
        predicate,
        detail: detail::written(found.detail),
        tool_list: found.definition.list.map(|list| list.canonical),
        worth,
    })
}

/// The statement that this program would sign, for a replay; otherwise one
/// sentence that says why it would sign none.
pub fn derive(recorded: &Recorded, baseline: Option<&Recorded>) -> Result<Statement, String> {
    let derived =
        derived(recorded, baseline, suite_identity()).map_err(|refused| format!("{refused}."))?;
    match derived.worth {
        Worth::Declining(reason) => Err(format!("a run like this is not signed ({reason}).")),
        Worth::Signing(_) => Statement::new(derived.predicate).map_err(|error| format!("{error}.")),
    }
}

fn predicate(
    recorded: &Recorded,
    baseline: Option<&Recorded>,
    suite: Suite,
    scope: Option<Scope>,
    found: &Evaluation,
) -> Result<Predicate, Refused> {
    let run = run(recorded)?;
    let endpoint = endpoint(recorded)?;
    let challenge = match (&found.challenge, scope) {
        (Some(facts), Some(Scope::Limited)) => Some(challenge(facts)?),
        _ => None,
    };
    let definition = &found.definition;
    let tool_count = match &found.tools {
        // The suite reads a few thousand tools at the very most.
        Some(tools) => Some(u32::try_from(tools.count).map_err(|_| TOO_MANY_TOOLS)?),
        None => None,
    };
    Ok(Predicate {
        payload_version: PayloadVersion::V1_0,
        canonicalization: Canonicalization::NfcJcsV1,
        run,
        observation_digest: recorded.digest().into(),
        endpoint,
        scope,
        suite,
        protocol: protocol(&found.revisions)?,
        assertions: assertions(found)?,
        toolset_projection_version: ProjectionVersion::V1,
        toolset_fingerprint: digest(found.toolset_fingerprint.as_deref())?,
        schema_fingerprint: digest(found.schema_fingerprint.as_deref())?,
        definition_projection_version: DefinitionProjection::V1,
        definition_fingerprint: digest(definition.list.as_ref().map(|list| &*list.digest))?,
        definition_refusal: definition.refusal.as_ref().map(reason).transpose()?,
        baseline_definition_fingerprint: digest(definition.baseline.as_deref())?,
        tool_count,
        baseline_id: baseline.map(|baseline| baseline.digest().into()),
        challenge,
    })
}

const TOO_MANY_TOOLS: PayloadError = PayloadError::Rule("it counts more tools than can be written");

fn run(recorded: &Recorded) -> Result<Run, Refused> {
    let run = recorded.run();
    if run.finished_at_ms < run.started_at_ms {
        return Err(Refused::Backwards);
    }
    Ok(Run {
        id: RunId::new(run.run_id.as_str())?,
        slot: Slot::try_from(run.slot)?,
        started_at: Timestamp::from_ms(run.started_at_ms)?,
        finished_at: Timestamp::from_ms(run.finished_at_ms)?,
        region: Region::new(run.region.as_str())?,
        agent_key_id: KeyId::new(run.agent_key_id.as_str())?,
    })
}

fn endpoint(recorded: &Recorded) -> Result<Endpoint, Refused> {
    let run = recorded.run();
    let source = match run.endpoint_source() {
        Source::Operator => EndpointSource::Operator,
        Source::Registry => EndpointSource::Registry,
        Source::Owner => EndpointSource::Owner,
        Source::CommandLine => EndpointSource::CommandLine,
        Source::Unspecified => return Err(Refused::NoEndpointSource),
    };
    Ok(Endpoint {
        url: UrlText::new(run.endpoint_url.as_str())?,
        source,
    })
}

fn protocol(revisions: &Revisions) -> Result<Protocol, Refused> {
    let revision = |text: &Option<String>| text.as_deref().map(Revision::new).transpose();
    // A server that claims to support more is not believed beyond that.
    let supported = revisions.supported.iter().take(REVISIONS_LIMIT);
    Ok(Protocol {
        offered_revision: revision(&revisions.offered)?,
        recorded_revision: revision(&revisions.recorded)?,
        supported_revisions: supported.map(Revision::new).collect::<Result<_, _>>()?,
        first_listed_revision: revision(&revisions.first_listed)?,
    })
}

fn assertions(found: &Evaluation) -> Result<Vec<Assertion>, Refused> {
    let mut assertions = found
        .assertions
        .iter()
        .map(|assertion| {
            Ok(Assertion {
                check: Name::new(assertion.check.as_str())?,
                state: assertion.state,
                execution: assertion.execution,
                reason: reason(&assertion.reason)?,
            })
        })
        .collect::<Result<Vec<_>, Refused>>()?;
    assertions.sort_by(|a, b| a.check.cmp(&b.check));
    Ok(assertions)
}

fn reason(found: &FoundReason) -> Result<Reason, Refused> {
    Ok(Reason {
        key: Name::new(found.key().as_str())?,
        params: params(found.params())?,
    })
}

fn params(found: &[(&'static str, FoundParam)]) -> Result<BTreeMap<Name, Param>, Refused> {
    found
        .iter()
        .map(|(name, value)| {
            let value = match value {
                FoundParam::Number(number) => Param::Number(Integer::try_from(*number)?),
                FoundParam::Word(word) => Param::Word(Word::new(*word)?),
            };
            Ok((Name::new(*name)?, value))
        })
        .collect()
}

fn challenge(facts: &ChallengeFacts) -> Result<Challenge, Refused> {
    Ok(Challenge {
        scheme: Word::new(facts.scheme.as_str())?,
        names: facts
            .names
            .iter()
            .map(Word::new)
            .collect::<Result<_, _>>()?,
        // One that a payload cannot hold is left out; the digest still covers it.
        url: facts.url.as_deref().and_then(|url| UrlText::new(url).ok()),
        digest: digest(facts.digest.as_deref())?,
    })
}

fn digest(text: Option<&str>) -> Result<Option<Digest>, Refused> {
    Ok(text.map(Digest::new).transpose()?)
}
