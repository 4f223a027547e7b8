//! `toolset_fingerprint` and `schema_fingerprint`: can they be computed over
//! the whole list? Whether anything changed is another check's question. The
//! fingerprint of full definitions is no check's: it is a fact beside them.

use touchstone_canonical::projection::{self, Fingerprint, ProjectionRefusal};
use touchstone_canonical::{RefusalKind, Value};

use super::no_list;
use crate::model::Finding;
use crate::reason::{Reason, ReasonKey};
use crate::view::{End, View, too_deep};

/// The fingerprints of a complete list, or why there is none.
#[derive(Debug)]
pub(super) struct Fingerprints {
    pub(super) toolset: Result<Fingerprint, ProjectionRefusal>,
    pub(super) schema: Result<Fingerprint, ProjectionRefusal>,
    pub(super) definition: Result<Fingerprint, ProjectionRefusal>,
}

impl Fingerprints {
    /// `None` without a complete list: nothing is computed over a part.
    pub(super) fn of(view: &View<'_>) -> Option<Self> {
        if !matches!(view.listing.end, End::Complete) {
            return None;
        }
        let tools = view.tools();
        Some(Self {
            toolset: projection::toolset_fingerprint(&tools),
            schema: projection::schema_fingerprint(&tools),
            definition: projection::definition_fingerprint(&tools),
        })
    }

    /// Where a value stands that has no canonical form.
    pub(super) fn not_canonical(&self) -> Option<String> {
        let refusals =
            [&self.toolset, &self.schema, &self.definition].map(|one| one.as_ref().err());
        refusals
            .into_iter()
            .flatten()
            .find_map(|refusal| match refusal {
                ProjectionRefusal::NotCanonical { refusal, .. } => Some(refusal.path.clone()),
                _ => None,
            })
    }
}

pub(super) fn toolset(view: &View<'_>, fingerprints: Option<&Fingerprints>) -> Finding {
    judge(view, fingerprints.map(|both| &both.toolset))
}

pub(super) fn schema(view: &View<'_>, fingerprints: Option<&Fingerprints>) -> Finding {
    judge(view, fingerprints.map(|both| &both.schema))
}

fn judge(view: &View<'_>, computed: Option<&Result<Fingerprint, ProjectionRefusal>>) -> Finding {
    match computed {
        None => no_list(view),
        Some(Ok(_)) => Finding::verified(Reason::new(
            ReasonKey::FingerprintComputed,
            &[view.listing.tools.into()],
        )),
        Some(Err(ProjectionRefusal::MissingInputSchema { .. })) => {
            let missing = |tool: &&&Value| tool.get("inputSchema").is_none();
            let count = view.tools().iter().filter(missing).count();
            Finding::failed(Reason::new(ReasonKey::InputSchemaMissing, &[count.into()]))
        }
        Some(Err(refusal)) if is_too_deep(refusal) => Finding::errored(too_deep()),
        Some(Err(refusal)) => Finding::failed(refused(refusal)),
    }
}

/// Why there is no fingerprint over this list.
pub(super) fn refused(refusal: &ProjectionRefusal) -> Reason {
    if is_too_deep(refusal) {
        return too_deep();
    }
    Reason::new(
        ReasonKey::FingerprintNotCanonical,
        &[refusal.as_str().into(), refusal.tool_index().into()],
    )
}

/// A bound of ours, and no fault of the list.
fn is_too_deep(refusal: &ProjectionRefusal) -> bool {
    matches!(refusal, ProjectionRefusal::NotCanonical { refusal, .. } if refusal.kind == RefusalKind::Depth)
}
