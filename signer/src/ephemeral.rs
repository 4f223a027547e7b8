//! A signer for one run in this process: its key is made for the run and gone
//! after it. What it signs shows that a bundle is whole, not who made it.

use ed25519_dalek::VerifyingKey;
use touchstone_evidence::detail::Detail;
use touchstone_evidence::keyset::{KeyDocument, KeyDocumentError, KeyEntry, Purpose};
use touchstone_evidence::payload::Predicate;
use touchstone_evidence::text::{Region, WrongForm};
use touchstone_evidence::timestamp::{Timestamp, TimestampError};
use touchstone_proto::Recorded;
use touchstone_proto::observation::SignedObservation;

pub use crate::attest::Attested;
use crate::attest::{self, AgentKey, Attestor};
use crate::keys::generate;
use crate::refused::Refused;

/// One observation, judged, and the keys that its bundle needs.
#[derive(Clone, Debug)]
pub struct Answer {
    pub predicate: Predicate,
    /// Unsigned.
    pub detail: Detail,
    pub attested: Attested,
    pub keys: KeyDocument,
}

#[derive(Debug, thiserror::Error)]
pub enum EphemeralError {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("attesting one run: the operating system gave no random bytes")]
    Random(#[from] getrandom::Error),
    #[error("attesting one run: the agent's key is no Ed25519 key")]
    AgentKey,
    #[error("attesting one run: its region has not the form of evidence")]
    Region(#[from] WrongForm),
    #[error("attesting one run: its times have not the form of evidence")]
    Time(#[from] TimestampError),
    #[error("attesting one run: its keys make no key document")]
    Keys(#[from] KeyDocumentError),
}

/// Judges one observation of an agent that lives in this process too. Both
/// keys count from the beginning of the run on.
pub fn attest(
    signed: &SignedObservation,
    agent_public_key: &[u8; 32],
    region: &str,
) -> Result<Answer, EphemeralError> {
    let public_key =
        VerifyingKey::from_bytes(agent_public_key).map_err(|_| EphemeralError::AgentKey)?;
    let recorded = Recorded::open(signed).map_err(Refused::from)?;
    let from = Timestamp::from_ms(recorded.run().started_at_ms)?;
    let agent = AgentKey {
        public_key,
        region: Region::new(region)?,
        revoked_at: None,
    };
    let attestor = Attestor::new(generate()?, from);
    let attest::Answer {
        predicate,
        detail,
        attested,
        tool_list: _,
    } = attestor.attest(signed, None, &agent)?;
    let keys = vec![
        attestor.key_entry(),
        KeyEntry::active(Purpose::AgentIdentity, &public_key, from),
    ];
    Ok(Answer {
        predicate,
        detail,
        attested,
        keys: KeyDocument::new(1, keys)?,
    })
}
