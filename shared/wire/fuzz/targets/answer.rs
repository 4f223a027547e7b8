//! Any body: every reader of answers takes it without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use touchstone_wire::jsonrpc::{Id, read_answer};
use touchstone_wire::{Era, discover, edge, initialize, tools};

fuzz_target!(|input: (u16, &[u8])| {
    let (status, body) = input;
    edge::challenge(status, [("content-type", "text/html")].into_iter(), body);
    if let Ok(reading) = read_answer(body, &Id::from(1)) {
        discover::classify(status, Some(&reading.answer));
        initialize::read(status, Some(&reading.answer));
        let _ = tools::page(&reading.answer, Era::Modern);
        let _ = tools::page(&reading.answer, Era::Legacy);
    }
});
