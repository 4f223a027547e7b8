//! Runs on their way to the signer. A run is put here in the transaction that
//! stores it, and leaves in the transaction that stores the signer's answer, so
//! that none is forgotten and none is answered twice.

use std::sync::Arc;

use futures_util::FutureExt as _;
use sqlx::Row as _;
use touchstone_proto::{signer::LogProof, vocabulary::Scope};

use super::{Listed, Store, StoreError, Tx, lists, log::keep_held, read::StateCounts, row};

/// Longest text of an error that is kept, in characters.
const ERROR_LIMIT: usize = 500;

/// A run that waits for the signer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingRun {
    pub run_id: String,
    pub target_id: String,
    pub url: String,
    pub slug: String,
    pub slot: u64,
    /// Times the signer failed on this very run.
    pub attempts: u32,
}

/// What the signer said of a run.
#[derive(Clone, Debug)]
pub enum Answer {
    Signed {
        scope: Scope,
        key_id: String,
        envelope: Vec<u8>,
        predicate: String,
        detail: String,
        states: StateCounts,
        toolset_fingerprint: Option<String>,
        schema_fingerprint: Option<String>,
        /// Of a run that read the whole list.
        listed: Option<Box<Listed>>,
        /// Where it stands in the signer's log.
        log: LogProof,
    },
    Declined {
        reason_key: String,
        predicate: String,
        detail: String,
    },
    /// It would not look at it, and never will.
    Refused { reason: String },
}

/// How many runs wait, and since when the oldest does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    pub pending: u64,
    pub oldest_at_ms: Option<i64>,
}

impl Store {
    /// Runs whose time for an attempt has come, oldest first.
    pub async fn pending(&self, now_ms: i64, limit: i64) -> Result<Vec<PendingRun>, StoreError> {
        let rows = sqlx::query(
            "SELECT p.run_id, p.attempts, r.target_id, r.slot, t.url, t.slug FROM pending p \
             JOIN runs r ON r.run_id = p.run_id JOIN targets t ON t.target_id = r.target_id \
             WHERE p.next_attempt_at_ms <= $1 ORDER BY p.stored_at_ms, p.run_id LIMIT $2",
        )
        .bind(now_ms)
        .bind(limit)
        .fetch_all(&self.pool)
        .await;
        let read = rows.and_then(|rows| {
            let pending = |row| {
                Ok(PendingRun {
                    run_id: sqlx::Row::try_get(row, "run_id")?,
                    target_id: sqlx::Row::try_get(row, "target_id")?,
                    url: sqlx::Row::try_get(row, "url")?,
                    slug: sqlx::Row::try_get(row, "slug")?,
                    slot: row::unsigned(row, "slot")?,
                    attempts: u32::try_from(row::unsigned(row, "attempts")?).unwrap_or(u32::MAX),
                })
            };
            rows.iter().map(pending).collect()
        });
        read.map_err(self.failed("reading what waits for the signer"))
    }

    /// When the next attempt is due of those whose time has not come.
    pub async fn next_attempt_after(&self, now_ms: i64) -> Result<Option<i64>, StoreError> {
        sqlx::query(
            "SELECT MIN(next_attempt_at_ms) AS at_ms FROM pending WHERE next_attempt_at_ms > $1",
        )
        .bind(now_ms)
        .fetch_one(&self.pool)
        .await
        .and_then(|row| row.try_get("at_ms"))
        .map_err(self.failed("reading what waits for the signer"))
    }

    /// How many runs wait for the signer.
    pub async fn backlog(&self) -> Result<Backlog, StoreError> {
        let row = sqlx::query("SELECT COUNT(*) AS n, MIN(stored_at_ms) AS oldest FROM pending")
            .fetch_one(&self.pool)
            .await;
        row.and_then(|row| {
            Ok(Backlog {
                pending: row::unsigned(&row, "n")?,
                oldest_at_ms: row.try_get("oldest")?,
            })
        })
        .map_err(self.failed("counting what waits for the signer"))
    }

