//! The evidence page of one signed run, and the files that its commands fetch.
//!
//! Every command is filled in for this run and works as printed; the tests run
//! them. The page asks for no trust: it shows the exact bytes, whose key, and
//! how to check both with programs that are not ours.

use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;
use data_encoding::HEXLOWER;
use prost::Message as _;
use sha2::{Digest as _, Sha256};
use touchstone_evidence::bundle::Bundle;
use touchstone_evidence::dsse::Envelope;
use touchstone_evidence::keyset::{KeyDocument, KeyEntry};
use touchstone_evidence::payload::{Predicate, Statement, claimed_version};
use touchstone_proto::observation::{Observation, Step};
use touchstone_proto::vocabulary::Scope;
use touchstone_words::Param;

use super::commands::{Command, Commands, quote};
use super::keys::{pem, state_words};
use super::marks::Signature;
use super::page::{Page, Place, answer};
use super::report::name;
use super::stranger::{Stranger, Verbatim};
use super::text::{Moment, Prose, Text};
use crate::store::read::{Attestation, Evidence};
use crate::targets::run_path;

/// Characters of a key's id on a page; the id itself is a hint and no decision.
const SHORT_KEY: usize = 16;
/// The release of securesystemslib that the printed command was tried with.
const SECURESYSTEMSLIB: &str = "1.4.0";

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
    payload_size: Prose,
    payload: Option<Verbatim>,
    payload_href: String,
    envelope: Verbatim,
    envelope_href: String,
    key_id: String,
    key_href: String,
    key_state: Prose,
    pem: Option<String>,
    checks: Vec<Check>,
}

/// One numbered thing to do.
struct Check {
    title: Prose,
    about: Option<Prose>,
    command: Command,
    expected: Vec<String>,
}

/// What a page and its files are made from; only of a signed run.
#[derive(Debug)]
pub(super) struct Signed<'a> {
    evidence: &'a Evidence,
    envelope: Envelope,
    raw: &'a [u8],
    keys: Option<&'a KeyDocument>,
}

impl<'a> Signed<'a> {
    /// `None` when the run is not signed, or its envelope cannot be read.
    pub(super) fn of(evidence: &'a Evidence, keys: Option<&'a KeyDocument>) -> Option<Self> {
        let raw = evidence.envelope.as_deref()?;
        let envelope = Envelope::read(raw).ok()?;
        Some(Self { evidence, envelope, raw, keys })
    }

    /// The bundle to check offline; it needs the keys that it names.
    pub(super) fn bundle(&self) -> Option<Vec<u8>> {
        let keys = self.keys?;
        Some(Bundle::new(self.envelope.clone(), keys, Some(&self.evidence.signed), None).to_json())
    }

    pub(super) fn payload(&self) -> &[u8] {
        self.envelope.payload.as_bytes()
    }

    pub(super) fn envelope(&self) -> &[u8] {
        self.raw
    }

    /// The body of page `number` of the tool list, counted from 1.
    pub(super) fn tool_page(&self, number: usize) -> Option<&[u8]> {
        tool_pages(self.evidence).into_iter().nth(number.checked_sub(1)?)
    }

    fn key_id(&self) -> &str {
        self.envelope.signatures.first().map_or("", |signature| signature.keyid.as_str())
    }

    fn key(&self) -> Option<&KeyEntry> {
        self.keys?.find(self.key_id())
    }
}

/// The bodies of the tool list that was read, in order, each page once.
fn tool_pages(evidence: &Evidence) -> Vec<&[u8]> {
    let Ok(observation) = Observation::decode(&evidence.signed.observation[..]) else {
        return Vec::new();
    };
    observation
        .exchanges
        .iter()
        .filter(|exchange| exchange.step() == Step::ListTools && exchange.hop == 0)
        .filter_map(|exchange| exchange.response.as_ref()?.body.as_ref())
        .filter_map(|body| {
            let wanted = &body.kept_sha256[..];
            evidence.signed.bodies.iter().find(|kept| Sha256::digest(kept)[..] == *wanted)
        })
        .map(|body| &body[..])
        .collect()
}

/// The name under which a bundle is fetched and saved.
pub(super) fn bundle_name(run_id: &str) -> String {
    format!("{run_id}.json")
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
        Attestation::Signed { scope, attested_at_ms, .. } => (*scope, *attested_at_ms),
        // An envelope came with the run, so it is signed; its row lags behind.
        _ => (Scope::Full, run.stored_at_ms),
    };
    let statement = Statement::read(signed.payload()).ok();
    let predicate = statement.as_ref().map(Statement::predicate);
    let mut commands = Commands::new(text);
    let checks = checks(text, signed, predicate, origin, &mut commands);
    let path = format!("/evidence/{}", run.run_id);
    let title = text.plain_with("evidence-title", &[("name", name(&signed.evidence.target).into())]);
    let key = signed.key();
    let template = EvidencePage {
        page: Page { twin: Some(format!("{path}.json")), ..Page::new(text, Place::BelowServers, &path, title) },
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
        unknown_version: statement.is_none().then(|| {
            let version = claimed_version(signed.payload()).map(|(_, version)| version);
            text.with("evidence-unknown-version", &[("version", version.unwrap_or_else(|| "–".to_owned()).into())])
        }),
        payload_size: text.with("evidence-payload-note", &[("bytes", size(signed.payload()))]),
        payload: spaced_out(signed.payload()).map(Verbatim),
        payload_href: format!("{path}/payload.json"),
        envelope: Verbatim(String::from_utf8_lossy(signed.envelope()).into_owned()),
        envelope_href: format!("{path}/envelope.json"),
        key_id: signed.key_id().to_owned(),
        key_href: format!("{}#k-{}", text.link("/keys"), short_key(signed.key_id())),
        key_state: key.map_or_else(|| text.t("evidence-key-unknown"), |key| state_words(text, key)),
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
            text.with("evidence-payload-size", &[("bytes", size(signed.payload()))]),
        ),
        (text.t("evidence-envelope"), digest(signed.envelope()), Prose::default()),
        (
            text.t("evidence-observation"),
            format!("sha256:{}", signed.evidence.observation_digest),
            text.t("evidence-observation-note"),
        ),
        (text.t("evidence-agent"), run.agent_key_id.clone(), text.t("evidence-agent-note")),
        (text.t("evidence-scope"), scope.as_str().to_owned(), Prose::default()),
    ];
    if let Some(suite) = predicate.map(|predicate| &predicate.suite) {
        let commit = suite.suite_commit.as_ref().map_or_else(
            || text.t("suite-no-commit"),
            |commit| text.with("suite-commit", &[("commit", commit.as_str().into())]),
        );
        let note = if suite.dirty == Some(true) { commit.then(text.0, &text.t("suite-dirty")) } else { commit };
        rows.push((text.t("evidence-suite"), format!("{} {}", suite.name, suite.version), note));
    }
    rows
}

