//! The numbered commands of an evidence page, filled in for its run.

use touchstone_canonical::recompute;
use touchstone_evidence::payload::Predicate;
use touchstone_evidence::text::Digest;

use super::signed::Signed;
use super::{bundle_name, short_key, sigstore_name};
use crate::publish::commands::{Command, Commands, quote};
use crate::publish::text::{Prose, Text};

/// The release of securesystemslib that the printed command was tried with.
const SECURESYSTEMSLIB: &str = "1.6.0";
/// The same of npm's @sigstore/verify; it runs on Node.js 20 and newer.
const SIGSTORE_VERIFY: &str = "3.1.1";

/// One numbered thing to do.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) title: Prose,
    pub(super) about: Option<Prose>,
    /// Files to read before they are run: address and name.
    pub(super) files: Vec<(String, &'static str)>,
    pub(super) command: Command,
    /// The lines that the command prints when all is well.
    pub(super) expected: Vec<String>,
}

/// The commands in the order in which the page numbers them.
pub(super) fn all(
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
            files: match id {
                "fingerprints" => SCRIPTS.map(|name| (script(name), name)).to_vec(),
                _ => Vec::new(),
            },
            about: touchstone_words::known(text.0, &format!("verify-{id}-about")).map(Prose),
            command: commands.next(code),
            expected,
        });
    };
    add(
        "download",
        [
            fetch(&format!("/evidence/{}", bundle_name(run_id))),
            fetch(&format!("/evidence/{}", sigstore_name(run_id))),
            fetch("/keys.json"),
            fetch(&format!("/keys/{}.pem", short_key(signed.key_id()))),
        ]
        .join("\n"),
        Vec::new(),
    );
    add(
        "all",
        format!("touchstone verify {bundle} --keys keys.json"),
        vec!["valid".to_owned()],
    );
    add(
        "openssl",
        openssl(&bundle, &key_file),
        vec!["Signature Verified Successfully".to_owned()],
    );
    let key_id = || vec![signed.key_id().to_owned()];
    add("python", python(&bundle), key_id());
    let sigstore_bundle = quote(&sigstore_name(run_id));
    add("sigstore", sigstore(&sigstore_bundle, &key_file), key_id());
    let suite = predicate.map(|predicate| &predicate.suite);
    if let Some((command, digest)) =
        suite.and_then(|suite| Some((suite.recompute_command()?, suite.suite_digest.as_ref()?)))
    {
        add("suite", command, vec![digest.to_string()]);
    }
    let prints = predicate.and_then(printed_fingerprints);
    let pages = signed.tool_pages();
    if let Some(printed) = prints.filter(|_| pages > 0) {
        let files: Vec<String> = (1..=pages)
            .map(|number| format!("tools-{number}.json"))
            .collect();
        let pages = files
            .iter()
            .map(|file| format!("/evidence/{run_id}/{file}"));
        let mut code: Vec<String> = SCRIPTS
            .map(script)
            .into_iter()
            .chain(pages)
            .map(|path| fetch(&path))
            .collect();
        let [node, python] = SCRIPTS;
        let files = files.join(" ");
        code.push(format!("node {node} {files}"));
        code.push(format!("python3 {python} {files}"));
        add("fingerprints", code.join("\n"), vec![printed]);
    }
    add(
        "replay",
        format!("touchstone verify {bundle} --keys keys.json --replay"),
        vec!["valid".to_owned()],
    );
    checks
}

/// DSSE's pre-authentication encoding by printf, the signature by OpenSSL. In a
/// bundle each member stands on a line of its own, so `sed` can take them out.
fn openssl(bundle: &str, key_file: &str) -> String {
    format!(
        r#"sed -n 's/^ *"payload": "\(.*\)".*/\1/p' {bundle} | openssl base64 -d -A > payload.json
sed -n 's/^ *"sig": "\(.*\)".*/\1/p' {bundle} | openssl base64 -d -A > sig.bin
{{ printf 'DSSEv1 28 application/vnd.in-toto+json %d ' "$(wc -c < payload.json)"; cat payload.json; }} > pae.bin
openssl pkeyutl -verify -pubin -inkey {key_file} -rawin -in pae.bin -sigfile sig.bin"#
    )
}

/// The scripts that recompute fingerprints, by name.
const SCRIPTS: [&str; 2] = [recompute::NODE.name, recompute::PYTHON.name];

/// Where one is served.
fn script(name: &str) -> String {
    format!("/scripts/{name}")
}

/// The signature by the verifier of the sigstore project. No log, no authority
/// and no timestamp of sigstore's is asked for: the key comes from the reader.
fn sigstore(bundle: &str, key_file: &str) -> String {
    format!(
        r#"npm install --silent --no-save --prefix . @sigstore/verify@{SIGSTORE_VERIFY}
node - {bundle} {key_file} <<'END'
const {{ createPublicKey }} = require("node:crypto")
const {{ readFileSync }} = require("node:fs")
const {{ bundleFromJSON }} = require("@sigstore/bundle")
const {{ toSignedEntity, Verifier }} = require("@sigstore/verify")

const [bundle, pem] = process.argv.slice(2).map((name) => readFileSync(name, "utf8"))
const key = {{ publicKey: createPublicKey(pem), validFor: () => true }}
const none = {{ tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 }}
const entity = toSignedEntity(bundleFromJSON(JSON.parse(bundle)))
new Verifier({{ publicKey: () => key }}, none).verify(entity)
console.log(entity.key.hint)
END"#
    )
}

/// The signature by securesystemslib, the library of in-toto and TUF, in an
/// environment of its own: a system's Python takes no packages (PEP 668).
fn python(bundle: &str) -> String {
    format!(
        r#"python3 -m venv check
check/bin/pip install --quiet 'securesystemslib[crypto]=={SECURESYSTEMSLIB}'
check/bin/python - {bundle} keys.json <<'END'
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

/// The line that either script prints for the list of this run.
fn printed_fingerprints(predicate: &Predicate) -> Option<String> {
    let or_null = |digest: Option<&Digest>| {
        digest.map_or_else(|| "null".to_owned(), |digest| format!("\"{digest}\""))
    };
    Some(format!(
        r#"{{"tools":{},"toolset_fingerprint":"{}","schema_fingerprint":{},"definition_fingerprint":{}}}"#,
        predicate.tool_count?,
        predicate.toolset_fingerprint.as_ref()?,
        or_null(predicate.schema_fingerprint.as_ref()),
        or_null(predicate.definition_fingerprint.as_ref()),
    ))
}
