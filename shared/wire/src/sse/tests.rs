use proptest::prelude::*;

use super::Note::{
    Bom, Comment, EmptyData, EventEndpoint, EventError, ForeignId, OtherMessageBefore, Unterminated,
};
use super::*;

/// A stream; its events as `name|data|id|retry`, the one cut short marked with
/// `…`; and the notes.
const STREAMS: &[(&str, &[&str], &[Note])] = &[
    ("data: a\n\n", &["message|a||"], &[]),
    (
        "data:a\ndata: b\ndata:  c\n\n",
        &["message|a\nb\n c||"],
        &[],
    ),
    // The examples of the standard, section 9.2.6.
    (
        "data: YHOO\ndata: +2\ndata: 10\n\n",
        &["message|YHOO\n+2\n10||"],
        &[],
    ),
    (
        ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
        &[
            "message|first event|1|",
            "message|second event||",
            "message| third event||",
        ],
        &[Comment],
    ),
    (
        "data\n\ndata\ndata\n\ndata:",
        &["message|\n||"],
        &[EmptyData],
    ),
    (
        "data:test\n\ndata: test\n\n",
        &["message|test||", "message|test||"],
        &[],
    ),
    // Trap 1: a priming event.
    (
        "id: 7\ndata:\n\nevent: message\nid: 8\ndata: {}\n\n",
        &["message|{}|8|"],
        &[EmptyData],
    ),
    (
        "data: {}\nid: 0/0\nretry: 3000\n\nid: 1\n\n",
        &["message|{}|0/0|3000"],
        &[EmptyData],
    ),
    // Traps 3 and 4: no closing blank line, no line end.
    ("data: a\n", &["message|a||…"], &[Unterminated]),
    (
        "data: a\n\ndata: b",
        &["message|a||", "message|b||…"],
        &[Unterminated],
    ),
    ("data: a\nda", &["message|a||…"], &[Unterminated]),
    ("event: x\n", &[], &[EmptyData]),
    ("", &[], &[]),
    // Trap 5: line ends.
    (
        "data: a\r\n\r\ndata: b\r\rdata: c\n\n",
        &["message|a||", "message|b||", "message|c||"],
        &[],
    ),
    (
        "data: a\r\ndata: b\rdata: c\n\r\n",
        &["message|a\nb\nc||"],
        &[],
    ),
    ("data: a\r\n\r", &["message|a||"], &[]),
    // Trap 6: comments.
    (
        ": ping\n\n:\n\ndata: a\n: in between\ndata: b\n\n",
        &["message|a\nb||"],
        &[Comment],
    ),
    // Trap 7: one byte order mark is taken away, no more.
    ("\u{feff}data: a\n\n", &["message|a||"], &[Bom]),
    (
        "\u{feff}\u{feff}data: a\n\ndata: b\n\n",
        &["message|b||"],
        &[Bom],
    ),
    ("data: a\n\n\u{feff}data: b\n\n", &["message|a||"], &[]),
    ("\u{feff}", &[], &[Bom]),
    // Traps 9 and 10: event names.
    ("event: error\ndata: {}\n\n", &["error|{}||"], &[EventError]),
    (
        "event:endpoint\ndata: /m?s=1\n\n",
        &["endpoint|/m?s=1||"],
        &[EventEndpoint],
    ),
    (
        "event: a\nevent: b\ndata: x\n\ndata: y\n\n",
        &["b|x||", "message|y||"],
        &[],
    ),
    // Fields with odd values, and no fields.
    ("id: a\0b\nretry: 1s\ndata: x\n\n", &["message|x||"], &[]),
    (
        "retry: 99999999999999999999\ndata: x\n\n",
        &["message|x||"],
        &[],
    ),
    (
        "Data: a\n data: b\ndata : c\ndata: x\n\n",
        &["message|x||"],
        &[],
    ),
    ("<html>\n\n</html>\n", &[], &[]),
];

fn shown(event: &Event, mark: &str) -> String {
    let data = String::from_utf8_lossy(&event.data);
    let id = event.id.clone().unwrap_or_default();
    let retry = event
        .retry
        .map(|retry| retry.to_string())
        .unwrap_or_default();
    format!("{}|{data}|{id}|{retry}{mark}", event.name)
}

