//! Any file, given to the verifier: it answers, and never panics. A bundle that
//! was read is read again from what it writes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use touchstone_evidence::bundle::Bundle;
use touchstone_evidence::verify::{Outcome, verify, verify_bytes};

fuzz_target!(|bytes: &[u8]| {
    let verdict = verify_bytes(bytes, None, None);
    assert!(!verdict.steps.is_empty());
    if let Ok(bundle) = Bundle::read(bytes) {
        let again = Bundle::read(&bundle.to_json()).expect("a bundle reads what it wrote");
        assert_eq!(again, bundle);
        assert_eq!(verify(&again, None, None), verdict);
    } else {
        assert_ne!(verdict.verdict, Outcome::Valid);
    }
});
