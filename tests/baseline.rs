//! An approved baseline from the command line to replayed evidence: a server
//! whose tools change between two runs, real processes, real signatures.
//!
//! The second run needs the target's next slot, and nobody waits for it: the
//! coordinator of the second part runs in this process, by a clock five minutes
//! ahead, on the data folder that `touchstone up` left.

use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use touchstone_coordinator::clock::{Clock, SystemClock};
use touchstone_coordinator::schedule::slot::Slots;
use touchstone_coordinator::targets::{EndpointSource, Seed, Tier};
use touchstone_coordinator::{Config, Event, Outside, run_with};

use crate::support::hostile::read_request;
use crate::support::up::{Up, WITHIN, get, program};

/// As far as a report's times may be from its slot: see the coordinator's
/// `CLOCK_SKEW`.
const AHEAD_MS: i64 = 5 * 60_000;

/// The tools of a server, for a test to change.
type Tools = Arc<Mutex<Value>>;

fn tool(name: &str, field: &str) -> Value {
    json!({
        "name": name,
        "description": "Looks up one thing.",
        "inputSchema": { "type": "object", "properties": { field: { "type": "string" } } },
    })
}

/// An MCP server of revision 2025-11-25; gives host and port.
fn serve(tools: &Tools) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let tools = Arc::clone(tools);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let tools = Arc::clone(&tools);
            std::thread::spawn(move || {
                while let Some(request) = read_request(&mut stream) {
                    if answer(&mut stream, &request, &tools).is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}

fn answer(stream: &mut TcpStream, request: &str, tools: &Tools) -> std::io::Result<()> {
    let (_, body) = request.split_once("\r\n\r\n").unwrap();
    let request: Value = serde_json::from_str(body).unwrap_or_default();
    let result = match request["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "changing", "version": "1" },
        }),
        "tools/list" => json!({ "tools": *tools.lock().unwrap() }),
        "notifications/initialized" => {
            return stream.write_all(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n");
        }
        method => {
            let code = if method == "tools/call" {
                -32602
            } else {
                -32601
            };
            let error = json!({ "code": code, "message": "no such thing" });
            return send(
                stream,
                &json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }),
            );
        }
    };
    send(
        stream,
        &json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }),
    )
}

