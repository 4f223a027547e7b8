//! Any text in the place of a traceparent: what is taken for a place is written
//! as one, and read as the same again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use touchstone_telemetry::trace::Place;

fuzz_target!(|text: &str| {
    if let Some(place) = Place::read(text) {
        let written = place.traceparent();
        assert_eq!(written.len(), 55);
        assert_eq!(Place::read(&written), Some(place));
    }
});
