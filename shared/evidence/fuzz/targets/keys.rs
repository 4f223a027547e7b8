//! Any key document: one that is read is written and read again as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use touchstone_evidence::keyset::KeyDocument;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(keys) = KeyDocument::read(bytes) {
        let again = KeyDocument::read(&keys.to_json()).expect("a document reads what it wrote");
        assert_eq!(again, keys);
    }
});
