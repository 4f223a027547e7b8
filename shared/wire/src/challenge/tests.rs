use proptest::prelude::*;

use super::*;

/// Scheme, token68 and parameters in one line.
fn shown(challenge: &Challenge) -> String {
    let token = challenge
        .token68
        .as_deref()
        .map(|token| format!(" {token}"));
    let params = challenge
        .params
        .iter()
        .map(|(name, value)| format!(" {name}={value:?}"));
    let rest: String = token.into_iter().chain(params).collect();
    format!("{}{rest}", challenge.scheme)
}

/// Header values, and the first challenge where it is usable.
const GATES: &[(&[&str], Option<&str>)] = &[
    (&["Bearer"], Some("Bearer")),
    (&["  Bearer\t"], Some("Bearer")),
    (&["Bearer realm=\"x\""], Some("Bearer realm=\"x\"")),
    (&["Bearer   realm=\"x\""], Some("Bearer realm=\"x\"")),
    (
        &["Bearer realm=\"x\", Error=invalid_token"],
        Some("Bearer realm=\"x\" error=\"invalid_token\""),
    ),
    (
        &["Bearer realm = \"a\\\"b\\\\\" ,\terror=\"é\t\""],
        Some("Bearer realm=\"a\\\"b\\\\\" error=\"é\\t\""),
    ),
    (&["Negotiate YWJj=="], Some("Negotiate YWJj==")),
    (&["Basic abc, realm=\"x\""], Some("Basic abc realm=\"x\"")),
    // An unfinished parameter looks like a token68.
    (&["Bearer realm="], Some("Bearer realm=")),
    // Another challenge begins; it is not looked at.
    (&["Bearer, Basic realm=\"x\""], Some("Bearer")),
    (
        &["Bearer realm=\"x\", Basic ???"],
        Some("Bearer realm=\"x\""),
    ),
    (
        &["Bearer realm=\"x\"", "Basic realm=\"y\""],
        Some("Bearer realm=\"x\""),
    ),
    (
        &["Bearer realm=\"x\", ,, a=b,"],
        Some("Bearer realm=\"x\" a=\"b\""),
    ),
    (&["Bearer,"], Some("Bearer")),
    // Trap 52: both are kept.
    (
        &["Bearer resource_metadata=\"u\", resource_metadata=\"v\""],
        Some("Bearer resource_metadata=\"u\" resource_metadata=\"v\""),
    ),
    // No gate.
    (&[], None),
    (&[""], None),
    (&[", Bearer"], None),
    (&["Bearer ???"], None),
    (&["Bearer abc def"], None),
    (&["Bearer\trealm=\"x\""], None),
    (&["Bearer \trealm=\"x\""], None),
    (&["Bearer realm=\"x"], None),
    (&["Bearer realm='x y'"], None),
    (&["Bearer realm=\"x\" junk"], None),
    (&["Bearer realm=\"x\", error=\"y\" junk"], None),
    (&["Bearer realm=\"x\" error=\"y\""], None),
    (&["Bearer realm=\"\u{1}\""], None),
    (&["Bearer realm=\"\u{7f}\""], None),
    (&["Bearer realm=\"\\\u{7f}\""], None),
    (&["Bearer resource_metadata=https://h/x"], None),
    (&["\"Bearer\""], None),
    (&["Béarer"], None),
];

#[test]
fn a_gate_is_a_first_challenge_that_is_complete() {
    for (values, expected) in GATES {
        let found = usable(values).as_ref().map(shown);
        assert_eq!(found.as_deref(), *expected, "{values:?}");
    }
    let scheme = |length| "s".repeat(length);
    assert!(usable(&[scheme(SCHEME_LIMIT)]).is_some());
    assert!(usable(&[scheme(SCHEME_LIMIT + 1)]).is_none());
    assert!(usable(&[format!("a b=\"{}\"", " ".repeat(HEADER_LIMIT))]).is_none());
}

