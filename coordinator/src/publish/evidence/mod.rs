//! The evidence page of one signed run, and the files that its commands fetch.
//!
//! Every command is filled in for this run and works as printed; the tests run
//! them. The page asks for no trust: it shows the exact bytes, whose key, and
//! how to check both with programs that are not ours.

mod checks;
mod signed;

use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use touchstone_evidence::payload::{Predicate, Statement, Suite};
use touchstone_evidence::schema::{Claimed, Version};
use touchstone_proto::vocabulary::Scope;
use touchstone_words::Param;

use self::checks::Check;
pub(super) use self::signed::Signed;
use super::commands::Commands;
use super::keys::{pem, state_words};
use super::marks::Signature;
use super::page::{Page, Place, answer};
use super::report::name;
use super::stranger::{Stranger, Verbatim};
use super::text::{Moment, Prose, Text};
use crate::store::read::Attestation;
use crate::targets::run_path;

/// Characters of a key's id on a page; the id itself is a hint and no decision.
const SHORT_KEY: usize = 16;
/// How the name of a sigstore bundle ends, as others' tools expect it.
const SIGSTORE_END: &str = ".sigstore.json";

#[derive(Template)]
#[template(path = "evidence.html")]
struct EvidencePage {
    page: Page,
    seal: &'static str,
    servers: String,
    target: Stranger,
    report: String,
    endpoint: Stranger,
    run: Moment,
    run_note: Prose,
    signed: Moment,
    rows: Vec<(Prose, String, Prose)>,
    unknown_version: Option<Prose>,
    log_href: Option<String>,
    /// What the payload does not say about the code that judged.
    suite_notice: Option<Prose>,
    /// The schema of the payload, and which version it is of.
    schema: Option<(String, Prose)>,
    payload_size: Prose,
    payload: Option<Verbatim>,
    payload_href: String,
    envelope: Verbatim,
    envelope_href: String,
    sigstore_href: String,
    key_id: String,
    key_href: String,
    key_state: Prose,
    pem: Option<String>,
    checks: Vec<Check>,
}

/// The name under which a bundle is fetched and saved.
pub(super) fn bundle_name(run_id: &str) -> String {
    format!("{run_id}.json")
}

/// The same for its form as a sigstore bundle.
pub(super) fn sigstore_name(run_id: &str) -> String {
    format!("{run_id}{SIGSTORE_END}")
}

/// The run whose sigstore bundle has this name.
pub(super) fn run_of_sigstore_name(name: &str) -> Option<&str> {
    name.strip_suffix(SIGSTORE_END)
}

pub(super) fn short_key(key_id: &str) -> &str {
    key_id.get(..SHORT_KEY).unwrap_or(key_id)
}

