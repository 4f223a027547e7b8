//! The payload: an in-toto Statement v1 about one run, as Rust types.
//!
//! What these types cannot hold, evidence cannot say: an assertion without a
//! reason, a fifth state, a stranger's prose, a number that JSON would change,
//! a key that is left out. Two rules go beyond single fields and are checked
//! whenever a statement is made or read: assertions are in order and once
//! each, and the scope fits what is claimed. Nothing here signs.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use touchstone_canonical::{Canonical, Refusal, canonicalize};
use touchstone_proto::vocabulary::{Execution, Scope, State};

use crate::number::{Integer, Slot};
use crate::target::{self, Transport};
use crate::text::{Commit, Digest, HexDigest, KeyId, Name, Region, Revision, RunId, SuiteText};
use crate::text::{UrlText, Word};
use crate::timestamp::Timestamp;

mod rules;

/// The predicate's type; a payload that changes incompatibly gets a new one.
pub const PREDICATE_TYPE: &str = "https://touchstone.dev/attestation/mcp/v1";
/// The version of the payload that this build writes.
pub const PAYLOAD_VERSION: &str = "1.0";
/// Largest payload that is read, in bytes.
pub const PAYLOAD_LIMIT_BYTES: usize = 256 * 1024;
/// Most assertions in one payload.
pub const ASSERTIONS_LIMIT: usize = 64;
/// Most parameters of one reason.
pub const PARAMS_LIMIT: usize = 8;
/// Most revisions that a payload lists.
pub const REVISIONS_LIMIT: usize = 64;
/// Most parameter names of a challenge that a payload lists.
pub const CHALLENGE_NAMES_LIMIT: usize = 32;
/// The checks for which a limited payload vouches; it states nothing else.
pub const LIMITED_CHECKS: [&str; 4] = [
    "auth_metadata",
    "reachability",
    "redirect_policy",
    "transport_type",
];

/// An in-toto Statement v1 (in-toto attestation framework, spec/v1/statement.md).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    #[serde(rename = "_type")]
    kind: StatementType,
    subject: [Subject; 1],
    #[serde(rename = "predicateType")]
    predicate_type: PredicateType,
    predicate: Predicate,
}

/// The endpoint that was observed: its URL, and the digest of its descriptor,
/// the same for all evidence about one endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    pub name: UrlText,
    pub digest: SubjectDigest,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubjectDigest {
    pub sha256: HexDigest,
}

/// What one run came to. The same object, with no scope, describes a run that
/// is not signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Predicate {
    pub payload_version: PayloadVersion,
    pub canonicalization: Canonicalization,
    pub run: Run,
    /// SHA-256 over the observation's bytes as the agent signed them.
    pub observation_digest: Digest,
    pub endpoint: Endpoint,
    /// Null: not signed.
    #[serde(deserialize_with = "present")]
    pub scope: Option<Scope>,
    pub suite: Suite,
    pub protocol: Protocol,
    /// One for every check of the suite, by check id.
    pub assertions: Vec<Assertion>,
    pub toolset_projection_version: ProjectionVersion,
    #[serde(deserialize_with = "present")]
    pub toolset_fingerprint: Option<Digest>,
    #[serde(deserialize_with = "present")]
    pub schema_fingerprint: Option<Digest>,
    pub definition_projection_version: DefinitionProjection,
    /// Over full definitions; no check judges it.
    #[serde(deserialize_with = "present")]
    pub definition_fingerprint: Option<Digest>,
    /// Why a complete list has none.
    #[serde(deserialize_with = "present")]
    pub definition_refusal: Option<Reason>,
    /// The same fingerprint of the approved run; null also when that has none.
    #[serde(deserialize_with = "present")]
    pub baseline_definition_fingerprint: Option<Digest>,
    #[serde(deserialize_with = "present")]
    pub tool_count: Option<u32>,
    /// The observation digest of the approved run that this one was compared with.
    #[serde(deserialize_with = "present")]
    pub baseline_id: Option<Digest>,
    #[serde(deserialize_with = "present")]
    pub challenge: Option<Challenge>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    pub id: RunId,
    pub slot: Slot,
    pub started_at: Timestamp,
    pub finished_at: Timestamp,
    pub region: Region,
    pub agent_key_id: KeyId,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Endpoint {
    pub url: UrlText,
    pub source: EndpointSource,
}

/// Where an endpoint's URL came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointSource {
    Operator,
    Registry,
    Owner,
    CommandLine,
}

/// Which code judged. Commit, digest and `dirty` are null together, when the
/// program was built without its git history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    pub name: SuiteText,
    pub version: SuiteText,
    #[serde(deserialize_with = "present")]
    pub suite_commit: Option<Commit>,
    #[serde(deserialize_with = "present")]
    pub suite_digest: Option<Digest>,
    /// What the programs were built from held changes that the commit does not.
    #[serde(deserialize_with = "present")]
    pub dirty: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Protocol {
    #[serde(deserialize_with = "present")]
    pub offered_revision: Option<Revision>,
    #[serde(deserialize_with = "present")]
    pub recorded_revision: Option<Revision>,
    /// In the server's own order.
    pub supported_revisions: Vec<Revision>,
    #[serde(deserialize_with = "present")]
    pub first_listed_revision: Option<Revision>,
}

/// What was concluded about one check, and why. There is no assertion without
/// a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assertion {
    pub check: Name,
    pub state: State,
    pub execution: Execution,
    pub reason: Reason,
}

