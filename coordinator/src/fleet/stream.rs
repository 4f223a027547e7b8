//! One bidirectional stream an agent. It proves that it holds a key of the
//! roster, then leases come down and reports go up. No agent is believed more
//! than its key and its tokens prove.

use std::{sync::Arc, time::Duration};
use touchstone_telemetry::Chain;

use ed25519_dalek::{Signature, VerifyingKey};
use futures_util::{StreamExt as _, stream::FuturesUnordered};
use tokio::sync::{Semaphore, mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tonic::{Request, Response, Status, Streaming};
use touchstone_proto::{
    fleet::{
        Acknowledgement, Challenge, Draining, Hello, Outcome, Report, Welcome, WorkRequest,
        WorkResponse, fleet_service_server::FleetService, work_request, work_response,
    },
    identity::{HELLO_TYPE, pae},
    signer::{EnrolRequest, EnrolResponse},
};

use super::{
    dispatch::{Connected, Dispatch},
    ingest::Ingest,
    lease::ConnectionId,
    roster::Roster,
};
use crate::{
    event::{Event, Events},
    random::{SharedRandom, draw},
    signer::{Signer, SignerError},
    store::Agent,
};

/// Agents connected at once.
pub const STREAMS_LIMIT: usize = 1_024;
/// How long an agent may take to answer the challenge.
pub const HELLO_TIMEOUT: Duration = Duration::from_secs(10);
/// Reports of one agent that are being checked or stored.
pub const REPORTS_IN_FLIGHT: usize = 32;
/// Messages down to one agent that may wait to be sent.
const DOWN_LIMIT: usize = 1_024;

type Down = mpsc::Sender<Result<WorkResponse, Status>>;

/// What the service needs.
#[derive(Clone, Debug)]
pub struct Fleet {
    pub signer: Signer,
    pub roster: Arc<Roster>,
    pub dispatch: Dispatch,
    pub ingest: Ingest,
    pub random: SharedRandom,
    pub events: Events,
    /// Cancelled when the coordinator is about to go.
    pub draining: CancellationToken,
    /// Cancelled when streams have to end.
    pub halt: CancellationToken,
    /// Every session runs under it, so that their end can be waited for.
    pub sessions: TaskTracker,
    pub places: Arc<Semaphore>,
}

#[tonic::async_trait]
impl FleetService for Fleet {
    type WorkStream = ReceiverStream<Result<WorkResponse, Status>>;

    /// Passes the request on: the signer decides, and holds the tokens.
    async fn enrol(
        &self,
        request: Request<EnrolRequest>,
    ) -> Result<Response<EnrolResponse>, Status> {
        let enrolled = self.signer.enrol(request.into_inner()).await;
        let enrolled = enrolled.map_err(|error| match error {
            SignerError::Refused(status) => Status::new(status.code(), status.message()),
            SignerError::Away(_) | SignerError::Stumbled(_) | SignerError::Late(_) => {
                Status::unavailable("the signer is out of reach")
            }
        })?;
        Ok(Response::new(enrolled))
    }

    async fn work(
        &self,
        request: Request<Streaming<WorkRequest>>,
    ) -> Result<Response<Self::WorkStream>, Status> {
        if self.draining.is_cancelled() {
            return Err(Status::unavailable("this coordinator is about to stop"));
        }
        let place = Arc::clone(&self.places)
            .try_acquire_owned()
            .map_err(|_| Status::resource_exhausted("too many agents are connected"))?;
        let (down, receiver) = mpsc::channel(DOWN_LIMIT);
        let fleet = self.clone();
        self.sessions.spawn(async move {
            let _place = place;
            if let Err(status) = fleet.session(request.into_inner(), &down).await {
                tracing::info!(status.code = ?status.code(), status.message = status.message(), "an agent's stream was ended");
                // It may be gone, and with it the need to be told.
                let _gone = down.try_send(Err(status));
            }
        });
        Ok(Response::new(ReceiverStream::new(receiver)))
    }
}

impl Fleet {
    async fn session(&self, mut up: Streaming<WorkRequest>, down: &Down) -> Result<(), Status> {
        let agent = self.greet(&mut up, down).await?;
        let session = Session {
            fleet: self,
            connection: self.dispatch.next_connection(),
            end: CancellationToken::new(),
            agent,
            down,
        };
        session.run(up).await
    }

    /// Challenge, hello, welcome.
    async fn greet(&self, up: &mut Streaming<WorkRequest>, down: &Down) -> Result<Agent, Status> {
        let nonce = draw::<32>(&*self.random).map_err(|_| Status::internal("no randomness"))?;
        let challenge = Challenge {
            nonce: nonce.to_vec(),
        };
        send(down, work_response::Message::Challenge(challenge)).await?;
        let first = tokio::time::timeout(HELLO_TIMEOUT, up.message()).await;
        let first = first.map_err(|_| Status::deadline_exceeded("no hello in time"))??;
        let message = first.and_then(|first| first.message);
        let Some(work_request::Message::Hello(hello)) = message else {
            return Err(Status::failed_precondition("the first message is a hello"));
        };
        let found = self.roster.find(&hello.agent_key_id).await;
        let agent = found
            .map_err(|error| {
                tracing::warn!(
                    error = %Chain(&error),
                    "an agent has to wait"
                );
                Status::unavailable("the roster cannot be read now")
            })?
            .ok_or_else(|| Status::permission_denied("no agent of the roster, or a revoked one"))?;
        if !proves(&hello, &nonce, &agent) {
            return Err(Status::unauthenticated("the challenge is not answered"));
        }
        let welcome = Welcome {
            region: agent.region.clone(),
        };
        send(down, work_response::Message::Welcome(welcome)).await?;
        tracing::info!(
            agent.key_id = agent.agent_key_id,
            agent.version = hello.agent_version,
            region = agent.region,
            "an agent connected"
        );
        Ok(agent)
    }
}

fn proves(hello: &Hello, nonce: &[u8], agent: &Agent) -> bool {
    let key = VerifyingKey::from_bytes(&agent.public_key);
    let signature = Signature::from_slice(&hello.signature);
    let (Ok(key), Ok(signature)) = (key, signature) else {
        return false;
    };
    key.verify_strict(&pae(HELLO_TYPE, nonce), &signature)
        .is_ok()
}

/// An agent that has proved who it is.
struct Session<'s> {
    fleet: &'s Fleet,
    connection: ConnectionId,
    agent: Agent,
    down: &'s Down,
    /// Cancelled when another connection of the same agent took over, or it
    /// does not read what we send.
    end: CancellationToken,
}

