//! A corpus of servers that are small, odd, hostile, gated or paged, each with
//! the fifteen results that the specification asks for, written before it was
//! run. Every one is probed by the real agent over a loopback socket and judged
//! and signed by the real signer.
//!
//! `README.md` beside this file lists them by the misjudgement that each one
//! guards against; a test holds both together.

mod auth;
mod bodies;
mod bounds;
mod case;
mod edges;
mod eras;
mod expect;
mod framing;
mod ids;
mod listing;
mod pages;
mod reply;
mod request;
mod server;
mod sessions;
mod taxonomy;
mod tls;
mod walls;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use touchstone_evidence::target::{Transport, target_id};
use touchstone_evidence::text::UrlText;
use touchstone_probe_agent::identity::Identity;
use touchstone_probe_agent::{Policy, RunSpec, SUITE, egress, probe};
use touchstone_proto::observation::EndpointSource;
use touchstone_proto::vocabulary::Scope;
use touchstone_signer::ephemeral::{Answer, Attested, attest};
use touchstone_suites::reason::SPECS;
use touchstone_suites::registry::CHECKS;

use case::Case;
use expect::Signing;
use server::Server;

use crate::support::hostile::server_config;

/// Runs at a time.
const RUNS: usize = 8;
const REGION: &str = "corpus";
/// Observations of real servers that the corpus shows, numbered from 1.
const TRAPS: u8 = 58;

fn corpus() -> Vec<Case> {
    let mut cases = Vec::new();
    cases.extend(framing::cases());
    cases.extend(bodies::cases());
    cases.extend(ids::cases());
    cases.extend(eras::cases());
    cases.extend(sessions::cases());
    cases.extend(listing::cases());
    cases.extend(pages::cases());
    cases.extend(taxonomy::cases());
    cases.extend(edges::cases());
    cases.extend(auth::cases());
    cases.extend(walls::cases());
    cases.extend(tls::cases());
    cases.extend(bounds::cases());
    cases
}

#[test]
fn every_server_gets_the_fifteen_results_it_should() {
    let mut cases = corpus();
    assert!(cases.iter().filter(|case| case.slow).count() <= 4);
    // Those that take the whole run begin first.
    cases.sort_by_key(|case| !case.slow);
    let queue = Mutex::new(cases.into_iter());
    let differing = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..RUNS {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap().next();
                    let Some(case) = next else { return };
                    let differs = differences(&case);
                    if !differs.is_empty() {
                        let text = format!("{}:\n  {}", case.id, differs.join("\n  "));
                        differing.lock().unwrap().push(text);
                    }
                }
            });
        }
    });
    let differing = differing.into_inner().unwrap();
    assert!(
        differing.is_empty(),
        "{} servers:\n{}",
        differing.len(),
        differing.join("\n")
    );
}

#[test]
fn what_is_expected_can_be_said() {
    for case in corpus() {
        for (check, (state, _, key)) in CHECKS.iter().zip(case.expect.outcomes) {
            let spec = SPECS.iter().find(|spec| spec.name == key);
            let spec = spec.unwrap_or_else(|| panic!("{}: no reason {key}", case.id));
            assert!(
                spec.states.contains(&state),
                "{}: {} {state:?} {key}",
                case.id,
                check.name
            );
        }
    }
}

#[test]
fn every_trap_has_a_server_and_every_server_a_line() {
    let cases = corpus();
    let ids: BTreeSet<_> = cases.iter().map(|case| case.id).collect();
    assert_eq!(ids.len(), cases.len(), "an id stands twice");
    let shown: BTreeSet<u8> = cases.iter().flat_map(|case| case.traps).copied().collect();
    let missing: Vec<u8> = (1..=TRAPS).filter(|trap| !shown.contains(trap)).collect();
    assert!(missing.is_empty(), "no server shows {missing:?}");

    let readme = include_str!("README.md");
    let (_, table) = readme.split_once("| --- | --- | --- |\n").unwrap();
    let wanted = table_of(&cases);
    assert!(
        table == wanted,
        "the table of README.md is not the code's, which is:\n{wanted}"
    );
}

fn table_of(cases: &[Case]) -> String {
    let mut table = String::new();
    for case in cases {
        let traps: Vec<String> = case.traps.iter().map(u8::to_string).collect();
        let traps = traps.join(", ");
        writeln!(table, "| `{}` | {} | {traps} |", case.id, case.against).unwrap();
    }
    table
}

/// How the run of a case differs from what is expected of it.
fn differences(case: &Case) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let tls = case
        .tls
        .map(|certificate| server_config(certificate, folder.path()));
    let (config, authority) = tls.unzip();
    let server = Server::start(case.script.clone(), config);
    let answer = run(case.id, &server.url, authority);
    let mut differs = Vec::new();
    let mut hold = |what: &str, is: String, wanted: String| {
        if is != wanted {
            differs.push(format!("{what}: {is}, expected {wanted}"));
        }
    };
    let assertions = &answer.predicate.assertions;
    for (check, wanted) in CHECKS.iter().zip(case.expect.outcomes) {
        let said: Vec<_> = assertions
            .iter()
            .filter(|assertion| assertion.check.as_str() == check.name)
            .map(|said| (said.state, said.execution, said.reason.key.as_str()))
            .collect();
        hold(check.name, format!("{said:?}"), format!("{:?}", [wanted]));
    }
    hold(
        "assertions",
        assertions.len().to_string(),
        CHECKS.len().to_string(),
    );
    let signing = match &answer.attested {
        Attested::Signed {
            scope: Scope::Full, ..
        } => format!("{:?}", Signing::Full),
        Attested::Signed {
            scope: Scope::Limited,
            ..
        } => format!("{:?}", Signing::Limited),
        Attested::Declined { reason_key } => format!("None({reason_key:?})"),
    };
    hold("signing", signing, format!("{:?}", case.expect.signing));
    let recorded = &answer.predicate.protocol.recorded_revision;
    let revision = recorded.as_ref().map(|revision| revision.as_str());
    hold(
        "revision",
        format!("{revision:?}"),
        format!("{:?}", case.expect.revision),
    );
    if let Some(wanted) = case.expect.asked {
        hold("asked", server.asked(), wanted.to_owned());
    }
    differs
}

/// One run by the real agent, judged by the real signer.
fn run(id: &str, url: &str, authority: Option<PathBuf>) -> Answer {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let identity = Identity::ephemeral().unwrap();
    let spec = RunSpec {
        run_id: format!("corpus-{id}"),
        target_id: target_id(Transport::StreamableHttp, &UrlText::new(url).unwrap()),
        suite: SUITE.to_owned(),
        slot: 0,
        region: REGION.to_owned(),
        agent_key_id: identity.key_id().to_owned(),
        endpoint_url: url.to_owned(),
        endpoint_source: EndpointSource::CommandLine,
    };
    let recording = runtime.block_on(async {
        let loopback = ["127.0.0.1/32", "::1/128"].map(|net| net.parse().unwrap());
        let authorities = authority.into_iter().collect();
        let policy = Policy::new(loopback.to_vec(), Vec::new());
        let egress = egress(policy, authorities).await.unwrap();
        probe(spec, &Arc::new(egress), SystemTime::now()).await
    });
    let signed = identity.sign(&recording.observation, recording.bodies);
    attest(&signed, &identity.public_key(), REGION).unwrap()
}
