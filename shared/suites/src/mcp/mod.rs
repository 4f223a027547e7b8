//! The suite `mcp`: fifteen checks over one observation.
//!
//! Every check says exactly one thing about every run. One that did not come to
//! run says what ended the run; one that did keeps its result whatever came
//! after. What is our own fault (resolver, policy, agent) is never FAILED.

mod auth_metadata;
mod definition;
mod detail;
mod documents;
mod drift;
mod error_taxonomy;
mod fingerprints;
mod handshake;
mod hygiene;
mod latency_profile;
mod redirect_policy;
mod signing;
mod tls_certificate;
mod tools;
mod tools_list;

use touchstone_proto::Recorded;

use crate::model::{Assertion, Evaluation, Finding, Revisions, Signing, ToolList};
use crate::reason::ReasonKey;
use crate::registry::{CHECKS, CheckId};
use crate::view::{End, View};
use fingerprints::Fingerprints;
use hygiene::Scanned;

/// What an observation says, held against the approved release if there is one.
///
/// A pure function: the same observation gives the same evaluation on any
/// machine at any time.
pub fn evaluate(recorded: &Recorded, baseline: Option<&Recorded>) -> Evaluation {
    let view = View::new(recorded);
    let approved = baseline.map(View::new);
    let fingerprints = Fingerprints::of(&view);
    let scanned = Scanned::of(&view.tools());
    let mut comparison = drift::compare(&view, approved.as_ref());
    let signing = signing::decide(&view);
    let (definition, redefined) =
        definition::compare(signing, fingerprints.as_ref(), approved.as_ref());
    comparison.redefined(redefined);

    let finding = |check| match check {
        CheckId::Reachability => handshake::reachability(&view),
        CheckId::TransportType => handshake::transport_type(&view),
        CheckId::ProtocolRevision => handshake::protocol_revision(&view),
        CheckId::DiscoveryHandshake => handshake::discovery_handshake(&view),
        CheckId::ToolsList => tools_list::judge(&view),
        CheckId::ToolsetFingerprint => fingerprints::toolset(&view, fingerprints.as_ref()),
        CheckId::SchemaFingerprint => fingerprints::schema(&view, fingerprints.as_ref()),
        CheckId::ErrorTaxonomy => error_taxonomy::judge(&view),
        CheckId::LatencyProfile => latency_profile::judge(&view),
        CheckId::AuthMetadata => auth_metadata::judge(&view),
        CheckId::TlsCertificate => tls_certificate::judge(&view),
        CheckId::RedirectPolicy => redirect_policy::judge(&view),
        CheckId::ToolDescriptionHygiene => hygiene::judge(&view, &scanned),
        CheckId::ToolsetUnchangedVsApproved => comparison.toolset.clone(),
        CheckId::SchemaUnchangedVsApproved => comparison.schema.clone(),
    };
    let assertions = CHECKS
        .iter()
        .map(|spec| {
            let finding = finding(spec.id);
            match signing {
                Signing::Limited => assertion(spec.id, signing::limit(spec.id, finding)),
                Signing::Full | Signing::None(_) => assertion(spec.id, finding),
            }
        })
        .collect();

    let complete = matches!(view.listing.end, End::Complete);
    let digest = |which: fn(&Fingerprints) -> Option<String>| fingerprints.as_ref().and_then(which);
    Evaluation {
        assertions,
        signing,
        revisions: match signing {
            Signing::Limited => Revisions {
                offered: detail::revisions(&view).offered,
                ..Revisions::default()
            },
            Signing::Full | Signing::None(_) => detail::revisions(&view),
        },
        tools: complete.then_some(ToolList {
            count: view.listing.tools,
            pages: view.listing.pages.len(),
        }),
        toolset_fingerprint: digest(|both| Some(both.toolset.as_ref().ok()?.digest.clone())),
        schema_fingerprint: digest(|both| Some(both.schema.as_ref().ok()?.digest.clone())),
        definition,
        challenge: match signing {
            Signing::Limited => signing::challenge_facts(&view),
            Signing::Full | Signing::None(_) => None,
        },
        detail: detail::detail(&view, signing, fingerprints.as_ref(), scanned, comparison),
    }
}

fn assertion(check: CheckId, finding: Finding) -> Assertion {
    Assertion {
        check,
        state: finding.state,
        execution: finding.execution,
        reason: finding.reason,
    }
}

/// Why a check that needs the whole list cannot run.
fn no_list(view: &View<'_>) -> Finding {
    let reason = view.listing.missing();
    Finding::blocked(reason.unwrap_or_else(|| ReasonKey::NotRecorded.into()))
}
