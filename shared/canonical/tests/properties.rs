//! What holds for every input: no panic, one fixed point, and the same bytes
//! as other people's RFC 8785 where NFC has nothing to do.

use proptest::prelude::*;
use serde_json::Value as Json;
use touchstone_canonical::{
    DEPTH_LIMIT, RefusalKind, Value, canonicalize, canonicalize_value, read,
};

/// Any JSON value, its strings in NFC.
fn json() -> impl Strategy<Value = Json> {
    let text = || {
        let odd = "[a-c\"\\\\/\u{8}\u{1f}é中\u{FF21}\u{1F600}\u{E000}]{0,30}";
        prop_oneof!["[ -~]{0,12}", odd]
    };
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        (-1_000_000_i64..1_000_000).prop_map(Json::from),
        text().prop_map(Json::from),
    ];
    leaf.prop_recursive(6, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Json::from),
            prop::collection::vec((text(), inner), 0..20)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

/// Text that is nearly JSON: a valid document with a few bytes changed.
fn nearly_json() -> impl Strategy<Value = Vec<u8>> {
    let edit = (
        any::<prop::sample::Index>(),
        prop_oneof![
            prop::sample::select(b"{}[]\",:\\ue+-.0123456789dD tn\n\x1f\xC3\xA9\xED\xA0".to_vec()),
            any::<u8>(),
        ],
        0..3_u8,
    );
    (json(), any::<bool>(), prop::collection::vec(edit, 0..4)).prop_map(|(json, pretty, edits)| {
        let mut text = if pretty {
            serde_json::to_vec_pretty(&json).expect("serializes")
        } else {
            serde_json::to_vec(&json).expect("serializes")
        };
        for (place, byte, how) in edits {
            let at = place.index(text.len().max(1)).min(text.len());
            match how {
                0 => text.insert(at, byte),
                1 if at < text.len() => text[at] = byte,
                _ if at < text.len() => _ = text.remove(at),
                _ => {}
            }
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn another_rfc_8785_gives_the_same_bytes(json in json()) {
        let text = serde_json::to_vec_pretty(&json).expect("serializes");
        let theirs = serde_json_canonicalizer::to_vec(&json).expect("serializes");
        let ours = canonicalize(&text).expect("JSON");
        prop_assert_eq!(ours.as_bytes(), &theirs[..]);
    }

    #[test]
    fn the_canonical_form_is_a_fixed_point(text in nearly_json()) {
        if let Ok(canonical) = canonicalize(&text) {
            let again = canonicalize(canonical.as_bytes()).expect("canonical text is JSON");
            prop_assert_eq!(&again, &canonical);
            let value = read(&text).expect("canonicalized before");
            let by_value = canonicalize_value(&value).expect("canonicalized before");
            prop_assert_eq!(by_value.sha256(), canonical.sha256());
        }
    }

    #[test]
    fn another_reader_takes_the_same_texts(text in nearly_json()) {
        let theirs = serde_json::from_slice::<Json>(&text);
        match (canonicalize(&text), theirs) {
            (Ok(ours), Ok(theirs)) => {
                let theirs = serde_json::to_vec(&theirs).expect("serializes");
                let theirs = canonicalize(&theirs).expect("ours to read");
                prop_assert_eq!(ours, theirs);
            }
            (Err(_), Err(_)) => {}
            // It reads no unpaired surrogate and no number beyond a double,
            // even where a later member of the same key replaces it.
            (Ok(_), Err(error)) => {
                let error = error.to_string();
                let known = ["surrogate", "hex escape", "out of range"];
                prop_assert!(known.iter().any(|word| error.contains(word)), "{error}");
            }
            (Err(refusal), Ok(_)) => {
                prop_assert_eq!(refusal.kind, RefusalKind::DuplicateKeyAfterNfc);
            }
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = canonicalize(&bytes);
    }
}

/// The deepest value goes through everything that walks it, dropping included,
/// on a stack of 2 MiB, in a build without optimization.
#[test]
fn the_deepest_value_fits_a_small_stack() {
    let run = || {
        for (open, close) in [("[", "]"), ("{\"k\":", "}")] {
            let text = format!("{}1{}", open.repeat(DEPTH_LIMIT), close.repeat(DEPTH_LIMIT));
            let canonical = canonicalize(text.as_bytes()).expect("within the limit");
            assert_eq!(canonical.as_str(), text);
            let value = read(text.as_bytes()).expect("within the limit");
            let copy = value.clone();
            assert!(copy == value);
            assert!(!format!("{copy:?}").is_empty());
            let refused = Value::Array(vec![value]);
            let refusal = canonicalize_value(&refused).expect_err("one level more");
            assert_eq!(refusal.kind, RefusalKind::Depth);
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let thread = thread.spawn(run).expect("a thread");
    thread.join().expect("no overflow, no panic");
}
