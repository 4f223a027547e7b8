//! The data folder of `up`: one process at a time, one configuration a role,
//! relative paths, so that a folder can be moved and its sockets keep short names.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ipnet::IpNet;
use toml::{Table, Value};
use touchstone_signer::AdminClient;
use touchstone_telemetry::metrics::MetricsListen;
use url::Url;

use crate::exit::{Exit, Failure, chain};

/// The region of the one agent that `up` starts.
const REGION: &str = "local";
/// How long the agent's join token lasts, in seconds.
const JOIN_TOKEN_LASTS_S: u32 = 600;
/// How often the signer is asked while it is starting.
const ASK_EVERY: Duration = Duration::from_millis(50);
const ADMIN_SOCKET: &str = "run/signer-admin.sock";
const JOIN_TOKEN_FILE: &str = "agent/join-token";
/// There while an `up` runs here; one that was killed leaves it behind.
const RUNNING_FILE: &str = "run/running";
const AGENT_KEY_FILE: &str = "agent/identity/key.pem";

/// What the flags of `up` set for the three roles.
#[derive(Debug)]
pub(super) struct Settings<'a> {
    pub(super) urls: &'a [Url],
    pub(super) tier: &'a str,
    pub(super) listen: SocketAddr,
    pub(super) allow_net: &'a [IpNet],
    pub(super) deny_net: &'a [IpNet],
    pub(super) trust_ca: &'a [PathBuf],
    pub(super) metrics_listen: Option<MetricsListen>,
    pub(super) agent_metrics_listen: Option<MetricsListen>,
}

/// The open folder, which is also the working directory of this process and
/// its children. The lock ends with the process, however it ends.
#[derive(Debug)]
pub(super) struct Folder {
    _lock: File,
    was_killed: bool,
}

// Whoever holds the folder is in it; its paths mean nothing to anybody else.
#[allow(clippy::unused_self)]
impl Folder {
    /// Makes the folder when it is not there, takes its lock, and goes into it.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let failed = |what: &Path, error: std::io::Error| {
            let what = what.display().to_string();
            Failure::place(
                &error,
                format!(
                    "--data {} cannot be used: {}: {error}; name a folder that this user may write",
                    path.display(),
                    what.trim_end_matches('/')
                ),
            )
        };
        for folder in ["", "run", "logs", "signer", "agent", "coordinator"] {
            let folder = path.join(folder);
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&folder)
                .map_err(|error| failed(&folder, error))?;
        }
        let lock_path = path.join("lock");
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&lock_path)
            .map_err(|error| failed(&lock_path, error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::new(
                    Exit::Conflict,
                    format!(
                        "another touchstone up is using {}; stop it, or name another folder with --data",
                        path.display()
                    ),
                ));
            }
            Err(TryLockError::Error(error)) => return Err(failed(&lock_path, error)),
        }
        std::env::set_current_dir(path).map_err(|error| failed(path, error))?;
        Ok(Self {
            _lock: lock,
            was_killed: Path::new(RUNNING_FILE).exists(),
        })
    }

    /// Whether the last `up` here did not stop its roles, so that they may need
    /// a moment more to find that out and stop.
    pub(super) fn was_killed(&self) -> bool {
        self.was_killed
    }

    /// Says to the next start that roles run here.
    pub(super) fn begin(&self) -> Result<(), Failure> {
        write_private(Path::new(RUNNING_FILE), b"")
    }

    /// Says to the next start that all roles have stopped.
    pub(super) fn end(&self) {
        if let Err(error) = std::fs::remove_file(RUNNING_FILE) {
            tracing::warn!(%error, "removing {RUNNING_FILE} failed");
        }
    }

    pub(super) fn config_of(&self, role: &str) -> PathBuf {
        PathBuf::from(format!("run/{role}.toml"))
    }

    pub(super) fn log_of(&self, role: &str) -> PathBuf {
        PathBuf::from(format!("logs/{role}.log"))
    }

    /// Writes one configuration a role.
    pub(super) fn configure(&self, settings: &Settings<'_>) -> Result<(), Failure> {
        let text = |text: &str| Value::String(text.to_owned());
        let list = |items: Vec<Value>| Value::Array(items);
        let nets = |nets: &[IpNet]| list(nets.iter().map(|net| text(&net.to_string())).collect());
        let table = |pairs: Vec<(&str, Value)>| -> Table {
            pairs
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect()
        };
        let signer = table(vec![
            ("data", text("signer")),
            ("socket", text("run/signer.sock")),
            ("admin_socket", text(ADMIN_SOCKET)),
        ]);
        let mut agent = table(vec![
            ("coordinator", text("unix:run/fleet.sock")),
            ("data", text("agent")),
            ("join_token_file", text(JOIN_TOKEN_FILE)),
            ("allow_net", nets(settings.allow_net)),
            ("deny_net", nets(settings.deny_net)),
            (
                "trust_ca",
                list(
                    settings
                        .trust_ca
                        .iter()
                        .map(|file| text(&file.to_string_lossy()))
                        .collect(),
                ),
            ),
        ]);
        let targets = settings.urls.iter().map(|url| {
            Value::Table(table(vec![
                ("url", text(url.as_str())),
                ("tier", text(settings.tier)),
                ("source", text("command_line")),
                ("regions", list(vec![text(REGION)])),
            ]))
        });
        let mut coordinator = table(vec![
            ("database_url", text("sqlite:coordinator/touchstone.sqlite")),
            ("signer", text("unix:run/signer.sock")),
            ("agents_listen", text("unix:run/fleet.sock")),
            ("pages_listen", text(&settings.listen.to_string())),
            ("regions", list(vec![text(REGION)])),
            ("targets", list(targets.collect())),
        ]);
        for (config, listen) in [
            (&mut coordinator, settings.metrics_listen),
            (&mut agent, settings.agent_metrics_listen),
        ] {
            let listen = listen.map(|listen| text(&listen.to_string()));
            config.extend(listen.map(|listen| ("metrics_listen".to_owned(), listen)));
        }
        for (role, config) in [
            ("signer", signer),
            ("probe-agent", agent),
            ("coordinator", coordinator),
        ] {
            let path = self.config_of(role);
            write_private(&path, config.to_string().as_bytes())?;
        }
        Ok(())
    }

    /// Whether an agent was started here before.
    pub(super) fn has_agent(&self) -> bool {
        Path::new(AGENT_KEY_FILE).exists()
    }

    /// Asks the signer for a join token and leaves it for the agent, which
    /// deletes it once it is in the fleet. Waits until the signer answers.
    pub(super) async fn put_join_token(&self) -> Result<(), Failure> {
        loop {
            match AdminClient::mint_join_token(Path::new(ADMIN_SOCKET), REGION, JOIN_TOKEN_LASTS_S)
                .await
            {
                Ok(token) => return write_private(Path::new(JOIN_TOKEN_FILE), token.as_bytes()),
                Err(error) => {
                    tracing::debug!(error = chain(&error), "the signer does not answer yet");
                    tokio::time::sleep(ASK_EVERY).await;
                }
            }
        }
    }
}

/// Writes a file that only its owner reads.
fn write_private(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(path)
        .and_then(|mut file| file.write_all(bytes))
        .map_err(|error| {
            Failure::new(
                Exit::Unexpected,
                format!("writing {} failed: {error}", path.display()),
            )
        })
}
