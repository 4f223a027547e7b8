//! The role as it runs: real gRPC over its two Unix sockets.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};

use ed25519_dalek::Signer as _;
use tokio::task::JoinHandle;
use tonic::Code;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use touchstone_evidence::bundle::Bundle;
use touchstone_evidence::dsse::Envelope;
use touchstone_evidence::keyset::{KeyDocument, KeyState};
use touchstone_evidence::log::entry::Entry;
use touchstone_evidence::log::hash::Hash;
use touchstone_evidence::log::inclusion::LogProof;
use touchstone_evidence::payload::Statement;
use touchstone_evidence::verify::{Outcome, StepName, verify};
use touchstone_proto::identity::{ENROL_TYPE, pae};
use touchstone_proto::observation::SignedObservation;
use touchstone_proto::signer::attest_response::Result as Attestation;
use touchstone_proto::signer::signer_service_client::SignerServiceClient;
use touchstone_proto::signer::{
    AttestRequest, AttestResponse, Attested, EnrolRequest, EnrolResponse, KeysRequest, LogRequest,
    RosterRequest,
};

use super::*;
use crate::admin::{AdminClient, AdminError};
use crate::sample::{REGION, STARTED_AT_MS, Sample, agent};

const AGENT: u8 = 1;
const MINUTE_S: u32 = 60;
/// The agent joins a little before its run begins.
const STARTED_BEFORE_MS: i64 = STARTED_AT_MS - 5_000;

/// A running signer in a folder of its own, with a clock that stands still.
struct Running {
    folder: Arc<tempfile::TempDir>,
    clock: Arc<AtomicI64>,
    shutdown: CancellationToken,
    role: JoinHandle<Result<(), Error>>,
}

impl Running {
    fn start() -> Self {
        Self::start_in(Arc::new(tempfile::tempdir().unwrap()))
    }

    fn start_in(folder: Arc<tempfile::TempDir>) -> Self {
        let clock = Arc::new(AtomicI64::new(STARTED_BEFORE_MS));
        let shutdown = CancellationToken::new();
        let now = Arc::clone(&clock);
        let ready = Ready::open(
            &config(folder.path()),
            Arc::new(move || now.load(Ordering::SeqCst)),
        );
        let role = tokio::spawn(ready.unwrap().serve(shutdown.clone()));
        Self {
            folder,
            clock,
            shutdown,
            role,
        }
    }

    /// Stops it and gives back its folder, to start again in.
    async fn stop(self) -> Arc<tempfile::TempDir> {
        self.shutdown.cancel();
        self.role.await.unwrap().unwrap();
        self.folder
    }

    async fn connect(&self) -> Option<SignerServiceClient<Channel>> {
        let address = format!("unix:{}", config(self.folder.path()).socket.display());
        let client = SignerServiceClient::connect(address).await.ok()?;
        Some(client.max_decoding_message_size(MESSAGE_LIMIT_BYTES))
    }

    async fn client(&self) -> SignerServiceClient<Channel> {
        self.connect().await.unwrap()
    }

    fn admin_socket(&self) -> PathBuf {
        config(self.folder.path()).admin_socket
    }

    async fn mint(&self) -> String {
        AdminClient::mint_join_token(&self.admin_socket(), REGION, MINUTE_S)
            .await
            .unwrap()
    }

    async fn enrol(&self, token: &str, seed: u8) -> Result<EnrolResponse, tonic::Status> {
        let key = agent(seed);
        let request = EnrolRequest {
            join_token: token.to_owned(),
            public_key: key.verifying_key().to_bytes().to_vec(),
            signature: key.sign(&pae(ENROL_TYPE, token.as_bytes())).to_vec(),
        };
        Ok(self.client().await.enrol(request).await?.into_inner())
    }

    async fn attest(&self, signed: &SignedObservation) -> Result<AttestResponse, tonic::Status> {
        let request = AttestRequest {
            signed: Some(signed.clone()),
            baseline: None,
            log_checkpoint: Vec::new(),
        };
        Ok(self.client().await.attest(request).await?.into_inner())
    }

