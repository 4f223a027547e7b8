//! Whether it is us: the state of our own prober by the rule that is told to
//! readers, what stands behind it, and the regions of the fleet.
//!
//! The rule knows two causes and no others. What else is wrong (a region in the
//! dark, a signer that is away) is said beside it and changes no state.

mod fleet;
mod prober;

use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};
use touchstone_words::Param;

pub(super) use self::fleet::{data as fleet_data, show as show_fleet};
use self::prober::{Prober, UNFINISHED_LIMIT, UNRECORDED_LIMIT};
use super::page::{Page, Place, answer};
use super::text::{Moment, Prose, Text};
use super::twin;
use crate::history::days::OBSERVED_DAYS;
use crate::signer::Isolation;
use crate::store::read::{RegionStatus, Status, StoreHealth};

/// Changes when a reader of the old shape would misread the new one.
const SHAPE: u32 = 1;

#[derive(Template)]
#[template(path = "status.html")]
struct StatusPage {
    page: Page,
    headline: Prose,
    causes: Vec<Prose>,
    dark: Option<Prose>,
    now: Moment,
    last: Option<Moment>,
    unfinished: Option<Moment>,
    signer: Prose,
    isolation: Prose,
    store: Prose,
    pending: Prose,
    oldest_pending: Option<Moment>,
    counts: Vec<(Prose, String)>,
    missed: Vec<(Prose, String)>,
    days: Prose,
}

pub(super) fn show(text: Text, status: &Status) -> Response {
    let prober = Prober::of(status);
    let mut page = Page::new(text, Place::Fleet, "/status", text.plain("status-title"));
    page.twin = Some("/status.json".to_owned());
    let template = StatusPage {
        page,
        headline: text.t(if prober.observes() {
            "status-observing"
        } else {
            "status-not-observing"
        }),
        causes: causes(text, &prober),
        dark: dark(text, status),
        now: text.moment(status.now_ms),
        last: status.last_result_at_ms.map(|ms| text.moment(ms)),
        unfinished: prober.unfinished_since_ms.map(|ms| text.moment(ms)),
        signer: text.t(if status.signer_reachable {
            "status-signer-reached"
        } else {
            "status-signer-away"
        }),
        isolation: text.t(match status.signer_isolation {
            Isolation::Full => "status-isolation-full",
            Isolation::Weak { .. } => "status-isolation-weak",
            Isolation::Unknown => "status-isolation-unknown",
        }),
        store: text.t(store_id(status.store)),
        pending: text.with("status-pending-runs", &[("count", number(status.pending))]),
        oldest_pending: status.oldest_pending_at_ms.map(|ms| text.moment(ms)),
        counts: [
            ("status-targets", status.targets),
            ("status-runs", status.runs),
            ("status-with-result", status.slots_with_result),
            ("status-conflicts", status.conflicts),
        ]
        .map(|(id, count)| (text.t(id), count.to_string()))
        .into(),
        missed: status
            .slots_missed
            .iter()
            .map(|(cause, count)| {
                let cause = text.t(&format!("missed-{}", cause.as_str()));
                (cause, count.to_string())
            })
            .collect(),
        days: text.with("status-days", &[("days", number(OBSERVED_DAYS as u64))]),
    };
    answer(text, StatusCode::OK, &template)
}

/// The machine twin of the page.
pub(super) fn data(status: &Status) -> Value {
    let prober = Prober::of(status);
    let missed = status.slots_missed.iter();
    json!({
        "shape": SHAPE,
        "as_of": twin::time(status.now_ms),
        "prober": {
            "state": if prober.observes() { "observing" } else { "not_observing" },
            "causes": prober.causes(),
            "unrecorded_after_s": UNRECORDED_LIMIT.as_secs(),
            "unfinished_after_s": UNFINISHED_LIMIT.as_secs(),
            "last_record_at": status.last_result_at_ms.map(twin::time),
            "unfinished_since": prober.unfinished_since_ms.map(twin::time),
        },
        "regions_without_agent": without_agent(status).map(|region| &region.region).collect::<Vec<_>>(),
        "signer": {
            "reachable": status.signer_reachable,
            "isolation": status.signer_isolation,
        },
        "store": status.store,
        "pending": {
            "runs": status.pending,
            "oldest_at": status.oldest_pending_at_ms.map(twin::time),
        },
        "targets": status.targets,
        "runs": status.runs,
        "conflicts": status.conflicts,
        "slots": {
            "days": OBSERVED_DAYS,
            "with_result": status.slots_with_result,
            "missed": missed.map(|(cause, count)| (cause.as_str().to_owned(), (*count).into()))
                .collect::<serde_json::Map<_, _>>(),
        },
    })
}

fn causes(text: Text, prober: &Prober) -> Vec<Prose> {
    let minutes = |limit: std::time::Duration| number(limit.as_secs() / 60);
    if prober.observes() {
        let limits = [
            ("record", minutes(UNRECORDED_LIMIT)),
            ("open", minutes(UNFINISHED_LIMIT)),
        ];
        return vec![text.with("status-observing-text", &limits)];
    }
    let unrecorded = prober.unrecorded.then(|| {
        text.with(
            "status-unrecorded",
            &[("minutes", minutes(UNRECORDED_LIMIT))],
        )
    });
    let unfinished = prober.unfinished.then(|| {
        text.with(
            "status-unfinished",
            &[("minutes", minutes(UNFINISHED_LIMIT))],
        )
    });
    unrecorded.into_iter().chain(unfinished).collect()
}

/// Regions in which agents are expected and none is connected.
fn without_agent(status: &Status) -> impl Iterator<Item = &RegionStatus> {
    let regions = status.regions.iter();
    regions.filter(|region| region.agents_connected == 0)
}

fn dark(text: Text, status: &Status) -> Option<Prose> {
    let names: Vec<String> = without_agent(status)
        .map(|region| text.region(&region.region))
        .collect();
    (!names.is_empty()).then(|| text.with("status-dark", &[("regions", text.list(&names).into())]))
}

fn store_id(store: StoreHealth) -> &'static str {
    match store {
        StoreHealth::Ok => "status-store-ok",
        StoreHealth::Locked => "status-store-locked",
        StoreHealth::Full => "status-store-full",
        StoreHealth::ReadOnly => "status-store-read_only",
        StoreHealth::Away => "status-store-away",
        StoreHealth::Failing => "status-store-failing",
    }
}

fn number(count: u64) -> Param {
    i64::try_from(count).unwrap_or(i64::MAX).into()
}
