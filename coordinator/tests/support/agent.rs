//! An agent that observes nothing and reports what a test makes up, signed
//! with a real key.

use std::{
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use ed25519_dalek::{Signer as _, SigningKey};
use prost::Message as _;
use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};
use touchstone_proto::{
    fleet::{
        Acknowledgement, Credits, Draining, Hello, Lease, Outcome, Report, WorkRequest,
        WorkResponse, fleet_service_client::FleetServiceClient, work_request::Message as Up,
        work_response::Message as Down,
    },
    identity::{HELLO_TYPE, OBSERVATION_TYPE, key_id, pae},
    observation::{
        Body, BodyEnd, Exchange, Framing, Observation, Response, Run, SignedObservation, Step,
    },
    signer,
};

use super::{channel, within};

/// Who an agent is.
#[derive(Clone)]
pub(crate) struct Identity {
    key: SigningKey,
}

impl Identity {
    pub(crate) fn new(seed: u8) -> Self {
        Self {
            key: SigningKey::from_bytes(&[seed; 32]),
        }
    }

    pub(crate) fn key_id(&self) -> String {
        key_id(self.key.verifying_key().as_bytes())
    }

    /// As the signer's roster lists it.
    pub(crate) fn entry(&self, region: &str) -> signer::Agent {
        signer::Agent {
            agent_key_id: self.key_id(),
            public_key: self.key.verifying_key().to_bytes().to_vec(),
            region: region.to_owned(),
            enrolled_at_ms: 1,
            revoked_at_ms: 0,
        }
    }

    /// A report of a lease, whose one answer has this body.
    pub(crate) fn report(&self, lease: &Lease, body: &str) -> Report {
        self.report_of(lease, self.run(lease), body)
    }

    pub(crate) fn run(&self, lease: &Lease) -> Run {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let now_ms = i64::try_from(now.as_millis()).unwrap();
        Run {
            run_id: lease.run_id.clone(),
            target_id: lease.target_id.clone(),
            suite: lease.suite.clone(),
            slot: lease.slot,
            region: lease.region.clone(),
            agent_key_id: self.key_id(),
            endpoint_url: lease.endpoint_url.clone(),
            endpoint_source: lease.endpoint_source,
            started_at_ms: now_ms,
            finished_at_ms: now_ms + 1,
            offered_revision: "2026-07-28".to_owned(),
        }
    }

    pub(crate) fn report_of(&self, lease: &Lease, run: Run, body: &str) -> Report {
        let observation = Observation {
            format: 1,
            run: Some(run),
            exchanges: vec![Exchange {
                step: Step::Discover.into(),
                method: "POST".to_owned(),
                url: lease.endpoint_url.clone(),
                response: Some(Response {
                    status: 200,
                    http_version: "1.1".to_owned(),
                    headers: Vec::new(),
                    body: Some(Body {
                        kept_sha256: Sha256::digest(body).to_vec(),
                        kept_size: body.len() as u64,
                        end: BodyEnd::Complete.into(),
                        framing: Framing::Json.into(),
                        ..Body::default()
                    }),
                }),
                ..Exchange::default()
            }],
            ..Observation::default()
        }
        .encode_to_vec();
        let signature = self.key.sign(&pae(OBSERVATION_TYPE, &observation));
        Report {
            run_id: lease.run_id.clone(),
            lease_token: lease.lease_token.clone(),
            signed: Some(SignedObservation {
                observation,
                signature: signature.to_bytes().to_vec(),
                agent_key_id: self.key_id(),
                bodies: vec![body.to_owned().into()],
            }),
            traceparent: String::new(),
        }
    }
}

/// An agent on its stream.
pub(crate) struct Agent {
    pub(crate) identity: Identity,
    pub(crate) region: String,
    up: mpsc::Sender<WorkRequest>,
    down: Streaming<WorkResponse>,
}

impl Agent {
    /// Connects, and answers the challenge rightly.
    pub(crate) async fn connect(socket: &Path, identity: &Identity) -> Result<Self, Status> {
        let key = identity.key.clone();
        Self::connect_signing(socket, identity, |bytes| {
            key.sign(bytes).to_bytes().to_vec()
        })
        .await
    }

    /// Connects, and answers the challenge with what `sign` gives.
    pub(crate) async fn connect_signing(
        socket: &Path,
        identity: &Identity,
        sign: impl FnOnce(&[u8]) -> Vec<u8>,
    ) -> Result<Self, Status> {
        let (up, requests) = mpsc::channel(64);
        let mut client = FleetServiceClient::new(channel(socket));
        let work = client.work(ReceiverStream::new(requests));
        let down = within("the stream", work).await?.into_inner();
        let mut agent = Self {
            identity: identity.clone(),
            region: String::new(),
            up,
            down,
        };
        let Down::Challenge(challenge) = agent.next().await? else {
            panic!("the first message is a challenge");
        };
        let hello = Hello {
            agent_key_id: identity.key_id(),
            signature: sign(&pae(HELLO_TYPE, &challenge.nonce)),
            agent_version: "test".to_owned(),
        };
        agent.send(Up::Hello(hello)).await;
        let Down::Welcome(welcome) = agent.next().await? else {
            panic!("after the hello comes the welcome");
        };
        agent.region = welcome.region;
        Ok(agent)
    }

    pub(crate) async fn send(&self, message: Up) {
        let request = WorkRequest {
            message: Some(message),
        };
        // A stream that was ended by the other side shows when it is read.
        let _ended = self.up.send(request).await;
    }

    pub(crate) async fn next(&mut self) -> Result<Down, Status> {
        let message = within("a message to the agent", self.down.message()).await?;
        let message = message.ok_or_else(|| Status::cancelled("the stream ended"))?;
        Ok(message.message.expect("a message that is known"))
    }

    pub(crate) async fn credits(&self, permits: u32) {
        self.send(Up::Credits(Credits { permits })).await;
    }

    pub(crate) async fn drain(&self) {
        self.send(Up::Draining(Draining {})).await;
    }

    pub(crate) async fn lease(&mut self) -> Lease {
        match self.next().await.unwrap() {
            Down::Lease(lease) => lease,
            other => panic!("expected a lease, got {other:?}"),
        }
    }

    pub(crate) async fn send_report(&self, report: Report) {
        self.send(Up::Report(report)).await;
    }

    pub(crate) async fn acknowledgement(&mut self) -> Acknowledgement {
        match self.next().await.unwrap() {
            Down::Acknowledgement(acknowledgement) => acknowledgement,
            other => panic!("expected an acknowledgement, got {other:?}"),
        }
    }

    /// Reports, and says what was answered.
    pub(crate) async fn deliver(&mut self, report: Report) -> Outcome {
        let run_id = report.run_id.clone();
        self.send_report(report).await;
        let acknowledgement = self.acknowledgement().await;
        assert_eq!(acknowledgement.run_id, run_id);
        acknowledgement.outcome()
    }

    /// Nothing is waiting for the agent.
    pub(crate) async fn expect_silence(&mut self) {
        let wait = std::time::Duration::from_millis(200);
        let message = tokio::time::timeout(wait, self.down.message()).await;
        assert!(message.is_err(), "unexpected: {message:?}");
    }
}
