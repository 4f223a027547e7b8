//! The bundle: one file with all that is needed to check one attestation
//! offline. The envelope, the keys that it names, the proof that it stands in
//! the log, and, when they are given away, the agent's observation and that of
//! the approved baseline, with the bodies that both name.
//!
//! A bundle that was read has the form of one and nothing more: see `verify`.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message as _;
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest as _, Sha256};
use touchstone_proto::observation::{Observation, SignedObservation};
use touchstone_proto::{Digest, MESSAGE_LIMIT_BYTES};

use crate::base64::Base64;
use crate::dsse::Envelope;
use crate::keyset::{KeyDocument, Purpose};
use crate::log::inclusion::LogProof;

/// The media type of the bundles that this build writes and reads.
pub const BUNDLE_TYPE: &str = "application/vnd.touchstone.bundle.v1+json";
/// Largest bundle that is read, in bytes: two observations as large as a
/// message may be, in base64, and room for what surrounds them.
pub const BUNDLE_LIMIT_BYTES: usize = MESSAGE_LIMIT_BYTES / 3 * 4 * 2 + 16 * 1024 * 1024;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    pub media_type: String,
    pub envelope: Envelope,
    /// The keys that envelope and observations name. They came with the file,
    /// so they show that it is whole and not who made it.
    pub keys: KeyDocument,
    #[serde(deserialize_with = "present")]
    pub observation: Option<Enclosed>,
    #[serde(deserialize_with = "present")]
    pub baseline: Option<Enclosed>,
    /// Every body that an enclosed observation names, once.
    pub bodies: Vec<Base64>,
    /// The proof that the signer's log holds the envelope. Null: not logged, as
    /// when a key made for one run signed it.
    #[serde(deserialize_with = "present")]
    pub log: Option<LogProof>,
}

/// An observation as its agent signed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enclosed {
    pub bytes: Base64,
    pub signature: Base64,
    pub agent_key_id: String,
}

#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    #[error("reading a bundle: it is longer than {BUNDLE_LIMIT_BYTES} bytes")]
    TooLarge,
    #[error("reading a bundle: it is not the JSON of an evidence bundle")]
    Form(#[from] serde_json::Error),
    #[error("reading a bundle: this version does not know the media type it states")]
    MediaType,
}

impl Bundle {
    /// Packs an envelope with what it speaks of. Of the key document, only the
    /// keys that the bundle names go along.
    pub fn new(
        envelope: Envelope,
        keys: &KeyDocument,
        observation: Option<&SignedObservation>,
        baseline: Option<&SignedObservation>,
    ) -> Self {
        let observations = || observation.into_iter().chain(baseline);
        let signers = envelope.signatures.iter().map(|s| s.keyid.as_str());
        let agents = observations().map(|signed| signed.agent_key_id.as_str());
        let keys = keys.excerpt(&signers.chain(agents).collect::<Vec<_>>());
        let bodies: BTreeMap<Digest, &[u8]> = observations()
            .flat_map(|signed| &signed.bodies)
            .map(|body| (Sha256::digest(body).into(), &body[..]))
            .collect();
        Self {
            media_type: BUNDLE_TYPE.to_owned(),
            envelope,
            keys,
            observation: observation.map(Enclosed::of),
            baseline: baseline.map(Enclosed::of),
            bodies: bodies.values().map(|body| Base64(body.to_vec())).collect(),
            log: None,
        }
    }

    /// With the proof that the envelope was logged, and the keys of logs.
    #[must_use]
    pub fn logged(self, proof: LogProof, keys: &KeyDocument) -> Self {
        let of_logs = keys
            .keys()
            .iter()
            .filter(|key| key.purpose == Purpose::LogCheckpoint);
        let named: Vec<&str> = self
            .keys
            .keys()
            .iter()
            .chain(of_logs)
            .map(|key| key.key_id.as_str())
            .collect();
        Self {
            keys: keys.excerpt(&named),
            log: Some(proof),
            ..self
        }
    }

    pub fn read(bytes: &[u8]) -> Result<Self, BundleError> {
        #[derive(Deserialize)]
        struct Claim {
            media_type: String,
        }
        if bytes.len() > BUNDLE_LIMIT_BYTES {
            return Err(BundleError::TooLarge);
        }
        let claim: Claim = serde_json::from_slice(bytes)?;
        if claim.media_type != BUNDLE_TYPE {
            return Err(BundleError::MediaType);
        }
        Ok(serde_json::from_slice(bytes)?)
    }

    /// The bundle as JSON with a last newline.
    pub fn to_json(&self) -> Vec<u8> {
        // Text, whole numbers and null serialize without fail.
        let mut json = serde_json::to_vec_pretty(self).expect("a bundle serializes");
        json.push(b'\n');
        json
    }

    /// An enclosed observation with those of the bundle's bodies that it names.
    pub(crate) fn signed(&self, enclosed: &Enclosed) -> SignedObservation {
        let named = named_bodies(enclosed.bytes.as_bytes());
        SignedObservation {
            observation: enclosed.bytes.0.clone(),
            signature: enclosed.signature.0.clone(),
            agent_key_id: enclosed.agent_key_id.clone(),
            bodies: self
                .bodies
                .iter()
                .filter(|body| named.contains(&Digest::from(Sha256::digest(&body.0))))
                .map(|body| body.0.clone().into())
                .collect(),
        }
    }
}

impl Enclosed {
    fn of(signed: &SignedObservation) -> Self {
        Self {
            bytes: Base64(signed.observation.clone()),
            signature: Base64(signed.signature.clone()),
            agent_key_id: signed.agent_key_id.clone(),
        }
    }
}

/// The digests of the bodies that an observation names; none when the bytes are
/// no observation, which whoever opens it will say.
fn named_bodies(observation: &[u8]) -> BTreeSet<Digest> {
    let exchanges = Observation::decode(observation).map_or_else(|_| Vec::new(), |o| o.exchanges);
    exchanges
        .into_iter()
        .filter_map(|exchange| exchange.response?.body)
        .filter_map(|body| Digest::try_from(&body.kept_sha256[..]).ok())
        .collect()
}

/// See the same in `payload`: null is allowed, absence is not.
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}
