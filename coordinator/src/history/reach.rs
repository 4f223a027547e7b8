//! Whether the endpoint answered in one run, read from the bare facts of the
//! observation, so that a day is known before the signer has looked at it.

use std::fmt;

use touchstone_proto::observation::{
    BodyEnd, Exchange, Failure, FailureKind, Observation, Step, Stop, StopKind,
};

/// What one run says for its day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// The handshake exchange was answered.
    Answered,
    /// It was not, and the endpoint's side is the reason.
    Unanswered(Cause),
    /// We could not decide: asked to wait, our policy, our limits, our fault.
    NotCounted(Cause),
}

impl Reach {
    /// Reads the handshake exchange of an observation: the last one that
    /// offered a revision, since only its end says whether the endpoint
    /// answered, even if an earlier request was answered.
    pub fn of(observation: &Observation) -> Self {
        let handshake = observation
            .exchanges
            .iter()
            .enumerate()
            .rfind(|(_, exchange)| {
                exchange.hop == 0 && matches!(exchange.step(), Step::Discover | Step::Initialize)
            });
        let Some((index, exchange)) = handshake else {
            return Self::without_exchange(observation);
        };
        let stop = observation.stop.as_ref();
        let stopped_here = stop.is_some_and(|stop| {
            usize::try_from(stop.exchange).is_ok_and(|stopped| stopped == index)
        });
        let is_last = index + 1 == observation.exchanges.len();
        match stop.map(Stop::kind) {
            Some(StopKind::RateLimited) if stopped_here => Self::NotCounted(Cause::RateLimited),
            // No request came after it, and it did not lead to the next one by
            // itself: a refused discovery whose fallback was never sent.
            Some(StopKind::BudgetTime | StopKind::BudgetRequests)
                if is_last && status(exchange).is_none_or(|status| status / 100 != 2) =>
            {
                Self::Unanswered(Cause::TimedOut)
            }
            _ => Self::of_exchange(exchange),
        }
    }

    fn of_exchange(exchange: &Exchange) -> Self {
        let status = status(exchange);
        // What cannot be decoded came all the same: its status speaks.
        let undecodable = status.is_some_and(|_| {
            exchange.failure.as_ref().map(Failure::kind) == Some(FailureKind::Undecodable)
        });
        if let Some(failure) = exchange.failure.as_ref().filter(|_| !undecodable) {
            return Self::of_failure(failure.kind());
        }
        let Some(status) = status else {
            return Self::NotCounted(Cause::Ours);
        };
        let end = exchange
            .response
            .as_ref()
            .and_then(|response| response.body.as_ref())
            .map(touchstone_proto::observation::Body::end);
        match end {
            Some(BodyEnd::TooLarge) => return Self::NotCounted(Cause::ResponseTooLarge),
            Some(BodyEnd::TimedOut) => return Self::Unanswered(Cause::TimedOut),
            Some(BodyEnd::ConnectionLost) => return Self::Unanswered(Cause::ConnectionFailed),
            _ => {}
        }
        if (500..600).contains(&status) {
            Self::Unanswered(Cause::ServerError)
        } else {
            Self::Answered
        }
    }

    /// The run ended before any request: a lookup failed, or we did.
    fn without_exchange(observation: &Observation) -> Self {
        let mut lookup = observation.lookups.iter().rev();
        let failed = lookup.find_map(|lookup| lookup.failure.as_ref());
        failed.map_or(Self::NotCounted(Cause::Ours), |failure| {
            Self::of_failure(failure.kind())
        })
    }

    fn of_failure(kind: FailureKind) -> Self {
        match kind {
            FailureKind::NameNotFound | FailureKind::NameServerFailed => {
                Self::Unanswered(Cause::DnsFailed)
            }
            FailureKind::ConnectRefused
            | FailureKind::ConnectTimedOut
            | FailureKind::ConnectUnreachable
            | FailureKind::ConnectionLost => Self::Unanswered(Cause::ConnectionFailed),
            FailureKind::Tls => Self::Unanswered(Cause::TlsFailed),
            FailureKind::TimedOut | FailureKind::BudgetTime | FailureKind::BudgetRequests => {
                Self::Unanswered(Cause::TimedOut)
            }
            FailureKind::NotHttp | FailureKind::Undecodable => Self::Unanswered(Cause::NotHttp),
            FailureKind::PolicyRefused => Self::NotCounted(Cause::PolicyRefused),
            FailureKind::TooLarge | FailureKind::HeadersTooLarge => {
                Self::NotCounted(Cause::ResponseTooLarge)
            }
            // A handshake is never redirected by us; the rest are our own faults.
            FailureKind::TooManyRedirects
            | FailureKind::ResolverUnavailable
            | FailureKind::Agent
            | FailureKind::Unspecified => Self::NotCounted(Cause::Ours),
        }
    }

