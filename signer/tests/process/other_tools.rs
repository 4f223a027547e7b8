//! openssl and git come to the same answers.

use std::path::Path;
use std::process::{Command, Output};

use ed25519_dalek::SigningKey;
use touchstone_evidence::timestamp::Timestamp;
use touchstone_proto::identity::{key_id, spki};
use touchstone_signer::{Attested, Attestor, ephemeral, recompute_command, suite_identity};

use crate::sample::{self, REGION, Sample};

const AGENT: u8 = 1;

#[test]
fn openssl_verifies_an_envelope_over_its_pae_bytes() {
    let signed = Sample::full(AGENT, &["add"]).sign(AGENT);
    let public_key = sample::agent(AGENT).verifying_key().to_bytes();
    let answer = ephemeral::attest(&signed, &public_key, REGION).unwrap();
    let Attested::Signed {
        envelope, key_id, ..
    } = answer.attested
    else {
        panic!("declined");
    };
    let key = answer.keys.find(&key_id).unwrap().public_key;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let message = envelope.signed_bytes();
    assert!(message.starts_with(b"DSSEv1 28 application/vnd.in-toto+json "));
    std::fs::write(path("key.der"), spki(key.as_bytes())).unwrap();
    std::fs::write(path("signature"), envelope.signatures[0].sig.as_bytes()).unwrap();
    std::fs::write(path("message"), &message).unwrap();
    std::fs::write(path("another"), &message[1..]).unwrap();
    assert!(openssl_verifies(folder.path(), "message"));
    assert!(!openssl_verifies(folder.path(), "another"));
}

#[test]
fn openssl_reads_a_key_file_as_the_signer_writes_it() {
    let folder = tempfile::tempdir().unwrap();
    let signer = crate::killed::Signer::start(folder.path());
    let output = openssl(
        &[
            "pkey",
            "-pubout",
            "-outform",
            "DER",
            "-in",
            "signer/attestation.pem",
        ],
        folder.path(),
    );
    let raw: [u8; 32] = output.stdout[12..].try_into().unwrap();
    assert_eq!(output.stdout, spki(&raw));
    let keys = std::fs::read_to_string(folder.path().join("signer/keys.json")).unwrap();
    assert!(keys.contains(&key_id(&raw)));
    signer.kill();
}

#[test]
fn the_printed_command_recomputes_the_suites_digest() {
    let suite = suite_identity();
    let repository = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let Some(command) = recompute_command() else {
        // Built without its history; then there is nothing to recompute.
        assert!(!repository.join(".git").exists());
        return;
    };
    let output = Command::new("sh")
        .args(["-c", &command])
        .current_dir(repository)
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed.trim_end(), suite.suite_digest.unwrap().as_str());
}

#[test]
fn a_key_id_is_the_digest_that_openssl_makes_of_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let key = SigningKey::from_bytes(&[7; 32]);
    let from = Timestamp::from_ms(sample::STARTED_AT_MS).unwrap();
    let attestor = Attestor::new(key.clone(), from);
    let spki = spki(key.verifying_key().as_bytes());
    std::fs::write(folder.path().join("key.der"), spki).unwrap();
    let output = openssl(&["dgst", "-sha256", "-r", "key.der"], folder.path());
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        printed.split(' ').next().unwrap(),
        attestor.key_entry().key_id.as_str()
    );
}

fn openssl_verifies(folder: &Path, message: &str) -> bool {
    let arguments = [
        "pkeyutl",
        "-verify",
        "-pubin",
        "-keyform",
        "DER",
        "-inkey",
        "key.der",
        "-rawin",
        "-sigfile",
        "signature",
        "-in",
        message,
    ];
    openssl(&arguments, folder).status.success()
}

fn openssl(arguments: &[&str], folder: &Path) -> Output {
    Command::new("openssl")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}
