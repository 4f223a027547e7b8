//! Redirects: recorded on a POST, followed on a GET, judged at each hop.

use super::*;

fn to(location: &str) -> Vec<u8> {
    response(
        "307 Temporary Redirect",
        &format!("Location: {location}\r\n"),
        b"",
    )
}

#[tokio::test]
async fn a_post_is_never_redirected() {
    for status in ["301", "302", "303", "307", "308"] {
        let stage = Stage::replying([
            response(&format!("{status} Moved"), "Location: /elsewhere\r\n", b""),
            json(ANSWER),
        ])
        .await;
        let received = ask(&stage, budget()).await;
        assert_eq!(received.exchanges.len(), 1);
        assert_eq!(received.failure(), None);
        assert_eq!(
            received.header("location").collect::<Vec<_>>(),
            ["/elsewhere"]
        );
        assert_eq!(stage.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_get_is_followed_to_another_host_and_counted() {
    let other = Stage::replying([to("/there"), json("{}")]).await;
    let away = format!("http://other.localhost:{}/here?x=y", other.address.port());
    let stage = Stage::replying([to(&away)]).await;
    let (mut session, mut budget) = (session(), budget());
    let mut request = get(&stage.url("/.well-known/oauth-protected-resource"));
    request
        .headers
        .push(("mcp-session-id", "ours alone".to_owned()));
    let received = perform(&mut session, &request, &mut budget).await;
    assert_eq!(received.failure(), None);
    assert_eq!(received.body, "{}");
    let path: Vec<_> = received
        .exchanges
        .iter()
        .map(|e| (e.hop, e.url.clone()))
        .collect();
    let there = format!("http://other.localhost:{}/there", other.address.port());
    assert_eq!(
        path,
        [
            (0, stage.url("/.well-known/oauth-protected-resource")),
            (1, away),
            (2, there)
        ]
    );
    assert!(stage.requests()[0].contains("ours alone"));
    assert!(!other.requests().concat().contains("ours alone"));
    assert_eq!(session.finish().lookups[0].host, "other.localhost");
    for _ in 0..5 {
        assert_eq!(budget.take(Step::ResourceMetadata, 0), Ok(()));
    }
    assert!(budget.take(Step::ResourceMetadata, 0).is_err());
}

#[tokio::test]
async fn the_fourth_redirect_is_one_too_many() {
    let stage = Stage::replying(std::iter::repeat_n(to("/again"), 9)).await;
    let received = perform(&mut session(), &get(&stage.url("/")), &mut budget()).await;
    assert_eq!(stage.requests().len(), 4);
    assert_eq!(received.exchanges.len(), 4);
    assert_eq!(received.failure(), Some(FailureKind::TooManyRedirects));
    assert_eq!(received.status(), Some(307));
    assert!(
        received.exchanges[..3]
            .iter()
            .all(|exchange| exchange.failure.is_none())
    );
}

#[tokio::test]
async fn a_hop_that_the_policy_refuses_is_recorded_and_not_dialled() {
    for (location, rule) in [
        ("http://169.254.169.254/latest/meta-data/", "link_local"),
        ("https://[::ffff:127.0.0.1]/", "ipv4_mapped"),
        ("https://2886729729/", "private"),
        ("http://1.1.1.1/", "plain_http"),
        ("https://user:word@1.1.1.1/", "userinfo"),
        ("file:///etc/passwd", "scheme"),
    ] {
        let stage = Stage::replying([to(location)]).await;
        let received = perform(&mut session(), &get(&stage.url("/")), &mut budget()).await;
        assert_eq!(received.exchanges.len(), 2, "{location}");
        let failure = received.last().failure.as_ref().unwrap();
        assert_eq!(
            (failure.kind(), &failure.rule[..]),
            (FailureKind::PolicyRefused, rule)
        );
        assert_eq!(received.last().hop, 1);
        assert_eq!(received.last().remote_address, "");
    }
}

#[tokio::test]
async fn a_redirect_that_leads_nowhere_is_the_response() {
    for headers in ["", "Location: http://[\r\n"] {
        let stage = Stage::replying([response("302 Found", headers, b"")]).await;
        let received = perform(&mut session(), &get(&stage.url("/")), &mut budget()).await;
        assert_eq!(received.exchanges.len(), 1);
        assert_eq!((received.status(), received.failure()), (Some(302), None));
    }
}

#[tokio::test]
async fn redirects_end_with_the_requests_of_the_run() {
    let stage = Stage::replying(std::iter::repeat_n(to("/again"), 9)).await;
    let mut budget = Budget::start(Limits {
        requests: 2,
        ..Limits::RUN
    });
    let received = perform(&mut session(), &get(&stage.url("/")), &mut budget).await;
    assert_eq!(stage.requests().len(), 2);
    assert_eq!(received.exchanges.len(), 3);
    assert_eq!(received.failure(), Some(FailureKind::BudgetRequests));
}
