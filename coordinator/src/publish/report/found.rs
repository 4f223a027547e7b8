//! What a run signed in full found: four counts, findings, and every check in
//! its fixed place. States and executions are never counted together.

use askama::Template;
use touchstone_evidence::payload::{Assertion, Param, Predicate};
use touchstone_proto::vocabulary::{Execution, State};
use touchstone_words::{self as words, CHECKS, GROUPS};

use super::{Reading, sentence};
use crate::publish::marks::{ExecutionMark, StateMark, tone};
use crate::publish::method::{KeyLink, TitleLink};
use crate::publish::stranger::Stranger;
use crate::publish::text::{Prose, Text};

/// Hits and differences that a finding shows; the rest is counted.
const SHOWN_LIMIT: usize = 20;

#[derive(Template)]
#[template(path = "section/found.html")]
struct Found<'a> {
    text: Text,
    tally: Vec<(StateMark, usize, Vec<&'a str>)>,
    executions: Vec<ExecutionMark>,
    findings: Vec<Finding<'a>>,
}

/// A FAILED or an OBSERVED_RISK, in full.
struct Finding<'a> {
    check: &'a str,
    tone: &'static str,
    mark: StateMark,
    title: Prose,
    /// How the check is judged.
    method: Option<TitleLink>,
    sentence: Prose,
    /// Key and parameters, for search and for machines.
    key: KeyLink<'a>,
    params: String,
    fix: Option<Prose>,
    cannot_show: Prose,
    /// Texts of the target's that were matched, or what changed.
    hits: Vec<Hit>,
    more: Option<Prose>,
}

struct Hit {
    what: TitleLink,
    excerpt: Stranger,
}

#[derive(Template)]
#[template(path = "section/checks.html")]
struct Checks<'a> {
    text: Text,
    groups: Vec<Group<'a>>,
}

struct Group<'a> {
    title: Prose,
    note: Prose,
    rows: Vec<Row<'a>>,
}

/// One check, as rows of every page show it.
pub(super) struct Row<'a> {
    pub(super) check: &'a str,
    pub(super) tone: &'static str,
    pub(super) mark: StateMark,
    pub(super) title: Prose,
    /// The title, on its way to the method of the check.
    pub(super) heading: TitleLink,
    pub(super) sentence: Prose,
    /// The reason's key, where something is left to ask.
    pub(super) key: Option<KeyLink<'a>>,
    pub(super) is_finding: bool,
    /// What an owner can do about it.
    pub(super) fix: Option<Prose>,
    pub(super) cannot_show: Prose,
    pub(super) execution: ExecutionMark,
}

pub(super) fn tally(reading: &Reading<'_>, predicate: &Predicate) -> Result<String, askama::Error> {
    let text = reading.text;
    let ordered = in_order(predicate);
    let tally = State::ALL
        .into_iter()
        .map(|state| {
            let ids: Vec<&str> = ordered
                .iter()
                .filter(|assertion| assertion.state == state)
                .map(|assertion| assertion.check.as_str())
                .collect();
            (StateMark::beside(text, state, ids.len()), ids.len(), ids)
        })
        .collect();
    let executions = Execution::ALL
        .into_iter()
        .map(|execution| ExecutionMark {
            text,
            execution,
            count: Some(
                u32::try_from(ordered.iter().filter(|a| a.execution == execution).count())
                    .unwrap_or(u32::MAX),
            ),
        })
        .collect();
    let findings = [State::Failed, State::ObservedRisk]
        .into_iter()
        .flat_map(|state| {
            ordered
                .iter()
                .filter(move |assertion| assertion.state == state)
        })
        .map(|assertion| finding(reading, assertion))
        .collect();
    Found {
        text,
        tally,
        executions,
        findings,
    }
    .render()
}

pub(super) fn checks(
    reading: &Reading<'_>,
    predicate: &Predicate,
) -> Result<String, askama::Error> {
    let text = reading.text;
    let ordered = in_order(predicate);
    let mut groups: Vec<Group<'_>> = GROUPS
        .iter()
        .map(|&group| {
            let (title, note) = words::group(text.0, group);
            let rows = ordered
                .iter()
                .filter(|assertion| group_of(assertion) == Some(group))
                .map(|assertion| row(text, assertion))
                .collect();
            Group {
                title: Prose(title),
                note: Prose(note),
                rows,
            }
        })
        .filter(|group| !group.rows.is_empty())
        .collect();
    // A newer suite may know checks that this version has no place for.
    let others: Vec<Row<'_>> = ordered
        .iter()
        .filter(|assertion| group_of(assertion).is_none())
        .map(|assertion| row(text, assertion))
        .collect();
    if !others.is_empty() {
        groups.push(Group {
            title: text.t("checks-other"),
            note: text.t("checks-other-note"),
            rows: others,
        });
    }
    Checks { text, groups }.render()
}

