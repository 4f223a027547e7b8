//! `error_taxonomy`: is the answer to a harmless mistake an error of the
//! protocol's shape?
//!
//! The mistake is a call of a tool that nobody has. Every JSON-RPC error object
//! fits, whatever its code: the specification shows one and prescribes none.

use touchstone_canonical::Value;
use touchstone_wire::jsonrpc::Answer;

use crate::model::Finding;
use crate::reason::{Reason, ReasonKey};
use crate::view::{End, Turn, View};

pub(super) fn judge(view: &View<'_>) -> Finding {
    // However the run went on: an answer would be that of a real tool.
    if view.listing.lists_probe_name {
        return Finding::blocked(ReasonKey::ProbeToolNameCollision);
    }
    match &view.listing.end {
        End::Complete => match view.call() {
            Some(call) => answered(view, call),
            None => Finding::blocked(view.unrun()),
        },
        // The name may belong to a tool that was not read.
        End::Incomplete(_) | End::Failed(_) => {
            Finding::blocked(ReasonKey::ProbeToolNameUnverifiable)
        }
        End::NotAsked(reason)
        | End::Gated(reason)
        | End::Edge(reason)
        | End::Unread(reason)
        | End::Broke(reason) => Finding::blocked(reason.clone()),
    }
}

fn answered(view: &View<'_>, call: &Turn<'_>) -> Finding {
    if let Some(reason) = view.rate_limited(call).or_else(|| call.broke()) {
        return Finding::errored(reason);
    }
    if let Some(reason) = call.edge() {
        return Finding::blocked(reason);
    }
    if let Some(reason) = call.unread() {
        return Finding::errored(reason);
    }
    let status = call.status().into();
    let shape = match call.answer() {
        Some(Answer::Error(error)) => match (error.code, &error.message) {
            (Some(code), Some(_)) => {
                let params = [status, code.into()];
                return Finding::verified(Reason::new(ReasonKey::ErrorShapeFits, &params));
            }
            (None, _) => Reason::new(ReasonKey::ErrorObjectMalformed, &[status, "code".into()]),
            (_, None) => Reason::new(ReasonKey::ErrorObjectMalformed, &[status, "message".into()]),
        },
        // Nothing of the protocol to classify, only a refusal of who is asking.
        _ if matches!(call.status(), 401 | 403) => {
            return Finding::blocked(call.credential_required());
        }
        Some(Answer::Result(result)) => {
            let is_error = result.get("isError").and_then(Value::as_bool) == Some(true);
            let key = if is_error {
                ReasonKey::ErrorAsResult
            } else {
                ReasonKey::ErrorAsSuccess
            };
            Reason::new(key, &[status])
        }
        None => Reason::new(ReasonKey::ErrorNotJsonrpc, &[status, call.content().into()]),
    };
    Finding::risk(shape)
}
