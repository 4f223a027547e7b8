//! Targets as stored.

use std::sync::Arc;

use futures_util::FutureExt as _;
use sqlx::Row as _;

use super::{Store, StoreError, Tx, row, row::target_columns};
use crate::targets::{Seed, Target, slug_candidates};

/// Most targets that one coordinator schedules.
pub const TARGETS_LIMIT: i64 = 200_000;

/// A target, and the start of its newest slot that has a result or a recorded miss.
#[derive(Clone, Debug)]
pub struct KnownTarget {
    pub target: Arc<Target>,
    pub known_at_ms: Option<i64>,
}

impl Store {
    /// Adds the targets that are not there yet. One that is there keeps its
    /// tier, its regions and its slug. Returns how many were new.
    pub async fn add_targets(&self, seeds: Vec<Seed>, now_ms: i64) -> Result<usize, StoreError> {
        let seeds = Arc::new(seeds);
        self.run_tx("adding targets", move |tx| {
            let seeds = Arc::clone(&seeds);
            async move {
                let mut added = 0;
                for seed in seeds.iter() {
                    added += usize::from(add(tx, seed, now_ms).await?);
                }
                Ok(added)
            }
            .boxed()
        })
        .await
    }

    /// Every target, at most [`TARGETS_LIMIT`].
    pub async fn known_targets(&self) -> Result<Vec<KnownTarget>, StoreError> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            target_columns!(),
            ", (SELECT MAX(r.slot_at_ms) FROM runs r WHERE r.target_id = t.target_id) AS run_at_ms, \
             (SELECT MAX(m.last_at_ms) FROM missed m WHERE m.target_id = t.target_id) AS missed_at_ms \
             FROM targets t ORDER BY t.added_at_ms, t.target_id LIMIT $1"
        ))
        .bind(TARGETS_LIMIT)
        .fetch_all(&self.pool)
        .await;
        let read = rows.and_then(|rows| {
            let known = |row| {
                let run_at_ms: Option<i64> = sqlx::Row::try_get(row, "run_at_ms")?;
                let missed_at_ms: Option<i64> = sqlx::Row::try_get(row, "missed_at_ms")?;
                Ok(KnownTarget {
                    target: Arc::new(row::target(row)?),
                    known_at_ms: run_at_ms.max(missed_at_ms),
                })
            };
            rows.iter().map(known).collect()
        });
        read.map_err(self.failed("reading the targets"))
    }

    /// Hosts that asked us to wait longer than until now.
    pub async fn waits(&self, now_ms: i64) -> Result<Vec<(String, i64)>, StoreError> {
        sqlx::query_as("SELECT host, until_ms FROM waits WHERE until_ms > $1 LIMIT $2")
            .bind(now_ms)
            .bind(TARGETS_LIMIT)
            .fetch_all(&self.pool)
            .await
            .map_err(self.failed("reading which hosts asked us to wait"))
    }
}

async fn add(tx: &mut Tx, seed: &Seed, now_ms: i64) -> Result<bool, sqlx::Error> {
    let known = sqlx::query("SELECT 1 AS known FROM targets WHERE target_id = $1")
        .bind(&seed.target_id)
        .fetch_optional(&mut *tx)
        .await?;
    if known.is_some() {
        return Ok(false);
    }
    let mut slug = String::new();
    for candidate in slug_candidates(&seed.url, &seed.target_id) {
        slug = candidate;
        let taken = sqlx::query("SELECT target_id FROM targets WHERE slug = $1")
            .bind(&slug)
            .fetch_optional(&mut *tx)
            .await?;
        if taken.is_none() {
            break;
        }
    }
    let regions =
        serde_json::to_string(&seed.regions).map_err(|error| sqlx::Error::Encode(error.into()))?;
    sqlx::query(
        "INSERT INTO targets (target_id, slug, url, source, tier, regions, added_at_ms) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(&seed.target_id)
    .bind(&slug)
    .bind(seed.url.as_str())
    .bind(i64::from(i32::from(seed.source)))
    .bind(seed.tier.as_str())
    .bind(regions)
    .bind(now_ms)
    .execute(&mut *tx)
    .await?;
    Ok(true)
}

impl Store {
    /// One target by its slug.
    pub(super) async fn target_by_slug(&self, slug: &str) -> Result<Option<Target>, sqlx::Error> {
        sqlx::query(concat!(
            "SELECT ",
            target_columns!(),
            " FROM targets t WHERE t.slug = $1"
        ))
        .bind(slug)
        .fetch_optional(&self.pool)
        .await?
        .as_ref()
        .map(row::target)
        .transpose()
    }

    /// One target by its id.
    pub(super) async fn target_by_id(&self, id: &str) -> Result<Option<Target>, sqlx::Error> {
        sqlx::query(concat!(
            "SELECT ",
            target_columns!(),
            " FROM targets t WHERE t.target_id = $1"
        ))
        .bind(id)
        .fetch_optional(&self.pool)
        .await?
        .as_ref()
        .map(row::target)
        .transpose()
    }

    /// How many targets there are.
    pub(super) async fn count_targets(&self) -> Result<u64, sqlx::Error> {
        let row = sqlx::query("SELECT COUNT(*) AS n FROM targets")
            .fetch_one(&self.pool)
            .await?;
        let count: i64 = row.try_get("n")?;
        Ok(count.unsigned_abs())
    }
}
