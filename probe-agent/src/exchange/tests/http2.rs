//! HTTP/2, as ALPN chose it.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _};
use http_body_util::{BodyExt as _, Full, StreamBody, combinators::BoxBody};
use hyper::body::Frame;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};

use super::tls::{Authorities, authorities};
use super::*;

type Answer = http::Response<BoxBody<Bytes, Infallible>>;

fn whole(body: &'static str) -> BoxBody<Bytes, Infallible> {
    Full::new(Bytes::from(body)).boxed()
}

/// A stream that says one thing and stays open.
fn open(said: String) -> BoxBody<Bytes, Infallible> {
    let said = stream::iter([Ok(Frame::data(Bytes::from(said)))]);
    http_body_util::BodyExt::boxed(StreamBody::new(said.chain(stream::pending())))
}

async fn speaking(authorities: &Authorities, answer: fn(&str) -> Answer) -> Stage {
    let config = authorities.leaf(|_| {}).server(&[b"h2"]);
    Stage::play_tls(config, move |plug| async move {
        let service = service_fn(
            move |request: http::Request<hyper::body::Incoming>| async move {
                assert_eq!(request.uri().scheme_str(), Some("https"));
                Ok::<_, Infallible>(answer(request.uri().path()))
            },
        );
        let io = TokioIo::new(plug.into_io());
        let served = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
            .serve_connection(io, service)
            .await;
        served.map_err(std::io::Error::other)
    })
    .await
}

#[tokio::test]
async fn an_answered_stream_leaves_the_connection_in_use() {
    let authorities = authorities();
    let stage = speaking(&authorities, |path| {
        let response = http::Response::builder();
        match path {
            "/json" => response
                .header("content-type", "application/json")
                .body(whole(ANSWER)),
            _ => response
                .header("content-type", "text/event-stream")
                .body(open(format!("data: {ANSWER}\n\n"))),
        }
        .unwrap()
    })
    .await;
    let mut session = Session::new(egress(&authorities.trust()), SystemTime::now());
    let mut budget = budget();
    for (path, expected) in [("stream", BodyEnd::Answered), ("json", BodyEnd::Complete)] {
        let url = format!("https://localhost:{}/{path}", stage.address.port());
        let received = perform(&mut session, &post(&url), &mut budget).await;
        assert_eq!(end(&received), (expected, None));
        assert_eq!(received.body, ANSWER);
        let exchange = received.last();
        assert_eq!(exchange.response.as_ref().unwrap().http_version, "2");
        let tls = exchange.tls.as_ref().unwrap();
        assert_eq!(tls.alpn, "h2");
        let made_here = exchange.connect_us > 0;
        assert_eq!(
            tls.chain.is_empty(),
            !made_here,
            "the chain stands where it was shown"
        );
    }
    assert_eq!(stage.connections(), 1);
}

#[tokio::test]
async fn headers_without_measure_are_refused() {
    let authorities = authorities();
    let stage = speaking(&authorities, |path| {
        let mut response = http::Response::new(whole(ANSWER));
        let count = path.trim_start_matches('/').parse().unwrap();
        for _ in 0..count {
            let value = "x".repeat(10_000).parse().unwrap();
            response.headers_mut().append("x", value);
        }
        response
    })
    .await;
    let mut session = Session::new(egress(&authorities.trust()), SystemTime::now());
    for (count, status, failure) in [
        (6, Some(200), None),
        (7, None, Some(FailureKind::HeadersTooLarge)),
        (20, None, Some(FailureKind::HeadersTooLarge)),
    ] {
        let url = format!("https://localhost:{}/{count}", stage.address.port());
        let received = perform(&mut session, &post(&url), &mut budget()).await;
        assert_eq!((received.status(), received.failure()), (status, failure));
    }
}

#[tokio::test]
async fn what_was_agreed_and_is_not_spoken_is_no_http() {
    let authorities = authorities();
    let config = authorities.leaf(|_| {}).server(&[b"h2"]);
    let stage = Stage::play_tls(config, |mut plug| async move {
        plug.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            .await?;
        plug.hold().await
    })
    .await;
    let url = format!("https://localhost:{}/", stage.address.port());
    let mut session = Session::new(egress(&authorities.trust()), SystemTime::now());
    let received = perform(&mut session, &post(&url), &mut budget()).await;
    assert_eq!(received.failure(), Some(FailureKind::NotHttp));
}
