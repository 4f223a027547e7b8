//! No reader panics, whatever a server sends, and no metadata is looked for
//! anywhere but at the host that named it.

use proptest::prelude::*;
use touchstone_wire::jsonrpc::{Id, read_answer};
use touchstone_wire::media::Media;
use touchstone_wire::metadata::{resource_places, server_places, stated_place};
use touchstone_wire::{Era, discover, edge, initialize, tools};

/// Text put together from the words that the readers look for.
fn body() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "\"jsonrpc\":\"2.0\"",
        "\"id\":1",
        "\"result\":",
        "\"error\":",
        "\"code\":-32022",
        "\"message\":\"\"",
        "\"data\":",
        "\"supported\":",
        "\"supportedVersions\":",
        "\"protocolVersion\":",
        "\"capabilities\":{}",
        "\"serverInfo\":",
        "\"name\":\"\\ud800\"",
        "\"_meta\":",
        "\"io.modelcontextprotocol/serverInfo\":",
        "\"tools\":",
        "\"nextCursor\":",
        "\"ttlMs\":1e400",
        "\"2026-07-28\"",
        "\"2025-11-25\"",
        "null",
        "[]",
        "{}",
        "[",
        "]",
        "{",
        "}",
        ",",
        ",",
    ]);
    prop::collection::vec(word, 0..40)
        .prop_map(|words| format!("{{\"jsonrpc\":\"2.0\",\"id\":1,{}}}", words.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bodies(body in body(), status in 100..600_u16, header in "\\PC{0,20}") {
        let reading = read_answer(body.as_bytes(), &Id::from(1)).ok();
        let answer = reading.map(|reading| reading.answer);
        discover::classify(status, answer.as_ref());
        initialize::read(status, answer.as_ref());
        for era in [Era::Legacy, Era::Modern] {
            let _ = answer.as_ref().map(|answer| tools::page(answer, era));
        }
        let headers = [("content-type", "text/html"), ("cf-mitigated", &header[..])];
        edge::challenge(status, headers.into_iter(), body.as_bytes());
        Media::of(Some(&header));
    }

    #[test]
    fn places(text in "(https?|ftp|data)?(://|:|/)[a-z0-9@:.\\[\\]%]{0,12}[/?#a-z.%é\\\\-]{0,12}") {
        let Ok(url) = stated_place(&text) else { return Ok(()) };
        prop_assert!(matches!(url.scheme(), "http" | "https"));
        for place in resource_places(&url).into_iter().chain(server_places(&url)) {
            prop_assert_eq!(place.origin(), url.origin());
            prop_assert!(place.username().is_empty() && place.password().is_none());
            prop_assert!(place.path().contains("/.well-known/o"), "{}", place);
        }
    }
}
