//! The two faces of the signer, as gRPC: what the coordinator may ask, and
//! what only the operator may.
//!
//! Evaluation and writing happen away from the runtime's own threads, and at
//! most a few at once; a caller that sends more waits. Refusals and their codes
//! come from one table each, and never tell more than their own sentence.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tonic::{Code, Request, Response, Status};
use touchstone_canonical::Canonical;
use touchstone_evidence::keyset::{KeyDocument, KeyDocumentError};
use touchstone_evidence::log::entry::Entry;
use touchstone_evidence::log::hash::Hash;
use touchstone_evidence::log::inclusion::LogProof;
use touchstone_evidence::text::Region;
use touchstone_evidence::timestamp::Timestamp;
use touchstone_proto::signer::signer_admin_service_server::SignerAdminService;
use touchstone_proto::signer::signer_service_server::SignerService;
use touchstone_proto::signer::{
    self, AttestRequest, AttestResponse, EnrolRequest, EnrolResponse, KeysRequest, KeysResponse,
    LogRequest, LogResponse, MintJoinTokenRequest, MintJoinTokenResponse, RevokeAgentRequest,
    RevokeAgentResponse, RosterRequest, RosterResponse, Timings, attest_response,
};
use touchstone_telemetry::Chain;

use crate::attest::{AgentKey, Answer, Attested, Attestor};
use crate::log::{Log, LogError};
use crate::refused::Refused;
use crate::roster::{Agent, Roster, RosterError};
use crate::sandbox::Isolation;

/// Where a signer reads the time from; milliseconds since the epoch.
pub(crate) type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Longest join token that is looked at, in bytes.
const JOIN_TOKEN_LIMIT_BYTES: usize = 128;

/// Longest tool list that is handed over, in bytes: what can be read again.
const TOOL_LIST_LIMIT_BYTES: usize = touchstone_canonical::INPUT_LIMIT;

/// A running signer, behind both of its faces.
pub(crate) struct Signer {
    pub(crate) attestor: Attestor,
    /// The signer's own keys, as they are published.
    pub(crate) own_keys: KeyDocument,
    pub(crate) roster: Roster,
    pub(crate) log: Log,
    pub(crate) clock: Clock,
    /// What stands between this process and all else.
    pub(crate) isolation: Isolation,
    /// Evaluations at one time.
    pub(crate) evaluations: Arc<Semaphore>,
}

/// What the coordinator may ask.
#[derive(Clone)]
pub(crate) struct ForCoordinator(pub(crate) Arc<Signer>);

/// What the operator may ask.
#[derive(Clone)]
pub(crate) struct ForOperator(pub(crate) Arc<Signer>);

#[tonic::async_trait]
impl SignerService for ForCoordinator {
    async fn attest(
        &self,
        request: Request<AttestRequest>,
    ) -> Result<Response<AttestResponse>, Status> {
        let request = request.into_inner();
        let evaluations = Arc::clone(&self.0.evaluations);
        let asked = Instant::now();
        // Closed only with the signer itself.
        let permit = evaluations.acquire_owned().await.map_err(|_| stopping())?;
        let answer = away(&self.0, move |signer| {
            let began = Instant::now();
            let answer = signer.attest(&request)?;
            // Kept also by a caller who has gone in the meantime, but not by
            // one who waits for the disk.
            drop(permit);
            let answer = signer.logged(answer, request.log_checkpoint)?;
            Ok(AttestResponse {
                timings: Some(Timings {
                    waited_us: micros(began - asked),
                    attested_us: micros(began.elapsed()),
                }),
                ..answer
            })
        })
        .await?;
        answer.map(Response::new)
    }

    async fn keys(&self, _: Request<KeysRequest>) -> Result<Response<KeysResponse>, Status> {
        let document = away(&self.0, Signer::keys).await?.map_err(|error| {
            tracing::error!(error = %Chain(&error), "the keys make no document");
            Status::internal("publishing keys: they make no document")
        })?;
        let document = document.to_json();
        Ok(Response::new(KeysResponse {
            document,
            isolation: Some(isolation(&self.0.isolation)),
        }))
    }

    async fn enrol(
        &self,
        request: Request<EnrolRequest>,
    ) -> Result<Response<EnrolResponse>, Status> {
        let EnrolRequest {
            join_token,
            public_key,
            signature,
        } = request.into_inner();
        if join_token.len() > JOIN_TOKEN_LIMIT_BYTES {
            return Err(roster_refused(&RosterError::Token));
        }
        let agent = away(&self.0, move |signer| {
            let now = signer.now()?;
            let roster = &signer.roster;
            roster
                .enrol(&join_token, &public_key, &signature, now)
                .map_err(|error| roster_refused(&error))
        })
        .await??;
        let agent_key_id = agent.key_id().to_string();
        tracing::info!(agent.key_id = %agent_key_id, region = %agent.region, "an agent enrolled");
        Ok(Response::new(EnrolResponse {
            agent_key_id,
            region: agent.region.into(),
        }))
    }