    /// As stored: the kind, and the cause if there is one.
    pub fn parts(self) -> (&'static str, Option<Cause>) {
        match self {
            Self::Answered => ("answered", None),
            Self::Unanswered(cause) => ("unanswered", Some(cause)),
            Self::NotCounted(cause) => ("not_counted", Some(cause)),
        }
    }

    /// The reverse of [`Reach::parts`].
    pub fn from_parts(kind: &str, cause: Option<Cause>) -> Option<Self> {
        match (kind, cause) {
            ("answered", None) => Some(Self::Answered),
            ("unanswered", Some(cause)) => Some(Self::Unanswered(cause)),
            ("not_counted", Some(cause)) => Some(Self::NotCounted(cause)),
            _ => None,
        }
    }
}

fn status(exchange: &Exchange) -> Option<u32> {
    exchange.response.as_ref().map(|response| response.status)
}

/// Why a run was not answered or does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    DnsFailed,
    ConnectionFailed,
    TlsFailed,
    /// No complete response inside the budget.
    TimedOut,
    NotHttp,
    /// The handshake was answered with a status of 500 to 599.
    ServerError,
    RateLimited,
    PolicyRefused,
    ResponseTooLarge,
    /// A failure of our resolver or of the agent.
    Ours,
}

impl Cause {
    /// Every cause, in the order of their definition.
    pub const ALL: [Self; 10] = [
        Self::DnsFailed,
        Self::ConnectionFailed,
        Self::TlsFailed,
        Self::TimedOut,
        Self::NotHttp,
        Self::ServerError,
        Self::RateLimited,
        Self::PolicyRefused,
        Self::ResponseTooLarge,
        Self::Ours,
    ];

