//! Whole runs against real listeners.

use serde_json::{Value, json};
use touchstone_proto::Recorded;

use super::peer::{Asked, Peer, Reply};
use super::*;
use crate::exchange::Trust;
use crate::guard::{Policy, Resolver};
use crate::identity::Identity;

/// 2026-11-30T12:00:00Z.
const NOW_MS: u64 = 1_796_040_000_000;
const SESSION: &str = "c0ffee-session-never-recorded";

fn egress(allow: &[&str]) -> Arc<Egress> {
    let allow = allow.iter().map(|net| net.parse().unwrap()).collect();
    let policy = Policy::new(allow, Vec::new());
    Arc::new(Egress::new(policy, Resolver::system(), &Trust::public()))
}

fn spec(url: &str) -> RunSpec {
    RunSpec {
        run_id: "run".into(),
        target_id: "target".into(),
        suite: SUITE.into(),
        slot: 7,
        region: "eu".into(),
        agent_key_id: "key".into(),
        endpoint_url: url.into(),
        endpoint_source: EndpointSource::Operator,
    }
}

/// Probes, and checks what holds of every recording: it fits its bodies, can
/// be signed and opened, and holds no session id.
async fn observe(url: &str, limits: Limits) -> Recorded {
    let started_at = std::time::UNIX_EPOCH + Duration::from_millis(NOW_MS);
    let egress = egress(&["127.0.0.0/8"]);
    let recording = probe_within(limits, spec(url), &egress, started_at).await;
    let signed = Identity::ephemeral()
        .unwrap()
        .sign(&recording.observation, recording.bodies);
    let secret = SESSION.as_bytes();
    assert!(
        !signed
            .observation
            .windows(secret.len())
            .any(|bytes| bytes == secret),
        "the session id was recorded"
    );
    let recorded = Recorded::open(&signed).unwrap();
    let run = recorded.run();
    assert_eq!(run.started_at_ms, i64::try_from(NOW_MS).unwrap());
    assert!(run.finished_at_ms >= run.started_at_ms);
    assert_eq!(
        (&run.run_id[..], run.slot, &run.region[..]),
        ("run", 7, "eu")
    );
    assert_eq!(run.endpoint_source(), EndpointSource::Operator);
    assert_eq!(recorded.observation().agent_version, crate::VERSION);
    assert!(
        recorded
            .observation()
            .trust_store
            .starts_with("webpki-roots")
    );
    recorded
}

async fn observe_peer(peer: &Peer) -> Recorded {
    observe(&format!("{}/mcp", peer.origin), Limits::RUN).await
}

fn steps(recorded: &Recorded) -> Vec<(Step, u32)> {
    let exchanges = recorded.observation().exchanges.iter();
    exchanges
        .map(|exchange| (exchange.step(), exchange.page))
        .collect()
}

fn result(asked: &Asked, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": result})
}

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

fn discovered(asked: &Asked) -> Value {
    result(
        asked,
        &json!({"supportedVersions": ["2026-07-28"], "capabilities": {}}),
    )
}

fn no_such_tool(asked: &Asked) -> Value {
    json!({"jsonrpc": "2.0", "id": asked.body["id"],
           "error": {"code": -32602, "message": "Unknown tool"}})
}

