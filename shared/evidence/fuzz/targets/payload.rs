//! Any payload under a good signature: what is found valid is canonical, and
//! is written again as the same bytes.
#![no_main]

use std::sync::LazyLock;

use ed25519_dalek::{Signer as _, SigningKey};
use libfuzzer_sys::fuzz_target;
use touchstone_canonical::canonicalize;
use touchstone_evidence::base64::Base64;
use touchstone_evidence::bundle::Bundle;
use touchstone_evidence::dsse::{self, Envelope};
use touchstone_evidence::keyset::{KeyDocument, KeyEntry, Purpose};
use touchstone_evidence::payload::Statement;
use touchstone_evidence::timestamp::Timestamp;
use touchstone_evidence::verify::{Outcome, verify};

static KEY: LazyLock<SigningKey> = LazyLock::new(|| SigningKey::from_bytes(&[7; 32]));
static KEYS: LazyLock<KeyDocument> = LazyLock::new(|| {
    let from = Timestamp::from_ms(0).expect("the epoch has a text");
    let entry = KeyEntry::active(Purpose::Attestation, &KEY.verifying_key(), from);
    KeyDocument::new(1, vec![entry]).expect("one good key")
});

fuzz_target!(|payload: &[u8]| {
    // A signed envelope, whose payload and signature are then replaced.
    let any = canonicalize(b"{}").expect("an empty object");
    let mut envelope: Envelope = dsse::sign(&any, &KEY);
    envelope.payload = Base64(payload.to_vec());
    envelope.signatures[0].sig = Base64(KEY.sign(&envelope.signed_bytes()).to_vec());
    let bundle = Bundle::new(envelope, &KEYS, None, None);
    if verify(&bundle, None, None).verdict == Outcome::Valid {
        let statement = Statement::read(payload).expect("a valid payload reads");
        let written = statement.canonical().expect("a statement is written");
        assert_eq!(written.as_bytes(), payload);
    }
});
