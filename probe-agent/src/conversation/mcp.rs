//! The conversation of the `mcp` suite.
//!
//! `server/discover` first; `initialize` when that shows no modern server; the
//! tool list page by page; one call of a tool that nobody has; the metadata
//! that a sign-in wall points to; the end of the session. Each step is taken
//! only when the one before it allows.

use touchstone_proto::observation::{FailureKind, Stop, StopKind};
use touchstone_wire::discover::{self, Discovery};
use touchstone_wire::initialize::{self, Initialized};
use touchstone_wire::jsonrpc::{Answer, Id};
use touchstone_wire::{Era, LEGACY_OFFER, MODERN, revision, tools};
use url::Url;

use super::came::{self, Came, stop_kind};
use super::listing::{Listing, Progress};
use super::messages::{self, Agreed, Message};
use super::metadata::Search;
use super::{Next, wait};
use crate::exchange::Received;

/// "Invalid params": what a legacy server says to a revision it does not speak.
const INVALID_PARAMS: i64 = -32_602;
/// "Method not found".
const METHOD_NOT_FOUND: i64 = -32_601;

/// One conversation with one endpoint.
#[derive(Debug)]
pub struct Mcp {
    endpoint: Url,
    stage: Stage,
    /// The id of the request last given, where it has one.
    expects: Option<Id>,
    next_id: i64,
    /// What the first handshake request of the era spoken offered.
    offered: &'static str,
    discovers_again: bool,
    /// What `initialize` proposes.
    proposal: &'static str,
    proposed_again: bool,
    started_again: bool,
    /// Legacy era: set from the accepted `initialize` on.
    agreed: Option<Agreed>,
    listing: Listing,
    /// `None`: no wall was met.
    wall: Option<Wall>,
    /// Exchanges recorded so far.
    recorded: usize,
    stop: Option<Stop>,
}

/// The answer that says most about a sign-in wall. Those that say more come
/// later in this order; of equals the last one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Says {
    /// 401 and no challenge.
    Unauthorized,
    /// 403 with a challenge, which asks for more than nothing.
    ForbiddenWithChallenge,
    UnauthorizedWithChallenge,
}

#[derive(Debug)]
struct Wall {
    says: Says,
    challenges: Vec<String>,
}

#[derive(Debug)]
enum Stage {
    Discover,
    Initialize,
    Acknowledge,
    List,
    Call,
    Metadata(Search),
    EndSession,
    Done,
}

impl Mcp {
    pub fn new(endpoint: Url) -> Self {
        Self {
            endpoint,
            stage: Stage::Discover,
            expects: None,
            next_id: 1,
            offered: MODERN,
            discovers_again: false,
            proposal: LEGACY_OFFER,
            proposed_again: false,
            started_again: false,
            agreed: None,
            listing: Listing::new(),
            wall: None,
            recorded: 0,
            stop: None,
        }
    }

    /// What to do now. Whoever sends the request feeds back what came of it
    /// before asking again.
    pub fn what_next(&mut self) -> Next {
        let Some((request, expects)) = self.message() else {
            return Next::Done;
        };
        self.expects = expects;
        Next::Send(request)
    }

    /// Takes what came back. `now_ms` is the wall clock, which a date in
    /// `Retry-After` is held against.
    pub fn feed(&mut self, received: &Received, now_ms: i64) {
        self.recorded += received.exchanges.len();
        let stage = std::mem::replace(&mut self.stage, Stage::Done);
        if matches!(stage, Stage::EndSession | Stage::Done) {
            return;
        }
        let edge = came::edge_challenge(received);
        if let Some(seconds) = wait::asked(received, now_ms).filter(|_| !edge) {
            self.stop(StopKind::RateLimited, seconds);
            return;
        }
        let answer = came::answer(received, self.expects.as_ref());
        let came = Came::new(received, answer.as_ref());
        if let Stage::Metadata(search) = stage {
            self.searched(search, &came);
            return;
        }
        if let Some(kind) = came.broke_off() {
            self.broke_off(&stage, kind);
            return;
        }
        if edge {
            // Somebody else answered in the server's place, and would again.
            self.leave();
            return;
        }
        self.meet_wall(&came);
        match stage {
            Stage::Discover => self.discovered(&came),
            Stage::Initialize => self.initialized(&came),
            Stage::Acknowledge => self.acknowledged(&came),
            Stage::List => self.listed(&came),
            _ => self.wrap_up(),
        }
    }

