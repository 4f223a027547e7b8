//! The strip of observed days: one cell a UTC day, drawn on the server, thirty
//! days a block. Height and shape say what a day was before colour does; a day
//! on which we did not look is hollow, and never filled in.

use std::fmt::Write as _;

use askama::Template;
use askama::filters::HtmlSafe;
use time::Date;
use touchstone_words::Param;

use super::text::Text;
use crate::history::days::{Day, DayKind};

/// Days of one drawing. A bar is then never narrower than 7 px on a phone.
const BLOCK_DAYS: usize = 30;

/// One drawing or several abreast.
#[derive(Template, Debug)]
#[template(path = "part/strip.html")]
pub(super) struct Strip {
    blocks: Vec<Block>,
    /// First and last date under the blocks.
    dated: bool,
}

impl HtmlSafe for Strip {}

#[derive(Debug)]
struct Block {
    /// Unique in the page.
    id: String,
    title: String,
    desc: String,
    paths: Vec<Path>,
    first: String,
    /// Only under the last block.
    last: Option<String>,
}

#[derive(Debug)]
struct Path {
    class: &'static str,
    d: String,
    even_odd: bool,
}

/// A day in the table that says the same.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) machine: String,
    pub(super) day: String,
    pub(super) kind: String,
    pub(super) runs: String,
    pub(super) signed: u32,
    pub(super) missed: u32,
}

/// The cells in the order in which the key lists them.
pub(super) const CELLS: [(&str, &str, &str); 5] = [
    ("d-y", "answered", "M0 2h7v32h-7z"),
    ("d-n", "unanswered", "M0 24h7v10h-7z"),
    ("d-x", "not_counted", "M0 6h7v3h-7zm0 9h7v3h-7zm0 9h7v3h-7z"),
    ("d-u", "undetermined", "M0 2h7v32h-7zm1.5 1.5v29h4v-29z"),
    ("d-b", "before", "M1 29h5v5h-5z"),
];

/// Draws the last `days` of `observed`. `signed` adds the line under the days
/// that have a signed run. `id` starts the ids of this drawing.
pub(super) fn strip(text: Text, observed: &[Day], days: usize, signed: bool, id: &str) -> Strip {
    let shown = &observed[observed.len().saturating_sub(days)..];
    let dated = days > BLOCK_DAYS;
    let count = shown.chunks(BLOCK_DAYS).len();
    let blocks = shown
        .chunks(BLOCK_DAYS)
        .enumerate()
        .map(|(place, days)| Block {
            id: format!("{id}-{}", place + 1),
            title: title(text, days),
            desc: describe(text, days),
            paths: draw(days, signed),
            first: days.first().map(|day| short(text, day)).unwrap_or_default(),
            last: (place + 1 == count)
                .then(|| days.last().map(|day| short(text, day)).unwrap_or_default()),
        })
        .collect();
    Strip { blocks, dated }
}

/// The same days as rows, newest first.
pub(super) fn rows(text: Text, observed: &[Day]) -> Vec<Row> {
    observed
        .iter()
        .rev()
        .map(|day| Row {
            machine: day.date.clone(),
            day: self::day(text, &day.date),
            kind: text.plain(&format!("day-{}", name(day.kind))),
            runs: if day.kind == DayKind::Before {
                "–".to_owned()
            } else {
                format!("{} / {}", day.answered, day.runs)
            },
            signed: day.signed,
            missed: day.missed,
        })
        .collect()
}

/// A day as the language writes it.
pub(super) fn day(text: Text, date: &str) -> String {
    read(date).map_or_else(|| date.to_owned(), |date| text.day(date))
}

fn draw(days: &[Day], signed: bool) -> Vec<Path> {
    let mut paths = Vec::new();
    for (class, kind, _) in CELLS {
        let mut d = String::new();
        for (place, _) in days
            .iter()
            .enumerate()
            .filter(|(_, day)| name(day.kind) == kind)
        {
            let x = 10 * place + 1;
            // Writing into a String does not fail.
            let _ = match kind {
                "answered" => write!(d, "M{x} 2h7v32h-7z"),
                "unanswered" => write!(d, "M{x} 24h7v10h-7z"),
                "not_counted" => write!(d, "M{x} 6h7v3h-7zm0 9h7v3h-7zm0 9h7v3h-7z"),
                "undetermined" => write!(d, "M{x} 2h7v32h-7zm1.5 1.5v29h4v-29z"),
                _ => write!(d, "M{} 29h5v5h-5z", x + 1),
            };
        }
        if !d.is_empty() {
            paths.push(Path {
                class,
                d,
                even_odd: kind == "undetermined",
            });
        }
    }
    if signed {
        let d = signed_line(days);
        if !d.is_empty() {
            paths.push(Path {
                class: "d-s",
                d,
                even_odd: false,
            });
        }
    }
    paths
}

