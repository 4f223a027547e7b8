//! How the handshake went: what was spoken, which answer decided, and why it
//! went no further if it did not.
//!
//! `server/discover`; where that shows no modern server, `initialize` and its
//! acknowledgement, which belongs to the handshake.

use touchstone_proto::observation::{SseNote, Step};
use touchstone_wire::discover::{self, Discovered, Discovery};
use touchstone_wire::initialize::{self, Accepted, Initialized};
use touchstone_wire::server::ServerInfo;
use touchstone_wire::{Era, MODERN, REVISIONS};

use super::turn::Turn;
use super::{Asked, ended};
use crate::model::ExchangeNote;
use crate::reason::{Param, Reason, ReasonKey};

/// What came of the handshake.
#[derive(Clone, Debug)]
pub(crate) struct Handshake {
    /// Index of the exchange whose answer decided; `None` when none was sent.
    pub(crate) decided_by: Option<usize>,
    pub(crate) outcome: Outcome,
    pub(crate) revision: RevisionFact,
    /// As the server wrote it, whether it is a revision or not.
    pub(crate) recorded: Option<String>,
    pub(crate) supported: Vec<String>,
    /// Whether a session was begun.
    pub(crate) session: bool,
    pub(crate) server: Option<ServerInfo>,
    pub(crate) notes: Vec<ExchangeNote>,
}

#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// The conversation went on. `fault`: it does not fit its revision all the same.
    Done {
        fault: Option<Reason>,
    },
    /// The answer that decided was a 401 with a challenge that can be used.
    Gated(Reason),
    /// A firewall answered; the server was not met.
    Edge(Reason),
    /// The answer that decided goes beyond what we read.
    Unread(Reason),
    Failed(Reason),
    /// Answered in form, with a revision that is not in the matrix.
    UnknownRevision,
    /// The run ended before the handshake did.
    Broke(Reason),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RevisionFact {
    Spoken {
        revision: &'static str,
        handshake: &'static str,
    },
    Unknown,
    /// The handshake did not come so far.
    None,
}

impl Handshake {
    /// `unrun`: why an exchange that is due and not there is not there.
    pub(super) fn read(turns: &[Turn<'_>], asked: Option<Asked>, unrun: &Reason) -> Self {
        let Some(discover) = turns.iter().rfind(|turn| turn.step() == Step::Discover) else {
            return Self::new(None, Outcome::Broke(unrun.clone()));
        };
        let at = Some(discover.index);
        if let Some(reason) = ended(discover, asked) {
            return Self::new(at, Outcome::Broke(reason));
        }
        if let Some(reason) = discover.edge() {
            return Self::new(at, Outcome::Edge(reason));
        }
        let reader = Reader {
            turns,
            asked,
            unrun,
            discover,
        };
        match discover::classify(discover.status_u16(), discover.answer()) {
            Discovery::Modern(discovered) => modern(discover, discovered),
            Discovery::Unknown(discovered) => Self {
                revision: RevisionFact::Unknown,
                notes: notes_of(discover, &discovered),
                server: discovered.server,
                supported: discovered.supported,
                ..Self::new(at, Outcome::UnknownRevision)
            },
            Discovery::Refused { code, supported } => Self {
                supported,
                ..Self::new(
                    at,
                    Outcome::Failed(Reason::new(ReasonKey::HandshakeRefused, &[code.into()])),
                )
            },
            Discovery::HttpStatus => {
                Self::new(at, Outcome::Failed(http_failure(discover, "discover")))
            }
            Discovery::LegacyOnly(discovered) => Self {
                supported: discovered.supported,
                ..reader.initialized()
            },
            Discovery::NotModern => {
                let legacy = reader.initialized();
                // A modern server, whose success that may be, need not answer there.
                let unread = discover.unread().filter(|_| discover.is_success());
                match (unread, &legacy.outcome) {
                    (Some(reason), Outcome::Failed(_) | Outcome::UnknownRevision) => {
                        Self::new(at, Outcome::Unread(reason))
                    }
                    _ => legacy,
                }
            }
        }
    }

    /// Why what follows the handshake did not come to run; `None` when it could.
    pub(crate) fn cascade(&self) -> Option<Reason> {
        match &self.outcome {
            Outcome::Done { .. } => None,
            Outcome::Gated(reason)
            | Outcome::Edge(reason)
            | Outcome::Unread(reason)
            | Outcome::Failed(reason)
            | Outcome::Broke(reason) => Some(reason.clone()),
            Outcome::UnknownRevision => Some(ReasonKey::RevisionUnknown.into()),
        }
    }

    /// Its `credential_required`, when the handshake itself is gated.
    pub(crate) fn gate(&self) -> Option<Reason> {
        match &self.outcome {
            Outcome::Gated(reason) => Some(reason.clone()),
            _ => None,
        }
    }

    /// The era that was spoken; legacy as long as nothing shows the other.
    pub(crate) fn era(&self) -> Era {
        match self.revision {
            RevisionFact::Spoken {
                handshake: "discover",
                ..
            } => Era::Modern,
            _ => Era::Legacy,
        }
    }

    fn new(decided_by: Option<usize>, outcome: Outcome) -> Self {
        Self {
            decided_by,
            outcome,
            revision: RevisionFact::None,
            recorded: None,
            supported: Vec::new(),
            session: false,
            server: None,
            notes: Vec::new(),
        }
    }
}

struct Reader<'a, 'r> {
    turns: &'a [Turn<'r>],
    asked: Option<Asked>,
    unrun: &'a Reason,
    discover: &'a Turn<'r>,
}