    /// What ended the run before its conversation was done.
    pub fn stop_reason(&self) -> Option<Stop> {
        self.stop
    }

    /// The revision that the first handshake request of the era spoken offered.
    pub fn offered_revision(&self) -> &'static str {
        self.offered
    }

    fn message(&mut self) -> Option<Message> {
        let endpoint = &self.endpoint;
        let (page, cursor) = (self.listing.page(), self.listing.cursor());
        Some(match (&mut self.stage, &self.agreed) {
            (Stage::Discover, _) => {
                messages::discover(endpoint, if self.discovers_again { 2 } else { 1 })
            }
            (Stage::Initialize, _) => {
                messages::initialize(endpoint, take(&mut self.next_id), self.proposal)
            }
            (Stage::List, None) => messages::list_modern(endpoint, page, cursor),
            (Stage::List, Some(agreed)) => {
                messages::list_legacy(endpoint, agreed, take(&mut self.next_id), page, cursor)
            }
            (Stage::Call, None) => messages::call_modern(endpoint),
            (Stage::Call, Some(agreed)) => {
                messages::call_legacy(endpoint, agreed, take(&mut self.next_id))
            }
            (Stage::Metadata(search), _) => {
                let (step, url) = search.next()?;
                messages::metadata(step, url)
            }
            (Stage::Acknowledge, Some(agreed)) => messages::initialized(endpoint, agreed),
            (Stage::EndSession, Some(agreed)) => messages::end_session(endpoint, agreed),
            (Stage::Acknowledge | Stage::EndSession, None) | (Stage::Done, _) => return None,
        })
    }

    fn discovered(&mut self, came: &Came<'_>) {
        match discover::classify(came.status, came.answer) {
            Discovery::Modern(_) => self.stage = Stage::List,
            Discovery::LegacyOnly(_) | Discovery::NotModern => {
                self.offered = LEGACY_OFFER;
                self.stage = Stage::Initialize;
            }
            // A client should retry with a revision that the refusal lists
            // (page `2026-07-28/basic/versioning`); ours of that era is one.
            Discovery::Refused { code, supported }
                if code == discover::UNSUPPORTED_VERSION
                    && supported.iter().any(|listed| listed == MODERN)
                    && !self.discovers_again =>
            {
                self.discovers_again = true;
                self.stage = Stage::Discover;
            }
            Discovery::Unknown(_) | Discovery::Refused { .. } | Discovery::HttpStatus => {
                self.leave();
            }
        }
    }

    fn initialized(&mut self, came: &Came<'_>) {
        match initialize::read(came.status, came.answer) {
            Initialized::Accepted(accepted) => {
                let fits = revision::is_known(&accepted.revision)
                    && revision::is_legacy(&accepted.revision);
                if fits {
                    self.agreed = Some(Agreed {
                        revision: accepted.revision,
                        session: came.session(),
                    });
                    self.stage = Stage::Acknowledge;
                } else {
                    self.agreed_on_nothing(came);
                }
            }
            Initialized::NoRevision => self.agreed_on_nothing(came),
            Initialized::Refused { code, supported } => {
                let other = revision::newest_legacy(&supported, self.proposal)
                    .filter(|_| code == Some(INVALID_PARAMS) && !self.proposed_again);
                match other {
                    Some(other) => {
                        self.proposal = other;
                        self.proposed_again = true;
                        self.stage = Stage::Initialize;
                    }
                    None => self.wrap_up(),
                }
            }
            Initialized::NotJsonRpc | Initialized::HttpStatus => self.wrap_up(),
        }
    }

    /// `initialize` succeeded without a revision that is known. A session that
    /// it began is ended all the same.
    fn agreed_on_nothing(&mut self, came: &Came<'_>) {
        self.agreed = Some(Agreed {
            revision: String::new(),
            session: came.session(),
        });
        self.wrap_up();
    }

    fn acknowledged(&mut self, came: &Came<'_>) {
        if came.is_success() {
            self.stage = Stage::List;
        } else if !self.starts_again(came) {
            self.wrap_up();
        }
    }

    fn listed(&mut self, came: &Came<'_>) {
        let era = match self.agreed {
            Some(_) => Era::Legacy,
            None => Era::Modern,
        };
        let page = came
            .answer
            .filter(|_| came.is_success())
            .and_then(|answer| tools::page(answer, era).ok())
            // What is no valid list is read no further, nor is a tool called
            // whose name an entry that cannot be read might bear.
            .filter(tools::Page::is_sound);
        let Some(page) = page else {
            if self.listing.page() > 1 || !self.starts_again(came) {
                self.wrap_up();
            }
            return;
        };
        match self.listing.add(&page) {
            Progress::More => self.stage = Stage::List,
            // A call needs the whole list, or the name might be a tool's.
            Progress::Complete if !self.listing.lists_probe_name() => self.stage = Stage::Call,
            Progress::Complete | Progress::Incomplete => self.wrap_up(),
        }
    }

    /// A session that the server no longer knows (404, page
    /// `2025-11-25/basic/transports`) is begun anew, once.
    fn starts_again(&mut self, came: &Came<'_>) -> bool {
        let had_session = self
            .agreed
            .as_ref()
            .is_some_and(|agreed| agreed.session.is_some());
        let code = came
            .answer
            .and_then(Answer::error)
            .and_then(|error| error.code);
        let again = had_session
            && !self.started_again
            && came.status == 404
            && code != Some(METHOD_NOT_FOUND);
        if again {
            self.started_again = true;
            self.agreed = None;
            self.listing = Listing::new();
            self.stage = Stage::Initialize;
        }
        again
    }

    fn meet_wall(&mut self, came: &Came<'_>) {
        let challenges: Vec<String> = came
            .received
            .header("www-authenticate")
            .map(str::to_owned)
            .collect();
        let says = match (came.status, challenges.is_empty()) {
            (401, true) => Says::Unauthorized,
            (401, false) => Says::UnauthorizedWithChallenge,
            (403, false) => Says::ForbiddenWithChallenge,
            _ => return,
        };
        if self.wall.as_ref().is_none_or(|wall| wall.says <= says) {
            self.wall = Some(Wall { says, challenges });
        }
    }

    /// A request came to no complete response.
    fn broke_off(&mut self, stage: &Stage, kind: FailureKind) {
        let later_page = matches!(stage, Stage::List) && self.listing.page() > 1;
        let only_the_reading = matches!(
            kind,
            FailureKind::TimedOut
                | FailureKind::TooLarge
                | FailureKind::HeadersTooLarge
                | FailureKind::BudgetRequests
                | FailureKind::BudgetTime
        );
        if later_page && only_the_reading {
            self.wrap_up();
        } else {
            self.stop(stop_kind(kind), 0);
            self.leave();
        }
    }

    fn searched(&mut self, mut search: Search, came: &Came<'_>) {
        // A document that cannot be had takes nothing from what was seen, so
        // that it never stops the run; its exchange records why.
        match came.broke_off().map(stop_kind) {
            Some(StopKind::BudgetTime) => self.stage = Stage::Done,
            Some(StopKind::BudgetRequests) => self.leave(),
            Some(_) => {
                search.found(0, &[]);
                self.search(search);
            }
            None => {
                search.found(came.status, &came.received.body);
                self.search(search);
            }
        }
    }

    /// The protocol part is over: what remains is the metadata behind a wall.
    fn wrap_up(&mut self) {
        match &self.wall {
            Some(wall) => self.search(Search::new(&self.endpoint, &wall.challenges)),
            None => self.leave(),
        }
    }

    fn search(&mut self, search: Search) {
        if search.is_over() {
            self.leave();
        } else {
            self.stage = Stage::Metadata(search);
        }
    }

    /// Nothing remains but to end a session. Once the time is up that cannot
    /// be sent either.
    fn leave(&mut self) {
        let out_of_time = self
            .stop
            .is_some_and(|stop| stop.kind() == StopKind::BudgetTime);
        let has_session = self
            .agreed
            .as_ref()
            .is_some_and(|agreed| agreed.session.is_some());
        self.stage = if has_session && !out_of_time {
            Stage::EndSession
        } else {
            Stage::Done
        };
    }

    fn stop(&mut self, kind: StopKind, retry_after_s: u32) {
        self.stop = Some(Stop {
            kind: kind.into(),
            exchange: u32::try_from(self.recorded.saturating_sub(1)).unwrap_or(u32::MAX),
            retry_after_s,
        });
    }
}

fn take(next_id: &mut i64) -> i64 {
    let id = *next_id;
    *next_id += 1;
    id
}