    async fn keys(&self) -> KeyDocument {
        let answer = self.client().await.keys(KeysRequest {}).await.unwrap();
        KeyDocument::read(&answer.into_inner().document).unwrap()
    }
}

fn config(folder: &Path) -> Config {
    Config {
        data: folder.join("signer"),
        socket: folder.join("run/signer.sock"),
        admin_socket: folder.join("run/signer-admin.sock"),
        ..Config::default()
    }
}

#[tokio::test]
async fn an_agent_joins_and_its_observation_is_attested() {
    let signer = Running::start();
    let before = signer.keys().await;
    let token = signer.mint().await;
    let joined = signer.enrol(&token, AGENT).await.unwrap();
    assert_eq!(joined.region, REGION);

    let signed = Sample::full(AGENT, &["add"]).sign(AGENT);
    let answer = signer.attest(&signed).await.unwrap();
    let Some(Attestation::Attested(attested)) = answer.result else {
        panic!("declined");
    };
    let envelope = Envelope::read(&attested.envelope).unwrap();
    let statement = Statement::read(envelope.payload.as_bytes()).unwrap();
    let predicate = statement.predicate().canonical().unwrap();
    assert_eq!(answer.predicate, predicate.as_bytes());
    let detail: serde_json::Value = serde_json::from_slice(&answer.detail).unwrap();
    assert_eq!(detail["tool_names"][0], "add");

    // What the coordinator hands out is all that a stranger needs.
    let keys = signer.keys().await;
    assert!(keys.version() > before.version());
    assert_eq!(attested.key_id, keys.keys()[0].key_id.as_str());
    let proof = proof_of(&attested);
    let bundle = Bundle::new(envelope, &keys, Some(&signed), None).logged(proof.clone(), &keys);
    let verdict = verify(&bundle, Some(&keys), None);
    assert_eq!(verdict.verdict, Outcome::Valid, "{verdict:?}");
    assert!(
        verdict
            .steps
            .iter()
            .any(|step| step.step == StepName::Inclusion)
    );

    // Attested again, also after a start: one entry, for ever in its place.
    let again = |answer: AttestResponse| match answer.result {
        Some(Attestation::Attested(again)) => (again.envelope.clone(), proof_of(&again)),
        other => panic!("{other:?}"),
    };
    let second = again(signer.attest(&signed).await.unwrap());
    assert_eq!(second, (attested.envelope.clone(), proof.clone()));
    let signer = Running::start_in(signer.stop().await);
    let third = again(signer.attest(&signed).await.unwrap());
    assert_eq!(third, (attested.envelope, proof));
    signer.stop().await;
}

fn proof_of(attested: &Attested) -> LogProof {
    let proof = attested.log.clone().unwrap();
    let hashes = proof.inclusion.iter().map(|hash| Hash::try_from(&hash[..]));
    LogProof {
        index: proof.index,
        inclusion: hashes.collect::<Result<_, _>>().unwrap(),
        checkpoint: String::from_utf8(proof.checkpoint).unwrap(),
    }
}

