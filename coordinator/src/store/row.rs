//! Rows into values. Column lists stand here once, as SQL text, beside the
//! code that reads them.

use sqlx::{Row as _, any::AnyRow};
use touchstone_proto::vocabulary::Scope;

use super::{
    read::{Attestation, MissedCause, MissedSlots, RunView, StateCounts},
    unreadable,
};
use crate::{
    history::reach::{Cause, Reach},
    targets::{EndpointSource, Target, Tier},
};

/// The columns that [`run`] reads, of a `runs r`.
macro_rules! run_columns {
    () => {
        "r.run_id, r.target_id AS run_target_id, r.suite, r.slot, r.region, r.slot_at_ms, r.agent_key_id, \
         r.endpoint_url, r.started_at_ms, r.finished_at_ms, r.stored_at_ms, \
         r.observation_digest, r.reach, r.reach_cause, r.attestation, r.attestation_reason, \
         r.attested_at_ms, r.key_id, r.failed, r.observed_risk, r.unverified, r.verified, \
         (SELECT COUNT(*) FROM conflicts c WHERE c.run_id = r.run_id) AS conflicts, \
         (SELECT p.attempts FROM pending p WHERE p.run_id = r.run_id) AS attempts"
    };
}
/// The columns that [`target`] reads, of a `targets t`.
macro_rules! target_columns {
    () => {
        "t.target_id, t.slug, t.url, t.source, t.tier, t.regions, t.added_at_ms"
    };
}
pub(super) use {run_columns, target_columns};

pub(super) fn run(row: &AnyRow) -> Result<RunView, sqlx::Error> {
    Ok(RunView {
        run_id: row.try_get("run_id")?,
        // Renamed in the list, since a target's row may stand beside the run's.
        target_id: row.try_get("run_target_id")?,
        suite: row.try_get("suite")?,
        slot: unsigned(row, "slot")?,
        slot_at_ms: row.try_get("slot_at_ms")?,
        region: row.try_get("region")?,
        agent_key_id: row.try_get("agent_key_id")?,
        endpoint_url: row.try_get("endpoint_url")?,
        started_at_ms: row.try_get("started_at_ms")?,
        finished_at_ms: row.try_get("finished_at_ms")?,
        stored_at_ms: row.try_get("stored_at_ms")?,
        reach: reach(row)?,
        attestation: attestation(row)?,
        conflicts: small(row, "conflicts")?.unwrap_or(0),
    })
}

/// The counts of a signed run.
pub(super) fn states(row: &AnyRow) -> Result<Option<StateCounts>, sqlx::Error> {
    let counts = (
        small(row, "failed")?,
        small(row, "observed_risk")?,
        small(row, "unverified")?,
        small(row, "verified")?,
    );
    let (Some(failed), Some(observed_risk), Some(unverified), Some(verified)) = counts else {
        return Ok(None);
    };
    Ok(Some(StateCounts {
        failed,
        observed_risk,
        unverified,
        verified,
    }))
}

pub(super) fn target(row: &AnyRow) -> Result<Target, sqlx::Error> {
    let url: String = row.try_get("url")?;
    let parsed = url::Url::parse(&url).map_err(|_| unreadable("the URL of a target"))?;
    let regions: String = row.try_get("regions")?;
    let source: i64 = row.try_get("source")?;
    let tier: String = row.try_get("tier")?;
    let seed = crate::targets::Seed {
        target_id: row.try_get("target_id")?,
        url: parsed,
        source: i32::try_from(source)
            .ok()
            .and_then(|source| EndpointSource::try_from(source).ok())
            .ok_or_else(|| unreadable("where a target's URL came from"))?,
        tier: Tier::parse(&tier).ok_or_else(|| unreadable("the tier of a target"))?,
        regions: serde_json::from_str(&regions)
            .map_err(|_| unreadable("the regions of a target"))?,
    };
    Ok(Target::new(
        seed,
        row.try_get("slug")?,
        row.try_get("added_at_ms")?,
    ))
}

pub(super) fn missed(row: &AnyRow) -> Result<MissedSlots, sqlx::Error> {
    let region: String = row.try_get("region")?;
    let cause: String = row.try_get("cause")?;
    Ok(MissedSlots {
        suite: row.try_get("suite")?,
        first_slot: unsigned(row, "first_slot")?,
        last_slot: unsigned(row, "last_slot")?,
        first_at_ms: row.try_get("first_at_ms")?,
        last_at_ms: row.try_get("last_at_ms")?,
        region: (!region.is_empty()).then_some(region),
        cause: MissedCause::parse(&cause).ok_or_else(|| unreadable("why a slot was missed"))?,
    })
}

pub(super) fn reach(row: &AnyRow) -> Result<Reach, sqlx::Error> {
    let reach: String = row.try_get("reach")?;
    let cause: Option<String> = row.try_get("reach_cause")?;
    Reach::from_parts(&reach, cause.as_deref().and_then(Cause::parse))
        .ok_or_else(|| unreadable("whether a run was answered"))
}

/// A count or a slot: never negative where we wrote it.
pub(super) fn unsigned(row: &AnyRow, column: &str) -> Result<u64, sqlx::Error> {
    u64::try_from(row.try_get::<i64, _>(column)?).map_err(|_| unreadable("a count"))
}

/// The same where it fits into less.
pub(super) fn small(row: &AnyRow, column: &str) -> Result<Option<u32>, sqlx::Error> {
    let value: Option<i64> = row.try_get(column)?;
    value
        .map(|value| u32::try_from(value).map_err(|_| unreadable("a count")))
        .transpose()
}

fn attestation(row: &AnyRow) -> Result<Attestation, sqlx::Error> {
    let attestation: String = row.try_get("attestation")?;
    let at_ms: Option<i64> = row.try_get("attested_at_ms")?;
    let reason: Option<String> = row.try_get("attestation_reason")?;
    let scope = match attestation.as_str() {
        "pending" => {
            return Ok(Attestation::Pending {
                attempts: small(row, "attempts")?.unwrap_or(0),
            });
        }
        "declined" => {
            return Ok(Attestation::Declined {
                reason_key: reason.unwrap_or_default(),
                attested_at_ms: at_ms.unwrap_or_default(),
            });
        }
        "refused" => {
            return Ok(Attestation::Refused {
                reason: reason.unwrap_or_default(),
                refused_at_ms: at_ms.unwrap_or_default(),
            });
        }
        "full" => Scope::Full,
        "limited" => Scope::Limited,
        _ => return Err(unreadable("the attestation of a run")),
    };
    Ok(Attestation::Signed {
        scope,
        key_id: row
            .try_get::<Option<String>, _>("key_id")?
            .unwrap_or_default(),
        attested_at_ms: at_ms.unwrap_or_default(),
    })
}
