//! Results as they come in. The first result of a slot is the result; an equal
//! one is acknowledged; a different one is kept beside it, with its signature
//! and without its bodies. A batch is stored whole or not at all.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt as _;
use sqlx::Row as _;

use super::{Store, StoreError, Tx, missed};
use crate::history::reach::Reach;

/// Different results of one run that are kept; further ones are told apart and dropped.
pub const CONFLICTS_LIMIT: i64 = 8;

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
            async move {
                let mut recorded = Vec::with_capacity(batch.len());
                for run in batch.iter() {
                    recorded.push(record(tx, run, now_ms).await?);
                }
                Ok(recorded)
            }
            .boxed()
        })
        .await
    }
}

async fn record(tx: &mut Tx, run: &NewRun, now_ms: i64) -> Result<Recorded, sqlx::Error> {
    let slot = slot_column(run.slot)?;
    let first = sqlx::query(
        "SELECT observation_digest FROM runs \
         WHERE target_id = $1 AND suite = $2 AND slot = $3 AND region = $4",
    )
    .bind(&*run.target_id)
    .bind(&run.suite)
    .bind(slot)
    .bind(&run.region)
    .fetch_optional(&mut *tx)
    .await?;
    if let Some(first) = first {
        let digest: String = first.try_get("observation_digest")?;
        if digest == run.observation_digest {
            return Ok(Recorded::AlreadyStored);
        }
        keep_conflict(tx, run, now_ms).await?;
        return Ok(Recorded::Conflict);
    }
    insert_run(tx, run, slot, now_ms).await?;
    for body in &run.bodies {
        insert_body(tx, body).await?;
    }
    sqlx::query(
        "INSERT INTO pending (run_id, stored_at_ms, attempts, next_attempt_at_ms) \
         VALUES ($1, $2, 0, $2)",
    )
    .bind(&run.run_id)
    .bind(now_ms)
    .execute(&mut *tx)
    .await?;
    let was_missed = missed::forget(tx, run, slot).await?;
    if let Some((host, until_ms)) = &run.wait {
        sqlx::query(
            "INSERT INTO waits (host, until_ms) VALUES ($1, $2) \
             ON CONFLICT (host) DO UPDATE SET until_ms = excluded.until_ms \
             WHERE waits.until_ms < excluded.until_ms",
        )
        .bind(&**host)
        .bind(until_ms)
        .execute(&mut *tx)
        .await?;
        sqlx::query("DELETE FROM waits WHERE until_ms <= $1")
            .bind(now_ms)
            .execute(&mut *tx)
            .await?;
    }
    Ok(Recorded::Stored { was_missed })
}

async fn insert_run(tx: &mut Tx, run: &NewRun, slot: i64, now_ms: i64) -> Result<(), sqlx::Error> {
    let (reach, cause) = run.reach.parts();
    sqlx::query(
        "INSERT INTO runs (run_id, target_id, suite, slot, region, slot_at_ms, agent_key_id, \
         endpoint_url, started_at_ms, finished_at_ms, stored_at_ms, observation_digest, \
         reach, reach_cause, attestation) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'pending')",
    )
    .bind(&run.run_id)
    .bind(&*run.target_id)
    .bind(&run.suite)
    .bind(slot)
    .bind(&run.region)
    .bind(run.slot_at_ms)
    .bind(&run.agent_key_id)
    .bind(&run.endpoint_url)
    .bind(run.started_at_ms)
    .bind(run.finished_at_ms)
    .bind(now_ms)
    .bind(&run.observation_digest)
    .bind(reach)
    .bind(cause.map(crate::history::reach::Cause::as_str))
    .execute(&mut *tx)
    .await?;
    sqlx::query("INSERT INTO observations (run_id, bytes, signature) VALUES ($1, $2, $3)")
        .bind(&run.run_id)
        .bind(&run.observation[..])
        .bind(&run.signature[..])
        .execute(&mut *tx)
        .await?;
    Ok(())
}

async fn insert_body(tx: &mut Tx, body: &NewBody) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO bodies (digest, size, zlib) VALUES ($1, $2, $3) \
         ON CONFLICT (digest) DO NOTHING",
    )
    .bind(&body.digest)
    .bind(i64::try_from(body.size).map_err(|error| sqlx::Error::Encode(error.into()))?)
    .bind(&body.zlib[..])
    .execute(&mut *tx)
    .await?;
    Ok(())
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
