//! One change of a tool list as pages show it: when, between which runs, and a
//! row for each place that differs, as far as the page has rows left.

use touchstone_canonical::change::{Change, Part};
use touchstone_canonical::difference::Difference;

use crate::publish::stranger::Stranger;
use crate::publish::text::{Moment, Prose, Text};
use crate::store::read::ToolChange;
use crate::targets::run_path;

#[derive(Debug)]
pub(in crate::publish) struct Entry {
    /// Names the entry in links.
    pub(in crate::publish) anchor: String,
    pub(in crate::publish) seen: Moment,
    pub(in crate::publish) run: String,
    pub(in crate::publish) before: Moment,
    pub(in crate::publish) before_run: String,
    pub(in crate::publish) region: String,
    /// Runs between the two say nothing of the list.
    pub(in crate::publish) gap: Option<Prose>,
    /// How many changes of each kind.
    pub(in crate::publish) summary: Vec<Prose>,
    pub(in crate::publish) rows: Vec<Row>,
    pub(in crate::publish) more: Option<Prose>,
    /// The list as it was, and as it became.
    pub(in crate::publish) fingerprints: [String; 2],
}

/// One place that differs.
#[derive(Debug)]
pub(in crate::publish) struct Row {
    pub(in crate::publish) tool: Stranger,
    pub(in crate::publish) what: Prose,
    pub(in crate::publish) classes: Vec<Prose>,
    pub(in crate::publish) path: Option<Stranger>,
    pub(in crate::publish) before: Option<Stranger>,
    pub(in crate::publish) after: Option<Stranger>,
    /// The record holds no more places than those shown.
    pub(in crate::publish) cut: bool,
}

/// In the order in which a summary counts them.
const PARTS: [Part; 7] = [
    Part::Added,
    Part::Removed,
    Part::Description,
    Part::Title,
    Part::Annotations,
    Part::InputSchema,
    Part::OutputSchema,
];

impl Entry {
    /// Takes its rows from those that the page has left.
    pub(super) fn new(text: Text, slug: &str, change: &ToolChange, left: &mut usize) -> Self {
        let seen = &change.seen;
        let unread = i64::try_from(seen.unread).unwrap_or(i64::MAX);
        let link = |run: &str| text.link(&run_path(slug, run));
        let mut entry = Self {
            anchor: format!("change-{}", seen.at_ms),
            seen: text.minute(seen.at_ms),
            run: link(&seen.run_id),
            before: text.minute(seen.before_at_ms),
            before_run: link(&seen.before_run_id),
            region: text.region(&seen.region),
            gap: (unread > 0).then(|| text.with("changes-gap", &[("count", unread.into())])),
            summary: Vec::new(),
            rows: Vec::new(),
            more: None,
            fingerprints: [seen.before_fingerprint.clone(), seen.fingerprint.clone()],
        };
        let Some(what) = &change.what else {
            entry.summary.push(text.t("changes-not-kept"));
            return entry;
        };
        let mut shown = 0;
        for change in &what.changes {
            let rows = rows(text, change, *left);
            if rows.is_empty() {
                break;
            }
            *left -= rows.len();
            shown += 1;
            entry.rows.extend(rows);
        }
        entry.more = text.more("changes-more", what.count(), shown);
        entry.summary = PARTS
            .into_iter()
            .filter_map(|part| {
                let count = what.changes.iter().filter(|change| change.part == part);
                let count = i64::try_from(count.count()).unwrap_or(i64::MAX);
                let id = format!("changes-count-{}", dashed(part.as_str()));
                (count > 0).then(|| text.with(&id, &[("count", count.into())]))
            })
            .collect();
        entry
    }
}

/// At most `left` of them.
fn rows(text: Text, change: &Change, left: usize) -> Vec<Row> {
    let row = |difference: Option<&Difference>| {
        let shown = |value: Option<&String>| value.map(|value| Stranger(value.clone()));
        Row {
            tool: Stranger(change.tool.clone()),
            what: text.t(&format!("changes-part-{}", dashed(change.part.as_str()))),
            classes: change
                .classes
                .iter()
                .map(|class| text.t(&format!("changes-class-{}", dashed(class.as_str()))))
                .collect(),
            path: shown(difference.map(|found| &found.path)),
            before: shown(difference.and_then(|found| found.before.as_ref())),
            after: shown(difference.and_then(|found| found.after.as_ref())),
            cut: false,
        }
    };
    if change.differences.is_empty() {
        return (left > 0).then(|| row(None)).into_iter().collect();
    }
    let mut rows: Vec<_> = change
        .differences
        .iter()
        .take(left)
        .map(Some)
        .map(row)
        .collect();
    let cut = change.truncated || rows.len() < change.differences.len();
    if let Some(last) = rows.last_mut() {
        last.cut = cut;
    }
    rows
}

/// Ids of texts have dashes where words of ours have low lines.
fn dashed(word: &str) -> String {
    word.replace('_', "-")
}