/// What the coordinator serves is read from the signer in parts; who shows a
/// checkpoint that the disk does not bear out stops the log.
#[tokio::test]
async fn the_log_is_read_in_parts_and_stops_when_it_was_set_back() {
    let signer = Running::start();
    let token = signer.mint().await;
    signer.enrol(&token, AGENT).await.unwrap();
    let attest = async |signer: &Running, run: &str| {
        let mut sample = Sample::full(AGENT, &["add"]);
        sample.run().run_id = run.to_owned();
        signer.attest(&sample.sign(AGENT)).await
    };
    let log = async |signer: &Running, from, held: &[u8]| {
        let log_checkpoint = held.to_vec();
        let request = LogRequest {
            from,
            log_checkpoint,
        };
        Ok::<_, tonic::Status>(signer.client().await.log(request).await?.into_inner())
    };
    attest(&signer, "run-1").await.unwrap();
    let kept = tempfile::tempdir().unwrap();
    let copy = |from: &Path, to: &Path| {
        for name in ["entries", "nodes", "checkpoint"] {
            std::fs::copy(from.join(name), to.join(name)).unwrap();
        }
    };
    let folder = config(signer.folder.path()).data.join("log");
    copy(&folder, kept.path());
    attest(&signer, "run-2").await.unwrap();
    let part = log(&signer, 0, &[]).await.unwrap();
    assert_eq!(part.entries.len(), 2);
    let entry = Entry::read(&part.entries[1]).unwrap();
    assert_eq!(entry.run_id.as_str(), "run-2");
    assert!(
        log(&signer, 2, &part.checkpoint)
            .await
            .unwrap()
            .entries
            .is_empty()
    );
    let beyond = log(&signer, 3, &[]).await.unwrap_err();
    assert_eq!(beyond.code(), Code::OutOfRange);
    let foreign = log(&signer, 0, b"no note").await.unwrap_err();
    assert_eq!(foreign.code(), Code::Unavailable);

    let stopped = signer.stop().await;
    copy(kept.path(), &folder);
    let signer = Running::start_in(stopped);
    let behind = log(&signer, 2, &part.checkpoint).await.unwrap_err();
    assert_eq!(behind.code(), Code::Unavailable);
    assert!(behind.message().contains("set back"), "{behind}");
    let refused = attest(&signer, "run-3").await.unwrap_err();
    assert!(refused.message().contains("set back"), "{refused}");
    signer.stop().await;
}

#[tokio::test]
async fn observations_that_are_not_an_agents_are_refused() {
    let signer = Running::start();
    let signed = Sample::full(AGENT, &["add"]).sign(AGENT);
    let code = |answer: Result<AttestResponse, tonic::Status>| answer.unwrap_err().code();
    assert_eq!(code(signer.attest(&signed).await), Code::PermissionDenied);

    let token = signer.mint().await;
    let joined = signer.enrol(&token, AGENT).await.unwrap();
    assert!(signer.attest(&signed).await.is_ok());

    let mut forged = signed.clone();
    forged.signature[0] ^= 1;
    assert_eq!(code(signer.attest(&forged).await), Code::PermissionDenied);
    let mut elsewhere = Sample::full(AGENT, &["add"]);
    elsewhere.run().region = "us-east".to_owned();
    let elsewhere = elsewhere.sign(AGENT);
    assert_eq!(
        code(signer.attest(&elsewhere).await),
        Code::PermissionDenied
    );
    let mut newer = Sample::full(AGENT, &["add"]);
    newer.observation.format = 2;
    let newer = newer.sign(AGENT);
    assert_eq!(code(signer.attest(&newer).await), Code::InvalidArgument);
    let nothing = AttestRequest::default();
    let refused = signer.client().await.attest(nothing).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);

    let revoked = AdminClient::revoke_agent(&signer.admin_socket(), &joined.agent_key_id).await;
    assert_ne!(revoked.unwrap().revoked_at_ms, 0);
    assert_eq!(code(signer.attest(&signed).await), Code::PermissionDenied);
    let keys = signer.keys().await;
    assert_eq!(
        keys.find(&joined.agent_key_id).unwrap().state,
        KeyState::Revoked
    );
    signer.stop().await;
}

#[tokio::test]
async fn a_run_that_is_not_signed_is_declined_with_its_findings() {
    let signer = Running::start();
    let token = signer.mint().await;
    signer.enrol(&token, AGENT).await.unwrap();
    let signed = Sample::failing(AGENT).sign(AGENT);
    let answer = signer.attest(&signed).await.unwrap();
    let Some(Attestation::Declined(declined)) = answer.result else {
        panic!("attested");
    };
    assert_eq!(declined.reason_key, "server_error");
    let predicate: serde_json::Value = serde_json::from_slice(&answer.predicate).unwrap();
    assert!(predicate["scope"].is_null());
    assert_eq!(predicate["assertions"].as_array().unwrap().len(), 15);
    signer.stop().await;
}

