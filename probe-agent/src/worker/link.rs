//! Reaching the coordinator: dial, enrol if need be, answer the challenge.
//!
//! The roster of the signer is the one truth about enrolment, so nothing is
//! remembered here: a join token that lies in its file is presented, and is
//! deleted as soon as the coordinator welcomes this agent.

use std::io;
use std::path::Path;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status, Streaming};
use touchstone_proto::MESSAGE_LIMIT_BYTES;
use touchstone_proto::fleet::fleet_service_client::FleetServiceClient;
use touchstone_proto::fleet::{Hello, WorkRequest, WorkResponse, work_request, work_response};
use tracing::{info, warn};
use zeroize::Zeroizing;

use crate::config::Address;
use crate::identity::Identity;

/// From the first byte to the welcome.
pub(crate) const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);
/// How often a quiet connection is asked whether it still lives, and how long
/// the answer may take.
const KEEPALIVE_EVERY: Duration = Duration::from_secs(10);
const KEEPALIVE_LIMIT: Duration = Duration::from_secs(5);
/// Messages waiting to be written; a report may be tens of megabytes.
const OUTGOING_LIMIT: usize = 2;
/// Largest join token file, in bytes.
const TOKEN_LIMIT_BYTES: u64 = 4 * 1024;
/// Length of a challenge; one of another length is not signed.
const NONCE_BYTES: usize = 32;

/// Why there is no connection, or no longer one.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LinkError {
    #[error("connecting to the coordinator at {address}")]
    Dial {
        address: String,
        source: tonic::transport::Error,
    },
    #[error("{doing}: the coordinator answered {code}: {message}")]
    Refused {
        doing: &'static str,
        code: Code,
        message: String,
    },
    #[error("greeting the coordinator: no welcome within {} s", HANDSHAKE_LIMIT.as_secs())]
    Slow,
    #[error("greeting the coordinator: it sent {0}")]
    Unexpected(&'static str),
    #[error("working for the coordinator: it closed the connection")]
    Closed,
}

impl LinkError {
    pub(crate) fn refused(doing: &'static str) -> impl Fn(Status) -> Self {
        move |status| Self::Refused {
            doing,
            code: status.code(),
            message: status.message().to_owned(),
        }
    }
}

/// A connection on which this agent was welcomed.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) outgoing: mpsc::Sender<WorkRequest>,
    pub(crate) incoming: Streaming<WorkResponse>,
    /// The region that the roster holds for this agent.
    pub(crate) region: String,
}

/// Connects and is welcomed, or says why not.
pub(crate) async fn open(
    address: &Address,
    identity: &Identity,
    join_token_file: &Path,
) -> Result<Link, LinkError> {
    let opened = async {
        let mut client = FleetServiceClient::new(dial(address).await?)
            .max_decoding_message_size(MESSAGE_LIMIT_BYTES)
            .max_encoding_message_size(MESSAGE_LIMIT_BYTES);
        enrol(&mut client, identity, join_token_file).await;
        let link = greet(&mut client, identity).await?;
        spent(join_token_file).await;
        Ok(link)
    };
    tokio::time::timeout(HANDSHAKE_LIMIT, opened)
        .await
        .unwrap_or(Err(LinkError::Slow))
}

async fn dial(address: &Address) -> Result<Channel, LinkError> {
    let failed = |source| LinkError::Dial {
        address: address.to_string(),
        source,
    };
    Endpoint::from_shared(address.to_string())
        .map_err(failed)?
        .connect_timeout(HANDSHAKE_LIMIT)
        .http2_keep_alive_interval(KEEPALIVE_EVERY)
        .keep_alive_timeout(KEEPALIVE_LIMIT)
        .keep_alive_while_idle(true)
        .connect()
        .await
        .map_err(failed)
}

/// Presents the join token, if one lies there. What comes of it does not end
/// the attempt: the agent may be in the roster already, and then works also
/// while the signer that takes tokens is away.
async fn enrol(
    client: &mut FleetServiceClient<Channel>,
    identity: &Identity,
    join_token_file: &Path,
) {
    let Some(token) = join_token(join_token_file).await else {
        return;
    };
    match client.enrol(identity.enrol(&token)).await {
        Ok(response) => {
            let response = response.into_inner();
            info!(
                region = response.region,
                agent.key_id = response.agent_key_id,
                "enrolled"
            );
        }
        Err(status) => warn!(
            code = %status.code(),
            reason = status.message(),
            "the join token was not taken; going on as if enrolled before"
        ),
    }
}

async fn join_token(file: &Path) -> Option<Zeroizing<String>> {
    let read = async {
        let mut text = Zeroizing::new(String::new());
        tokio::fs::File::open(file)
            .await?
            .take(TOKEN_LIMIT_BYTES)
            .read_to_string(&mut text)
            .await?;
        Ok::<_, io::Error>(Zeroizing::new(text.trim().to_owned()))
    };
    match read.await {
        Ok(token) => Some(token).filter(|token| !token.is_empty()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            warn!(file = %file.display(), %error, "the join token cannot be read");
            None
        }
    }
}

async fn spent(file: &Path) {
    match tokio::fs::remove_file(file).await {
        Ok(()) => info!(file = %file.display(), "the join token is spent and was deleted"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => {
            warn!(file = %file.display(), %error, "the spent join token cannot be deleted");
        }
    }
}

async fn greet(
    client: &mut FleetServiceClient<Channel>,
    identity: &Identity,
) -> Result<Link, LinkError> {
    const DOING: &str = "greeting the coordinator";
    let (outgoing, requests) = mpsc::channel(OUTGOING_LIMIT);
    let mut incoming = client
        .work(ReceiverStream::new(requests))
        .await
        .map_err(LinkError::refused(DOING))?
        .into_inner();
    let mut next = async || {
        let message = incoming
            .message()
            .await
            .map_err(LinkError::refused(DOING))?;
        message.and_then(|m| m.message).ok_or(LinkError::Closed)
    };
    let work_response::Message::Challenge(challenge) = next().await? else {
        return Err(LinkError::Unexpected("something before its challenge"));
    };
    if challenge.nonce.len() != NONCE_BYTES {
        return Err(LinkError::Unexpected("a challenge that is not 32 bytes"));
    }
    let hello = Hello {
        agent_key_id: identity.key_id().to_owned(),
        signature: identity.hello(&challenge.nonce),
        agent_version: crate::VERSION.to_owned(),
    };
    let hello = WorkRequest {
        message: Some(work_request::Message::Hello(hello)),
    };
    outgoing.send(hello).await.map_err(|_| LinkError::Closed)?;
    let work_response::Message::Welcome(welcome) = next().await? else {
        return Err(LinkError::Unexpected("something before its welcome"));
    };
    Ok(Link {
        outgoing,
        incoming,
        region: welcome.region,
    })
}
