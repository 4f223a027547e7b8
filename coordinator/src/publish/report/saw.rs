//! Every exchange of a run, as it came back: bare facts, no conclusion.

use askama::Template;
use touchstone_proto::observation::{
    BodyEnd, Exchange, FailureKind, Observation, Response, Step, StopKind, TlsVerdict,
};

use crate::publish::stranger::Stranger;
use crate::publish::text::{Prose, Text};

/// Methods that an `Allow` of a server's may name on a page.
const METHODS_LIMIT: usize = 9;

#[derive(Template)]
#[template(path = "section/saw.html")]
struct Saw {
    text: Text,
    rows: Vec<Row>,
    facts: Prose,
}

/// One exchange.
struct Row {
    number: usize,
    /// `POST initialize`, or the method and URL of a metadata request.
    sent: Stranger,
    note: Option<Prose>,
    came: Prose,
    size: String,
    headers: String,
}

pub(super) fn saw(text: Text, observation: &Observation) -> Result<String, askama::Error> {
    let rows = observation
        .exchanges
        .iter()
        .enumerate()
        .map(|(place, exchange)| row(text, place + 1, exchange))
        .collect();
    Saw {
        text,
        rows,
        facts: facts(text, observation),
    }
    .render()
}

/// What was sent, as protocol people name it.
pub(in crate::publish) fn step_name(exchange: &Exchange) -> String {
    let method = &exchange.method;
    match exchange.step() {
        Step::Discover => format!("{method} server/discover"),
        Step::Initialize => format!("{method} initialize"),
        Step::Initialized => format!("{method} notifications/initialized"),
        Step::ListTools => format!("{method} tools/list"),
        Step::CallUnknownTool => format!("{method} tools/call"),
        Step::ResourceMetadata | Step::ServerMetadata | Step::EndSession | Step::Unspecified => {
            format!("{method} {}", exchange.url)
        }
    }
}

/// As in the machine twin and in the keys of texts.
pub(in crate::publish) fn failure_name(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Unspecified => "unspecified",
        FailureKind::NameNotFound => "name_not_found",
        FailureKind::NameServerFailed => "name_server_failed",
        FailureKind::ResolverUnavailable => "resolver_unavailable",
        FailureKind::PolicyRefused => "policy_refused",
        FailureKind::ConnectRefused => "connect_refused",
        FailureKind::ConnectTimedOut => "connect_timed_out",
        FailureKind::ConnectUnreachable => "connect_unreachable",
        FailureKind::ConnectionLost => "connection_lost",
        FailureKind::Tls => "tls",
        FailureKind::TimedOut => "timed_out",
        FailureKind::TooLarge => "too_large",
        FailureKind::HeadersTooLarge => "headers_too_large",
        FailureKind::NotHttp => "not_http",
        FailureKind::Undecodable => "undecodable",
        FailureKind::BudgetRequests => "budget_requests",
        FailureKind::BudgetTime => "budget_time",
        FailureKind::TooManyRedirects => "too_many_redirects",
        FailureKind::Agent => "agent",
    }
}

fn row(text: Text, number: usize, exchange: &Exchange) -> Row {
    let response = exchange.response.as_ref();
    let mut came = match response {
        Some(response) => Prose(status(response)),
        None => Prose(String::new()),
    };
    if let Some(failure) = &exchange.failure {
        let failed = text.t(&format!("failure-{}", failure_name(failure.kind())));
        came = if came.0.is_empty() {
            failed
        } else {
            Prose(format!("{}; {}", came.0, failed.0))
        };
    } else if response.is_none() {
        came = text.t("saw-nothing");
    }
    let size = response
        .and_then(|response| response.body.as_ref())
        .map_or_else(|| "–".to_owned(), |body| bytes(body.read_size));
    let note = match (exchange.page, exchange.hop) {
        (_, 1..) => Some(text.with("saw-hop", &[("number", i64::from(exchange.hop).into())])),
        (2.., _) => Some(text.with("saw-page", &[("number", i64::from(exchange.page).into())])),
        _ => None,
    };
    Row {
        number,
        sent: Stranger(step_name(exchange)),
        note,
        came,
        size,
        headers: if response.is_some() {
            format!("{} ms", exchange.headers_us.div_ceil(1000))
        } else {
            "–".to_owned()
        },
    }
}

/// `HTTP 405, allow: GET`. Of what a server sent in headers only the methods
/// it allows are repeated: they are a closed set of words.
fn status(response: &Response) -> String {
    let allowed: Vec<&str> = response
        .headers
        .iter()
        .filter(|header| header.name == "allow")
        .flat_map(|header| header.value.split(','))
        .map(str::trim)
        .filter(|method| {
            [
                "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT",
            ]
            .contains(method)
        })
        .take(METHODS_LIMIT)
        .collect();
    if allowed.is_empty() {
        format!("HTTP {}", response.status)
    } else {
        format!("HTTP {}, `allow: {}`", response.status, allowed.join(", "))
    }
}

fn bytes(size: u64) -> String {
    if size < 10_000 {
        format!("{size} B")
    } else {
        format!("{} kB", size.div_ceil(1000))
    }
}

/// Certificate, redirects, and what ended the run, in up to four sentences.
fn facts(text: Text, observation: &Observation) -> Prose {
    let language = text.0;
    let exchanges = || observation.exchanges.iter();
    let certificate = exchanges()
        .find_map(|exchange| exchange.tls.as_ref())
        .map_or("saw-tls-none", |tls| match tls.verdict() {
            TlsVerdict::Valid => "saw-tls-valid",
            TlsVerdict::Expired => "saw-tls-expired",
            TlsVerdict::NotYetValid => "saw-tls-not-yet-valid",
            TlsVerdict::NameMismatch => "saw-tls-name-mismatch",
            TlsVerdict::Untrusted => "saw-tls-untrusted",
            TlsVerdict::Broken => "saw-tls-broken",
            TlsVerdict::Unsupported => "saw-tls-unsupported",
            TlsVerdict::NoCertificate | TlsVerdict::Unspecified => "saw-tls-no-certificate",
        });
    let mut facts = text.t(certificate);
    if exchanges().any(|exchange| exchange.response.is_some()) {
        let redirects = exchanges()
            .filter_map(|exchange| exchange.response.as_ref())
            .filter(|response| matches!(response.status, 301 | 302 | 303 | 307 | 308))
            .count();
        let count = i64::try_from(redirects).unwrap_or(i64::MAX);
        facts = facts.then(
            language,
            &text.with("saw-redirects", &[("count", count.into())]),
        );
    }
    let cut = exchanges()
        .filter_map(|exchange| exchange.response.as_ref()?.body.as_ref())
        .any(|body| {
            !matches!(
                body.end(),
                BodyEnd::Complete | BodyEnd::Answered | BodyEnd::Unspecified
            )
        });
    if cut {
        facts = facts.then(language, &text.t("saw-cut"));
    }
    let Some(stop) = &observation.stop else {
        return facts;
    };
    let stopped = match stop.kind() {
        StopKind::RateLimited => text.with(
            "saw-stop-rate-limited",
            &[("seconds", i64::from(stop.retry_after_s).into())],
        ),
        StopKind::ExchangeFailed => text.t("saw-stop-exchange"),
        StopKind::BudgetRequests => text.t("saw-stop-requests"),
        StopKind::BudgetTime => text.t("saw-stop-time"),
        StopKind::Unspecified => return facts,
    };
    facts.then(language, &stopped)
}
