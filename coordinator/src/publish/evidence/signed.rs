//! What an evidence page and its files are made from: a run that is signed.

use prost::Message as _;
use sha2::{Digest as _, Sha256};
use touchstone_evidence::bundle::Bundle;
use touchstone_evidence::dsse::Envelope;
use touchstone_evidence::keyset::{KeyDocument, KeyEntry};
use touchstone_evidence::log::hash::Hash;
use touchstone_evidence::log::inclusion::LogProof;
use touchstone_evidence::sigstore;
use touchstone_proto::observation::{Observation, Step};
use touchstone_proto::signer;

use crate::store::read::Evidence;

/// What a page and its files are made from; only of a signed run.
#[derive(Debug)]
pub(in crate::publish) struct Signed<'a> {
    pub(super) evidence: &'a Evidence,
    envelope: Envelope,
    raw: &'a [u8],
    keys: Option<&'a KeyDocument>,
}

impl<'a> Signed<'a> {
    /// `None` when the run is not signed, or its envelope cannot be read.
    pub(in crate::publish) fn of(
        evidence: &'a Evidence,
        keys: Option<&'a KeyDocument>,
    ) -> Option<Self> {
        let raw = evidence.envelope.as_deref()?;
        let envelope = Envelope::read(raw).ok()?;
        Some(Self {
            evidence,
            envelope,
            raw,
            keys,
        })
    }

    /// The bundle to check offline; it needs the keys that it names.
    pub(in crate::publish) fn bundle(&self) -> Option<Vec<u8>> {
        let keys = self.keys?;
        let bundle = Bundle::new(
            self.envelope.clone(),
            keys,
            Some(&self.evidence.signed),
            self.evidence.baseline.as_ref(),
        );
        let bundle = match self.evidence.log.as_ref().and_then(log_proof) {
            Some(proof) => bundle.logged(proof, keys),
            None => bundle,
        };
        Some(bundle.to_json())
    }

    /// The envelope as a sigstore bundle, which names its key and needs none.
    pub(in crate::publish) fn sigstore(&self) -> Option<Vec<u8>> {
        sigstore::export(&self.envelope)
    }

    pub(in crate::publish) fn payload(&self) -> &[u8] {
        self.envelope.payload.as_bytes()
    }

    pub(in crate::publish) fn envelope(&self) -> &[u8] {
        self.raw
    }

    /// The body of page `number` of the tool list, counted from 1.
    pub(in crate::publish) fn tool_page(&self, number: usize) -> Option<&[u8]> {
        tool_pages(self.evidence)
            .into_iter()
            .nth(number.checked_sub(1)?)
    }

    /// How many pages of the tool list were read.
    pub(super) fn tool_pages(&self) -> usize {
        tool_pages(self.evidence).len()
    }

    pub(super) fn key_id(&self) -> &str {
        self.envelope
            .signatures
            .first()
            .map_or("", |signature| signature.keyid.as_str())
    }

    pub(super) fn key(&self) -> Option<&KeyEntry> {
        self.keys?.find(self.key_id())
    }
}

/// `None` when it is not one.
fn log_proof(proof: &signer::LogProof) -> Option<LogProof> {
    let hashes = proof.inclusion.iter().map(|hash| Hash::try_from(&hash[..]));
    Some(LogProof {
        index: proof.index,
        inclusion: hashes.collect::<Result<_, _>>().ok()?,
        checkpoint: String::from_utf8(proof.checkpoint.clone()).ok()?,
    })
}

/// The bodies of the tool list that was read, in order, each page once.
fn tool_pages(evidence: &Evidence) -> Vec<&[u8]> {
    let Ok(observation) = Observation::decode(&evidence.signed.observation[..]) else {
        return Vec::new();
    };
    observation
        .exchanges
        .iter()
        .filter(|exchange| exchange.step() == Step::ListTools && exchange.hop == 0)
        .filter_map(|exchange| exchange.response.as_ref()?.body.as_ref())
        .filter_map(|body| {
            let wanted = &body.kept_sha256[..];
            evidence
                .signed
                .bodies
                .iter()
                .find(|kept| Sha256::digest(kept)[..] == *wanted)
        })
        .map(|body| &body[..])
        .collect()
}
