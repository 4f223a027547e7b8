//! The directory: targets, each with its signature, its four counts if it is
//! signed in full, and its last thirty days. A tier changes no order.

use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;
use touchstone_words::Param;

use super::changes::since;
use super::commands::{Command, Commands};
use super::marks::{Signature, SignatureMark, StateMark};
use super::page::{Page, Place, answer};
use super::report::{name, states};
use super::stranger::Stranger;
use super::strip::{self, CELLS, Strip};
use super::text::{Moment, Prose, Text};
use crate::history::days::DayKind;
use crate::store::read::{DirectoryEntry, DirectoryPage};
use crate::targets::report_path;

/// Days that a row shows.
const ROW_DAYS: usize = 30;

#[derive(Template)]
#[template(path = "directory.html")]
struct Directory {
    page: Page,
    query: String,
    /// The query as it is shown, not as it is sent again.
    echo: Stranger,
    filter: &'static str,
    filters: [(&'static str, Prose); 4],
    results: Prose,
    nothing: Prose,
    hits: Vec<Hit>,
    next: Option<String>,
    as_of: Prose,
    cells: [(&'static str, &'static str, &'static str); 5],
    /// No line for signed days in the key: none is drawn.
    plain: bool,
    check: Command,
}

struct Hit {
    href: String,
    name: Stranger,
    endpoint: Stranger,
    signature: SignatureMark,
    states: Vec<StateMark>,
    plain: bool,
    strip: Strip,
    days: Prose,
    /// Since when its tool list is the same.
    unchanged: Option<Prose>,
    /// Tools whose names hold a word of the search.
    tools: Vec<Stranger>,
    observed: Option<Moment>,
    stale: Option<Prose>,
    first_run: Option<Moment>,
}

/// What was asked, as it stands in the address.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) text: String,
    /// `full`, `limited`, `none`, or empty.
    pub(super) signature: &'static str,
}

pub(super) fn show(text: Text, asked: &Asked, found: &DirectoryPage, now_ms: i64) -> Response {
    let total = Param::from(i64::try_from(found.total).unwrap_or(i64::MAX));
    let searched = !asked.text.is_empty() || !asked.signature.is_empty();
    let results = if searched {
        text.with("directory-results", &[("count", total.clone())])
    } else {
        text.with("directory-all", &[("count", total.clone())])
    };
    let nothing = if asked.text.is_empty() {
        text.t("directory-nothing")
    } else {
        text.t("directory-nothing-like")
    };
    let page = Page::new(text, Place::Servers, "/", text.plain("directory-title"));
    let signed = found
        .entries
        .iter()
        .any(|entry| Signature::of(entry.newest.as_ref().map(|run| &run.attestation)).is_signed());
    let hits = found
        .entries
        .iter()
        .enumerate()
        .map(|(place, entry)| hit(text, place + 1, entry, now_ms))
        .collect();
    let template = Directory {
        page,
        query: asked.text.clone(),
        echo: Stranger(asked.text.clone()),
        filter: asked.signature,
        filters: [
            ("", text.t("directory-any")),
            ("full", text.t("directory-full")),
            ("limited", text.t("directory-limited")),
            ("none", text.t("directory-none")),
        ],
        results,
        nothing,
        hits,
        next: found.next.as_ref().map(|cursor| next(text, asked, cursor)),
        as_of: text.with(
            "directory-as-of",
            &[
                ("moment", text.minute(now_ms).shown.into()),
                ("count", total),
            ],
        ),
        cells: CELLS,
        plain: !signed,
        check: Commands::new(text)
            .next("touchstone check https://your-server.example/mcp".to_owned()),
    };
    answer(text, StatusCode::OK, &template)
}

fn hit(text: Text, place: usize, entry: &DirectoryEntry, now_ms: i64) -> Hit {
    let target = &entry.target;
    let signature = Signature::of(entry.newest.as_ref().map(|run| &run.attestation));
    let plain = !signature.is_signed();
    let observed = &entry.observed_days;
    let shown = &observed.days[observed.days.len().saturating_sub(ROW_DAYS)..];
    let of = |kind: DayKind| {
        i64::try_from(shown.iter().filter(|day| day.kind == kind).count()).unwrap_or(i64::MAX)
    };
    let answered = of(DayKind::Answered);
    let counted = answered + of(DayKind::Unanswered);
    let stale = entry
        .newest
        .as_ref()
        .and_then(|run| target.tier.stale_hours(run.started_at_ms, now_ms))
        .map(|hours| text.with("stale", &[("hours", hours.into())]));
    Hit {
        href: text.link(&report_path(&target.slug)),
        name: Stranger(name(target)),
        endpoint: Stranger(target.url.clone()),
        signature: SignatureMark { text, signature },
        states: states(text, signature, entry.states),
        plain,
        strip: strip::strip(text, &observed.days, ROW_DAYS, !plain, &format!("m{place}")),
        days: if counted == 0 {
            text.t("directory-no-day")
        } else {
            text.with(
                "directory-days",
                &[("answered", answered.into()), ("counted", counted.into())],
            )
        },
        unchanged: entry
            .tools_unchanged
            .as_ref()
            .map(|unchanged| since(text, Some(unchanged))),
        tools: entry.matched_tools.iter().cloned().map(Stranger).collect(),
        observed: entry
            .newest
            .as_ref()
            .filter(|_| stale.is_none())
            .map(|run| text.minute(run.started_at_ms)),
        stale,
        first_run: entry
            .newest
            .is_none()
            .then(|| text.soon(target.next_slot_at_ms, now_ms)),
    }
}

fn next(text: Text, asked: &Asked, cursor: &str) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    if !asked.text.is_empty() {
        query.append_pair("q", &asked.text);
    }
    if !asked.signature.is_empty() {
        query.append_pair("sig", asked.signature);
    }
    query.append_pair("after", cursor);
    format!("{}?{}", text.link("/"), query.finish())
}