/// Assertions group by group in registry order; unknown ones last.
pub(super) fn in_order(predicate: &Predicate) -> Vec<&Assertion> {
    let mut ordered: Vec<&Assertion> = predicate.assertions.iter().collect();
    ordered.sort_by_key(|assertion| {
        let place = CHECKS
            .iter()
            .position(|check| check.id == assertion.check.as_str());
        let group = group_of(assertion).and_then(|group| GROUPS.iter().position(|&g| g == group));
        (group.unwrap_or(usize::MAX), place.unwrap_or(usize::MAX))
    });
    ordered
}

pub(super) fn row(text: Text, assertion: &Assertion) -> Row<'_> {
    let check = words::check(text.0, assertion.check.as_str());
    Row {
        check: assertion.check.as_str(),
        tone: tone(assertion.state),
        mark: StateMark::word(text, assertion.state),
        heading: TitleLink::new(text, assertion.check.as_str(), Prose(check.title.clone())),
        title: Prose(check.title),
        sentence: sentence(text, assertion),
        key: (assertion.state != State::Verified).then(|| key(text, assertion)),
        is_finding: matches!(assertion.state, State::Failed | State::ObservedRisk),
        fix: words::fix(text.0, assertion.reason.key.as_str()).map(Prose),
        cannot_show: Prose(check.cannot_show),
        execution: ExecutionMark {
            text,
            execution: assertion.execution,
            count: None,
        },
    }
}

fn group_of(assertion: &Assertion) -> Option<&'static str> {
    CHECKS
        .iter()
        .find(|check| check.id == assertion.check.as_str())
        .map(|check| check.group)
}

fn finding<'a>(reading: &Reading<'_>, assertion: &'a Assertion) -> Finding<'a> {
    let text = reading.text;
    let check = assertion.check.as_str();
    let words = words::check(text.0, check);
    let (hits, more) = hits(reading, check);
    Finding {
        check,
        tone: tone(assertion.state),
        mark: StateMark::word(text, assertion.state),
        title: Prose(words.title),
        method: words::answers(check).map(|_| TitleLink::new(text, check, text.t("method-judged"))),
        sentence: sentence(text, assertion),
        key: key(text, assertion),
        params: params(assertion),
        fix: words::fix(text.0, assertion.reason.key.as_str()).map(Prose),
        cannot_show: Prose(words.cannot_show),
        hits,
        more,
    }
}

fn key(text: Text, assertion: &Assertion) -> KeyLink<'_> {
    KeyLink::new(
        text,
        assertion.check.as_str(),
        assertion.reason.key.as_str(),
    )
}

/// `, tools = 1, hits = 2`, after the key.
fn params(assertion: &Assertion) -> String {
    use std::fmt::Write as _;
    let mut shown = String::new();
    for (name, value) in &assertion.reason.params {
        // Writing into a String does not fail.
        let _ = match value {
            Param::Number(number) => write!(shown, ", {name} = {}", i64::from(*number)),
            Param::Word(word) => write!(shown, ", {name} = {word}"),
        };
    }
    shown
}

/// What the unsigned extras of the run say about a finding.
fn hits(reading: &Reading<'_>, check: &str) -> (Vec<Hit>, Option<Prose>) {
    let (text, detail) = (reading.text, &reading.detail);
    let all: Vec<Hit> = match (check, &detail.drift) {
        ("tool_description_hygiene", _) => detail
            .hygiene
            .iter()
            .map(|hit| Hit {
                what: TitleLink::rule(
                    text,
                    &hit.rule,
                    text.with(
                        "hit-hygiene",
                        &[
                            ("rule", hit.rule.as_str().into()),
                            ("field", hit.field.as_str().into()),
                            (
                                "offset",
                                i64::try_from(hit.offset).unwrap_or(i64::MAX).into(),
                            ),
                        ],
                    ),
                ),
                excerpt: Stranger(format!("{}: {}", hit.tool, hit.excerpt)),
            })
            .collect(),
        ("toolset_unchanged_vs_approved", Some(drift)) => {
            let named = |names: &[String], id: &str| -> Vec<Hit> {
                names
                    .iter()
                    .map(|name| Hit {
                        what: TitleLink::none(text.t(id)),
                        excerpt: Stranger(name.clone()),
                    })
                    .collect()
            };
            let mut all = named(&drift.added, "hit-added");
            all.extend(named(&drift.removed, "hit-removed"));
            all
        }
        ("schema_unchanged_vs_approved", Some(drift)) => drift
            .changed
            .iter()
            .flat_map(|changed| {
                changed.differences.iter().map(|difference| Hit {
                    what: TitleLink::none(text.t("hit-schema")),
                    excerpt: Stranger(format!("{} {}", changed.tool, difference.path)),
                })
            })
            .collect(),
        ("redirect_policy", _) => detail
            .redirects
            .iter()
            .filter(|redirect| redirect.cross_host)
            .map(|redirect| Hit {
                what: TitleLink::none(text.with(
                    "hit-redirect",
                    &[("status", i64::from(redirect.status).into())],
                )),
                excerpt: Stranger(redirect.location.clone()),
            })
            .collect(),
        _ => Vec::new(),
    };
    let more = text.more("hits-more", all.len(), SHOWN_LIMIT);
    (all.into_iter().take(SHOWN_LIMIT).collect(), more)
}
