//! The index of the methodology: what every page of this site means by its
//! words, and the way to each check.

use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;
use touchstone_proto::vocabulary::{Execution, State};
use touchstone_words::{self as words, CHECKS, GROUPS, Language};

use super::limits::{self, Row};
use super::links::TitleLink;
use crate::history::days::{
    CONNECTION_FAILURES_COUNT_FROM, OBSERVED_DAYS, SERVER_ERRORS_COUNT_FROM,
};
use crate::publish::limits::SUITE_VERSION;
use crate::publish::marks::{ExecutionMark, StateMark};
use crate::publish::page::{Page, Place, answer};
use crate::publish::report::cadence;
use crate::publish::strip::CELLS;
use crate::publish::text::{Prose, Text};
use crate::targets::{STALE_MARGIN, Tier};

/// Where the keys of unsigned runs begin among the ids of texts.
const SIGNING: &str = "signing-";

#[derive(Template)]
#[template(path = "method.html")]
struct MethodPage {
    page: Page,
    version: Prose,
    states: Vec<(StateMark, Prose)>,
    executions: Vec<(ExecutionMark, Prose)>,
    groups: Vec<Group>,
    scopes: Vec<Scope>,
    unsigned: Vec<(String, Prose)>,
    days_note: Prose,
    days: Vec<Day>,
    days_from: Prose,
    stale: Prose,
    tiers: Vec<(Prose, String, Prose)>,
    limits: Vec<Row>,
    does_not: Vec<Prose>,
    corrections: Prose,
}

struct Group {
    id: &'static str,
    title: Prose,
    note: Prose,
    checks: Vec<Check>,
}

struct Check {
    id: &'static str,
    title: TitleLink,
    looked_at: Prose,
    states: Vec<StateMark>,
}

struct Scope {
    id: &'static str,
    name: Prose,
    meaning: Prose,
}

/// A kind of day with its cell.
struct Day {
    id: &'static str,
    class: &'static str,
    shape: &'static str,
    name: Prose,
    meaning: Prose,
}

pub(in crate::publish) fn show(text: Text) -> Response {
    let version = [("version", SUITE_VERSION.into())];
    let mut page = Page::new(text, Place::Method, "/method", text.plain("method-title"));
    page.description = text.plain("method-lede");
    let template = MethodPage {
        version: text.with("method-version", &version),
        states: State::ALL
            .into_iter()
            .map(|state| {
                let meaning = text.t(&format!("state-meaning-{}", state.as_str()));
                (StateMark::word(text, state), meaning)
            })
            .collect(),
        executions: Execution::ALL
            .into_iter()
            .map(|execution| {
                let mark = ExecutionMark {
                    text,
                    execution,
                    count: None,
                };
                let meaning = text.t(&format!("execution-meaning-{}", execution.as_str()));
                (mark, meaning)
            })
            .collect(),
        groups: GROUPS.into_iter().map(|id| group(text, id)).collect(),
        scopes: ["full", "limited", "none"]
            .into_iter()
            .map(|id| Scope {
                id,
                name: text.t(&format!("signature-{id}")),
                meaning: text.t(&format!("method-scope-{id}")),
            })
            .collect(),
        unsigned: unsigned(text),
        days_note: text.with(
            "method-days-note",
            &[("days", number(OBSERVED_DAYS).into())],
        ),
        days: CELLS
            .into_iter()
            .map(|(class, id, shape)| Day {
                id,
                class,
                shape,
                name: text.t(&format!("day-{id}")),
                meaning: text.t(&format!("day-meaning-{id}")),
            })
            .collect(),
        days_from: text.with(
            "method-days-from",
            &[
                (
                    "connection",
                    text.day(CONNECTION_FAILURES_COUNT_FROM).into(),
                ),
                ("server", text.day(SERVER_ERRORS_COUNT_FROM).into()),
            ],
        ),
        stale: duration(text, "method-stale-text", STALE_MARGIN),
        tiers: Tier::ALL
            .into_iter()
            .map(|tier| {
                (
                    text.t(&format!("tier-{}", tier.as_str())),
                    cadence(text, tier),
                    duration(text, "method-duration", tier.cadence() + STALE_MARGIN),
                )
            })
            .collect(),
        limits: limits::all(text),
        does_not: ["source", "scan", "between", "score"]
            .into_iter()
            .map(|id| text.t(&format!("does-not-{id}")))
            .collect(),
        corrections: text.with("method-corrections-none", &version),
        page,
    };
    answer(text, StatusCode::OK, &template)
}

fn group(text: Text, id: &'static str) -> Group {
    let (title, note) = words::group(text.0, id);
    let checks = CHECKS
        .iter()
        .filter(|place| place.group == id)
        .map(|place| {
            let check = words::check(text.0, place.id);
            let answers = words::answers(place.id);
            Check {
                id: place.id,
                title: TitleLink::new(text, place.id, Prose(check.title)),
                looked_at: Prose(check.looked_at),
                states: State::ALL
                    .into_iter()
                    .filter(|state| {
                        answers.is_some_and(|known| !known.beside(state.as_str()).is_empty())
                    })
                    .map(|state| StateMark::word(text, state))
                    .collect(),
            }
        })
        .collect();
    Group {
        id,
        title: Prose(title),
        note: Prose(note),
        checks,
    }
}

/// Why a run is not signed, key by key; the keys are the same in each language.
fn unsigned(text: Text) -> Vec<(String, Prose)> {
    words::keys(Language::English)
        .iter()
        .filter_map(|id| id.strip_prefix(SIGNING))
        .map(|key| (key.to_owned(), Prose(words::signing(text.0, key))))
        .collect()
}

fn duration(text: Text, id: &str, of: std::time::Duration) -> Prose {
    let minutes = i64::try_from(of.as_secs() / 60).unwrap_or(i64::MAX);
    text.with(
        id,
        &[
            ("hours", (minutes / 60).into()),
            ("minutes", (minutes % 60).into()),
        ],
    )
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
