//! The newest changes of the tool list, on the way to all of them.

use askama::Template;
use touchstone_words::Param;

use super::Reading;
use crate::publish::changes::{Entry, entries, kept, since};
use crate::publish::text::{Prose, Text};
use crate::targets::changes_path;

#[derive(Template)]
#[template(path = "section/changes.html")]
struct Changed {
    text: Text,
    since: Prose,
    kept: Option<Prose>,
    entries: Vec<Entry>,
    href: String,
    all: Prose,
}

pub(super) fn changed(reading: &Reading<'_>) -> Result<String, askama::Error> {
    let (text, report) = (reading.text, reading.report);
    let slug = &report.target.slug;
    let total = i64::try_from(report.tool_changes.total).unwrap_or(i64::MAX);
    Changed {
        text,
        since: since(text, report.tools_unchanged.as_ref()),
        kept: kept(text, &report.tool_changes),
        entries: entries(text, slug, &report.tool_changes.changes),
        href: text.link(&changes_path(slug)),
        all: text.with("changes-all", &[("count", Param::from(total))]),
    }
    .render()
}
