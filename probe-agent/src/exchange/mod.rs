//! One HTTP exchange as evidence.
//!
//! [`perform`] sends one request and returns what happened, whatever happened:
//! there is no error to return, since a failure is an observation too. It
//! dials only what the guard vetted, ends before the first byte of HTTP when a
//! certificate does not verify, reads no response beyond its limit, and holds
//! the run to its [`Budget`].
//!
//! It follows redirects for GETs alone, sends nothing that was not asked for,
//! and judges nothing.

mod answer;
mod body;
mod budget;
mod certificate;
mod clock;
mod connection;
mod dial;
mod failure;
mod headers;
mod message;
mod room;
mod session;
mod transfer;
mod trust;

use tokio::time::{Instant, timeout_at};
use touchstone_proto::observation::{Exchange, Failure, FailureKind};
use url::Url;

pub use budget::{Budget, Exhausted, Limits, RESPONSE_LIMIT_BYTES};
pub use headers::{HEADERS_LIMIT_BYTES, KEPT_HEADERS, USER_AGENT};
pub use message::{Method, Received, Request};
pub use room::BODIES_LIMIT_BYTES;
pub use session::{Egress, Seen, Session};
pub use trust::{BadAuthority, Trust};

/// Sends one request, and the redirects that a GET is answered with, and
/// records what came of each.
pub async fn perform(session: &mut Session, request: &Request, budget: &mut Budget) -> Received {
    let mut exchanges = Vec::new();
    let mut url = request.url.clone();
    loop {
        let hop = u32::try_from(exchanges.len()).unwrap_or(u32::MAX);
        let mut outcome = transfer::transfer(session, request, &url, hop, budget).await;
        let next = redirect(request.method, &url, &outcome.exchange);
        if next.is_some() && hop >= budget.redirects() {
            outcome.exchange.failure = Some(Failure {
                kind: FailureKind::TooManyRedirects.into(),
                rule: String::new(),
            });
        }
        let follow = next.filter(|_| outcome.exchange.failure.is_none());
        exchanges.push(outcome.exchange);
        match follow {
            Some(next) => url = next,
            None => {
                return Received {
                    exchanges,
                    body: outcome.body,
                    session_id: outcome.session_id,
                };
            }
        }
    }
}

/// Where a response sends the asker, if it may be followed: a GET alone is
/// followed, and only when its response is whole.
fn redirect(method: Method, url: &Url, exchange: &Exchange) -> Option<Url> {
    let response = exchange.response.as_ref()?;
    if method != Method::Get || !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    if exchange.failure.is_some() {
        return None;
    }
    let location = response
        .headers
        .iter()
        .find(|header| header.name == "location")?;
    url.join(&location.value).ok()
}

/// The future's outcome, or `late` when the deadline comes first.
async fn within<T>(
    deadline: Instant,
    late: FailureKind,
    future: impl Future<Output = Result<T, FailureKind>>,
) -> Result<T, FailureKind> {
    timeout_at(deadline, future).await.unwrap_or(Err(late))
}

#[cfg(test)]
mod tests;
