//! The table that people read: checks by group, states as shape and word,
//! reasons in words, executions apart.

use touchstone_evidence::payload::{self, Assertion};
use touchstone_proto::vocabulary::State;
use touchstone_signer::ephemeral::Attested;
use touchstone_words::{self as words, Language, Param};

use super::Checked;
use crate::exit::Failure;
use crate::{output, terminal};

/// Widest state word, `OBSERVED_RISK`.
const STATE_WIDTH: usize = 13;
/// Longest check id.
const CHECK_WIDTH: usize = 30;
/// Where a fix begins: under the sentence of its check.
const FIX_INDENT: usize = 2 + 2 + STATE_WIDTH + 1 + CHECK_WIDTH + 1;
/// Names of tools that are printed before the rest is counted.
const TOOLS_SHOWN: usize = 12;

pub(super) fn print(checked: &Checked, colour: bool) -> Result<(), Failure> {
    let predicate = &checked.predicate;
    output::line(&terminal::strong(predicate.endpoint.url.as_str(), colour))?;
    if let Some(server) = &checked.detail.server {
        output::line(&format!(
            "{} {}",
            terminal::plain(&server.name),
            terminal::plain(&server.version)
        ))?;
    }
    output::line(&terminal::faint(
        &format!("{} · from this machine", predicate.run.started_at),
        colour,
    ))?;
    for group in words::GROUPS {
        output::line("")?;
        output::line(&terminal::strong(
            &words::group(Language::English, group).0,
            colour,
        ))?;
        for place in words::CHECKS.iter().filter(|place| place.group == group) {
            if let Some(assertion) = predicate
                .assertions
                .iter()
                .find(|a| a.check.as_str() == place.id)
            {
                row(assertion, colour)?;
            }
        }
    }
    output::line("")?;
    tools(checked)?;
    output::line(&counts(&predicate.assertions, colour))?;
    output::line(&signing(checked))
}

fn row(assertion: &Assertion, colour: bool) -> Result<(), Failure> {
    let state = terminal::state(assertion.state, STATE_WIDTH, colour);
    let check = format!("{:CHECK_WIDTH$}", assertion.check.as_str());
    let execution = terminal::faint(&format!("({})", assertion.execution.as_str()), colour);
    output::line(&format!(
        "  {state} {check} {} {execution}",
        sentence(assertion)
    ))?;
    let found = matches!(assertion.state, State::Failed | State::ObservedRisk);
    match words::fix(Language::English, assertion.reason.key.as_str()).filter(|_| found) {
        Some(fix) => output::line(&format!("{:FIX_INDENT$}Fix: {fix}", "")),
        None => Ok(()),
    }
}

fn sentence(assertion: &Assertion) -> String {
    let params = assertion
        .reason
        .params
        .iter()
        .map(|(name, value)| {
            let value = match value {
                payload::Param::Number(number) => Param::from(i64::from(*number)),
                payload::Param::Word(word) => Param::from(word.as_str()),
            };
            (name.as_str().to_owned(), value)
        })
        .collect();
    words::reason(Language::English, assertion.reason.key.as_str(), &params)
}

fn tools(checked: &Checked) -> Result<(), Failure> {
    let names = &checked.detail.tool_names;
    if names.is_empty() {
        return Ok(());
    }
    let shown: Vec<_> = names
        .iter()
        .take(TOOLS_SHOWN)
        .map(|name| terminal::plain(name))
        .collect();
    let more = names.len().saturating_sub(TOOLS_SHOWN);
    let rest = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    output::line(&format!("tools    {}{rest}", shown.join(", ")))?;
    for (name, value) in [
        ("toolset", &checked.predicate.toolset_fingerprint),
        ("schema ", &checked.predicate.schema_fingerprint),
        ("defined", &checked.predicate.definition_fingerprint),
    ] {
        if let Some(digest) = value {
            output::line(&format!("{name}  {digest}"))?;
        }
    }
    for hit in &checked.detail.hygiene {
        output::line(&format!(
            "{}  {} at byte {}: {}",
            hit.rule,
            terminal::plain(&hit.tool),
            hit.offset,
            terminal::plain(&hit.excerpt)
        ))?;
    }
    output::line("")
}

/// Four counts, never summed.
fn counts(assertions: &[Assertion], colour: bool) -> String {
    State::ALL
        .map(|state| {
            let count = assertions
                .iter()
                .filter(|assertion| assertion.state == state)
                .count();
            format!("{count} {}", terminal::state(state, 0, colour))
        })
        .join("   ")
}

fn signing(checked: &Checked) -> String {
    match &checked.attested {
        Attested::Signed { scope, key_id, .. } => format!(
            "A fleet would sign this run, scope {}. Here it is signed by the key {}, made for this check.",
            scope.as_str(),
            &key_id[..16.min(key_id.len())]
        ),
        Attested::Declined { reason_key } => format!(
            "Observed, not signed: {}",
            words::signing(Language::English, reason_key)
        ),
    }
}
