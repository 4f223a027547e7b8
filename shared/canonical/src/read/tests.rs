use super::*;

/// Text, and the byte at which reading it fails; `None` where it is JSON.
const TEXTS: [(&str, Option<usize>); 62] = [
    ("null", None),
    (" \t\r\n[ ] \n", None),
    ("{ \"a\" : { } , \"b\" : [ 1 , [ ] ] }", None),
    ("-0", None),
    ("-0.0e-00", None),
    ("1e400", None),
    ("1E+2", None),
    ("123456789012345678901234567890.5", None),
    (r#""\u00e9\/\"\\\b\f\n\r\t""#, None),
    (r#""\uD83D\uDE00\ud83d""#, None),
    ("\"\u{2028}\u{7f}\u{feff}\"", None),
    (r#"{"__proto__":1,"__proto__":{}}"#, None),
    ("", Some(0)),
    (" ", Some(1)),
    ("\u{feff}1", Some(0)),
    ("\u{a0}1", Some(0)),
    ("\u{b}1", Some(0)),
    ("\u{2028}1", Some(0)),
    ("1\0", Some(1)),
    ("nul", Some(0)),
    ("nulL", Some(0)),
    ("true1", Some(4)),
    ("True", Some(0)),
    ("NaN", Some(0)),
    ("Infinity", Some(0)),
    ("-Infinity", Some(1)),
    ("undefined", Some(0)),
    ("01", Some(1)),
    ("-01", Some(2)),
    ("+1", Some(0)),
    (".5", Some(0)),
    ("1.", Some(2)),
    ("1.e5", Some(2)),
    ("1e", Some(2)),
    ("1e+", Some(3)),
    ("-", Some(1)),
    ("--1", Some(1)),
    ("0x10", Some(1)),
    ("1_000", Some(1)),
    ("1 2", Some(2)),
    ("'a'", Some(0)),
    ("\"abc", Some(4)),
    ("\"\\\"", Some(3)),
    ("\"a\tb\"", Some(2)),
    ("\"\u{1f}\"", Some(1)),
    ("\"\0\"", Some(1)),
    ("\"a\nb\"", Some(2)),
    (r#""\x41""#, Some(2)),
    (r#""\U0041""#, Some(2)),
    (r#""\u00g1""#, Some(2)),
    (r#""\u+123""#, Some(2)),
    (r#""\u12"#, Some(2)),
    ("\"\\u00\u{e9}1\"", Some(2)),
    ("[", Some(1)),
    ("[1", Some(2)),
    ("[1,", Some(3)),
    ("[1,]", Some(3)),
    ("[,1]", Some(1)),
    ("[1}", Some(2)),
    ("{\"a\":1,}", Some(7)),
    ("{a:1}", Some(1)),
    ("{\"a\" 1}", Some(5)),
];

#[test]
fn the_grammar_is_that_of_json_parse() {
    for (text, fault) in TEXTS {
        let found = read(text.as_bytes()).err();
        let kind = found.map(|error| error.kind);
        assert_eq!(found.map(|error| error.offset), fault, "{text:?}");
        assert_eq!(kind, fault.map(|_| ReadErrorKind::Syntax), "{text:?}");
    }
    for (bytes, offset) in [(&b"\"\xff\""[..], 1), (b"\xed\xa0\x80", 0), (b"[1]\xc3", 3)] {
        let error = read(bytes).expect_err("not UTF-8");
        assert_eq!((error.kind, error.offset), (ReadErrorKind::Syntax, offset));
    }
}

#[test]
fn values_are_those_of_json_parse() {
    let number = |text: &str| read(text.as_bytes()).expect(text).as_f64();
    assert_eq!(number("1e400"), Some(f64::INFINITY));
    assert_eq!(number("9007199254740993"), Some(9_007_199_254_740_992.0));
    assert_eq!(number("0.1e-6"), Some(1e-7));
    assert!(number("-0").is_some_and(f64::is_sign_negative));
    let string = |text: &str| read(text.as_bytes()).expect(text).as_string().cloned();
    for (text, units) in [
        (r#""\ud83d\ude00x""#, &[0xD83D, 0xDE00, 0x78][..]),
        (r#""\ud83d\ud83d\ude00""#, &[0xD83D, 0xD83D, 0xDE00]),
        (r#""\ude00\ud83d""#, &[0xDE00, 0xD83D]),
        ("\"\\ud83d\u{1F600}\"", &[0xD83D, 0xD83D, 0xDE00]),
        (r#""\ud83d\nA""#, &[0xD83D, 0x0A, 0x41]),
        (r#""é\ud83d\u0041é""#, &[0xE9, 0xD83D, 0x41, 0xE9]),
    ] {
        let found = string(text).map(|string| string.encode_utf16());
        assert_eq!(found.as_deref(), Some(units), "{text}");
    }
    let twice = read(br#"{"a":1,"b":2,"a":3}"#).expect("JSON");
    let first = twice.as_object().and_then(|object| object.iter().next());
    assert_eq!(first, Some((&"a".into(), &Value::Number(3.0))));
}

#[test]
fn size_and_depth_are_bounded() {
    let fits = format!("{}1", " ".repeat(INPUT_LIMIT - 1));
    assert!(read(fits.as_bytes()).is_ok());
    let error = read(format!(" {fits}").as_bytes()).expect_err("one byte more");
    assert_eq!(error.kind, ReadErrorKind::TooLarge);
    for (open, close) in [("[", "]"), ("{\"k\":", "}")] {
        let nested = |depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
        assert!(read(nested(DEPTH_LIMIT).as_bytes()).is_ok());
        let error = read(nested(DEPTH_LIMIT + 1).as_bytes()).expect_err("one level more");
        assert_eq!(error.kind, ReadErrorKind::Depth);
        assert_eq!(error.offset, open.len() * DEPTH_LIMIT);
        let error = read(open.repeat(INPUT_LIMIT / open.len()).as_bytes());
        assert_eq!(error.map_err(|error| error.kind), Err(ReadErrorKind::Depth));
    }
}
