//! Servers that are absent, slow or hostile: each ends inside the budget, with
//! the right reason, and delays nobody else.

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::hostile::{Certificate, Manner, start, start_tls};
use crate::support::peers::{Kind, Peer, free_port};
use crate::support::up::{Up, program};

/// Ten seconds of budget, and what a process needs to start and to say so.
const ENDS_WITHIN: Duration = Duration::from_secs(20);

fn check(url: &str, more: &[&str]) -> Output {
    Command::new(program())
        .args([
            "check",
            "--json",
            "--allow-net",
            "127.0.0.0/8",
            "--allow-net",
            "::1/128",
        ])
        .args(more)
        .arg(url)
        .output()
        .unwrap()
}

/// The reason key and state of one check.
fn reason<'a>(predicate: &'a Value, check: &str) -> (&'a str, &'a str) {
    let assertion = predicate["assertions"]
        .as_array()
        .unwrap_or_else(|| panic!("no assertions in {predicate}"))
        .iter()
        .find(|assertion| assertion["check"] == check)
        .unwrap();
    (
        assertion["state"].as_str().unwrap(),
        assertion["reason"]["key"].as_str().unwrap(),
    )
}

/// Check, state, reason key.
type Expected = &'static [(&'static str, &'static str, &'static str)];

struct Case {
    name: String,
    url: String,
    more: Vec<String>,
    /// Exit code of `check`.
    exit: i32,
    expect: Expected,
}

fn cases(folder: &std::path::Path) -> Vec<Case> {
    let case = |name: &str, url: String, exit, expect| Case {
        name: name.to_owned(),
        url,
        more: Vec::new(),
        exit,
        expect,
    };
    let mut cases = vec![
        case(
            "unknown host",
            "https://no-such-host.invalid/mcp".to_owned(),
            6,
            &[("reachability", "UNVERIFIED", "dns_failed")],
        ),
        case(
            "refused port",
            format!("http://127.0.0.1:{}/mcp", free_port()),
            6,
            &[
                ("reachability", "UNVERIFIED", "connection_failed"),
                ("tools_list", "UNVERIFIED", "connection_failed"),
            ],
        ),
    ];
    let manners: &[(Manner, i32, Expected)] = &[
        (
            Manner::Silent,
            6,
            &[("reachability", "UNVERIFIED", "budget_exhausted")],
        ),
        (
            Manner::Drip,
            6,
            &[("reachability", "UNVERIFIED", "budget_exhausted")],
        ),
        (
            Manner::ThreeMegabytes,
            8,
            &[("reachability", "UNVERIFIED", "response_too_large")],
        ),
        (
            Manner::GzipBomb,
            8,
            &[("reachability", "UNVERIFIED", "response_too_large")],
        ),
        (
            Manner::InvalidJson,
            3,
            &[
                ("reachability", "VERIFIED", "answered"),
                ("discovery_handshake", "FAILED", "handshake_not_jsonrpc"),
            ],
        ),
        (
            Manner::Html,
            3,
            &[
                ("reachability", "VERIFIED", "answered"),
                ("discovery_handshake", "FAILED", "handshake_not_jsonrpc"),
            ],
        ),
        (
            Manner::CutOff,
            6,
            &[("reachability", "UNVERIFIED", "connection_failed")],
        ),
        (
            Manner::Garbage,
            6,
            &[("reachability", "UNVERIFIED", "connection_failed")],
        ),
        (
            Manner::EndlessHeaders,
            8,
            &[("tools_list", "UNVERIFIED", "response_headers_too_large")],
        ),
        (
            Manner::RateLimited,
            75,
            &[("reachability", "UNVERIFIED", "rate_limited")],
        ),
        (
            Manner::ServerError,
            3,
            &[
                ("reachability", "VERIFIED", "answered"),
                ("discovery_handshake", "FAILED", "handshake_http_error"),
            ],
        ),
        (
            Manner::RedirectLoop,
            0,
            &[
                ("reachability", "VERIFIED", "answered"),
                ("discovery_handshake", "UNVERIFIED", "credential_required"),
                ("redirect_policy", "VERIFIED", "no_cross_host_redirect"),
            ],
        ),
        (
            Manner::RedirectAway,
            3,
            &[
                ("redirect_policy", "OBSERVED_RISK", "cross_host_redirect"),
                ("discovery_handshake", "FAILED", "handshake_redirected"),
            ],
        ),
    ];
    for (manner, exit, expect) in manners {
        cases.push(case(&format!("{manner:?}"), start(*manner), *exit, expect));
    }
    let certificates: &[(Certificate, i32, Expected)] = &[
        (
            Certificate::Valid,
            3,
            &[
                ("tls_certificate", "VERIFIED", "certificate_valid"),
                ("reachability", "VERIFIED", "answered"),
            ],
        ),
        (
            Certificate::Expired,
            3,
            &[
                ("tls_certificate", "FAILED", "certificate_expired"),
                ("reachability", "UNVERIFIED", "tls_failed"),
            ],
        ),
        (
            Certificate::NotYetValid,
            3,
            &[("tls_certificate", "FAILED", "certificate_not_yet_valid")],
        ),
        (
            Certificate::OtherName,
            3,
            &[("tls_certificate", "FAILED", "certificate_name_mismatch")],
        ),
        (
            Certificate::SelfSigned,
            3,
            &[("tls_certificate", "FAILED", "certificate_untrusted")],
        ),
    ];
    for (certificate, exit, expect) in certificates {
        let (url, authority) = start_tls(*certificate, folder);
        let mut case = case(&format!("{certificate:?}"), url, *exit, expect);
        case.more = vec![
            "--trust-ca".to_owned(),
            authority.to_str().unwrap().to_owned(),
        ];
        cases.push(case);
    }
    cases
}

