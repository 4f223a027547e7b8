//! What holds for all texts: both languages say the same things about the same
//! values, nothing is empty, and nothing that a payload may hold breaks it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::*;

#[test]
fn both_languages_have_the_same_messages() {
    assert_eq!(keys(Language::English), keys(Language::Chinese));
}

#[test]
fn a_text_uses_the_same_variables_in_both_languages() {
    for key in keys(Language::English) {
        assert_eq!(
            variables(Language::English, &key),
            variables(Language::Chinese, &key),
            "{key}"
        );
    }
}

#[test]
fn no_text_is_empty_whatever_its_variables_are() {
    for language in Language::ALL {
        for key in keys(language) {
            let names = variables(language, &key);
            for value in [
                Param::from(0_i64),
                1_i64.into(),
                7_i64.into(),
                "word".into(),
            ] {
                let args: Vec<_> = names.iter().map(|n| (n.as_str(), value.clone())).collect();
                let (id, attribute) = match key.split_once('.') {
                    Some((id, attribute)) => (id, Some(attribute)),
                    None => (key.as_str(), None),
                };
                let text = find(language, id, attribute, &args)
                    .unwrap_or_else(|| panic!("{language:?} {key} cannot be made"));
                assert!(!text.trim().is_empty(), "{language:?} {key}");
                assert_eq!(
                    text.matches('`').count() % 2,
                    0,
                    "{language:?} {key}: {text}"
                );
            }
        }
    }
}

#[test]
fn every_check_group_state_and_execution_has_its_words() {
    for language in Language::ALL {
        let missing = unknown(language, "");
        let mut all = String::new();
        for place in CHECKS {
            assert!(GROUPS.contains(&place.group));
            let words = check(language, place.id);
            for text in [words.title, words.looked_at, words.cannot_show] {
                all.push_str(&text);
            }
        }
        for id in GROUPS {
            let (name, note) = group(language, id);
            all.push_str(&name);
            all.push_str(&note);
        }
        for word in ["FAILED", "OBSERVED_RISK", "UNVERIFIED", "VERIFIED"] {
            all.push_str(&state(language, word));
        }
        for word in ["completed", "errored", "skipped", "blocked"] {
            all.push_str(&execution(language, word));
        }
        assert!(!all.contains(&missing), "{language:?}");
    }
}

#[test]
fn checks_are_listed_once() {
    let ids: BTreeSet<_> = CHECKS.iter().map(|place| place.id).collect();
    assert_eq!(ids.len(), CHECKS.len());
}

#[test]
fn a_reason_is_a_sentence_made_of_its_parameters() {
    let params = BTreeMap::from([
        ("tools".to_owned(), Param::from(1_i64)),
        ("pages".to_owned(), Param::from(2_i64)),
    ]);
    assert_eq!(
        reason(Language::English, "tools_listed", &params),
        "1 tool on 2 pages. Structure valid, list complete."
    );
    assert_eq!(
        reason(Language::Chinese, "tools_listed", &params),
        "2 页共 1 个工具，结构合法，列表完整。"
    );
}

#[test]
fn what_has_no_text_is_shown_as_it_is() {
    let none = BTreeMap::new();
    let english = reason(Language::English, "not_of_this_version", &none);
    assert_eq!(english, "not_of_this_version (no text in this version)");
    // A parameter that the text needs was not there: the key stands for itself.
    assert_eq!(
        reason(Language::English, "answered", &none),
        "answered (no text in this version)"
    );
    for odd in ["", "-", "a b", "\u{202e}x", "state-FAILED.fix"] {
        for language in Language::ALL {
            assert!(reason(language, odd, &none).contains(odd));
            assert!(check(language, odd).title.contains(odd));
        }
    }
}

#[test]
fn no_hidden_character_stands_in_a_text() {
    let mut found = String::new();
    for language in Language::ALL {
        for key in keys(language) {
            let args: Vec<_> = variables(language, &key)
                .into_iter()
                .map(|name| (name, Param::from(2_i64)))
                .collect();
            let args: Vec<_> = args.iter().map(|(n, v)| (n.as_str(), v.clone())).collect();
            let (id, attribute) = key
                .split_once('.')
                .map_or((&key[..], None), |(a, b)| (a, Some(b)));
            let text = find(language, id, attribute, &args).unwrap();
            if text.chars().any(|c| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')) {
                let _ = writeln!(found, "{language:?} {key}");
            }
        }
    }
    assert_eq!(found, "");
}
