//! A signer that is killed at any moment starts again with the same key and
//! with every agent and token that it had answered for.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use ed25519_dalek::{Signer as _, SigningKey};
use touchstone_evidence::keyset::{KeyDocument, KeyEntry, Purpose};
use touchstone_proto::identity::{ENROL_TYPE, key_id, pae};
use touchstone_proto::signer::signer_service_client::SignerServiceClient;
use touchstone_proto::signer::{EnrolRequest, KeysRequest};
use touchstone_signer::{AdminClient, AdminError};

const ROUNDS: usize = 6;
const MINUTE_S: u32 = 60;

/// The real program, in a folder of its own.
pub(crate) struct Signer(Child);

impl Signer {
    /// Starts it and waits until it says that it is ready.
    pub(crate) fn start(folder: &Path) -> Self {
        Self::start_with(folder, "")
    }

    /// The same with more in its configuration.
    pub(crate) fn start_with(folder: &Path, more: &str) -> Self {
        let mut signer = Self::begin(folder, more);
        signer.wait_until_ready();
        signer
    }

    /// Starts it and waits for nothing.
    fn begin(folder: &Path, more: &str) -> Self {
        let config = format!("{more}\nlog = {{ format = \"human\" }}");
        std::fs::write(folder.join("signer.toml"), config).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_touchstone-signer"))
            // On any machine: what isolates it has tests of its own.
            .args(["--config", "signer.toml", "--allow-weak-isolation"])
            .env_remove("RUST_LOG")
            .current_dir(folder)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self(child)
    }

    fn wait_until_ready(&mut self) {
        let mut log = BufReader::new(self.0.stderr.take().unwrap());
        let mut said = String::new();
        loop {
            let before = said.len();
            assert_ne!(log.read_line(&mut said).unwrap(), 0, "it ended: {said}");
            if said[before..].contains("the signer is ready") {
                break;
            }
        }
        // Its log is read to the end, so that it never waits for a reader.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
    }

    /// SIGKILL: it gets no moment to put anything right.
    pub(crate) fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_was_answered_is_lost_when_it_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut enrolled: Vec<String> = Vec::new();
    let mut attestation_key = None;
    for round in 1..=ROUNDS {
        let signer = Signer::start(folder);
        let keys = keys(folder).await;
        let attests = |key: &&KeyEntry| key.purpose == Purpose::Attestation;
        let ours: Vec<_> = keys.keys().iter().filter(attests).cloned().collect();
        let first = attestation_key.get_or_insert_with(|| ours.clone());
        assert_eq!(*first, ours);
        for agent in &enrolled {
            assert!(keys.find(agent).is_some(), "agent {agent} is gone");
        }
        // It writes all the time, so that it is killed in the middle of it.
        let socket = folder.join("run/signer-admin.sock");
        let writing = tokio::spawn(async move { while mint(&socket).await.is_ok() {} });
        for _ in 0..round {
            enrolled.push(enrol(folder, enrolled.len()).await);
        }
        signer.kill();
        writing.await.unwrap();
    }
    let signer = Signer::start(folder);
    let keys = keys(folder).await;
    assert!(enrolled.iter().all(|agent| keys.find(agent).is_some()));
    signer.kill();
}

#[test]
fn a_key_is_whole_when_the_signer_is_killed_while_it_seals_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let passphrase = folder.join("passphrase");
    std::fs::write(&passphrase, "a passphrase of ours\n").unwrap();
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(&passphrase, private).unwrap();
    let more = "passphrase_file = \"passphrase\"";
    Signer::start(folder).kill();
    let key = folder.join("signer/attestation.pem");
    let open = std::fs::read(&key).unwrap();
    let public = public_half(&key, None);
    // Each is slow, as guessing the passphrase is to be.
    for right_after in [false, true] {
        write_private(&key, &open);
        let mut signer = Signer::begin(folder, more);
        // In the middle of it, or right after.
        let unfinished = folder.join("signer/attestation.pem.new");
        while !unfinished.exists()
            && std::fs::read(&key).unwrap() == open
            && signer.0.try_wait().unwrap().is_none()
        {
            std::hint::spin_loop();
        }
        if right_after {
            while std::fs::read(&key).unwrap() == open {
                std::hint::spin_loop();
            }
        }
        signer.kill();
        assert_eq!(public_half(&key, Some(&passphrase)), public);
    }
    let signer = Signer::start_with(folder, more);
    assert_eq!(public_half(&key, Some(&passphrase)), public);
    let sealed = std::fs::read_to_string(&key).unwrap();
    assert!(sealed.starts_with("-----BEGIN ENCRYPTED PRIVATE KEY-----"));
    assert!(!folder.join("signer/attestation.pem.new").exists());
    signer.kill();
}

fn write_private(path: &Path, bytes: &[u8]) {
    let _ = std::fs::remove_file(path);
    std::fs::write(path, bytes).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// As openssl reads it, whether the key is sealed or not.
fn public_half(key: &Path, passphrase: Option<&Path>) -> Vec<u8> {
    let mut command = Command::new("openssl");
    command
        .args(["pkey", "-pubout", "-outform", "DER", "-in"])
        .arg(key);
    if let Some(passphrase) = passphrase {
        command
            .arg("-passin")
            .arg(format!("file:{}", passphrase.display()));
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output.stdout
}

async fn client(folder: &Path) -> SignerServiceClient<tonic::transport::Channel> {
    let socket = folder.join("run/signer.sock");
    let address = format!("unix:{}", socket.display());
    SignerServiceClient::connect(address).await.unwrap()
}

async fn keys(folder: &Path) -> KeyDocument {
    let answer = client(folder).await.keys(KeysRequest {}).await.unwrap();
    KeyDocument::read(&answer.into_inner().document).unwrap()
}

async fn mint(admin_socket: &Path) -> Result<String, AdminError> {
    AdminClient::mint_join_token(admin_socket, "eu-west", MINUTE_S).await
}

async fn enrol(folder: &Path, number: usize) -> String {
    let join_token = mint(&folder.join("run/signer-admin.sock")).await.unwrap();
    let mut seed = [1; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    let key = SigningKey::from_bytes(&seed);
    let public_key = key.verifying_key().to_bytes();
    let request = EnrolRequest {
        signature: key.sign(&pae(ENROL_TYPE, join_token.as_bytes())).to_vec(),
        public_key: public_key.to_vec(),
        join_token,
    };
    let answer = client(folder).await.enrol(request).await.unwrap();
    let answer = answer.into_inner();
    assert_eq!(answer.agent_key_id, key_id(&public_key));
    assert_eq!(answer.region, "eu-west");
    answer.agent_key_id
}
