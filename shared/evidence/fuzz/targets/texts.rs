//! Any text, as each kind that evidence may hold: what is taken is kept as it is,
//! and holds nothing that JSON would escape.
#![no_main]

use libfuzzer_sys::fuzz_target;
use touchstone_evidence::text::{
    Commit, Digest, HexDigest, KeyId, Name, Region, Revision, RunId, SuiteText, UrlText, Word,
};
use touchstone_evidence::timestamp::Timestamp;

fuzz_target!(|text: &str| {
    let taken = [
        Commit::new(text).map(String::from),
        Digest::new(text).map(String::from),
        HexDigest::new(text).map(String::from),
        KeyId::new(text).map(String::from),
        Name::new(text).map(String::from),
        Region::new(text).map(String::from),
        Revision::new(text).map(String::from),
        RunId::new(text).map(String::from),
        SuiteText::new(text).map(String::from),
        UrlText::new(text).map(String::from),
        Word::new(text).map(String::from),
    ];
    for taken in taken.into_iter().flatten() {
        assert_eq!(taken, text);
        assert!(
            text.bytes()
                .all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\')
        );
    }
    if let Ok(time) = Timestamp::parse(text) {
        assert_eq!(time.to_string(), text);
        assert_eq!(Timestamp::from_ms(time.as_ms()), Ok(time));
    }
});
