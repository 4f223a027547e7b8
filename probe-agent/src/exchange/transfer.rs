//! One request and its response: vet, connect or reuse, send, read, record.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, Version, header};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};
use touchstone_proto::observation::{self, Exchange, Failure, FailureKind};
use url::{Position, Url};

use super::budget::{Budget, Exhausted};
use super::clock::micros;
use super::connection::Connection;
use super::message::Request;
use super::session::Session;
use super::{answer, dial, headers, within};
use crate::guard::Vetted;

/// What came of one request.
pub(super) struct Outcome {
    pub(super) exchange: Exchange,
    pub(super) body: Bytes,
    pub(super) session_id: Option<String>,
}

/// Sends `request` to `url`, which is its own URL or one that it was redirected to.
pub(super) async fn transfer(
    session: &mut Session,
    request: &Request,
    url: &Url,
    hop: u32,
    budget: &mut Budget,
) -> Outcome {
    let mut outcome = Outcome {
        exchange: Exchange {
            step: request.step.into(),
            page: request.page,
            hop,
            method: request.method.as_str().to_owned(),
            url: url[..Position::AfterQuery].to_owned(),
            request_body: request.body.clone(),
            ..Exchange::default()
        },
        body: Bytes::new(),
        session_id: None,
    };
    let failed = match admit(session, request, url, budget).await {
        Ok(vetted) => talk(session, request, &vetted, budget, &mut outcome)
            .await
            .err()
            .map(failure),
        Err(refusal) => Some(refusal),
    };
    if failed.is_some() {
        outcome.exchange.failure = failed;
    }
    outcome
}

/// May it be sent at all, as far as budget and guard are concerned?
async fn admit(
    session: &mut Session,
    request: &Request,
    url: &Url,
    budget: &mut Budget,
) -> Result<Vetted, Failure> {
    budget
        .covers(request.step, request.page)
        .map_err(|exhausted| failure(exhausted.kind()))?;
    match timeout_at(budget.deadline(), session.guard.vet(url)).await {
        Ok(Ok(vetted)) => Ok(vetted),
        Ok(Err(denied)) => Err(denied.failure()),
        Err(_) => Err(failure(FailureKind::BudgetTime)),
    }
}

async fn talk(
    session: &mut Session,
    request: &Request,
    vetted: &Vetted,
    budget: &mut Budget,
    outcome: &mut Outcome,
) -> Result<(), FailureKind> {
    let same_host = vetted.url().host() == request.url.host();
    let headers = headers::outgoing(request, &session.egress.user_agent, same_host)
        .ok_or(FailureKind::Agent)?;
    let exchange = &mut outcome.exchange;
    exchange.request_headers = headers::sent(&headers);
    exchange.sent_at_ms = session.clock.now_ms();
    let mut sent = Instant::now();
    let talked = async {
        let (connection, response) = send(
            session, request, vetted, &headers, budget, &mut sent, exchange,
        )
        .await?;
        exchange.headers_us = micros(sent.elapsed());
        let (head, incoming) = response.into_parts();
        outcome.session_id = headers::session_id(&head.headers);
        let id = answer::awaited(&request.body);
        let room = session.egress.house.room();
        let read = answer::read(&head.headers, incoming, id, room, budget.deadline()).await;
        let record = observation::Body {
            kept_sha256: session.keep(&read.kept, read.room),
            kept_size: read.kept.len() as u64,
            ..read.record
        };
        if record.end() == observation::BodyEnd::Complete || connection.is_http2() {
            session.put_back(vetted.url().origin().ascii_serialization(), connection);
        }
        exchange.response = Some(observation::Response {
            status: head.status.as_u16().into(),
            http_version: version(head.version).to_owned(),
            headers: headers::kept(&head.headers),
            body: Some(record),
        });
        outcome.body = read.kept;
        read.failure.map_or(Ok(()), Err)
    }
    .await;
    exchange.total_us = micros(sent.elapsed());
    talked
}

/// Sends over a connection of this run to the same origin if there is one.
///
/// A server may close such a connection just as the next request goes out. That
/// is no answer and no failure of its: the request is sent again, once, over a
/// fresh connection, and counted again if it had left.
async fn send(
    session: &mut Session,
    request: &Request,
    vetted: &Vetted,
    headers: &HeaderMap,
    budget: &mut Budget,
    sent: &mut Instant,
    exchange: &mut Exchange,
) -> Result<(Connection, Response<Incoming>), FailureKind> {
    let take = |budget: &mut Budget| {
        budget
            .take(request.step, request.page)
            .map_err(Exhausted::kind)
    };
    let origin = vetted.url().origin().ascii_serialization();
    take(budget)?;
    if let Some(mut connection) = session.idle(&origin)
        && connection.is_ready().await
    {
        connection.describe(exchange);
        let message = message(request, vetted.url(), headers, connection.is_http2())?;
        match timeout_at(budget.deadline(), connection.send(message)).await {
            Ok(Ok(response)) => return Ok((connection, response)),
            Ok(Err(unanswered)) => {
                if unanswered.kind != FailureKind::ConnectionLost {
                    return Err(unanswered.kind);
                }
                if !unanswered.unsent && take(budget).is_err() {
                    return Err(unanswered.kind);
                }
            }
            Err(_) => return Err(FailureKind::TimedOut),
        }
        exchange.sent_at_ms = session.clock.now_ms();
        *sent = Instant::now();
    }
    let egress = &session.egress;
    let deadline = budget.deadline();
    let mut connection = dial::dial(vetted, &egress.tls, session.clock, deadline, exchange).await?;
    let message = message(request, vetted.url(), headers, connection.is_http2())?;
    let response = within(deadline, FailureKind::TimedOut, async {
        connection
            .send(message)
            .await
            .map_err(|unanswered| unanswered.kind)
    })
    .await?;
    Ok((connection, response))
}

fn message(
    request: &Request,
    url: &Url,
    headers: &HeaderMap,
    http2: bool,
) -> Result<http::Request<Full<Bytes>>, FailureKind> {
    let body = Full::new(Bytes::from(request.body.clone()));
    // HTTP/2 names scheme and host in the request's target, HTTP/1.1 the host in a header.
    let target = if http2 {
        &url[..Position::AfterQuery]
    } else {
        &url[Position::BeforePath..Position::AfterQuery]
    };
    let mut message = http::Request::builder()
        .method(request.method.as_str())
        .uri(target)
        .body(body)
        .map_err(|_| FailureKind::Agent)?;
    *message.headers_mut() = headers.clone();
    if !http2 {
        let host = HeaderValue::from_str(&url[Position::BeforeHost..Position::AfterPort])
            .map_err(|_| FailureKind::Agent)?;
        message.headers_mut().insert(header::HOST, host);
    }
    Ok(message)
}

fn version(version: Version) -> &'static str {
    match version {
        Version::HTTP_10 => "1.0",
        Version::HTTP_2 => "2",
        _ => "1.1",
    }
}

fn failure(kind: FailureKind) -> Failure {
    Failure {
        kind: kind.into(),
        rule: String::new(),
    }
}
