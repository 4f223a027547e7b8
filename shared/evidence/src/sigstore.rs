//! An envelope as a sigstore bundle v0.3, for tools that read those. It is an
//! export: what it says is in the envelope already, and it is never read here.
//!
//! Form: sigstore protobuf-specs, `sigstore_bundle.proto`: a DSSE envelope of
//! exactly one signature, and as material the hint of a key that the verifier
//! has from elsewhere, the same as the envelope's `keyid`.

use serde::Serialize;

use crate::dsse::Envelope;

/// The media type of such a bundle.
pub const SIGSTORE_BUNDLE_TYPE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SigstoreBundle<'a> {
    media_type: &'static str,
    verification_material: Material<'a>,
    dsse_envelope: &'a Envelope,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Material<'a> {
    public_key: Hint<'a>,
    /// Entries of sigstore's own log; nothing of ours is in it.
    tlog_entries: [(); 0],
}

#[derive(Debug, Serialize)]
struct Hint<'a> {
    hint: &'a str,
}

/// The bundle as JSON with a last newline; `None` for an envelope that does not
/// carry exactly one signature, which the format cannot hold.
pub fn export(envelope: &Envelope) -> Option<Vec<u8>> {
    let [signature] = &envelope.signatures[..] else {
        return None;
    };
    let bundle = SigstoreBundle {
        media_type: SIGSTORE_BUNDLE_TYPE,
        verification_material: Material {
            public_key: Hint {
                hint: &signature.keyid,
            },
            tlog_entries: [],
        },
        dsse_envelope: envelope,
    };
    // Strings and lists of strings serialize without fail.
    let mut json = serde_json::to_vec_pretty(&bundle).expect("a bundle serializes");
    json.push(b'\n');
    Some(json)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::sample;

    #[test]
    fn an_export_holds_the_envelope_as_it_is_and_the_hint_of_its_key() {
        let mut envelope = sample::bundle().envelope;
        let exported: Value = serde_json::from_slice(&export(&envelope).unwrap()).unwrap();
        assert_eq!(
            exported,
            json!({
                "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
                "verificationMaterial": {
                    "publicKey": { "hint": envelope.signatures[0].keyid },
                    "tlogEntries": [],
                },
                "dsseEnvelope": envelope,
            })
        );
        let again = envelope.signatures[0].clone();
        envelope.signatures.push(again);
        assert_eq!(export(&envelope), None);
        envelope.signatures.clear();
        assert_eq!(export(&envelope), None);
    }
}
