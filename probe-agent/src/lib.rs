//! The agent: fetches what strangers' servers say, records it as it was, signs
//! the record, and judges nothing.
//!
//! The way of a run: a lease comes in ([`worker`]), the conversation says what
//! to send next ([`conversation`], no I/O), the guard decides what may be
//! dialled ([`guard`]), one HTTP exchange after another is made and recorded
//! ([`exchange`]), and the whole ([`probe()`]) is signed ([`identity`]) and
//! reported.
//!
//! An agent holds no secret but its own key, sends no credential, and keeps
//! every run inside its budget.

pub mod config;
pub mod conversation;
pub mod exchange;
pub mod guard;
pub mod identity;
mod metrics;
mod probe;
pub mod worker;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use touchstone_telemetry::metrics::{Metrics, MetricsError};
use tracing::info;

pub use config::Config;
pub use guard::Policy;
pub use probe::{Probes, Recording, RunSpec, SUITE, probe};

use exchange::{BadAuthority, Egress, Trust};
use guard::Resolver;
use identity::{Identity, IdentityError};
use worker::{SpoolError, Timing, Worker};

/// As recorded in observations and said to coordinators and servers.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What keeps an agent from working at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("making the data folder {}", path.display())]
    Data { path: PathBuf, source: io::Error },
    #[error("reading the certificate authorities of {}", path.display())]
    AuthorityFile { path: PathBuf, source: io::Error },
    #[error("taking the certificate authorities of {}", path.display())]
    Authority { path: PathBuf, source: BadAuthority },
    #[error(transparent)]
    Identity(#[from] IdentityError),
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    #[error(transparent)]
    Spool(#[from] SpoolError),
    #[error("starting the agent: a task of ours broke off")]
    Task(#[from] tokio::task::JoinError),
}

/// Works for the configured coordinator until `shutdown`.
pub async fn run(config: Config, shutdown: CancellationToken) -> Result<(), Error> {
    let data = config.data.clone();
    let identity = tokio::task::spawn_blocking(move || -> Result<_, Error> {
        make_private(&data).map_err(|source| Error::Data {
            path: data.clone(),
            source,
        })?;
        Ok(Identity::load_or_create(&data)?)
    })
    .await??;
    let egress = egress(
        Policy::new(config.allow_net, config.deny_net),
        config.trust_ca,
    )
    .await?;
    info!(
        agent.key_id = identity.key_id(),
        version = VERSION,
        coordinator = %config.coordinator,
        runs_in_flight = config.runs_in_flight,
        "agent started"
    );
    let _metrics = Metrics::serve(
        config.metrics_listen,
        "probe-agent",
        VERSION,
        metrics::Fetched,
    )
    .await?;
    let worker = Worker {
        coordinator: config.coordinator,
        join_token_file: config.join_token_file,
        data: config.data,
        identity: Arc::new(identity),
        runs_in_flight: config.runs_in_flight,
        prober: Probes(Arc::new(egress)),
        timing: Timing::default(),
    };
    worker.run(shutdown).await?;
    info!("agent stopped");
    Ok(())
}

/// The way to targets: where the policy lets probes go, with the authorities
/// of the public web and those in the files.
pub async fn egress(policy: Policy, trust_ca: Vec<PathBuf>) -> Result<Egress, Error> {
    let mut trust = Trust::public();
    for path in trust_ca {
        let pem = match tokio::fs::read(&path).await {
            Ok(pem) => pem,
            Err(source) => return Err(Error::AuthorityFile { path, source }),
        };
        trust = trust
            .with_authorities(&pem)
            .map_err(|source| Error::Authority { path, source })?;
    }
    Ok(Egress::new(policy, Resolver::system(), &trust))
}

fn make_private(folder: &std::path::Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}
