//! What an evaluation says: one assertion a check, how far it may be signed,
//! the facts that travel with it, and the unsigned detail that pages show.

use crate::reason::{Reason, ReasonKey};
use crate::registry::CheckId;
use touchstone_canonical::Fingerprint;
use touchstone_proto::vocabulary::{Execution, State};

/// Everything that one observation says.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Exactly one a check, in registry order.
    pub assertions: Vec<Assertion>,
    pub signing: Signing,
    pub revisions: Revisions,
    /// The complete list that was read; `None` when it was not read to its end.
    pub tools: Option<ToolList>,
    /// `sha256:` and 64 lowercase hex digits.
    pub toolset_fingerprint: Option<String>,
    pub schema_fingerprint: Option<String>,
    pub definition: Definition,
    /// Set for [`Signing::Limited`] alone.
    pub challenge: Option<ChallengeFacts>,
    pub detail: Detail,
}

impl Evaluation {
    /// The assertion of one check.
    pub fn assertion(&self, check: CheckId) -> &Assertion {
        // One a check in registry order, by construction.
        &self.assertions[check as usize]
    }
}

/// What one check concluded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    pub check: CheckId,
    pub state: State,
    pub execution: Execution,
    pub reason: Reason,
}

/// How much of the run a signature may vouch for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signing {
    /// Handshake done and complete list read.
    Full,
    /// As far as the sign-in wall.
    Limited,
    /// Observed, unsigned, for this reason.
    None(ReasonKey),
}

/// Revisions of the protocol. For [`Signing::Limited`] only `offered` is set:
/// the others lie outside what such a signature vouches for.
///
/// A revision is written here only when it has the form of one, `YYYY-MM-DD`:
/// these texts go into payloads, and no other text of a target's does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Revisions {
    pub offered: Option<String>,
    /// What was really spoken.
    pub recorded: Option<String>,
    /// All that the server says it supports, in its own order.
    pub supported: Vec<String>,
    /// The first of that list; its order means nothing in the protocol.
    pub first_listed: Option<String>,
}

/// A tool list that was read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolList {
    pub count: usize,
    pub pages: usize,
}

/// The third fingerprint, over full definitions: a fact, and no check's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definition {
    /// The fingerprint and the list that it was taken over.
    pub list: Option<Fingerprint>,
    /// Why a complete list has none.
    pub refusal: Option<Reason>,
    /// The same fingerprint of the approved release that the run was compared with.
    pub baseline: Option<String>,
}

/// An authentication challenge, reduced to what a payload may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChallengeFacts {
    /// The scheme's token in lower case, at most 64 characters.
    pub scheme: String,
    /// Names of its parameters in lower case, each once, in order of appearance.
    pub names: Vec<String>,
    /// Its `resource_metadata`, when that is an absolute http(s) URL without user info.
    pub url: Option<String>,
    /// SHA-256 over the header's value as received: `sha256:` and 64 hex digits.
    pub digest: Option<String>,
}

/// Unsigned: for pages and for the owner. Holds text of the target's, bounded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detail {
    /// Names of all tools that were read, also of a list that is not complete.
    pub tool_names: Vec<String>,
    pub server: Option<ServerInfo>,
    /// As the server said them, complete run or not.
    pub revisions: Revisions,
    pub hygiene: Vec<HygieneHit>,
    /// What is listed about tools and changes no state.
    pub listed: Vec<ToolNote>,
    /// Where a value stands that has no canonical form.
    pub not_canonical: Option<String>,
    pub drift: Option<Drift>,
    /// Redirects seen, in order.
    pub redirects: Vec<Redirect>,
    /// What exchanges did beyond the plain form and was accepted.
    pub notes: Vec<ExchangeNote>,
    /// For a run that is not signed in full: what an owner should look at first.
    pub likely_cause: Option<LikelyCause>,
}

/// The server's own account of itself. Never to be trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInfo {
    pub name: Option<String>,
    pub version: Option<String>,
}

/// One hit of `tool_description_hygiene`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HygieneHit {
    /// The tool's place in the list, from 0, and its name.
    pub tool_index: usize,
    pub tool: String,
    /// `name` or `description`.
    pub field: &'static str,
    pub rule: &'static str,
    pub family: &'static str,
    /// In bytes from the start of the field.
    pub offset: usize,
    pub excerpt: String,
}

/// A word about one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolNote {
    pub tool_index: usize,
    pub tool: String,
    /// A word of ours: input_schema_missing, input_schema_invalid,
    /// duplicate_name, name_shape, or one of the hygiene scan's.
    pub note: &'static str,
}

/// What differs from the approved release.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drift {
    pub added: Vec<String>,
    pub removed: Vec<String>,
    pub changed: Vec<SchemaDrift>,
    /// What no check compares: descriptions, titles, annotations, output schemas.
    pub redefined: Vec<Redefined>,
}

