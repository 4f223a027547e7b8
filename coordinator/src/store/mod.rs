//! The truth: targets, runs, evidence, and what is still to be signed.
//!
//! [`Store::run_tx`] is the only way to write. A change is committed whole or
//! not at all; what a caller tells others after it returned `Ok` is on disk.
//! The engine is chosen by URL; its differences live in `dialect` alone.

mod baselines;
mod days;
mod dialect;
mod error;
mod evidence;
mod lists;
mod log;
mod missed;
mod outbox;
pub mod read;
mod reader;
mod retention;
mod roster;
mod row;
mod runs;
mod targets;

#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};
use touchstone_telemetry::Chain;

use crate::metrics::metrics;
pub use baselines::{APPROVALS_LIMIT, Ineligible};
use dialect::Dialect;
pub use dialect::{DatabaseUrlError, check_url};
pub use error::{Failure, StoreError};
use futures_util::future::BoxFuture;
pub use lists::Listed;
pub use log::{LOG_LINES_LIMIT, LogLine, LogPart};
pub use outbox::{Answer, Backlog, PendingRun};
use read::StoreHealth;
pub use reader::{Live, Reader};
pub use retention::{Pruned, RUNS_AT_ONCE};
pub use roster::{AGENTS_LIMIT, Agent};
pub use runs::{CONFLICTS_LIMIT, NewBody, NewRun, Recorded};
use sqlx::{AnyConnection, AnyPool, Connection as _, any::AnyPoolOptions, migrate::MigrateError};
pub use targets::{KnownTarget, TARGETS_LIMIT};
use tokio::sync::{Semaphore, watch};

use crate::service_url::ServiceUrl;

