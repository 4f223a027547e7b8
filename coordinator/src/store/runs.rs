//! Results as they come in. The first result of a slot is the result; an equal
//! one is acknowledged; a different one is kept beside it, with its signature
//! and without its bodies. A batch is stored whole or not at all.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use bytes::Bytes;
use futures_util::FutureExt as _;
use sqlx::Row as _;

use super::{Store, StoreError, Tx, dialect::repeated, missed};
use crate::history::reach::Reach;

/// Different results of one run that are kept; further ones are told apart and dropped.
pub const CONFLICTS_LIMIT: i64 = 8;

/// Rows that one statement inserts, at most: SQLite takes 32,766 values.
const ROWS_LIMIT: usize = 500;

/// A result whose signature and form were checked.
#[derive(Clone, Debug)]
pub struct NewRun {
    pub run_id: String,
    pub target_id: Arc<str>,
    pub suite: String,
    pub slot: u64,
    pub slot_at_ms: i64,
    pub region: String,
    pub agent_key_id: String,
    pub endpoint_url: String,
    pub started_at_ms: i64,
    pub finished_at_ms: i64,
    pub observation: Vec<u8>,
    pub signature: Vec<u8>,
    /// SHA-256 over the observation's bytes, lowercase hex.
    pub observation_digest: String,
    pub bodies: Vec<NewBody>,
    pub reach: Reach,
    /// The host asked to be left alone until this time.
    pub wait: Option<(Arc<str>, i64)>,
}

/// A body, compressed.
#[derive(Clone, Debug)]
pub struct NewBody {
    /// SHA-256, lowercase hex.
    pub digest: String,
    pub size: u64,
    pub zlib: Bytes,
}

/// What became of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    Stored {
        /// The slot had been recorded as missed, and no longer is.
        was_missed: bool,
    },
    AlreadyStored,
    Conflict,
}

impl Store {
    /// Stores a batch in one transaction and says of each what became of it.
    pub async fn record(
        &self,
        batch: Arc<Vec<NewRun>>,
        now_ms: i64,
    ) -> Result<Vec<Recorded>, StoreError> {
        self.run_tx("storing results", move |tx| {
            let batch = Arc::clone(&batch);
            async move { record(tx, &batch, now_ms).await }.boxed()
        })
        .await
    }
}

async fn record(tx: &mut Tx, batch: &[NewRun], now_ms: i64) -> Result<Vec<Recorded>, sqlx::Error> {
    // Of several results of one run in a batch the first is the first.
    let mut firsts = BTreeMap::new();
    for (index, run) in batch.iter().enumerate() {
        let key = (&*run.target_id, &*run.suite, run.slot, &*run.region);
        firsts.entry(key).or_insert(index);
    }
    // In the order of their keys, so that no two batches wait for each other.
    let candidates: Vec<&NewRun> = firsts.values().map(|&index| &batch[index]).collect();
    let mut stored = HashSet::new();
    for part in candidates.chunks(ROWS_LIMIT) {
        insert_runs(tx, part, now_ms, &mut stored).await?;
    }
    let is_new = |run: &&NewRun| stored.contains(&run.run_id);
    let new: Vec<&NewRun> = candidates.into_iter().filter(is_new).collect();
    let mut were_missed = HashSet::new();
    for part in new.chunks(ROWS_LIMIT) {
        insert_observations(tx, part).await?;
        insert_pending(tx, part, now_ms).await?;
        were_missed.extend(missed::forget(tx, part).await?);
    }
    insert_bodies(tx, &new, now_ms).await?;
    for (host, until_ms) in new.iter().filter_map(|run| run.wait.as_ref()) {
        keep_wait(tx, host, *until_ms, now_ms).await?;
    }
    let mut recorded = Vec::with_capacity(batch.len());
    for (index, run) in batch.iter().enumerate() {
        let key = (&*run.target_id, &*run.suite, run.slot, &*run.region);
        let stored_now = firsts.get(&key) == Some(&index) && stored.contains(&run.run_id);
        recorded.push(if stored_now {
            Recorded::Stored {
                was_missed: were_missed.contains(&run.run_id),
            }
        } else {
            compare(tx, run, now_ms).await?
        });
    }
    Ok(recorded)
}

/// Adds those that have no result yet, and notes which they were.
async fn insert_runs(
    tx: &mut Tx,
    runs: &[&NewRun],
    now_ms: i64,
    stored: &mut HashSet<String>,
) -> Result<(), sqlx::Error> {
    let sql = repeated(
        "INSERT INTO runs (run_id, target_id, suite, slot, region, slot_at_ms, agent_key_id, \
         endpoint_url, started_at_ms, finished_at_ms, stored_at_ms, observation_digest, \
         reach, reach_cause, attestation) VALUES ",
        "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')",
        ", ",
        runs.len(),
        " ON CONFLICT DO NOTHING RETURNING run_id",
    );
    let mut query = sqlx::query(sql).persistent(false);
    for run in runs {
        let (reach, cause) = run.reach.parts();
        query = query
            .bind(&run.run_id)
            .bind(&*run.target_id)
            .bind(&run.suite)
            .bind(slot_column(run.slot)?)
            .bind(&run.region)
            .bind(run.slot_at_ms)
            .bind(&run.agent_key_id)
            .bind(&run.endpoint_url)
            .bind(run.started_at_ms)
            .bind(run.finished_at_ms)
            .bind(now_ms)
            .bind(&run.observation_digest)
            .bind(reach)
            .bind(cause.map(crate::history::reach::Cause::as_str));
    }
    for row in query.fetch_all(&mut *tx).await? {
        stored.insert(row.try_get("run_id")?);
    }
    Ok(())
}

