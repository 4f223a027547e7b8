//! Which run of a target its operator approved. Approvals are appended; the
//! newest one of a target and suite is in force. Only a run that is signed in
//! full, and so holds a complete tool list, can be approved.

use std::sync::Arc;

use futures_util::FutureExt as _;
use sqlx::{Row as _, any::AnyRow};
use touchstone_proto::{observation::SignedObservation, vocabulary::Scope};

use super::{Store, StoreError, Tx, read::Baseline, unreadable};
use crate::targets::{EndpointSource, Seed, Target, Tier};

/// Approvals of one target that are listed, at most.
pub const APPROVALS_LIMIT: i64 = 100;

/// Why a run cannot be approved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ineligible {
    #[error("there is no run {run_id} of {slug}")]
    NoRun { run_id: String, slug: String },
    #[error("the run {run_id} is not signed yet; approve it once it is")]
    Pending { run_id: String },
    #[error(
        "the run {run_id} holds no complete tool list to compare with: it is {attestation}, and only a run signed in full can be approved"
    )]
    NoToolList { run_id: String, attestation: String },
}

/// The columns that [`baseline`] reads, of a `baselines b` and its `runs r`.
macro_rules! baseline_columns {
    () => {
        "b.run_id, b.approved_at_ms, b.approved_by, r.observation_digest, r.started_at_ms"
    };
}

impl Store {
    /// The target that an operator names, by its slug or its URL.
    pub async fn target_named(&self, name: &str) -> Result<Option<Target>, StoreError> {
        let failed = self.failed("reading a target");
        if let Some(target) = self.target_by_slug(name).await.map_err(&failed)? {
            return Ok(Some(target));
        }
        // Only the id is of interest, and neither tier nor regions are in it.
        let named = Seed::parse(
            name,
            EndpointSource::Operator,
            Tier::default(),
            vec!["any".to_owned()],
        );
        match named {
            Ok(seed) => self.target_by_id(&seed.target_id).await.map_err(failed),
            Err(_) => Ok(None),
        }
    }

    /// Approves a run of a target. The run that is in force already stays so,
    /// under its first approval.
    pub async fn approve(
        &self,
        target: &Target,
        run_id: &str,
        approved_by: &str,
        now_ms: i64,
    ) -> Result<Result<Baseline, Ineligible>, StoreError> {
        let wanted = Arc::new(Wanted {
            target_id: Arc::clone(&target.target_id),
            slug: target.slug.clone(),
            run_id: run_id.to_owned(),
            approved_by: approved_by.to_owned(),
            now_ms,
        });
        let dialect = self.dialect;
        self.run_tx("approving a baseline", move |tx| {
            let wanted = Arc::clone(&wanted);
            async move {
                dialect.hold_target(tx, &wanted.target_id).await?;
                approve(tx, &wanted).await
            }
            .boxed()
        })
        .await
    }

    /// Approvals of a target, newest first, at most [`APPROVALS_LIMIT`].
    pub async fn approvals(&self, target_id: &str) -> Result<Vec<Baseline>, StoreError> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            baseline_columns!(),
            " FROM baselines b JOIN runs r ON r.run_id = b.run_id \
             WHERE b.target_id = $1 ORDER BY b.sequence DESC LIMIT $2"
        ))
        .bind(target_id)
        .bind(APPROVALS_LIMIT)
        .fetch_all(&self.pool)
        .await;
        rows.and_then(|rows| rows.iter().map(baseline).collect())
            .map_err(self.failed("reading the baselines of a target"))
    }

    /// What a run is to be compared with: the approved run in force of its
    /// target and suite, with its bodies.
    pub async fn baseline_for(
        &self,
        run_id: &str,
    ) -> Result<Option<SignedObservation>, StoreError> {
        let failed = self.failed("reading the baseline of a run");
        let row = sqlx::query(
            "SELECT b.run_id FROM runs r JOIN baselines b ON b.target_id = r.target_id \
             JOIN runs a ON a.run_id = b.run_id AND a.suite = r.suite \
             WHERE r.run_id = $1 ORDER BY b.sequence DESC LIMIT 1",
        )
        .bind(run_id)
        .fetch_optional(&self.pool)
        .await
        .map_err(&failed)?;
        match row {
            None => Ok(None),
            Some(row) => self.approved_run(&row, &failed).await.map(Some),
        }
    }

    /// The approved run of a target whose observation has this digest.
    pub(super) async fn approved(
        &self,
        target_id: &str,
        observation_digest: &str,
    ) -> Result<Option<SignedObservation>, StoreError> {
        let failed = self.failed("reading the baseline of a run");
        let row = sqlx::query(
            "SELECT b.run_id FROM baselines b JOIN runs r ON r.run_id = b.run_id \
             WHERE b.target_id = $1 AND r.observation_digest = $2 LIMIT 1",
        )
        .bind(target_id)
        .bind(observation_digest)
        .fetch_optional(&self.pool)
        .await
        .map_err(&failed)?;
        match row {
            None => Ok(None),
            Some(row) => self.approved_run(&row, &failed).await.map(Some),
        }
    }

    async fn approved_run(
        &self,
        row: &AnyRow,
        failed: &impl Fn(sqlx::Error) -> StoreError,
    ) -> Result<SignedObservation, StoreError> {
        let run_id: String = row.try_get("run_id").map_err(failed)?;
        let signed = self.signed(&run_id).await?;
        signed.ok_or_else(|| failed(unreadable("the observation of an approved run")))
    }

    /// The approval in force.
    pub(super) async fn in_force(
        &self,
        target_id: &str,
        suite: &str,
    ) -> Result<Option<Baseline>, sqlx::Error> {
        let row = sqlx::query(concat!(
            "SELECT ",
            baseline_columns!(),
            " FROM baselines b JOIN runs r ON r.run_id = b.run_id \
             WHERE b.target_id = $1 AND r.suite = $2 ORDER BY b.sequence DESC LIMIT 1"
        ))
        .bind(target_id)
        .bind(suite)
        .fetch_optional(&self.pool)
        .await?;
        row.as_ref().map(baseline).transpose()
    }
}

