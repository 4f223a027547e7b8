//! The method of one check: what is looked at, how each state comes about, what
//! it cannot show, and every reason with an address of its own.

use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;
use touchstone_proto::vocabulary::State;
use touchstone_words::{self as words, Answers, STATES};

use super::limits::{self, Row};
use super::rules::RULES;
use crate::publish::commands::{Command, Commands};
use crate::publish::limits::{SUITE, SUITE_VERSION};
use crate::publish::marks::{StateMark, tone};
use crate::publish::page::{Page, Place, answer};
use crate::publish::stranger::Stranger;
use crate::publish::text::{Prose, Text};

#[derive(Template)]
#[template(path = "method-check.html")]
struct CheckPage {
    page: Page,
    check: &'static str,
    title: Prose,
    group: Prose,
    group_href: String,
    looked_at: Prose,
    cannot_show: Prose,
    since: Prose,
    gives: String,
    never: Option<Prose>,
    judged: Vec<Judged>,
    rules: Option<Vec<RuleRow>>,
    lint: Option<Command>,
    limits: Vec<Row>,
    corrections: Prose,
}

/// One state that the check can give, and why.
struct Judged {
    mark: StateMark,
    tone: &'static str,
    /// In payloads; part of an id.
    name: &'static str,
    how: Prose,
    reasons: Vec<Reason>,
}

struct Reason {
    key: &'static str,
    sentence: Prose,
    /// What parameters can be, when they are words.
    words: Vec<WordRow>,
    words_of: Prose,
    fix: Option<Prose>,
}

struct WordRow {
    param: String,
    word: Prose,
    says: Prose,
}

struct RuleRow {
    id: &'static str,
    name: Prose,
    looks: Prose,
    hit: Option<Stranger>,
    no_hit: Stranger,
    /// What it matches, sentence by sentence.
    exactly: Vec<Prose>,
}

pub(in crate::publish) fn show(text: Text, answers: &Answers) -> Response {
    let check = answers.check;
    let words = words::check(text.0, check);
    let group = words::CHECKS
        .iter()
        .find(|place| place.id == check)
        .map_or("", |place| place.group);
    let title = text.plain_with(
        "method-check-title",
        &[("title", words.title.clone().into())],
    );
    let mut page = Page::new(text, Place::BelowMethod, &format!("/method/{check}"), title);
    page.description = words.looked_at.replace('`', "");
    let name = |state: &'static str| words::state(text.0, state);
    let gives: Vec<String> = answers.states().map(name).collect();
    let never: Vec<String> = STATES
        .into_iter()
        .filter(|state| answers.beside(state).is_empty())
        .map(name)
        .collect();
    let is_hygiene = check == "tool_description_hygiene";
    let template = CheckPage {
        check,
        title: Prose(words.title),
        group: Prose(words::group(text.0, group).0),
        group_href: format!("{}#group-{group}", text.link("/method")),
        looked_at: Prose(words.looked_at),
        cannot_show: Prose(words.cannot_show),
        since: text.with(
            "method-since",
            &[("suite", SUITE.into()), ("version", SUITE_VERSION.into())],
        ),
        gives: text.list(&gives),
        never: (!never.is_empty())
            .then(|| text.with("method-never", &[("states", text.list(&never).into())])),
        judged: judged(text, answers),
        rules: is_hygiene.then(|| rules(text)),
        lint: is_hygiene.then(|| Commands::new(text).next("touchstone lint tools.json".to_owned())),
        limits: limits::of(text, check),
        corrections: text.with(
            "method-corrections-none",
            &[("version", SUITE_VERSION.into())],
        ),
        page,
    };
    answer(text, StatusCode::OK, &template)
}

fn judged(text: Text, answers: &Answers) -> Vec<Judged> {
    State::ALL
        .into_iter()
        .filter_map(|state| {
            let keys = answers.beside(state.as_str());
            (!keys.is_empty()).then(|| Judged {
                mark: StateMark::word(text, state),
                tone: tone(state),
                name: state.as_str(),
                how: Prose(
                    words::judged(text.0, answers.check, state.as_str()).unwrap_or_default(),
                ),
                reasons: keys.into_iter().map(|key| reason(text, key)).collect(),
            })
        })
        .collect()
}

fn reason(text: Text, key: &'static str) -> Reason {
    let wording = words::reason_wording(text.0, key);
    let mut names: Vec<String> = Vec::new();
    for word in &wording.words {
        let name = format!("‹{}›", word.param);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Reason {
        key,
        sentence: Prose(wording.sentence),
        words: wording
            .words
            .into_iter()
            .map(|word| WordRow {
                word: match word.word {
                    Some(word) => Prose(format!("`{word}`")),
                    None => text.t("method-other-word"),
                },
                param: word.param,
                says: Prose(word.says),
            })
            .collect(),
        words_of: text.with("method-words", &[("names", text.list(&names).into())]),
        fix: words::fix(text.0, key).map(Prose),
    }
}

fn rules(text: Text) -> Vec<RuleRow> {
    RULES
        .into_iter()
        .map(|rule| RuleRow {
            id: rule.id,
            name: text.t(&format!("rule-{}", rule.id)),
            looks: text.t(&format!("rule-{}.looks", rule.id)),
            hit: rule.hit.map(|hit| Stranger(hit.to_owned())),
            no_hit: Stranger(rule.no_hit.to_owned()),
            exactly: text.lines(&format!("rule-{}.exactly", rule.id)),
        })
        .collect()
}
