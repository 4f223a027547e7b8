//! The signer's configuration: one TOML file, unknown keys refused.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use touchstone_proto::SOCKET_PATH_LIMIT_BYTES;
use touchstone_telemetry::Log;
use touchstone_telemetry::config::{self, ConfigError, Fault};

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

/// Two settings that do not go together.
#[derive(Debug, thiserror::Error)]
enum Unfit {
    #[error(
        "socket and admin_socket are the same file, and the coordinator must not be able to open the operator's"
    )]
    OneSocket,
    #[error(
        "the path of {0} is longer than {SOCKET_PATH_LIMIT_BYTES} bytes, the most that a socket's can be"
    )]
    LongPath(&'static str),
}

impl Config {
    /// Reads a file. Blocks on it.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        config::load(path, FILE_LIMIT_BYTES, Self::read)
    }

    pub fn read(text: &str) -> Result<Self, Fault> {
        let config: Self = config::parse(text)?;
        for (key, path) in [
            ("socket", &config.socket),
            ("admin_socket", &config.admin_socket),
        ] {
            if path.as_os_str().len() > SOCKET_PATH_LIMIT_BYTES {
                return Err(Fault::of_key(text, key, &Unfit::LongPath(key)));
            }
        }
        if config.socket == config.admin_socket {
            return Err(Fault::of_key(text, "admin_socket", &Unfit::OneSocket));
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
    use proptest::prelude::*;

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
        let fault = Config::read(one).unwrap_err();
        assert_eq!(fault.line, Some(2));
        assert!(fault.message.contains("the same file"), "{fault}");
        let long = format!("\nsocket = \"{}\"", "s".repeat(108));
        let fault = Config::read(&long).unwrap_err().to_string();
        assert!(fault.starts_with("line 2: the path of socket"), "{fault}");
    }

    proptest! {
        #[test]
        fn any_text_is_a_configuration_or_is_refused(
            text in prop_oneof![
                "\\PC{0,60}",
                "(data|socket|admin_socket|log|\\[log\\]|filter|format) ?= ?[\"{}a-z/.=, \n]{0,40}",
            ],
        ) {
            if let Ok(config) = Config::read(&text) {
                prop_assert_ne!(&config.socket, &config.admin_socket);
                let written = toml::to_string(&config).unwrap();
                prop_assert_eq!(Config::read(&written).unwrap(), config);
            }
        }
    }
}
