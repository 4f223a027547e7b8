//! The way to the signer: its socket, a deadline on every call, and what an
//! error means for the caller. The signer may be away at any moment and come
//! back; nothing here remembers more than whether the last call got through.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use hyper_util::rt::TokioIo;
use serde::Serialize;
use tokio::net::UnixStream;
use tonic::{
    Code, Status,
    transport::{Channel, Endpoint, Uri},
};
use touchstone_evidence::log::checkpoint::SignedCheckpoint;
use touchstone_proto::{
    MESSAGE_LIMIT_BYTES,
    observation::SignedObservation,
    signer::{
        self, AttestRequest, AttestResponse, EnrolRequest, EnrolResponse, KeysRequest, LogRequest,
        LogResponse, RosterRequest, attest_response, signer_service_client::SignerServiceClient,
    },
};

/// Largest request to attest, in bytes: a run and the approved baseline, each
/// as large as a message may be.
pub const ATTEST_LIMIT_BYTES: usize = 2 * MESSAGE_LIMIT_BYTES;
/// How long the signer may take to evaluate and sign one run.
pub const ATTEST_TIMEOUT: Duration = Duration::from_secs(30);
/// How long any other answer of the signer may take.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(5);

/// The barriers that a signer may say it has not; what it calls by another
/// name is a newer one's.
pub const BARRIERS: [&str; 7] = [
    "core_dumps",
    "tracing",
    "no_new_privs",
    "locked_memory",
    "landlock",
    "seccomp",
    OTHER_BARRIER,
];
const OTHER_BARRIER: &str = "other";

/// How well the signer's process is shut in, as it said last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Isolation {
    #[default]
    Unknown,
    Full,
    /// Of [`BARRIERS`].
    Weak {
        missing: Vec<&'static str>,
    },
}

impl Isolation {
    fn read(said: Option<signer::Isolation>) -> Self {
        let Some(said) = said else {
            return Self::Unknown;
        };
        if said.missing_barriers.is_empty() {
            return Self::Full;
        }
        let named = |known: &&str| said.missing_barriers.iter().any(|name| name == known);
        let mut missing: Vec<_> = BARRIERS.into_iter().filter(named).collect();
        let known = |name: &String| BARRIERS.contains(&name.as_str());
        if !said.missing_barriers.iter().all(known) {
            missing.push(OTHER_BARRIER);
        }
        Self::Weak { missing }
    }
}

/// What the signer said last, shared with whoever shows it.
#[derive(Clone, Debug, Default)]
pub struct SaidIsolation(Arc<RwLock<Isolation>>);

impl SaidIsolation {
    pub fn now(&self) -> Isolation {
        // A value is put in whole; a panic elsewhere does not spoil it.
        let said = self.0.read().unwrap_or_else(PoisonError::into_inner);
        said.clone()
    }

    fn keep(&self, said: Isolation) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = said;
    }
}

