//! Runs that are older than they are kept. What their days said is written down
//! first, in the same transaction, and kept for ever; then they are deleted with
//! all that belongs to them, few at a time, so that nobody waits.
//!
//! Never pruned, however old: runs that the signer has not answered, approved
//! ones, the newest run of a target, its newest one signed in full, and the one
//! whose tools are searched. Since when a tool list is the same is told by its
//! days, which stay; what changed is told between the runs that are there, and
//! with it from when on.

use std::{collections::BTreeSet, sync::Arc};

use data_encoding::HEXLOWER;
use futures_util::FutureExt as _;
use sqlx::Row as _;

use super::{Store, StoreError, Tx, dialect::repeated, evidence::body_digests};
use crate::history::days::{DAY_MS, KeptDay};

/// Runs that one transaction deletes.
pub const RUNS_AT_ONCE: usize = 200;
/// Bodies that one transaction deletes.
const BODIES_AT_ONCE: i64 = 200;
/// Targets that are looked through in one go.
const TARGETS_AT_ONCE: i64 = 100;
/// Runs of one target that are kept beyond their time and looked at, at most.
const KEPT_LIMIT: i64 = 1_000;
/// A body is noted as used to within a day; and a day for clocks.
const BODY_MARGIN_MS: i64 = 2 * DAY_MS;
/// Runs that are kept for another reason than an approval or being unanswered.
const KEPT_OTHERWISE: usize = 3;

/// What a step deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub rows: usize,
    /// There may be more to delete.
    pub more: bool,
}

impl Store {
    /// Targets behind `after` in the order of their ids that have runs or missed
    /// slots from before a day.
    pub async fn targets_with_old_runs(
        &self,
        after: &str,
        before_day: i64,
    ) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query(
            "SELECT t.target_id FROM targets t WHERE t.target_id > $1 AND (EXISTS ( \
                SELECT 1 FROM runs r WHERE r.target_id = t.target_id AND r.started_at_ms < $2) \
             OR EXISTS ( \
                SELECT 1 FROM missed m WHERE m.target_id = t.target_id AND m.last_at_ms < $2)) \
             ORDER BY t.target_id LIMIT $3",
        )
        .bind(after)
        .bind(before_day * DAY_MS)
        .bind(TARGETS_AT_ONCE)
        .fetch_all(&self.pool)
        .await;
        rows.and_then(|rows| rows.iter().map(|row| row.try_get("target_id")).collect())
            .map_err(self.failed("looking for runs to prune"))
    }

    /// Writes down what the days of a target before `before_day` said, and
    /// deletes at most [`RUNS_AT_ONCE`] of their runs.
    pub async fn prune_runs(&self, target_id: &str, before_day: i64) -> Result<Pruned, StoreError> {
        let before_ms = before_day * DAY_MS;
        let days = self.days_to_keep(target_id, before_ms).await;
        let days = Arc::new(days.map_err(self.failed("reading the days of a target"))?);
        let target_id: Arc<str> = target_id.into();
        let dialect = self.dialect;
        self.run_tx("pruning runs", move |tx| {
            let (target_id, days) = (Arc::clone(&target_id), Arc::clone(&days));
            async move {
                dialect.hold_target(tx, &target_id).await?;
                for day in days.iter() {
                    keep_day(tx, &target_id, day).await?;
                }
                prune(tx, &target_id, before_ms).await
            }
            .boxed()
        })
        .await
    }

    /// Notes that the bodies of a target's runs from before a day, which are
    /// kept, are still used.
    pub async fn keep_bodies(
        &self,
        target_id: &str,
        before_day: i64,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        let digests = self.old_bodies(target_id, before_day * DAY_MS).await;
        let digests = Arc::new(digests.map_err(self.failed("reading the bodies of kept runs"))?);
        if digests.is_empty() {
            return Ok(());
        }
        self.run_tx("keeping bodies", move |tx| {
            let digests = Arc::clone(&digests);
            async move {
                for digest in digests.iter() {
                    sqlx::query(
                        "UPDATE bodies SET used_at_ms = $1 WHERE digest = $2 \
                         AND COALESCE(used_at_ms, 0) < $3",
                    )
                    .bind(now_ms)
                    .bind(digest)
                    .bind(now_ms - DAY_MS)
                    .execute(&mut *tx)
                    .await?;
                }
                Ok(())
            }
            .boxed()
        })
        .await
    }

    /// Deletes some of the bodies that no run brought since a day. Only after
    /// [`Store::keep_bodies`] of every target.
    pub async fn prune_bodies(&self, before_day: i64, now_ms: i64) -> Result<Pruned, StoreError> {
        let before_ms = before_day * DAY_MS - BODY_MARGIN_MS;
        self.run_tx("pruning bodies", move |tx| {
            async move {
                // Written by a version that did not note it.
                let unknown = sqlx::query(
                    "UPDATE bodies SET used_at_ms = $1 WHERE digest IN \
                     (SELECT digest FROM bodies WHERE used_at_ms IS NULL LIMIT $2)",
                )
                .bind(now_ms)
                .bind(BODIES_AT_ONCE)
                .execute(&mut *tx)
                .await?;
                // Again at the end: it may have been used since it was chosen.
                let done = sqlx::query(
                    "DELETE FROM bodies WHERE digest IN (SELECT digest FROM bodies \
                     WHERE used_at_ms < $1 ORDER BY used_at_ms LIMIT $2) AND used_at_ms < $1",
                )
                .bind(before_ms)
                .bind(BODIES_AT_ONCE)
                .execute(&mut *tx)
                .await?;
                Ok(Pruned {
                    rows: usize::try_from(done.rows_affected()).unwrap_or(usize::MAX),
                    more: done.rows_affected() > 0 || unknown.rows_affected() > 0,
                })
            }
            .boxed()
        })
        .await
    }

    async fn days_to_keep(
        &self,
        target_id: &str,
        before_ms: i64,
    ) -> Result<Vec<KeptDay>, sqlx::Error> {
        let runs = self.day_runs(target_id, (0, before_ms)).await?;
        let missed = self.day_missed(target_id, (0, before_ms)).await?;
        let days: BTreeSet<i64> = runs
            .iter()
            .map(|runs| runs.day)
            .chain(missed.iter().map(|missed| missed.day))
            .collect();
        let kept = |day| KeptDay::of(&runs, &missed, day);
        Ok(days.into_iter().map(kept).collect())
    }

    async fn old_bodies(
        &self,
        target_id: &str,
        before_ms: i64,
    ) -> Result<BTreeSet<String>, sqlx::Error> {
        let rows = sqlx::query(
            "SELECT run_id FROM runs WHERE target_id = $1 AND started_at_ms < $2 LIMIT $3",
        )
        .bind(target_id)
        .bind(before_ms)
        .bind(KEPT_LIMIT)
        .fetch_all(&self.pool)
        .await?;
        let mut digests = BTreeSet::new();
        for row in rows {
            let run_id: String = row.try_get("run_id")?;
            if let Some((_, observation)) = self.load_observation(&run_id).await? {
                let bodies = body_digests(&observation);
                digests.extend(bodies.into_iter().map(|digest| HEXLOWER.encode(digest)));
            }
        }
        Ok(digests)
    }
}

