//! What the suite costs, in the figures that the README states, each beside what
//! it is held against in the same run.
//!
//! `cargo bench -p touchstone-signer --bench suite`

#![allow(clippy::pedantic, clippy::unwrap_used)]

mod hygiene;
#[allow(dead_code)] // of which the tests of this crate use the rest
#[path = "../../src/sample.rs"]
mod sample;
mod timing;
mod tools;

use std::hint::black_box;

use ed25519_dalek::SigningKey;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use touchstone_canonical::canonicalize;
use touchstone_evidence::text::Region;
use touchstone_evidence::timestamp::Timestamp;
use touchstone_signer::{AgentKey, Attested, Attestor};
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

use sample::{REGION, STARTED_AT_MS, Sample};
use timing::{Side, race};

fn main() {
    println!("CPU time of one thread, the best of several rounds\n");
    for tools in [20, 512] {
        canonical(&tools::list(tools));
    }
    attest(20);
    println!();
    hygiene::run();
}

/// From a tool list's text to the digest of its canonical form, beside the same by
/// serde_json, unicode-normalization, serde_json_canonicalizer and sha2.
fn canonical(text: &[u8]) {
    assert_eq!(canonicalize(text).unwrap().sha256(), by_others(text));
    let ours = || {
        black_box(canonicalize(black_box(text)).unwrap().sha256());
    };
    let theirs = || {
        black_box(by_others(black_box(text)));
    };
    let times = race(vec![Side::new("ours", ours), Side::new("theirs", theirs)]);
    let ratio = times[1].as_secs_f64() / times[0].as_secs_f64();
    println!(
        "canonical form and SHA-256 of {} KB: {:.1?}; by others {:.1?}, {ratio:.1} times as long",
        text.len() / 1_000,
        times[0],
        times[1],
    );
}

fn by_others(text: &[u8]) -> [u8; 32] {
    let value = in_nfc(serde_json::from_slice(text).unwrap());
    Sha256::digest(serde_json_canonicalizer::to_vec(&value).unwrap()).into()
}

fn in_nfc(value: Value) -> Value {
    let text = |text: String| match is_nfc(&text) {
        true => text,
        false => text.nfc().collect(),
    };
    match value {
        Value::String(string) => Value::String(text(string)),
        Value::Array(items) => items.into_iter().map(in_nfc).collect(),
        Value::Object(members) => {
            let members = members.into_iter();
            members
                .map(|(key, value)| (text(key), in_nfc(value)))
                .collect()
        }
        other => other,
    }
}

/// The signer's whole way for a run of a server with so many tools: the agent's
/// signature, the suite, the payload, its canonical form, the signature.
fn attest(tools: usize) {
    const AGENT: u8 = 1;
    let mut sample = Sample::full(AGENT, &[]);
    let list = tools::list(tools);
    sample.answer(3, 200, &list);
    let signed = sample.sign(AGENT);
    let attestor = Attestor::new(
        SigningKey::from_bytes(&[7; 32]),
        Timestamp::from_ms(STARTED_AT_MS).unwrap(),
    );
    let agent = AgentKey {
        public_key: sample::agent(AGENT).verifying_key(),
        region: Region::new(REGION).unwrap(),
        revoked_at: None,
    };
    let attest = || attestor.attest(black_box(&signed), None, &agent).unwrap();
    let answer = attest();
    assert_eq!(
        answer.predicate.tool_count,
        Some(u32::try_from(tools).unwrap())
    );
    assert!(matches!(answer.attested, Attested::Signed { .. }));
    let run = || {
        black_box(attest());
    };
    let time = race(vec![Side::new("attest", run)])[0];
    println!(
        "evaluate, canonicalize and sign a run of {tools} tools ({} KB): {time:.0?}, {:.0} a second on one core",
        list.len() / 1_000,
        1.0 / time.as_secs_f64(),
    );
}
