//! Any answer of a server in any place of a run (metadata documents, lists,
//! headers, addresses): the evaluation is whole, and the same every time.
#![no_main]

use libfuzzer_sys::fuzz_target;
use touchstone_suites::evaluate;
use touchstone_suites::registry::CHECKS;

#[allow(dead_code)]
#[path = "../../tests/mcp/observe.rs"]
mod observe;

use observe::{ENDPOINT, HEADERS, Observe, modern, reply, wall};

const CHALLENGE: &str = "Bearer resource_metadata=\"https://mcp.example/x\"";

/// Where the answer stands; what the header is; the status; then a line that is
/// the header's value or an address, and the body.
type Input<'a> = (u8, u8, u16, &'a str);

fuzz_target!(|input: Input<'_>| {
    let (place, header, status, text) = input;
    let (line, body) = text.split_once('\n').unwrap_or(("", text));
    let (name, _) = HEADERS[usize::from(header) % HEADERS.len()];
    let content = ["application/json", "text/html", "text/event-stream", ""];
    let answer = reply(
        u32::from(status).max(1),
        content[usize::from(header) % 4],
        body,
    )
    .header(name, line);
    let gated = || modern().list(wall(CHALLENGE));
    let run = match place % 8 {
        0 => Observe::new().discover(answer),
        1 => Observe::new().initialize(answer),
        2 => modern().list(answer),
        3 => modern().list(wall(line)).resource(ENDPOINT, answer),
        4 => gated().resource("https://mcp.example/x", answer),
        5 => gated().server(line, answer),
        6 => modern().call(answer),
        _ => modern().hop(line, answer),
    };
    let run = run.record();
    let evaluation = evaluate(&run, None);
    assert_eq!(evaluation.assertions.len(), CHECKS.len());
    assert_eq!(evaluation, evaluate(&run, None));
    let _ = evaluate(&run, Some(&run));
});
