//! Nothing is waited for or read beyond the budget.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use tokio::time::Instant;

use super::*;

const LIMIT: u64 = RESPONSE_LIMIT_BYTES as u64;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn coded(coding: &str, body: &[u8]) -> Vec<u8> {
    let headers = format!("Content-Type: application/json\r\nContent-Encoding: {coding}\r\n");
    response("200 OK", &headers, body)
}

#[tokio::test]
async fn a_server_that_never_answers_costs_the_budget_and_no_more() {
    let stage = Stage::play(|mut plug| async move {
        plug.request().await?;
        plug.hold().await
    })
    .await;
    let began = Instant::now();
    let (mut session, mut budget) = (session(), short());
    let received = perform(&mut session, &post(&stage.url("/")), &mut budget).await;
    assert!(began.elapsed() >= Duration::from_millis(300));
    assert!(received.last().response.is_none());
    assert_eq!(received.failure(), Some(FailureKind::TimedOut));
    assert_eq!(received.last().headers_us, 0);
    assert!(received.last().total_us >= 200_000);
    let late = perform(&mut session, &post(&stage.url("/")), &mut budget).await;
    assert_eq!(late.failure(), Some(FailureKind::BudgetTime));
    assert_eq!(stage.requests().len(), 1);
}

#[tokio::test]
async fn a_drip_ends_with_the_budget_and_keeps_what_came() {
    let stage = Stage::play(|mut plug| async move {
        plug.request().await?;
        plug.say(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n",
        )
        .await?;
        loop {
            plug.say("x").await?;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    let received = ask(&stage, short()).await;
    assert_eq!(
        end(&received),
        (BodyEnd::TimedOut, Some(FailureKind::TimedOut))
    );
    assert_eq!(received.status(), Some(200));
    assert!(!received.body.is_empty());
    assert_eq!(body(&received).kept_size, received.body.len() as u64);
}

#[tokio::test]
async fn a_response_may_be_two_mebibytes_and_not_one_byte_more() {
    let fits = vec![b' '; RESPONSE_LIMIT_BYTES];
    let stage = Stage::replying([json(std::str::from_utf8(&fits).unwrap())]).await;
    let received = ask(&stage, budget()).await;
    assert_eq!(end(&received), (BodyEnd::Complete, None));
    assert_eq!(body(&received).read_size, LIMIT);

    let stage = Stage::play(|mut plug| async move {
        plug.request().await?;
        plug.say("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
            .await?;
        plug.say(vec![b' '; RESPONSE_LIMIT_BYTES + 1]).await?;
        plug.hold().await
    })
    .await;
    let received = ask(&stage, budget()).await;
    assert_eq!(
        end(&received),
        (BodyEnd::TooLarge, Some(FailureKind::TooLarge))
    );
    assert_eq!(body(&received).read_size, LIMIT + 1);
    assert_eq!(body(&received).wire_size, LIMIT + 1);

    // What is announced to be too large is not read at all.
    let stage = Stage::replying([json(&" ".repeat(3_000_000))]).await;
    let received = ask(&stage, budget()).await;
    assert_eq!(
        end(&received),
        (BodyEnd::TooLarge, Some(FailureKind::TooLarge))
    );
    assert_eq!(body(&received).read_size, 0);
}

#[tokio::test]
async fn a_bomb_stops_where_a_large_body_stops() {
    for bomb in [
        gzip(&vec![0; 32 * 1024 * 1024]),
        gzip(&vec![b' '; RESPONSE_LIMIT_BYTES + 1]),
    ] {
        let stage = Stage::replying([coded("gzip", &bomb)]).await;
        let received = ask(&stage, budget()).await;
        assert_eq!(
            end(&received),
            (BodyEnd::TooLarge, Some(FailureKind::TooLarge))
        );
        assert_eq!(body(&received).read_size, LIMIT + 1);
        assert!(body(&received).wire_size < 50_000);
    }
}

#[tokio::test]
async fn codings_that_were_not_asked_for_are_read_if_they_can_be() {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    zlib.write_all(ANSWER.as_bytes()).unwrap();
    let mut raw = DeflateEncoder::new(Vec::new(), Compression::fast());
    raw.write_all(ANSWER.as_bytes()).unwrap();
    let (zlib, raw) = (zlib.finish().unwrap(), raw.finish().unwrap());
    let plain = ANSWER.as_bytes().to_vec();
    let half = gzip(ANSWER.as_bytes());
    let half = half[..half.len() / 2].to_vec();
    let undecodable = (BodyEnd::Undecodable, Some(FailureKind::Undecodable));
    for (coding, content, expected) in [
        ("gzip", gzip(ANSWER.as_bytes()), (BodyEnd::Complete, None)),
        ("X-GZIP", gzip(ANSWER.as_bytes()), (BodyEnd::Complete, None)),
        ("deflate", zlib, (BodyEnd::Complete, None)),
        ("deflate", raw, (BodyEnd::Complete, None)),
        ("identity", plain.clone(), (BodyEnd::Complete, None)),
        ("gzip", plain.clone(), undecodable),
        ("gzip", half, undecodable),
        ("br", plain.clone(), undecodable),
        ("zstd", plain.clone(), undecodable),
        ("gzip, gzip", gzip(&gzip(ANSWER.as_bytes())), undecodable),
        ("\u{80}", plain, undecodable),
    ] {
        let stage = Stage::replying([coded(coding, &content)]).await;
        let received = ask(&stage, budget()).await;
        assert_eq!(end(&received), expected, "{coding}");
        if expected.1.is_none() {
            assert_eq!(received.body, ANSWER, "{coding}");
            assert_eq!(body(&received).wire_size, content.len() as u64);
        }
    }
    // Announced and empty: nothing to decode, nothing wrong.
    let stage = Stage::replying([coded("gzip", b"")]).await;
    let received = ask(&stage, budget()).await;
    assert_eq!(end(&received), (BodyEnd::Complete, None));
    assert_eq!(body(&received).framing(), Framing::Empty);
}

#[tokio::test]
async fn headers_without_end_are_too_large() {
    let endless = Stage::play(|mut plug| async move {
        plug.request().await?;
        plug.say("HTTP/1.1 200 OK\r\n").await?;
        loop {
            plug.say("X-More: and more\r\n".repeat(100)).await?;
        }
    })
    .await;
    let huge = Stage::replying([response(
        "200 OK",
        &format!("X: {}\r\n", "x".repeat(70_000)),
        b"",
    )])
    .await;
    let many = Stage::replying([response("200 OK", &"a:\r\n".repeat(17_000), b"")]).await;
    for (what, stage) in [("endless", endless), ("huge", huge), ("many", many)] {
        let received = ask(&stage, budget()).await;
        assert!(received.last().response.is_none(), "{what}");
        assert_eq!(
            received.failure(),
            Some(FailureKind::HeadersTooLarge),
            "{what}"
        );
    }
}

#[tokio::test]
async fn headers_may_be_many_as_long_as_they_are_not_large() {
    for lines in ["A: b\r\n".repeat(3_000), "a:\r\n".repeat(12_000)] {
        let stage = Stage::replying([response("200 OK", &lines, b"")]).await;
        let received = ask(&stage, budget()).await;
        assert_eq!((received.failure(), received.status()), (None, Some(200)));
    }
}

#[tokio::test]
async fn a_connection_that_is_never_accepted_ends_with_the_budget() {
    // A queue of one, filled: the kernel lets further connections wait.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut filling = Vec::new();
    while let Ok(Ok(stream)) = tokio::time::timeout(
        Duration::from_millis(100),
        tokio::net::TcpStream::connect(address),
    )
    .await
    {
        filling.push(stream);
    }
    let url = format!("http://{address}/");
    let received = perform(&mut session(), &post(&url), &mut short()).await;
    assert_eq!(received.failure(), Some(FailureKind::ConnectTimedOut));
    assert_eq!(received.last().remote_address, "");
}

#[tokio::test]
async fn runs_share_the_room_for_bodies() {
    let large = || Stage::replying([json(&" ".repeat(600_000))]);
    let (first, second) = (large().await, large().await);
    let policy = Policy::new(vec!["127.0.0.0/8".parse().unwrap()], Vec::new());
    let egress = Egress::new(
        policy,
        Resolver::with_name_servers(Vec::new()),
        &Trust::public(),
    );
    let egress = Arc::new(egress.with_bodies_limit(1024 * 1024));
    let mut one = Session::new(Arc::clone(&egress), SystemTime::now());
    let mut other = Session::new(egress, SystemTime::now());
    let received = perform(&mut one, &post(&first.url("/")), &mut budget()).await;
    assert_eq!(received.failure(), None);
    let received = perform(&mut other, &post(&second.url("/")), &mut short()).await;
    assert_eq!(
        end(&received),
        (BodyEnd::TimedOut, Some(FailureKind::Agent)),
        "our fault"
    );

    let third = large().await;
    let waiting = tokio::spawn(async move {
        let mut budget = budget();
        perform(&mut other, &post(&third.url("/")), &mut budget).await
    });
    drop(one);
    let received = waiting.await.unwrap();
    assert_eq!((received.failure(), received.body.len()), (None, 600_000));
}
