//! Starts the signer, serves its two sockets, and stops when asked to.

use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;
use tonic_health::server::health_reporter;
use touchstone_evidence::timestamp::{Timestamp, TimestampError};
use touchstone_proto::MESSAGE_LIMIT_BYTES;
use touchstone_proto::signer::signer_admin_service_server::SignerAdminServiceServer;
use touchstone_proto::signer::signer_service_server::SignerServiceServer;

use crate::attest::Attestor;
use crate::config::Config;
use crate::disk::{DiskError, PrivateFolder};
use crate::keys::{KeyError, Keys, LogKey};
use crate::lockdown::{LockdownError, lock_down};
use crate::log::{Log, LogError};
use crate::roster::{Roster, RosterError};
use crate::service::{Clock, ForCoordinator, ForOperator, Signer};
use crate::socket::{Listening, SocketError, listen};

/// Largest request for an attestation, in bytes: a run and its approved
/// baseline, each as large as a message may be.
pub const ATTEST_LIMIT_BYTES: usize = 2 * MESSAGE_LIMIT_BYTES;
/// Requests that one connection may have in work; further ones wait unread, so
/// that this number bounds the memory of a connection.
const IN_WORK_LIMIT: usize = 8;
/// How long requests in work may go on after the shutdown.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(10);
/// Bytes of a request that may come in before they are read.
const STREAM_WINDOW_BYTES: u32 = 1024 * 1024;
/// The same for all requests of a connection.
const CONNECTION_WINDOW_BYTES: u32 = 4 * 1024 * 1024;
/// The folder of the log, inside that of keys and roster.
const LOG_FOLDER: &str = "log";
/// Largest request to the operator's face, in bytes.
const ADMIN_LIMIT_BYTES: usize = 4096;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Lockdown(#[from] LockdownError),
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Roster(#[from] RosterError),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Socket(#[from] SocketError),
    #[error("starting the signer: the clock stands outside the years 0000 to 9999")]
    Clock(#[from] TimestampError),
    #[error("starting the signer: reading its files broke off")]
    Start(#[from] tokio::task::JoinError),
    #[error("serving the signer's sockets")]
    Serve(#[from] tonic::transport::Error),
}

/// Runs the signer until the shutdown, or until it cannot go on.
pub async fn run(config: Config, shutdown: CancellationToken) -> Result<(), Error> {
    run_by(config, shutdown, Arc::new(system_time)).await
}

/// The same, with a clock of the caller's.
pub(crate) async fn run_by(
    config: Config,
    shutdown: CancellationToken,
    clock: Clock,
) -> Result<(), Error> {
    lock_down()?;
    let data = config.data.clone();
    let signer = tokio::task::spawn_blocking(move || open(&data, clock)).await??;
    let signer = Arc::new(signer);
    let coordinator = listen(&config.socket).await?;
    let operator = listen(&config.admin_socket).await?;
    let key_id = signer.attestor.key_entry().key_id;
    tracing::info!(
        socket = %config.socket.display(),
        admin_socket = %config.admin_socket.display(),
        %key_id,
        "the signer is ready"
    );
    let served = async {
        tokio::try_join!(
            serve_coordinator(Arc::clone(&signer), coordinator, shutdown.clone()),
            serve_operator(signer, operator, shutdown.clone()),
        )
    };
    let overdue = async {
        shutdown.cancelled().await;
        tokio::time::sleep(SHUTDOWN_LIMIT).await;
    };
    tokio::select! {
        served = served => { served?; }
        () = overdue => tracing::warn!("requests still in work were cut off"),
    }
    tracing::info!("the signer has stopped");
    Ok(())
}

fn open(data: &std::path::Path, clock: Clock) -> Result<Signer, Error> {
    let folder = Arc::new(PrivateFolder::open(data)?);
    let now = Timestamp::from_ms(clock())?;
    let mut keys = Keys::open(&folder, now)?;
    let log = open_log(&folder, &mut keys, now)?;
    let Keys {
        attestation,
        from,
        document,
    } = keys;
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    Ok(Signer {
        attestor: Attestor::new(attestation, from),
        own_keys: document,
        roster: Roster::open(folder)?,
        log,
        clock,
        evaluations: Arc::new(Semaphore::new(cores)),
    })
}

/// The log is on disk before its key is published.
fn open_log(folder: &PrivateFolder, keys: &mut Keys, now: Timestamp) -> Result<Log, Error> {
    let LogKey { key, is_published } = keys.log_key(folder)?;
    let public = key.verifying_key();
    let log = Log::open(&folder.path_of(LOG_FOLDER), key, is_published)?;
    if !is_published {
        keys.publish_log_key(folder, &public, now)?;
    }
    Ok(log)
}

async fn serve_coordinator(
    signer: Arc<Signer>,
    socket: Listening,
    shutdown: CancellationToken,
) -> Result<(), tonic::transport::Error> {
    let service = SignerServiceServer::new(ForCoordinator(signer))
        .max_decoding_message_size(ATTEST_LIMIT_BYTES)
        .max_encoding_message_size(MESSAGE_LIMIT_BYTES);
    let (reporter, health) = health_reporter();
    reporter
        .set_serving::<SignerServiceServer<ForCoordinator>>()
        .await;
    let (_file, connections) = socket.connections(shutdown.clone());
    server()
        .add_service(service)
        .add_service(health)
        .serve_with_incoming_shutdown(connections, shutdown.cancelled())
        .await
}

async fn serve_operator(
    signer: Arc<Signer>,
    socket: Listening,
    shutdown: CancellationToken,
) -> Result<(), tonic::transport::Error> {
    let service = SignerAdminServiceServer::new(ForOperator(signer))
        .max_decoding_message_size(ADMIN_LIMIT_BYTES);
    let (_file, connections) = socket.connections(shutdown.clone());
    server()
        .add_service(service)
        .serve_with_incoming_shutdown(connections, shutdown.cancelled())
        .await
}

fn server() -> Server {
    Server::builder()
        .concurrency_limit_per_connection(IN_WORK_LIMIT)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
}

/// Milliseconds since the epoch, by the machine's clock.
fn system_time() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    // Before 1970, or in 292 million years: no time, which the start refuses.
    since.map_or(i64::MIN, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}

#[cfg(test)]
mod tests;