/// Header values, what is made out of them, and the quirks overlooked.
const TOLERATED: &[(&[&str], &[&str], &str)] = &[
    (&["Bearer"], &["Bearer"], ""),
    (&["Bearer "], &["Bearer"], ""),
    (
        &["Bearer realm=\"x\", scope=\"a b\""],
        &["Bearer realm=\"x\" scope=\"a b\""],
        "",
    ),
    (
        &["Negotiate abc==", "Bearer a=b"],
        &["Bearer a=\"b\"", "Negotiate abc=="],
        "",
    ),
    (
        &["Basic abc, Bearer a=b"],
        &["Bearer a=\"b\"", "Basic abc"],
        "",
    ),
    (
        &["Basic realm=\"x\", bearer a=b, Digest c=d"],
        &["bearer a=\"b\"", "Basic realm=\"x\"", "Digest c=\"d\""],
        "",
    ),
    // Trap 52.
    (
        &["Bearer a=\"1\", A=\"2\""],
        &["Bearer a=\"1\" a=\"2\""],
        "repeated_parameter",
    ),
    // Trap 53.
    (
        &["Bearer a = \"1\""],
        &["Bearer a=\"1\""],
        "blanks_around_equals",
    ),
    (
        &["Bearer a='1, 2', b=3"],
        &["Bearer a=\"1, 2\" b=\"3\""],
        "single_quotes",
    ),
    (
        &["Bearer resource_metadata=https://h/x?a=b c=d"],
        &["Bearer resource_metadata=\"https://h/x?a=b\" c=\"d\""],
        "unquoted_value",
    ),
    (&["Bearer a=\"1\" b=\"2\""], &["Bearer a=\"1\" b=\"2\""], ""),
    (&["Bearer a=\"1"], &["Bearer a=\"1\""], "open_quote"),
    (&["Bearer a=\"1\\"], &["Bearer a=\"1\""], "open_quote"),
    (
        &["Bearer a='1"],
        &["Bearer a=\"1\""],
        "single_quotes open_quote",
    ),
    (&["a=\"1\", b=2"], &[" a=\"1\" b=\"2\""], "stray"),
    (
        &["Bearer ==\"1\""],
        &[" bearer=\"=\\\"1\\\"\""],
        "unquoted_value blanks_around_equals stray",
    ),
    (&["", ",,", " "], &[], ""),
    (&["Bearer realm="], &["Bearer realm="], ""),
    (&["Bearer abc def"], &["Bearer", "abc def"], ""),
];

#[test]
fn whatever_servers_send_is_made_out() {
    for (values, challenges, quirks) in TOLERATED {
        let reading = read(values);
        let found: Vec<String> = reading.challenges.iter().map(shown).collect();
        assert_eq!(&found, challenges, "{values:?}");
        let found: Vec<&str> = reading.quirks.iter().map(|quirk| quirk.as_str()).collect();
        assert_eq!(found.join(" "), *quirks, "{values:?}");
    }
    let reading = read(&[
        "Basic scope=\"no\", resource_metadata=\"no\"",
        "BEARER scope=\" a  b \", resource_metadata=\"u\", resource_metadata=\"v\"",
    ]);
    assert_eq!(reading.resource_metadata(), Some("u"));
    assert_eq!(reading.scopes().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(reading.params("resource_metadata").count(), 3);
    assert_eq!(read(&["x".repeat(HEADER_LIMIT + 1)]), Reading::default());
}

proptest! {
    #[test]
    fn no_header_panics_and_a_gate_is_always_made_out(
        words in prop::collection::vec(prop::sample::select(vec![
            "Bearer", "Basic", "realm", "=", "\"", "'", ",", " ", "\t", "\\", "x", "é", "==", "?", "\u{1}",
        ]), 0..24),
        split in any::<prop::sample::Index>(),
    ) {
        let text = words.concat();
        let at = text.floor_char_boundary(split.index(text.len() + 1));
        let values = [&text[..at], &text[at..]];
        let tolerant = read(&values);
        if let Some(gate) = usable(&values) {
            let scheme = &gate.scheme;
            prop_assert!(tolerant.challenges.iter().any(|one| one.scheme == *scheme), "{}", text);
        }
    }
}
