//! Why the signer refuses an observation, and which gRPC code each refusal
//! becomes. A refusal is about the message: it is not whole, not from an agent
//! of ours, or not of a kind that can be judged. A run that was judged and is
//! not signed is no refusal; it is declined with its reason.

use tonic::Code;
use touchstone_canonical::Refusal;
use touchstone_evidence::number::Inexact;
use touchstone_evidence::payload::PayloadError;
use touchstone_evidence::text::WrongForm;
use touchstone_evidence::timestamp::TimestampError;
use touchstone_proto::Malformed;

use crate::keys::SigningError;

#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("attesting an observation: no agent of this key is on the roster")]
    UnknownAgent,
    #[error("attesting an observation: its agent was revoked")]
    RevokedAgent,
    #[error("attesting an observation: the signature is not that of its agent")]
    Signature,
    #[error("attesting an observation: it names another agent than the one that signed it")]
    OtherAgent,
    #[error("attesting an observation: it names another region than the one its agent stands in")]
    OtherRegion,
    #[error("attesting an observation: it is not whole")]
    Malformed(#[from] Malformed),
    #[error("attesting an observation: this signer does not know its suite")]
    UnknownSuite,
    #[error("attesting an observation: it does not say where the endpoint came from")]
    NoEndpointSource,
    #[error("attesting an observation: one of its texts has not the form of evidence")]
    Form(#[from] WrongForm),
    #[error("attesting an observation: one of its times has not the form of evidence")]
    Time(#[from] TimestampError),
    #[error("attesting an observation: its slot has not the form of evidence")]
    Slot(#[from] Inexact),
    #[error("attesting an observation: its run ends before it begins")]
    Backwards,
    #[error("attesting an observation: its run ended before the signing key was in use")]
    BeforeKey,
    #[error("attesting an observation: its approved baseline is refused")]
    Baseline(#[source] Box<Self>),
    #[error("attesting an observation: its approved baseline is of another target or suite")]
    OtherTarget,
    #[error("attesting an observation: what the suite found is no payload")]
    Payload(#[from] PayloadError),
    #[error("attesting an observation: its payload has no canonical form")]
    Canonical(#[from] Refusal),
    #[error("attesting an observation: its payload could not be signed")]
    Signing(#[from] SigningError),
}

impl Refused {
    /// The one table of refusals and codes. The same message will always be
    /// refused in the same way; `Internal` and `Unavailable` alone are the
    /// signer's own fault.
    pub fn code(&self) -> Code {
        match self {
            Self::UnknownAgent
            | Self::RevokedAgent
            | Self::Signature
            | Self::OtherAgent
            | Self::OtherRegion => Code::PermissionDenied,
            Self::Malformed(_)
            | Self::UnknownSuite
            | Self::NoEndpointSource
            | Self::Form(_)
            | Self::Time(_)
            | Self::Slot(_)
            | Self::Backwards
            | Self::OtherTarget => Code::InvalidArgument,
            Self::BeforeKey => Code::FailedPrecondition,
            Self::Baseline(refused) => refused.code(),
            Self::Payload(_) | Self::Canonical(_) => Code::Internal,
            Self::Signing(_) => Code::Unavailable,
        }
    }
}
