//! Attests what it derived itself: checks the agent's signature over the
//! observation, evaluates it, and signs the payload that follows from it.
//!
//! Nothing that comes in is ever signed: what is signed is derived here, from
//! an observation whose agent is known. No clock enters a payload.

use ed25519_dalek::{Signature, VerifyingKey};
use touchstone_canonical::Canonical;
use touchstone_evidence::detail::Detail;
use touchstone_evidence::dsse::{self, Envelope};
use touchstone_evidence::keyset::{KeyEntry, Purpose};
use touchstone_evidence::payload::{Predicate, Statement, Suite};
use touchstone_evidence::text::Region;
use touchstone_evidence::timestamp::Timestamp;
use touchstone_proto::Recorded;
use touchstone_proto::identity::{self, OBSERVATION_TYPE, pae};
use touchstone_proto::observation::SignedObservation;
use touchstone_proto::vocabulary::Scope;

use crate::derive::{Worth, derived};
use crate::keys::PrivateKey;
use crate::refused::Refused;
use crate::suite::suite_identity;

/// The attestation key of this signer, and the suite that judges.
#[derive(Debug)]
pub struct Attestor {
    key: Box<dyn PrivateKey>,
    /// Since when the key is in use.
    from: Timestamp,
    suite: Suite,
}

/// What the signer knows of the agent that an observation is said to be from.
#[derive(Clone, Debug)]
pub struct AgentKey {
    pub public_key: VerifyingKey,
    pub region: Region,
    pub revoked_at: Option<Timestamp>,
}

/// One observation, judged.
#[derive(Clone, Debug)]
pub struct Answer {
    pub predicate: Predicate,
    /// Unsigned.
    pub detail: Detail,
    /// Unsigned; of a complete list, what its definition fingerprint is taken over.
    pub tool_list: Option<Canonical>,
    pub attested: Attested,
}

#[derive(Clone, Debug)]
pub enum Attested {
    Signed {
        envelope: Envelope,
        scope: Scope,
        key_id: String,
    },
    /// Observed, unsigned, for this reason.
    Declined { reason_key: String },
}

impl Attestor {
    pub fn new(key: impl PrivateKey + 'static, from: Timestamp) -> Self {
        Self::by(Box::new(key), from)
    }

    pub(crate) fn by(key: Box<dyn PrivateKey>, from: Timestamp) -> Self {
        Self {
            key,
            from,
            suite: suite_identity(),
        }
    }

    /// The key that attests, as it stands in a key document.
    pub fn key_entry(&self) -> KeyEntry {
        KeyEntry::active(Purpose::Attestation, &self.key.public(), self.from)
    }

    /// Judges an observation of this agent, against the approved baseline and
    /// that one's agent if there is one, and signs what follows from it.
    pub fn attest(
        &self,
        signed: &SignedObservation,
        baseline: Option<(&SignedObservation, &AgentKey)>,
        agent: &AgentKey,
    ) -> Result<Answer, Refused> {
        if agent.revoked_at.is_some() {
            return Err(Refused::RevokedAgent);
        }
        let recorded = agent.open(signed)?;
        let baseline = baseline
            .map(|(approved, agent)| open_baseline(approved, agent, &recorded))
            .transpose()?;
        let derived = derived(&recorded, baseline.as_ref(), self.suite.clone())?;
        let predicate = derived.predicate;
        let attested = match derived.worth {
            Worth::Declining(reason) => Attested::Declined {
                reason_key: reason.to_owned(),
            },
            // Its envelope would never verify: see the key's window in `evidence`.
            Worth::Signing(_) if predicate.run.finished_at < self.from => {
                return Err(Refused::BeforeKey);
            }
            Worth::Signing(scope) => Attested::Signed {
                envelope: self.sign(&predicate)?,
                scope,
                key_id: identity::key_id(self.key.public().as_bytes()),
            },
        };
        Ok(Answer {
            predicate,
            detail: derived.detail,
            tool_list: derived.tool_list,
            attested,
        })
    }

    fn sign(&self, predicate: &Predicate) -> Result<Envelope, Refused> {
        let payload = Statement::new(predicate.clone())?.canonical()?;
        let sign = |message: &[u8]| self.key.signature_over(message);
        Ok(dsse::sign_by(&payload, &self.key.public(), sign)?)
    }
}

impl AgentKey {
    /// Reads an observation after its signature has held: what does not come
    /// from this agent is not even decoded.
    fn open(&self, signed: &SignedObservation) -> Result<Recorded, Refused> {
        let key_id = identity::key_id(self.public_key.as_bytes());
        if signed.agent_key_id != key_id {
            return Err(Refused::OtherAgent);
        }
        let message = pae(OBSERVATION_TYPE, &signed.observation);
        Signature::from_slice(&signed.signature)
            .and_then(|signature| self.public_key.verify_strict(&message, &signature))
            .map_err(|_| Refused::Signature)?;
        let recorded = Recorded::open(signed)?;
        if recorded.run().agent_key_id != key_id {
            return Err(Refused::OtherAgent);
        }
        if recorded.run().region != self.region.as_str() {
            return Err(Refused::OtherRegion);
        }
        Ok(recorded)
    }
}

/// An approved run stays approved after its agent left the fleet, if the run
/// had ended by then.
fn open_baseline(
    approved: &SignedObservation,
    agent: &AgentKey,
    run: &Recorded,
) -> Result<Recorded, Refused> {
    let refused = |refused| Refused::Baseline(Box::new(refused));
    let baseline = agent.open(approved).map_err(refused)?;
    let finished_at = baseline.run().finished_at_ms;
    if agent
        .revoked_at
        .is_some_and(|revoked| revoked.as_ms() <= finished_at)
    {
        return Err(refused(Refused::RevokedAgent));
    }
    let of_same_target = baseline.run().target_id == run.run().target_id;
    if of_same_target && baseline.run().suite == run.run().suite {
        Ok(baseline)
    } else {
        Err(Refused::OtherTarget)
    }
}

#[cfg(test)]
mod any;
#[cfg(test)]
mod tests;