    /// Stores the signer's answer. `false`: the run was answered before.
    pub async fn answer(
        &self,
        run_id: &str,
        answer: Answer,
        now_ms: i64,
    ) -> Result<bool, StoreError> {
        let run_id: Arc<str> = run_id.into();
        let answer = Arc::new(answer);
        self.run_tx("storing the signer's answer", move |tx| {
            let (run_id, answer) = (Arc::clone(&run_id), Arc::clone(&answer));
            async move { store_answer(tx, &run_id, &answer, now_ms).await }.boxed()
        })
        .await
    }

    /// Leaves a run waiting until `next_at_ms`; counts the attempt.
    pub async fn defer(
        &self,
        run_id: &str,
        error: &str,
        next_at_ms: i64,
    ) -> Result<(), StoreError> {
        let run_id: Arc<str> = run_id.into();
        let error: Arc<str> = error.chars().take(ERROR_LIMIT).collect::<String>().into();
        self.run_tx("deferring a run", move |tx| {
            let (run_id, error) = (Arc::clone(&run_id), Arc::clone(&error));
            async move {
                sqlx::query(
                    "UPDATE pending SET attempts = attempts + 1, next_attempt_at_ms = $1, \
                     last_error = $2 WHERE run_id = $3",
                )
                .bind(next_at_ms)
                .bind(&*error)
                .bind(&*run_id)
                .execute(&mut *tx)
                .await?;
                Ok(())
            }
            .boxed()
        })
        .await
    }
}

async fn store_answer(
    tx: &mut Tx,
    run_id: &str,
    answer: &Answer,
    now_ms: i64,
) -> Result<bool, sqlx::Error> {
    let left = sqlx::query("DELETE FROM pending WHERE run_id = $1")
        .bind(run_id)
        .execute(&mut *tx)
        .await?;
    if left.rows_affected() == 0 {
        return Ok(false);
    }
    let (attestation, reason) = match answer {
        Answer::Signed { scope, .. } => (scope.as_str(), None),
        Answer::Declined { reason_key, .. } => ("declined", Some(reason_key.as_str())),
        Answer::Refused { reason } => ("refused", Some(reason.as_str())),
    };
    let (key_id, states, toolset, schema) = match answer {
        Answer::Signed {
            key_id,
            states,
            toolset_fingerprint,
            schema_fingerprint,
            ..
        } => (
            Some(key_id.as_str()),
            Some(*states),
            toolset_fingerprint.as_deref(),
            schema_fingerprint.as_deref(),
        ),
        _ => (None, None, None, None),
    };
    sqlx::query(
        "UPDATE runs SET attestation = $1, attestation_reason = $2, attested_at_ms = $3, \
         key_id = $4, failed = $5, observed_risk = $6, unverified = $7, verified = $8, \
         toolset_fingerprint = $9, schema_fingerprint = $10 WHERE run_id = $11",
    )
    .bind(attestation)
    .bind(reason)
    .bind(now_ms)
    .bind(key_id)
    .bind(states.map(|states| i64::from(states.failed)))
    .bind(states.map(|states| i64::from(states.observed_risk)))
    .bind(states.map(|states| i64::from(states.unverified)))
    .bind(states.map(|states| i64::from(states.verified)))
    .bind(toolset)
    .bind(schema)
    .bind(run_id)
    .execute(&mut *tx)
    .await?;
    if let Answer::Signed {
        listed: Some(listed),
        ..
    } = answer
    {
        lists::record(tx, run_id, listed).await?;
    }
    let (predicate, detail, envelope, log) = match answer {
        Answer::Signed {
            predicate,
            detail,
            envelope,
            log,
            ..
        } => (predicate, detail, Some(&envelope[..]), Some(log)),
        Answer::Declined {
            predicate, detail, ..
        } => (predicate, detail, None, None),
        Answer::Refused { .. } => return Ok(true),
    };
    sqlx::query(
        "INSERT INTO attestations (run_id, predicate, detail, envelope, log_proof) \
         VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(run_id)
    .bind(predicate)
    .bind(detail)
    .bind(envelope)
    .bind(log.map(prost::Message::encode_to_vec))
    .execute(&mut *tx)
    .await?;
    if let Some(log) = log {
        keep_held(tx, &log.checkpoint, now_ms).await?;
    }
    Ok(true)
}