fn unframe<'a>(parts: impl Iterator<Item = &'a [u8]>) -> (Vec<String>, BTreeSet<Note>) {
    let mut unframer = Unframer::new(1_000);
    let mut events = Vec::new();
    for part in parts {
        let found = unframer.push(part).expect("within the limit");
        events.extend(found.iter().map(|event| shown(event, "")));
    }
    events.extend(unframer.finish().map(|event| shown(&event, "…")));
    (events, unframer.notes().clone())
}

#[test]
fn streams_are_read_as_the_standard_says_and_leniently() {
    for (stream, events, notes) in STREAMS {
        for size in [1, 2, 3, 5, stream.len().max(1)] {
            let found = unframe(stream.as_bytes().chunks(size));
            let expected: BTreeSet<Note> = notes.iter().copied().collect();
            assert_eq!(
                found,
                (events.iter().map(ToString::to_string).collect(), expected),
                "{stream:?} by {size}"
            );
        }
    }
}

#[test]
fn an_event_is_bounded() {
    let pushed = |parts: &[&str]| {
        let mut unframer = Unframer::new(10);
        let push = |part: &&str| unframer.push(part.as_bytes()).map(|events| events.len());
        let counts: Vec<_> = parts.iter().map(push).collect();
        (counts, unframer.finish().is_some())
    };
    let error = Err(EventTooLarge { limit: 10 });
    for (parts, counts, cut_short) in [
        (
            &["data: 1234\n\ndata: 1234\n\n", "data: 5"][..],
            vec![Ok(2), Ok(0)],
            true,
        ),
        (&["data: 12345", "\n\n"], vec![error, error], false),
        (
            &["data: 123\nid: 123\n", "data:"],
            vec![Ok(0), error],
            false,
        ),
        // What was complete before is not lost.
        (&["data: 1\n\ndata: 12345", ""], vec![Ok(1), error], false),
    ] {
        assert_eq!(pushed(parts), (counts, cut_short), "{parts:?}");
    }
}

/// A stream sent after a request with the id 2; the data found in it, those
/// found only at its end marked with `…`; and the notes.
const ANSWERED: &[(&str, Option<&str>, &[Note])] = &[
    // Trap 2: nothing behind the answer is read.
    (
        "data: {\"id\":2,\"result\":{}}\n\ndata: {\"id\":2,\"result\":1}\n\n",
        Some("{\"id\":2,\"result\":{}}"),
        &[],
    ),
    (
        "id: 1\ndata:\n\ndata: {\"id\":2,\"result\":{}}\n\n",
        Some("{\"id\":2,\"result\":{}}"),
        &[EmptyData],
    ),
    // Trap 8: other messages come first.
    (
        "data: {\"method\":\"notifications/message\"}\n\ndata: {\"id\":2,\"method\":\"ping\"}\n\ndata: {\"id\":2,\"error\":{}}\n\n",
        Some("{\"id\":2,\"error\":{}}"),
        &[OtherMessageBefore],
    ),
    // Trap 9.
    (
        "event: error\ndata: {\"error\":{\"code\":1}}\n\n",
        Some("{\"error\":{\"code\":1}}"),
        &[EventError, ForeignId],
    ),
    // Trap 10.
    (
        "event: endpoint\ndata: /messages\n\n",
        None,
        &[EventEndpoint],
    ),
    // Traps 17 and 18: ids that are not as they should be.
    (
        "data: {\"id\":null,\"error\":{}}\n\n",
        Some("{\"id\":null,\"error\":{}}"),
        &[ForeignId],
    ),
    (
        "data: {\"id\":9,\"error\":{}}\n\n",
        Some("{\"id\":9,\"error\":{}}"),
        &[ForeignId],
    ),
    (
        "data: {\"id\":\"2\",\"result\":{}}\n\n",
        Some("{\"id\":\"2\",\"result\":{}}"),
        &[ForeignId],
    ),
    (
        "data: {\"result\":{}}\n\n",
        Some("{\"result\":{}}"),
        &[ForeignId],
    ),
    // A result for another request waits for a better one.
    (
        "data: {\"id\":1,\"result\":0}\n\ndata: {\"id\":2,\"result\":1}\n\n",
        Some("{\"id\":2,\"result\":1}"),
        &[],
    ),
    (
        "data: {\"id\":1,\"result\":0}\n\ndata: {\"id\":3,\"result\":1}\n\n",
        Some("{\"id\":1,\"result\":0}…"),
        &[ForeignId],
    ),
    // Trap 3: the closing blank line never comes.
    (
        "data: {\"id\":2,\"result\":{}}\n",
        Some("{\"id\":2,\"result\":{}}…"),
        &[Unterminated],
    ),
    ("data: {\"id\":2,\"result\":{}", None, &[Unterminated]),
    // Trap 15.
    (
        "data: [{\"method\":\"n\"},{\"id\":2,\"result\":{}}]\n\n",
        Some("[{\"method\":\"n\"},{\"id\":2,\"result\":{}}]"),
        &[],
    ),
    ("data: hello\n\ndata: {}\n\ndata: [1]\n\n", None, &[]),
];

