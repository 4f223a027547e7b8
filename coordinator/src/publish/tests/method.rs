//! The methodology: every check has its page, every reason its own address,
//! and reports lead there.

use axum::http::StatusCode;
use touchstone_words::{ANSWERS, STATES};

use super::sample::Sample;
use super::{FULL, LIMITED, UNSIGNED, get, html};

#[tokio::test]
async fn every_check_says_its_states_and_reasons_and_no_other() {
    let router = Sample::new().router();
    for answers in ANSWERS {
        for prefix in ["", "/zh"] {
            let address = format!("{prefix}/method/{}", answers.check);
            let page = html::parse(&get(&router, &address).await.body);
            let mut reasons = 0;
            for state in STATES {
                let keys = answers.beside(state);
                assert_eq!(
                    page.ids.contains(&format!("beside-{state}")),
                    !keys.is_empty(),
                    "{address} {state}"
                );
                reasons += keys.len();
                for key in keys {
                    assert!(page.ids.contains(&format!("reason-{key}")), "{key}");
                }
            }
            let shown = page.ids.iter().filter(|id| id.starts_with("reason-"));
            assert_eq!(shown.count(), reasons, "{address}");
            for limit in ["2,097,152", "10 s"] {
                assert!(page.text.contains(limit), "{address} {limit}");
            }
            assert!(page.text.contains("1.0.0"));
        }
    }
}

#[tokio::test]
async fn a_check_that_there_is_not_has_no_page() {
    let router = Sample::new().router();
    for odd in [
        "/method/",
        "/method/nothing",
        "/zh/method/a%3Cb",
        "/method/x/y",
    ] {
        assert_eq!(
            get(&router, odd).await.status,
            StatusCode::NOT_FOUND,
            "{odd}"
        );
    }
}

#[tokio::test]
async fn reports_lead_to_the_method_of_what_they_say() {
    let router = Sample::new().router();
    let full = html::parse(&get(&router, FULL).await.body).addresses;
    for answers in ANSWERS {
        assert!(full.contains(&format!("/method/{}", answers.check)));
    }
    for exact in [
        "/method/auth_metadata#reason-not_observable",
        "/method/tool_description_hygiene#rule-H3",
    ] {
        assert!(full.contains(exact), "{exact}");
    }
    let unsigned = html::parse(&get(&router, UNSIGNED).await.body).addresses;
    assert!(
        unsigned
            .iter()
            .any(|address| address.starts_with("/method#signing-"))
    );
    let limited = html::parse(&get(&router, &format!("/zh{LIMITED}")).await.body).addresses;
    assert!(limited.contains("/zh/method/auth_metadata"));
    assert!(
        limited
            .iter()
            .all(|address| !address.starts_with("/method"))
    );
}

#[tokio::test]
async fn the_rules_show_hidden_characters_and_never_hold_them() {
    let router = Sample::new().router();
    let page = get(&router, "/method/tool_description_hygiene").await.body;
    assert!(page.contains("<span class=\"esc\">U+200B</span>"));
    assert!(!page.contains('\u{200B}'));
    for rule in 1..=8 {
        assert!(page.contains(&format!("<tr id=\"rule-H{rule}\">")));
    }
}
