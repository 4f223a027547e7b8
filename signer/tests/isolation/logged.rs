//! The real program's log, written from inside the barriers, and gone on with
//! after a kill.

use std::path::Path;

use ed25519_dalek::Signer as _;
use tonic::transport::Channel;
use touchstone_proto::identity::{ENROL_TYPE, pae};
use touchstone_proto::signer::signer_service_client::SignerServiceClient;
use touchstone_proto::signer::{
    AttestRequest, EnrolRequest, LogProof, LogRequest, LogResponse, attest_response,
};
use touchstone_signer::AdminClient;

use crate::program::{ALLOW, CONFIG, PROGRAM, command, folder, started};
use crate::sample::{REGION, Sample, agent};

const AGENT: u8 = 1;
const RUNS: u64 = 6;
const TOKEN_LASTS_S: u32 = 60;

pub(crate) fn a_locked_signer_keeps_its_log() {
    let folder = folder();
    let start = || started(command(PROGRAM, folder.path()).args(CONFIG).arg(ALLOW)).0;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let signer = start();
    runtime.block_on(enrol(folder.path()));
    let (first, part) = runtime.block_on(attest_all(folder.path()));
    let places: Vec<u64> = first.iter().map(|proof| proof.index).collect();
    assert_eq!(places, (0..RUNS).collect::<Vec<_>>());
    assert_eq!(part.entries.len() as u64, RUNS);
    drop(signer);
    // It reads what it wrote, and adds nothing that is there.
    let signer = start();
    let (again, after) = runtime.block_on(attest_all(folder.path()));
    let index = |proof: &LogProof| proof.index;
    assert!(again.iter().map(index).eq(first.iter().map(index)));
    assert_eq!(
        (after.entries, after.checkpoint),
        (part.entries, part.checkpoint)
    );
    drop(signer);
}

/// Where each of a few runs stands in the log, and the log.
async fn attest_all(folder: &Path) -> (Vec<LogProof>, LogResponse) {
    let mut client = client(folder).await;
    let mut proofs = Vec::new();
    for number in 0..RUNS {
        let mut sample = Sample::full(AGENT, &["add"]);
        sample.run().run_id = format!("run-{number}");
        let request = AttestRequest {
            signed: Some(sample.sign(AGENT)),
            ..AttestRequest::default()
        };
        let answer = client.attest(request).await.unwrap().into_inner();
        let Some(attest_response::Result::Attested(attested)) = answer.result else {
            panic!("declined");
        };
        proofs.push(attested.log.unwrap());
    }
    let log = client.log(LogRequest::default()).await.unwrap();
    (proofs, log.into_inner())
}

async fn enrol(folder: &Path) {
    let admin = folder.join("run/signer-admin.sock");
    let token = AdminClient::mint_join_token(&admin, REGION, TOKEN_LASTS_S)
        .await
        .unwrap();
    let key = agent(AGENT);
    let request = EnrolRequest {
        signature: key.sign(&pae(ENROL_TYPE, token.as_bytes())).to_vec(),
        public_key: key.verifying_key().to_bytes().to_vec(),
        join_token: token,
    };
    client(folder).await.enrol(request).await.unwrap();
}

async fn client(folder: &Path) -> SignerServiceClient<Channel> {
    let socket = folder.join("run/signer.sock");
    SignerServiceClient::connect(format!("unix:{}", socket.display()))
        .await
        .unwrap()
}
