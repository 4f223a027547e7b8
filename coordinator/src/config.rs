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
        config::load(path, CONFIG_LIMIT_BYTES, Self::read)
    }

    /// Reads and checks a text.
    pub fn read(text: &str) -> Result<Self, Fault> {
        let config: Self = config::parse(text)?;
        config.check().map_err(|unfit| unfit.fault(text))?;
        Ok(config)
    }

    /// Everything that can be said to be wrong before anything is opened.
    pub fn check(&self) -> Result<(), Unfit> {
        self.agents()?;
        self.signer_socket()?;
        self.operator_socket()?;
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
            database: default_database(),
            database_limit_mb: None,
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
        Config::read(text).map_err(|fault| fault.to_string())
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
            ("\nmetrics_listen = 'localhost'", "line 2: metrics_listen"),
            ("agents_listen = '0.0.0.0:7000'", "loopback"),
            ("agents_listen = 'fleet.sock'", "agents_listen"),
            ("agents_listen = 'unix:'", "agents_listen"),
            ("signer = '127.0.0.1:1'", "unix:PATH"),
            ("operator_listen = '127.0.0.1:1'", "operator_listen"),
            (
                "pages_listen = 'localhost'",
                "line 1: invalid socket address",
            ),
            ("database = 'sqlite:x'\nregions = []", "line 2: regions"),
            ("regions = ['Frankfurt am Main']", "regions"),
            ("regions = ['fra', 'fra']", "each once"),
            (
                "[[targets]]\nurl = 'https://a.example'\nregions = ['fra']",
                "fra",
            ),
            ("public_url = 'touchstone.example'", "line 1: public_url"),
            (
                "[[targets]]\nurl = 'a.example'",
                "line 2: adding the target",
            ),
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

    #[test]
    fn what_may_be_a_secret_is_refused_and_not_repeated() {
        for text in [
            "agents_listen = 'http://operator:hunter2@127.0.0.1:7000'",
            "signer = 'operator:hunter2@127.0.0.1:7000'",
            "public_url = 'https://operator:hunter2@touchstone.example'",
            "public_url = 'ftp://hunter2@touchstone.example'",
            "[[targets]]\nurl = 'https://operator:hunter2@a.example/mcp'",
            "[[targets]]\nurl = 'ftp://operator:hunter2@a.example/mcp'",
            "[[targets]]\nurl = 'operator:hunter2@a.example/mcp'",
            "[[targets]]\nurl = 'https://hunter2@a.example/mcp'\nregions = ['nowhere']",
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains("user name or"), "{text}: {error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
        assert!(parse("[[targets]]\nurl = 'https://a.example/@scope/mcp'").is_ok());
    }

    #[test]
    fn a_socket_whose_path_is_too_long_is_refused_with_its_line() {
        for key in ["signer", "agents_listen", "operator_listen"] {
            let fits = format!("{key} = 'unix:{}'", "s".repeat(SOCKET_PATH_LIMIT_BYTES));
            parse(&fits).unwrap();
            let error = parse(&format!("\n{}", fits.replace("unix:", "unix:s"))).unwrap_err();
            assert!(
                error.contains(&format!("line 2: {key} is a path of 108 bytes")),
                "{error}"
            );
        }
    }
}