#[test]
fn the_answer_is_found_in_a_stream() {
    for (stream, expected, notes) in ANSWERED {
        for size in [1, 7, stream.len()] {
            let mut search = Search::new(Id::from(2), 1_000);
            let mut parts = stream.as_bytes().chunks(size);
            let found = parts.find_map(|part| search.push(part).expect("within the limit"));
            let text = |data: Vec<u8>| String::from_utf8(data).expect("UTF-8");
            let found = found
                .map(text)
                .or_else(|| search.finish().map(|data| text(data) + "…"));
            assert_eq!(found.as_deref(), *expected, "{stream:?} by {size}");
            let notes: BTreeSet<Note> = notes.iter().copied().collect();
            assert_eq!(search.notes(), notes, "{stream:?} by {size}");
        }
    }
}

#[test]
fn what_is_too_deep_to_read_may_be_the_answer() {
    let levels = touchstone_canonical::DEPTH_LIMIT + 1;
    let deep = format!(
        r#"{{"id":2,"result":{}{}}}"#,
        "[".repeat(levels),
        "]".repeat(levels)
    );
    let foreign = r#"{"id":1,"result":0}"#;
    let ours = r#"{"id":2,"result":0}"#;
    for (events, found, held) in [
        (&[&deep[..], ours][..], Some(ours), None),
        (&[foreign, &deep], None, Some(&deep[..])),
        (&[&deep, foreign], None, Some(&deep)),
    ] {
        let events: Vec<String> = events
            .iter()
            .map(|data| format!("data: {data}\n\n"))
            .collect();
        let stream = events.concat();
        let mut search = Search::new(Id::from(2), stream.len());
        let answer = search.push(stream.as_bytes()).expect("within the limit");
        assert_eq!(answer.as_deref(), found.map(str::as_bytes));
        if answer.is_none() {
            assert_eq!(search.finish().as_deref(), held.map(str::as_bytes));
            assert!(!search.notes().contains(&ForeignId));
        }
    }
}

proptest! {
    #[test]
    fn where_a_stream_is_split_never_matters(
        words in prop::collection::vec(prop::sample::select(vec![
            "\r", "\n", "\r\n", "data", "id", "event", "retry", ":", " ", "x", "{}", "5",
            "error", "\0", "\u{feff}", "é",
        ]), 0..60),
        sizes in prop::collection::vec(1..9_usize, 1..20),
    ) {
        let stream = words.concat().into_bytes();
        let whole = unframe(std::iter::once(&stream[..]));
        let mut rest = &stream[..];
        let mut sizes = sizes.iter().cycle();
        let parts = std::iter::from_fn(|| {
            let size = rest.len().min(*sizes.next()?);
            let (part, behind) = rest.split_at(size);
            rest = behind;
            (size > 0).then_some(part)
        });
        prop_assert_eq!(unframe(parts), whole);
    }

    #[test]
    fn arbitrary_streams_never_panic_nor_outgrow_their_limit(
        stream in prop::collection::vec(any::<u8>(), 0..300),
        limit in 0..40_usize,
    ) {
        let mut unframer = Unframer::new(limit);
        if let Ok(events) = unframer.push(&stream) {
            let last = unframer.finish();
            for event in events.iter().chain(&last) {
                prop_assert!(!event.data.is_empty() && event.data.len() <= limit);
            }
        }
        let mut search = Search::new(Id::from("d1"), limit);
        let _ = search.push(&stream);
        let _ = search.finish();
    }
}
