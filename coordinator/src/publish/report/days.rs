//! Does it answer: the last ninety days, drawn and as a table, and the figures
//! that stand with them.

use askama::Template;
use touchstone_evidence::payload::{Assertion, Param as PayloadParam};
use touchstone_proto::vocabulary::State;

use super::Reading;
use crate::publish::marks::Signature;
use crate::publish::strip::{self, CELLS, Row, Strip};
use crate::publish::text::{Moment, Prose, Text};
use crate::store::read::MISSED_LIMIT;

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
    // A first list seen today says nothing yet.
    let says_nothing = unchanged.days == 0 && !unchanged.changed;
    if reading.signature != Signature::Full || says_nothing {
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
