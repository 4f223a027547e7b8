//! A coordinator for tests, over a real Unix socket. Every connection that was
//! greeted is in the test's hands.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ed25519_dalek::{Signature, VerifyingKey};
use tokio::net::UnixListener;
use tokio::sync::mpsc;
use tokio_stream::wrappers::{ReceiverStream, UnixListenerStream};
use tokio_util::task::AbortOnDropHandle;
use tonic::{Request, Response, Status, Streaming};
use touchstone_proto::MESSAGE_LIMIT_BYTES;
use touchstone_proto::fleet::fleet_service_server::{FleetService, FleetServiceServer};
use touchstone_proto::fleet::{
    Acknowledgement, Challenge, Draining, Lease, Outcome, Report, Welcome, WorkRequest,
    WorkResponse, work_request, work_response,
};
use touchstone_proto::identity::{ENROL_TYPE, HELLO_TYPE, key_id, pae};
use touchstone_proto::signer::{EnrolRequest, EnrolResponse};

pub(super) const JOIN_TOKEN: &str = "join-me";
pub(super) const REGION: &str = "eu";
/// Nothing that a test waits for takes so long unless it fails.
const PATIENCE: Duration = Duration::from_secs(20);
const NONCE: [u8; 32] = [7; 32];

/// A listening coordinator.
pub(super) struct Fleet {
    pub(super) socket: PathBuf,
    state: Arc<State>,
    connections: mpsc::Receiver<Connection>,
    refusals: mpsc::Receiver<()>,
    _server: AbortOnDropHandle<()>,
}

#[derive(Default)]
struct State {
    /// Public keys.
    roster: Mutex<HashSet<[u8; 32]>>,
    enrolments: Mutex<usize>,
}

struct Service {
    state: Arc<State>,
    greeted: mpsc::Sender<Connection>,
    refused: mpsc::Sender<()>,
}

/// One greeted connection. Dropping it loses the connection.
pub(super) struct Connection {
    up: Streaming<WorkRequest>,
    down: mpsc::Sender<Result<WorkResponse, Status>>,
}

impl Fleet {
    pub(super) fn start(folder: &Path) -> Self {
        let socket = folder.join("fleet.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let state = Arc::new(State::default());
        let (greeted, connections) = mpsc::channel(8);
        let (refused, refusals) = mpsc::channel(1);
        let service = FleetServiceServer::new(Service {
            state: Arc::clone(&state),
            greeted,
            refused,
        })
        .max_decoding_message_size(MESSAGE_LIMIT_BYTES)
        .max_encoding_message_size(MESSAGE_LIMIT_BYTES);
        let server = tokio::spawn(async move {
            tonic::transport::Server::builder()
                .add_service(service)
                .serve_with_incoming(UnixListenerStream::new(listener))
                .await
                .unwrap();
        });
        Self {
            socket,
            state,
            connections,
            refusals,
            _server: AbortOnDropHandle::new(server),
        }
    }

    pub(super) fn enrolments(&self) -> usize {
        *self.state.enrolments.lock().unwrap()
    }

    /// The next agent that was turned away.
    pub(super) async fn refused(&mut self) {
        patiently(self.refusals.recv()).await.unwrap();
    }

    /// The next connection that was greeted.
    pub(super) async fn connection(&mut self) -> Connection {
        patiently(self.connections.recv()).await.unwrap()
    }
}

impl Connection {
    pub(super) async fn next(&mut self) -> work_request::Message {
        let message = patiently(self.up.message()).await.unwrap();
        message
            .expect("the agent ended the stream")
            .message
            .unwrap()
    }

    /// The agent has ended its side.
    pub(super) async fn ends(mut self) {
        assert_eq!(patiently(self.up.message()).await.unwrap_or(None), None);
    }

    pub(super) async fn credits(&mut self) -> u32 {
        match self.next().await {
            work_request::Message::Credits(credits) => credits.permits,
            other => panic!("credits expected, not {other:?}"),
        }
    }

