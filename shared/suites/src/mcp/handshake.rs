//! The four checks that the handshake decides: `reachability`,
//! `transport_type`, `protocol_revision`, `discovery_handshake`.

use touchstone_wire::REVISIONS;

use crate::model::Finding;
use crate::reason::{Reason, ReasonKey};
use crate::view::{Outcome, RevisionFact, Turn, View};

/// The transport that every exchange of this suite uses.
const TRANSPORT: &str = "streamable_http";

/// Did the handshake end with an HTTP response, whatever its status? A time-out
/// may be our side's network, so the worst is UNVERIFIED.
pub(super) fn reachability(view: &View<'_>) -> Finding {
    if let Some(finding) = not_ended(view) {
        return finding;
    }
    let status = view.decisive().map_or(0, Turn::status);
    Finding::verified(Reason::new(ReasonKey::Answered, &[status.into()]))
}

/// Did the endpoint answer the handshake over this transport, whatever came of
/// the handshake? What a server declares is not compared.
pub(super) fn transport_type(view: &View<'_>) -> Finding {
    if let Some(finding) = not_ended(view) {
        return finding;
    }
    let framing = view
        .decisive()
        .map(Turn::content)
        .filter(|content| matches!(*content, "json" | "sse" | "empty"))
        .unwrap_or("other");
    Finding::verified(Reason::new(
        ReasonKey::TransportAnswered,
        &[TRANSPORT.into(), framing.into()],
    ))
}

/// Is the revision one of the matrix? Says nothing about how much of it is
/// implemented.
pub(super) fn protocol_revision(view: &View<'_>) -> Finding {
    match (view.handshake.revision, &view.handshake.outcome) {
        (_, Outcome::Gated(reason)) | (RevisionFact::None, Outcome::Edge(reason)) => {
            Finding::blocked(reason.clone())
        }
        (RevisionFact::None, Outcome::Unread(reason)) => Finding::errored(reason.clone()),
        (
            RevisionFact::Spoken {
                revision,
                handshake,
            },
            _,
        ) => Finding::verified(Reason::new(
            ReasonKey::RevisionSpoken,
            &[revision.into(), handshake.into()],
        )),
        (RevisionFact::Unknown, _) => Finding::failed(ReasonKey::RevisionUnknown),
        (RevisionFact::None, Outcome::Failed(reason)) => Finding::failed(reason.clone()),
        (RevisionFact::None, Outcome::Broke(reason)) => broke(view, reason),
        // Neither comes without a revision.
        (RevisionFact::None, Outcome::Done { .. } | Outcome::UnknownRevision) => {
            Finding::failed(ReasonKey::RevisionUnknown)
        }
    }
}

/// Does the handshake fit the specification of the revision that was spoken?
pub(super) fn discovery_handshake(view: &View<'_>) -> Finding {
    let handshake = &view.handshake;
    match &handshake.outcome {
        Outcome::Done { fault: Some(fault) } => Finding::failed(fault.clone()),
        Outcome::Done { fault: None } => Finding::verified(fits(view)),
        Outcome::Failed(reason) => Finding::failed(reason.clone()),
        // There is no specification to hold it against.
        Outcome::UnknownRevision => Finding::inconclusive(ReasonKey::RevisionUnknown),
        Outcome::Gated(reason) | Outcome::Edge(reason) => Finding::blocked(reason.clone()),
        Outcome::Unread(reason) => Finding::errored(reason.clone()),
        Outcome::Broke(reason) => broke(view, reason),
    }
}

fn fits(view: &View<'_>) -> Reason {
    let handshake = &view.handshake;
    match handshake.revision {
        RevisionFact::Spoken {
            revision,
            handshake: "discover",
        } => {
            let first = handshake.supported.first();
            let first = first.and_then(|first| REVISIONS.into_iter().find(|known| known == first));
            Reason::new(
                ReasonKey::HandshakeDiscovered,
                &[
                    revision.into(),
                    handshake.supported.len().into(),
                    first.unwrap_or("other").into(),
                ],
            )
        }
        RevisionFact::Spoken { revision, .. } => {
            let session = if handshake.session { "yes" } else { "no" };
            Reason::new(
                ReasonKey::HandshakeInitialized,
                &[revision.into(), session.into()],
            )
        }
        // A handshake that is done has a revision.
        RevisionFact::Unknown | RevisionFact::None => ReasonKey::NotRecorded.into(),
    }
}

/// UNVERIFIED when the run ended before the handshake did, even if an earlier
/// request of it was answered.
fn not_ended(view: &View<'_>) -> Option<Finding> {
    match &view.handshake.outcome {
        Outcome::Broke(reason) => Some(broke(view, reason)),
        _ => None,
    }
}

/// It broke off on an exchange; without one it never began.
fn broke(view: &View<'_>, reason: &Reason) -> Finding {
    match view.handshake.decided_by {
        Some(_) => Finding::errored(reason.clone()),
        None => Finding::blocked(reason.clone()),
    }
}
