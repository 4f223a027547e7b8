//! Do regions agree, and which runs there were.

use askama::Template;
use touchstone_proto::vocabulary::State;
use touchstone_words::Param;

use super::Reading;
use crate::history::reach::Reach;
use crate::publish::marks::{Signature, SignatureMark, StateMark};
use crate::publish::strip::CELLS;
use crate::publish::text::{Moment, Prose, Text};
use crate::store::read::StateCounts;
use crate::targets::run_path;

#[derive(Template)]
#[template(path = "section/regions.html")]
struct Regions {
    text: Text,
    sentence: Prose,
    turns: bool,
    rows: Vec<RegionRow>,
    plain: bool,
}

struct RegionRow {
    name: String,
    code: String,
    class: &'static str,
    shape: &'static str,
    word: Prose,
    cause: Option<&'static str>,
    at: Moment,
}

#[derive(Template)]
#[template(path = "section/runs.html")]
struct Runs {
    text: Text,
    note: Prose,
    rows: Vec<RunRow>,
}

struct RunRow {
    href: String,
    at: Moment,
    region: String,
    reach: Prose,
    signature: SignatureMark,
    states: Vec<StateMark>,
    shown: bool,
}

pub(super) fn regions(reading: &Reading<'_>) -> Result<String, askama::Error> {
    let text = reading.text;
    let runs = &reading.report.regions;
    let rows = runs
        .iter()
        .map(|run| {
            let (kind, cause) = match run.reach {
                Reach::Answered => ("answered", None),
                Reach::Unanswered(cause) => ("unanswered", Some(cause.as_str())),
                Reach::NotCounted(cause) => ("not_counted", Some(cause.as_str())),
            };
            let (class, _, shape) = CELLS
                .into_iter()
                .find(|cell| cell.1 == kind)
                .unwrap_or(CELLS[3]);
            RegionRow {
                name: text.region(&run.region),
                code: run.region.clone(),
                class,
                shape,
                word: text.t(&format!("day-{kind}")),
                cause,
                at: text.minute(run.started_at_ms),
            }
        })
        .collect();
    Regions {
        text,
        sentence: agreement(reading),
        turns: runs.len() > 1,
        rows,
        plain: !reading.signature.is_signed(),
    }
    .render()
}

/// One of four sentences: all agree, some differ and are named, one looked,
/// none could look.
fn agreement(reading: &Reading<'_>) -> Prose {
    let text = reading.text;
    let runs = &reading.report.regions;
    let decided: Vec<_> = runs
        .iter()
        .filter(|run| !matches!(run.reach, Reach::NotCounted(_)))
        .collect();
    let answered = decided
        .iter()
        .filter(|run| run.reach == Reach::Answered)
        .count();
    let count = |count: usize| Param::from(i64::try_from(count).unwrap_or(i64::MAX));
    if decided.is_empty() {
        return text.t("regions-none");
    }
    if let ([only], 1) = (decided.as_slice(), runs.len()) {
        let id = if answered == 1 {
            "regions-one-answered"
        } else {
            "regions-one-unanswered"
        };
        return text.with(id, &[("region", text.region(&only.region).into())]);
    }
    let of = ("regions", count(runs.len()));
    if answered == runs.len() {
        return text.with("regions-all-answered", &[of]);
    }
    if answered == 0 && decided.len() == runs.len() {
        return text.with("regions-all-unanswered", &[of]);
    }
    let others: Vec<String> = runs
        .iter()
        .filter(|run| run.reach != Reach::Answered)
        .map(|run| text.region(&run.region))
        .collect();
    text.with(
        "regions-differ",
        &[
            of,
            ("answered", count(answered)),
            ("others", text.list(&others).into()),
        ],
    )
}

pub(super) fn runs(reading: &Reading<'_>) -> Result<String, askama::Error> {
    let (text, report) = (reading.text, reading.report);
    let shown = reading.run().map(|run| run.run.run_id.as_str());
    let rows: Vec<RunRow> = report
        .runs
        .iter()
        .map(|line| RunRow {
            href: text.link(&run_path(&report.target.slug, &line.run.run_id)),
            at: text.minute(line.run.started_at_ms),
            region: text.region(&line.run.region),
            reach: text.t(match line.run.reach {
                Reach::Answered => "day-answered",
                Reach::Unanswered(_) => "day-unanswered",
                Reach::NotCounted(_) => "day-not_counted",
            }),
            signature: SignatureMark {
                text,
                signature: Signature::of(Some(&line.run.attestation)),
            },
            states: states(
                text,
                Signature::of(Some(&line.run.attestation)),
                line.states,
            ),
            shown: shown == Some(line.run.run_id.as_str()),
        })
        .collect();
    let counts = [
        (
            "shown",
            i64::try_from(rows.len()).unwrap_or(i64::MAX).into(),
        ),
        (
            "all",
            i64::try_from(report.run_count).unwrap_or(i64::MAX).into(),
        ),
    ];
    Runs {
        text,
        note: text.with("runs-note", &counts),
        rows,
    }
    .render()
}

/// The four counts of a run that is signed in full; of no other run are there
/// counts to show.
pub(in crate::publish) fn states(
    text: Text,
    signature: Signature,
    states: Option<StateCounts>,
) -> Vec<StateMark> {
    let Some(counts) = states.filter(|_| signature == Signature::Full) else {
        return Vec::new();
    };
    [
        (State::Failed, counts.failed),
        (State::ObservedRisk, counts.observed_risk),
        (State::Unverified, counts.unverified),
        (State::Verified, counts.verified),
    ]
    .into_iter()
    .map(|(state, count)| StateMark::counted(text, state, count))
    .collect()
}
