//! Every key that evidence can hold has a text in every language, and the text
//! uses exactly the parameters that the key carries.

use std::collections::BTreeSet;

use touchstone_proto::vocabulary::{Execution, State};
use touchstone_suites::{reason, registry};
use touchstone_words::{self as words, Language};

#[test]
fn every_reason_has_a_text_that_uses_its_parameters() {
    for language in Language::ALL {
        let known = words::keys(language);
        for spec in reason::SPECS {
            let id = format!("reason-{}", spec.name);
            if spec.states.is_empty() {
                let said = words::signing(language, spec.name);
                assert!(!said.contains("no text"), "{language:?}: {}", spec.name);
                continue;
            }
            let used = words::variables(language, &id);
            let carried: BTreeSet<String> = spec
                .params
                .iter()
                .map(|param| (*param).to_owned())
                .collect();
            assert!(
                known.contains(&id),
                "{language:?} has no text for {}",
                spec.name
            );
            assert!(
                used.is_subset(&carried),
                "{language:?} {}: {used:?} against {carried:?}",
                spec.name
            );
            assert_eq!(
                used, carried,
                "{language:?} {}: a parameter is not said",
                spec.name
            );
        }
    }
}

#[test]
fn every_note_on_an_answer_has_a_text() {
    for language in Language::ALL {
        for note in touchstone_suites::EXCHANGE_NOTES {
            let text = words::known(language, &format!("noted-{note}"));
            assert!(text.is_some(), "{language:?} has no text for {note}");
        }
    }
}

#[test]
fn checks_stand_in_the_order_of_the_registry() {
    let shown: Vec<_> = words::CHECKS
        .iter()
        .map(|place| (place.id, place.group))
        .collect();
    let registered: Vec<_> = registry::CHECKS
        .iter()
        .map(|check| (check.id.as_str(), check.group.as_str()))
        .collect();
    assert_eq!(shown, registered);
    let groups: Vec<_> = registry::Group::ALL
        .iter()
        .map(|group| group.as_str())
        .collect();
    assert_eq!(words::GROUPS.to_vec(), groups);
    for language in Language::ALL {
        for check in registry::CHECKS {
            let said = words::check(language, check.id.as_str());
            assert!(
                ![said.title, said.looked_at, said.cannot_show]
                    .iter()
                    .any(String::is_empty)
            );
        }
    }
}

#[test]
fn states_and_executions_have_their_words() {
    for language in Language::ALL {
        for state in State::ALL {
            assert!(!words::state(language, state.as_str()).is_empty());
        }
        for execution in Execution::ALL {
            assert!(!words::execution(language, execution.as_str()).is_empty());
        }
    }
}

#[test]
fn checks_answer_with_reasons_that_the_suites_have() {
    let shown: Vec<_> = words::ANSWERS.iter().map(|answers| answers.check).collect();
    let registered: Vec<_> = registry::CHECKS
        .iter()
        .map(|check| check.id.as_str())
        .collect();
    assert_eq!(shown, registered);
    assert_eq!(words::STATES, State::ALL.map(State::as_str));

    let mut used: BTreeSet<(&str, &str)> = BTreeSet::new();
    for (answers, check) in words::ANSWERS.iter().zip(registry::CHECKS) {
        let mut keys = BTreeSet::new();
        for state in State::ALL {
            for key in answers.beside(state.as_str()) {
                assert!(keys.insert(key), "{} has {key} twice", answers.check);
                used.insert((key, state.as_str()));
            }
        }
        let given: Vec<_> = answers.states().collect();
        assert!(given.contains(&"VERIFIED") && given.contains(&"UNVERIFIED"));
        let worst = check.worst_state.map_or("UNVERIFIED", State::as_str);
        assert_eq!(given[0], worst, "{}", answers.check);
    }
    let carried: BTreeSet<(&str, &str)> = reason::SPECS
        .iter()
        .flat_map(|spec| spec.states.iter().map(|state| (spec.name, state.as_str())))
        .collect();
    assert_eq!(used, carried);
}

#[test]
fn every_state_that_a_check_can_give_says_how_it_comes_about() {
    for language in Language::ALL {
        for answers in &words::ANSWERS {
            for state in words::STATES {
                assert_eq!(
                    words::judged(language, answers.check, state).is_some(),
                    !answers.beside(state).is_empty(),
                    "{language:?} {} {state}",
                    answers.check
                );
            }
        }
    }
}