    async fn log(&self, request: Request<LogRequest>) -> Result<Response<LogResponse>, Status> {
        let request = request.into_inner();
        let part = away(&self.0, move |signer| {
            let read = signer.log.read(request.from, &request.log_checkpoint);
            read.map_err(|error| log_refused(&error))
        })
        .await??;
        Ok(Response::new(LogResponse {
            checkpoint: part.checkpoint.to_string().into_bytes(),
            entries: part.entries,
            consistency: bytes_of(&part.consistency),
        }))
    }

    async fn roster(&self, _: Request<RosterRequest>) -> Result<Response<RosterResponse>, Status> {
        let state = self.0.roster.state();
        Ok(Response::new(RosterResponse {
            agents: state.agents.iter().map(listed).collect(),
        }))
    }
}

#[tonic::async_trait]
impl SignerAdminService for ForOperator {
    async fn mint_join_token(
        &self,
        request: Request<MintJoinTokenRequest>,
    ) -> Result<Response<MintJoinTokenResponse>, Status> {
        let MintJoinTokenRequest { region, lasts_s } = request.into_inner();
        let region = Region::new(region)
            .map_err(|error| Status::invalid_argument(format!("minting a token: {error}")))?;
        tracing::info!(%region, lasts_s, "a join token is minted");
        let token = away(&self.0, move |signer| {
            let now = signer.now()?;
            let minted = signer.roster.mint(region, lasts_s, now);
            minted.map_err(|error| roster_refused(&error))
        })
        .await??;
        Ok(Response::new(MintJoinTokenResponse {
            join_token: token.as_str().to_owned(),
        }))
    }

    async fn revoke_agent(
        &self,
        request: Request<RevokeAgentRequest>,
    ) -> Result<Response<RevokeAgentResponse>, Status> {
        let key_id = request.into_inner().agent_key_id;
        let agent = away(&self.0, move |signer| {
            let now = signer.now()?;
            let revoked = signer.roster.revoke(&key_id, now);
            revoked.map_err(|error| roster_refused(&error))
        })
        .await??;
        tracing::info!(agent.key_id = %agent.key_id(), "an agent was revoked");
        let agent = Some(listed(&agent));
        Ok(Response::new(RevokeAgentResponse { agent }))
    }
}

impl Signer {
    fn attest(&self, request: &AttestRequest) -> Result<Answer, Status> {
        let signed = request
            .signed
            .as_ref()
            .ok_or_else(|| Status::invalid_argument("attesting: there is no observation"))?;
        let refused = |refused: &Refused| {
            tracing::warn!(error = %Chain(refused), "an observation was refused");
            Status::new(refused.code(), Chain(refused).to_string())
        };
        let agent = self
            .agent(&signed.agent_key_id)
            .map_err(|error| refused(&error))?;
        let approved = request
            .baseline
            .as_ref()
            .map(|baseline| Ok((baseline, self.agent(&baseline.agent_key_id)?)))
            .transpose()
            .map_err(|error| refused(&Refused::Baseline(Box::new(error))))?;
        let approved = approved
            .as_ref()
            .map(|(baseline, agent)| (*baseline, agent));
        self.attestor
            .attest(signed, approved, &agent)
            .map_err(|error| refused(&error))
    }

    /// The answer, once what is signed in it stands in the log.
    fn logged(&self, answer: Answer, held: Vec<u8>) -> Result<AttestResponse, Status> {
        let log = match &answer.attested {
            Attested::Declined { .. } => None,
            Attested::Signed { envelope, .. } => {
                let entry = Entry::of(envelope, &answer.predicate.run.id)
                    .ok_or_else(|| Status::internal("logging: the envelope has no one key"))?;
                let logged = self.log.append(entry.to_bytes(), held);
                Some(logged.map_err(|error| log_refused(&error))?)
            }
        };
        answered(answer, log).map_err(|refused| {
            tracing::error!(error = %Chain(&refused), "an answer could not be written");
            Status::new(refused.code(), Chain(&refused).to_string())
        })
    }

    fn agent(&self, key_id: &str) -> Result<AgentKey, Refused> {
        let agent = self.roster.find(key_id).ok_or(Refused::UnknownAgent)?;
        Ok(AgentKey {
            public_key: *agent.public_key.verifying_key(),
            region: agent.region,
            revoked_at: agent.revoked_at,
        })
    }