/// What can start a key's id in an address.
pub(super) fn is_short_key(text: &str) -> bool {
    (SHORT_KEY..=64).contains(&text.len())
        && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

pub(super) fn show(text: Text, signed: &Signed<'_>, origin: &str) -> Response {
    let run = &signed.evidence.run;
    let (scope, attested_at_ms) = match &run.attestation {
        Attestation::Signed {
            scope,
            attested_at_ms,
            ..
        } => (*scope, *attested_at_ms),
        // An envelope came with the run, so it is signed; its row lags behind.
        _ => (Scope::Full, run.stored_at_ms),
    };
    let version = Version::claimed(signed.payload());
    let statement = match &version {
        Claimed::Known(known) => known.read(signed.payload()).ok(),
        Claimed::Unknown(_) | Claimed::Nothing => None,
    };
    let predicate = statement.as_ref().map(Statement::predicate);
    let mut commands = Commands::new(text);
    let checks = checks::all(text, signed, predicate, origin, &mut commands);
    let path = format!("/evidence/{}", run.run_id);
    let title = text.plain_with(
        "evidence-title",
        &[("name", name(&signed.evidence.target).into())],
    );
    let key = signed.key();
    let template = EvidencePage {
        page: Page {
            twin: Some(format!("{path}.json")),
            ..Page::new(text, Place::BelowServers, &path, title)
        },
        seal: Signature::of(Some(&run.attestation)).seal(),
        servers: text.link("/"),
        target: Stranger(name(&signed.evidence.target)),
        report: text.link(&run_path(&signed.evidence.target.slug, &run.run_id)),
        endpoint: Stranger(predicate.map_or_else(
            || run.endpoint_url.clone(),
            |predicate| predicate.endpoint.url.to_string(),
        )),
        run: text.moment(run.started_at_ms),
        run_note: text.with(
            "evidence-run-note",
            &[
                ("region", text.region(&run.region).into()),
                ("slot", run.slot.to_string().into()),
            ],
        ),
        signed: text.moment(attested_at_ms),
        rows: rows(text, signed, predicate, scope),
        unknown_version: unknown(text, &version),
        suite_notice: predicate.and_then(|predicate| suite_notice(text, &predicate.suite)),
        schema: schema(text, &version),
        log_href: signed
            .evidence
            .log
            .as_ref()
            .map(|_| format!("{}?q={}", text.link("/log"), run.run_id)),
        payload_size: text.with(
            "evidence-payload-note",
            &[("bytes", size(signed.payload()))],
        ),
        payload: spaced_out(signed.payload()).map(Verbatim),
        payload_href: format!("{path}/payload.json"),
        envelope: Verbatim(String::from_utf8_lossy(signed.envelope()).into_owned()),
        envelope_href: format!("{path}/envelope.json"),
        sigstore_href: format!("/evidence/{}", sigstore_name(&run.run_id)),
        key_id: signed.key_id().to_owned(),
        key_href: format!("{}#k-{}", text.link("/keys"), short_key(signed.key_id())),
        key_state: key.map_or_else(
            || text.t("evidence-key-unknown"),
            |key| state_words(text, key),
        ),
        pem: key.map(pem),
        checks,
    };
    answer(text, StatusCode::OK, &template)
}

fn rows(
    text: Text,
    signed: &Signed<'_>,
    predicate: Option<&Predicate>,
    scope: Scope,
) -> Vec<(Prose, String, Prose)> {
    let run = &signed.evidence.run;
    let mut rows = vec![
        (
            text.t("evidence-payload"),
            digest(signed.payload()),
            text.with(
                "evidence-payload-size",
                &[("bytes", size(signed.payload()))],
            ),
        ),
        (
            text.t("evidence-envelope"),
            digest(signed.envelope()),
            Prose::default(),
        ),
        (
            text.t("evidence-observation"),
            format!("sha256:{}", signed.evidence.observation_digest),
            text.t("evidence-observation-note"),
        ),
        (
            text.t("evidence-agent"),
            run.agent_key_id.clone(),
            text.t("evidence-agent-note"),
        ),
        (
            text.t("evidence-scope"),
            scope.as_str().to_owned(),
            Prose::default(),
        ),
    ];
    if let Some(log) = &signed.evidence.log {
        rows.push((
            text.t("evidence-log"),
            log.index.to_string(),
            text.t("evidence-log-note"),
        ));
    }
    if let Some(suite) = predicate.map(|predicate| &predicate.suite) {
        let commit = suite.suite_commit.as_ref().map_or_else(
            || text.t("suite-no-commit"),
            |commit| text.with("suite-commit", &[("commit", commit.as_str().into())]),
        );
        let note = if suite.dirty == Some(true) {
            commit.then(text.0, &text.t("suite-dirty"))
        } else {
            commit
        };
        rows.push((
            text.t("evidence-suite"),
            format!("{} {}", suite.name, suite.version),
            note,
        ));
    }
    rows
}

fn unknown(text: Text, version: &Claimed) -> Option<Prose> {
    let name = match version {
        Claimed::Known(_) => return None,
        Claimed::Unknown(name) => name.as_str(),
        Claimed::Nothing => "–",
    };
    Some(text.with("evidence-unknown-version", &[("version", name.into())]))
}

fn schema(text: Text, version: &Claimed) -> Option<(String, Prose)> {
    let Claimed::Known(known) = version else {
        return None;
    };
    let name = text.with("evidence-schema", &[("version", known.version.into())]);
    Some((format!("/schema/{}", known.file()), name))
}

/// A digest that does not name all of the code that judged must not look as if it did.
fn suite_notice(text: Text, suite: &Suite) -> Option<Prose> {
    match (&suite.suite_commit, suite.dirty) {
        (None, _) => Some(text.t("evidence-suite-unknown")),
        (Some(commit), Some(true)) => Some(text.with(
            "evidence-suite-dirty",
            &[("commit", commit.as_str().into())],
        )),
        (Some(_), _) => None,
    }
}

/// For reading only; what is signed are the bytes without this spacing.
fn spaced_out(payload: &[u8]) -> Option<String> {
    let value: serde_json::Value = serde_json::from_slice(payload).ok()?;
    serde_json::to_string_pretty(&value).ok()
}

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(bytes)))
}

fn size(bytes: &[u8]) -> Param {
    i64::try_from(bytes.len()).unwrap_or(i64::MAX).into()
}