#[tokio::test]
async fn a_legacy_server_leaves_no_session_behind_and_no_session_id_in_the_record() {
    let peer = Peer::start(|asked, _| match &asked.word()[..] {
        "initialize" => {
            let body = result(
                asked,
                &json!({"protocolVersion": "2025-06-18", "capabilities": {},
                        "serverInfo": {"name": "s", "version": "1"}}),
            );
            let headers = [
                ("content-type", "application/json"),
                ("Mcp-Session-Id", SESSION),
            ];
            Reply::new(200, &headers, &body.to_string())
        }
        // A stream in reply to a notification says nothing and never ends.
        "notifications/initialized" => Reply::stream(""),
        "tools/list" => Reply::json(&result(asked, &json!({"tools": [tool("a")]}))),
        "tools/call" => Reply::json(&result(asked, &json!({"isError": true, "content": []}))),
        "DELETE /mcp" => Reply::new(204, &[], ""),
        _ => Reply::new(400, &[("content-type", "text/plain")], "not initialized"),
    })
    .await;
    let recorded = observe_peer(&peer).await;
    assert_eq!(
        steps(&recorded),
        [
            (Step::Discover, 0),
            (Step::Initialize, 0),
            (Step::Initialized, 0),
            (Step::ListTools, 1),
            (Step::CallUnknownTool, 0),
            (Step::EndSession, 0),
        ]
    );
    let observation = recorded.observation();
    assert_eq!(observation.stop, None);
    assert_eq!(recorded.run().offered_revision, "2025-11-25");
    let response = observation.exchanges[1].response.as_ref().unwrap();
    let header = response
        .headers
        .iter()
        .find(|h| h.name == "mcp-session-id")
        .unwrap();
    assert!(header.redacted && header.value.is_empty());
    assert!(recorded.body(response).starts_with(b"{"));

    let asked = peer.asked();
    assert_eq!(asked[1].header("mcp-session-id"), None);
    for request in &asked[2..] {
        assert_eq!(
            request.header("mcp-session-id"),
            Some(SESSION),
            "{}",
            request.word()
        );
        assert_eq!(request.header("mcp-protocol-version"), Some("2025-06-18"));
    }
    for request in &asked {
        let agent = request.header("user-agent").unwrap();
        assert!(agent.contains("(+https://touchstone.dev/probe)"), "{agent}");
        assert_eq!(request.header("origin"), None);
    }
}

#[tokio::test]
async fn a_modern_server_in_either_framing() {
    for stream in [false, true] {
        let peer = Peer::start(move |asked, _| {
            let answer = match &asked.word()[..] {
                "server/discover" => discovered(asked),
                "tools/list" => result(asked, &json!({"tools": [tool("a"), tool("b")]})),
                _ => no_such_tool(asked),
            };
            if stream {
                let other = r#"{"jsonrpc":"2.0","method":"notifications/message"}"#;
                Reply::stream(&format!(
                    ": hello\r\nid: 0\r\ndata:\r\n\r\ndata: {other}\r\n\r\nevent: message\r\ndata: {answer}\r\n\r\n"
                ))
            } else {
                Reply::json(&answer)
            }
        })
        .await;
        let recorded = observe_peer(&peer).await;
        assert_eq!(
            steps(&recorded),
            [
                (Step::Discover, 0),
                (Step::ListTools, 1),
                (Step::CallUnknownTool, 0)
            ],
            "stream: {stream}"
        );
        assert_eq!(recorded.observation().stop, None);
        assert_eq!(recorded.run().offered_revision, "2026-07-28");
        for exchange in &recorded.observation().exchanges {
            let body = recorded.body(exchange.response.as_ref().unwrap());
            assert!(body.starts_with(b"{"), "what is kept is the answer itself");
            assert!(exchange.headers_us > 0);
        }
    }
}

#[tokio::test]
async fn a_list_is_read_ten_pages_far() {
    let peer = Peer::start(|asked, _| {
        if asked.word() == "server/discover" {
            Reply::json(&discovered(asked))
        } else {
            let page = asked.body["params"]["cursor"].as_str().unwrap_or("0");
            let next = page.parse::<u32>().unwrap() + 1;
            let page = json!({"tools": [tool(page)], "nextCursor": next.to_string()});
            Reply::json(&result(asked, &page))
        }
    })
    .await;
    let recorded = observe_peer(&peer).await;
    let mut expected = vec![(Step::Discover, 0)];
    expected.extend((1..=10).map(|page| (Step::ListTools, page)));
    assert_eq!(steps(&recorded), expected);
    assert_eq!(recorded.observation().stop, None);
}

