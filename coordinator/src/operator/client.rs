//! The operator's side of the socket, for the command line.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use tonic::{
    Code, Status,
    transport::{Channel, Endpoint},
};
use touchstone_proto::operator::{
    ApproveBaselineRequest, Baseline, ListBaselinesRequest,
    operator_service_client::OperatorServiceClient,
};

/// How long a coordinator may take to answer its operator; a change waits for
/// the store's other writers.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15);

/// Calls a running coordinator on its operator's socket.
#[derive(Debug)]
pub struct OperatorClient;

/// Why an operator did not get what it asked for.
#[derive(Debug, thiserror::Error)]
pub enum OperatorError {
    #[error("asking the coordinator: {} is no path that can be written in text", .0.display())]
    Path(PathBuf),
    #[error("asking the coordinator: nobody answers on {}", path.display())]
    Unreachable {
        path: PathBuf,
        source: tonic::transport::Error,
    },
    #[error("asking the coordinator: it did not answer in time, or went away")]
    NoAnswer(#[source] Status),
    /// No such target, or no such run of it.
    #[error("{0}")]
    NotFound(String),
    /// The run cannot be approved, or not yet.
    #[error("{0}")]
    Precondition(String),
    /// Its store takes no change now.
    #[error("asking the coordinator: {0}")]
    TryLater(String),
    #[error("asking the coordinator: it refused, because {}", .0.message())]
    Refused(#[source] Status),
}

/// What was asked about, by its slug, and what was answered.
#[derive(Clone, Debug)]
pub struct Asked<T> {
    pub slug: String,
    pub answer: T,
}

impl OperatorClient {
    /// Approves a run as the release that later runs of its target are
    /// compared with. `target` is a slug or a URL.
    pub async fn approve_baseline(
        socket: &Path,
        target: &str,
        run_id: &str,
    ) -> Result<Asked<Baseline>, OperatorError> {
        let request = ApproveBaselineRequest {
            target: target.to_owned(),
            run_id: run_id.to_owned(),
        };
        let answer = connect(socket).await?.approve_baseline(request).await;
        let answer = answer.map_err(OperatorError::from)?.into_inner();
        Ok(Asked {
            slug: answer.slug,
            answer: answer.baseline.unwrap_or_default(),
        })
    }

    /// Approvals of a target, newest first; the first one is in force.
    pub async fn list_baselines(
        socket: &Path,
        target: &str,
    ) -> Result<Asked<Vec<Baseline>>, OperatorError> {
        let request = ListBaselinesRequest {
            target: target.to_owned(),
        };
        let answer = connect(socket).await?.list_baselines(request).await;
        let answer = answer.map_err(OperatorError::from)?.into_inner();
        Ok(Asked {
            slug: answer.slug,
            answer: answer.baselines,
        })
    }
}

impl From<Status> for OperatorError {
    fn from(status: Status) -> Self {
        let message = status.message().to_owned();
        match status.code() {
            Code::NotFound => Self::NotFound(message),
            Code::FailedPrecondition => Self::Precondition(message),
            // Of a connection that broke the status has a cause; one that the
            // coordinator sent has none.
            Code::Unavailable if std::error::Error::source(&status).is_none() => {
                Self::TryLater(message)
            }
            Code::Unavailable | Code::Cancelled | Code::DeadlineExceeded | Code::Unknown => {
                Self::NoAnswer(status)
            }
            _ => Self::Refused(status),
        }
    }
}

async fn connect(socket: &Path) -> Result<OperatorServiceClient<Channel>, OperatorError> {
    let path = socket
        .to_str()
        .ok_or_else(|| OperatorError::Path(socket.to_owned()))?;
    let unreachable = |source| OperatorError::Unreachable {
        path: socket.to_owned(),
        source,
    };
    let channel = Endpoint::from_shared(format!("unix:{path}"))
        .map_err(unreachable)?
        .timeout(ANSWER_TIMEOUT)
        .connect()
        .await
        .map_err(unreachable)?;
    Ok(OperatorServiceClient::new(channel))
}
