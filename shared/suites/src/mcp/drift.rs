//! `toolset_unchanged_vs_approved` and `schema_unchanged_vs_approved`: is the
//! run's tool list still the one that the owner approved?
//!
//! Only with an approved release to compare with. Tools are matched by their
//! canonical name and a rename is never guessed: it is one tool gone and one
//! come. The schema check compares tool by tool what both lists hold; what was
//! added or removed is the other check's.

use std::collections::{BTreeMap, BTreeSet};

use touchstone_canonical::difference::differences;
use touchstone_canonical::{Value, canonicalize_value};

use super::no_list;
use super::tools::shown_name;
use crate::model::{Difference, Drift, Finding, Redefined, SchemaDrift};
use crate::reason::{Reason, ReasonKey};
use crate::view::{End, View};

/// Names, and tools with their differences, that are written down; all count.
const SHOWN: usize = 200;

/// Both findings, and what differs.
#[derive(Debug)]
pub(super) struct Comparison {
    pub(super) toolset: Finding,
    pub(super) schema: Finding,
    pub(super) drift: Option<Drift>,
}

pub(super) fn compare(run: &View<'_>, approved: Option<&View<'_>>) -> Comparison {
    let Some(approved) = approved else {
        return Comparison::of(Finding::skipped(ReasonKey::NoApprovedBaseline));
    };
    if !matches!(run.listing.end, End::Complete) {
        return Comparison::of(no_list(run));
    }
    if !matches!(approved.listing.end, End::Complete) {
        return Comparison::of(Finding::blocked(ReasonKey::BaselineUnusable));
    }
    let (run, approved) = (run.tools(), approved.tools());
    match (by_name(&run), by_name(&approved)) {
        (Some(run), Some(approved)) => compared(&run, &approved),
        (None, _) => Comparison::of(unavailable("run")),
        (_, None) => Comparison::of(unavailable("baseline")),
    }
}

impl Comparison {
    fn of(both: Finding) -> Self {
        Self {
            toolset: both.clone(),
            schema: both,
            drift: None,
        }
    }

    /// Puts down beside it what differs and is compared by no check.
    pub(super) fn redefined(&mut self, redefined: Vec<Redefined>) {
        if !redefined.is_empty() {
            self.drift.get_or_insert_default().redefined = redefined;
        }
    }
}

/// The tools of one list under one canonical name.
#[derive(Debug, Default)]
struct Same<'v> {
    tools: usize,
    /// Canonical text of each schema, `None` for a tool without one, and the
    /// schema itself.
    schemas: BTreeMap<Option<String>, Option<&'v Value>>,
    /// A schema has no canonical form.
    unreadable: bool,
}

type ByName<'v> = BTreeMap<String, Same<'v>>;

/// `None`: a name has no canonical form.
fn by_name<'v>(tools: &[&'v Value]) -> Option<ByName<'v>> {
    let mut by_name = ByName::new();
    for tool in tools {
        let name = canonicalize_value(tool.get("name")?).ok()?;
        let same = by_name.entry(name.as_str().to_owned()).or_default();
        same.tools += 1;
        match tool.get("inputSchema") {
            None => _ = same.schemas.insert(None, None),
            Some(schema) => match canonicalize_value(schema) {
                Ok(text) => {
                    _ = same
                        .schemas
                        .insert(Some(text.as_str().to_owned()), Some(schema));
                }
                Err(_) => same.unreadable = true,
            },
        }
    }
    Some(by_name)
}

fn compared(run: &ByName<'_>, approved: &ByName<'_>) -> Comparison {
    let added = beyond(run, approved);
    let removed = beyond(approved, run);
    let tools = run.values().map(|same| same.tools).sum::<usize>();
    let toolset = if added.is_empty() && removed.is_empty() {
        Finding::verified(Reason::new(ReasonKey::ToolsetUnchanged, &[tools.into()]))
    } else {
        Finding::failed(Reason::new(
            ReasonKey::ToolsetChanged,
            &[added.len().into(), removed.len().into()],
        ))
    };

    let both: Vec<_> = run
        .iter()
        .filter_map(|(name, run)| Some((name, run, approved.get(name)?)))
        .collect();
    let changed: Vec<_> = both
        .iter()
        .filter(|(_, run, approved)| {
            let texts = |same: &Same<'_>| same.schemas.keys().cloned().collect::<BTreeSet<_>>();
            !run.unreadable && !approved.unreadable && texts(run) != texts(approved)
        })
        .collect();
    let schema = if !changed.is_empty() {
        Finding::failed(Reason::new(
            ReasonKey::SchemasChanged,
            &[changed.len().into(), both.len().into()],
        ))
    } else if both.iter().any(|(_, run, _)| run.unreadable) {
        unavailable("run")
    } else if both.iter().any(|(_, _, approved)| approved.unreadable) {
        unavailable("baseline")
    } else {
        Finding::verified(Reason::new(
            ReasonKey::SchemasUnchanged,
            &[both.len().into()],
        ))
    };
    let drift = Drift {
        changed: changed
            .iter()
            .take(SHOWN)
            .map(|(name, run, approved)| schema_drift(name, run, approved))
            .collect(),
        added: shown(added),
        removed: shown(removed),
        redefined: Vec::new(),
    };
    Comparison {
        toolset,
        schema,
        drift: (drift != Drift::default()).then_some(drift),
    }
}

/// Names that the one list has more often than the other, once for each time.
fn beyond<'n>(one: &'n ByName<'_>, other: &ByName<'_>) -> Vec<&'n str> {
    one.iter()
        .flat_map(|(name, same)| {
            let others = other.get(name).map_or(0, |same| same.tools);
            std::iter::repeat_n(name.as_str(), same.tools.saturating_sub(others))
        })
        .collect()
}

fn schema_drift(name: &str, run: &Same<'_>, approved: &Same<'_>) -> SchemaDrift {
    // Of tools that share a name, the first schema that the other side lacks.
    let news = |one: &Same<'_>, other: &Same<'_>| {
        one.schemas
            .iter()
            .find(|(text, _)| !other.schemas.contains_key(*text))
            .or_else(|| one.schemas.iter().next())
            .and_then(|(_, schema)| schema.cloned())
    };
    let (observed, approved) = (news(run, approved), news(approved, run));
    let (differences, truncated) = differences(approved.as_ref(), observed.as_ref());
    SchemaDrift {
        tool: plain(name),
        differences: differences.into_iter().map(Difference::from).collect(),
        truncated,
    }
}

fn shown(names: Vec<&str>) -> Vec<String> {
    names.into_iter().take(SHOWN).map(plain).collect()
}

/// A name out of its canonical text.
fn plain(canonical: &str) -> String {
    let name = touchstone_canonical::read(canonical.as_bytes()).ok();
    let name = name.as_ref().and_then(Value::as_str).unwrap_or(canonical);
    shown_name(name)
}

fn unavailable(side: &'static str) -> Finding {
    Finding::inconclusive(Reason::new(
        ReasonKey::ComparisonUnavailable,
        &[side.into()],
    ))
}
