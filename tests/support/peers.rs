//! Real MCP servers that nobody here wrote, started on free loopback ports.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::group::Group;
use super::until::until;

/// The slowest peer needs about four seconds on a quiet machine.
const STARTS_WITHIN: Duration = Duration::from_secs(90);

/// npm server-everything, below the folder of the Node peers.
const EVERYTHING: &str = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";

/// What the Go program would query when one of its tools were called. None is.
const NO_BACKEND: &str = "http://127.0.0.1:9";

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
    /// npm supergateway around the Go program's stdio: legacy, sessions, SSE.
    SuperGateway,
    /// The same without sessions: a new process behind each request.
    SuperGatewayOnce,
    /// npm mcp-proxy around server-everything's stdio: both eras.
    McpProxyNode,
    /// PyPI mcp-proxy around the same: legacy, sessions, JSON.
    McpProxyPython,
    /// Rust rmcp: all revisions, the oldest listed first, SSE in both eras.
    Rmcp,
    /// The same without sessions, JSON.
    RmcpJson,
}

/// A running peer. It ends when this is dropped, and so does what it started.
#[derive(Debug)]
pub struct Peer {
    pub url: String,
    process: Group,
}

impl Peer {
    /// Starts a peer and waits until its port answers.
    pub fn start(kind: Kind) -> Self {
        let port = free_port();
        let mut command = command(kind, port);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let process = Group::start(command)
            .unwrap_or_else(|error| panic!("{kind:?} could not be started: {error}"));
        let mut peer = Self {
            url: format!("http://127.0.0.1:{port}/mcp"),
            process,
        };
        until(STARTS_WITHIN, || {
            if let Some(status) = peer.process.ended() {
                panic!("{kind:?} ended at once: {status}");
            }
            TcpStream::connect((Ipv4Addr::LOCALHOST, port))
                .map(drop)
                .map_err(|error| format!("{kind:?} on port {port}: {error}"))
        });
        peer
    }
}

/// The program behind a peer, told to listen on this port.
fn command(kind: Kind, port: u16) -> Command {
    let home = installed();
    let port = port.to_string();
    let program = |path: &Path, arguments: &[&str]| {
        let mut command = Command::new(path);
        command.args(arguments);
        command
    };
    let node = |script: &str, arguments: &[&str]| {
        let mut command = Command::new("node");
        command.arg(home.join("node").join(script)).args(arguments);
        command
    };
    let python = |venv: &str, script: &str, rest: &[&str]| {
        let mut command = Command::new(home.join(venv).join("bin/python"));
        command
            .arg(home.join("python").join(script))
            .arg(&port)
            .args(rest);
        command
    };
    let go = home
        .join("node/node_modules/mcp-prometheus-linux-amd64/bin")
        .join("mcp-prometheus-linux-amd64");
    let everything = home.join("node").join(EVERYTHING);
    let everything = everything.to_str().unwrap();
    let supergateway = |more: &[&str]| {
        let stdio = format!("'{}' --url {NO_BACKEND}", go.display());
        let mut command = node(
            "node_modules/supergateway/dist/index.js",
            &["--stdio", &stdio, "--outputTransport", "streamableHttp"],
        );
        command.args(["--port", &port]).args(more);
        command
    };
    let behind = ["--host", "127.0.0.1", "--port", &port, "--"];
    let behind = [behind.as_slice(), &["node", everything, "stdio"]].concat();
    let rmcp = home.join("rmcp/touchstone-rmcp-peer");
    match kind {
        Kind::Everything => {
            let mut command = node(EVERYTHING, &["streamableHttp"]);
            command.env("PORT", &port);
            command
        }
        Kind::Mcp2 => python("mcp2", "sdk.py", &[]),
        Kind::Mcp2Json => python("mcp2", "sdk.py", &["stateless", "json"]),
        Kind::FastMcp => python("mcp2", "fast.py", &[]),
        Kind::Ts2 => node("ts2.mjs", &[&port]),
        Kind::Ts2ModernSse => node("ts2.mjs", &[&port, "reject", "sse"]),
        Kind::Ts1Paged => node("ts1.mjs", &[&port]),
        Kind::Ts1Json => node("ts1.mjs", &[&port, "stateless", "json"]),
        Kind::Mcp1 => python("mcp1", "v1.py", &[]),
        Kind::Gated => python("mcp2", "gated.py", &[]),
        Kind::Go => program(&go, &["--port", &port, "--url", NO_BACKEND]),
        Kind::SuperGateway => supergateway(&["--stateful"]),
        Kind::SuperGatewayOnce => supergateway(&[]),
        Kind::McpProxyNode => node("node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs", &behind),
        Kind::McpProxyPython => {
            // Without its environment the wrapped program finds no node.
            let options = [
                ["-m", "mcp_proxy", "--pass-environment"].as_slice(),
                &behind,
            ]
            .concat();
            program(&home.join("mcp1/bin/python"), &options)
        }
        Kind::Rmcp => program(&rmcp, &[&port]),
        Kind::RmcpJson => program(&rmcp, &[&port, "stateless", "json"]),
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
