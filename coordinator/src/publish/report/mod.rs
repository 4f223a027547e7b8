//! The report page of one target, in the form that its run allows.
//!
//! Signed in full: four counts, findings, every check. Signed to the sign-in
//! wall: what stands before the wall, and no conclusion behind it. Not signed:
//! what came back, without a state, a score or a colour. The order of sections
//! follows the question a reader comes with.

mod causes;
mod changed;
mod days;
mod drift;
mod found;
mod gated;
mod head;
mod noted;
mod proof;
mod runs;
pub(super) mod saw;
mod unsigned;

pub(super) use self::head::{cadence, name};
pub(super) use self::runs::states;

use std::collections::BTreeMap;

use askama::Template;
use askama::filters::HtmlSafe;
use axum::http::StatusCode;
use axum::response::Response;
use touchstone_evidence::detail::Detail;
use touchstone_evidence::payload::{Assertion, Param as PayloadParam, Predicate, Reason};
use touchstone_words::{self as words, Param};

use self::head::Head;
use super::commands::Commands;
use super::marks::Signature;
use super::page::{Page, Place, answer};
use super::problem;
use super::text::{Prose, Text};
use crate::store::read::{Attestation, Report, ReportedRun};
use crate::targets::{report_path, run_path};

/// A section that was rendered by its own template.
#[derive(Debug)]
struct Section(String);

impl HtmlSafe for Section {}

impl std::fmt::Display for Section {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Template)]
#[template(path = "report.html")]
struct ReportPage {
    page: Page,
    head: Head,
    notices: Vec<Notice>,
    sections: Vec<Section>,
}

/// One thing to know before reading on.
#[derive(Debug)]
struct Notice {
    /// As in `data-kind`.
    kind: Option<&'static str>,
    strong: Prose,
    rest: Prose,
    link: Option<(String, Prose)>,
}

/// A report with what can be read of its findings.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub(super) text: Text,
    pub(super) report: &'a Report,
    pub(super) now_ms: i64,
    pub(super) signature: Signature,
    /// `None` without findings, or when this version has no schema for them.
    pub(super) predicate: Option<Predicate>,
    pub(super) detail: Detail,
}

impl<'a> Reading<'a> {
    pub(super) fn new(text: Text, report: &'a Report, now_ms: i64) -> Self {
        let findings = report.run.as_ref().and_then(|run| run.findings.as_ref());
        Self {
            text,
            report,
            now_ms,
            signature: Signature::of(report.run.as_ref().map(|run| &run.run.attestation)),
            predicate: findings.and_then(|findings| serde_json::from_str(&findings.predicate).ok()),
            // What cannot be read of the unsigned extras is left out: no page
            // may fail, or say more, for want of them.
            detail: findings
                .and_then(|findings| serde_json::from_str(&findings.detail).ok())
                .unwrap_or_default(),
        }
    }

    pub(super) fn run(&self) -> Option<&'a ReportedRun> {
        self.report.run.as_ref()
    }

    /// The newest run is older than its cadence and the margin: by how many hours.
    pub(super) fn stale_hours(&self) -> Option<i64> {
        let run = self.run().filter(|_| self.report.is_newest)?;
        self.report
            .target
            .tier
            .stale_hours(run.run.started_at_ms, self.now_ms)
    }

    /// The endpoint of the run shown, or of the target before its first run.
    pub(super) fn endpoint(&self) -> &str {
        let signed = self
            .predicate
            .as_ref()
            .filter(|_| self.signature.is_signed());
        match (signed, self.run()) {
            (Some(predicate), _) => predicate.endpoint.url.as_str(),
            (None, Some(run)) => &run.run.endpoint_url,
            (None, None) => &self.report.target.url,
        }
    }

    /// Why the run is not signed, when it is not.
    pub(super) fn unsigned_reason(&self) -> Option<&'a str> {
        match &self.run()?.run.attestation {
            Attestation::Declined { reason_key, .. } => Some(reason_key),
            // The signer's own words are for operators and stay in the log.
            Attestation::Refused { .. } => Some("refused"),
            Attestation::Signed { .. } | Attestation::Pending { .. } => None,
        }
    }

    pub(super) fn path(&self) -> String {
        let slug = &self.report.target.slug;
        match self.run() {
            Some(run) if !self.report.is_newest => run_path(slug, &run.run.run_id),
            _ => report_path(slug),
        }
    }
}

/// The sentence of an assertion's reason.
pub(super) fn sentence(text: Text, assertion: &Assertion) -> Prose {
    reason_sentence(text, &assertion.reason)
}

fn reason_sentence(text: Text, reason: &Reason) -> Prose {
    let params: BTreeMap<String, Param> = reason
        .params
        .iter()
        .map(|(name, value)| {
            let value = match value {
                PayloadParam::Number(number) => i64::from(*number).into(),
                PayloadParam::Word(word) => word.as_str().into(),
            };
            (name.to_string(), value)
        })
        .collect();
    Prose(words::reason(text.0, reason.key.as_str(), &params))
}