impl Session<'_> {
    async fn run(self, up: Streaming<WorkRequest>) -> Result<(), Status> {
        let connected = Connected {
            connection: self.connection,
            agent_key_id: self.agent.agent_key_id.clone(),
            region: self.agent.region.as_str().into(),
            sender: self.down.clone(),
            end: self.end.clone(),
        };
        let ending = |_| Status::unavailable("this coordinator is about to stop");
        self.fleet.dispatch.join(connected).await.map_err(ending)?;
        self.fleet.events.tell(Event::AgentJoined {
            agent_key_id: self.agent.agent_key_id.clone(),
            region: self.agent.region.clone(),
        });
        let result = tokio::select! {
            result = self.serve(up) => result,
            () = self.end.cancelled() => Err(Status::aborted("another connection took over")),
        };
        // Its leases are offered again at once, whatever ended it.
        let _ending = self.fleet.dispatch.leave(self.connection).await;
        self.fleet.events.tell(Event::AgentLeft {
            agent_key_id: self.agent.agent_key_id.clone(),
            region: self.agent.region.clone(),
        });
        tracing::info!(agent.key_id = self.agent.agent_key_id, "an agent is gone");
        result
    }

    async fn serve(&self, mut up: Streaming<WorkRequest>) -> Result<(), Status> {
        let mut reports = FuturesUnordered::new();
        let mut roster = self.fleet.roster.changes();
        // It may have been revoked since it was greeted.
        self.still_counts()?;
        let mut told = false;
        let mut open = true;
        while open || !reports.is_empty() {
            tokio::select! {
                Ok(()) = roster.changed() => self.still_counts()?,
                // Nothing more is read; what was read is stored and acknowledged.
                () = self.fleet.halt.cancelled(), if open => open = false,
                () = self.fleet.draining.cancelled(), if !told => {
                    told = true;
                    send(self.down, work_response::Message::Draining(Draining {})).await?;
                }
                Some(acknowledgement) = reports.next() => {
                    send(self.down, work_response::Message::Acknowledgement(acknowledgement)).await?;
                }
                message = up.message(), if open && reports.len() < REPORTS_IN_FLIGHT => {
                    match message?.map(|request| request.message) {
                        None => open = false,
                        Some(message) => {
                            if let Some(report) = self.obey(message).await? {
                                reports.push(self.store(report));
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The agent was not revoked.
    fn still_counts(&self) -> Result<(), Status> {
        let agent = self.fleet.roster.agent(&self.agent.agent_key_id);
        agent
            .map(drop)
            .ok_or_else(|| Status::permission_denied("this agent was revoked"))
    }

    async fn obey(&self, message: Option<work_request::Message>) -> Result<Option<Report>, Status> {
        use work_request::Message;
        let dispatch = &self.fleet.dispatch;
        let sent = match message {
            Some(Message::Credits(credits)) => {
                dispatch.credit(self.connection, credits.permits).await
            }
            Some(Message::Draining(Draining {})) => dispatch.drain(self.connection).await,
            Some(Message::Report(report)) => return Ok(Some(report)),
            Some(Message::Hello(_)) => {
                return Err(Status::failed_precondition("hello was said before"));
            }
            // A message of a later version: not for us.
            None => Ok(()),
        };
        sent.map_err(|_| Status::unavailable("this coordinator is about to stop"))?;
        Ok(None)
    }

    async fn store(&self, report: Report) -> Acknowledgement {
        let run_id = report.run_id.clone();
        let outcome: Outcome = self.fleet.ingest.take(report, self.agent.clone()).await;
        Acknowledgement {
            run_id,
            outcome: outcome.into(),
        }
    }
}

async fn send(down: &Down, message: work_response::Message) -> Result<(), Status> {
    let response = WorkResponse {
        message: Some(message),
    };
    down.send(Ok(response))
        .await
        .map_err(|_| Status::cancelled("the agent is gone"))
}
