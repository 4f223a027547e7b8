//! Why an exchange has no complete response, as a reason. What is ours (our
//! resolver, our policy, our agent) keeps a reason of its own, so that it is
//! never laid at the target's door.

use touchstone_canonical::ReadErrorKind;
use touchstone_proto::observation::{BodyEnd, Exchange, Failure, FailureKind, TlsVerdict};

use crate::limits;
use crate::reason::{Param, Reason, ReasonKey};

/// `None`: the exchange ended with a complete response.
pub(super) fn of_exchange(exchange: &Exchange) -> Option<Reason> {
    if let Some(failure) = &exchange.failure {
        return Some(of_failure(failure, exchange));
    }
    let Some(response) = &exchange.response else {
        return Some(ReasonKey::NotRecorded.into());
    };
    let end = response
        .body
        .as_ref()
        .map(touchstone_proto::observation::Body::end);
    match end {
        None | Some(BodyEnd::Unspecified | BodyEnd::Complete | BodyEnd::Answered) => None,
        Some(BodyEnd::TooLarge) => Some(too_large()),
        Some(BodyEnd::TimedOut) => Some(out_of_time()),
        Some(BodyEnd::ConnectionLost) => Some(connection("lost")),
        Some(BodyEnd::Undecodable) => Some(ReasonKey::ResponseUndecodable.into()),
    }
}

pub(super) fn out_of_time() -> Reason {
    let limit = Param::from(limits::RUN_SECONDS);
    Reason::new(ReasonKey::BudgetExhausted, &["time".into(), limit])
}

pub(super) fn out_of_requests() -> Reason {
    let limit = Param::from(limits::REQUESTS);
    Reason::new(ReasonKey::BudgetExhausted, &["requests".into(), limit])
}

pub(super) fn rate_limited(retry_after_s: u32) -> Reason {
    Reason::new(ReasonKey::RateLimited, &[retry_after_s.into()])
}

fn of_failure(failure: &Failure, exchange: &Exchange) -> Reason {
    let dns = |fault: &'static str| Reason::new(ReasonKey::DnsFailed, &[fault.into()]);
    match failure.kind() {
        FailureKind::NameNotFound => dns("name_not_found"),
        FailureKind::NameServerFailed => dns("name_server_failed"),
        FailureKind::ResolverUnavailable => ReasonKey::ResolverUnavailable.into(),
        FailureKind::PolicyRefused => {
            Reason::new(ReasonKey::PolicyRefused, &[rule(&failure.rule).into()])
        }
        FailureKind::ConnectRefused => connection("refused"),
        FailureKind::ConnectTimedOut => connection("timed_out"),
        FailureKind::ConnectUnreachable => connection("unreachable"),
        FailureKind::ConnectionLost => connection("lost"),
        FailureKind::NotHttp => connection("not_http"),
        FailureKind::Tls => {
            let verdict = exchange
                .tls
                .as_ref()
                .map(touchstone_proto::observation::Tls::verdict);
            Reason::new(ReasonKey::TlsFailed, &[tls_fault(verdict).into()])
        }
        FailureKind::TimedOut | FailureKind::BudgetTime => out_of_time(),
        FailureKind::BudgetRequests => out_of_requests(),
        FailureKind::TooLarge => too_large(),
        FailureKind::HeadersTooLarge => Reason::new(
            ReasonKey::ResponseHeadersTooLarge,
            &[limits::RESPONSE_HEADERS_BYTES.into()],
        ),
        FailureKind::Undecodable => ReasonKey::ResponseUndecodable.into(),
        FailureKind::TooManyRedirects => {
            Reason::new(ReasonKey::TooManyRedirects, &[limits::REDIRECTS.into()])
        }
        // A failure that this build has no name for is a fault of ours.
        FailureKind::Agent | FailureKind::Unspecified => ReasonKey::AgentFault.into(),
    }
}

fn connection(fault: &'static str) -> Reason {
    Reason::new(ReasonKey::ConnectionFailed, &[fault.into()])
}

fn too_large() -> Reason {
    Reason::new(
        ReasonKey::ResponseTooLarge,
        &[limits::RESPONSE_BYTES.into()],
    )
}

/// Beyond a bound of our own JSON reader; `None` for what is no JSON.
pub(super) fn beyond_reading(kind: ReadErrorKind) -> Option<Reason> {
    match kind {
        ReadErrorKind::Syntax => None,
        ReadErrorKind::Depth => Some(too_deep()),
        ReadErrorKind::TooLarge => Some(too_large()),
    }
}

pub(crate) fn too_deep() -> Reason {
    Reason::new(ReasonKey::ResponseTooDeep, &[limits::JSON_LEVELS.into()])
}

fn tls_fault(verdict: Option<TlsVerdict>) -> &'static str {
    match verdict {
        Some(TlsVerdict::Expired) => "expired",
        Some(TlsVerdict::NotYetValid) => "not_yet_valid",
        Some(TlsVerdict::NameMismatch) => "name_mismatch",
        Some(TlsVerdict::Untrusted) => "untrusted",
        Some(TlsVerdict::Broken) => "broken",
        Some(TlsVerdict::Unsupported) => "unsupported",
        Some(TlsVerdict::Valid) => "broken_off",
        Some(TlsVerdict::NoCertificate | TlsVerdict::Unspecified) | None => "no_certificate",
    }
}

/// The guard's word when it is one that we know; an agent's text never becomes
/// a parameter.
fn rule(word: &str) -> &'static str {
    RULES
        .into_iter()
        .find(|known| *known == word)
        .unwrap_or("other")
}

/// The rules of the agents' guard, in its own order.
const RULES: [&str; 30] = [
    "scheme",
    "userinfo",
    "plain_http",
    "port",
    "this_network",
    "private",
    "shared",
    "loopback",
    "link_local",
    "protocol_assignments",
    "documentation",
    "service_anycast",
    "six_to_four",
    "benchmarking",
    "multicast",
    "reserved",
    "cloud_metadata",
    "unspecified",
    "ipv4_mapped",
    "ipv4_compatible",
    "ipv4_translated",
    "nat64",
    "isatap",
    "teredo",
    "discard",
    "segment_routing",
    "unique_local",
    "site_local",
    "own_address",
    "operator",
];
