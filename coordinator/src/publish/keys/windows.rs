//! When a key counts, drawn on one axis with all others, so that overlaps are
//! seen by eye. Nothing is drawn solid to the right of today.

use std::fmt::Write as _;

use askama::Template;
use askama::filters::HtmlSafe;
use time::{Date, Month};
use touchstone_evidence::keyset::{KeyEntry, KeyState};
use touchstone_evidence::timestamp::Timestamp;

use crate::publish::text::instant;

/// Width of the drawing.
const WIDTH: f64 = 900.0;
/// Most quarters that get a tick: more would be a grey band.
const TICKS_LIMIT: usize = 80;

/// The windows of one key, drawn.
#[derive(Template, Debug)]
#[template(path = "part/windows.html")]
pub(super) struct Windows {
    /// Makes the ids of this drawing its own.
    place: usize,
    title: String,
    desc: String,
    base: String,
    paths: Vec<(&'static str, String)>,
    now: String,
}

impl HtmlSafe for Windows {}

impl Windows {
    pub(super) fn of(
        key: &KeyEntry,
        axis: &Axis,
        place: usize,
        title: String,
        desc: String,
    ) -> Self {
        Self {
            place,
            title,
            desc,
            base: axis.base(),
            paths: axis.windows(key),
            now: format!("M{} 0v24", number(axis.x(axis.now))),
        }
    }
}

/// The time that all drawings share.
///
/// All in milliseconds since the epoch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) from: i64,
    pub(super) to: i64,
    now: i64,
}

impl Axis {
    /// From the first of the month of the oldest key to the end of the month
    /// two months ahead, or of the one in which the last pending key starts.
    pub(super) fn of(keys: &[&KeyEntry], now_ms: i64) -> Self {
        let oldest = keys
            .iter()
            .filter_map(|key| Some(key.from?.as_ms()))
            .min()
            .unwrap_or(now_ms);
        let last = keys.iter().filter_map(|key| Some(key.from?.as_ms())).max();
        Self {
            from: first_of_month(oldest.min(now_ms), 0),
            to: first_of_month(now_ms, 3).max(last.map_or(now_ms, |last| first_of_month(last, 1))),
            now: now_ms,
        }
    }

    // Milliseconds of some years are far below 2^53.
    #[allow(clippy::cast_precision_loss)]
    fn x(&self, ms: i64) -> f64 {
        let span = (self.to - self.from).max(1) as f64;
        let at = ms.clamp(self.from, self.to) - self.from;
        at as f64 / span * WIDTH
    }

    fn base(&self) -> String {
        let mut base = "M0 23.5h900".to_owned();
        let mut at = first_of_month(self.from, 0);
        let mut ticks = 0;
        while at < self.to && ticks < TICKS_LIMIT {
            let month = u8::from(instant(at).month());
            if matches!(month, 1 | 4 | 7 | 10) && at > self.from {
                // Writing into a String does not fail.
                let _ = write!(base, "M{} 19v4.5", number(self.x(at)));
                ticks += 1;
            }
            at = first_of_month(at, 1);
        }
        base
    }

    /// Nothing is drawn solid to the right of today.
    fn windows(&self, key: &KeyEntry) -> Vec<(&'static str, String)> {
        let bar = |from: i64, to: i64, y: u8, height: u8| {
            let (x, end) = (self.x(from), self.x(to));
            let width = (end - x).max(1.0);
            let (x, width) = (number(x), number(width));
            format!("M{x} {y}h{width}v{height}h-{width}z")
        };
        let from = key.from.map(Timestamp::as_ms);
        let to = key.to.map(Timestamp::as_ms);
        match (key.state, from, to) {
            (KeyState::Pending, Some(from), _) => vec![("hollow", bar(from, self.to, 7, 10))],
            (KeyState::Active, Some(from), _) => vec![
                ("d-s", bar(from, self.now, 5, 14)),
                ("hollow", bar(self.now, self.to, 7, 10)),
            ],
            (KeyState::Retired, Some(from), Some(to)) => {
                vec![
                    ("d-s", bar(from, to, 5, 14)),
                    ("d-x", bar(to, self.now, 10, 4)),
                ]
            }
            (KeyState::Revoked, Some(from), Some(to)) => vec![
                ("d-s", bar(from, to, 5, 14)),
                ("cut", format!("M{} 3v18", number(self.x(to)))),
            ],
            (KeyState::Revoked, None, Some(to)) => {
                vec![("cut", format!("M{} 3v18", number(self.x(to))))]
            }
            _ => Vec::new(),
        }
    }
}

/// The first of the month `later` months after the month of `ms`, at most 12.
fn first_of_month(ms: i64, later: u8) -> i64 {
    let date = instant(ms).date();
    let months = u8::from(date.month()) - 1 + later;
    let (year, month) = (date.year() + i32::from(months / 12), months % 12 + 1);
    Month::try_from(month)
        .ok()
        .and_then(|month| Date::from_calendar_date(year, month, 1).ok())
        .map_or(ms, |first| {
            first.midnight().assume_utc().unix_timestamp() * 1000
        })
}

/// One decimal at most.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0")
        .map_or_else(|| text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_MS: i64 = 86_400_000;
    /// 2026-11-30T00:00:00Z.
    const NOW_MS: i64 = 1_795_996_800_000;

    #[test]
    fn the_axis_runs_from_the_oldest_month_to_two_months_ahead() {
        assert_eq!(first_of_month(NOW_MS, 0), NOW_MS - 29 * DAY_MS);
        assert_eq!(first_of_month(NOW_MS, 2), NOW_MS + 32 * DAY_MS);
        let axis = Axis {
            from: first_of_month(NOW_MS, 0),
            to: first_of_month(NOW_MS, 2),
            now: NOW_MS,
        };
        assert_eq!(number(axis.x(axis.from)), "0");
        assert_eq!(number(axis.x(axis.to)), "900");
        assert_eq!(number(axis.x(NOW_MS)), "427.9");
        // The quarters of an axis from 1 May to 1 January: 1 July and 1 October.
        let longer = Axis {
            from: first_of_month(NOW_MS - 200 * DAY_MS, 0),
            ..axis
        };
        assert_eq!(longer.base().matches("19v4.5").count(), 2);
    }
}