#[test]
fn each_ends_inside_the_budget_with_the_right_reason() {
    let folder = tempfile::tempdir().unwrap();
    let cases = cases(folder.path());
    std::thread::scope(|scope| {
        for case in &cases {
            scope.spawn(move || {
                let began = Instant::now();
                let more: Vec<&str> = case.more.iter().map(String::as_str).collect();
                let output = check(&case.url, &more);
                let took = began.elapsed();
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(took < ENDS_WITHIN, "{}: took {took:?}", case.name);
                assert!(!said.contains("panicked"), "{}: {said}", case.name);
                let predicate: Value = serde_json::from_slice(&output.stdout)
                    .unwrap_or_else(|error| panic!("{}: {error}: {said}", case.name));
                assert_eq!(
                    predicate["assertions"].as_array().map(Vec::len),
                    Some(15),
                    "{}",
                    case.name
                );
                for (check, state, key) in case.expect {
                    assert_eq!(
                        reason(&predicate, check),
                        (*state, *key),
                        "{} {check}: {predicate:#}",
                        case.name
                    );
                }
                assert_eq!(
                    output.status.code(),
                    Some(case.exit),
                    "{}: {said}",
                    case.name
                );
            });
        }
    });
}

#[test]
fn a_good_server_is_not_delayed_by_its_neighbours() {
    let peer = Peer::start(Kind::Ts2);
    let mut urls: Vec<String> = (0..20).map(|_| start(Manner::Silent)).collect();
    urls.push(peer.url.clone());
    let folder = tempfile::tempdir().unwrap();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let mut up = Up::start(&folder.path().join("data"), &urls);
    assert_eq!(up.result_of(&peer.url)["event"], "attested");
    let silent = up.result_of(urls[0]);
    assert_eq!(silent["event"], "declined", "{silent}");
    assert_eq!(up.interrupt().0, Some(0));
}

/// Through the flag of one run, and through an agent's configuration.
#[test]
fn a_network_that_is_denied_is_not_dialled_though_it_is_allowed() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    nobody.set_nonblocking(true).unwrap();
    let url = format!("http://{}/mcp", nobody.local_addr().unwrap());
    let output = check(&url, &["--deny-net", "127.0.0.1/32"]);
    let predicate: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        reason(&predicate, "reachability"),
        ("UNVERIFIED", "policy_refused")
    );
    assert_eq!(output.status.code(), Some(2));

    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut up = Up::start_with(&data, &[&url], &["--deny-net", "127.0.0.1/32"]);
    assert_eq!(up.result_of(&url)["event"], "declined");
    assert_eq!(up.interrupt().0, Some(0));
    let dialled = nobody.accept().unwrap_err();
    assert_eq!(dialled.kind(), std::io::ErrorKind::WouldBlock);
}
