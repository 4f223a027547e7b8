//! Servers that break off, and what answers in no HTTP at all.

use super::*;

async fn after_request(said: &'static [u8]) -> Received {
    let stage = Stage::play(move |mut plug| async move {
        plug.request().await?;
        plug.say(said).await?;
        plug.close().await
    })
    .await;
    ask(&stage, budget()).await
}

#[tokio::test]
async fn what_is_no_http_is_told_apart_from_a_lost_connection() {
    for (said, expected) in [
        (&b"SSH-2.0-OpenSSH_9.6\r\n"[..], FailureKind::NotHttp),
        (
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
            FailureKind::NotHttp,
        ),
        (b"HTTP/1.1 two hundred\r\n\r\n", FailureKind::NotHttp),
        (
            b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
            FailureKind::NotHttp,
        ),
        (b"<html>hello</html>", FailureKind::NotHttp),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", FailureKind::NotHttp),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            FailureKind::NotHttp,
        ),
        (b"", FailureKind::ConnectionLost),
        (b"HTTP/1.1 200 O", FailureKind::ConnectionLost),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/pl",
            FailureKind::ConnectionLost,
        ),
    ] {
        let received = after_request(said).await;
        let text = String::from_utf8_lossy(said);
        assert!(received.last().response.is_none(), "{text}");
        assert_eq!(received.failure(), Some(expected), "{text}");
        assert_ne!(received.last().remote_address, "");
    }
}

#[tokio::test]
async fn a_body_cut_short_keeps_what_came() {
    for said in [
        &b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"a\":"[..],
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n",
    ] {
        let received = after_request(said).await;
        assert_eq!(end(&received), (BodyEnd::ConnectionLost, Some(FailureKind::ConnectionLost)));
        assert_eq!(received.body, "{\"a\":");
        assert_eq!(received.status(), Some(200));
    }
    let received =
        after_request(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n").await;
    assert_eq!(received.failure(), Some(FailureKind::NotHttp));
}

#[tokio::test]
async fn a_body_may_end_with_its_connection() {
    for said in [
        &b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{}"[..],
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{}",
    ] {
        let received = after_request(said).await;
        assert_eq!(end(&received), (BodyEnd::Complete, None));
        assert_eq!(received.body, "{}");
    }
    let received = after_request(b"HTTP/1.0 200 OK\r\n\r\n").await;
    assert_eq!(
        received.last().response.as_ref().unwrap().http_version,
        "1.0"
    );
}

#[tokio::test]
async fn a_closed_port_refuses() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let url = format!("http://{address}/");
    let received = perform(&mut session(), &post(&url), &mut budget()).await;
    assert_eq!(received.failure(), Some(FailureKind::ConnectRefused));
    assert_eq!(received.last().remote_address, "");
    assert!(received.last().sent_at_ms > 0);
}

#[tokio::test]
async fn a_second_address_is_tried_when_the_first_refuses() {
    let stage = Stage::replying([json(ANSWER)]).await;
    let nameserver = crate::guard::nameserver::Nameserver::start(|_, _, _| {
        crate::guard::nameserver::Say::addresses(&["127.0.0.9", "127.0.0.1"])
    })
    .await;
    let policy = Policy::new(vec!["127.0.0.0/8".parse().unwrap()], Vec::new());
    let resolver = Resolver::with_name_servers(vec![nameserver.address]);
    let egress = Arc::new(Egress::new(policy, resolver, &Trust::public()));
    let mut session = Session::new(egress, SystemTime::now());
    let url = format!("http://two.test:{}/", stage.address.port());
    let received = perform(&mut session, &post(&url), &mut budget()).await;
    assert_eq!(received.failure(), None);
    assert_eq!(received.last().remote_address, stage.address.to_string());
    assert_eq!(session.finish().lookups[0].addresses.len(), 2);
}

#[tokio::test]
async fn a_header_of_ours_that_is_none_is_our_fault() {
    let stage = Stage::replying([json(ANSWER)]).await;
    let mut request = post(&stage.url("/"));
    request
        .headers
        .push(("mcp-session-id", "line\nfeed".to_owned()));
    let received = perform(&mut session(), &request, &mut budget()).await;
    assert_eq!(received.failure(), Some(FailureKind::Agent));
    assert_eq!(stage.connections(), 0);
}