/// The page as a whole.
pub(super) fn show(text: Text, report: &Report, now_ms: i64) -> Response {
    let reading = Reading::new(text, report, now_ms);
    let mut commands = Commands::new(text);
    let sections = match compose(&reading, &mut commands) {
        Ok(sections) => sections,
        Err(error) => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                slug = report.target.slug,
                "rendering a report failed"
            );
            return problem::broken(text, problem::Form::Page);
        }
    };
    let title = text.plain_with(
        &format!("report-title-{}", reading.signature.as_str()),
        &[("name", name(&report.target).into())],
    );
    let mut page = Page::new(text, Place::BelowServers, &reading.path(), title);
    page.twin = Some(format!("{}.json", text.link(&reading.path())));
    page.stale = reading.stale_hours().is_some();
    let template = ReportPage {
        head: Head::of(&reading),
        notices: notices(&reading),
        sections,
        page,
    };
    answer(text, StatusCode::OK, &template)
}

fn compose(reading: &Reading<'_>, commands: &mut Commands) -> Result<Vec<Section>, askama::Error> {
    let mut sections = Vec::new();
    let mut add =
        |section: Result<String, askama::Error>| section.map(|html| sections.push(Section(html)));
    let noted =
        |run: &ReportedRun| noted::noted(reading.text, &reading.detail.notes, &run.observation);
    match (reading.run(), &reading.predicate, reading.signature) {
        (None, _, _) => add(unsigned::first_run(reading))?,
        (Some(run), Some(predicate), Signature::Full) => {
            add(found::tally(reading, predicate))?;
            add(days::days(reading, predicate_latency(predicate)))?;
            add(runs::regions(reading))?;
            add(found::checks(reading, predicate))?;
            add(proof::tools(reading, predicate))?;
            add(changed::changed(reading))?;
            noted(run).map_or(Ok(()), &mut add)?;
            add(proof::evidence(reading, run, Some(predicate), commands))?;
        }
        (Some(run), Some(predicate), Signature::Limited) => {
            add(gated::vouched(reading, predicate))?;
            add(gated::behind(reading, predicate))?;
            noted(run).map_or(Ok(()), &mut add)?;
            add(gated::intended(reading, commands))?;
            add(days::days(reading, None))?;
            add(runs::regions(reading))?;
            add(proof::evidence(reading, run, Some(predicate), commands))?;
        }
        // Signed under a schema that this version does not have: the bytes can
        // be checked, what they say is not guessed.
        (Some(run), None, Signature::Full | Signature::Limited) => {
            add(days::days(reading, None))?;
            add(runs::regions(reading))?;
            add(proof::evidence(reading, run, None, commands))?;
        }
        (Some(run), _, _) => {
            add(saw::saw(reading.text, &run.observation))?;
            noted(run).map_or(Ok(()), &mut add)?;
            if unsigned::cause_is_theirs(reading) {
                add(unsigned::why(reading, run, commands))?;
            }
            add(days::days(reading, None))?;
            add(runs::regions(reading))?;
            add(unsigned::next(reading))?;
        }
    }
    if reading.run().is_some() {
        add(runs::runs(reading))?;
    }
    add(proof::twins(reading))?;
    Ok(sections)
}

/// The assertion that holds the times of the run.
fn predicate_latency(predicate: &Predicate) -> Option<&Assertion> {
    predicate
        .assertions
        .iter()
        .find(|assertion| assertion.check.as_str() == "latency_profile")
}

fn notices(reading: &Reading<'_>) -> Vec<Notice> {
    let text = reading.text;
    let mut notices = Vec::new();
    let Some(run) = reading.run() else {
        return notices;
    };
    if !reading.report.is_newest {
        notices.push(Notice {
            kind: None,
            strong: text.t("notice-earlier"),
            rest: text.t("notice-earlier-text"),
            link: Some((
                text.link(&report_path(&reading.report.target.slug)),
                text.t("notice-earlier-link"),
            )),
        });
    }
    if let Some(hours) = reading.stale_hours() {
        notices.push(Notice {
            kind: Some("stale"),
            strong: text.with("notice-stale", &[("hours", hours.into())]),
            rest: text.with(
                "notice-stale-text",
                &[
                    ("cadence", cadence(text, reading.report.target.tier).into()),
                    ("moment", text.minute(run.run.started_at_ms).shown.into()),
                ],
            ),
            link: None,
        });
    }
    if reading.signature.is_signed() && reading.predicate.is_none() {
        notices.push(Notice {
            kind: None,
            strong: text.t("notice-schema"),
            rest: text.t("notice-schema-text"),
            link: None,
        });
    }
    notices.extend(unsigned::notice(reading));
    notices
}
