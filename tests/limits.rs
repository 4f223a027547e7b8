//! The same limit stands where it is kept and where it is judged or shown;
//! these are the places that may not use each other.

use touchstone_coordinator::publish::limits as shown;
use touchstone_probe_agent::exchange::{Limits, RESPONSE_LIMIT_BYTES};
use touchstone_suites::limits as judged;

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
    assert_eq!(shown::RUN_REQUESTS, i64::from(Limits::RUN.requests));
    assert_eq!(
        u64::try_from(shown::RUN_SECONDS),
        Ok(Limits::RUN.time.as_secs())
    );
}
