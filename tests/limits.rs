//! The same limit stands where it is kept and where it is judged or shown;
//! these are the places that may not use each other.

use touchstone_coordinator::publish::limits as shown;
use touchstone_coordinator::publish::method::rules::RULES;
use touchstone_probe_agent::exchange::{HEADERS_LIMIT_BYTES, Limits, RESPONSE_LIMIT_BYTES};
use touchstone_suites::limits as judged;
use touchstone_suites::{hygiene, registry};
use touchstone_words::{self as words, Language};

#[test]
fn what_an_agent_keeps_is_what_suites_judge_and_pages_say() {
    assert_eq!(Limits::RUN.requests as usize, judged::REQUESTS);
    assert_eq!(
        Limits::RUN.later_pages as usize,
        judged::LATER_PAGE_REQUESTS
    );
    assert_eq!(Limits::RUN.time.as_secs(), u64::from(judged::RUN_SECONDS));
    assert_eq!(Limits::RUN.redirects, judged::REDIRECTS);
    assert_eq!(
        RESPONSE_LIMIT_BYTES as u64,
        u64::from(judged::RESPONSE_BYTES)
    );
    assert_eq!(HEADERS_LIMIT_BYTES, judged::RESPONSE_HEADERS_BYTES);
    assert_eq!(
        shown::RESPONSE_HEADERS_BYTES,
        i64::from(judged::RESPONSE_HEADERS_BYTES)
    );
    assert_eq!(usize::try_from(shown::JSON_LEVELS), Ok(judged::JSON_LEVELS));
    assert_eq!(shown::RUN_REQUESTS, i64::from(Limits::RUN.requests));
    assert_eq!(
        u64::try_from(shown::RUN_SECONDS),
        Ok(Limits::RUN.time.as_secs())
    );
    assert_eq!(
        shown::LATER_PAGE_REQUESTS,
        i64::from(Limits::RUN.later_pages)
    );
    assert_eq!(shown::RESPONSE_BYTES, i64::from(judged::RESPONSE_BYTES));
    assert_eq!(shown::REDIRECTS, i64::from(judged::REDIRECTS));
    assert_eq!(
        [shown::LIST_PAGES, shown::LIST_TOOLS].map(usize::try_from),
        [Ok(judged::LIST_PAGES), Ok(judged::LIST_TOOLS)]
    );
    assert_eq!(
        [
            shown::EXCERPT_CHARACTERS,
            shown::LONG_DESCRIPTION_CHARACTERS
        ]
        .map(usize::try_from),
        [
            Ok(hygiene::EXCERPT_CHARACTERS),
            Ok(hygiene::LONG_DESCRIPTION_CHARACTERS)
        ]
    );
    assert_eq!(
        (shown::SUITE, shown::SUITE_VERSION),
        (registry::SUITE, registry::SUITE_VERSION)
    );
}

#[test]
fn examples_of_the_hygiene_rules_are_what_the_suite_says() {
    for rule in RULES {
        let missed = hygiene::scan("tool", rule.no_hit);
        assert!(missed.hits.is_empty(), "{}: {:?}", rule.id, missed.hits);
        let Some(text) = rule.hit else { continue };
        let hits = hygiene::scan("tool", text).hits;
        assert!(
            !hits.is_empty()
                && hits
                    .iter()
                    .all(|hit| hit.rule.as_str().starts_with(rule.id)),
            "{}: {hits:?}",
            rule.id
        );
    }
}

#[test]
fn words_that_the_hygiene_page_lists_are_those_of_the_suite() {
    for language in Language::ALL {
        let text = words::ui(language, "rule-H6.exactly", &[]);
        let listed = |sign: &str| {
            let line = text.lines().find(|line| line.contains(sign)).unwrap();
            let (_, words) = line.split_once([':', '：']).unwrap();
            let words = words.split([',', '、']).map(str::trim);
            let plain = |word: &&str| word.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-');
            let words: Vec<String> = words.filter(plain).map(str::to_owned).collect();
            assert!(words.len() > 15, "{words:?}");
            words
        };
        let is_risk = |text: String| hygiene::scan("tool", &text).is_risk();
        for word in listed("USDC") {
            assert!(is_risk(format!("zero questions {word}")), "{word}");
        }
        for word in listed("ceilings") {
            assert!(!is_risk(format!("{word} zero questions pay")), "{word}");
        }
    }
}