fn send(stream: &mut TcpStream, message: &Value) -> std::io::Result<()> {
    let body = message.to_string();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// An address on this server whose next slot starts in two to four minutes:
/// late enough for the first run, and early enough for [`AHEAD_MS`].
fn url_on(address: &str) -> String {
    let now_ms = SystemClock.now_ms();
    (0..)
        .map(|place| format!("http://{address}/mcp-{place}"))
        .find(|url| {
            let regions = vec!["local".to_owned()];
            let seed = Seed::parse(url, EndpointSource::CommandLine, Tier::Indie, regions).unwrap();
            let slots = Slots::new(&seed.target_id, Tier::Indie.cadence_ms());
            let left_ms = slots.ends_at(slots.slot_at(now_ms)) - now_ms;
            (120_000..240_000).contains(&left_ms)
        })
        .unwrap()
}

fn baseline(data: &Path, arguments: &[&str]) -> Output {
    Command::new(program())
        .arg("baseline")
        .args(arguments)
        .arg("--data")
        .arg(data)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(text).unwrap()
}

/// A role on the folder that `up` left; it ends with this.
struct Role(Child);

impl Role {
    fn start(data: &Path, role: &str) -> Self {
        let child = Command::new(program())
            .args([role, "--config", &format!("run/{role}.toml")])
            // As `up` starts it, on any machine.
            .args((role == "signer").then_some("--allow-weak-isolation"))
            .current_dir(data)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }
}

impl Drop for Role {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[derive(Debug)]
struct Ahead;

impl Clock for Ahead {
    fn now_ms(&self) -> i64 {
        SystemClock.now_ms() + AHEAD_MS
    }
}

/// The coordinator that `up` had, by the clock that is ahead. Gives where the
/// pages are and the next attested run, and goes on until the runtime ends.
fn next_run(data: &Path, runtime: &tokio::runtime::Runtime) -> (String, String) {
    let mut config = Config::load(&data.join("run/coordinator.toml")).unwrap();
    let place = |name: &str| data.join(name).display().to_string();
    config.database_url = format!("sqlite:{}", place("coordinator/touchstone.sqlite")).into();
    config.signer = format!("unix:{}", place("run/signer.sock"));
    config.agents_listen = format!("unix:{}", place("run/fleet.sock"));
    config.operator_listen = format!("unix:{}", place("run/operator.sock"));
    let outside = Outside {
        clock: Arc::new(Ahead),
        ..Outside::default()
    };
    let (sender, mut events) = mpsc::channel(1_024);
    runtime.spawn(run_with(config, outside, CancellationToken::new(), sender));
    let found = async {
        let mut pages = String::new();
        while let Some(event) = events.recv().await {
            match event {
                Event::Started { pages_url, .. } => pages = pages_url,
                Event::Attested { run_id, .. } => return (pages, run_id),
                _ => {}
            }
        }
        panic!("the coordinator ended");
    };
    let (pages, run_id) = runtime
        .block_on(async { tokio::time::timeout(WITHIN, found).await })
        .expect("a second run");
    (pages.trim_end_matches('/').to_owned(), run_id)
}

#[test]
fn a_run_is_compared_with_the_approved_one_and_the_evidence_replays() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let tools: Tools = Arc::new(Mutex::new(json!([tool("keep", "q"), tool("gone", "q")])));
    let url = url_on(&serve(&tools));

    let nobody = baseline(folder.path(), &["list", &url]);
    assert_eq!(nobody.status.code(), Some(6), "{}", said(&nobody));

    let mut up = Up::start_with(&data, &[&url], &["--tier", "indie"]);
    let first = up.result_of(&url);
    assert_eq!(first["scope"], "full", "{first}");
    let (slug, first) = (
        first["slug"].as_str().unwrap().to_owned(),
        first["run_id"].as_str().unwrap().to_owned(),
    );
    for (target, run, exit) in [
        (slug.as_str(), "no-such-run", 5),
        ("no-such-target", &first, 5),
        (&url, &first, 0),
        (&slug, &first, 0),
    ] {
        let approved = baseline(&data, &["approve", target, run]);
        assert_eq!(approved.status.code(), Some(exit), "{}", said(&approved));
    }
    let (code, _) = up.interrupt();
    assert_eq!(code, Some(0));

    *tools.lock().unwrap() = json!([tool("keep", "<b>other"), tool("come", "q")]);
    let _signer = Role::start(&data, "signer");
    let _agent = Role::start(&data, "probe-agent");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (pages, second) = next_run(&data, &runtime);
    assert_ne!(first, second);

    let listed = baseline(&data, &["list", &slug, "--json"]);
    let listed: Vec<Value> = said(&listed)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(listed.len(), 1, "approved twice is approved once");
    assert_eq!(
        (&listed[0]["run_id"], &listed[0]["in_force"]),
        (&json!(first), &json!(true))
    );

    let (_, twin) = get(&format!("{pages}/servers/{slug}.json"));
    let twin: Value = serde_json::from_str(&twin).unwrap();
    let predicate = &twin["predicate"];
    assert_eq!(predicate["run"]["id"], second.as_str());
    assert_eq!(predicate["baseline_id"], listed[0]["observation_digest"]);
    for (check, reason) in [
        ("toolset_unchanged_vs_approved", "toolset_changed"),
        ("schema_unchanged_vs_approved", "schemas_changed"),
    ] {
        let assertion = predicate["assertions"]
            .as_array()
            .unwrap()
            .iter()
            .find(|assertion| assertion["check"] == check)
            .unwrap();
        assert_eq!(
            (&assertion["state"], &assertion["reason"]["key"]),
            (&json!("FAILED"), &json!(reason))
        );
    }

    let (_, page) = get(&format!("{pages}/servers/{slug}"));
    for shown in [
        "Baseline in force",
        "Added <code><bdi>come</bdi></code>",
        "Removed <code><bdi>gone</bdi></code>",
        "Another schema <code><bdi>keep</bdi></code>",
        "&lt;b&gt;other",
        &format!("/servers/{slug}/runs/{first}"),
    ] {
        assert!(page.contains(shown), "the page does not hold {shown}");
    }

    let (status, bundle) = get(&format!("{pages}/evidence/{second}.json"));
    assert_eq!(status, 200);
    let file = folder.path().join("bundle.json");
    std::fs::write(&file, bundle).unwrap();
    let verified = Command::new(program())
        .args(["verify", "--replay"])
        .arg(&file)
        .output()
        .unwrap();
    assert_eq!(verified.status.code(), Some(0), "{}", said(&verified));
    assert!(
        said(&verified).contains("holds  baseline"),
        "{}",
        said(&verified)
    );
    runtime.shutdown_timeout(Duration::from_secs(1));
}

#[test]
fn a_description_that_changed_alone_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let tools: Tools = Arc::new(Mutex::new(json!([tool("keep", "q")])));
    let url = url_on(&serve(&tools));

    let mut up = Up::start_with(&data, &[&url], &["--tier", "indie"]);
    let first = up.result_of(&url);
    assert_eq!(first["scope"], "full", "{first}");
    let (slug, first) = (
        first["slug"].as_str().unwrap().to_owned(),
        first["run_id"].as_str().unwrap().to_owned(),
    );
    let approved = baseline(&data, &["approve", &slug, &first]);
    assert_eq!(approved.status.code(), Some(0), "{}", said(&approved));
    assert_eq!(up.interrupt().0, Some(0));

    tools.lock().unwrap()[0]["description"] = json!("Looks up one thing, and <i>keeps it</i>.");
    let _signer = Role::start(&data, "signer");
    let _agent = Role::start(&data, "probe-agent");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (pages, second) = next_run(&data, &runtime);

    // Both checks pass, and neither of their fingerprints moved.
    let read = |path: &str| -> Value {
        let (status, body) = get(&format!("{pages}/servers/{slug}{path}"));
        assert_eq!(status, 200, "{path}");
        serde_json::from_str(&body).unwrap()
    };
    let then = read(&format!("/runs/{first}.json"))["predicate"].take();
    let now = read(".json")["predicate"].take();
    assert_eq!(now["run"]["id"], second.as_str());
    for check in [
        "toolset_unchanged_vs_approved",
        "schema_unchanged_vs_approved",
    ] {
        let assertions = now["assertions"].as_array().unwrap();
        let assertion = assertions.iter().find(|found| found["check"] == check);
        assert_eq!(assertion.unwrap()["state"], "VERIFIED", "{check}");
    }
    for key in ["toolset_fingerprint", "schema_fingerprint"] {
        assert_eq!(then[key], now[key], "{key}");
    }
    // The third did, and is compared with the approved one.
    let third = "definition_fingerprint";
    assert_ne!(then[third], now[third]);
    assert_eq!(then[third], now["baseline_definition_fingerprint"]);

    let history = read("/changes.json");
    assert_eq!(history["change_count"], 1, "{history}");
    let change = &history["changes"][0];
    assert_eq!(
        (&change["run"], &change["before"]["run"]),
        (&json!(second), &json!(first))
    );
    assert_eq!(change[third], now[third]);
    assert_eq!(change["changes"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&change["changes"][0]["tool"], &change["changes"][0]["part"]),
        (&json!("keep"), &json!("description"))
    );
    for (path, shown) in [
        ("", "they differ from those of the approved run"),
        ("", "Another description of <code><bdi>keep</bdi></code>"),
        ("", "1 description changed"),
        ("/changes", "1 description changed"),
        ("/changes", "and &lt;i&gt;keeps it&lt;/i&gt;"),
    ] {
        let (_, page) = get(&format!("{pages}/servers/{slug}{path}"));
        assert!(page.contains(shown), "{path} does not hold {shown}");
    }
    // A search finds the server by its tool.
    let (_, found) = get(&format!("{pages}/?q=KEEP"));
    assert!(found.contains(&format!("/servers/{slug}")) && found.contains("1 server matches"));
    runtime.shutdown_timeout(Duration::from_secs(1));
}
