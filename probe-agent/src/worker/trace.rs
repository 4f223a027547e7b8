//! What a run did, in the trace that its lease belongs to. Written from the
//! record once it is whole, so that nothing is said of an exchange but its
//! step, the host, the status, and what failed.

use std::time::Duration;

use touchstone_proto::observation::{Exchange, Step};
use touchstone_telemetry::trace::{Attribute, Place, Span};
use url::Url;

use crate::metrics::failure_of;

/// Below a run's place, one span an exchange.
pub(crate) fn exchanges(place: &Place, exchanges: &[Exchange]) {
    if !place.is_recorded() {
        return;
    }
    for exchange in exchanges {
        // Not sent at all: there is no time to show.
        if exchange.sent_at_ms == 0 {
            continue;
        }
        let mut span = Span::since("exchange", place, exchange.sent_at_ms);
        span.set(Attribute::Step, step(exchange.step()));
        span.set(Attribute::Hop, exchange.hop);
        span.set(Attribute::HttpMethod, &*exchange.method);
        if let Ok(url) = Url::parse(&exchange.url)
            && let Some(host) = url.host_str()
        {
            span.set(Attribute::UrlHost, host);
        }
        if let Some(response) = &exchange.response {
            span.set(Attribute::HttpStatus, response.status);
        }
        if let Some(failure) = failure_of(exchange) {
            span.fail(failure);
        }
        let lasted = Duration::from_micros(exchange.total_us);
        span.end_after(exchange.sent_at_ms, lasted);
    }
}

fn step(step: Step) -> String {
    let name = step.as_str_name();
    name.strip_prefix("STEP_")
        .unwrap_or(name)
        .to_ascii_lowercase()
}
