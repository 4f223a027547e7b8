//! What an operator sets. One file, TOML; a key that is not known is an error.

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use touchstone_evidence::target::names_a_user;
use touchstone_proto::SOCKET_PATH_LIMIT_BYTES;
use touchstone_telemetry::{
    Log,
    config::{self, ConfigError, Fault},
    metrics::MetricsListen,
};

use crate::{
    history::days::OBSERVED_DAYS,
    queue::{self, QueueUrlError},
    service_url::ServiceUrl,
    store::{self, DatabaseUrlError},
    targets::{EndpointSource, REGIONS_LIMIT, Seed, SeedError, Tier, is_region},
};

/// Days for which runs are kept, unless the operator says otherwise.
pub const RUNS_KEPT_DAYS: u32 = 100;
/// Days for which they must be kept at least: a report shows the last
/// [`OBSERVED_DAYS`] of them, and its links must lead to evidence.
#[allow(clippy::cast_possible_truncation)] // 90 fits.
pub const RUNS_KEPT_DAYS_LEAST: u32 = OBSERVED_DAYS as u32;

/// Largest configuration file, in bytes.
pub const CONFIG_LIMIT_BYTES: u64 = 16 * 1024 * 1024;

/// The coordinator's configuration.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/NAME`; where the file
    /// has no such key, the variable `DATABASE_URL`.
    #[serde(default = "default_database", alias = "database")]
    pub database_url: ServiceUrl,
    /// Largest size of a SQLite database, in megabytes of 1,000,000 bytes; absent: the disk.
    #[serde(default)]
    pub database_limit_mb: Option<u64>,
    /// Where due runs wait: `redis://:PASSWORD@HOST:PORT`; where the file has no
    /// such key and the database is a PostgreSQL one, the variable `REDIS_URL`.
    /// Absent: in this process, which is then the only one.
    #[serde(default)]
    pub queue_url: Option<ServiceUrl>,
    /// For how many days runs and their evidence are kept; 0: for ever. What
    /// their days said is kept for ever in any case.
    #[serde(default = "default_runs_kept_days")]
    pub runs_kept_days: u32,
    /// The signer's socket: `unix:PATH`.
    #[serde(default = "default_signer")]
    pub signer: String,
    /// Where agents connect: `unix:PATH` or a loopback `ADDRESS:PORT`.
    #[serde(default = "default_agents_listen")]
    pub agents_listen: String,
    /// Where the operator of this machine is answered: `unix:PATH`.
    #[serde(default = "default_operator_listen")]
    pub operator_listen: String,
    /// Where pages are served; port 0 takes any free one.
    #[serde(default = "default_pages_listen")]
    pub pages_listen: SocketAddr,
    /// Where readers reach the pages, if that is not where they are served.
    #[serde(default)]
    pub public_url: Option<String>,
    /// Regions in which agents are expected; targets without a list of their
    /// own take turns in all of them.
    #[serde(default = "default_regions")]
    pub regions: Vec<String>,
    /// Where `/metrics` is served: `PORT` on loopback, or `ADDRESS:PORT`.
    /// Absent: nowhere.
    #[serde(default)]
    pub metrics_listen: Option<MetricsListen>,
    #[serde(default)]
    pub log: Log,
    /// Added when they are not there yet; none is ever removed by leaving it out.
    #[serde(default)]
    pub targets: Vec<TargetConfig>,
}

/// A target in the configuration.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetConfig {
    pub url: String,
    #[serde(default)]
    pub tier: Tier,
    /// Empty: all regions of the configuration.
    #[serde(default)]
    pub regions: Vec<String>,
    #[serde(default)]
    pub source: TargetSource,
}

/// Who named the endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetSource {
    #[default]
    Operator,
    Registry,
    Owner,
    CommandLine,
}

/// A place to listen at, or to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    Unix(PathBuf),
    Tcp(SocketAddr),
}

