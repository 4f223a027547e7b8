//! The signer's configuration: one TOML file, unknown keys refused.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use touchstone_telemetry::Log;

/// The folder of keys and roster.
pub const DEFAULT_DATA: &str = "signer";
/// Where the coordinator calls.
pub const DEFAULT_SOCKET: &str = "run/signer.sock";
/// Where the operator calls.
pub const DEFAULT_ADMIN_SOCKET: &str = "run/signer-admin.sock";
/// Largest configuration file, in bytes.
const FILE_LIMIT_BYTES: u64 = 64 * 1024;

/// One signer's configuration. Relative paths start at the working directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Of mode 0700; made at the first start.
    pub data: PathBuf,
    pub socket: PathBuf,
    /// Whoever can call there can put an agent into the fleet.
    pub admin_socket: PathBuf,
    /// Users that may call on `socket`, beside root and the signer's own.
    pub socket_uids: Vec<u32>,
    /// The same for `admin_socket`.
    pub admin_socket_uids: Vec<u32>,
    /// Seals the private keys; 0600. Without it they lie open in `data`.
    pub passphrase_file: Option<PathBuf>,
    pub log: Log,
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
    #[error("reading the configuration")]
    Syntax(#[from] toml::de::Error),
    #[error(
        "reading the configuration: socket and admin_socket are the same file, and the coordinator must not be able to open the operator's"
    )]
    OneSocket,
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
        Self::read(&std::fs::read_to_string(path).map_err(failed)?)
    }

    pub fn read(text: &str) -> Result<Self, ConfigError> {
        let config: Self = toml::from_str(text)?;
        if config.socket == config.admin_socket {
            return Err(ConfigError::OneSocket);
        }
        Ok(config)
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            data: DEFAULT_DATA.into(),
            socket: DEFAULT_SOCKET.into(),
            admin_socket: DEFAULT_ADMIN_SOCKET.into(),
            socket_uids: Vec::new(),
            admin_socket_uids: Vec::new(),
            passphrase_file: None,
            log: Log::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_default_and_no_other_is_taken() {
        assert_eq!(Config::read("").unwrap(), Config::default());
        let config = Config::read("data = \"/var/lib/signer\"").unwrap();
        assert_eq!(config.data, PathBuf::from("/var/lib/signer"));
        assert_eq!(config.socket, PathBuf::from(DEFAULT_SOCKET));
        let written = toml::to_string(&Config::default()).unwrap();
        assert_eq!(Config::read(&written).unwrap(), Config::default());
        for wrong in ["sockets = \"x\"", "log = { level = \"info\" }", "data = 1"] {
            assert!(Config::read(wrong).is_err(), "{wrong}");
        }
        let one = "socket = \"run/one.sock\"\nadmin_socket = \"run/one.sock\"";
        assert!(matches!(Config::read(one), Err(ConfigError::OneSocket)));
    }
}
