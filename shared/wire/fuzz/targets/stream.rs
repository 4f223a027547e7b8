//! Any stream, split anywhere: the same events as unsplit, none over the limit.
#![no_main]

use libfuzzer_sys::fuzz_target;
use touchstone_wire::jsonrpc::Id;
use touchstone_wire::sse::{Event, Search, Unframer};

const LIMIT: usize = 4_096;

fuzz_target!(|input: (u8, &[u8])| {
    let (size, stream) = input;
    let whole = events(std::iter::once(stream));
    assert_eq!(whole, events(stream.chunks(usize::from(size).max(1))));
    for event in whole.iter().flatten() {
        assert!(!event.data.is_empty() && event.data.len() <= LIMIT);
    }
    let mut search = Search::new(Id::from(1), LIMIT);
    if let Ok(None) = search.push(stream) {
        search.finish();
    }
});

/// `None` when an event grew too large, whichever the part.
fn events<'a>(parts: impl Iterator<Item = &'a [u8]>) -> Option<Vec<Event>> {
    let mut unframer = Unframer::new(LIMIT);
    let mut events = Vec::new();
    for part in parts {
        events.extend(unframer.push(part).ok()?);
    }
    // What outgrew the limit behind the last event is told by the next call.
    unframer.push(b"").ok()?;
    events.extend(unframer.finish());
    Some(events)
}
