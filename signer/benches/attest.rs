//! How many attestations a core of the signer makes in a second, log and gRPC
//! included, and how long one takes from being asked for to being in the log.
//!
//!     cargo bench -p touchstone-signer --bench attest
//!
//! The real program, its real folder, its real socket. Its own CPU time counts,
//! and not that of the caller here; waiting for the disk is no CPU time.

// A bench: it panics on a fault, and a rate is no exact number.
#![allow(clippy::unwrap_used, clippy::cast_precision_loss)]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ed25519_dalek::Signer as _;
use tokio::sync::Mutex;
use tonic::transport::Channel;
use touchstone_proto::identity::{ENROL_TYPE, pae};
use touchstone_proto::observation::SignedObservation;
use touchstone_proto::signer::signer_service_client::SignerServiceClient;
use touchstone_proto::signer::{AttestRequest, EnrolRequest, attest_response};
use touchstone_signer::AdminClient;

#[path = "../src/sample.rs"]
#[allow(dead_code)]
mod sample;
#[path = "suite/tools.rs"]
mod tools;

use sample::{REGION, Sample, agent};

const AGENT: u8 = 1;
/// Tools of the server that every run is of.
const TOOLS: usize = 20;
/// Where the sample lists them.
const LISTING: usize = 3;
const RUNS: usize = 4000;
/// Requests under way at one time, of as many connections.
const CALLERS: [usize; 3] = [1, 8, 32];
const TOKEN_LASTS_S: u32 = 600;
/// Of /proc on Linux, whose USER_HZ is 100 everywhere.
const MS_PER_TICK: u64 = 10;

#[tokio::main]
async fn main() {
    println!("callers   runs/s of wall time   runs/s of CPU time   p50 ms   p99 ms");
    for callers in CALLERS {
        let folder = tempfile::tempdir().unwrap();
        let mut signer = start(folder.path());
        enrol(folder.path()).await;
        let before = cpu_time(signer.id());
        let began = Instant::now();
        let mut took = attest_all(folder.path(), callers).await;
        let wall = began.elapsed();
        let cpu = cpu_time(signer.id()).saturating_sub(before);
        took.sort_unstable();
        let rate = |time: Duration| RUNS as f64 / time.as_secs_f64();
        let ms = |place: usize| took[place].as_secs_f64() * 1e3;
        println!(
            "{callers:7} {:21.0} {:20.0} {:8.2} {:8.2}",
            rate(wall),
            rate(cpu),
            ms(RUNS / 2),
            ms(RUNS * 99 / 100),
        );
        signer.kill().unwrap();
        signer.wait().unwrap();
    }
}

/// How long each took.
async fn attest_all(folder: &Path, callers: usize) -> Vec<Duration> {
    let left = Arc::new(Mutex::new(runs()));
    let mut working = Vec::new();
    for _ in 0..callers {
        let (left, mut client) = (Arc::clone(&left), client(folder).await);
        working.push(tokio::spawn(async move {
            let mut took = Vec::new();
            loop {
                let Some(signed) = left.lock().await.pop() else {
                    return took;
                };
                let request = AttestRequest {
                    signed: Some(signed),
                    baseline: None,
                    log_checkpoint: Vec::new(),
                };
                let began = Instant::now();
                let answer = client.attest(request).await.unwrap().into_inner();
                took.push(began.elapsed());
                let attested = matches!(&answer.result,
                    Some(attest_response::Result::Attested(attested)) if attested.log.is_some());
                assert!(attested);
            }
        }));
    }
    let mut took = Vec::new();
    for caller in working {
        took.extend(caller.await.unwrap());
    }
    took
}

/// Runs of one server, each with an id of its own.
fn runs() -> Vec<SignedObservation> {
    let list = tools::list(TOOLS);
    let run = |number| {
        let mut sample = Sample::full(AGENT, &[]);
        sample.answer(LISTING, 200, &list);
        sample.run().run_id = format!("run-{number}");
        sample.sign(AGENT)
    };
    (0..RUNS).map(run).collect()
}

fn start(folder: &Path) -> Child {
    std::fs::write(folder.join("signer.toml"), "log = { format = \"human\" }").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_touchstone-signer"))
        .args(["--config", "signer.toml", "--allow-weak-isolation"])
        .env_remove("RUST_LOG")
        .current_dir(folder)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("the signer is ready") {
        line.clear();
        assert_ne!(log.read_line(&mut line).unwrap(), 0, "it ended");
    }
    std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
    child
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
    let address = format!("unix:{}", socket.display());
    SignerServiceClient::connect(address).await.unwrap()
}

/// User and system time of a process (proc(5), `stat`, fields 14 and 15).
fn cpu_time(pid: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    let ticks: u64 = fields[11..13]
        .iter()
        .map(|f| f.parse::<u64>().unwrap())
        .sum();
    Duration::from_millis(ticks * MS_PER_TICK)
}
