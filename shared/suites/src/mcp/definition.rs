//! The fingerprint over full definitions, beside that of the approved release:
//! a fact that no check judges, so that a description which changed alone does
//! not pass unseen.

use touchstone_canonical::change::{Part, ToolList, changes};
use touchstone_canonical::projection::{Fingerprint, definition_fingerprint};

use super::fingerprints::{Fingerprints, refused};
use super::tools::shown_name;
use crate::model::{Definition, Difference, Redefined, Signing};
use crate::view::{End, View};

/// The fact, and what no check compares of the parts that differ.
pub(super) fn compare(
    signing: Signing,
    run: Option<&Fingerprints>,
    approved: Option<&View<'_>>,
) -> (Definition, Vec<Redefined>) {
    // Of a run behind the sign-in wall nothing of a list is said.
    let Some(run) = run.filter(|_| signing != Signing::Limited) else {
        return (Definition::default(), Vec::new());
    };
    let baseline = approved.and_then(of_baseline);
    let list = run.definition.as_ref().ok().cloned();
    let redefined = match (&baseline, &list) {
        (Some(baseline), Some(list)) if baseline.digest != list.digest => redefined(baseline, list),
        _ => Vec::new(),
    };
    let definition = Definition {
        list,
        refusal: run.definition.as_ref().err().map(refused),
        baseline: baseline.map(|baseline| baseline.digest),
    };
    (definition, redefined)
}

fn of_baseline(approved: &View<'_>) -> Option<Fingerprint> {
    let complete = matches!(approved.listing.end, End::Complete);
    let tools = complete.then(|| approved.tools())?;
    definition_fingerprint(&tools).ok()
}

/// A list that is too long to be read again has a fingerprint and no differences.
fn redefined(approved: &Fingerprint, run: &Fingerprint) -> Vec<Redefined> {
    let lists = [approved, run].map(|list| ToolList::read(list.canonical.as_bytes()));
    let [Ok(approved), Ok(run)] = lists else {
        return Vec::new();
    };
    let unjudged = |part| !matches!(part, Part::Added | Part::Removed | Part::InputSchema);
    changes(&approved, &run)
        .changes
        .into_iter()
        .filter(|change| unjudged(change.part))
        .map(|change| Redefined {
            tool: shown_name(&change.tool),
            part: change.part.as_str(),
            differences: change
                .differences
                .into_iter()
                .map(Difference::from)
                .collect(),
            truncated: change.truncated,
        })
        .collect()
}
