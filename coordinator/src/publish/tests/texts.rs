//! Every text that a page may ask for is there, also on pages that no sample
//! has: ids are read out of the sources themselves, and families of ids are
//! made from the words that they are made of.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use touchstone_evidence::keyset::Purpose;
use touchstone_proto::observation::FailureKind;
use touchstone_proto::vocabulary::Execution;
use touchstone_words::{Language, STATES, keys};

use crate::publish::method::rules::RULES;
use crate::publish::report::saw::failure_name;
use crate::store::read::MissedCause;
use crate::targets::Tier;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("tests") {
                sources(&path, found);
            }
        } else if path
            .extension()
            .is_some_and(|end| end == "rs" || end == "html")
        {
            found.push(path);
        }
    }
}

/// The literal first arguments of calls that fetch a text.
fn literal_ids(source: &str) -> BTreeSet<&str> {
    let mut ids = BTreeSet::new();
    for call in [".t(", ".with(", ".plain(", ".plain_with(", ".more("] {
        for rest in source.split(call).skip(1) {
            let id = rest
                .trim_start()
                .strip_prefix('"')
                .and_then(|rest| rest.split('"').next());
            // The start of an id that is put together ends in a hyphen.
            ids.extend(id.filter(|id| !id.ends_with('-')));
        }
    }
    ids
}

#[test]
fn every_text_that_the_sources_name_exists() {
    let mut files = Vec::new();
    sources(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src/publish"),
        &mut files,
    );
    let known = keys(Language::English);
    let mut count = 0;
    for file in files {
        for id in literal_ids(&std::fs::read_to_string(&file).unwrap()) {
            assert!(known.contains(id), "{id} in {}", file.display());
            count += 1;
        }
    }
    assert!(count > 200, "{count}");
}

#[test]
fn every_text_of_our_own_fleet_exists() {
    let mut ids = Vec::new();
    for store in ["ok", "locked", "full", "read_only", "away", "failing"] {
        ids.push(format!("status-store-{store}"));
    }
    ids.extend(["unknown", "full", "weak"].map(|state| format!("status-isolation-{state}")));
    ids.extend(
        [
            "observing",
            "not-observing",
            "targets",
            "runs",
            "with-result",
            "conflicts",
            "signer-reached",
            "signer-away",
        ]
        .map(|text| format!("status-{text}")),
    );
    let known = keys(Language::English);
    for id in ids {
        assert!(known.contains(&id), "{id}");
    }
}

#[test]
fn every_text_that_is_put_together_exists() {
    let mut ids: Vec<String> = (0..=17)
        .filter_map(|kind| FailureKind::try_from(kind).ok())
        .map(|kind| format!("failure-{}", failure_name(kind)))
        .collect();
    assert_eq!(ids.len(), 18);
    ids.extend(MissedCause::ALL.map(|cause| format!("missed-{}", cause.as_str())));
    ids.extend(Tier::ALL.map(|tier| format!("head-tier-{}", tier.as_str())));
    for signature in ["full", "limited", "none", "pending", "unobserved"] {
        ids.push(format!("signature-{signature}"));
        ids.push(format!("signature-row-{signature}"));
        ids.push(format!("report-title-{signature}"));
    }
    for day in [
        "answered",
        "unanswered",
        "not_counted",
        "undetermined",
        "before",
        "not_yet",
    ] {
        ids.push(format!("day-{day}"));
    }
    for problem in [
        "not-found",
        "no-target",
        "no-evidence",
        "no-key",
        "bad-request",
        "method-not-allowed",
        "unavailable",
        "broken",
    ] {
        ids.push(format!("problem-{problem}"));
        ids.push(format!("problem-{problem}-text"));
    }
    for purpose in [
        Purpose::Attestation,
        Purpose::LogCheckpoint,
        Purpose::AgentIdentity,
        Purpose::AgentIssuer,
        Purpose::WebBotAuth,
    ] {
        ids.push(format!("purpose-{}", purpose.as_str()));
    }
    ids.extend(["unknown", "full", "weak"].map(|state| format!("keys-isolation-{state}")));
    for barrier in crate::signer::BARRIERS {
        ids.push(format!("barrier-{barrier}"));
    }
    for verdict in ["valid", "invalid", "undecidable-key", "undecidable-schema"] {
        ids.push(format!("verdict-{verdict}"));
        ids.push(format!("verdict-{verdict}-when"));
    }
    for state in STATES {
        ids.push(format!("state-meaning-{state}"));
    }
    for execution in Execution::ALL {
        ids.push(format!("execution-meaning-{}", execution.as_str()));
    }
    for scope in ["full", "limited", "none"] {
        ids.push(format!("method-scope-{scope}"));
    }
    for day in [
        "answered",
        "unanswered",
        "not_counted",
        "undetermined",
        "before",
    ] {
        ids.push(format!("day-meaning-{day}"));
    }
    for tier in Tier::ALL {
        ids.push(format!("tier-{}", tier.as_str()));
    }
    for text in ["source", "scan", "between", "score"] {
        ids.push(format!("does-not-{text}"));
    }
    for rule in RULES {
        ids.push(format!("rule-{}", rule.id));
        ids.push(format!("rule-{}.looks", rule.id));
    }
    for end in ["about", "fits", "does-not", "cannot-tell"] {
        ids.extend((1..=5).map(|cause| format!("cause-{cause}.{end}")));
    }
    let known = keys(Language::English);
    for id in ids {
        assert!(known.contains(&id), "{id}");
    }
}

#[test]
fn numbers_that_texts_spell_out_are_the_constants() {
    use crate::history::days::OBSERVED_DAYS;
    use crate::targets::STALE_MARGIN;

    // "4 h 40 min", "90 days", in both languages.
    assert_eq!(STALE_MARGIN.as_secs(), (4 * 60 + 40) * 60);
    assert_eq!(OBSERVED_DAYS, 90);
}
