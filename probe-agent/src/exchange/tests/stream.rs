//! Event streams in every framing that servers were seen to send.

use std::io::Write as _;
use std::time::Duration;

use touchstone_proto::observation::SseNote;

use super::*;

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

fn event(data: &str) -> String {
    format!("event: message\ndata: {data}\n\n")
}

/// What the stage says after the head, piece by piece, before it holds the
/// stream open.
async fn streaming(pieces: Vec<Vec<u8>>) -> Stage {
    Stage::play(move |mut plug| {
        let pieces = pieces.clone();
        async move {
            plug.request().await?;
            plug.say(HEAD).await?;
            for piece in pieces {
                plug.say(piece).await?;
                tokio::task::yield_now().await;
            }
            plug.hold().await
        }
    })
    .await
}

fn notes(received: &Received) -> Vec<SseNote> {
    body(received).sse_notes().collect()
}

#[tokio::test]
async fn the_answer_is_found_in_every_framing_and_the_stream_left() {
    let after = event(r#"{"jsonrpc":"2.0","method":"notifications/message"}"#);
    let foreign = ANSWER.replace(":1,", ":7,");
    for (stream, expected) in [
        (event(ANSWER), vec![]),
        (format!("data:{ANSWER}\n\n"), vec![]),
        (event(ANSWER).replace('\n', "\r\n"), vec![]),
        (event(ANSWER).replace('\n', "\r"), vec![]),
        (format!("\u{feff}{}", event(ANSWER)), vec![SseNote::Bom]),
        (format!("id: 1\ndata:\n\n{}", event(ANSWER)), vec![SseNote::EmptyData]),
        (format!(": ping\n\n: ping\n\n{}", event(ANSWER)), vec![SseNote::Comment]),
        (format!("retry: 3000\nid: 0\ndata: {ANSWER}\n\n"), vec![]),
        (ANSWER.split(',').map(|part| format!("data: {part}\n")).collect::<Vec<_>>().join("data: ,\n") + "\n", vec![]),
        (format!("{after}{}", event(ANSWER)), vec![SseNote::OtherMessageBefore]),
        (format!("{}{after}", event(ANSWER)), vec![]),
        (format!("{}{}", event(&foreign), event(ANSWER)), vec![]),
        (
            "event: error\ndata: {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"x\"}}\n\n".to_owned(),
            vec![SseNote::EventError, SseNote::ForeignId],
        ),
    ] {
        // Whole, and a byte at a time.
        for pieces in [
            vec![stream.clone().into_bytes()],
            stream.bytes().map(|byte| vec![byte]).collect(),
        ] {
            let stage = streaming(pieces).await;
            let received = ask(&stage, budget()).await;
            assert_eq!(end(&received), (BodyEnd::Answered, None), "{stream:?}");
            assert_eq!(body(&received).framing(), Framing::Sse);
            assert_eq!(notes(&received), expected, "{stream:?}");
            let answer = touchstone_wire::jsonrpc::read_answer(&received.body, &1.into());
            assert!(answer.is_ok(), "{stream:?}: {:?}", received.body);
            assert_ne!(body(&received).kept_sha256, body(&received).read_sha256);
        }
    }
}

#[tokio::test]
async fn the_record_does_not_depend_on_how_the_network_cut_the_stream() {
    let stream = format!(": ping\r\n\r\n{}{}", event(ANSWER), event("more"));
    let read = stream.find("event: message\ndata: more").unwrap() as u64;
    let mut records = Vec::new();
    for size in [1, 7, stream.len()] {
        let pieces = stream.as_bytes().chunks(size).map(<[u8]>::to_vec).collect();
        let received = ask(&streaming(pieces).await, budget()).await;
        let body = body(&received).clone();
        assert_eq!(body.read_size, read);
        records.push(Body {
            wire_size: 0,
            ..body
        });
    }
    assert!(records.windows(2).all(|pair| pair[0] == pair[1]));
}

#[tokio::test]
async fn an_answer_without_its_blank_line_counts_when_the_stream_stops() {
    let unterminated = format!("data: {ANSWER}\n");
    // Left open: the budget ends it.
    let stage = streaming(vec![unterminated.clone().into_bytes()]).await;
    let received = ask(&stage, short()).await;
    assert_eq!(end(&received), (BodyEnd::Answered, None));
    assert_eq!(notes(&received), [SseNote::Unterminated]);
    assert_eq!(received.body, ANSWER);
    // Ended in order, and broken off.
    let whole = response(
        "200 OK",
        "Content-Type: text/event-stream\r\n",
        unterminated.as_bytes(),
    );
    let mut cut = HEAD
        .replace("\r\n\r\n", "\r\nContent-Length: 900\r\n\r\n")
        .into_bytes();
    cut.extend_from_slice(unterminated.as_bytes());
    for said in [whole, cut] {
        let stage = Stage::play(move |mut plug| {
            let said = said.clone();
            async move {
                plug.request().await?;
                plug.say(said).await?;
                plug.close().await
            }
        })
        .await;
        let received = ask(&stage, budget()).await;
        assert_eq!(end(&received), (BodyEnd::Answered, None));
        assert_eq!(received.body, ANSWER);
    }
}

#[tokio::test]
async fn a_stream_without_an_answer_is_kept_as_it_came() {
    let foreign = event(&ANSWER.replace(":1,", ":7,"));
    for (stream, expected, answered) in [
        (
            "event: endpoint\ndata: /message?sessionId=1\n\n",
            vec![SseNote::EventEndpoint],
            false,
        ),
        ("data: no json\n\n", vec![], false),
        // Nothing better came: a result for another id is what there is.
        (&foreign[..], vec![SseNote::ForeignId], true),
    ] {
        let whole = response(
            "200 OK",
            "Content-Type: text/event-stream\r\n",
            stream.as_bytes(),
        );
        let received = ask(&Stage::replying([whole]).await, budget()).await;
        assert_eq!(notes(&received), expected);
        assert_eq!(received.failure(), None);
        if answered {
            assert_eq!(body(&received).end(), BodyEnd::Answered);
        } else {
            assert_eq!(body(&received).end(), BodyEnd::Complete);
            assert_eq!(received.body, stream);
        }
    }
}

#[tokio::test]
async fn comments_do_not_extend_the_budget() {
    let stage = Stage::play(|mut plug| async move {
        plug.request().await?;
        plug.say(HEAD).await?;
        loop {
            plug.say(": still here\n\n").await?;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    let received = ask(&stage, short()).await;
    assert_eq!(
        end(&received),
        (BodyEnd::TimedOut, Some(FailureKind::TimedOut))
    );
    assert_eq!(notes(&received), [SseNote::Comment]);
}

#[tokio::test]
async fn a_flood_of_events_ends_at_the_limit() {
    let stage = Stage::play(|mut plug| async move {
        plug.request().await?;
        plug.say(HEAD).await?;
        loop {
            plug.say(event(r#"{"jsonrpc":"2.0","method":"x"}"#).repeat(200))
                .await?;
        }
    })
    .await;
    let received = ask(&stage, budget()).await;
    assert_eq!(
        end(&received),
        (BodyEnd::TooLarge, Some(FailureKind::TooLarge))
    );
    assert_eq!(body(&received).read_size, RESPONSE_LIMIT_BYTES as u64 + 1);
}

#[tokio::test]
async fn a_stream_under_gzip_is_read_as_it_arrives() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(event(ANSWER).as_bytes()).unwrap();
    encoder.flush().unwrap();
    let said = encoder.get_ref().clone();
    let stage = Stage::play(move |mut plug| {
        let said = said.clone();
        async move {
            plug.request().await?;
            plug.say(HEAD.replace("\r\n\r\n", "\r\nContent-Encoding: gzip\r\n\r\n"))
                .await?;
            plug.say(said).await?;
            plug.hold().await
        }
    })
    .await;
    let received = ask(&stage, budget()).await;
    assert_eq!(end(&received), (BodyEnd::Answered, None));
    assert_eq!(received.body, ANSWER);
}

#[tokio::test]
async fn a_stream_that_nobody_awaits_is_not_read() {
    let stage = streaming(Vec::new()).await;
    let mut notification = post(&stage.url("/"));
    notification.step = Step::Initialized;
    notification.body = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_vec();
    for request in [notification, get(&stage.url("/"))] {
        let received = perform(&mut session(), &request, &mut budget()).await;
        assert_eq!(end(&received), (BodyEnd::Answered, None));
        assert_eq!(body(&received).framing(), Framing::Sse);
        assert_eq!(received.body, "");
    }
}
