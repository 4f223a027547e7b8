//! The keys page: every key, its windows on one axis, and the active one whole.

use std::fmt::Write as _;

use askama::Template;
use askama::filters::HtmlSafe;
use axum::http::StatusCode;
use axum::response::Response;
use data_encoding::BASE64;
use time::{Date, Month};
use touchstone_evidence::keyset::{KeyDocument, KeyEntry, KeyState, Purpose};
use touchstone_proto::identity;
use touchstone_words::Param;

use super::commands::{Command, Commands};
use super::evidence::short_key;
use super::page::{Page, Place, answer};
use super::text::{Prose, Text, instant};

/// Keys of one kind that the page lists; the document has all.
const LISTED_LIMIT: usize = 200;
/// Width of the drawing of windows.
const WIDTH: f64 = 900.0;
/// Most quarters that get a tick: more would be a grey band.
const TICKS_LIMIT: usize = 80;

#[derive(Template)]
#[template(path = "keys.html")]
struct KeysPage {
    page: Page,
    version: Prose,
    axis: Prose,
    attestation: Vec<Row>,
    active: Option<Active>,
    others: Vec<Other>,
    others_more: usize,
    download: Command,
}

struct Row {
    id: String,
    short: String,
    windows: Windows,
    state: Prose,
    when: Prose,
}

struct Active {
    id: String,
    purpose: &'static str,
    since: Prose,
    pem: String,
    pem_href: String,
}

struct Other {
    purpose: Prose,
    short: String,
    state: Prose,
    since: Prose,
}

/// The windows of one key, drawn.
#[derive(Template, Debug)]
#[template(path = "part/windows.html")]
struct Windows {
    place: usize,
    title: String,
    desc: String,
    base: String,
    paths: Vec<(&'static str, String)>,
    now: String,
}

impl HtmlSafe for Windows {}

/// The time that all drawings share.
struct Axis {
    from_ms: i64,
    to_ms: i64,
    now_ms: i64,
}

pub(super) fn show(text: Text, document: &KeyDocument, now_ms: i64, origin: &str) -> Response {
    let of = |wanted: Purpose| document.keys().iter().filter(move |key| key.purpose == wanted);
    let mut attestation: Vec<&KeyEntry> = of(Purpose::Attestation).collect();
    // Newest first; what has no time yet is still to come.
    attestation.sort_by_key(|key| std::cmp::Reverse(key.from.map_or(i64::MAX, |from| from.as_ms())));
    let axis = Axis::of(&attestation, now_ms);
    let active = attestation.iter().find(|key| key.state == KeyState::Active).map(|key| Active {
        id: key.key_id.to_string(),
        purpose: key.purpose.as_str(),
        since: when(text, key),
        pem: pem(key),
        pem_href: format!("/keys/{}.pem", short_key(key.key_id.as_str())),
    });
    let others: Vec<&KeyEntry> =
        document.keys().iter().filter(|key| key.purpose != Purpose::Attestation).collect();
    let version = Param::from(i64::try_from(document.version()).unwrap_or(i64::MAX));
    let template = KeysPage {
        page: Page {
            twin: Some("/keys.json".to_owned()),
            ..Page::new(text, Place::Keys, "/keys", text.plain("keys-title"))
        },
        version: text.with("keys-version", &[("version", version)]),
        axis: text.with(
            "keys-axis",
            &[
                ("from", text.day(instant(axis.from_ms).date()).into()),
                ("to", text.day(instant(axis.to_ms).date()).into()),
                ("now", text.day(instant(now_ms).date()).into()),
            ],
        ),
        attestation: attestation
            .iter()
            .take(LISTED_LIMIT)
            .enumerate()
            .map(|(place, key)| row(text, place, key, &axis))
            .collect(),
        active,
        others_more: others.len().saturating_sub(LISTED_LIMIT),
        others: others.into_iter().take(LISTED_LIMIT).map(|key| other(text, key)).collect(),
        download: Commands::new(text)
            .next(format!("curl -fsSO {}", super::commands::quote(&format!("{origin}/keys.json")))),
    };
    answer(text, StatusCode::OK, &template)
}

/// The public key as OpenSSL reads it.
pub(super) fn pem(key: &KeyEntry) -> String {
    let spki = BASE64.encode(&identity::spki(key.public_key.as_bytes()));
    format!("-----BEGIN PUBLIC KEY-----\n{spki}\n-----END PUBLIC KEY-----\n")
}

/// `active since 1 Nov 2026`.
pub(super) fn state_words(text: Text, key: &KeyEntry) -> Prose {
    let state = text.t(state_id(key.state));
    Prose(format!("{}, {}", state.0, when(text, key).0))
}

fn row(text: Text, place: usize, key: &KeyEntry, axis: &Axis) -> Row {
    let short = short_key(key.key_id.as_str()).to_owned();
    let state = text.t(state_id(key.state));
    let when = when(text, key);
    Row {
        windows: Windows {
            place,
            title: text.plain_with("keys-windows", &[("key", short.as_str().into())]),
            desc: format!("{}: {}", state.0, when.0),
            base: axis.base(),
            paths: axis.windows(key),
            now: format!("M{} 0v24", number(axis.x(axis.now_ms))),
        },
        id: key.key_id.to_string(),
        short,
        state,
        when,
    }
}

fn other(text: Text, key: &KeyEntry) -> Other {
    Other {
        purpose: text.t(&format!("purpose-{}", key.purpose.as_str())),
        short: short_key(key.key_id.as_str()).to_owned(),
        state: text.t(state_id(key.state)),
        since: when(text, key),
    }
}

fn state_id(state: KeyState) -> &'static str {
    match state {
        KeyState::Pending => "key-pending",
        KeyState::Active => "key-active",
        KeyState::Retired => "key-retired",
        KeyState::Revoked => "key-revoked",
    }
}

