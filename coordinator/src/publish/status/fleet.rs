//! The regions of the fleet: who is there, what waits, what came last.

use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::{SHAPE, dark};
use crate::publish::page::{Page, Place, answer};
use crate::publish::text::{Moment, Prose, Text};
use crate::publish::twin;
use crate::store::read::{RegionStatus, Status};

#[derive(Template)]
#[template(path = "fleet.html")]
struct FleetPage {
    page: Page,
    now: Moment,
    dark: Option<Prose>,
    rows: Vec<Row>,
}

struct Row {
    name: String,
    /// Where the name is not the code itself.
    code: Option<String>,
    connected: u32,
    enrolled: u32,
    queued: u32,
    leased: u32,
    oldest_lease: Option<Moment>,
    last_result: Option<Moment>,
}

pub(in crate::publish) fn show(text: Text, status: &Status) -> Response {
    let mut page = Page::new(text, Place::Fleet, "/fleet", text.plain("fleet-title"));
    page.twin = Some("/fleet.json".to_owned());
    let template = FleetPage {
        page,
        now: text.moment(status.now_ms),
        dark: dark(text, status),
        rows: status
            .regions
            .iter()
            .map(|region| row(text, region, status.now_ms))
            .collect(),
    };
    answer(text, StatusCode::OK, &template)
}

fn row(text: Text, region: &RegionStatus, now_ms: i64) -> Row {
    let name = text.region(&region.region);
    Row {
        code: (name != region.region).then(|| region.region.clone()),
        name,
        connected: region.agents_connected,
        enrolled: region.agents_enrolled,
        queued: region.queued,
        leased: region.leased,
        oldest_lease: region.oldest_lease_at_ms.map(|ms| text.moment(ms)),
        last_result: region.last_result_at_ms.map(|ms| text.soon(ms, now_ms)),
    }
}

/// The machine twin of the page.
pub(in crate::publish) fn data(status: &Status) -> Value {
    let region = |region: &RegionStatus| {
        json!({
            "region": region.region,
            "agents_connected": region.agents_connected,
            "agents_enrolled": region.agents_enrolled,
            "queued": region.queued,
            "oldest_queued_at": region.oldest_queued_at_ms.map(twin::time),
            "leased": region.leased,
            "oldest_lease_at": region.oldest_lease_at_ms.map(twin::time),
            "last_result_at": region.last_result_at_ms.map(twin::time),
        })
    };
    json!({
        "shape": SHAPE,
        "as_of": twin::time(status.now_ms),
        "regions": status.regions.iter().map(region).collect::<Vec<_>>(),
    })
}