/// Writes a day down, unless it is.
async fn keep_day(tx: &mut Tx, target_id: &str, day: &KeptDay) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO days (target_id, day, kind, cause, runs, answered, signed, missed) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (target_id, day) DO NOTHING",
    )
    .bind(target_id)
    .bind(day.day)
    .bind(day.kind.as_str())
    .bind(day.cause.map(crate::history::reach::Cause::as_str))
    .bind(i64::from(day.runs))
    .bind(i64::from(day.answered))
    .bind(i64::from(day.signed))
    .bind(i64::from(day.missed))
    .execute(&mut *tx)
    .await?;
    Ok(())
}

async fn prune(tx: &mut Tx, target_id: &str, before_ms: i64) -> Result<Pruned, sqlx::Error> {
    let kept = kept_runs(tx, target_id).await?;
    let [newest, full, searched] = &kept;
    let rows = sqlx::query(
        "SELECT run_id FROM runs WHERE target_id = $1 AND started_at_ms < $2 \
         AND attestation <> 'pending' \
         AND run_id NOT IN (SELECT run_id FROM baselines WHERE target_id = $1) \
         AND run_id NOT IN ($3, $4, $5) ORDER BY started_at_ms, run_id LIMIT $6",
    )
    .bind(target_id)
    .bind(before_ms)
    .bind(newest)
    .bind(full)
    .bind(searched)
    .bind(i64::try_from(RUNS_AT_ONCE).unwrap_or(i64::MAX))
    .fetch_all(&mut *tx)
    .await?;
    let runs: Vec<String> = rows
        .iter()
        .map(|row| row.try_get("run_id"))
        .collect::<Result<_, _>>()?;
    if !runs.is_empty() {
        // What refers to a run goes before it.
        for table in [
            "DELETE FROM attestations WHERE run_id IN (",
            "DELETE FROM conflicts WHERE run_id IN (",
            "DELETE FROM observations WHERE run_id IN (",
            "DELETE FROM runs WHERE run_id IN (",
        ] {
            let mut query = sqlx::query(repeated(table, "?", ", ", runs.len(), ")"));
            query = query.persistent(false);
            for run in &runs {
                query = query.bind(run);
            }
            query.execute(&mut *tx).await?;
        }
    }
    // The newest range says up to when the target was looked after.
    sqlx::query(
        "DELETE FROM missed WHERE target_id = $1 AND last_at_ms < $2 AND last_at_ms < \
         (SELECT MAX(last_at_ms) FROM missed WHERE target_id = $1)",
    )
    .bind(target_id)
    .bind(before_ms)
    .execute(&mut *tx)
    .await?;
    Ok(Pruned {
        more: runs.len() == RUNS_AT_ONCE,
        rows: runs.len(),
    })
}

/// The newest run, the newest one signed in full, and the one whose tools are
/// searched; empty where there is none.
async fn kept_runs(tx: &mut Tx, target_id: &str) -> Result<[String; KEPT_OTHERWISE], sqlx::Error> {
    let mut kept = <[String; KEPT_OTHERWISE]>::default();
    for (kept, sql) in kept.iter_mut().zip([
        "SELECT run_id FROM runs WHERE target_id = $1 \
         ORDER BY slot_at_ms DESC, stored_at_ms DESC LIMIT 1",
        "SELECT run_id FROM runs WHERE target_id = $1 AND attestation = 'full' \
         ORDER BY slot_at_ms DESC, stored_at_ms DESC LIMIT 1",
        "SELECT run_id FROM current_tools WHERE target_id = $1",
    ]) {
        let row = sqlx::query(sql)
            .bind(target_id)
            .fetch_optional(&mut *tx)
            .await?;
        if let Some(row) = row {
            *kept = row.try_get("run_id")?;
        }
    }
    Ok(kept)
}
