//! Real MCP servers that nobody here wrote, started on free loopback ports.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::until::until;

/// The slowest peer needs about four seconds on a quiet machine.
const STARTS_WITHIN: Duration = Duration::from_secs(90);

/// A peer by what is run. Versions are pinned in `tests/peers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// npm server-everything on TS SDK 1: legacy, SSE with priming events, sessions.
    Everything,
    /// PyPI mcp 2, MCPServer: both eras, sessions, SSE in the legacy one.
    Mcp2,
    /// The same without sessions, JSON.
    Mcp2Json,
    /// PyPI fastmcp: both eras.
    FastMcp,
    /// npm @modelcontextprotocol/server 2: both eras, no sessions.
    Ts2,
    /// The same, modern only, SSE framing.
    Ts2ModernSse,
    /// npm @modelcontextprotocol/sdk 1, low level: legacy, three pages, sessions, SSE.
    Ts1Paged,
    /// The same, no sessions, JSON.
    Ts1Json,
    /// PyPI mcp 1, FastMCP: legacy, sessions.
    Mcp1,
    /// A Go program on go-sdk, from npm: legacy, session only on initialize's answer.
    Go,
    /// PyPI mcp 2 behind its own sign-in wall.
    Gated,
}

/// A running peer; it ends when this is dropped.
#[derive(Debug)]
pub struct Peer {
    pub url: String,
    child: Child,
}

impl Peer {
    /// Starts a peer and waits until its port answers.
    pub fn start(kind: Kind) -> Self {
        let port = free_port();
        let home = installed();
        let node = |script: &str, rest: &[&str]| {
            let mut command = Command::new("node");
            command
                .arg(home.join("node").join(script))
                .arg(port.to_string())
                .args(rest);
            command
        };
        let python = |venv: &str, script: &str, rest: &[&str]| {
            let mut command = Command::new(home.join(venv).join("bin/python"));
            command
                .arg(home.join("python").join(script))
                .arg(port.to_string())
                .args(rest);
            command
        };
        let modules = home.join("node/node_modules");
        let mut command = match kind {
            Kind::Everything => {
                let mut command = Command::new("node");
                command
                    .arg(modules.join("@modelcontextprotocol/server-everything/dist/index.js"))
                    .arg("streamableHttp")
                    .env("PORT", port.to_string());
                command
            }
            Kind::Mcp2 => python("mcp2", "sdk.py", &[]),
            Kind::Mcp2Json => python("mcp2", "sdk.py", &["stateless", "json"]),
            Kind::FastMcp => python("mcp2", "fast.py", &[]),
            Kind::Ts2 => node("ts2.mjs", &[]),
            Kind::Ts2ModernSse => node("ts2.mjs", &["reject", "sse"]),
            Kind::Ts1Paged => node("ts1.mjs", &[]),
            Kind::Ts1Json => node("ts1.mjs", &["stateless", "json"]),
            Kind::Mcp1 => python("mcp1", "v1.py", &[]),
            Kind::Gated => python("mcp2", "gated.py", &[]),
            Kind::Go => {
                let mut command = Command::new(
                    modules.join("mcp-prometheus-linux-amd64/bin/mcp-prometheus-linux-amd64"),
                );
                command.args(["--port", &port.to_string(), "--url", "http://127.0.0.1:9"]);
                command
            }
        };
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap_or_else(|error| panic!("{kind:?} could not be started: {error}"));
        let mut peer = Self {
            url: format!("http://127.0.0.1:{port}/mcp"),
            child,
        };
        until(STARTS_WITHIN, || {
            if let Ok(Some(status)) = peer.child.try_wait() {
                panic!("{kind:?} ended at once: {status}");
            }
            TcpStream::connect((Ipv4Addr::LOCALHOST, port))
                .map(drop)
                .map_err(|error| format!("{kind:?} on port {port}: {error}"))
        });
        peer
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where `tests/peers/install.sh` put the peers. Missing peers are a failure.
pub fn installed() -> PathBuf {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/peers");
    assert!(
        home.join("stamp").exists(),
        "the test peers are not installed: run tests/peers/install.sh, or the README's test command"
    );
    home
}

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}
