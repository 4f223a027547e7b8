//! What came back, as the conversation looks at it.

use touchstone_proto::observation::{BodyEnd, FailureKind, StopKind};
use touchstone_wire::edge;
use touchstone_wire::jsonrpc::{Answer, Id, read_answer};
use touchstone_wire::media::Media;

use crate::exchange::Received;

/// What came of the request in hand.
pub(super) struct Came<'a> {
    pub(super) received: &'a Received,
    /// 0: no headers were read.
    pub(super) status: u16,
    pub(super) answer: Option<&'a Answer>,
}

impl<'a> Came<'a> {
    pub(super) fn new(received: &'a Received, answer: Option<&'a Answer>) -> Self {
        let status = received
            .status()
            .and_then(|status| u16::try_from(status).ok());
        Self {
            received,
            status: status.unwrap_or(0),
            answer,
        }
    }

    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Why the request came to no response that can be looked at. A body that
    /// cannot be decoded is one that says nothing; its status still speaks.
    pub(super) fn broke_off(&self) -> Option<FailureKind> {
        self.received
            .failure()
            .filter(|kind| *kind != FailureKind::Undecodable || self.status == 0)
    }

    /// The session id, if it is one: visible ASCII (page
    /// `2025-11-25/basic/transports`). It is as long as a header may be, since a
    /// server that gave it must take it.
    pub(super) fn session(&self) -> Option<String> {
        self.received
            .session_id
            .clone()
            .filter(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_graphic()))
    }
}

pub(super) fn stop_kind(kind: FailureKind) -> StopKind {
    match kind {
        FailureKind::BudgetRequests => StopKind::BudgetRequests,
        FailureKind::BudgetTime | FailureKind::TimedOut => StopKind::BudgetTime,
        _ => StopKind::ExchangeFailed,
    }
}

/// The JSON-RPC answer to the request with this id, if the body holds one.
pub(super) fn answer(received: &Received, expects: Option<&Id>) -> Option<Answer> {
    let readable = match Media::of(received.header("content-type").next()) {
        // What holds no event with the answer is kept as it came, and is none.
        Media::EventStream => received.body_end() == Some(BodyEnd::Answered),
        media => media.may_be_json(),
    };
    if !readable {
        return None;
    }
    Some(read_answer(&received.body, expects?).ok()?.answer)
}

/// Whether a firewall answered in the server's place.
pub(super) fn edge_challenge(received: &Received) -> bool {
    let Some(response) = &received.last().response else {
        return false;
    };
    let headers = response
        .headers
        .iter()
        .map(|header| (header.name.as_str(), header.value.as_str()));
    let status = u16::try_from(response.status).unwrap_or(0);
    edge::challenge(status, headers, &received.body).is_some()
}
