//! `tool_description_hygiene`: do names or descriptions hold hidden characters,
//! or speak to the agent instead of the person?
//!
//! A signal and no verdict: intent cannot be inferred. A hit counts also on a
//! list that was not read to its end; the absence of one does not.

use touchstone_canonical::{JsonString, Value};

use super::no_list;
use crate::hygiene;
use crate::model::{Finding, HygieneHit, ToolNote};
use crate::reason::{Reason, ReasonKey};
use crate::view::{End, View};

/// Hits that are written down; all are counted.
pub(super) const HITS_SHOWN: usize = 200;

/// What the scan of all tools that were read gave.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    hits: usize,
    tools_hit: usize,
    pub(super) shown: Vec<HygieneHit>,
    pub(super) listed: Vec<ToolNote>,
}

impl Scanned {
    pub(super) fn of(tools: &[&Value]) -> Self {
        let mut scanned = Self::default();
        for (tool_index, tool) in tools.iter().enumerate() {
            let text = |key| tool.get(key).and_then(Value::as_string);
            let name = text("name")
                .map(JsonString::to_string_lossy)
                .unwrap_or_default();
            let description = text("description")
                .map(JsonString::to_string_lossy)
                .unwrap_or_default();
            let scan = hygiene::scan(&name, &description);
            let hits = scan.hits.len() + scan.dropped;
            scanned.hits += hits;
            scanned.tools_hit += usize::from(hits > 0);
            let tool = super::tools::shown_name(&name);
            for hit in scan.hits {
                if scanned.shown.len() < HITS_SHOWN {
                    scanned.shown.push(HygieneHit {
                        tool_index,
                        tool: tool.clone(),
                        field: hit.field.as_str(),
                        rule: hit.rule.as_str(),
                        family: hit.family.as_str(),
                        offset: hit.offset,
                        excerpt: hit.excerpt,
                    });
                }
            }
            scanned
                .listed
                .extend(scan.listed.iter().map(|listed| ToolNote {
                    tool_index,
                    tool: tool.clone(),
                    note: listed.kind(),
                }));
        }
        scanned
    }
}

pub(super) fn judge(view: &View<'_>, scanned: &Scanned) -> Finding {
    if scanned.hits > 0 {
        return Finding::risk(Reason::new(
            ReasonKey::HygieneHits,
            &[scanned.hits.into(), scanned.tools_hit.into()],
        ));
    }
    match &view.listing.end {
        End::Complete => Finding::verified(Reason::new(
            ReasonKey::HygieneNoHit,
            &[view.listing.tools.into()],
        )),
        // It read what there was to read.
        End::Incomplete(_) => no_list(view).ran(),
        _ => no_list(view),
    }
}
