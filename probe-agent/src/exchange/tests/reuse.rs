//! One connection an origin and run, and only to the address that was judged.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::stage::Plug;
use super::*;
use crate::guard::nameserver::{Nameserver, Say};

#[tokio::test]
async fn a_run_keeps_its_connection() {
    let stage = Stage::replying(std::iter::repeat_n(json(ANSWER), 3)).await;
    let (mut session, mut budget) = (session(), budget());
    let first = perform(&mut session, &post(&stage.url("/")), &mut budget).await;
    let second = perform(&mut session, &post(&stage.url("/")), &mut budget).await;
    assert_eq!(stage.connections(), 1);
    assert!(first.last().connect_us > 0);
    assert_eq!(second.last().connect_us, 0);
    assert_eq!(second.last().remote_address, first.last().remote_address);
    assert!(second.last().headers_us > 0);
}

#[tokio::test]
async fn a_connection_that_the_server_ends_is_not_used_again() {
    for closing in ["Connection: close\r\n", ""] {
        let stage = Stage::play(move |mut plug| async move {
            plug.request().await?;
            plug.say(response("200 OK", closing, ANSWER.as_bytes()))
                .await?;
            plug.close().await
        })
        .await;
        let (mut session, mut budget) = (session(), budget());
        for _ in 0..3 {
            let received = perform(&mut session, &post(&stage.url("/")), &mut budget).await;
            assert_eq!(received.failure(), None);
        }
        assert_eq!((stage.connections(), stage.requests().len()), (3, 3));
    }
}

/// Answers the first request of its first connection, and closes that
/// connection when the second request has arrived.
async fn closing_late() -> Stage {
    let connections = Arc::new(AtomicUsize::new(0));
    Stage::play(move |mut plug| {
        let first = connections.fetch_add(1, Ordering::SeqCst) == 0;
        async move {
            plug.request().await?;
            plug.say(json(ANSWER)).await?;
            plug.request().await?;
            if first {
                return plug.close().await;
            }
            plug.say(json(ANSWER)).await
        }
    })
    .await
}

#[tokio::test]
async fn a_request_lost_on_a_used_connection_is_sent_again_and_counted_again() {
    for (requests, expected) in [(3, None), (2, Some(FailureKind::ConnectionLost))] {
        let stage = closing_late().await;
        let mut budget = Budget::start(Limits {
            requests,
            ..Limits::RUN
        });
        let mut session = session();
        let first = perform(&mut session, &post(&stage.url("/")), &mut budget).await;
        assert_eq!(first.failure(), None);
        let second = perform(&mut session, &post(&stage.url("/")), &mut budget).await;
        assert_eq!(second.failure(), expected);
        assert_eq!(second.exchanges.len(), 1);
        assert_eq!(stage.requests().len(), requests as usize);
        let third = perform(&mut session, &post(&stage.url("/")), &mut budget).await;
        assert_eq!(third.failure(), Some(FailureKind::BudgetRequests));
    }
}

#[tokio::test]
async fn a_request_lost_on_a_fresh_connection_is_not_sent_again() {
    let stage = Stage::play(|mut plug| async move {
        plug.request().await?;
        plug.close().await
    })
    .await;
    let received = ask(&stage, budget()).await;
    assert_eq!(received.failure(), Some(FailureKind::ConnectionLost));
    assert_eq!(stage.requests().len(), 1);
}

/// The first answer is allowed, every later one is this machine's loopback
/// elsewhere, where a server waits that must never be reached.
#[tokio::test]
async fn a_name_that_rebinds_reaches_only_what_was_judged() {
    let stage = Stage::play(|mut plug| async move {
        plug.request().await?;
        plug.say(response(
            "200 OK",
            "Connection: close\r\n",
            ANSWER.as_bytes(),
        ))
        .await
    })
    .await;
    let port = stage.address.port();
    let trap = Stage::open(&format!("127.0.0.66:{port}"), None, Plug::hold).await;
    let nameserver = Nameserver::start(|_, _, before| match before {
        0 => Say::addresses(&["127.0.0.1"]),
        _ => Say::addresses(&["127.0.0.66"]),
    })
    .await;
    let policy = Policy::new(vec!["127.0.0.1/32".parse().unwrap()], Vec::new());
    let resolver = Resolver::with_name_servers(vec![nameserver.address]);
    let egress = Arc::new(Egress::new(policy, resolver, &Trust::public()));
    let request = post(&format!("http://rebind.test:{port}/"));

    let mut session = Session::new(Arc::clone(&egress), SystemTime::now());
    let mut budget = budget();
    for _ in 0..3 {
        let received = perform(&mut session, &request, &mut budget).await;
        assert_eq!(received.failure(), None);
        assert_eq!(received.last().remote_address, format!("127.0.0.1:{port}"));
    }
    let mut next = Session::new(egress, SystemTime::now());
    let received = perform(&mut next, &request, &mut budget).await;
    let failure = received.last().failure.as_ref().unwrap();
    assert_eq!(
        (failure.kind(), &failure.rule[..]),
        (FailureKind::PolicyRefused, "loopback")
    );
    assert_eq!((stage.connections(), trap.connections()), (3, 0));
    assert_eq!(next.finish().lookups[0].addresses[0].denied_by, "loopback");
}