#[tokio::test]
async fn a_token_is_for_one_agent_and_a_short_time() {
    let signer = Running::start();
    let (first, second) = (signer.mint().await, signer.mint().await);
    signer.enrol(&first, 1).await.unwrap();
    let refused = |answer: Result<EnrolResponse, tonic::Status>| answer.unwrap_err().code();
    assert_eq!(
        refused(signer.enrol(&first, 2).await),
        Code::PermissionDenied
    );
    assert_eq!(
        refused(signer.enrol("guessed", 2).await),
        Code::PermissionDenied
    );
    let long = "x".repeat(10_000);
    assert_eq!(
        refused(signer.enrol(&long, 2).await),
        Code::PermissionDenied
    );
    assert_eq!(refused(signer.enrol(&second, 1).await), Code::AlreadyExists);
    let expired_ms = STARTED_BEFORE_MS + i64::from(MINUTE_S) * 1_000;
    signer.clock.store(expired_ms, Ordering::SeqCst);
    assert_eq!(
        refused(signer.enrol(&second, 2).await),
        Code::PermissionDenied
    );
    let nowhere = AdminClient::mint_join_token(&signer.admin_socket(), "EU West", 60).await;
    assert!(
        matches!(nowhere, Err(AdminError::Refused(status)) if status.code() == Code::InvalidArgument)
    );
    signer.stop().await;
}

#[tokio::test]
async fn keys_and_roster_outlive_a_restart_and_sockets_do_not() {
    let signer = Running::start();
    let token = signer.mint().await;
    let joined = signer.enrol(&token, AGENT).await.unwrap();
    let keys = signer.keys().await;
    let signed = Sample::full(AGENT, &["add"]).sign(AGENT);
    let mut once = signer.attest(&signed).await.unwrap();
    once.timings = None;
    let folder = signer.stop().await;
    let (socket, admin) = (
        config(folder.path()).socket,
        config(folder.path()).admin_socket,
    );
    assert!(!socket.exists() && !admin.exists());

    let signer = Running::start_in(folder);
    assert_eq!(signer.keys().await, keys);
    let roster = signer
        .client()
        .await
        .roster(RosterRequest {})
        .await
        .unwrap();
    let agents = roster.into_inner().agents;
    assert_eq!(agents.len(), 1);
    assert_eq!(agents[0].agent_key_id, joined.agent_key_id);
    assert_eq!(agents[0].enrolled_at_ms, STARTED_BEFORE_MS);
    // The same observation, the same bytes.
    let mut again = signer.attest(&signed).await.unwrap();
    again.timings = None;
    assert_eq!(again, once);
    signer.stop().await;
}

#[tokio::test]
async fn both_faces_are_for_this_user_and_each_has_its_own_calls() {
    let signer = Running::start();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let config = config(signer.folder.path());
    assert_eq!(mode(&config.socket), 0o600);
    assert_eq!(mode(&config.admin_socket), 0o600);
    assert_eq!(mode(config.socket.parent().unwrap()), 0o700);
    // The coordinator's socket mints nothing.
    let minted = AdminClient::mint_join_token(&config.socket, REGION, MINUTE_S).await;
    assert!(
        matches!(minted, Err(AdminError::Refused(status)) if status.code() == Code::Unimplemented)
    );
    let address = format!("unix:{}", config.socket.display());
    let channel = Endpoint::from_shared(address)
        .unwrap()
        .connect()
        .await
        .unwrap();
    let mut health = HealthClient::new(channel);
    let request = HealthCheckRequest {
        service: "touchstone.signer.v1.SignerService".to_owned(),
    };
    let status = health.check(request).await.unwrap().into_inner().status();
    assert_eq!(
        status,
        tonic_health::pb::health_check_response::ServingStatus::Serving
    );
    signer.stop().await;
}

#[tokio::test]
async fn a_second_signer_does_not_start_beside_the_first() {
    let signer = Running::start();
    let second = Ready::open(&config(signer.folder.path()), Arc::new(system_time));
    assert!(matches!(second, Err(Error::Disk(DiskError::InUse { .. }))));
    let other_data = Config {
        data: signer.folder.path().join("other"),
        ..config(signer.folder.path())
    };
    let second = Ready::open(&other_data, Arc::new(system_time));
    assert!(matches!(second, Err(Error::Socket(SocketError::InUse(_)))));
    assert!(signer.connect().await.is_some());
    signer.stop().await;
}