    /// The signer's own keys and those of its agents. The version moves with
    /// both, by one at a time.
    fn keys(&self) -> Result<KeyDocument, KeyDocumentError> {
        let roster = self.roster.state();
        let agents = roster.agents.iter().map(Agent::entry);
        let keys = self.own_keys.keys().iter().cloned().chain(agents).collect();
        KeyDocument::new(self.own_keys.version() + roster.version, keys)
    }

    fn now(&self) -> Result<Timestamp, Status> {
        Timestamp::from_ms((self.clock)())
            .map_err(|error| Status::internal(format!("reading the clock: {error}")))
    }
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signer").finish_non_exhaustive()
    }
}

fn answered(answer: Answer, log: Option<LogProof>) -> Result<AttestResponse, Refused> {
    let result = match answer.attested {
        Attested::Signed {
            envelope, key_id, ..
        } => attest_response::Result::Attested(signer::Attested {
            envelope: envelope.to_json(),
            key_id,
            tool_list: answer
                .tool_list
                .filter(|list| list.as_bytes().len() <= TOOL_LIST_LIMIT_BYTES)
                .map(Canonical::into_bytes)
                .unwrap_or_default(),
            log: log.map(|proof| signer::LogProof {
                index: proof.index,
                inclusion: bytes_of(&proof.inclusion),
                checkpoint: proof.checkpoint.into_bytes(),
            }),
        }),
        Attested::Declined { reason_key } => {
            attest_response::Result::Declined(signer::Declined { reason_key })
        }
    };
    Ok(AttestResponse {
        predicate: answer.predicate.canonical()?.into_bytes(),
        detail: answer.detail.to_json(),
        result: Some(result),
        timings: None,
    })
}

fn bytes_of(hashes: &[Hash]) -> Vec<Vec<u8>> {
    hashes.iter().map(|hash| hash.as_bytes().to_vec()).collect()
}

/// The one table of the log's refusals and gRPC codes. That an observation
/// cannot be logged is never its own fault: a caller tries again.
fn log_refused(error: &LogError) -> Status {
    let code = match error {
        LogError::Beyond { .. } => Code::OutOfRange,
        LogError::Foreign
        | LogError::Disk(_)
        | LogError::Key(_)
        | LogError::Gone(_)
        | LogError::Damaged { .. }
        | LogError::Behind { .. }
        | LogError::Forked { .. } => Code::Unavailable,
    };
    tracing::error!(error = %Chain(error), "the log refused");
    Status::new(code, Chain(error).to_string())
}

fn micros(lasted: Duration) -> u64 {
    u64::try_from(lasted.as_micros()).unwrap_or(u64::MAX)
}

fn isolation(isolation: &Isolation) -> signer::Isolation {
    let missing = isolation.missing().iter();
    signer::Isolation {
        missing_barriers: missing
            .map(|missing| missing.barrier.as_str().to_owned())
            .collect(),
    }
}

fn listed(agent: &Agent) -> signer::Agent {
    signer::Agent {
        agent_key_id: agent.key_id().to_string(),
        public_key: agent.public_key.as_bytes().to_vec(),
        region: agent.region.to_string(),
        enrolled_at_ms: agent.enrolled_at.as_ms(),
        revoked_at_ms: agent.revoked_at.map_or(0, Timestamp::as_ms),
    }
}

/// The one table of the roster's refusals and gRPC codes.
fn roster_refused(error: &RosterError) -> Status {
    let code = match error {
        // The disk is full or gone: later it may not be.
        RosterError::Disk(_) => Code::Unavailable,
        RosterError::Damaged(..) | RosterError::Format(..) | RosterError::Random(_) => {
            Code::Internal
        }
        RosterError::Lasts | RosterError::NotAKey => Code::InvalidArgument,
        RosterError::Signature | RosterError::Token => Code::PermissionDenied,
        RosterError::Enrolled => Code::AlreadyExists,
        RosterError::TooManyTokens | RosterError::TooManyAgents => Code::ResourceExhausted,
        RosterError::UnknownAgent => Code::NotFound,
    };
    tracing::warn!(error = %Chain(error), "a request to the roster was refused");
    Status::new(code, Chain(error).to_string())
}

/// Runs what computes or writes on a thread that may block.
async fn away<T: Send + 'static>(
    signer: &Arc<Signer>,
    work: impl FnOnce(&Signer) -> T + Send + 'static,
) -> Result<T, Status> {
    let signer = Arc::clone(signer);
    tokio::task::spawn_blocking(move || work(&signer))
        .await
        .map_err(|error| {
            tracing::error!(%error, "a request was not worked through");
            Status::internal("the signer failed at this request; its log says more")
        })
}

fn stopping() -> Status {
    Status::unavailable("the signer is stopping")
}