/// How long a connection waits for a lock that another holds.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(2);
/// How often a writing transaction is tried before its error is handed on.
pub const TX_ATTEMPTS: u32 = 3;
/// Before a transaction is tried again, times the number of the try.
const TX_PAUSE: Duration = Duration::from_millis(50);
/// How long a query waits for a connection of the pool.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection in a transaction.
pub type Tx = AnyConnection;

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/NAME`.
    pub url: ServiceUrl,
    pub busy_timeout: Duration,
    /// Largest size of the database in bytes; more is refused as "full".
    pub size_limit_bytes: Option<u64>,
}

impl Options {
    pub fn new(url: impl Into<ServiceUrl>) -> Self {
        Self {
            url: url.into(),
            busy_timeout: BUSY_TIMEOUT,
            size_limit_bytes: None,
        }
    }
}

/// An open database.
#[derive(Clone, Debug)]
pub struct Store {
    pool: AnyPool,
    dialect: Dialect,
    /// Our own writers wait here and not on the database's locks.
    writers: Arc<Semaphore>,
    health: Arc<watch::Sender<StoreHealth>>,
}

impl Store {
    /// Opens the database, makes it if it is missing, and brings its schema up
    /// to date.
    pub async fn open(options: Options) -> Result<Self, StoreError> {
        const DOING: &str = "opening the database";
        let Options {
            url,
            busy_timeout,
            size_limit_bytes,
        } = options;
        let dialect = Dialect::of(&url).map_err(|source| StoreError::Url {
            url: url.clone(),
            source,
        })?;
        make_place(dialect, &url).await?;
        sqlx::any::install_default_drivers();
        let connect_url = dialect.connect_url(&url);
        // A pool tries a connection that cannot be prepared again and again;
        // alone it says at once what is wrong.
        let first = async {
            let mut first = AnyConnection::connect(&connect_url).await?;
            dialect
                .prepare(&mut first, busy_timeout, size_limit_bytes)
                .await?;
            first.close().await
        };
        first
            .await
            .map_err(|error| classify(dialect, DOING, error))?;
        let migrating = AnyPoolOptions::new()
            .max_connections(1)
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    dialect
                        .prepare(connection, busy_timeout, size_limit_bytes)
                        .await?;
                    dialect.prepare_migration(connection).await
                })
            })
            .connect(&connect_url)
            .await
            .map_err(|error| classify(dialect, DOING, error))?;
        match dialect.migrator().run(&migrating).await {
            Ok(()) => migrating.close().await,
            Err(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) => {
                return Err(classify(dialect, DOING, error));
            }
            Err(source) => {
                return Err(StoreError::Migrate {
                    url,
                    source: Box::new(source),
                });
            }
        }
        let pool = AnyPoolOptions::new()
            .max_connections(dialect.connections())
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .after_connect(move |connection, _| {
                Box::pin(dialect.prepare(connection, busy_timeout, size_limit_bytes))
            })
            .connect(&connect_url)
            .await
            .map_err(|error| classify(dialect, DOING, error))?;
        Ok(Self {
            pool,
            dialect,
            writers: Arc::new(Semaphore::new(dialect.writers())),
            health: Arc::new(watch::Sender::new(StoreHealth::Ok)),
        })
    }

    /// Runs `change` in a writing transaction: tried again, at most
    /// [`TX_ATTEMPTS`] times in all, when the database was locked, another
    /// writer was first, or the connection broke; committed when it returns
    /// `Ok`. `doing` names it in errors and logs. A connection that breaks at the
    /// commit leaves open whether it was committed, so `change` must come to
    /// the same when it is done twice.
    pub async fn run_tx<T, F>(&self, doing: &'static str, change: F) -> Result<T, StoreError>
    where
        T: Send,
        F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T, sqlx::Error>> + Send + Sync,
    {
        // The semaphore is never closed.
        let _turn = self.writers.acquire().await;
        let mut attempt = 1;
        loop {
            let result = self.attempt(doing, &change).await;
            match result {
                Err(error) if attempt < TX_ATTEMPTS && error.may_pass() => {
                    tracing::debug!(doing, attempt, error = %Chain(&error), "trying again");
                    attempt += 1;
                    tokio::time::sleep(TX_PAUSE * attempt).await;
                }
                result => {
                    self.note(doing, &result);
                    return result;
                }
            }
        }
    }

    async fn attempt<T, F>(&self, doing: &'static str, change: &F) -> Result<T, StoreError>
    where
        F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T, sqlx::Error>>,
    {
        let begin = self.dialect.begin_write();
        let mut connection = self.pool.acquire().await.map_err(self.failed(doing))?;
        let done = async {
            let mut tx = connection.begin_with(begin).await?;
            // Dropped on an error, which rolls it back.
            let value = change(&mut tx).await?;
            tx.commit().await?;
            Ok(value)
        };
        let done: Result<T, sqlx::Error> = done.await;
        if done.is_err() && self.dialect.failure_spoils() {
            let _unusable = connection.close().await;
        }
        done.map_err(self.failed(doing))
    }

    /// Whether the last change could be stored.
    pub fn health(&self) -> StoreHealth {
        *self.health.borrow()
    }

    /// Told whenever [`Store::health`] changes.
    pub fn health_changes(&self) -> watch::Receiver<StoreHealth> {
        self.health.subscribe()
    }

    /// Closes all connections once their queries are done.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    fn note<T>(&self, doing: &'static str, result: &Result<T, StoreError>) {
        let now = match result {
            Ok(_) => StoreHealth::Ok,
            Err(error) => error.health(),
        };
        // Whoever waits for a change is woken by a change and by nothing else.
        let mut before = now;
        self.health.send_if_modified(|health| {
            before = std::mem::replace(health, now);
            before != now
        });
        if before == now {
            return;
        }
        match result {
            Ok(_) => tracing::info!(doing, "the store takes changes again"),
            Err(error) => {
                tracing::error!(
                    doing,
                    error = %Chain(error),
                    "the store fails"
                );
            }
        }
    }

    /// Turns an error of the driver into ours.
    fn failed(&self, doing: &'static str) -> impl Fn(sqlx::Error) -> StoreError + use<> {
        let dialect = self.dialect;
        move |error| classify(dialect, doing, error)
    }
}

fn classify(dialect: Dialect, doing: &'static str, error: sqlx::Error) -> StoreError {
    let failure = match &error {
        sqlx::Error::Database(database) => dialect.failure(&**database),
        sqlx::Error::PoolTimedOut => dialect.no_connection(),
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => Failure::Away,
        _ => Failure::Other,
    };
    metrics().store_failed(failure.as_str());
    StoreError::new(doing, failure, error)
}

/// A stored value that is none of those we write.
fn unreadable(what: &'static str) -> sqlx::Error {
    sqlx::Error::Decode(what.into())
}

/// Makes the folder and the file of a database that is kept in one.
async fn make_place(dialect: Dialect, url: &ServiceUrl) -> Result<(), StoreError> {
    let Some(file) = dialect.file(url) else {
        return Ok(());
    };
    if let Some(folder) = file.parent() {
        make_private_folder(folder)
            .await
            .map_err(|source| StoreError::Folder {
                url: url.clone(),
                source,
            })?;
    }
    make_private_file(&file)
        .await
        .map_err(|source| StoreError::File {
            url: url.clone(),
            source,
        })
}

/// Makes a file that only its owner can read, unless it is there. The database
/// holds the key of lease tokens; SQLite gives its other files the same mode.
async fn make_private_file(file: &std::path::Path) -> std::io::Result<()> {
    let made = tokio::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)
        .await;
    match made {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map(drop),
    }
}

/// Makes a folder that only its owner can enter, unless it is there.
async fn make_private_folder(folder: &std::path::Path) -> std::io::Result<()> {
    if folder.as_os_str().is_empty() {
        return Ok(());
    }
    tokio::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .await
}
