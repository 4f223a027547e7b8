//! An observation read once: its exchanges in order, how the handshake ended,
//! how far the tool list was read, what ended the run.
//!
//! Everything that a check looks at is read here from the exchanges themselves;
//! of what the agent concluded only that is used which no exchange can show
//! (which budget was used up, what a Retry-After date comes to in seconds).

mod cause;
mod handshake;
mod listing;
mod turn;

use touchstone_canonical::Value;
use touchstone_proto::Recorded;
use touchstone_proto::observation::{Observation, Step, Stop, StopKind};
use touchstone_wire::tools;
use url::Url;

pub(crate) use cause::too_deep;
pub(crate) use handshake::{Handshake, Outcome, RevisionFact};
pub(crate) use listing::{End, Listing};
pub(crate) use turn::{Destination, Turn, scheme_word};

use crate::reason::{Reason, ReasonKey};

/// One observation as the checks read it.
#[derive(Debug)]
pub(crate) struct View<'r> {
    pub(crate) recorded: &'r Recorded,
    pub(crate) turns: Vec<Turn<'r>>,
    pub(crate) handshake: Handshake,
    pub(crate) listing: Listing,
    stop: Option<Reason>,
}

impl<'r> View<'r> {
    pub(crate) fn new(recorded: &'r Recorded) -> Self {
        let observation = recorded.observation();
        let turns: Vec<Turn<'r>> = observation
            .exchanges
            .iter()
            .enumerate()
            .map(|(index, exchange)| {
                let response = exchange.response.as_ref();
                let body = response.map_or(&[][..], |response| recorded.body(response));
                Turn::new(index, exchange, body)
            })
            .collect();
        let stop = stop(observation, &turns);
        let unrun = stop
            .clone()
            .unwrap_or_else(|| ReasonKey::NotRecorded.into());
        let asked = asked_to_wait(observation);
        let handshake = Handshake::read(&turns, asked, &unrun);
        let listing = Listing::read(&turns, asked, &handshake, &unrun);
        Self {
            recorded,
            turns,
            handshake,
            listing,
            stop,
        }
    }

    /// What ended the run before its conversation was done.
    pub(crate) fn stop(&self) -> Option<Reason> {
        self.stop.clone()
    }

    /// Why a check that did not come to run did not: what ended the run.
    pub(crate) fn unrun(&self) -> Reason {
        self.stop().unwrap_or_else(|| ReasonKey::NotRecorded.into())
    }

    /// Asks us to come back later, on this exchange.
    pub(crate) fn rate_limited(&self, turn: &Turn<'_>) -> Option<Reason> {
        turn.rate_limited(asked_of(asked_to_wait(self.recorded.observation()), turn))
    }

    /// The exchanges with the endpoint itself, in order.
    pub(crate) fn endpoint_turns(&self) -> impl Iterator<Item = &Turn<'r>> {
        self.turns.iter().filter(|turn| !turn.is_metadata())
    }

    /// The exchange that decided how the handshake ended.
    pub(crate) fn decisive(&self) -> Option<&Turn<'r>> {
        self.turns.get(self.handshake.decided_by?)
    }

    /// The answer that stands before what comes after it: a 401 with a
    /// challenge that can be used.
    pub(crate) fn gating(&self) -> Option<&Turn<'r>> {
        match (&self.handshake.outcome, &self.listing.end) {
            (Outcome::Gated(_), _) => self.decisive(),
            (_, End::Gated(_)) => self.first_page(),
            _ => None,
        }
    }

    /// A firewall stands where the server should.
    pub(crate) fn edge(&self) -> Option<Reason> {
        match (&self.handshake.outcome, &self.listing.end) {
            (Outcome::Edge(reason), _) | (_, End::Edge(reason)) => Some(reason.clone()),
            _ => None,
        }
    }

    /// The answer to the first `tools/list` after the handshake.
    pub(crate) fn first_page(&self) -> Option<&Turn<'r>> {
        let from = self.handshake.decided_by?;
        self.turns[from..]
            .iter()
            .find(|turn| turn.step() == Step::ListTools)
    }

    /// The call of the reserved tool name.
    pub(crate) fn call(&self) -> Option<&Turn<'r>> {
        self.turns
            .iter()
            .rfind(|turn| turn.step() == Step::CallUnknownTool)
    }

    /// Every tool that was read, over all pages in order; also those of a list
    /// that is not complete.
    pub(crate) fn tools(&self) -> Vec<&Value> {
        let era = self.handshake.era();
        let answers = self.listing.pages.iter().filter_map(|&turn| {
            let answer = self.turns.get(turn)?.answer()?;
            Some(tools::page(answer, era).ok()?.tools)
        });
        answers.flatten().collect()
    }

    /// The run's start, in seconds since the epoch: the "now" of every check.
    pub(crate) fn started_s(&self) -> i64 {
        self.recorded.run().started_at_ms.div_euclid(1_000)
    }

    /// The endpoint is reached without TLS.
    pub(crate) fn endpoint_is_plain(&self) -> bool {
        self.endpoint().is_some_and(|url| url.scheme() == "http")
    }

    pub(crate) fn endpoint(&self) -> Option<Url> {
        Url::parse(&self.recorded.run().endpoint_url).ok()
    }
}

/// The index of the exchange that ended the run with a rate limit, and the
/// seconds it asked for.
#[derive(Clone, Copy, Debug)]
struct Asked {
    exchange: u32,
    seconds: u32,
}

fn asked_to_wait(observation: &Observation) -> Option<Asked> {
    observation
        .stop
        .as_ref()
        .filter(|stop| stop.kind() == StopKind::RateLimited)
        .map(|stop| Asked {
            exchange: stop.exchange,
            seconds: stop.retry_after_s,
        })
}

fn asked_of(asked: Option<Asked>, turn: &Turn<'_>) -> Option<u32> {
    asked
        .filter(|asked| usize::try_from(asked.exchange) == Ok(turn.index))
        .map(|asked| asked.seconds)
}

/// Why this exchange ended the run, if it did: it asked us to come back later,
/// or there was no complete response.
fn ended(turn: &Turn<'_>, asked: Option<Asked>) -> Option<Reason> {
    turn.rate_limited(asked_of(asked, turn))
        .or_else(|| turn.broke())
}

fn stop(observation: &Observation, turns: &[Turn<'_>]) -> Option<Reason> {
    let asked = asked_to_wait(observation);
    // A document that cannot be had ends nothing, nor does what comes after the run.
    let conversation = turns
        .iter()
        .filter(|turn| !turn.is_metadata() && turn.step() != Step::EndSession);
    for turn in conversation {
        match ended(turn, asked) {
            Some(reason) if turn.is_later_page() && listing::only_ends_reading(&reason) => {}
            Some(reason) => return Some(reason),
            None => {}
        }
    }
    match observation.stop.as_ref().map(Stop::kind)? {
        StopKind::BudgetRequests => Some(cause::out_of_requests()),
        StopKind::BudgetTime => Some(cause::out_of_time()),
        // Both have an exchange to show for it, which was looked at above.
        StopKind::RateLimited | StopKind::ExchangeFailed | StopKind::Unspecified => None,
    }
}