#[tokio::test]
async fn behind_a_wall_its_metadata_is_fetched_redirects_and_all() {
    let peer = Peer::start(|asked, origin| match &asked.word()[..] {
        "GET /prm" => Reply::new(302, &[("location", "/prm/really")], ""),
        "GET /prm/really" => Reply::json(&json!({
            "resource": format!("{origin}/mcp"),
            "authorization_servers": [format!("{origin}/tenant")],
        })),
        "GET /.well-known/openid-configuration/tenant" => {
            Reply::json(&json!({"issuer": format!("{origin}/tenant")}))
        }
        word if word.starts_with("GET") => Reply::new(404, &[], ""),
        _ => {
            let challenge = format!(r#"Bearer resource_metadata="{origin}/prm""#);
            Reply::new(401, &[("www-authenticate", &challenge)], "")
        }
    })
    .await;
    let recorded = observe_peer(&peer).await;
    assert_eq!(
        peer.words(),
        [
            "server/discover",
            "initialize",
            "GET /prm",
            "GET /prm/really",
            "GET /.well-known/oauth-authorization-server/tenant",
            "GET /.well-known/openid-configuration/tenant",
        ]
    );
    let exchanges = &recorded.observation().exchanges;
    let hops: Vec<u32> = exchanges.iter().map(|exchange| exchange.hop).collect();
    assert_eq!(hops, [0, 0, 0, 1, 0, 0]);
    assert_eq!(recorded.observation().stop, None);
}

#[tokio::test]
async fn metadata_that_goes_round_in_circles_stops_only_itself() {
    let peer = Peer::start(|asked, _| match &asked.word()[..] {
        "GET /.well-known/oauth-protected-resource" => Reply::new(404, &[], ""),
        word if word.starts_with("GET") => Reply::new(307, &[("location", &asked.path)], ""),
        _ => Reply::new(401, &[], ""),
    })
    .await;
    let recorded = observe_peer(&peer).await;
    let exchanges = &recorded.observation().exchanges;
    let hops: Vec<u32> = exchanges.iter().map(|exchange| exchange.hop).collect();
    assert_eq!(hops, [0, 0, 0, 1, 2, 3, 0]);
    let kind = exchanges[5].failure.as_ref().map(Failure::kind);
    assert_eq!(kind, Some(FailureKind::TooManyRedirects));
    assert_eq!(recorded.observation().stop, None);
}

#[tokio::test]
async fn a_server_that_asks_for_patience_sees_one_request() {
    let peer = Peer::start(|_, _| Reply::new(429, &[("Retry-After", "90")], "")).await;
    let recorded = observe_peer(&peer).await;
    assert_eq!(peer.words(), ["server/discover"]);
    let stop = recorded.observation().stop.unwrap();
    assert_eq!(
        (stop.kind(), stop.exchange, stop.retry_after_s),
        (StopKind::RateLimited, 0, 90)
    );
}

#[tokio::test]
async fn a_silent_server_ends_with_the_time() {
    let limits = Limits {
        time: Duration::from_millis(200),
        ..Limits::RUN
    };
    let peer = Peer::start(|_, _| Reply::silence()).await;
    let recorded = observe(&format!("{}/mcp", peer.origin), limits).await;
    let observation = recorded.observation();
    assert_eq!(observation.stop.unwrap().kind(), StopKind::BudgetTime);
    let kind = observation.exchanges[0].failure.as_ref().map(Failure::kind);
    assert_eq!(kind, Some(FailureKind::TimedOut));
    let run = recorded.run();
    let took = run.finished_at_ms - run.started_at_ms;
    assert!((200..200 + 500).contains(&took), "{took} ms");
}

#[tokio::test]
async fn what_must_not_be_dialled_is_an_observation_too() {
    for (url, allow) in [
        ("not a url", &["127.0.0.0/8"][..]),
        ("http://127.0.0.1:9/mcp", &[]),
        ("ftp://127.0.0.1/mcp", &["127.0.0.0/8"]),
        ("https://user:pass@127.0.0.1/mcp", &["127.0.0.0/8"]),
    ] {
        let recording = probe(spec(url), &egress(allow), SystemTime::now()).await;
        let observation = recording.observation;
        assert_eq!(observation.exchanges.len(), 1, "{url}");
        let failure = observation.exchanges[0].failure.as_ref().unwrap();
        assert_eq!(failure.kind(), FailureKind::PolicyRefused, "{url}");
        assert!(!failure.rule.is_empty(), "{url}");
        assert_eq!(
            observation.stop.unwrap().kind(),
            StopKind::ExchangeFailed,
            "{url}"
        );
    }
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let recorded = observe(&format!("http://{closed}/mcp"), Limits::RUN).await;
    let failure = recorded.observation().exchanges[0]
        .failure
        .as_ref()
        .unwrap();
    assert_eq!(failure.kind(), FailureKind::ConnectRefused);
}
