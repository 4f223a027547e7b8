//! The log: a checkpoint signed by a log key that is believed, and the envelope
//! among the entries that it stands for.

use super::sentence;
use super::steps::{Judged, StepName, Steps};
use crate::bundle::Bundle;
use crate::keyset::{KeyDocument, KeyEntry, KeyState, Purpose};
use crate::log::checkpoint::SignedCheckpoint;
use crate::log::entry::Entry;
use crate::log::note::SignedBy;
use crate::payload::Statement;

pub(super) fn check(
    bundle: &Bundle,
    pinned: Option<&KeyDocument>,
    statement: &Statement,
    steps: &mut Steps,
) -> Judged<()> {
    let known = pinned.unwrap_or(&bundle.keys);
    let log_keys: Vec<&KeyEntry> = known
        .keys()
        .iter()
        .filter(|key| key.purpose == Purpose::LogCheckpoint)
        .collect();
    let Some(proof) = &bundle.log else {
        return check_none_is_due(&log_keys, steps);
    };
    let signed = match proof.signed_checkpoint() {
        Ok(signed) => signed,
        Err(error) => return steps.fails(StepName::Checkpoint, sentence(&error)),
    };
    check_signed(&signed, &log_keys, steps)?;
    let Some(entry) = Entry::of(&bundle.envelope, &statement.predicate().run.id) else {
        return steps.fails(StepName::Inclusion, "The envelope is none that is logged.");
    };
    match proof.holds_for(&entry.to_bytes(), &signed) {
        Ok(()) => {
            let (index, size) = (proof.index, signed.checkpoint().size);
            steps.holds(
                StepName::Inclusion,
                format!("The envelope is entry {index} of the log as it was with {size} entries."),
            );
            Ok(())
        }
        Err(error) => steps.fails(StepName::Inclusion, sentence(&error)),
    }
}

/// A signer that keeps a log gives nothing away before it is logged, so a
/// missing proof was left out on the way.
fn check_none_is_due(log_keys: &[&KeyEntry], steps: &mut Steps) -> Judged<()> {
    if log_keys.is_empty() {
        steps.holds(
            StepName::Inclusion,
            "The bundle carries no proof of a log, and the keys name no log: it shows nothing about one.",
        );
        return Ok(());
    }
    steps.cannot_tell(
        StepName::Inclusion,
        "The keys name a log, and the bundle carries no proof that the envelope stands in it.",
    )
}

fn check_signed(
    signed: &SignedCheckpoint,
    log_keys: &[&KeyEntry],
    steps: &mut Steps,
) -> Judged<()> {
    let found =
        log_keys.iter().find_map(
            |key| match signed.signed_by(key.public_key.verifying_key()) {
                SignedBy::No => None,
                said => Some((key, said)),
            },
        );
    let Some((key, said)) = found else {
        return steps.cannot_tell(
            StepName::LogKey,
            "No key of a log that is known names itself under the checkpoint.",
        );
    };
    let short = &key.key_id.as_str()[..16];
    match key.state {
        KeyState::Active | KeyState::Retired => steps.holds(
            StepName::LogKey,
            format!("Key {short} is that of the log, and counts."),
        ),
        KeyState::Pending => {
            return steps.fails(
                StepName::LogKey,
                "The key of the log is pending and may not sign yet.",
            );
        }
        KeyState::Revoked => {
            return steps.fails(StepName::LogKey, "The key of the log was revoked.");
        }
    }
    if said == SignedBy::Broken {
        return steps.fails(
            StepName::Checkpoint,
            "The signature under the checkpoint is not that of the log's key.",
        );
    }
    steps.holds(StepName::Checkpoint, "The log's key signed the checkpoint.");
    Ok(())
}
