//! The machine twin of a report: the same facts in JSON, and the same silence.
//! Of a run that is not signed no state is given, as on the page.

use serde_json::{Value, json};
use touchstone_proto::observation::{Exchange, Observation};
use touchstone_words::Param;

use super::changes;
use super::evidence::bundle_name;
use super::marks::Signature;
use super::report::saw::{failure_name, step_name};
use super::report::{Reading, sentence};
use super::text::{Text, instant};
use crate::history::reach::Reach;
use crate::store::read::{Attestation, Baseline, MissedSlots, RunLine, RunView};
use crate::targets::EndpointSource;

/// Changes when a reader of the old shape would misread the new one.
const SHAPE: u32 = 1;

pub(super) fn report(reading: &Reading<'_>) -> Value {
    let (report, target) = (reading.report, &reading.report.target);
    let run = reading.run();
    let tier = target.tier;
    json!({
        "shape": SHAPE,
        "language": reading.text.tag(),
        "target": {
            "id": target.target_id,
            "slug": target.slug,
            "url": target.url,
            "source": source(target.source),
            "tier": tier.as_str(),
            "cadence_s": tier.cadence().as_secs(),
            "regions": target.regions,
            "next_slot_at": time(target.next_slot_at_ms),
        },
        "signature": signature(reading),
        "endpoint": {
            "url": reading.endpoint(),
            "from": if reading.predicate.is_some() && reading.signature.is_signed() { "signed payload" } else { "unsigned record" },
        },
        "run": run.map(|run| run_facts(&run.run)),
        "is_newest": report.is_newest,
        "observation_digest": run.map(|run| format!("sha256:{}", run.observation_digest)),
        "stale": {
            "after_s": tier.stale_after_ms() / 1000,
            "hours": reading.stale_hours(),
        },
        "predicate": signed_predicate(reading),
        "sentences": sentences(reading),
        // Text of the server's own, unsigned: to be escaped, never believed.
        "tool_names": signed(reading).then_some(&reading.detail.tool_names),
        "exchanges": run.map(|run| exchanges(&run.observation)),
        // The approval in force now; what this run was compared with, its predicate says.
        "baseline": report.baseline.as_ref().map(baseline),
        "observed_days": report.observed_days,
        "tools_unchanged": report.tools_unchanged.as_ref().filter(|_| reading.signature == Signature::Full),
        // The newest changes of the list; all of them stand under /servers/SLUG/changes.json.
        "tool_change_count": report.tool_changes.total,
        "tool_changes": report.tool_changes.changes.iter().map(changes::change).collect::<Vec<_>>(),
        "missed": report.missed.iter().map(missed).collect::<Vec<_>>(),
        "regions": report.regions.iter().map(run_facts).collect::<Vec<_>>(),
        "runs": report.runs.iter().map(run_line).collect::<Vec<_>>(),
        "run_count": report.run_count,
    })
}

fn signed(reading: &Reading<'_>) -> bool {
    reading.signature.is_signed()
}

/// Only what was signed; of an unsigned run the predicate would hold states.
fn signed_predicate(reading: &Reading<'_>) -> Option<Value> {
    let findings = reading
        .run()?
        .findings
        .as_ref()
        .filter(|_| signed(reading))?;
    serde_json::from_str(&findings.predicate).ok()
}

/// The sentence of each signed assertion, in the language of the address.
fn sentences(reading: &Reading<'_>) -> Option<Value> {
    let predicate = reading.predicate.as_ref().filter(|_| signed(reading))?;
    let told = predicate
        .assertions
        .iter()
        .map(|assertion| {
            let told = sentence(reading.text, assertion).0.replace('`', "");
            (assertion.check.to_string(), Value::String(told))
        })
        .collect();
    Some(Value::Object(told))
}