/// An approval as it is asked for.
struct Wanted {
    target_id: Arc<str>,
    slug: String,
    run_id: String,
    approved_by: String,
    now_ms: i64,
}

async fn approve(
    tx: &mut Tx,
    wanted: &Wanted,
) -> Result<Result<Baseline, Ineligible>, sqlx::Error> {
    let run_id = wanted.run_id.clone();
    let run = sqlx::query(
        "SELECT attestation, suite, observation_digest, started_at_ms FROM runs \
         WHERE run_id = $1 AND target_id = $2",
    )
    .bind(&run_id)
    .bind(&*wanted.target_id)
    .fetch_optional(&mut *tx)
    .await?;
    let Some(run) = run else {
        let slug = wanted.slug.clone();
        return Ok(Err(Ineligible::NoRun { run_id, slug }));
    };
    let attestation: String = run.try_get("attestation")?;
    if attestation == "pending" {
        return Ok(Err(Ineligible::Pending { run_id }));
    }
    if attestation != Scope::Full.as_str() {
        return Ok(Err(Ineligible::NoToolList {
            run_id,
            attestation,
        }));
    }
    let suite: String = run.try_get("suite")?;
    let newest = sqlx::query(concat!(
        "SELECT ",
        baseline_columns!(),
        " FROM baselines b JOIN runs r ON r.run_id = b.run_id \
         WHERE b.target_id = $1 AND r.suite = $2 ORDER BY b.sequence DESC LIMIT 1"
    ))
    .bind(&*wanted.target_id)
    .bind(suite)
    .fetch_optional(&mut *tx)
    .await?;
    let newest = newest.as_ref().map(baseline).transpose()?;
    if let Some(newest) = newest.filter(|newest| newest.run_id == run_id) {
        return Ok(Ok(newest));
    }
    sqlx::query(
        "INSERT INTO baselines (target_id, sequence, run_id, approved_at_ms, approved_by) \
         VALUES ($1, (SELECT COALESCE(MAX(sequence), 0) + 1 FROM baselines WHERE target_id = $1), \
         $2, $3, $4)",
    )
    .bind(&*wanted.target_id)
    .bind(&run_id)
    .bind(wanted.now_ms)
    .bind(&wanted.approved_by)
    .execute(&mut *tx)
    .await?;
    Ok(Ok(Baseline {
        run_id,
        observation_digest: run.try_get("observation_digest")?,
        run_started_at_ms: run.try_get("started_at_ms")?,
        approved_at_ms: wanted.now_ms,
        approved_by: wanted.approved_by.clone(),
    }))
}

fn baseline(row: &AnyRow) -> Result<Baseline, sqlx::Error> {
    Ok(Baseline {
        run_id: row.try_get("run_id")?,
        observation_digest: row.try_get("observation_digest")?,
        run_started_at_ms: row.try_get("started_at_ms")?,
        approved_at_ms: row.try_get("approved_at_ms")?,
        approved_by: row.try_get("approved_by")?,
    })
}
