use proptest::prelude::*;
use touchstone_canonical::DEPTH_LIMIT;

use super::*;

/// What was read, in one line: the answer's kind and the notes.
fn line(bytes: &[u8], expected: &Id) -> String {
    match read_answer(bytes, expected) {
        Err(fault) => format!("- {}", fault.as_str()),
        Ok(reading) => {
            let answer = match reading.answer {
                Answer::Result(_) => String::from("result"),
                Answer::Error(error) => format!("error {:?}", error.code.unwrap_or(0)),
            };
            let notes = reading.notes.iter().map(|note| note.as_str());
            let words: Vec<&str> = std::iter::once(&answer[..]).chain(notes).collect();
            words.join(" ")
        }
    }
}

/// A body, and what it is read as when the request's id was 1.
const NUMBERED: &[(&str, &str)] = &[
    (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "result"),
    (r#"{"jsonrpc":"2.0","id":1.0,"result":null}"#, "result"),
    (
        r#"{"jsonrpc":"2.0","id":"1","result":{}}"#,
        "result id_type_changed",
    ),
    (
        r#"{"jsonrpc":"2.0","id":{},"result":{}}"#,
        "result id_type_changed",
    ),
    (
        r#"{"jsonrpc":"2.0","id":2,"result":{}}"#,
        "result id_foreign",
    ),
    // Trap 15: batches.
    (r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#, "result batch"),
    (
        r#"[{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":9,"result":{}},{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":""}},{"jsonrpc":"2.0","id":1,"result":{}}]"#,
        "error 5 batch",
    ),
    ("[]", "- no_response"),
    (r#"[{"jsonrpc":"2.0","method":"n"}]"#, "- no_response"),
    // Looser forms.
    (r#"{"id":1,"result":{}}"#, "result jsonrpc_version"),
    (
        r#"{"jsonrpc":2.0,"id":1,"result":{}}"#,
        "result jsonrpc_version",
    ),
    (
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#,
        "result result_and_error",
    ),
    (
        r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":3,"message":""}}"#,
        "error 3 result_and_error",
    ),
    (
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":"E1"}}"#,
        "error 0 error_code error_message",
    ),
    (
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1.5,"message":7}}"#,
        "error 0 error_code error_message",
    ),
    // A string with an unpaired surrogate is a string.
    (
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"\ud800"}}"#,
        "error 1",
    ),
    (
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        "- no_response",
    ),
    (r#"{"jsonrpc":"2.0","id":1,"error":null}"#, "- no_response"),
    ("null", "- no_response"),
    ("\"x\"", "- no_response"),
    ("", "- empty"),
    (" \r\n", "- empty"),
    ("<html>", "- not_json"),
    ("Accepted", "- not_json"),
    (
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        "result bom",
    ),
    ("\u{feff}\u{feff}{}", "- not_json"),
    (
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":3,"message":""}}"#,
        "error 3 result_and_error",
    ),
];

/// The same for the id "d1".
const NAMED: &[(&str, &str)] = &[
    (r#"{"jsonrpc":"2.0","id":"d1","result":[]}"#, "result"),
    (
        r#"{"jsonrpc":"2.0","id":"d1","error":{"code":-32601,"message":"x"}}"#,
        "error -32601",
    ),
    // Trap 17: an error whose id is made up, null or missing.
    (
        r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":""}}"#,
        "error -32600 id_foreign",
    ),
    (
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":""}}"#,
        "error -32000 id_null",
    ),
    (
        r#"{"jsonrpc":"2.0","error":{"code":0,"message":""}}"#,
        "error 0 id_missing",
    ),
    // Trap 18: the id changed its type.
    (
        r#"{"jsonrpc":"2.0","id":0,"result":{}}"#,
        "result id_type_changed",
    ),
    // Trap 20: no JSON-RPC at all.
    (
        r#"{"error":"invalid_token","error_description":"x"}"#,
        "- no_response",
    ),
];

#[test]
fn answers_as_servers_send_them() {
    for (id, table) in [(Id::from(1), NUMBERED), (Id::from("d1"), NAMED)] {
        for (body, expected) in table {
            assert_eq!(line(body.as_bytes(), &id), *expected, "{body}");
        }
    }
}

#[test]
fn what_is_deeper_than_we_read_is_not_called_no_json() {
    let id = Id::from(1);
    let nested = |levels: usize| {
        // The message itself is one level.
        let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{open}{close}}}"#)
    };
    let fits = nested(DEPTH_LIMIT);
    assert_eq!(line(fits.as_bytes(), &id), "result");
    assert_eq!(fit(fits.as_bytes(), &id), Fit::Ours);
    let deeper = nested(DEPTH_LIMIT + 1);
    assert_eq!(line(deeper.as_bytes(), &id), "- unread");
    assert_eq!(fit(deeper.as_bytes(), &id), Fit::Unread);
}

#[test]
fn supported_revisions_are_bounded() {
    let long = "9".repeat(crate::discover::REVISION_LIMIT + 1);
    let mut listed = vec!["\"2025-06-18\"", "7", "null"];
    let quoted = format!("\"{long}\"");
    listed.push(&quoted);
    listed.extend(std::iter::repeat_n("\"x\"", 1_000));
    let body = format!(
        r#"{{"id":1,"error":{{"code":-32602,"message":"","data":{{"supported":[{}]}}}}}}"#,
        listed.join(",")
    );
    let reading = read_answer(body.as_bytes(), &Id::from(1)).expect("an error");
    let supported = reading.answer.error().expect("an error").supported();
    assert_eq!(supported.len(), crate::discover::LISTED_LIMIT);
    assert_eq!(supported[..2], ["2025-06-18", "x"]);
}

proptest! {
    #[test]
    fn arbitrary_bodies_never_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..100),
        words in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"jsonrpc\"", "\"2.0\"", "\"id\"", "1", "null",
            "\"result\"", "\"error\"", "\"code\"", "\"message\"", "\"method\"", "-32022",
        ]), 0..24),
    ) {
        let id = Id::from(1);
        let _ = read_answer(&bytes, &id);
        let text = words.concat();
        // What a stream takes for an answer, a body is read as one, and the reverse.
        let is_answer = read_answer(text.as_bytes(), &id).is_ok();
        prop_assert_eq!(is_answer, fit(text.as_bytes(), &id) >= Fit::Foreign, "{}", text);
    }
}
