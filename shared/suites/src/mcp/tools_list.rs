//! `tools_list`: can the list be had, and is it one?
//!
//! Judged on the first page when a later one cannot be read. Says nothing about
//! whether the tools work: none of them is ever called.

use crate::model::Finding;
use crate::reason::{Reason, ReasonKey};
use crate::view::{End, View};

pub(super) fn judge(view: &View<'_>) -> Finding {
    let listing = &view.listing;
    match &listing.end {
        End::Complete => Finding::verified(Reason::new(
            ReasonKey::ToolsListed,
            &[listing.tools.into(), listing.pages.len().into()],
        )),
        End::Incomplete(cause) => Finding::verified(Reason::new(
            ReasonKey::ToolsListedInPart,
            &listing.counts(cause),
        )),
        End::Failed(reason) => Finding::failed(reason.clone()),
        End::Unread(reason) | End::Broke(reason) => Finding::errored(reason.clone()),
        End::NotAsked(reason) | End::Gated(reason) | End::Edge(reason) => {
            Finding::blocked(reason.clone())
        }
    }
}