impl Reader<'_, '_> {
    /// The legacy handshake. Of several attempts (another revision proposed, a
    /// lost session begun anew) the last counts.
    fn initialized(&self) -> Handshake {
        let initialize = self
            .turns
            .iter()
            .rfind(|turn| turn.step() == Step::Initialize);
        let Some(turn) = initialize else {
            // An agent may leave a wall at once; it is then what decided.
            if self.discover.gate().is_some() {
                return self.gated_at_once();
            }
            let outcome = Outcome::Broke(self.unrun.clone());
            return Handshake::new(Some(self.discover.index), outcome);
        };
        let at = Some(turn.index);
        if let Some(outcome) = self.in_the_way(turn) {
            return Handshake::new(at, outcome);
        }
        // Another status says enough without its body.
        if let Some(reason) = turn.unread().filter(|_| matches!(turn.status(), 200 | 400)) {
            return Handshake::new(at, Outcome::Unread(reason));
        }
        let reason = match initialize::read(turn.status_u16(), turn.answer()) {
            Initialized::Accepted(accepted) => return self.accepted(turn, accepted),
            // A modern server after all, and the handshake of its era is behind
            // the wall: that answer decided, not the one to what it does not speak.
            Initialized::Refused {
                code: Some(code), ..
            } if discover::is_modern_error(code)
                && !is_refused_access(turn)
                && self.discover.gate().is_some() =>
            {
                return self.gated_at_once();
            }
            Initialized::NoRevision => ReasonKey::ProtocolVersionMissing.into(),
            Initialized::Refused { code, .. } if !is_refused_access(turn) => Reason::new(
                ReasonKey::HandshakeJsonrpcError,
                &[
                    "initialize".into(),
                    turn.status().into(),
                    code.unwrap_or(0).into(),
                ],
            ),
            Initialized::NotJsonRpc | Initialized::Refused { .. } | Initialized::HttpStatus => {
                http_failure(turn, "initialize")
            }
        };
        Handshake::new(at, Outcome::Failed(reason))
    }

    /// The wall before `server/discover` decided.
    fn gated_at_once(&self) -> Handshake {
        let gated = Outcome::Gated(self.discover.credential_required());
        Handshake::new(Some(self.discover.index), gated)
    }

