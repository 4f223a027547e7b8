//! How much of a run may be signed: all, as far as the sign-in wall, or
//! nothing, and then why. Claimed or not makes no difference.

use sha2::{Digest as _, Sha256};
use touchstone_canonical::Value;
use touchstone_proto::observation::{Failure, FailureKind, Step};
use touchstone_proto::vocabulary::State;
use touchstone_wire::PROBE_TOOL_NAME;
use touchstone_wire::challenge;
use touchstone_wire::metadata::stated_place;
use url::Url;

use crate::limits;
use crate::model::{ChallengeFacts, Finding, LikelyCause, Signing};
use crate::reason::{Param, Reason, ReasonKey};
use crate::registry::CheckId;
use crate::view::{End, Outcome, Turn, View};

/// Parameters of a challenge that are named, and bytes of one name.
const NAMES: usize = 16;
const NAME_BYTES: usize = 64;
/// Bytes of the one URL.
const URL_BYTES: usize = 2_048;

/// What a limited signature vouches for, beside the challenge itself.
const LIMITED: [CheckId; 4] = [
    CheckId::Reachability,
    CheckId::TransportType,
    CheckId::AuthMetadata,
    CheckId::RedirectPolicy,
];

pub(super) fn decide(view: &View<'_>) -> Signing {
    if !holds_together(view) {
        return Signing::None(ReasonKey::Disqualified);
    }
    match (&view.handshake.outcome, &view.listing.end) {
        (Outcome::Gated(_), _) | (_, End::Gated(_)) => Signing::Limited,
        (Outcome::Failed(reason), _) => Signing::None(telling(view.decisive(), reason)),
        (Outcome::Edge(reason) | Outcome::Unread(reason) | Outcome::Broke(reason), _) => {
            Signing::None(reason.key())
        }
        (Outcome::UnknownRevision, _) => Signing::None(ReasonKey::RevisionUnknown),
        (Outcome::Done { .. }, End::Complete) => Signing::Full,
        (Outcome::Done { .. }, End::Incomplete(_)) => Signing::None(ReasonKey::ToolsListIncomplete),
        (Outcome::Done { .. }, End::Failed(reason)) => {
            Signing::None(telling(view.first_page(), reason))
        }
        (
            Outcome::Done { .. },
            End::NotAsked(reason) | End::Edge(reason) | End::Unread(reason) | End::Broke(reason),
        ) => Signing::None(reason.key()),
    }
}

/// What lies outside a limited signature becomes UNVERIFIED; how far the check
/// came stays as it was.
pub(super) fn limit(check: CheckId, finding: Finding) -> Finding {
    if LIMITED.contains(&check) || finding.state == State::Unverified {
        return finding;
    }
    Finding::inconclusive(ReasonKey::OutsideLimitedScope)
}

/// The challenge that a limited payload holds.
pub(super) fn challenge_facts(view: &View<'_>) -> Option<ChallengeFacts> {
    let values: Vec<&str> = view.gating()?.headers("www-authenticate").collect();
    let challenge = challenge::usable(&values)?;
    let mut names: Vec<String> = Vec::new();
    for (name, _) in &challenge.params {
        if names.len() < NAMES && name.len() <= NAME_BYTES && !names.contains(name) {
            names.push(name.clone());
        }
    }
    let reading = challenge::read(&values);
    let url = reading
        .resource_metadata()
        .and_then(|text| stated_place(text).ok())
        .map(String::from)
        .filter(|url| url.len() <= URL_BYTES);
    let digest = Sha256::digest(values.join(", "));
    Some(ChallengeFacts {
        scheme: challenge.scheme.to_ascii_lowercase(),
        names,
        url,
        digest: Some(format!(
            "sha256:{}",
            data_encoding::HEXLOWER.encode(&digest)
        )),
    })
}

/// What an owner should look at first; `None` when the run is signed in full,
/// or its reason says all there is to say.
pub(super) fn likely_cause(view: &View<'_>, signing: Signing) -> Option<LikelyCause> {
    if signing == Signing::Full {
        return None;
    }
    let status = |reason: &Reason| reason.param("status");
    let reason = view
        .handshake
        .cascade()
        .or_else(|| view.listing.missing())?;
    match (reason.key(), status(&reason)) {
        (ReasonKey::CredentialRequired, _)
        | (ReasonKey::HandshakeHttpError, Some(Param::Number(401 | 403 | 407))) => {
            Some(LikelyCause::AuthBeforeHandshake)
        }
        (ReasonKey::HandshakeSseTransport, _)
        | (ReasonKey::HandshakeHttpError, Some(Param::Number(404 | 405))) => {
            Some(LikelyCause::SseOnly)
        }
        (ReasonKey::ProtocolVersionMissing, _) => Some(LikelyCause::NoProtocolVersion),
        (ReasonKey::AcknowledgementRefused, _)
        | (
            ReasonKey::ToolsListHttpError | ReasonKey::ToolsListJsonrpcError,
            Some(Param::Number(400 | 404)),
        ) => Some(LikelyCause::SessionHeaders),
        (
            ReasonKey::ResolverUnavailable
            | ReasonKey::AgentFault
            | ReasonKey::PolicyRefused
            | ReasonKey::NotRecorded,
            _,
        ) => Some(LikelyCause::NotYours),
        _ => None,
    }
}

/// The key that says most about an answer that failed the run.
fn telling(turn: Option<&Turn<'_>>, reason: &Reason) -> ReasonKey {
    match turn.map_or(0, Turn::status) {
        // A modern server refused; it asks for no credential.
        _ if reason.key() == ReasonKey::HandshakeRefused => reason.key(),
        401 => ReasonKey::ChallengeUnusable,
        500..=599 => ReasonKey::ServerError,
        _ => reason.key(),
    }
}

/// A check of ours on the record itself: it holds what a run of this suite
/// sends, and no more. An agent is not trusted to have kept to it.
fn holds_together(view: &View<'_>) -> bool {
    let sent: Vec<&Turn<'_>> = view
        .turns
        .iter()
        .filter(|turn| {
            let kind = turn.exchange.failure.as_ref().map(Failure::kind);
            !matches!(
                kind,
                Some(FailureKind::BudgetRequests | FailureKind::BudgetTime)
            )
        })
        .collect();
    let later = sent.iter().filter(|turn| turn.is_later_page()).count();
    let outside = sent
        .iter()
        .filter(|turn| turn.step() == Step::EndSession)
        .count();
    let endpoint = without_fragment(view.endpoint());
    later <= limits::LATER_PAGE_REQUESTS
        && outside <= 1
        && sent.len() - later - outside <= limits::REQUESTS
        && view.endpoint_turns().all(|turn| {
            endpoint.is_some() && without_fragment(Url::parse(&turn.exchange.url).ok()) == endpoint
        })
        && view
            .turns
            .iter()
            .filter(|turn| turn.step() == Step::CallUnknownTool)
            .all(calls_nobody)
}

/// A fragment is never sent.
fn without_fragment(url: Option<Url>) -> Option<Url> {
    url.map(|mut url| {
        url.set_fragment(None);
        url
    })
}

/// Whether the call names the reserved tool and nothing else.
fn calls_nobody(turn: &Turn<'_>) -> bool {
    let request = touchstone_canonical::read(&turn.exchange.request_body).ok();
    let name = request
        .as_ref()
        .and_then(|request| request.get("params")?.get("name"))
        .and_then(Value::as_str);
    name == Some(PROBE_TOOL_NAME)
}
