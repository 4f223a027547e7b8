//! A signer that is killed at any moment starts again with the same key and
//! with every agent and token that it had answered for.

use std::io::{BufRead as _, BufReader};
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
        std::fs::write(folder.join("signer.toml"), "log = { format = \"human\" }").unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_touchstone-signer"))
            .args(["--config", "signer.toml"])
            .env_remove("RUST_LOG")
            .current_dir(folder)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
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
        Self(child)
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