    fn accepted(&self, turn: &Turn<'_>, accepted: Accepted) -> Handshake {
        let known = REVISIONS
            .into_iter()
            .find(|known| *known == accepted.revision);
        let revision = match known {
            Some(revision) => RevisionFact::Spoken {
                revision,
                handshake: "initialize",
            },
            None => RevisionFact::Unknown,
        };
        let fault = accepted.deviations.first().map(|deviation| {
            Reason::new(
                ReasonKey::HandshakeResultInvalid,
                &["initialize".into(), deviation.as_str().into()],
            )
        });
        let (decided_by, outcome) = match known {
            None => (turn.index, Outcome::UnknownRevision),
            // That revision has no initialize.
            Some(MODERN) => (
                turn.index,
                Outcome::Failed(Reason::new(
                    ReasonKey::HandshakeResultInvalid,
                    &["initialize".into(), "protocol_version".into()],
                )),
            ),
            Some(_) => self.acknowledged(turn, fault),
        };
        Handshake {
            revision,
            recorded: Some(accepted.revision),
            session: turn.headers("mcp-session-id").next().is_some(),
            server: accepted.server,
            ..Handshake::new(Some(decided_by), outcome)
        }
    }

    fn acknowledged(&self, initialize: &Turn<'_>, fault: Option<Reason>) -> (usize, Outcome) {
        let acknowledgement = self.turns[initialize.index..]
            .iter()
            .find(|turn| turn.step() == Step::Initialized);
        let Some(turn) = acknowledgement else {
            return (initialize.index, Outcome::Broke(self.unrun.clone()));
        };
        if let Some(outcome) = self.in_the_way(turn) {
            return (turn.index, outcome);
        }
        if turn.is_success() {
            return (initialize.index, Outcome::Done { fault });
        }
        let reason = Reason::new(ReasonKey::AcknowledgementRefused, &[turn.status().into()]);
        (turn.index, Outcome::Failed(reason))
    }

    /// What keeps an answer from being judged at all.
    fn in_the_way(&self, turn: &Turn<'_>) -> Option<Outcome> {
        if let Some(reason) = ended(turn, self.asked) {
            return Some(Outcome::Broke(reason));
        }
        if let Some(reason) = turn.edge() {
            return Some(Outcome::Edge(reason));
        }
        turn.gate()
            .map(|_| Outcome::Gated(turn.credential_required()))
    }
}

fn modern(turn: &Turn<'_>, discovered: Discovered) -> Handshake {
    let fault = discovered.deviations.iter().find_map(|deviation| {
        use discover::Deviation as D;
        let field = match deviation {
            D::Capabilities => "capabilities",
            D::ResultType => "result_type",
            D::VersionNotString => "supported_versions",
            // Noted: what a client can do without stops no conversation.
            D::ResultTypeMissing
            | D::TtlMs
            | D::CacheScope
            | D::ServerInfoTopLevel
            | D::ServerInfo => return None,
        };
        Some(Reason::new(
            ReasonKey::HandshakeResultInvalid,
            &["discover".into(), field.into()],
        ))
    });
    Handshake {
        revision: RevisionFact::Spoken {
            revision: MODERN,
            handshake: "discover",
        },
        recorded: Some(MODERN.to_owned()),
        notes: notes_of(turn, &discovered),
        server: discovered.server,
        supported: discovered.supported,
        ..Handshake::new(Some(turn.index), Outcome::Done { fault })
    }
}

fn notes_of(turn: &Turn<'_>, discovered: &Discovered) -> Vec<ExchangeNote> {
    let note = |deviation: &discover::Deviation| ExchangeNote {
        exchange: turn.index,
        note: deviation.as_str(),
    };
    discovered.deviations.iter().map(note).collect()
}

/// Why an answer that is no JSON-RPC answer of use fails the handshake.
fn http_failure(turn: &Turn<'_>, step: &'static str) -> Reason {
    let status = Param::from(turn.status());
    if let Some(to) = turn.redirect() {
        let to = to.as_str().into();
        return Reason::new(ReasonKey::HandshakeRedirected, &[step.into(), status, to]);
    }
    if turn
        .stream_notes()
        .any(|note| note == SseNote::EventEndpoint)
    {
        return Reason::new(ReasonKey::HandshakeSseTransport, &[step.into(), status]);
    }
    if turn.status() == 200 {
        let content = turn.content().into();
        return Reason::new(
            ReasonKey::HandshakeNotJsonrpc,
            &[step.into(), status, content],
        );
    }
    Reason::new(ReasonKey::HandshakeHttpError, &[step.into(), status])
}

/// Refused for who is asking rather than for what is asked; then the status
/// says more than the body.
fn is_refused_access(turn: &Turn<'_>) -> bool {
    matches!(turn.status(), 401 | 403 | 407)
}
