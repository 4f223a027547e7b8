//! What an operator sets. One file, TOML; a key that is not known is an error.

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use touchstone_telemetry::Log;

use crate::targets::{EndpointSource, REGIONS_LIMIT, Seed, SeedError, Tier, is_region};

/// Largest configuration file, in bytes.
pub const CONFIG_LIMIT_BYTES: u64 = 16 * 1024 * 1024;

/// The coordinator's configuration.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// `sqlite:PATH`.
    #[serde(default = "default_database")]
    pub database: String,
    /// Largest size of the database, in megabytes of 1,000,000 bytes; absent: the disk.
    #[serde(default)]
    pub database_limit_mb: Option<u64>,
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
        config.check()?;
        Ok(config)
    }

    /// Everything that can be said to be wrong before anything is opened.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.agents()?;
        self.signer_socket()?;
        self.operator_socket()?;
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
            database: default_database(),
            database_limit_mb: None,
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

fn default_database() -> String {
    "sqlite:coordinator/touchstone.sqlite".to_owned()
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<Config, String> {
        let config: Config = toml::from_str(text).map_err(|error| error.to_string())?;
        config.check().map_err(|error| error.to_string())?;
        Ok(config)
    }

    #[test]
    fn an_empty_file_is_the_default_and_every_key_is_read() {
        let empty = parse("").unwrap();
        assert_eq!(format!("{empty:?}"), format!("{:?}", Config::default()));
        let written = toml::to_string(&empty).unwrap();
        assert_eq!(
            format!("{:?}", parse(&written).unwrap()),
            format!("{empty:?}")
        );
        let full = parse(
            r#"
            database = "sqlite:x.sqlite"
            database_limit_mb = 500
            signer = "unix:s.sock"
            agents_listen = "127.0.0.1:7000"
            operator_listen = "unix:o.sock"
            pages_listen = "0.0.0.0:80"
            public_url = "https://touchstone.example"
            regions = ["fra", "iad"]
            log = { format = "human", filter = "debug" }
            [[targets]]
            url = "https://a.example/mcp"
            [[targets]]
            url = "https://b.example/mcp"
            tier = "indie"
            regions = ["iad"]
            source = "command_line"
            "#,
        )
        .unwrap();
        assert_eq!(
            full.agents().unwrap(),
            Address::Tcp(([127, 0, 0, 1], 7000).into())
        );
        assert_eq!(full.operator_socket().unwrap(), Path::new("o.sock"));
        let seeds = full.seeds().unwrap();
        assert_eq!(seeds[0].regions, ["fra", "iad"]);
        assert_eq!(
            (seeds[1].tier, seeds[1].source),
            (Tier::Indie, EndpointSource::CommandLine)
        );
    }

    #[test]
    fn what_cannot_be_used_is_refused_and_named() {
        for (text, named) in [
            ("databse = 'x'", "databse"),
            ("agents_listen = '0.0.0.0:7000'", "loopback"),
            ("agents_listen = 'fleet.sock'", "agents_listen"),
            ("agents_listen = 'unix:'", "agents_listen"),
            ("signer = '127.0.0.1:1'", "unix:PATH"),
            ("operator_listen = '127.0.0.1:1'", "operator_listen"),
            ("pages_listen = 'localhost'", "pages_listen"),
            ("regions = []", "regions"),
            ("regions = ['Frankfurt am Main']", "regions"),
            ("regions = ['fra', 'fra']", "each once"),
            (
                "[[targets]]\nurl = 'https://a.example'\nregions = ['fra']",
                "fra",
            ),
            ("public_url = 'touchstone.example'", "public_url"),
            ("[[targets]]\nurl = 'a.example'", "target"),
            (
                "[[targets]]\nurl = 'https://a.example'\ntier = 'gold'",
                "gold",
            ),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(named), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_configuration_or_is_refused(
            text in prop_oneof![
                "\\PC{0,60}",
                "(agents_listen|signer|public_url|regions) ?= ?[\\[\\]\"a-z0-9:/., \n]{0,40}",
                "agents_listen = \"(unix:)?[\\[\\]a-z0-9:./]{0,30}\"",
                "\\[\\[targets\\]\\]\nurl = \"(https?://)?[a-z0-9:./@é]{0,30}\"",
            ],
        ) {
            if let Ok(config) = parse(&text) {
                let written = toml::to_string(&config).unwrap();
                let again = parse(&written).unwrap();
                prop_assert_eq!(format!("{again:?}"), format!("{config:?}"));
            }
        }
    }
}
