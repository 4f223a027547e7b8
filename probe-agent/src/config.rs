//! What an operator can set, read from one TOML file.
//!
//! Unknown keys are refused, every default has a name, and a value that could
//! not work is refused here rather than at the first run.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use touchstone_proto::SOCKET_PATH_LIMIT_BYTES;
use touchstone_telemetry::Log;
use touchstone_telemetry::config::{self, ConfigError, Fault};
use touchstone_telemetry::metrics::MetricsListen;

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
    /// Networks that are never probed, public or not, such as a cluster's own;
    /// they go before `allow_net`.
    pub deny_net: Vec<IpNet>,
    /// Files with further certificate authorities (PEM) to trust in probes.
    pub trust_ca: Vec<PathBuf>,
    /// Runs at once, 1 to 256.
    pub runs_in_flight: u16,
    /// Where `/metrics` is served: `PORT` on loopback, or `ADDRESS:PORT`.
    /// Absent: nowhere.
    pub metrics_listen: Option<MetricsListen>,
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

/// A setting that could not work.
#[derive(Debug, thiserror::Error)]
enum Unfit {
    #[error("runs_in_flight is {0}, not 1 to {RUNS_IN_FLIGHT_LIMIT}")]
    RunsInFlight(u16),
}

/// An address that is none an agent may report to.
#[derive(Debug, thiserror::Error)]
pub enum BadAddress {
    #[error("{0:?} is neither unix:PATH nor http://ADDRESS:PORT")]
    Form(String),
    /// Neither is repeated.
    #[error(
        "the coordinator's address holds a user name or a password, and none is ever sent; write it without"
    )]
    Credentials,
    #[error(
        "a socket's path can be {SOCKET_PATH_LIMIT_BYTES} bytes long at the most, and this one is {0}"
    )]
    LongPath(usize),
    #[error("{0:?} is no loopback address: an unencrypted connection must not leave this machine")]
    NotLoopback(String),
}

impl Config {
    /// Reads a file. Blocks on it.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        config::load(path, FILE_LIMIT_BYTES, Self::read)
    }

    pub fn read(text: &str) -> Result<Self, Fault> {
        let config: Self = config::parse(text)?;
        let runs = config.runs_in_flight;
        if !(1..=RUNS_IN_FLIGHT_LIMIT).contains(&runs) {
            return Err(Fault::of_key(
                text,
                "runs_in_flight",
                &Unfit::RunsInFlight(runs),
            ));
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
            deny_net: Vec::new(),
            trust_ca: Vec::new(),
            runs_in_flight: DEFAULT_RUNS_IN_FLIGHT,
            metrics_listen: None,
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
            if path.len() > SOCKET_PATH_LIMIT_BYTES {
                return Err(BadAddress::LongPath(path.len()));
            }
            return Ok(Self::Unix(path.into()));
        }
        if text.contains('@') {
            return Err(BadAddress::Credentials);
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
            deny_net = ["10.96.0.0/12"]
            trust_ca = ["ca.pem"]
            runs_in_flight = 3
            metrics_listen = "9464"
            log = { format = "human", filter = "debug" }
            "#,
        )
        .unwrap();
        assert_eq!(config.coordinator.to_string(), "http://[::1]:7001");
        assert_eq!(config.allow_net.len(), 2);
        assert_eq!(config.deny_net, ["10.96.0.0/12".parse().unwrap()]);
        assert_eq!(config.runs_in_flight, 3);
        assert_eq!(config.metrics_listen.unwrap().to_string(), "127.0.0.1:9464");
        assert_eq!(config.log.format, touchstone_telemetry::Format::Human);
    }

    #[test]
    fn what_could_not_work_is_refused_with_the_value() {
        for (text, part) in [
            ("region = \"eu\"", "region"),
            ("runs_in_flight = 0", "runs_in_flight"),
            ("runs_in_flight = 257", "257"),
            ("metrics_listen = \"localhost\"", "PORT"),
            ("allow_net = [\"everywhere\"]", "line 1: invalid IP address"),
            ("\ndeny_net = [\"10.0.0.1\"]", "line 2: "),
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
            let fault = Config::read(text).unwrap_err().to_string();
            assert!(fault.contains(part), "{text}: {fault}");
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

    #[test]
    fn a_coordinator_s_address_with_credentials_is_refused_and_not_repeated() {
        for address in [
            "http://operator:hunter2@127.0.0.1:7001",
            "https://hunter2@example.com",
            "operator:hunter2@127.0.0.1:7001",
        ] {
            let text = format!("coordinator = \"{address}\"");
            let fault = Config::read(&text).unwrap_err().to_string();
            assert!(
                fault.contains("line 1: the coordinator's address holds"),
                "{fault}"
            );
            assert!(!fault.contains("hunter2"), "{fault}");
        }
        // A folder's name is no credential.
        assert!(Config::read("coordinator = \"unix:run/a@b.sock\"").is_ok());
    }
}