/// Settings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    #[error("{key} = {value:?} is neither unix:PATH nor ADDRESS:PORT")]
    Address { key: &'static str, value: String },
    #[error(
        "agents_listen = {0:?} is no loopback address; without \
         mutual TLS agents may connect over a Unix socket or over loopback only"
    )]
    NotLoopback(SocketAddr),
    #[error("{key} = {value:?} must be unix:PATH")]
    NotUnix { key: &'static str, value: String },
    #[error("regions must hold 1 to {REGIONS_LIMIT} names of a-z, 0-9 and hyphen, each once")]
    Regions,
    #[error("the target {url:?} names the region {region:?}, which is not among regions")]
    UnknownRegion { url: String, region: String },
    #[error("database_url = {url:?} cannot be used: {why}")]
    Database {
        url: ServiceUrl,
        why: DatabaseUrlError,
    },
    #[error("queue_url = {url:?} cannot be used: {why}")]
    Queue { url: ServiceUrl, why: QueueUrlError },
    #[error(
        "queue_url = {queue:?} is for replicas, and these need a PostgreSQL database, not {database:?}"
    )]
    QueueWithoutServer {
        queue: ServiceUrl,
        database: ServiceUrl,
    },
    #[error(
        "runs_kept_days = {0} is less than the {RUNS_KEPT_DAYS_LEAST} days that reports show; \
         0 keeps runs for ever"
    )]
    RunsKept(u32),
    #[error("{key} holds a user name or a password, and none is taken; write it without")]
    Credentials { key: &'static str },
    #[error(
        "{key} is a path of {length} bytes, and that of a socket can be {SOCKET_PATH_LIMIT_BYTES} at the most"
    )]
    LongPath { key: &'static str, length: usize },
    #[error("public_url = {0:?} is no http or https URL")]
    PublicUrl(String),
    #[error(transparent)]
    Target(#[from] SeedError),
}

impl Config {
    /// Reads and checks a file. Blocks on it.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        config::load(path, CONFIG_LIMIT_BYTES, |text| {
            Self::read(text, |variable| std::env::var(variable).ok())
        })
    }

    /// Reads and checks a text, with the variables that may stand in for its URLs.
    fn read(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Self, Fault> {
        let config: Self = config::parse(text)?;
        let config = config.with_urls_of(text, variable);
        config.check().map_err(|unfit| unfit.fault(text))?;
        Ok(config)
    }

    /// Takes the URLs that the file does not have from the environment, where
    /// passwords are kept more often.
    fn with_urls_of(mut self, text: &str, variable: impl Fn(&str) -> Option<String>) -> Self {
        let variable = |name: &str| variable(name).filter(|url| !url.is_empty());
        let given: Given = toml::from_str(text).unwrap_or_default();
        if given.database_url.is_none()
            && let Some(url) = variable("DATABASE_URL")
        {
            self.database_url = url.into();
        }
        // A coordinator with a file of its own is the only one, whatever queue
        // other programs of the machine are told of.
        if self.queue_url.is_none() && !self.database_url.is_file() {
            self.queue_url = variable("REDIS_URL").map(ServiceUrl::new);
        }
        self
    }

    /// How long runs are kept; `None`: for ever.
    pub fn runs_kept_days(&self) -> Option<u32> {
        Some(self.runs_kept_days).filter(|&days| days > 0)
    }

    /// Everything that can be said to be wrong before anything is opened.
    pub fn check(&self) -> Result<(), Unfit> {
        self.agents()?;
        self.signer_socket()?;
        self.operator_socket()?;
        self.check_services()?;
        if self
            .runs_kept_days()
            .is_some_and(|days| days < RUNS_KEPT_DAYS_LEAST)
        {
            return Err(Unfit::RunsKept(self.runs_kept_days));
        }
        let regions = &self.regions;
        if regions.is_empty()
            || regions.len() > REGIONS_LIMIT
            || !regions.iter().all(|region| is_region(region))
            || regions.iter().collect::<BTreeSet<_>>().len() < regions.len()
        {
            return Err(Unfit::Regions);
        }
        if let Some(text) = &self.public_url {
            if names_a_user(text) {
                return Err(Unfit::Credentials { key: "public_url" });
            }
            let url = url::Url::parse(text).ok();
            if !url.is_some_and(|url| matches!(url.scheme(), "http" | "https")) {
                return Err(Unfit::PublicUrl(text.clone()));
            }
        }
        self.seeds()?;
        Ok(())
    }

    fn check_services(&self) -> Result<(), Unfit> {
        let (database, limited) = (&self.database_url, self.database_limit_mb.is_some());
        store::check_url(database, limited).map_err(|why| Unfit::Database {
            url: database.clone(),
            why,
        })?;
        let Some(queue) = &self.queue_url else {
            return Ok(());
        };
        queue::check_url(queue).map_err(|why| Unfit::Queue {
            url: queue.clone(),
            why,
        })?;
        if database.is_file() {
            return Err(Unfit::QueueWithoutServer {
                queue: queue.clone(),
                database: database.clone(),
            });
        }
        Ok(())
    }

    /// Where agents connect.
    pub fn agents(&self) -> Result<Address, Unfit> {
        let address = Address::parse("agents_listen", &self.agents_listen)?;
        match &address {
            Address::Tcp(tcp) if !tcp.ip().is_loopback() => Err(Unfit::NotLoopback(*tcp)),
            _ => Ok(address),
        }
    }

    /// The signer's socket.
    pub fn signer_socket(&self) -> Result<PathBuf, Unfit> {
        unix("signer", &self.signer)
    }

    /// The socket on which the operator of this machine is answered.
    pub fn operator_socket(&self) -> Result<PathBuf, Unfit> {
        unix("operator_listen", &self.operator_listen)
    }

    /// The targets of the configuration.
    pub fn seeds(&self) -> Result<Vec<Seed>, Unfit> {
        let seed = |target: &TargetConfig| {
            if names_a_user(&target.url) {
                return Err(SeedError::Credentials.into());
            }
            let unknown = |region: &&String| !self.regions.contains(region);
            if let Some(region) = target.regions.iter().find(unknown) {
                return Err(Unfit::UnknownRegion {
                    url: target.url.chars().take(200).collect(),
                    region: region.clone(),
                });
            }
            let regions = if target.regions.is_empty() {
                self.regions.clone()
            } else {
                target.regions.clone()
            };
            let source = target.source.into();
            Ok(Seed::parse(&target.url, source, target.tier, regions)?)
        };
        self.targets.iter().map(seed).collect()
    }
}

