//! A signer that answers as a test tells it, and can be away.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use tokio::{net::UnixListener, runtime::Runtime, sync::watch};
use tokio_stream::wrappers::UnixListenerStream;
use tonic::{Request, Response, Status, transport::Server};
use touchstone_proto::{
    Recorded,
    signer::{
        Agent, AttestRequest, AttestResponse, Attested, Declined, EnrolRequest, EnrolResponse,
        KeysRequest, KeysResponse, LogProof, LogRequest, LogResponse, RosterRequest,
        RosterResponse,
        attest_response::Result as Verdict,
        signer_service_server::{SignerService, SignerServiceServer},
    },
};

/// What the signer says of a run.
#[derive(Clone, Debug, Default)]
pub(crate) enum Mood {
    #[default]
    Signs,
    Declines(&'static str),
    Fails(Status),
}

/// Whom it lets wait for an answer.
#[derive(Clone, Debug, Default)]
pub(crate) enum Held {
    #[default]
    Nobody,
    All,
    Run(String),
}

impl Held {
    fn holds(&self, run_id: &str) -> bool {
        match self {
            Self::Nobody => false,
            Self::All => true,
            Self::Run(held) => held == run_id,
        }
    }
}

#[derive(Debug, Default)]
struct State {
    agents: Vec<Agent>,
    mood: Mood,
    attested: Vec<String>,
    /// What each was to be compared with.
    baselines: Vec<Option<String>>,
}

/// Keeps what it was told while it is away.
#[derive(Debug)]
pub(crate) struct FakeSigner {
    socket: PathBuf,
    state: Arc<Mutex<State>>,
    held: watch::Sender<Held>,
    /// Of its own, so that its end closes every connection, as that of a
    /// process does.
    runtime: Mutex<Option<Runtime>>,
}

impl FakeSigner {
    pub(crate) fn start(socket: &Path, agents: Vec<Agent>) -> Self {
        let state = State {
            agents,
            ..State::default()
        };
        let signer = Self {
            socket: socket.to_owned(),
            state: Arc::new(Mutex::new(state)),
            held: watch::Sender::default(),
            runtime: Mutex::default(),
        };
        signer.come_back();
        signer
    }

    pub(crate) fn come_back(&self) {
        let _ = std::fs::remove_file(&self.socket);
        let listener = std::os::unix::net::UnixListener::bind(&self.socket).unwrap();
        listener.set_nonblocking(true).unwrap();
        let service =
            SignerServiceServer::new(Service(Arc::clone(&self.state), self.held.subscribe()));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        runtime.spawn(async move {
            let incoming = UnixListenerStream::new(UnixListener::from_std(listener).unwrap());
            let served = Server::builder()
                .add_service(service)
                .serve_with_incoming(incoming)
                .await;
            served.unwrap();
        });
        *self.runtime.lock().unwrap() = Some(runtime);
    }

    /// Leaves at once, connections and all.
    pub(crate) fn go_away(&self) {
        if let Some(runtime) = self.runtime.lock().unwrap().take() {
            runtime.shutdown_background();
        }
        let _ = std::fs::remove_file(&self.socket);
    }

    pub(crate) fn set_mood(&self, mood: Mood) {
        self.state.lock().unwrap().mood = mood;
    }

    /// Whoever is not named, or no more, is answered.
    pub(crate) fn hold(&self, held: Held) {
        self.held.send_replace(held);
    }

    pub(crate) fn revoke(&self, agent_key_id: &str) {
        let mut state = self.state.lock().unwrap();
        let agent = state
            .agents
            .iter_mut()
            .find(|agent| agent.agent_key_id == agent_key_id);
        agent.unwrap().revoked_at_ms = 2;
    }

    /// Runs that were asked about, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.state.lock().unwrap().attested.clone()
    }

    /// The run that each of them was to be compared with.
    pub(crate) fn baselines(&self) -> Vec<Option<String>> {
        self.state.lock().unwrap().baselines.clone()
    }
}

impl Drop for FakeSigner {
    /// A runtime must not be dropped inside another one.
    fn drop(&mut self) {
        self.go_away();
    }
}

#[derive(Debug)]
struct Service(Arc<Mutex<State>>, watch::Receiver<Held>);

#[tonic::async_trait]
impl SignerService for Service {
    async fn attest(
        &self,
        request: Request<AttestRequest>,
    ) -> Result<Response<AttestResponse>, Status> {
        let AttestRequest {
            signed, baseline, ..
        } = request.into_inner();
        let signed = signed.unwrap();
        // What comes here is whole: every body that the observation names.
        let recorded = Recorded::open(&signed).unwrap();
        let run_id = &recorded.run().run_id;
        let baseline = baseline.map(|baseline| Recorded::open(&baseline).unwrap());
        let baseline_run = baseline.map(|baseline| baseline.run().run_id.clone());
        let mood = {
            let mut state = self.0.lock().unwrap();
            state.attested.push(run_id.clone());
            state.baselines.push(baseline_run);
            state.mood.clone()
        };
        let mut held = self.1.clone();
        drop(held.wait_for(|held| !held.holds(run_id)).await.unwrap());
        let (scope, verdict) = match mood {
            Mood::Fails(status) => return Err(status),
            Mood::Signs => (
                r#""full""#,
                Verdict::Attested(Attested {
                    envelope: b"{}".to_vec(),
                    key_id: "cd".repeat(32),
                    log: Some(LogProof::default()),
                    ..Attested::default()
                }),
            ),
            Mood::Declines(reason) => (
                "null",
                Verdict::Declined(Declined {
                    reason_key: reason.to_owned(),
                }),
            ),
        };
        let predicate = format!(
            r#"{{"run":{{"id":"{run_id}"}},"scope":{scope},"assertions":[{{"state":"VERIFIED"}},{{"state":"UNVERIFIED"}}],"toolset_fingerprint":null,"schema_fingerprint":null}}"#
        );
        Ok(Response::new(AttestResponse {
            predicate: predicate.into_bytes(),
            detail: b"{}".to_vec(),
            result: Some(verdict),
            timings: None,
        }))
    }

    async fn keys(&self, _: Request<KeysRequest>) -> Result<Response<KeysResponse>, Status> {
        let document = br#"{"version":1,"keys":[]}"#.to_vec();
        Ok(Response::new(KeysResponse {
            document,
            isolation: None,
        }))
    }

    async fn enrol(
        &self,
        request: Request<EnrolRequest>,
    ) -> Result<Response<EnrolResponse>, Status> {
        if request.into_inner().join_token != "good" {
            return Err(Status::permission_denied("no such join token"));
        }
        Ok(Response::new(EnrolResponse {
            agent_key_id: "ab".repeat(32),
            region: "local".to_owned(),
        }))
    }

    /// It keeps no log.
    async fn log(&self, _: Request<LogRequest>) -> Result<Response<LogResponse>, Status> {
        Err(Status::failed_precondition("there is no log"))
    }

    async fn roster(&self, _: Request<RosterRequest>) -> Result<Response<RosterResponse>, Status> {
        let agents = self.0.lock().unwrap().agents.clone();
        Ok(Response::new(RosterResponse { agents }))
    }
}
