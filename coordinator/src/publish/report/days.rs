//! Does it answer, do regions agree, and which runs there were.

use askama::Template;
use touchstone_evidence::payload::{Assertion, Param as PayloadParam};
use touchstone_proto::vocabulary::State;
use touchstone_words::Param;

use super::Reading;
use crate::history::reach::Reach;
use crate::publish::marks::{Signature, SignatureMark, StateMark};
use crate::publish::strip::{self, CELLS, Row, Strip};
use crate::publish::text::{Moment, Prose, Text};
use crate::store::read::{MISSED_LIMIT, StateCounts};
use crate::targets::run_path;

#[derive(Template)]
#[template(path = "section/days.html")]
struct Days {
    text: Text,
    note: Prose,
    /// No cinnabar and no gold: nothing on the page is signed.
    plain: bool,
    measures: Vec<Measure>,
    strip: Strip,
    cells: [(&'static str, &'static str, &'static str); 5],
    rows: Vec<Row>,
    missed: Vec<Missed>,
    missed_cut: bool,
}

/// A figure, and what it is of.
struct Measure {
    figure: String,
    unit: String,
    of: Prose,
}

struct Missed {
    from: Moment,
    to: Option<Moment>,
    slots: u64,
    region: String,
    cause: Prose,
}

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

/// `latency` is the assertion that holds the times of a run signed in full.
pub(super) fn days(
    reading: &Reading<'_>,
    latency: Option<&Assertion>,
) -> Result<String, askama::Error> {
    let text = reading.text;
    let observed = &reading.report.observed_days;
    let plain = !reading.signature.is_signed();
    let mut measures = vec![reachability(
        text,
        observed.answered,
        observed.counted,
        plain,
    )];
    measures.extend(times(reading, latency));
    measures.extend(unchanged(reading));
    let missed = reading
        .report
        .missed
        .iter()
        .map(|missed| Missed {
            from: text.minute(missed.first_at_ms),
            to: (missed.last_slot > missed.first_slot).then(|| text.minute(missed.last_at_ms)),
            slots: missed.last_slot.saturating_sub(missed.first_slot) + 1,
            region: missed
                .region
                .as_deref()
                .map_or_else(|| "–".to_owned(), |code| text.region(code)),
            cause: text.t(&format!("missed-{}", missed.cause.as_str())),
        })
        .collect();
    let note = match reading.signature {
        Signature::Full => "days-note",
        Signature::Limited => "days-note-limited",
        _ => "days-note-plain",
    };
    Days {
        text,
        note: text.t(note),
        plain,
        measures,
        strip: strip::strip(text, &observed.days, observed.days.len(), !plain, "days"),
        cells: CELLS,
        rows: strip::rows(text, &observed.days),
        missed,
        missed_cut: reading.report.missed.len() >= MISSED_LIMIT as usize,
    }
    .render()
}

fn reachability(text: Text, answered: u32, counted: u32, plain: bool) -> Measure {
    let args = [
        ("answered", i64::from(answered).into()),
        ("counted", i64::from(counted).into()),
    ];
    if counted == 0 {
        return Measure {
            figure: text.plain("not-recorded"),
            unit: String::new(),
            of: text.t("days-none-counted"),
        };
    }
    if plain {
        return Measure {
            figure: answered.to_string(),
            unit: text.plain_with("days-of", &args[1..]),
            of: text.t("days-counted-plain"),
        };
    }
    Measure {
        figure: percent(answered, counted),
        unit: "%".to_owned(),
        of: text.with("days-counted", &args),
    }
}

/// One decimal, cut and not rounded, so that 100 means all; none when exact.
fn percent(part: u32, whole: u32) -> String {
    let tenths = u64::from(part) * 1000 / u64::from(whole.max(1));
    if tenths.is_multiple_of(10) && u64::from(part) * 100 % u64::from(whole.max(1)) == 0 {
        (tenths / 10).to_string()
    } else {
        format!("{}.{}", tenths / 10, tenths % 10)
    }
}

fn times(reading: &Reading<'_>, latency: Option<&Assertion>) -> Option<Measure> {
    let text = reading.text;
    if reading.signature == Signature::Limited {
        return Some(Measure {
            figure: text.plain("not-recorded"),
            unit: String::new(),
            of: text.t("times-limited"),
        });
    }
    let assertion = latency.filter(|assertion| assertion.state == State::Verified)?;
    let number = |wanted: &str| {
        assertion
            .reason
            .params
            .iter()
            .find_map(|(name, value)| match value {
                PayloadParam::Number(number) if name.as_str() == wanted => Some(i64::from(*number)),
                _ => None,
            })
    };
    let region = text.region(&reading.run()?.run.region);
    Some(Measure {
        figure: number("p50_ms")?.to_string(),
        unit: "ms".to_owned(),
        of: text.with(
            "times-measured",
            &[
                ("p95", number("p95_ms")?.into()),
                ("n", number("n")?.into()),
                ("region", region.into()),
            ],
        ),
    })
}

/// A lower bound, said as one; of a run that read the whole list.
fn unchanged(reading: &Reading<'_>) -> Option<Measure> {
    let text = reading.text;
    let unchanged = reading.report.tools_unchanged.as_ref()?;
    if reading.signature != Signature::Full {
        return None;
    }
    let days = i64::from(unchanged.days);
    let id = if unchanged.changed {
        "unchanged-changed"
    } else {
        "unchanged-first"
    };
    Some(Measure {
        figure: format!("≥ {days}"),
        unit: text.plain_with("unchanged-days", &[("days", days.into())]),
        of: text.with(id, &[("since", strip::day(text, &unchanged.since).into())]),
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_cut_so_that_a_hundred_means_all() {
        assert_eq!(percent(83, 84), "98.8");
        assert_eq!(percent(90, 90), "100");
        assert_eq!(percent(1999, 2000), "99.9");
        assert_eq!(percent(1, 2), "50");
        assert_eq!(percent(0, 3), "0");
        assert_eq!(percent(1, 3), "33.3");
    }
}