fn checks(
    text: Text,
    signed: &Signed<'_>,
    predicate: Option<&Predicate>,
    origin: &str,
    commands: &mut Commands,
) -> Vec<Check> {
    let run_id = &signed.evidence.run.run_id;
    let bundle = quote(&bundle_name(run_id));
    let key_file = quote(&format!("{}.pem", short_key(signed.key_id())));
    let fetch = |path: &str| format!("curl -fsSO {}", quote(&format!("{origin}{path}")));
    let mut checks = Vec::new();
    let mut add = |id: &str, code: String, expected: Vec<String>| {
        checks.push(Check {
            title: text.t(&format!("verify-{id}")),
            about: touchstone_words::known(text.0, &format!("verify-{id}-about")).map(Prose),
            command: commands.next(code),
            expected,
        });
    };
    add(
        "download",
        [
            fetch(&format!("/evidence/{}", bundle_name(run_id))),
            fetch("/keys.json"),
            fetch(&format!("/keys/{}.pem", short_key(signed.key_id()))),
        ]
        .join("\n"),
        Vec::new(),
    );
    add("all", format!("touchstone verify {bundle} --keys keys.json"), vec!["valid".to_owned()]);
    add("openssl", openssl(&bundle, &key_file), vec!["Signature Verified Successfully".to_owned()]);
    add("python", python(&bundle), vec![signed.key_id().to_owned()]);
    let suite = predicate.map(|predicate| &predicate.suite);
    if let Some((command, digest)) = suite.and_then(|suite| Some((suite.recompute_command()?, suite.suite_digest.as_ref()?))) {
        add("suite", command, vec![digest.to_string()]);
    }
    let prints = predicate
        .and_then(|p| Some((p.toolset_fingerprint.as_ref()?, p.schema_fingerprint.as_ref())));
    let pages = tool_pages(signed.evidence).len();
    if let Some((toolset, schema)) = prints.filter(|_| pages > 0) {
        let files: Vec<String> = (1..=pages).map(|number| format!("tools-{number}.json")).collect();
        let mut code: Vec<String> =
            files.iter().map(|file| fetch(&format!("/evidence/{run_id}/{file}"))).collect();
        code.push(format!("node shared/canonical/recompute-fingerprints.mjs {}", files.join(" ")));
        code.push(format!("python3 shared/canonical/recompute_fingerprints.py {}", files.join(" ")));
        let expected = [Some(toolset), schema].into_iter().flatten().map(ToString::to_string).collect();
        add("fingerprints", code.join("\n"), expected);
    }
    add(
        "replay",
        format!("touchstone verify {bundle} --keys keys.json --replay"),
        vec!["valid".to_owned()],
    );
    checks
}

/// DSSE's pre-authentication encoding by printf, the signature by OpenSSL.
fn openssl(bundle: &str, key_file: &str) -> String {
    format!(
        r#"jq -r .envelope.payload {bundle} | base64 -d > payload.json
jq -r '.envelope.signatures[0].sig' {bundle} | base64 -d > sig.bin
{{ printf 'DSSEv1 28 application/vnd.in-toto+json %d ' "$(wc -c < payload.json)"; cat payload.json; }} > pae.bin
openssl pkeyutl -verify -pubin -inkey {key_file} -rawin -in pae.bin -sigfile sig.bin"#
    )
}

/// The signature by securesystemslib, the library of in-toto and TUF.
fn python(bundle: &str) -> String {
    format!(
        r#"python3 -m pip install --quiet 'securesystemslib[crypto]=={SECURESYSTEMSLIB}'
python3 - {bundle} keys.json <<'END'
import base64, json, sys
from cryptography.hazmat.primitives.serialization import load_der_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

bundle, document = (json.load(open(name)) for name in sys.argv[1:])
wanted = bundle["envelope"]["signatures"][0]["keyid"]
entry = next(key for key in document["keys"] if key["key_id"] == wanted)
public = load_der_public_key(base64.b64decode(entry["public_key"]))
key = SSlibKey.from_crypto(public, keyid=wanted)
print(*Envelope.from_dict(bundle["envelope"]).verify([key], 1))
END"#
    )
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