fn signature(reading: &Reading<'_>) -> Value {
    let run = reading.run().map(|run| &run.run);
    let (key_id, attested_at) = match run.map(|run| &run.attestation) {
        Some(Attestation::Signed {
            key_id,
            attested_at_ms,
            ..
        }) => (Some(key_id), Some(time(*attested_at_ms))),
        _ => (None, None),
    };
    let evidence = run
        .filter(|_| signed(reading))
        .map(|run| format!("/evidence/{}", bundle_name(&run.run_id)));
    json!({
        "scope": reading.signature.as_str(),
        "key_id": key_id,
        "attested_at": attested_at,
        "reason": reading.unsigned_reason(),
        "evidence": evidence,
    })
}

fn run_facts(run: &RunView) -> Value {
    let (reach, cause) = match run.reach {
        Reach::Answered => ("answered", None),
        Reach::Unanswered(cause) => ("unanswered", Some(cause.as_str())),
        Reach::NotCounted(cause) => ("not_counted", Some(cause.as_str())),
    };
    json!({
        "id": run.run_id,
        "slot": run.slot,
        "region": run.region,
        "endpoint_url": run.endpoint_url,
        "started_at": time(run.started_at_ms),
        "finished_at": time(run.finished_at_ms),
        "stored_at": time(run.stored_at_ms),
        "reach": reach,
        "cause": cause,
        "signature": Signature::of(Some(&run.attestation)).as_str(),
        "conflicts": run.conflicts,
    })
}

fn run_line(line: &RunLine) -> Value {
    let mut facts = run_facts(&line.run);
    // Four counts, and only of a run that is signed in full.
    let full = Signature::of(Some(&line.run.attestation)) == Signature::Full;
    facts["states"] = json!(line.states.filter(|_| full));
    facts
}

fn baseline(baseline: &Baseline) -> Value {
    json!({
        "run_id": baseline.run_id,
        "observation_digest": format!("sha256:{}", baseline.observation_digest),
        "run_started_at": time(baseline.run_started_at_ms),
        "approved_at": time(baseline.approved_at_ms),
    })
}

fn missed(missed: &MissedSlots) -> Value {
    json!({
        "first_slot": missed.first_slot,
        "last_slot": missed.last_slot,
        "first_at": time(missed.first_at_ms),
        "last_at": time(missed.last_at_ms),
        "region": missed.region,
        "cause": missed.cause,
    })
}

fn exchanges(observation: &Observation) -> Vec<Value> {
    observation.exchanges.iter().map(exchange).collect()
}

fn exchange(exchange: &Exchange) -> Value {
    let response = exchange.response.as_ref();
    json!({
        "sent": step_name(exchange),
        "url": exchange.url,
        "page": exchange.page,
        "hop": exchange.hop,
        "status": response.map(|response| response.status),
        "body_bytes": response.and_then(|response| response.body.as_ref()).map(|body| body.read_size),
        "headers_ms": response.map(|_| exchange.headers_us.div_ceil(1000)),
        "failure": exchange.failure.as_ref().map(|failure| failure_name(failure.kind())),
    })
}

fn source(source: EndpointSource) -> &'static str {
    match source {
        EndpointSource::Unspecified => "unknown",
        EndpointSource::Operator => "operator",
        EndpointSource::Registry => "registry",
        EndpointSource::Owner => "owner",
        EndpointSource::CommandLine => "command_line",
    }
}

/// RFC 3339, UTC, milliseconds.
pub(super) fn time(ms: i64) -> String {
    let moment = instant(ms);
    format!(
        "{}T{:02}:{:02}:{:02}.{:03}Z",
        super::text::iso(moment.date()),
        moment.hour(),
        moment.minute(),
        moment.second(),
        moment.millisecond()
    )
}

/// The twin as it is sent.
pub(super) fn body(value: &Value) -> Vec<u8> {
    // A value of JSON serializes without fail.
    let mut json = serde_json::to_vec_pretty(value).unwrap_or_default();
    json.push(b'\n');
    json
}

/// A problem as RFC 9457 writes it.
pub(super) fn problem(text: Text, key: &str, status: u16, args: &[(&str, Param)]) -> Value {
    json!({
        "type": format!("/problem/{key}"),
        "title": text.plain(&format!("problem-{key}")),
        "detail": text.plain_with(&format!("problem-{key}-text"), args),
        "status": status,
    })
}
