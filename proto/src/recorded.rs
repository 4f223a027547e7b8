//! An observation together with the bodies that it names.

use std::collections::BTreeMap;

use bytes::Bytes;
use prost::Message as _;
use sha2::{Digest as _, Sha256};

use crate::observation::{Observation, SignedObservation};

/// SHA-256.
pub type Digest = [u8; 32];

/// The format of observations that this build writes and reads.
pub const OBSERVATION_FORMAT: u32 = 1;

/// Bytes that are no whole observation.
#[derive(Debug, thiserror::Error)]
pub enum Malformed {
    #[error("reading an observation: the bytes are not its protobuf message")]
    Encoding(#[from] prost::DecodeError),
    #[error("reading an observation: format {0} is not known to this version, which reads 1")]
    Format(u32),
    #[error("reading an observation: it names no run")]
    NoRun,
    #[error("reading an observation: exchange {0} names a body that was not sent along")]
    MissingBody(usize),
    #[error("reading an observation: a body was sent along that no exchange names")]
    ForeignBody,
}

/// A decoded observation whose bodies are all there and whose digests hold.
/// Nothing is said about who signed it.
#[derive(Clone, Debug)]
pub struct Recorded {
    observation: Observation,
    digest: Digest,
    bodies: BTreeMap<Digest, Bytes>,
}

impl Recorded {
    /// Decodes what an agent sent and fits the bodies to it.
    pub fn open(signed: &SignedObservation) -> Result<Self, Malformed> {
        let observation = Observation::decode(&signed.observation[..])?;
        if observation.format != OBSERVATION_FORMAT {
            return Err(Malformed::Format(observation.format));
        }
        if observation.run.is_none() {
            return Err(Malformed::NoRun);
        }
        let mut sent: BTreeMap<Digest, Bytes> = signed
            .bodies
            .iter()
            .map(|body| (Sha256::digest(body).into(), body.clone()))
            .collect();
        let mut bodies = BTreeMap::new();
        for (index, exchange) in observation.exchanges.iter().enumerate() {
            let Some(body) = exchange.response.as_ref().and_then(|r| r.body.as_ref()) else {
                continue;
            };
            if body.kept_size == 0 {
                continue;
            }
            let digest: Digest = body.kept_sha256[..]
                .try_into()
                .map_err(|_| Malformed::MissingBody(index))?;
            if let Some(bytes) = sent.remove(&digest) {
                bodies.insert(digest, bytes);
            }
            match bodies.get(&digest) {
                Some(bytes) if bytes.len() as u64 == body.kept_size => {}
                _ => return Err(Malformed::MissingBody(index)),
            }
        }
        if !sent.is_empty() {
            return Err(Malformed::ForeignBody);
        }
        let digest = Sha256::digest(&signed.observation).into();
        Ok(Self {
            observation,
            digest,
            bodies,
        })
    }

    pub fn observation(&self) -> &Observation {
        &self.observation
    }

    /// The run that was observed.
    pub fn run(&self) -> &crate::observation::Run {
        // `open` refuses an observation without a run, and nothing changes it after.
        self.observation.run.as_ref().expect("checked in open")
    }

    /// SHA-256 over the observation's bytes as they were signed.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The bytes kept of a response's body; empty for an empty body.
    pub fn body(&self, response: &crate::observation::Response) -> &[u8] {
        response
            .body
            .as_ref()
            .and_then(|body| Digest::try_from(&body.kept_sha256[..]).ok())
            .and_then(|digest| self.bodies.get(&digest))
            .map_or(&[], |bytes| &bytes[..])
    }

    /// Every body once, by digest.
    pub fn bodies(&self) -> &BTreeMap<Digest, Bytes> {
        &self.bodies
    }
}
