//! What an operator sets. One file, TOML; a key that is not known is an error.

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use touchstone_telemetry::Log;

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
    /// Where due runs wait: `redis://:PASSWORD@HOST:PORT`, or the variable
    /// `QUEUE_URL`. Absent: in this process, which is then the only one.
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

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("reading the configuration {path}")]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("reading the configuration {path}: it is larger than {CONFIG_LIMIT_BYTES} bytes")]
    TooLarge { path: PathBuf },
    #[error("reading the configuration {path}")]
    Parse {
        path: PathBuf,
        source: Box<toml::de::Error>,
    },
    #[error("reading the configuration: {key} = {value:?} is neither unix:PATH nor ADDRESS:PORT")]
    Address { key: &'static str, value: String },
    #[error(
        "reading the configuration: agents_listen = {0:?} is no loopback address; without \
         mutual TLS agents may connect over a Unix socket or over loopback only"
    )]
    NotLoopback(SocketAddr),
    #[error("reading the configuration: {key} = {value:?} must be unix:PATH")]
    NotUnix { key: &'static str, value: String },
    #[error(
        "reading the configuration: regions must hold 1 to {REGIONS_LIMIT} names of a-z, 0-9 and hyphen, each once"
    )]
    Regions,
    #[error(
        "reading the configuration: the target {url:?} names the region {region:?}, which is not among regions"
    )]
    UnknownRegion { url: String, region: String },
    #[error("reading the configuration: database_url = {url:?} cannot be used: {why}")]
    Database {
        url: ServiceUrl,
        why: DatabaseUrlError,
    },
    #[error("reading the configuration: queue_url = {url:?} cannot be used: {why}")]
    Queue { url: ServiceUrl, why: QueueUrlError },
    #[error(
        "reading the configuration: queue_url = {queue:?} is for replicas, and these need a \
         PostgreSQL database, not {database:?}"
    )]
    QueueWithoutServer {
        queue: ServiceUrl,
        database: ServiceUrl,
    },
    #[error(
        "reading the configuration: runs_kept_days = {0} is less than the {RUNS_KEPT_DAYS_LEAST} \
         days that reports show; 0 keeps runs for ever"
    )]
    RunsKept(u32),
    #[error("reading the configuration: public_url = {0:?} is no http or https URL")]
    PublicUrl(String),
    #[error("reading the configuration: a target cannot be taken")]
    Target(#[from] SeedError),
}

impl Config {
    /// Reads and checks a file.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let read = |source| ConfigError::Read {
            path: path.to_owned(),
            source,
        };
        if std::fs::metadata(path).map_err(read)?.len() > CONFIG_LIMIT_BYTES {
            return Err(ConfigError::TooLarge {
                path: path.to_owned(),
            });
        }
        let text = std::fs::read_to_string(path).map_err(read)?;
        let config: Self = toml::from_str(&text).map_err(|source| ConfigError::Parse {
            path: path.to_owned(),
            source: Box::new(source),
        })?;
        let config = config.with_urls_of(&text, |variable| std::env::var(variable).ok());
        config.check()?;
        Ok(config)
    }

    /// Takes the URLs that the file does not have from the environment, where
    /// passwords are kept more often.
    fn with_urls_of(mut self, text: &str, variable: impl Fn(&str) -> Option<String>) -> Self {
        let given = toml::from_str::<Given>(text).unwrap_or_default();
        if given.database_url.is_none()
            && let Some(url) = variable("DATABASE_URL")
        {
            self.database_url = url.into();
        }
        if self.queue_url.is_none() {
            self.queue_url = variable("QUEUE_URL").map(ServiceUrl::new);
        }
        self
    }

    /// How long runs are kept; `None`: for ever.
    pub fn runs_kept_days(&self) -> Option<u32> {
        Some(self.runs_kept_days).filter(|&days| days > 0)
    }

    /// Everything that can be said to be wrong before anything is opened.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.agents()?;
        self.signer_socket()?;
        self.operator_socket()?;
        self.check_services()?;
        if self
            .runs_kept_days()
            .is_some_and(|days| days < RUNS_KEPT_DAYS_LEAST)
        {
            return Err(ConfigError::RunsKept(self.runs_kept_days));
        }
        let regions = &self.regions;
        if regions.is_empty()
            || regions.len() > REGIONS_LIMIT
            || !regions.iter().all(|region| is_region(region))
            || regions.iter().collect::<BTreeSet<_>>().len() < regions.len()
        {
            return Err(ConfigError::Regions);
        }
        if let Some(text) = &self.public_url {
            let url = url::Url::parse(text).ok();
            if !url.is_some_and(|url| matches!(url.scheme(), "http" | "https")) {
                return Err(ConfigError::PublicUrl(text.clone()));
            }
        }
        self.seeds()?;
        Ok(())
    }

    fn check_services(&self) -> Result<(), ConfigError> {
        let (database, limited) = (&self.database_url, self.database_limit_mb.is_some());
        store::check_url(database, limited).map_err(|why| ConfigError::Database {
            url: database.clone(),
            why,
        })?;
        let Some(queue) = &self.queue_url else {
            return Ok(());
        };
        queue::check_url(queue).map_err(|why| ConfigError::Queue {
            url: queue.clone(),
            why,
        })?;
        if database.scheme() == "sqlite" {
            return Err(ConfigError::QueueWithoutServer {
                queue: queue.clone(),
                database: database.clone(),
            });
        }
        Ok(())
    }

    /// Where agents connect.
    pub fn agents(&self) -> Result<Address, ConfigError> {
        let address = Address::parse("agents_listen", &self.agents_listen)?;
        match &address {
            Address::Tcp(tcp) if !tcp.ip().is_loopback() => Err(ConfigError::NotLoopback(*tcp)),
            _ => Ok(address),
        }
    }

    /// The signer's socket.
    pub fn signer_socket(&self) -> Result<PathBuf, ConfigError> {
        unix("signer", &self.signer)
    }

    /// The socket on which the operator of this machine is answered.
    pub fn operator_socket(&self) -> Result<PathBuf, ConfigError> {
        unix("operator_listen", &self.operator_listen)
    }

    /// The targets of the configuration.
    pub fn seeds(&self) -> Result<Vec<Seed>, ConfigError> {
        let seed = |target: &TargetConfig| {
            let unknown = |region: &&String| !self.regions.contains(region);
            if let Some(region) = target.regions.iter().find(unknown) {
                return Err(ConfigError::UnknownRegion {
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
            log: Log::default(),
            targets: Vec::new(),
        }
    }
}

impl Address {
    fn parse(key: &'static str, value: &str) -> Result<Self, ConfigError> {
        match value.strip_prefix("unix:") {
            Some(path) if !path.is_empty() => Ok(Self::Unix(path.into())),
            _ => value
                .parse()
                .map(Self::Tcp)
                .map_err(|_| ConfigError::Address {
                    key,
                    value: value.to_owned(),
                }),
        }
    }
}

fn unix(key: &'static str, value: &str) -> Result<PathBuf, ConfigError> {
    match Address::parse(key, value)? {
        Address::Unix(path) => Ok(path),
        Address::Tcp(_) => Err(ConfigError::NotUnix {
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
