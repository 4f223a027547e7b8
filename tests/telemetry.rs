//! What operators see of a fleet at work: one trace from the slot to the
//! attestation, numbers that agree with the pages, and rules that name numbers
//! that there are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::support::collector::{Collector, Span};
use crate::support::peers::{Kind, Peer, free_port};
use crate::support::until::until;
use crate::support::up::{Up, get, program};

/// From the end of a span to its arrival.
const SENT_WITHIN: Duration = Duration::from_secs(30);
/// What no span may hold: it stands in the endpoint's query.
const MARK: &str = "hunter2";
/// A span's name, and that of the span that it hangs below.
const TREE: &[(&str, &str)] = &[
    ("schedule", ""),
    ("queue", "schedule"),
    ("lease", "schedule"),
    ("run", "lease"),
    ("exchange", "run"),
    ("report", "run"),
    ("ingest", "run"),
    ("check", "ingest"),
    ("store", "ingest"),
    ("attest", "schedule"),
    ("sign", "attest"),
    ("store_attestation", "attest"),
];

#[test]
fn one_run_is_one_trace_and_numbers_agree_with_pages() {
    let folder = tempfile::tempdir().unwrap();
    let collector = Collector::start();
    let peer = Peer::start(Kind::Everything);
    let url = format!("{}?workspace={MARK}", peer.url);
    let (coordinator, agent) = (free_port(), free_port());
    let ports = [coordinator.to_string(), agent.to_string()];
    let more = [
        "--metrics-listen",
        &ports[0],
        "--agent-metrics-listen",
        &ports[1],
    ];
    let mut up = Up::start_in(
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.endpoint),
            ("OTEL_BSP_SCHEDULE_DELAY", "50"),
        ],
        &folder.path().join("data"),
        &[&url],
        &more,
    );
    let result = up.result_of(&url);
    let run_id = result["run_id"].as_str().unwrap();

    let trace = until(SENT_WITHIN, || whole_trace(&collector.spans(), run_id));
    check_trace(&trace, run_id, result["target_id"].as_str().unwrap());

    let scraped = [coordinator, agent].map(|port| get(&format!("http://127.0.0.1:{port}/metrics")));
    for (status, text) in &scraped {
        assert_eq!(*status, 200);
        assert!(text.ends_with("# EOF\n"), "{text}");
        for secret in [MARK, run_id, result["target_id"].as_str().unwrap(), "/mcp"] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
    let [of_coordinator, of_agent] = scraped.map(|(_, text)| Numbers::read(&text));
    agree_with_pages(&up, &of_coordinator);
    let exchanges = trace.iter().filter(|span| span.name == "exchange").count();
    assert_eq!(
        of_agent.sum("touchstone_agent_exchanges_total"),
        exchanges as f64
    );
    assert_eq!(of_agent.sum("touchstone_agent_spool_reports"), 0.0);
    assert_eq!(of_agent.sum("touchstone_agent_connected"), 1.0);
    assert_eq!(get(&format!("http://127.0.0.1:{agent}/")).0, 404);
    rules_name_what_there_is(&[&of_coordinator, &of_agent]);

    assert_eq!(up.interrupt().0, Some(0));
    let sent = collector.everything();
    for secret in [MARK, "workspace", "/mcp", "user-agent", "mcp-session-id"] {
        assert!(!sent.contains(secret), "{secret} was sent");
    }
    let traces: BTreeSet<_> = collector
        .spans()
        .into_iter()
        .map(|span| span.trace)
        .collect();
    assert_eq!(traces.len(), 1, "{traces:?}");
}

/// The trace of a run, once all of its stages are there.
fn whole_trace(spans: &[Span], run_id: &str) -> Result<Vec<Span>, String> {
    let of_run = |span: &&Span| span.trace == run_id[..32];
    let trace: Vec<Span> = spans.iter().filter(of_run).cloned().collect();
    let names: BTreeSet<_> = trace.iter().map(|span| span.name.as_str()).collect();
    let missing: Vec<_> = TREE
        .iter()
        .filter(|(name, _)| !names.contains(name))
        .collect();
    if missing.is_empty() {
        Ok(trace)
    } else {
        Err(format!("no {missing:?} among {spans:#?}"))
    }
}

