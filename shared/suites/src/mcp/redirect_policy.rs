//! `redirect_policy`: no redirect leads to another host.
//!
//! Seen on any exchange, followed or not, and kept also when the run stopped
//! afterwards. Says nothing about the host that was named.

use crate::model::Finding;
use crate::reason::{Reason, ReasonKey};
use crate::view::{Destination, View};

pub(super) fn judge(view: &View<'_>) -> Finding {
    if view
        .turns
        .iter()
        .all(|turn| turn.exchange.response.is_none())
    {
        return match view.stop() {
            Some(reason) => Finding::blocked(reason),
            None => Finding::skipped(ReasonKey::NothingExchanged),
        };
    }
    let seen: Vec<(bool, Destination)> = view
        .turns
        .iter()
        .filter_map(|turn| Some((turn.is_metadata(), turn.redirect()?)))
        .collect();
    let across = |metadata: bool| {
        seen.iter()
            .filter(|(on, to)| *on == metadata && *to == Destination::OtherHost)
            .count()
    };
    let (on, count) = match (across(false), across(true)) {
        (0, 0) => {
            return Finding::verified(Reason::new(
                ReasonKey::NoCrossHostRedirect,
                &[seen.len().into()],
            ));
        }
        (endpoint, 0) => ("endpoint", endpoint),
        (0, metadata) => ("metadata", metadata),
        (endpoint, metadata) => ("both", endpoint + metadata),
    };
    Finding::risk(Reason::new(
        ReasonKey::CrossHostRedirect,
        &[count.into(), on.into()],
    ))
}
