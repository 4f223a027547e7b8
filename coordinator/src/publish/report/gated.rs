//! The report of a run that was signed as far as the sign-in wall. Nothing
//! behind the wall gets a row, a state of its own, or a conclusion.

use std::collections::BTreeMap;

use askama::Template;
use touchstone_evidence::payload::{LIMITED_CHECKS, Predicate};
use touchstone_proto::vocabulary::State;

use super::Reading;
use super::found::{Row, in_order, row};
use crate::publish::commands::{Command, Commands, initialize_status};
use crate::publish::marks::StateMark;
use crate::publish::method::{KeyLink, TitleLink};
use crate::publish::stranger::Stranger;
use crate::publish::text::{Prose, Text};

#[derive(Template)]
#[template(path = "section/vouched.html")]
struct Vouched<'a> {
    text: Text,
    rows: Vec<Row<'a>>,
    scheme: Stranger,
    names: Vec<Stranger>,
    url: Option<Stranger>,
    digest: Option<String>,
}

#[derive(Template)]
#[template(path = "section/behind.html")]
struct Behind<'a> {
    text: Text,
    before: Prose,
    mark: StateMark,
    after: Prose,
    reasons: Vec<KeyLink<'a>>,
    checks: Vec<TitleLink>,
}

#[derive(Template)]
#[template(path = "section/intended.html")]
struct Intended {
    text: Text,
    command: Command,
}

pub(super) fn vouched(
    reading: &Reading<'_>,
    predicate: &Predicate,
) -> Result<String, askama::Error> {
    let text = reading.text;
    let rows = in_order(predicate)
        .into_iter()
        .filter(|assertion| LIMITED_CHECKS.contains(&assertion.check.as_str()))
        .map(|assertion| row(text, assertion))
        .collect();
    let challenge = predicate.challenge.as_ref();
    Vouched {
        text,
        rows,
        scheme: Stranger(challenge.map(|c| c.scheme.to_string()).unwrap_or_default()),
        names: challenge
            .map(|c| {
                c.names
                    .iter()
                    .map(|name| Stranger(name.to_string()))
                    .collect()
            })
            .unwrap_or_default(),
        url: challenge
            .and_then(|c| c.url.as_ref())
            .map(|url| Stranger(url.to_string())),
        digest: challenge
            .and_then(|c| c.digest.as_ref())
            .map(ToString::to_string),
    }
    .render()
}

pub(super) fn behind(
    reading: &Reading<'_>,
    predicate: &Predicate,
) -> Result<String, askama::Error> {
    let text = reading.text;
    let hidden: Vec<_> = in_order(predicate)
        .into_iter()
        .filter(|assertion| !LIMITED_CHECKS.contains(&assertion.check.as_str()))
        .collect();
    let count = i64::try_from(hidden.len()).unwrap_or(i64::MAX);
    // Each key once, on its way to the first check that gives it.
    let reasons: BTreeMap<&str, &str> = hidden
        .iter()
        .rev()
        .map(|a| (a.reason.key.as_str(), a.check.as_str()))
        .collect();
    Behind {
        text,
        before: text.with("behind-before", &[("count", count.into())]),
        mark: StateMark::word(text, State::Unverified),
        after: text.t("behind-after"),
        reasons: reasons
            .into_iter()
            .map(|(key, check)| KeyLink::new(text, check, key))
            .collect(),
        checks: hidden
            .iter()
            .map(|assertion| TitleLink::id(text, assertion.check.as_str()))
            .collect(),
    }
    .render()
}

pub(super) fn intended(
    reading: &Reading<'_>,
    commands: &mut Commands,
) -> Result<String, askama::Error> {
    let command = commands.next(initialize_status(reading.endpoint()));
    Intended {
        text: reading.text,
        command,
    }
    .render()
}
