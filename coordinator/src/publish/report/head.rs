//! The head of a report: what, where, when, and whether it is signed.

use touchstone_words::Param;

use super::Reading;
use crate::publish::marks::Signature;
use crate::publish::method;
use crate::publish::stranger::Stranger;
use crate::publish::text::{Moment, Prose, Text};
use crate::store::read::{Attestation, TargetView};
use crate::targets::Tier;

#[derive(Debug)]
pub(in crate::publish) struct Head {
    pub(in crate::publish) seal: &'static str,
    pub(in crate::publish) name: Stranger,
    pub(in crate::publish) endpoint_label: Prose,
    pub(in crate::publish) endpoint: Stranger,
    pub(in crate::publish) endpoint_note: Prose,
    pub(in crate::publish) observed: Option<(Moment, Prose)>,
    pub(in crate::publish) cadence: Prose,
    pub(in crate::publish) cadence_note: Prose,
    pub(in crate::publish) seal_title: Prose,
    pub(in crate::publish) seal_text: Prose,
    /// Where the reasons for not signing are listed.
    pub(in crate::publish) why: Option<String>,
    /// Of a run that is signed.
    pub(in crate::publish) evidence: Option<String>,
}

impl Head {
    pub(super) fn of(reading: &Reading<'_>) -> Self {
        let text = reading.text;
        let target = &reading.report.target;
        let run = reading.run().map(|run| &run.run);
        let signed = reading.signature.is_signed() && reading.predicate.is_some();
        Self {
            seal: reading.signature.seal(),
            name: Stranger(name(target)),
            endpoint_label: text.t(if run.is_some() {
                "head-endpoint-run"
            } else {
                "head-endpoint"
            }),
            endpoint: Stranger(reading.endpoint().to_owned()),
            endpoint_note: text.t(if signed {
                "head-from-payload"
            } else {
                "head-from-record"
            }),
            observed: run.map(|run| {
                let region = text.region(&run.region);
                (
                    text.moment(run.started_at_ms),
                    text.with("head-region", &[("region", region.into())]),
                )
            }),
            cadence: text.with(
                "head-every",
                &[("cadence", cadence(text, target.tier).into())],
            ),
            cadence_note: text.with(
                &format!("head-tier-{}", target.tier.as_str()),
                &[(
                    "next",
                    text.soon(target.next_slot_at_ms, reading.now_ms)
                        .shown
                        .into(),
                )],
            ),
            seal_title: text.t(&format!("signature-{}", reading.signature.as_str())),
            seal_text: seal_text(reading),
            why: (reading.signature == Signature::None)
                .then(|| method::unsigned(text, reading.unsigned_reason()?))
                .flatten(),
            evidence: run
                .filter(|_| reading.signature.is_signed())
                .map(|run| text.link(&format!("/evidence/{}", run.run_id))),
        }
    }
}

/// What a target is called: where it is, since it has no other name that we
/// could stand for. Its path is left out where it is the usual one.
pub(in crate::publish) fn name(target: &TargetView) -> String {
    let url = target.url.split(['?', '#']).next().unwrap_or_default();
    let place = url.split_once("://").map_or(url, |(_, place)| place);
    match place.split_once('/') {
        None | Some((_, "" | "mcp")) => target.host.clone(),
        Some(_) => place.to_owned(),
    }
}

/// `12 h`, `15 min`.
pub(in crate::publish) fn cadence(text: Text, tier: Tier) -> String {
    let minutes = tier.cadence().as_secs() / 60;
    let (id, number) = if minutes.is_multiple_of(60) {
        ("cadence-hours", minutes / 60)
    } else {
        ("cadence-minutes", minutes)
    };
    let number = Param::from(i64::try_from(number).unwrap_or(i64::MAX));
    text.plain_with(id, &[("number", number)])
}

fn seal_text(reading: &Reading<'_>) -> Prose {
    let text = reading.text;
    match reading.signature {
        Signature::Full | Signature::Limited if reading.predicate.is_none() => {
            text.t("seal-unknown-schema")
        }
        Signature::Full => text.t("seal-full"),
        Signature::Limited => text.t("seal-limited"),
        Signature::Unobserved => text.t("seal-unobserved"),
        Signature::Pending => {
            let tried = reading.run().is_some_and(|run| {
                matches!(run.run.attestation, Attestation::Pending { attempts } if attempts > 0)
            });
            text.t(if tried {
                "seal-pending-tried"
            } else {
                "seal-pending"
            })
        }
        Signature::None => {
            let key = reading.unsigned_reason().unwrap_or_default();
            let why = touchstone_words::signing(text.0, key);
            let with_key = text.with("seal-none", &[("why", why.into()), ("key", key.into())]);
            with_key.then(text.0, &text.t("seal-none-page"))
        }
    }
}