fn check_trace(trace: &[Span], run_id: &str, target_id: &str) {
    let by_id: BTreeMap<_, _> = trace.iter().map(|span| (span.id.as_str(), span)).collect();
    assert_eq!(by_id.len(), trace.len(), "no span twice");
    for span in trace {
        let (_, parent) = TREE
            .iter()
            .find(|(name, _)| *name == span.name)
            .unwrap_or_else(|| panic!("{span:?}"));
        let found = by_id
            .get(span.parent.as_str())
            .map_or("", |span| &span.name);
        assert_eq!(&found, parent, "{span:?}");
        assert_eq!(span.parent.is_empty(), parent.is_empty(), "{span:?}");
        assert!(span.began_ns <= span.ended_ns, "{span:?}");
        let agents = ["run", "exchange", "report"].contains(&span.name.as_str());
        let service = if agents {
            "touchstone-probe-agent"
        } else {
            "touchstone-coordinator"
        };
        assert_eq!(span.service, service, "{span:?}");
        if span.name == "exchange" {
            assert_eq!(span.attribute("url.host").as_deref(), Some("127.0.0.1"));
            assert!(span.attribute("http.response.status_code").is_some());
            assert!(span.attribute("step").is_some());
        } else {
            assert!(trace.iter().filter(|other| other.name == span.name).count() == 1);
        }
    }
    let first = trace.iter().find(|span| span.name == "schedule").unwrap();
    assert_eq!(first.id, run_id[32..48]);
    assert_eq!(first.attribute("run.id").as_deref(), Some(run_id));
    assert_eq!(first.attribute("target.id").as_deref(), Some(target_id));
    let attest = trace.iter().find(|span| span.name == "attest").unwrap();
    assert_eq!(attest.attribute("outcome").as_deref(), Some("signed"));
}

fn agree_with_pages(up: &Up, numbers: &Numbers) {
    let twin = |path: &str| -> Value {
        let (status, body) = get(&format!("{}{path}", up.pages));
        assert_eq!(status, 200, "{path}");
        serde_json::from_str(&body).unwrap()
    };
    let (status, fleet) = (twin("/status.json"), twin("/fleet.json"));
    let region = &fleet["regions"][0];
    assert_eq!(region["region"], "local");
    for (name, said) in [
        ("touchstone_agents", &region["agents_connected"]),
        ("touchstone_leases", &region["leased"]),
        ("touchstone_queue_runs", &region["queued"]),
        ("touchstone_outbox_runs", &status["pending"]["runs"]),
        ("touchstone_reports_total", &status["runs"]),
    ] {
        assert_eq!(Some(numbers.sum(name)), said.as_f64(), "{name}");
    }
    assert_eq!(status["prober"]["state"], "observing");
    assert_eq!(status["signer"]["reachable"], true);
    assert_eq!(numbers.sum("touchstone_signer_reachable"), 1.0);
    assert_eq!(status["store"], "ok");
    assert_eq!(numbers.sum("touchstone_store_writable"), 1.0);
    assert_eq!(numbers.sum("touchstone_store_errors_total"), 0.0);
    assert_eq!(numbers.sum("touchstone_attest_seconds_count"), 1.0);
    for page in ["/status", "/zh/status", "/fleet", "/zh/fleet"] {
        assert_eq!(get(&format!("{}{page}", up.pages)).0, 200, "{page}");
    }
}

/// Samples of one fetch: name, labels and value.
struct Numbers(Vec<(String, String, f64)>);

impl Numbers {
    fn read(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        Self(
            lines
                .map(|line| {
                    let (sample, value) = line.rsplit_once(' ').unwrap();
                    let (name, labels) = sample.split_once('{').unwrap_or((sample, ""));
                    (name.to_owned(), labels.to_owned(), value.parse().unwrap())
                })
                .collect(),
        )
    }

    fn sum(&self, name: &str) -> f64 {
        let found: Vec<f64> = self
            .0
            .iter()
            .filter(|(sample, _, _)| sample == name)
            .map(|(_, _, value)| *value)
            .collect();
        assert!(!found.is_empty(), "no {name}");
        found.iter().sum()
    }
}

/// Alert rules and the table of the README name metrics that are served, and
/// the table names all of them.
fn rules_name_what_there_is(served: &[&Numbers]) {
    let names: BTreeSet<&str> = served
        .iter()
        .flat_map(|numbers| &numbers.0)
        .map(|(name, _, _)| name.as_str())
        .collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |file: &str| std::fs::read_to_string(root.join(file)).unwrap();
    let rules = read("deploy/alerts/touchstone.yaml");
    let in_rules = named(&rules);
    assert!(in_rules.len() > 8, "{in_rules:?}");
    for name in &in_rules {
        assert!(names.contains(name.as_str()), "{name} is not served");
    }
    let table = read("deploy/alerts/README.md");
    let described = named(&table);
    for name in &names {
        let family = ["_bucket", "_sum", "_count"]
            .iter()
            .find_map(|part| name.strip_suffix(part))
            .unwrap_or(name);
        assert!(described.contains(family), "{family} is not described");
    }
}

fn named(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.starts_with("touchstone_") || word.starts_with("process_"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn what_the_environment_wants_and_cannot_be_had_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
    for (variables, says) in [
        (
            vec![endpoint, ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")],
            "OTEL_EXPORTER_OTLP_PROTOCOL",
        ),
        (
            vec![endpoint, ("OTEL_TRACES_SAMPLER", "jaeger_remote")],
            "OTEL_TRACES_SAMPLER",
        ),
        (
            vec![("OTEL_EXPORTER_OTLP_ENDPOINT", "https://127.0.0.1:9")],
            "OTEL_EXPORTER_OTLP",
        ),
    ] {
        let output = Command::new(program())
            .arg("probe-agent")
            .current_dir(folder.path())
            .envs(variables)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(78), "{said}");
        assert!(said.contains(says) && said.lines().count() == 1, "{said}");
    }
}
