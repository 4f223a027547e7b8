//! The envelope: DSSE over the payload's exact bytes, Ed25519, one signature.
//!
//! `keyid` is a hint by which to look up a key; only the signature decides.
//! A payload is read from the same bytes that were verified.

use std::convert::Infallible;

use ed25519_dalek::{Signature as Ed25519Signature, Signer as _, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use touchstone_canonical::Canonical;
use touchstone_proto::identity;

use crate::base64::Base64;
use crate::payload::PAYLOAD_LIMIT_BYTES;

/// The media type of an in-toto Statement in a DSSE envelope.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
/// Largest envelope that is read, in bytes: a payload in base64 and what
/// surrounds it.
pub const ENVELOPE_LIMIT_BYTES: usize = PAYLOAD_LIMIT_BYTES / 3 * 4 + 16 * 1024;

/// A DSSE envelope, version 1 of its JSON form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    #[serde(rename = "payloadType")]
    pub payload_type: String,
    pub payload: Base64,
    pub signatures: Vec<Signature>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    pub keyid: String,
    pub sig: Base64,
}

#[derive(Debug, thiserror::Error)]
pub enum EnvelopeError {
    #[error("reading an envelope: it is longer than {ENVELOPE_LIMIT_BYTES} bytes")]
    TooLarge,
    #[error("reading an envelope: it is not the JSON of a DSSE envelope")]
    Form(#[from] serde_json::Error),
}

/// Signs a canonical payload.
pub fn sign(payload: &Canonical, key: &SigningKey) -> Envelope {
    let Ok(envelope) = sign_by(payload, &key.verifying_key(), |message| {
        Ok::<_, Infallible>(key.sign(message))
    });
    envelope
}

/// The same by a key that is kept elsewhere and may fail to sign.
pub fn sign_by<E>(
    payload: &Canonical,
    key: &VerifyingKey,
    sign: impl FnOnce(&[u8]) -> Result<Ed25519Signature, E>,
) -> Result<Envelope, E> {
    let message = identity::pae(PAYLOAD_TYPE, payload.as_bytes());
    Ok(Envelope {
        payload_type: PAYLOAD_TYPE.to_owned(),
        payload: Base64(payload.as_bytes().to_vec()),
        signatures: vec![Signature {
            keyid: identity::key_id(key.as_bytes()),
            sig: Base64(sign(&message)?.to_bytes().to_vec()),
        }],
    })
}

impl Envelope {
    pub fn read(bytes: &[u8]) -> Result<Self, EnvelopeError> {
        if bytes.len() > ENVELOPE_LIMIT_BYTES {
            return Err(EnvelopeError::TooLarge);
        }
        Ok(serde_json::from_slice(bytes)?)
    }

    /// The envelope as one line of JSON, without a newline.
    pub fn to_json(&self) -> Vec<u8> {
        // Strings and a list of strings serialize without fail.
        serde_json::to_vec(self).expect("an envelope serializes")
    }

    /// The bytes that the signature is over, for tools that check them alone.
    pub fn signed_bytes(&self) -> Vec<u8> {
        identity::pae(&self.payload_type, self.payload.as_bytes())
    }

    /// Whether the key made the signature over payload type and payload.
    /// Strict: no small-order key, no second encoding of a signature (RFC 8032, section 5.1.7).
    pub fn is_signed_by(&self, signature: &Signature, key: &VerifyingKey) -> bool {
        Ed25519Signature::from_slice(signature.sig.as_bytes())
            .and_then(|signature| key.verify_strict(&self.signed_bytes(), &signature))
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn an_envelope_is_read_as_it_was_written_and_holds_for_its_key_alone() {
        let run = sample::signed_observation("run-1");
        let payload = sample::statement(&sample::limited(&run))
            .canonical()
            .unwrap();
        let written = sign(&payload, &sample::attestation_key());
        let envelope = Envelope::read(&written.to_json()).unwrap();
        assert_eq!(envelope, written);
        assert_eq!(envelope.payload.as_bytes(), payload.as_bytes());
        let [signature] = &envelope.signatures[..] else {
            panic!("one signature")
        };
        let (ours, agents) = (sample::attestation_key(), sample::agent_key());
        assert_eq!(
            signature.keyid,
            identity::key_id(ours.verifying_key().as_bytes())
        );
        assert!(envelope.is_signed_by(signature, &ours.verifying_key()));
        assert!(!envelope.is_signed_by(signature, &agents.verifying_key()));
        assert!(Envelope::read(&vec![b' '; ENVELOPE_LIMIT_BYTES + 1]).is_err());
    }
}