    /// As stored, and as the key of its text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DnsFailed => "dns_failed",
            Self::ConnectionFailed => "connection_failed",
            Self::TlsFailed => "tls_failed",
            Self::TimedOut => "timed_out",
            Self::NotHttp => "not_http",
            Self::ServerError => "server_error",
            Self::RateLimited => "rate_limited",
            Self::PolicyRefused => "policy_refused",
            Self::ResponseTooLarge => "response_too_large",
            Self::Ours => "ours",
        }
    }

    /// The reverse of [`Cause::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.as_str() == text)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use touchstone_proto::observation::{Body, Lookup, Response};

    use super::*;

    fn answered(step: Step, status: u32) -> Exchange {
        Exchange {
            step: step.into(),
            response: Some(Response {
                status,
                body: Some(Body {
                    end: BodyEnd::Complete.into(),
                    ..Body::default()
                }),
                ..Response::default()
            }),
            ..Exchange::default()
        }
    }

    fn failed(step: Step, kind: FailureKind) -> Exchange {
        Exchange {
            step: step.into(),
            failure: Some(Failure {
                kind: kind.into(),
                rule: String::new(),
            }),
            ..Exchange::default()
        }
    }

    fn cut(step: Step, end: BodyEnd) -> Exchange {
        let mut exchange = answered(step, 200);
        let body = exchange.response.as_mut().unwrap().body.as_mut().unwrap();
        body.end = end.into();
        exchange
    }

    fn undecodable(status: u32) -> Exchange {
        Exchange {
            failure: failed(Step::Discover, FailureKind::Undecodable).failure,
            ..answered(Step::Discover, status)
        }
    }

    fn run(exchanges: Vec<Exchange>, stop: Option<(StopKind, u32)>) -> Reach {
        Reach::of(&Observation {
            exchanges,
            stop: stop.map(|(kind, exchange)| Stop {
                kind: kind.into(),
                exchange,
                retry_after_s: 0,
            }),
            ..Observation::default()
        })
    }

    #[test]
    fn the_handshake_exchange_decides() {
        use Reach::{Answered, NotCounted, Unanswered};
        use Step::{Discover, Initialize, ListTools};
        let cases = [
            (vec![answered(Discover, 200)], None, Answered),
            (
                vec![answered(Discover, 404), answered(Initialize, 401)],
                None,
                Answered,
            ),
            (
                vec![answered(Discover, 404), answered(Initialize, 502)],
                None,
                Unanswered(Cause::ServerError),
            ),
            (
                vec![
                    answered(Discover, 404),
                    failed(Initialize, FailureKind::ConnectRefused),
                ],
                Some((StopKind::ExchangeFailed, 1)),
                Unanswered(Cause::ConnectionFailed),
            ),
            (
                vec![answered(Discover, 429)],
                Some((StopKind::RateLimited, 0)),
                NotCounted(Cause::RateLimited),
            ),
            (
                vec![answered(Discover, 503)],
                Some((StopKind::RateLimited, 0)),
                NotCounted(Cause::RateLimited),
            ),
            (
                vec![answered(Discover, 200), answered(ListTools, 429)],
                Some((StopKind::RateLimited, 1)),
                Answered,
            ),
            (
                vec![
                    answered(Discover, 200),
                    failed(ListTools, FailureKind::ConnectionLost),
                ],
                Some((StopKind::ExchangeFailed, 1)),
                Answered,
            ),
            (
                vec![answered(Discover, 404)],
                Some((StopKind::BudgetTime, 0)),
                Unanswered(Cause::TimedOut),
            ),
            (
                vec![failed(Discover, FailureKind::PolicyRefused)],
                Some((StopKind::ExchangeFailed, 0)),
                NotCounted(Cause::PolicyRefused),
            ),
            (
                vec![cut(Discover, BodyEnd::TooLarge)],
                None,
                NotCounted(Cause::ResponseTooLarge),
            ),
            (
                vec![cut(Discover, BodyEnd::TimedOut)],
                None,
                Unanswered(Cause::TimedOut),
            ),
            (
                vec![failed(Discover, FailureKind::HeadersTooLarge)],
                Some((StopKind::ExchangeFailed, 0)),
                NotCounted(Cause::ResponseTooLarge),
            ),
            // No way to the address from here, no descriptor left, no port.
            (
                vec![failed(Discover, FailureKind::Agent)],
                Some((StopKind::ExchangeFailed, 0)),
                NotCounted(Cause::Ours),
            ),
            (vec![undecodable(200)], None, Answered),
            (vec![undecodable(503)], None, Unanswered(Cause::ServerError)),
            (vec![], None, NotCounted(Cause::Ours)),
        ];
        for (index, (exchanges, stop, expected)) in cases.into_iter().enumerate() {
            assert_eq!(run(exchanges, stop), expected, "case {index}");
        }
    }

    #[test]
    fn a_name_without_address_is_the_endpoints_own_a_dead_resolver_is_ours() {
        let lookup = |kind: FailureKind| {
            Reach::of(&Observation {
                lookups: vec![Lookup {
                    failure: Some(Failure {
                        kind: kind.into(),
                        rule: String::new(),
                    }),
                    ..Lookup::default()
                }],
                ..Observation::default()
            })
        };
        assert_eq!(
            lookup(FailureKind::NameNotFound),
            Reach::Unanswered(Cause::DnsFailed)
        );
        assert_eq!(
            lookup(FailureKind::ResolverUnavailable),
            Reach::NotCounted(Cause::Ours)
        );
    }

    #[test]
    fn every_reach_is_read_back_as_it_was_written() {
        let causes = Cause::ALL.into_iter();
        let all = causes.flat_map(|cause| [Reach::Unanswered(cause), Reach::NotCounted(cause)]);
        for reach in all.chain([Reach::Answered]) {
            let (kind, cause) = reach.parts();
            let cause = cause.map(|cause| Cause::parse(cause.as_str()).unwrap());
            assert_eq!(Reach::from_parts(kind, cause), Some(reach));
        }
        assert_eq!(Reach::from_parts("answered", Some(Cause::Ours)), None);
    }
}
