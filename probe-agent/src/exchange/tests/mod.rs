//! Exchanges with real servers on loopback that misbehave in every way we know.

mod broken;
mod http2;
mod limits;
mod redirects;
mod reuse;
mod stage;
mod stream;
mod tls;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use touchstone_proto::observation::{Body, BodyEnd, FailureKind, Framing, Step};
use url::Url;

use self::stage::{Stage, json, response};
use super::*;
use crate::guard::{Policy, Resolver};

/// The JSON-RPC answer that every test here waits for.
const ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

fn egress(trust: &Trust) -> Arc<Egress> {
    let policy = Policy::new(vec!["127.0.0.0/8".parse().unwrap()], Vec::new());
    let resolver = Resolver::with_name_servers(Vec::new());
    Arc::new(Egress::new(policy, resolver, trust))
}

fn session() -> Session {
    Session::new(egress(&Trust::public()), SystemTime::now())
}

fn budget() -> Budget {
    Budget::start(Limits::RUN)
}

/// A budget for tests that wait for its end.
fn short() -> Budget {
    Budget::start(Limits {
        time: Duration::from_millis(300),
        ..Limits::RUN
    })
}

fn post(url: &str) -> Request {
    Request {
        step: Step::ListTools,
        page: 1,
        method: Method::Post,
        url: Url::parse(url).unwrap(),
        headers: vec![
            ("content-type", "application/json".to_owned()),
            ("accept", "application/json, text/event-stream".to_owned()),
        ],
        body: br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_vec(),
    }
}

fn get(url: &str) -> Request {
    Request {
        step: Step::ResourceMetadata,
        page: 0,
        method: Method::Get,
        url: Url::parse(url).unwrap(),
        headers: vec![("accept", "application/json".to_owned())],
        body: Vec::new(),
    }
}

/// One request to a server of its own run.
async fn ask(stage: &Stage, mut budget: Budget) -> Received {
    perform(&mut session(), &post(&stage.url("/mcp")), &mut budget).await
}

fn body(received: &Received) -> &Body {
    received
        .last()
        .response
        .as_ref()
        .unwrap()
        .body
        .as_ref()
        .unwrap()
}

fn end(received: &Received) -> (BodyEnd, Option<FailureKind>) {
    (body(received).end(), received.failure())
}

#[tokio::test]
async fn an_exchange_is_recorded_whole() {
    let stage = Stage::replying([response(
        "200 OK",
        "Content-Type: Application/JSON; charset=utf-8\r\nMcp-Session-Id: s3cret\r\n\
         Set-Cookie: a=b\r\nX-Unkept: x\r\nServer: stage\r\nWWW-Authenticate: one\r\n\
         WWW-Authenticate: two\r\n",
        ANSWER.as_bytes(),
    )])
    .await;
    let mut session = session();
    let before = session.now_ms();
    let mut request = post(&stage.url("/mcp?a=b#fragment"));
    request
        .headers
        .push(("mcp-session-id", "s3cret".to_owned()));
    let received = perform(&mut session, &request, &mut budget()).await;

    assert_eq!(received.status(), Some(200));
    assert_eq!(received.failure(), None);
    assert_eq!(received.body, ANSWER);
    assert_eq!(received.session_id.as_deref(), Some("s3cret"));
    assert_eq!(
        received.header("www-authenticate").collect::<Vec<_>>(),
        ["one", "two"]
    );
    let exchange = received.last();
    assert_eq!(
        (exchange.step(), exchange.page, exchange.hop),
        (Step::ListTools, 1, 0)
    );
    assert_eq!(exchange.url, stage.url("/mcp?a=b"));
    assert_eq!(exchange.remote_address, stage.address.to_string());
    assert!(exchange.tls.is_none());
    assert!(exchange.sent_at_ms >= before);
    assert!(exchange.connect_us > 0);
    assert!(exchange.connect_us <= exchange.headers_us);
    assert!(exchange.headers_us <= exchange.total_us);
    let redacted = |headers: &[touchstone_proto::observation::Header]| {
        headers
            .iter()
            .map(|header| {
                (
                    header.name.clone(),
                    header.redacted && header.value.is_empty(),
                )
            })
            .collect::<Vec<_>>()
    };
    assert!(redacted(&exchange.request_headers).contains(&("mcp-session-id".to_owned(), true)));
    assert_eq!(
        redacted(&exchange.response.as_ref().unwrap().headers),
        [
            ("content-type".to_owned(), false),
            ("mcp-session-id".to_owned(), true),
            ("set-cookie".to_owned(), true),
            ("server".to_owned(), false),
            ("www-authenticate".to_owned(), false),
            ("www-authenticate".to_owned(), false),
            ("content-length".to_owned(), false),
        ]
    );
    assert_eq!(exchange.response.as_ref().unwrap().http_version, "1.1");
    let body = body(&received);
    assert_eq!(
        (body.end(), body.framing()),
        (BodyEnd::Complete, Framing::Json)
    );
    let length = ANSWER.len() as u64;
    assert_eq!(
        (body.wire_size, body.read_size, body.kept_size),
        (length, length, length)
    );
    assert_eq!(body.kept_sha256, body.read_sha256);

    let sent = &stage.requests()[0];
    assert!(sent.starts_with("POST /mcp?a=b HTTP/1.1\r\n"), "{sent}");
    for line in [
        &format!("host: {}", stage.address)[..],
        "user-agent: touchstone/",
        "accept-encoding: identity",
        "content-type: application/json\r\n",
        "mcp-session-id: s3cret",
        "content-length: 46\r\n",
    ] {
        assert!(sent.contains(line), "{line} in {sent}");
    }
    for absent in [
        "origin:",
        "cookie:",
        "connection:",
        "upgrade",
        "transfer-encoding:",
    ] {
        assert!(!sent.contains(absent), "{absent} in {sent}");
    }
    let seen = session.finish();
    assert_eq!(seen.bodies, [ANSWER]);
    assert!(seen.lookups.is_empty());
}