/// Why the signer did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum SignerError {
    #[error("asking the signer: it is out of reach")]
    Away(#[source] Status),
    #[error("asking the signer: it refused")]
    Refused(#[source] Status),
    #[error("asking the signer: it failed on this request")]
    Stumbled(#[source] Status),
    /// It may hang as a whole, or on this request alone.
    #[error("asking the signer: it did not answer within {0:?}")]
    Late(Duration),
}

impl From<Status> for SignerError {
    fn from(status: Status) -> Self {
        match status.code() {
            Code::InvalidArgument
            | Code::NotFound
            | Code::AlreadyExists
            | Code::PermissionDenied
            | Code::Unauthenticated
            | Code::FailedPrecondition
            | Code::OutOfRange => Self::Refused(status),
            Code::Internal | Code::DataLoss | Code::Aborted | Code::DeadlineExceeded => {
                Self::Stumbled(status)
            }
            _ => Self::Away(status),
        }
    }
}

/// A client of the signer. Cheap to clone; connects when it is used, and again
/// after the signer was away.
#[derive(Clone, Debug)]
pub struct Signer {
    client: SignerServiceClient<Channel>,
    reachable: Arc<AtomicBool>,
    isolation: SaidIsolation,
    /// The newest checkpoint of the log that we were given. Shown with every
    /// request, so that a log that was set back is noticed.
    held: Arc<Mutex<Option<SignedCheckpoint>>>,
}

impl Signer {
    /// Over the Unix socket on which the signer listens for us.
    pub fn at(socket: PathBuf) -> Self {
        let connect = tower::service_fn(move |_: Uri| {
            let socket = socket.clone();
            async move { UnixStream::connect(socket).await.map(TokioIo::new) }
        });
        // The name is never looked up: the connector knows where to go.
        let endpoint = Endpoint::from_static("http://signer");
        Self::over(endpoint.connect_with_connector_lazy(connect))
    }

    /// Over a channel that was made elsewhere.
    pub fn over(channel: Channel) -> Self {
        let client = SignerServiceClient::new(channel)
            .max_decoding_message_size(MESSAGE_LIMIT_BYTES)
            .max_encoding_message_size(ATTEST_LIMIT_BYTES);
        Self {
            client,
            reachable: Arc::default(),
            isolation: SaidIsolation::default(),
            held: Arc::default(),
        }
    }

    /// Keeps a checkpoint of the log, if it is newer than the one that is held.
    pub fn hold(&self, checkpoint: &[u8]) {
        let Ok(read) = SignedCheckpoint::read(checkpoint) else {
            return;
        };
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.as_ref().is_none_or(|held| read.supersedes(held)) {
            *held = Some(read);
        }
    }

    fn held(&self) -> Vec<u8> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.as_ref()
            .map_or_else(Vec::new, |held| held.to_string().into_bytes())
    }

    /// Whether the last call got through; shared with whoever shows it.
    pub fn reachable(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.reachable)
    }

    /// What it said of its isolation, with its keys.
    pub fn isolation(&self) -> SaidIsolation {
        self.isolation.clone()
    }

    /// Has a run evaluated, held against the approved baseline if there is one,
    /// and, if it deserves it, signed.
    pub async fn attest(
        &self,
        signed: SignedObservation,
        baseline: Option<SignedObservation>,
    ) -> Result<AttestResponse, SignerError> {
        let request = AttestRequest {
            signed: Some(signed),
            baseline,
            log_checkpoint: self.held(),
        };
        let mut client = self.client.clone();
        let answer = self.call(ATTEST_TIMEOUT, client.attest(request)).await?;
        if let Some(attest_response::Result::Attested(attested)) = &answer.result
            && let Some(log) = &attested.log
        {
            self.hold(&log.checkpoint);
        }
        Ok(answer)
    }

    /// A part of the log, from this entry on.
    pub async fn log(&self, from: u64) -> Result<LogResponse, SignerError> {
        let log_checkpoint = self.held();
        let request = LogRequest {
            from,
            log_checkpoint,
        };
        let mut client = self.client.clone();
        let part = self.call(CALL_TIMEOUT, client.log(request)).await?;
        self.hold(&part.checkpoint);
        Ok(part)
    }

    /// Passes on a new agent's request.
    pub async fn enrol(&self, request: EnrolRequest) -> Result<EnrolResponse, SignerError> {
        let mut client = self.client.clone();
        self.call(CALL_TIMEOUT, client.enrol(request)).await
    }

    /// The key document, JSON.
    pub async fn keys(&self) -> Result<Vec<u8>, SignerError> {
        let mut client = self.client.clone();
        let keys = self.call(CALL_TIMEOUT, client.keys(KeysRequest {})).await?;
        self.isolation.keep(Isolation::read(keys.isolation));
        Ok(keys.document)
    }

    /// Which agents count.
    pub async fn roster(&self) -> Result<Vec<signer::Agent>, SignerError> {
        let mut client = self.client.clone();
        let roster = self
            .call(CALL_TIMEOUT, client.roster(RosterRequest {}))
            .await?;
        Ok(roster.agents)
    }

    async fn call<T>(
        &self,
        limit: Duration,
        call: impl Future<Output = Result<tonic::Response<T>, Status>>,
    ) -> Result<T, SignerError> {
        let answer = match tokio::time::timeout(limit, call).await {
            Ok(Ok(response)) => Ok(response.into_inner()),
            Ok(Err(status)) => Err(SignerError::from(status)),
            Err(_) => Err(SignerError::Late(limit)),
        };
        let reached = !matches!(answer, Err(SignerError::Away(_) | SignerError::Late(_)));
        let before = self.reachable.swap(reached, Ordering::Relaxed);
        if before != reached {
            tracing::info!(reached, "the signer's reach changed");
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_signer_that_is_not_there_is_away() {
        let folder = tempfile::tempdir().unwrap();
        let signer = Signer::at(folder.path().join("signer.sock"));
        let error = signer.keys().await.unwrap_err();
        assert!(matches!(error, SignerError::Away(_)), "{error:?}");
        assert!(!signer.reachable().load(Ordering::Relaxed));
    }

    #[test]
    fn isolation_is_full_only_when_the_signer_says_so() {
        let read = |missing: &[&str]| {
            let missing = missing.iter().map(ToString::to_string).collect();
            Isolation::read(Some(signer::Isolation {
                missing_barriers: missing,
            }))
        };
        let weak = |missing: &[&'static str]| Isolation::Weak {
            missing: missing.to_vec(),
        };
        assert_eq!(Isolation::read(None), Isolation::Unknown);
        assert_eq!(read(&[]), Isolation::Full);
        assert_eq!(
            read(&["seccomp", "landlock"]),
            weak(&["landlock", "seccomp"])
        );
        assert_eq!(read(&["<moat>", "seccomp"]), weak(&["seccomp", "other"]));
    }

    #[test]
    fn an_error_is_ours_to_repeat_or_the_runs_end() {
        for (code, kind) in [
            (Code::Unavailable, "away"),
            (Code::Unknown, "away"),
            (Code::ResourceExhausted, "away"),
            (Code::InvalidArgument, "refused"),
            (Code::PermissionDenied, "refused"),
            (Code::OutOfRange, "refused"),
            (Code::Internal, "stumbled"),
        ] {
            let found = match SignerError::from(Status::new(code, "")) {
                SignerError::Away(_) => "away",
                SignerError::Refused(_) => "refused",
                SignerError::Stumbled(_) => "stumbled",
                SignerError::Late(_) => "late",
            };
            assert_eq!(found, kind, "{code:?}");
        }
    }
}