async fn insert_observations(tx: &mut Tx, runs: &[&NewRun]) -> Result<(), sqlx::Error> {
    let sql = repeated(
        "INSERT INTO observations (run_id, bytes, signature) VALUES ",
        "(?, ?, ?)",
        ", ",
        runs.len(),
        "",
    );
    let mut query = sqlx::query(sql).persistent(false);
    for run in runs {
        query = query
            .bind(&run.run_id)
            .bind(&run.observation[..])
            .bind(&run.signature[..]);
    }
    query.execute(&mut *tx).await?;
    Ok(())
}

async fn insert_pending(tx: &mut Tx, runs: &[&NewRun], now_ms: i64) -> Result<(), sqlx::Error> {
    let sql = repeated(
        "INSERT INTO pending (run_id, stored_at_ms, attempts, next_attempt_at_ms) VALUES ",
        "(?, ?, 0, ?)",
        ", ",
        runs.len(),
        "",
    );
    let mut query = sqlx::query(sql).persistent(false);
    for run in runs {
        query = query.bind(&run.run_id).bind(now_ms).bind(now_ms);
    }
    query.execute(&mut *tx).await?;
    Ok(())
}

/// Adds the bodies that are new; those that are there already are noted as used.
async fn insert_bodies(tx: &mut Tx, runs: &[&NewRun], now_ms: i64) -> Result<(), sqlx::Error> {
    let bodies = runs.iter().flat_map(|run| &run.bodies);
    let bodies: BTreeMap<&str, &NewBody> =
        bodies.map(|body| (body.digest.as_str(), body)).collect();
    let bodies: Vec<&NewBody> = bodies.into_values().collect();
    for part in bodies.chunks(ROWS_LIMIT) {
        let sql = repeated(
            "INSERT INTO bodies (digest, size, zlib, used_at_ms) VALUES ",
            "(?, ?, ?, ?)",
            ", ",
            part.len(),
            // Once a day, since every change writes the row anew.
            " ON CONFLICT (digest) DO UPDATE SET used_at_ms = excluded.used_at_ms \
             WHERE COALESCE(bodies.used_at_ms, 0) < excluded.used_at_ms - 86400000",
        );
        let mut query = sqlx::query(sql).persistent(false);
        for body in part {
            let size = i64::try_from(body.size);
            query = query
                .bind(&body.digest)
                .bind(size.map_err(|error| sqlx::Error::Encode(error.into()))?)
                .bind(&body.zlib[..])
                .bind(now_ms);
        }
        query.execute(&mut *tx).await?;
    }
    Ok(())
}

async fn keep_wait(tx: &mut Tx, host: &str, until_ms: i64, now_ms: i64) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO waits (host, until_ms) VALUES ($1, $2) \
         ON CONFLICT (host) DO UPDATE SET until_ms = excluded.until_ms \
         WHERE waits.until_ms < excluded.until_ms",
    )
    .bind(host)
    .bind(until_ms)
    .execute(&mut *tx)
    .await?;
    sqlx::query("DELETE FROM waits WHERE until_ms <= $1")
        .bind(now_ms)
        .execute(&mut *tx)
        .await?;
    Ok(())
}

/// Holds a result against the one that was first.
async fn compare(tx: &mut Tx, run: &NewRun, now_ms: i64) -> Result<Recorded, sqlx::Error> {
    let first = sqlx::query("SELECT observation_digest FROM runs WHERE run_id = $1")
        .bind(&run.run_id)
        .fetch_one(&mut *tx)
        .await?;
    let digest: String = first.try_get("observation_digest")?;
    if digest == run.observation_digest {
        return Ok(Recorded::AlreadyStored);
    }
    keep_conflict(tx, run, now_ms).await?;
    Ok(Recorded::Conflict)
}

async fn keep_conflict(tx: &mut Tx, run: &NewRun, now_ms: i64) -> Result<(), sqlx::Error> {
    let row = sqlx::query("SELECT COUNT(*) AS n FROM conflicts WHERE run_id = $1")
        .bind(&run.run_id)
        .fetch_one(&mut *tx)
        .await?;
    if row.try_get::<i64, _>("n")? >= CONFLICTS_LIMIT {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO conflicts \
         (run_id, observation_digest, agent_key_id, bytes, signature, received_at_ms) \
         VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT (run_id, observation_digest) DO NOTHING",
    )
    .bind(&run.run_id)
    .bind(&run.observation_digest)
    .bind(&run.agent_key_id)
    .bind(&run.observation[..])
    .bind(&run.signature[..])
    .bind(now_ms)
    .execute(&mut *tx)
    .await?;
    Ok(())
}

/// A slot's number as its column holds it.
pub(super) fn slot_column(slot: u64) -> Result<i64, sqlx::Error> {
    i64::try_from(slot).map_err(|error| sqlx::Error::Encode(error.into()))
}
