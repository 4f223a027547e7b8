//! How a server's tool list changed: a page of its own, and the newest changes
//! on a report. What changed is a recorded fact and has no state; only an
//! approved baseline makes it one. All names and values are the server's text.

mod entry;

use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};
use touchstone_words::Param;

pub(super) use self::entry::Entry;
use super::limits::HISTORY_ROWS_LIMIT;
use super::page::{Page, Place, answer};
use super::report::name;
use super::stranger::Stranger;
use super::strip;
use super::text::{Prose, Text};
use super::twin;
use crate::history::changes::Unchanged;
use crate::history::days::{date_of, day_of};
use crate::store::read::{ToolChange, ToolChanges, ToolHistory};
use crate::targets::{changes_path, report_path};

#[derive(Template)]
#[template(path = "changes.html")]
struct ChangesPage {
    page: Page,
    name: Stranger,
    report: String,
    endpoint: Stranger,
    count: String,
    since: Prose,
    kept: Option<Prose>,
    none: Prose,
    entries: Vec<Entry>,
    older: Option<String>,
}

pub(super) fn show(text: Text, history: &ToolHistory, before_ms: Option<i64>) -> Response {
    let target = &history.target;
    let path = changes_path(&target.slug);
    let title = text.plain_with("changes-title", &[("name", name(target).into())]);
    let mut page = Page::new(text, Place::BelowServers, &path, title);
    page.twin = Some(format!("{}.json", text.link(&path)));
    if let Some(before_ms) = before_ms {
        page.path = format!("{path}?before={before_ms}");
    }
    let older = history.changes.next_ms;
    let template = ChangesPage {
        name: Stranger(name(target)),
        report: text.link(&report_path(&target.slug)),
        endpoint: Stranger(target.url.clone()),
        count: history.changes.total.to_string(),
        since: since(text, history.unchanged.as_ref()),
        kept: kept(text, &history.changes),
        none: none(text, &history.changes),
        entries: entries(text, &target.slug, &history.changes.changes),
        older: older.map(|before_ms| format!("{}?before={before_ms}", text.link(&path))),
        page,
    };
    answer(text, StatusCode::OK, &template)
}

/// Since when the list is the same, as a lower bound.
pub(super) fn since(text: Text, unchanged: Option<&Unchanged>) -> Prose {
    let Some(unchanged) = unchanged else {
        return text.t("changes-no-list");
    };
    let id = if unchanged.changed {
        "changes-last"
    } else {
        "changes-first"
    };
    text.with(
        id,
        &[
            ("since", strip::day(text, &unchanged.since).into()),
            ("days", Param::from(i64::from(unchanged.days))),
        ],
    )
}

/// From when on changes are listed, where runs are pruned.
pub(super) fn kept(text: Text, changes: &ToolChanges) -> Option<Prose> {
    let from = changes.kept_from_ms.map(|ms| kept_day(text, ms))?;
    Some(text.with("changes-kept", &[("since", from.into())]))
}

/// That no change is listed.
fn none(text: Text, changes: &ToolChanges) -> Prose {
    match changes.kept_from_ms.map(|ms| kept_day(text, ms)) {
        Some(from) => text.with("changes-none-kept", &[("since", from.into())]),
        None => text.t("changes-none"),
    }
}

fn kept_day(text: Text, ms: i64) -> String {
    strip::day(text, &date_of(day_of(ms)).to_string())
}

/// The entries of one page share its rows.
pub(super) fn entries(text: Text, slug: &str, changes: &[ToolChange]) -> Vec<Entry> {
    let mut left = HISTORY_ROWS_LIMIT;
    changes
        .iter()
        .map(|change| Entry::new(text, slug, change, &mut left))
        .collect()
}

/// The machine twin of the page.
pub(super) fn data(history: &ToolHistory) -> Value {
    let changes = &history.changes;
    json!({
        "shape": 1,
        "target": {
            "id": history.target.target_id,
            "slug": history.target.slug,
            "url": history.target.url,
        },
        "tools_unchanged": history.unchanged,
        // Between runs from here on: earlier ones are pruned. Null: between all.
        "changes_from": changes.kept_from_ms.map(twin::time),
        "change_count": changes.total,
        "changes": changes.changes.iter().map(change).collect::<Vec<_>>(),
        // For `?before=`, when there are older ones.
        "next_before": changes.next_ms,
    })
}

/// One change, for machines.
pub(super) fn change(change: &ToolChange) -> Value {
    let (seen, what) = (&change.seen, change.what.as_ref());
    json!({
        "first_seen_at": twin::time(seen.at_ms),
        "run": seen.run_id,
        "region": seen.region,
        "definition_fingerprint": seen.fingerprint,
        "before": {
            "last_seen_at": twin::time(seen.before_at_ms),
            "run": seen.before_run_id,
            "definition_fingerprint": seen.before_fingerprint,
        },
        // Runs between the two that read no whole list and say nothing of it.
        "runs_without_a_list_between": seen.unread,
        // Null: a list was too long to be kept. Text of the server's own.
        "changes": what.map(|what| what.changes.iter().map(|change| json!({
            "tool": change.tool,
            "part": change.part.as_str(),
            "classes": change.classes.iter().map(|class| class.as_str()).collect::<Vec<_>>(),
            "differences": change.differences.iter().map(|difference| json!({
                "path": difference.path,
                "before": difference.before,
                "after": difference.after,
            })).collect::<Vec<_>>(),
            "truncated": change.truncated,
        })).collect::<Vec<_>>()),
        "more": what.map(|what| what.more),
    })
}
