//! Whether the endpoint answered in one run, read from the bare facts of the
//! observation, so that a day is known before the signer has looked at it.

use std::fmt;

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
