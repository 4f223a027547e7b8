use crate::{RefusalKind, Value, canonicalize, canonicalize_value};

use super::DEPTH_LIMIT;

fn text(json: &str) -> String {
    let canonical = canonicalize(json.as_bytes()).expect(json);
    canonical.as_str().to_owned()
}

#[test]
fn numbers_are_printed_as_ecmascript_does() {
    // The samples of RFC 8785, appendix B, by their bits.
    for (bits, printed) in [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xC340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"),
        (0x44B5_2D02_C7E1_4AF6, "1e+23"),
        (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"),
        (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"),
        (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"),
        (0x444B_1AE4_D6E2_EF50, "1e+21"),
        (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"),
        (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
        (0x41B3_DE43_5555_5553, "333333333.3333332"),
        (0x41B3_DE43_5555_5557, "333333333.33333343"),
        (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
        (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
    ] {
        let value = Value::Number(f64::from_bits(bits));
        let canonical = canonicalize_value(&value).expect(printed);
        assert_eq!(canonical.as_str(), printed);
    }
}

#[test]
fn strings_and_keys_take_their_one_form() {
    for (json, canonical) in [
        (
            r#""\u0000\u001F\b\t\n\f\r\"\\\/""#,
            r#""\u0000\u001f\b\t\n\f\r\"\\/""#,
        ),
        ("\"\\u007f\\u2028\"", "\"\u{7f}\u{2028}\""),
        (r#""e\u0301""#, "\"é\""),
        (
            r#"{"b":[],"a":{},"":null,"A":true}"#,
            r#"{"":null,"A":true,"a":{},"b":[]}"#,
        ),
        // U+FB1E stands above the surrogates of U+1F600.
        (
            "{\"\u{FB1E}\":1,\"\u{1F600}\":2}",
            "{\"\u{1F600}\":2,\"\u{FB1E}\":1}",
        ),
        // Keys are ordered in NFC, not as they were sent.
        ("{\"f\":1,\"e\u{301}\":2}", "{\"f\":1,\"é\":2}"),
        (
            "{\"eightbyt2\":1,\"eightbyt1\":2,\"eightbyt\":3}",
            r#"{"eightbyt":3,"eightbyt1":2,"eightbyt2":1}"#,
        ),
        // What was overwritten is not there to be refused.
        (r#"{"a":1e400,"a":1}"#, r#"{"a":1}"#),
        (
            r#"{"__proto__":{"x":1},"constructor":2}"#,
            r#"{"__proto__":{"x":1},"constructor":2}"#,
        ),
    ] {
        assert_eq!(text(json), canonical);
    }
}

#[test]
fn a_refusal_names_its_place() {
    for (json, kind, path) in [
        (r#""\ud800""#, RefusalKind::LoneSurrogate, "$"),
        (
            r#"{"a":[1,{"b c":"\udc00"}]}"#,
            RefusalKind::LoneSurrogate,
            r#"$.a[1]["b c"]"#,
        ),
        (
            r#"{"a":{"k\udc01":null}}"#,
            RefusalKind::LoneSurrogate,
            r#"$.a["k\udc01"]"#,
        ),
        ("[[],[0,1e999]]", RefusalKind::NonFiniteNumber, "$[1][1]"),
        (
            r#"{"maximum":-1e309}"#,
            RefusalKind::NonFiniteNumber,
            "$.maximum",
        ),
        (
            "[{\"e\u{301}\":1,\"é\":1}]",
            RefusalKind::DuplicateKeyAfterNfc,
            r#"$[0]["\u00e9"]"#,
        ),
        (r#"{"x":1"#, RefusalKind::Syntax, "byte 6"),
    ] {
        let refusal = canonicalize(json.as_bytes()).expect_err(json);
        // Either of two equal keys may be the one that is named.
        let path = match refusal.kind {
            RefusalKind::DuplicateKeyAfterNfc if refusal.path.contains("e\\u0301") => {
                path.replace("\\u00e9", "e\\u0301")
            }
            _ => path.to_owned(),
        };
        assert_eq!(
            (refusal.kind, &refusal.path[..]),
            (kind, &path[..]),
            "{json}"
        );
    }
}

#[test]
fn depth_is_bounded_for_values_made_by_hand() {
    let nested = |depth| (0..depth).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
    assert!(canonicalize_value(&nested(DEPTH_LIMIT)).is_ok());
    let refusal = canonicalize_value(&nested(DEPTH_LIMIT + 1)).expect_err("too deep");
    assert_eq!(refusal.kind, RefusalKind::Depth);
}