/// How one tool's schema differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaDrift {
    pub tool: String,
    pub differences: Vec<Difference>,
    /// More differences than are written down.
    pub truncated: bool,
}

/// How a part of one tool differs that is not its input schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redefined {
    pub tool: String,
    /// A word of ours: description, title, annotations, output_schema.
    pub part: &'static str,
    pub differences: Vec<Difference>,
    /// More differences than are written down.
    pub truncated: bool,
}

/// One place in which two values differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// A JSON path from the schema's root, `$`.
    pub path: String,
    /// Canonical text, cut to a bound; `None`: not there.
    pub approved: Option<String>,
    pub observed: Option<String>,
}

impl From<touchstone_canonical::difference::Difference> for Difference {
    fn from(found: touchstone_canonical::difference::Difference) -> Self {
        Self {
            path: found.path,
            approved: found.before,
            observed: found.after,
        }
    }
}

/// One redirect that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// Index of the exchange.
    pub exchange: usize,
    pub status: u32,
    /// As sent, cut to a bound.
    pub location: String,
    pub cross_host: bool,
}

/// A word about one exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExchangeNote {
    /// Index of the exchange.
    pub exchange: usize,
    /// A word of ours.
    pub note: &'static str,
}

/// Every word that an [`ExchangeNote`] can hold.
pub const EXCHANGE_NOTES: [&str; 28] = [
    "jsonrpc_version",
    "id_missing",
    "id_null",
    "id_type_changed",
    "id_foreign",
    "bom",
    "batch",
    "result_and_error",
    "error_code",
    "error_message",
    "sse_bom",
    "sse_empty_data",
    "sse_comment",
    "sse_other_message_before",
    "sse_event_error",
    "sse_event_endpoint",
    "sse_unterminated",
    "sse_foreign_id",
    "version_not_string",
    "capabilities",
    "result_type_missing",
    "result_type",
    "ttl_ms",
    "cache_scope",
    "server_info_top_level",
    "server_info",
    "acknowledgement_not_202",
    "acknowledgement_body",
];

/// The causes that an owner can act on, as the page of an unsigned run names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LikelyCause {
    /// Something in front of the server refuses the handshake itself.
    AuthBeforeHandshake,
    /// Only the HTTP+SSE transport of 2024-11-05 is served.
    SseOnly,
    /// The answer to initialize has no result.protocolVersion.
    NoProtocolVersion,
    /// The sequence breaks after initialize, where session headers come in.
    SessionHeaders,
    /// Nothing that the owner could put right shows in this run.
    NotYours,
}

impl LikelyCause {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AuthBeforeHandshake => "auth_before_handshake",
            Self::SseOnly => "sse_only",
            Self::NoProtocolVersion => "no_protocol_version",
            Self::SessionHeaders => "session_headers",
            Self::NotYours => "not_yours",
        }
    }
}

/// A check's conclusion before it is put beside the check's id. A state and a
/// reason that do not belong together cannot be built in tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) state: State,
    pub(crate) execution: Execution,
    pub(crate) reason: Reason,
}

impl Finding {
    pub(crate) fn verified(reason: impl Into<Reason>) -> Self {
        Self::new(State::Verified, Execution::Completed, reason.into())
    }

    pub(crate) fn failed(reason: impl Into<Reason>) -> Self {
        Self::new(State::Failed, Execution::Completed, reason.into())
    }

    pub(crate) fn risk(reason: impl Into<Reason>) -> Self {
        Self::new(State::ObservedRisk, Execution::Completed, reason.into())
    }

    /// It ran to its end and could not conclude.
    pub(crate) fn inconclusive(reason: impl Into<Reason>) -> Self {
        Self::new(State::Unverified, Execution::Completed, reason.into())
    }

    /// It began and broke off.
    pub(crate) fn errored(reason: impl Into<Reason>) -> Self {
        Self::new(State::Unverified, Execution::Errored, reason.into())
    }

    /// There was nothing for it to do.
    pub(crate) fn skipped(reason: impl Into<Reason>) -> Self {
        Self::new(State::Unverified, Execution::Skipped, reason.into())
    }

    /// Something before it kept it from running.
    pub(crate) fn blocked(reason: impl Into<Reason>) -> Self {
        Self::new(State::Unverified, Execution::Blocked, reason.into())
    }

    /// The same, for a check that did run to its end.
    pub(crate) fn ran(self) -> Self {
        Self {
            execution: Execution::Completed,
            ..self
        }
    }

    fn new(state: State, execution: Execution, reason: Reason) -> Self {
        debug_assert!(
            reason.key().spec().states.contains(&state),
            "{state:?} beside {}",
            reason.key().as_str()
        );
        Self {
            state,
            execution,
            reason,
        }
    }
}
