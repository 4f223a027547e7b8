//! Any header values, a line each: a usable challenge is always made out by the tolerant
//! reader too, and places are only ever named at the host that was stated.
#![no_main]

use libfuzzer_sys::fuzz_target;
use touchstone_wire::{challenge, metadata};

fuzz_target!(|text: &str| {
    let values: Vec<&str> = text.lines().collect();
    let reading = challenge::read(&values);
    if let Some(gate) = challenge::usable(&values) {
        assert!(
            reading
                .challenges
                .iter()
                .any(|one| one.scheme == gate.scheme)
        );
    }
    for text in reading
        .params("resource_metadata")
        .chain(values.iter().copied())
    {
        if let Ok(url) = metadata::stated_place(text) {
            let places = metadata::resource_places(&url).into_iter();
            for place in places.chain(metadata::server_places(&url)) {
                assert_eq!(place.origin(), url.origin());
            }
        }
    }
});
