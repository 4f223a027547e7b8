//! Tools and contract, the evidence in short, and the machine twins.

use askama::Template;
use touchstone_evidence::payload::Predicate;
use touchstone_words::Param;

use super::drift::{Drift, InForce, in_force};
use super::{Reading, reason_sentence};
use crate::publish::commands::{Command, Commands, quote};
use crate::publish::evidence::{bundle_name, short_key};
use crate::publish::limits::TOOL_NAMES_LIMIT;
use crate::publish::stranger::Stranger;
use crate::publish::text::{Moment, Prose, Text};
use crate::store::read::{Attestation, ReportedRun};

#[derive(Template)]
#[template(path = "section/tools.html")]
struct Tools {
    text: Text,
    count: String,
    toolset_title: Prose,
    toolset: Option<String>,
    schema_title: Prose,
    schema: Option<String>,
    definition: Option<String>,
    /// Why a complete list has none.
    definition_refusal: Option<Prose>,
    /// Beside the two checks of the baseline, and no check itself.
    definition_compared: Option<Prose>,
    baseline: Option<String>,
    baseline_none: Prose,
    in_force: Option<InForce>,
    drift: Option<Drift>,
    server: Option<Stranger>,
    names_summary: Prose,
    names: Vec<Stranger>,
    more: Option<Prose>,
    notes: Vec<(Stranger, Prose)>,
}

#[derive(Template)]
#[template(path = "section/evidence.html")]
struct EvidenceInShort {
    text: Text,
    scope: &'static str,
    observation: String,
    key: Option<(String, String)>,
    signed: Option<Moment>,
    suite: Option<String>,
    command: Command,
    href: String,
}

#[derive(Template)]
#[template(path = "section/twins.html")]
struct Twins {
    text: Text,
    json: String,
}

pub(super) fn tools(reading: &Reading<'_>, predicate: &Predicate) -> Result<String, askama::Error> {
    let (text, detail) = (reading.text, &reading.detail);
    let mut names: Vec<&String> = detail.tool_names.iter().collect();
    // As the fingerprint sorts them: by UTF-16 code unit.
    names.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
    let title = |check: &str| Prose(touchstone_words::check(text.0, check).title);
    let count = Param::from(i64::try_from(names.len()).unwrap_or(i64::MAX));
    Tools {
        text,
        count: predicate
            .tool_count
            .map_or_else(|| text.plain("not-recorded"), |count| count.to_string()),
        toolset_title: title("toolset_fingerprint"),
        schema_title: title("schema_fingerprint"),
        toolset: predicate
            .toolset_fingerprint
            .as_ref()
            .map(ToString::to_string),
        schema: predicate
            .schema_fingerprint
            .as_ref()
            .map(ToString::to_string),
        definition: predicate
            .definition_fingerprint
            .as_ref()
            .map(ToString::to_string),
        definition_refusal: predicate
            .definition_refusal
            .as_ref()
            .map(|reason| reason_sentence(text, reason)),
        definition_compared: compared(text, predicate),
        baseline: predicate.baseline_id.as_ref().map(ToString::to_string),
        baseline_none: text.t(if reading.report.baseline.is_some() {
            "baseline-none-then"
        } else {
            "baseline-none"
        }),
        in_force: in_force(reading),
        // Only what was signed to be compared is told to differ.
        drift: detail
            .drift
            .as_ref()
            .filter(|_| predicate.baseline_id.is_some())
            .and_then(|drift| Drift::of(text, drift)),
        server: detail
            .server
            .as_ref()
            .map(|server| Stranger(format!("{} {}", server.name, server.version))),
        names_summary: text.with("tools-names", &[("count", count)]),
        more: text.more("tools-more", names.len(), TOOL_NAMES_LIMIT),
        names: names
            .into_iter()
            .take(TOOL_NAMES_LIMIT)
            .map(|name| Stranger(name.clone()))
            .collect(),
        notes: detail
            .listed
            .iter()
            .take(TOOL_NAMES_LIMIT)
            .map(|note| (Stranger(note.tool.clone()), note_words(text, &note.note)))
            .collect(),
    }
    .render()
}

pub(super) fn evidence(
    reading: &Reading<'_>,
    run: &ReportedRun,
    predicate: Option<&Predicate>,
    commands: &mut Commands,
) -> Result<String, askama::Error> {
    let text = reading.text;
    let (key, signed, scope) = match &run.run.attestation {
        Attestation::Signed {
            scope,
            key_id,
            attested_at_ms,
        } => {
            let anchor = format!("{}#k-{}", text.link("/keys"), short_key(key_id));
            (
                Some((anchor, short_key(key_id).to_owned())),
                Some(text.moment(*attested_at_ms)),
                scope.as_str(),
            )
        }
        _ => (None, None, ""),
    };
    let bundle = bundle_name(&run.run.run_id);
    EvidenceInShort {
        text,
        scope,
        observation: format!("sha256:{}", run.observation_digest),
        key,
        signed,
        suite: predicate.map(|predicate| suite(text, predicate)),
        command: commands.next(format!(
            "touchstone verify {} --keys keys.json",
            quote(&bundle)
        )),
        href: text.link(&format!("/evidence/{}", run.run.run_id)),
    }
    .render()
}

pub(super) fn twins(reading: &Reading<'_>) -> Result<String, askama::Error> {
    let text = reading.text;
    Twins {
        text,
        json: format!("{}.json", text.link(&reading.path())),
    }
    .render()
}

/// Whether the full definitions are those that were approved.
fn compared(text: Text, predicate: &Predicate) -> Option<Prose> {
    predicate.baseline_id.as_ref()?;
    let (observed, approved) = (
        predicate.definition_fingerprint.as_ref(),
        predicate.baseline_definition_fingerprint.as_ref(),
    );
    Some(text.t(match (observed, approved) {
        (Some(observed), Some(approved)) if observed == approved => "definition-same",
        (Some(_), Some(_)) => "definition-differs",
        _ => "definition-not-compared",
    }))
}

/// `mcp 1.0.0, 5cd55651e2c6`.
fn suite(text: Text, predicate: &Predicate) -> String {
    let suite = &predicate.suite;
    let name = format!("{} {}", suite.name, suite.version);
    match &suite.suite_commit {
        None => format!("{name}, {}", text.plain("suite-no-commit")),
        Some(commit) if suite.dirty == Some(true) => {
            format!(
                "{name}, {} {}",
                &commit.as_str()[..12],
                text.plain("suite-dirty")
            )
        }
        Some(commit) => format!("{name}, {}", &commit.as_str()[..12]),
    }
}

fn note_words(text: Text, note: &str) -> Prose {
    touchstone_words::known(text.0, &format!("tool-note-{note}"))
        .map_or_else(|| Prose(note.to_owned()), Prose)
}
