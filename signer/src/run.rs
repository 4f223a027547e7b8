//! Starts the signer, serves its two sockets, and stops when asked to.
//!
//! Starting is for a process of one thread, before there is a runtime: memory
//! closed, keys read, sockets bound, process shut in, in this order. Only then
//! is a byte from outside read.

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
use touchstone_telemetry::exit;

use crate::attest::Attestor;
use crate::config::Config;
use crate::disk::{DiskError, PrivateFolder};
use crate::keys::{FileVault, KeyError, Keys, LogKey, Vault};
use crate::log::{Log, LogError};
use crate::roster::{Roster, RosterError};
use crate::sandbox::{Isolation, Places};
use crate::service::{Clock, ForCoordinator, ForOperator, Signer};
use crate::socket::{Callers, Listening, SocketError, listen};

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
    #[error(
        "the signer cannot be isolated here as it should be, {0}. Mend that, or start it with --allow-weak-isolation, and it will say so to all who ask"
    )]
    Isolation(Isolation),
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
    #[error("serving the signer's sockets")]
    Serve(#[from] tonic::transport::Error),
}

impl Error {
    /// What the process ends with. What is wrong with a key or with a file's
    /// mode can be mended while this process is started again and again;
    /// isolation and sealing come out alike until the configuration is another.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Disk(DiskError::InUse { .. })
            | Self::Socket(SocketError::InUse(_) | SocketError::NotASocket(_)) => exit::CONFLICT,
            Self::Isolation(_) => exit::CONFIGURATION,
            Self::Key(error) if error.is_of_configuration() => exit::CONFIGURATION,
            other => exit::code(other),
        }
    }
}

/// What to do where not every barrier of [`sandbox`](crate::sandbox) stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfWeak {
    Refuse,
    /// Start, and say what is missing.
    Start,
}

/// A signer whose sockets are bound, and that has read nothing from them yet.
#[derive(Debug)]
pub struct Ready {
    signer: Signer,
    coordinator: Listening,
    operator: Listening,
}

impl Ready {
    /// Shuts this process in. To be called before it has a second thread.
    pub fn isolated(config: &Config, if_weak: IfWeak) -> Result<Self, Error> {
        let mut isolation = Isolation::of_memory();
        let mut ready = Self::open(config, Arc::new(system_time))?;
        isolation.shut_in(&Places {
            data: &config.data,
            sockets: [&config.socket, &config.admin_socket],
        });
        if !isolation.missing().is_empty() {
            if if_weak == IfWeak::Refuse {
                return Err(Error::Isolation(isolation));
            }
            tracing::warn!(%isolation, "the signer is not isolated as it should be");
        }
        ready.signer.isolation = isolation;
        Ok(ready)
    }

    /// The signer in this process as it is.
    pub(crate) fn open(config: &Config, clock: Clock) -> Result<Self, Error> {
        let signer = open(config, clock)?;
        let socket = |path, uids: &[u32]| listen(path, Callers::with(uids));
        tracing::info!(
            socket = %config.socket.display(),
            admin_socket = %config.admin_socket.display(),
            "opening the sockets"
        );
        Ok(Self {
            coordinator: socket(&config.socket, &config.socket_uids)?,
            operator: socket(&config.admin_socket, &config.admin_socket_uids)?,
            signer,
        })
    }

    /// Serves until the shutdown, or until it cannot go on.
    pub async fn serve(self, shutdown: CancellationToken) -> Result<(), Error> {
        let Self {
            signer,
            coordinator,
            operator,
        } = self;
        let key_id = signer.attestor.key_entry().key_id;
        tracing::info!(%key_id, isolation = %signer.isolation, "the signer is ready");
        let signer = Arc::new(signer);
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
}

fn open(config: &Config, clock: Clock) -> Result<Signer, Error> {
    let folder = Arc::new(PrivateFolder::open(&config.data)?);
    let now = Timestamp::from_ms(clock())?;
    let vault = FileVault::open(Arc::clone(&folder), config.passphrase_file.as_deref())?;
    let mut keys = Keys::open(&vault, &folder, now)?;
    let log = open_log(&vault, &folder, &mut keys, now)?;
    let Keys {
        attestation,
        from,
        document,
    } = keys;
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    Ok(Signer {
        attestor: Attestor::by(attestation, from),
        own_keys: document,
        roster: Roster::open(folder)?,
        log,
        clock,
        evaluations: Arc::new(Semaphore::new(cores)),
        isolation: Isolation::none(),
    })
}

/// The log is on disk before its key is published.
fn open_log(
    vault: &impl Vault,
    folder: &PrivateFolder,
    keys: &mut Keys,
    now: Timestamp,
) -> Result<Log, Error> {
    let LogKey { key, is_published } = keys.log_key(vault)?;
    let public = key.public();
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
) -> Result<(), Error> {
    let service = SignerServiceServer::new(ForCoordinator(signer))
        .max_decoding_message_size(ATTEST_LIMIT_BYTES)
        .max_encoding_message_size(MESSAGE_LIMIT_BYTES);
    let (reporter, health) = health_reporter();
    reporter
        .set_serving::<SignerServiceServer<ForCoordinator>>()
        .await;
    let (_file, connections) = socket.connections(shutdown.clone())?;
    server()
        .add_service(service)
        .add_service(health)
        .serve_with_incoming_shutdown(connections, shutdown.cancelled())
        .await?;
    Ok(())
}

async fn serve_operator(
    signer: Arc<Signer>,
    socket: Listening,
    shutdown: CancellationToken,
) -> Result<(), Error> {
    let service = SignerAdminServiceServer::new(ForOperator(signer))
        .max_decoding_message_size(ADMIN_LIMIT_BYTES);
    let (_file, connections) = socket.connections(shutdown.clone())?;
    server()
        .add_service(service)
        .serve_with_incoming_shutdown(connections, shutdown.cancelled())
        .await?;
    Ok(())
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