fn when(text: Text, key: &KeyEntry) -> Prose {
    let day = |ms: i64| Param::from(text.day(instant(ms).date()));
    let from = key.from.map(|from| ("from", day(from.as_ms())));
    let to = key.to.map(|to| ("to", day(to.as_ms())));
    match (key.state, from, to) {
        (KeyState::Pending, Some(from), _) => text.with("key-signs-from", &[from]),
        (KeyState::Active, Some(from), _) => text.with("key-since", &[from]),
        (KeyState::Retired, Some(from), Some(to)) => text.with("key-from-to", &[from, to]),
        (KeyState::Revoked, Some(from), Some(to)) => text.with("key-revoked-from-to", &[from, to]),
        (KeyState::Revoked, None, Some(to)) => text.with("key-revoked-at", &[to]),
        _ => text.t("key-not-decided"),
    }
}

impl Axis {
    /// From the first of the month of the oldest key to the first of the month
    /// two months ahead.
    fn of(keys: &[&KeyEntry], now_ms: i64) -> Self {
        let oldest = keys.iter().filter_map(|key| Some(key.from?.as_ms())).min().unwrap_or(now_ms);
        Self {
            from_ms: first_of_month(oldest.min(now_ms), 0),
            to_ms: first_of_month(now_ms, 2),
            now_ms,
        }
    }

    // Milliseconds of some years are far below 2^53.
    #[allow(clippy::cast_precision_loss)]
    fn x(&self, ms: i64) -> f64 {
        let span = (self.to_ms - self.from_ms).max(1) as f64;
        let at = ms.clamp(self.from_ms, self.to_ms) - self.from_ms;
        at as f64 / span * WIDTH
    }

    fn base(&self) -> String {
        let mut base = "M0 23.5h900".to_owned();
        let mut at = first_of_month(self.from_ms, 0);
        let mut ticks = 0;
        while at < self.to_ms && ticks < TICKS_LIMIT {
            let month = u8::from(instant(at).month());
            if matches!(month, 1 | 4 | 7 | 10) && at > self.from_ms {
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
        let from = key.from.map(|from| from.as_ms());
        let to = key.to.map(|to| to.as_ms());
        match (key.state, from, to) {
            (KeyState::Pending, Some(from), _) => vec![("hollow", bar(from, self.to_ms, 7, 10))],
            (KeyState::Active, Some(from), _) => vec![
                ("d-s", bar(from, self.now_ms, 5, 14)),
                ("hollow", bar(self.now_ms, self.to_ms, 7, 10)),
            ],
            (KeyState::Retired, Some(from), Some(to)) => {
                vec![("d-s", bar(from, to, 5, 14)), ("d-x", bar(to, self.now_ms, 10, 4))]
            }
            (KeyState::Revoked, Some(from), Some(to)) => vec![
                ("d-s", bar(from, to, 5, 14)),
                ("cut", format!("M{} 3v18", number(self.x(to)))),
            ],
            (KeyState::Revoked, None, Some(to)) => vec![("cut", format!("M{} 3v18", number(self.x(to))))],
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
        .map_or(ms, |first| first.midnight().assume_utc().unix_timestamp() * 1000)
}

/// One decimal at most.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
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
        let axis = Axis { from_ms: first_of_month(NOW_MS, 0), to_ms: first_of_month(NOW_MS, 2), now_ms: NOW_MS };
        assert_eq!(number(axis.x(axis.from_ms)), "0");
        assert_eq!(number(axis.x(axis.to_ms)), "900");
        assert_eq!(number(axis.x(NOW_MS)), "427.9");
        // 1 January, the one quarter on this axis.
        assert_eq!(axis.base().matches("19v4.5").count(), 1);
    }
}