/// A stable key and its parameters; prose is made elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    pub key: Name,
    pub params: BTreeMap<Name, Param>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Param {
    Number(Integer),
    Word(Word),
}

/// The sign-in wall that a limited payload vouches for: names, at most one URL,
/// one digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Challenge {
    pub scheme: Word,
    /// The names of the challenge's parameters.
    pub names: Vec<Word>,
    /// Where it says that its metadata stands.
    #[serde(deserialize_with = "present")]
    pub url: Option<UrlText>,
    /// SHA-256 over the header's value.
    #[serde(deserialize_with = "present")]
    pub digest: Option<Digest>,
}

macro_rules! the_only_text {
    ($name:ident, $variant:ident, $text:literal) => {
        /// A field that has this one value.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name {
            #[default]
            #[serde(rename = $text)]
            $variant,
        }
    };
}
the_only_text!(StatementType, V1, "https://in-toto.io/Statement/v1");
the_only_text!(
    PredicateType,
    McpV1,
    "https://touchstone.dev/attestation/mcp/v1"
);
the_only_text!(PayloadVersion, V1_0, "1.0");
the_only_text!(Canonicalization, NfcJcsV1, "nfc-jcs/v1");
the_only_text!(ProjectionVersion, V1, "v1");
the_only_text!(DefinitionProjection, V1, "definition/v1");

/// Why bytes are no payload, or a predicate no statement.
#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    #[error("reading a payload: it is longer than {PAYLOAD_LIMIT_BYTES} bytes")]
    TooLarge,
    #[error("reading a payload: it does not have the form of payload version {PAYLOAD_VERSION}")]
    Form(#[from] serde_json::Error),
    #[error("checking a payload: {0}")]
    Rule(&'static str),
}

impl Statement {
    /// Puts a predicate under its subject. A predicate without a scope, or
    /// whose scope does not fit what it claims, is refused.
    pub fn new(predicate: Predicate) -> Result<Self, PayloadError> {
        let sha256 = target::subject_digest(Transport::StreamableHttp, &predicate.endpoint.url);
        let statement = Self {
            kind: StatementType::V1,
            subject: [Subject {
                name: predicate.endpoint.url.clone(),
                digest: SubjectDigest { sha256 },
            }],
            predicate_type: PredicateType::McpV1,
            predicate,
        };
        statement.check()?;
        Ok(statement)
    }

    /// Reads a payload of the version that this build knows.
    pub fn read(bytes: &[u8]) -> Result<Self, PayloadError> {
        if bytes.len() > PAYLOAD_LIMIT_BYTES {
            return Err(PayloadError::TooLarge);
        }
        let statement: Self = serde_json::from_slice(bytes)?;
        statement.check()?;
        Ok(statement)
    }

    pub fn subject(&self) -> &Subject {
        &self.subject[0]
    }

    pub fn predicate(&self) -> &Predicate {
        &self.predicate
    }

    /// The bytes that are signed.
    pub fn canonical(&self) -> Result<Canonical, Refusal> {
        canonical(self)
    }

    /// The same statement, said to be judged by another suite.
    pub(crate) fn with_suite(mut self, suite: &Suite) -> Self {
        self.predicate.suite = suite.clone();
        self
    }

    fn check(&self) -> Result<(), PayloadError> {
        let url = &self.predicate.endpoint.url;
        let digest = target::subject_digest(Transport::StreamableHttp, url);
        if self.subject().name != *url || self.subject().digest.sha256 != digest {
            return Err(PayloadError::Rule(
                "the subject is not the endpoint of the predicate",
            ));
        }
        if self.predicate.scope.is_none() {
            return Err(PayloadError::Rule("a signed payload states its scope"));
        }
        self.predicate.check()
    }
}

impl Predicate {
    /// The predicate alone, in canonical form: what pages of unsigned runs show.
    pub fn canonical(&self) -> Result<Canonical, Refusal> {
        canonical(self)
    }

    /// The rules that go beyond single fields.
    pub fn check(&self) -> Result<(), PayloadError> {
        rules::check(self)
    }
}

impl Suite {
    /// The one command that recomputes `suite_digest` in a clone of the
    /// repository, and prints it as it stands in the payload.
    pub fn recompute_command(&self) -> Option<String> {
        self.suite_commit.as_ref().map(|commit| {
            format!(
                "git ls-tree -r -z --full-tree {commit} -- shared/suites | sha256sum | sed 's/^/sha256:/; s/ .*//'"
            )
        })
    }
}

/// The predicate type and the version that bytes claim, read as loosely as can
/// be: whoever knows the version then reads them strictly.
pub(crate) fn claimed_version(bytes: &[u8]) -> Option<(String, String)> {
    #[derive(Deserialize)]
    struct Claim {
        #[serde(rename = "predicateType")]
        predicate_type: String,
        predicate: ClaimedPredicate,
    }
    #[derive(Deserialize)]
    struct ClaimedPredicate {
        payload_version: String,
    }
    let claim: Claim = serde_json::from_slice(bytes).ok()?;
    Some((claim.predicate_type, claim.predicate.payload_version))
}

fn canonical(value: &impl Serialize) -> Result<Canonical, Refusal> {
    // These types serialize without fail: their map keys are text and no
    // number in them is not finite.
    let json = serde_json::to_vec(value).expect("evidence types serialize");
    canonicalize(&json)
}

/// Reads a key that may be null and may not be left out, which serde's own
/// reading of `Option` would allow.
fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer)
}
