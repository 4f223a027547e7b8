//! What an operator can set, read from one TOML file.
//!
//! Unknown keys are refused, every default has a name, and a value that could
//! not work is refused here rather than at the first run.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use touchstone_telemetry::Log;

/// Where an agent finds its coordinator on the same machine.
pub const DEFAULT_COORDINATOR: &str = "unix:run/fleet.sock";
/// The folder that holds the agent's key and its spool.
pub const DEFAULT_DATA: &str = "agent";
pub const DEFAULT_JOIN_TOKEN_FILE: &str = "agent/join-token";
/// Runs at once. One run holds one connection at a time and, at the very most,
/// 18 bodies of 2 MiB, so this number bounds the agent's sockets and memory.
pub const DEFAULT_RUNS_IN_FLIGHT: u16 = 16;
/// Most runs at once that can be configured.
pub const RUNS_IN_FLIGHT_LIMIT: u16 = 256;
/// Largest configuration file, in bytes.
const FILE_LIMIT_BYTES: u64 = 64 * 1024;

/// One agent's configuration. Relative paths start at the working directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// `unix:PATH`, or `http://ADDRESS:PORT` with a loopback address: the
    /// connection is not encrypted, so it must not leave the machine.
    pub coordinator: Address,
    pub data: PathBuf,
    /// Holds the one-time token that lets this agent enter the fleet. Deleted
    /// when it is no longer needed; needs not exist after that.
    pub join_token_file: PathBuf,
    /// Networks that may be probed although they are not public, and there
    /// over plain http and on any port.
    pub allow_net: Vec<IpNet>,
    /// Files with further certificate authorities (PEM) to trust in probes.
    pub trust_ca: Vec<PathBuf>,
    /// Runs at once, 1 to 256.
    pub runs_in_flight: u16,
    pub log: Log,
}

/// Where the coordinator listens for agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Address {
    Unix(PathBuf),
    /// Plain TCP on this machine: `http://127.0.0.1:PORT`.
    Loopback {
        host: IpAddr,
        port: u16,
    },
}

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("reading the configuration file {}", path.display())]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("reading the configuration file {}: it is larger than {FILE_LIMIT_BYTES} bytes", .0.display())]
    TooLarge(PathBuf),
    #[error("reading the configuration file {}", path.display())]
    Invalid { path: PathBuf, source: Box<Self> },
    #[error("this is no configuration of an agent")]
    Syntax(#[from] toml::de::Error),
    #[error("runs_in_flight is {0}, not 1 to {RUNS_IN_FLIGHT_LIMIT}")]
    RunsInFlight(u16),
}

/// An address that is none an agent may report to.
#[derive(Debug, thiserror::Error)]
pub enum BadAddress {
    #[error("{0:?} is neither unix:PATH nor http://ADDRESS:PORT")]
    Form(String),
    #[error("{0:?} is no loopback address: an unencrypted connection must not leave this machine")]
    NotLoopback(String),
}

impl Config {
    /// Reads a file. Blocks on it.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let failed = |source| ConfigError::File {
            path: path.to_owned(),
            source,
        };
        if std::fs::metadata(path).map_err(failed)?.len() > FILE_LIMIT_BYTES {
            return Err(ConfigError::TooLarge(path.to_owned()));
        }
        let text = std::fs::read_to_string(path).map_err(failed)?;
        Self::read(&text).map_err(|source| ConfigError::Invalid {
            path: path.to_owned(),
            source: Box::new(source),
        })
    }

    pub fn read(text: &str) -> Result<Self, ConfigError> {
        let config: Self = toml::from_str(text)?;
        if !(1..=RUNS_IN_FLIGHT_LIMIT).contains(&config.runs_in_flight) {
            return Err(ConfigError::RunsInFlight(config.runs_in_flight));
        }
        Ok(config)
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            coordinator: Address::default(),
            data: DEFAULT_DATA.into(),
            join_token_file: DEFAULT_JOIN_TOKEN_FILE.into(),
            allow_net: Vec::new(),
            trust_ca: Vec::new(),
            runs_in_flight: DEFAULT_RUNS_IN_FLIGHT,
            log: Log::default(),
        }
    }
}