    /// The next report; credits before it are passed over.
    pub(super) async fn report(&mut self) -> Report {
        loop {
            match self.next().await {
                work_request::Message::Report(report) => return report,
                work_request::Message::Credits(_) => {}
                other => panic!("a report expected, not {other:?}"),
            }
        }
    }

    pub(super) async fn lease(&self, lease: Lease) {
        self.say(work_response::Message::Lease(lease)).await;
    }

    pub(super) async fn answer(&self, run_id: &str, outcome: Outcome) {
        self.say(work_response::Message::Acknowledgement(Acknowledgement {
            run_id: run_id.into(),
            outcome: outcome.into(),
        }))
        .await;
    }

    pub(super) async fn drain(&self) {
        self.say(work_response::Message::Draining(Draining {}))
            .await;
    }

    async fn say(&self, message: work_response::Message) {
        self.down.send(Ok(down(message))).await.unwrap();
    }
}

#[tonic::async_trait]
impl FleetService for Service {
    type WorkStream = ReceiverStream<Result<WorkResponse, Status>>;

    async fn enrol(
        &self,
        request: Request<EnrolRequest>,
    ) -> Result<Response<EnrolResponse>, Status> {
        let request = request.into_inner();
        if request.join_token != JOIN_TOKEN {
            return Err(Status::permission_denied("this token was never minted"));
        }
        let key: [u8; 32] = request.public_key[..].try_into().unwrap();
        verify(&key, ENROL_TYPE, JOIN_TOKEN.as_bytes(), &request.signature);
        self.state.roster.lock().unwrap().insert(key);
        *self.state.enrolments.lock().unwrap() += 1;
        Ok(Response::new(EnrolResponse {
            agent_key_id: key_id(&key),
            region: REGION.into(),
        }))
    }

    async fn work(
        &self,
        request: Request<Streaming<WorkRequest>>,
    ) -> Result<Response<Self::WorkStream>, Status> {
        let mut up = request.into_inner();
        let (down_to, stream) = mpsc::channel(8);
        let (greeted, refused) = (self.greeted.clone(), self.refused.clone());
        let state = Arc::clone(&self.state);
        tokio::spawn(async move {
            let challenge = Challenge {
                nonce: NONCE.to_vec(),
            };
            let _ = down_to
                .send(Ok(down(work_response::Message::Challenge(challenge))))
                .await;
            let Ok(Some(WorkRequest {
                message: Some(work_request::Message::Hello(hello)),
            })) = up.message().await
            else {
                panic!("the first message up must be a hello");
            };
            let known = {
                let roster = state.roster.lock().unwrap();
                roster
                    .iter()
                    .find(|key| key_id(key) == hello.agent_key_id)
                    .copied()
            };
            let Some(key) = known else {
                let status = Status::unauthenticated("no agent of the roster has this key");
                let _ = down_to.send(Err(status)).await;
                // Full when nobody in the test asks.
                let _ = refused.try_send(());
                return;
            };
            verify(&key, HELLO_TYPE, &NONCE, &hello.signature);
            let welcome = Welcome {
                region: REGION.into(),
            };
            let _ = down_to
                .send(Ok(down(work_response::Message::Welcome(welcome))))
                .await;
            let _ = greeted.send(Connection { up, down: down_to }).await;
        });
        Ok(Response::new(ReceiverStream::new(stream)))
    }
}

pub(super) async fn patiently<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("what the test waits for did not happen")
}

fn down(message: work_response::Message) -> WorkResponse {
    WorkResponse {
        message: Some(message),
    }
}

fn verify(key: &[u8; 32], payload_type: &str, payload: &[u8], signature: &[u8]) {
    let signature = Signature::from_slice(signature).unwrap();
    VerifyingKey::from_bytes(key)
        .unwrap()
        .verify_strict(&pae(payload_type, payload), &signature)
        .unwrap();
}