/// One piece for each run of days that have a signed run.
fn signed_line(days: &[Day]) -> String {
    let mut d = String::new();
    let mut place = 0;
    while place < days.len() {
        let length = days[place..]
            .iter()
            .take_while(|day| day.signed > 0)
            .count();
        if length > 0 {
            let x = 10 * place;
            let _ = write!(d, "M{x} 37h{}v3H{x}z", 10 * length);
        }
        place += length.max(1);
    }
    d
}

fn title(text: Text, days: &[Day]) -> String {
    let edge = |day: Option<&Day>| day.map(|day| short(text, day)).unwrap_or_default();
    text.plain_with(
        "strip-title",
        &[
            ("from", edge(days.first()).into()),
            ("to", edge(days.last()).into()),
        ],
    )
}

/// A sentence that names every day that is not plain.
fn describe(text: Text, days: &[Day]) -> String {
    let of = |kind: DayKind| days.iter().filter(move |day| day.kind == kind);
    let count = |kind| Param::from(i64::try_from(of(kind).count()).unwrap_or(i64::MAX));
    let mut close = vec![text.plain_with("strip-answered", &[("days", count(DayKind::Answered))])];
    if of(DayKind::Before).next().is_some() {
        close.push(text.plain_with("strip-before", &[("days", count(DayKind::Before))]));
    }
    let apart: Vec<String> = [
        DayKind::Unanswered,
        DayKind::NotCounted,
        DayKind::Undetermined,
    ]
    .into_iter()
    .filter_map(|kind| {
        let named: Vec<String> = of(kind).map(|day| short(text, day)).collect();
        (!named.is_empty()).then(|| {
            text.plain_with(
                &format!("strip-{}", name(kind)),
                &[("days", text.list(&named).into())],
            )
        })
    })
    .collect();
    text.sentence(&close, &apart)
}

fn short(text: Text, day: &Day) -> String {
    read(&day.date).map_or_else(|| day.date.clone(), |date| text.short_day(date))
}

/// Reads `2026-11-30`.
fn read(date: &str) -> Option<Date> {
    let mut parts = date.splitn(3, '-');
    let year = parts.next()?.parse().ok()?;
    let month = parts.next()?.parse::<u8>().ok()?;
    let number = parts.next()?.parse().ok()?;
    Date::from_calendar_date(year, month.try_into().ok()?, number).ok()
}

fn name(kind: DayKind) -> &'static str {
    match kind {
        DayKind::Before => "before",
        DayKind::Answered => "answered",
        DayKind::Unanswered => "unanswered",
        DayKind::NotCounted => "not_counted",
        DayKind::Undetermined => "undetermined",
        DayKind::NotYet => "not_yet",
    }
}

#[cfg(test)]
mod tests {
    use touchstone_words::Language;

    use super::*;

    fn days() -> Vec<Day> {
        let kinds = [
            DayKind::Before,
            DayKind::Answered,
            DayKind::Unanswered,
            DayKind::NotCounted,
            DayKind::Undetermined,
            DayKind::NotYet,
        ];
        kinds
            .iter()
            .enumerate()
            .map(|(place, &kind)| Day {
                date: format!("2026-11-{:02}", 25 + place),
                kind,
                runs: 2,
                answered: u32::from(kind == DayKind::Answered) * 2,
                signed: u32::from(matches!(place, 1 | 2 | 4)),
                missed: 0,
            })
            .collect()
    }

    #[test]
    fn each_kind_has_its_own_shape_and_today_stays_open() {
        let paths: Vec<_> = draw(&days(), true)
            .into_iter()
            .map(|path| (path.class, path.d))
            .collect();
        let expected = [
            ("d-y", "M11 2h7v32h-7z"),
            ("d-n", "M21 24h7v10h-7z"),
            ("d-x", "M31 6h7v3h-7zm0 9h7v3h-7zm0 9h7v3h-7z"),
            ("d-u", "M41 2h7v32h-7zm1.5 1.5v29h4v-29z"),
            ("d-b", "M2 29h5v5h-5z"),
            ("d-s", "M10 37h20v3H10zM40 37h10v3H40z"),
        ];
        assert_eq!(paths, expected.map(|(class, d)| (class, d.to_owned())));
        assert!(draw(&days(), false).iter().all(|path| path.class != "d-s"));
    }

    #[test]
    fn the_sentence_names_every_day_that_is_not_plain() {
        assert_eq!(
            describe(Text(Language::English), &days()),
            "1 day answered, 1 before first check; unanswered on 27 Nov; not counted: 28 Nov; undetermined by us: 29 Nov."
        );
        assert_eq!(
            describe(Text(Language::Chinese), &days()),
            "1 天有应答，1 天在首次检查之前；无应答：11 月 27 日；不计入：11 月 28 日；我们未能判定：11 月 29 日。"
        );
    }
}