impl Default for Address {
    fn default() -> Self {
        Self::Unix("run/fleet.sock".into())
    }
}

impl TryFrom<String> for Address {
    type Error = BadAddress;

    fn try_from(text: String) -> Result<Self, BadAddress> {
        if let Some(path) = text.strip_prefix("unix:").filter(|path| !path.is_empty()) {
            return Ok(Self::Unix(path.into()));
        }
        let form = || BadAddress::Form(text.clone());
        let authority = text
            .strip_prefix("http://")
            .map(|rest| rest.strip_suffix('/').unwrap_or(rest))
            .ok_or_else(form)?;
        let (host, port) = authority.rsplit_once(':').ok_or_else(form)?;
        let port = port.parse().map_err(|_| form())?;
        let host = match host.trim_start_matches('[').trim_end_matches(']') {
            "localhost" => "127.0.0.1",
            literal => literal,
        };
        let Ok(host) = host.parse::<IpAddr>() else {
            return Err(BadAddress::NotLoopback(text));
        };
        if !host.is_loopback() {
            return Err(BadAddress::NotLoopback(text));
        }
        Ok(Self::Loopback { host, port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Loopback { host, port } => {
                write!(f, "http://{}", std::net::SocketAddr::new(*host, *port))
            }
        }
    }
}

impl From<Address> for String {
    fn from(address: Address) -> Self {
        address.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_empty_file_gives_the_named_defaults() {
        let config = Config::read("").unwrap();
        assert_eq!(config, Config::default());
        assert_eq!(config.coordinator.to_string(), DEFAULT_COORDINATOR);
        let printed = toml::to_string(&config).unwrap();
        assert_eq!(Config::read(&printed).unwrap(), config, "{printed}");
    }

    #[test]
    fn every_key_is_read() {
        let config = Config::read(
            r#"
            coordinator = "http://[::1]:7001"
            data = "d"
            join_token_file = "t"
            allow_net = ["127.0.0.0/8", "::1/128"]
            trust_ca = ["ca.pem"]
            runs_in_flight = 3
            log = { format = "human", filter = "debug" }
            "#,
        )
        .unwrap();
        assert_eq!(config.coordinator.to_string(), "http://[::1]:7001");
        assert_eq!(config.allow_net.len(), 2);
        assert_eq!(config.runs_in_flight, 3);
        assert_eq!(config.log.format, touchstone_telemetry::Format::Human);
    }

    #[test]
    fn what_could_not_work_is_refused_with_the_value() {
        for (text, part) in [
            ("region = \"eu\"", "region"),
            ("runs_in_flight = 0", "runs_in_flight"),
            ("runs_in_flight = 257", "257"),
            ("allow_net = [\"everywhere\"]", "allow_net"),
            ("log = { level = \"info\" }", "level"),
            ("coordinator = \"run/fleet.sock\"", "run/fleet.sock"),
            ("coordinator = \"unix:\"", "unix:"),
            (
                "coordinator = \"https://127.0.0.1:1\"",
                "https://127.0.0.1:1",
            ),
            ("coordinator = \"http://127.0.0.1\"", "http://127.0.0.1"),
            ("coordinator = \"http://192.0.2.1:7001\"", "loopback"),
            ("coordinator = \"http://example.com:7001\"", "loopback"),
        ] {
            let error = Config::read(text).unwrap_err();
            let chain = match &error {
                ConfigError::Syntax(source) => source.to_string(),
                other => other.to_string(),
            };
            assert!(chain.contains(part), "{text}: {chain}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_configuration_or_is_refused(
            text in prop_oneof![
                "\\PC{0,60}",
                "(coordinator|allow_net|trust_ca|runs_in_flight|data) ?= ?[\\[\\]\"a-z0-9:/., \n]{0,40}",
                "coordinator = \"(unix:|http://)[\\[\\]a-z0-9:./@]{0,30}\"",
            ],
        ) {
            if let Ok(config) = Config::read(&text) {
                prop_assert!((1..=RUNS_IN_FLIGHT_LIMIT).contains(&config.runs_in_flight));
            }
        }
    }
}