impl Unfit {
    /// The same with the line of the key or the target that it is about.
    fn fault(&self, text: &str) -> Fault {
        let key = match self {
            Self::Address { key, .. }
            | Self::NotUnix { key, .. }
            | Self::Credentials { key }
            | Self::LongPath { key, .. } => key,
            Self::NotLoopback(_) => "agents_listen",
            Self::Database { .. } => {
                let fault = Fault::of_key(text, "database_url", self);
                return match fault.line {
                    Some(_) => fault,
                    // The key's other name.
                    None => Fault::of_key(text, "database", self),
                };
            }
            Self::Queue { .. } | Self::QueueWithoutServer { .. } => "queue_url",
            Self::RunsKept(_) => "runs_kept_days",
            Self::Regions => "regions",
            Self::PublicUrl(_) => "public_url",
            Self::UnknownRegion { url, .. } => return Fault::of_value(text, url, self),
            Self::Target(error) => {
                // Without a URL to look for, no line is better than a wrong one.
                let url = error.url().unwrap_or("\n");
                return Fault::of_value(text, url, self);
            }
        };
        Fault::of_key(text, key, self)
    }
}

impl Default for Config {
    /// As an empty file says.
    fn default() -> Self {
        Self {
            database_url: default_database(),
            database_limit_mb: None,
            queue_url: None,
            runs_kept_days: default_runs_kept_days(),
            signer: default_signer(),
            agents_listen: default_agents_listen(),
            operator_listen: default_operator_listen(),
            pages_listen: default_pages_listen(),
            public_url: None,
            regions: default_regions(),
            metrics_listen: None,
            log: Log::default(),
            targets: Vec::new(),
        }
    }
}

impl Address {
    fn parse(key: &'static str, value: &str) -> Result<Self, Unfit> {
        match value.strip_prefix("unix:") {
            Some(path) if path.len() > SOCKET_PATH_LIMIT_BYTES => Err(Unfit::LongPath {
                key,
                length: path.len(),
            }),
            Some(path) if !path.is_empty() => Ok(Self::Unix(path.into())),
            None if value.contains('@') => Err(Unfit::Credentials { key }),
            _ => value.parse().map(Self::Tcp).map_err(|_| Unfit::Address {
                key,
                value: value.to_owned(),
            }),
        }
    }
}

fn unix(key: &'static str, value: &str) -> Result<PathBuf, Unfit> {
    match Address::parse(key, value)? {
        Address::Unix(path) => Ok(path),
        Address::Tcp(_) => Err(Unfit::NotUnix {
            key,
            value: value.to_owned(),
        }),
    }
}

impl From<TargetSource> for EndpointSource {
    fn from(source: TargetSource) -> Self {
        match source {
            TargetSource::Operator => Self::Operator,
            TargetSource::Registry => Self::Registry,
            TargetSource::Owner => Self::Owner,
            TargetSource::CommandLine => Self::CommandLine,
        }
    }
}

/// Which of the keys that may come from elsewhere a file has.
#[derive(Default, Deserialize)]
struct Given {
    #[serde(alias = "database")]
    database_url: Option<String>,
}

fn default_database() -> ServiceUrl {
    ServiceUrl::new("sqlite:coordinator/touchstone.sqlite")
}

fn default_runs_kept_days() -> u32 {
    RUNS_KEPT_DAYS
}

fn default_signer() -> String {
    "unix:run/signer.sock".to_owned()
}

fn default_agents_listen() -> String {
    "unix:run/fleet.sock".to_owned()
}

fn default_operator_listen() -> String {
    "unix:run/operator.sock".to_owned()
}

fn default_pages_listen() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 8080))
}

fn default_regions() -> Vec<String> {
    vec!["local".to_owned()]
}

#[cfg(test)]
mod tests;
