//! Any bytes: reading never panics, and the canonical form is a fixed point.
#![no_main]

use libfuzzer_sys::fuzz_target;
use touchstone_canonical::change::{ToolList, changes};
use touchstone_canonical::{Value, canonicalize, projection, read};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(canonical) = canonicalize(bytes) {
        let again = canonicalize(canonical.as_bytes());
        assert_eq!(again.as_ref(), Ok(&canonical));
    }
    if let Ok(value) = read(bytes) {
        assert!(value.clone() == value);
        let items = value.as_array().unwrap_or_default();
        let tools: Vec<&Value> = items.iter().collect();
        let forward = projection::schema_fingerprint(&tools);
        let backward: Vec<&Value> = items.iter().rev().collect();
        // The order of tools never matters.
        if let Ok(fingerprint) = forward {
            assert_eq!(projection::schema_fingerprint(&backward), Ok(fingerprint));
        }
        // Half of the tools against all of them: any schemas, and never a panic.
        let halves = [&tools[..], &tools[..tools.len() / 2]]
            .map(|tools| projection::definition_fingerprint(tools));
        if let [Ok(all), Ok(half)] = halves {
            let lists = [&all, &half].map(|list| ToolList::read(list.canonical.as_bytes()));
            if let [Ok(all), Ok(half)] = lists {
                assert!(changes(&all, &all).is_empty());
                assert_eq!(changes(&half, &all).count(), changes(&all, &half).count());
            }
        }
    }
});