#[tokio::test]
async fn what_is_recorded_opens_as_an_observation() {
    use prost::Message as _;
    let stage = Stage::replying([
        json(ANSWER),
        json(ANSWER),
        json("[]"),
        response("202 Accepted", "", b""),
    ])
    .await;
    let (mut session, mut budget) = (session(), budget());
    let mut exchanges = Vec::new();
    for _ in 0..4 {
        exchanges.extend(
            perform(&mut session, &post(&stage.url("/")), &mut budget)
                .await
                .exchanges,
        );
    }
    let seen = session.finish();
    assert_eq!(
        seen.bodies.len(),
        2,
        "each body once, the empty one not at all"
    );
    let observation = touchstone_proto::observation::Observation {
        format: touchstone_proto::OBSERVATION_FORMAT,
        run: Some(touchstone_proto::observation::Run::default()),
        exchanges,
        lookups: seen.lookups,
        ..Default::default()
    };
    let signed = touchstone_proto::observation::SignedObservation {
        observation: observation.encode_to_vec(),
        bodies: seen.bodies,
        ..Default::default()
    };
    let opened = touchstone_proto::Recorded::open(&signed).unwrap();
    let last = opened
        .observation()
        .exchanges
        .last()
        .unwrap()
        .response
        .as_ref()
        .unwrap();
    assert_eq!(last.body.as_ref().unwrap().framing(), Framing::Empty);
}

#[tokio::test]
async fn framing_is_named_by_the_media_type_alone() {
    for (content_type, content, framing) in [
        ("Content-Type: application/json\r\n", ANSWER, Framing::Json),
        (
            "Content-Type: APPLICATION/json;charset=x\r\n",
            ANSWER,
            Framing::Json,
        ),
        ("Content-Type: text/html\r\n", ANSWER, Framing::Other),
        ("", ANSWER, Framing::Other),
        ("Content-Type: application/json\r\n", "", Framing::Empty),
        ("Content-Type: text/event-stream\r\n", "", Framing::Empty),
    ] {
        let stage = Stage::replying([response("200 OK", content_type, content.as_bytes())]).await;
        let received = ask(&stage, budget()).await;
        assert_eq!(body(&received).framing(), framing, "{content_type:?}");
        assert_eq!(received.body, content);
    }
}

#[tokio::test]
async fn the_budget_holds_to_the_request() {
    let stage = Stage::replying(std::iter::repeat_n(json(ANSWER), 20)).await;
    let (mut session, mut budget) = (session(), budget());
    let mut request = post(&stage.url("/"));
    for _ in 0..8 {
        assert_eq!(
            perform(&mut session, &request, &mut budget).await.failure(),
            None
        );
    }
    let refused = perform(&mut session, &request, &mut budget).await;
    assert_eq!(refused.failure(), Some(FailureKind::BudgetRequests));
    assert_eq!(refused.last().sent_at_ms, 0, "it was not sent");
    for page in 2..=10 {
        request.page = page;
        assert_eq!(
            perform(&mut session, &request, &mut budget).await.failure(),
            None
        );
    }
    request.page = 11;
    let refused = perform(&mut session, &request, &mut budget).await;
    assert_eq!(refused.failure(), Some(FailureKind::BudgetRequests));
    let farewell = Request {
        step: Step::EndSession,
        page: 0,
        method: Method::Delete,
        body: Vec::new(),
        ..request
    };
    assert_eq!(
        perform(&mut session, &farewell, &mut budget)
            .await
            .failure(),
        None
    );
    assert_eq!(stage.requests().len(), 18);
    assert!(stage.requests()[17].starts_with("DELETE / HTTP/1.1\r\n"));
}

#[tokio::test]
async fn what_the_policy_refuses_is_an_exchange_that_was_not_sent() {
    let stage = Stage::replying([json(ANSWER)]).await;
    let mut strict = Session::new(
        Arc::new(Egress::new(
            Policy::default(),
            Resolver::with_name_servers(Vec::new()),
            &Trust::public(),
        )),
        SystemTime::now(),
    );
    for (url, rule) in [
        (stage.url("/"), "plain_http"),
        (
            format!("https://127.0.0.1:{}/", stage.address.port()),
            "port",
        ),
        ("https://127.0.0.1/".to_owned(), "loopback"),
    ] {
        let received = perform(&mut strict, &post(&url), &mut budget()).await;
        let failure = received.last().failure.as_ref().unwrap();
        assert_eq!(
            (failure.kind(), &failure.rule[..]),
            (FailureKind::PolicyRefused, rule)
        );
        assert_eq!(received.last().sent_at_ms, 0);
        assert_eq!(received.last().remote_address, "");
    }
    assert_eq!(stage.connections(), 0);
}
