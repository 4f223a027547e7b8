//! One target, and one run of it with its evidence.

use data_encoding::HEXLOWER;
use prost::Message as _;
use sha2::{Digest as _, Sha256};
use sqlx::Row as _;
use touchstone_proto::signer::LogProof;

use super::Reader;
use crate::{
    store::{
        StoreError,
        read::{
            Evidence, Findings, MISSED_LIMIT, MissedSlots, PREVIOUS_RUNS_LIMIT, REPORT_CHANGES,
            Report, ReportedRun, RunLine, RunView,
        },
        row,
        row::run_columns,
        unreadable,
    },
    targets::{SUITE, Target},
};

/// An envelope, and where it stands in the log.
type SignedAs = (Vec<u8>, Option<LogProof>);

impl Reader {
    /// One target with its newest run, or with the run that is named. `None`
    /// when there is no such target, or no such run of it.
    pub async fn report(
        &self,
        slug: &str,
        run_id: Option<&str>,
    ) -> Result<Option<Report>, StoreError> {
        self.read_report(slug, run_id)
            .await
            .map_err(self.store.failed("reading a report"))
    }

    /// Everything that is needed to check one run.
    pub async fn evidence(&self, run_id: &str) -> Result<Option<Evidence>, StoreError> {
        let Some(signed) = self.store.signed(run_id).await? else {
            return Ok(None);
        };
        let failed = self.store.failed("reading the evidence of a run");
        let Some(run) = self.run(run_id).await.map_err(&failed)? else {
            return Ok(None);
        };
        let target = self.store.target_by_id(&run.target_id).await;
        let Some(target) = target.map_err(&failed)? else {
            return Ok(None);
        };
        let (findings, signed_as) = self.findings(run_id).await.map_err(&failed)?;
        let baseline = match findings.as_ref().and_then(compared_with) {
            Some(digest) => self.store.approved(&run.target_id, &digest).await?,
            None => None,
        };
        let (envelope, log) = signed_as.unzip();
        Ok(Some(Evidence {
            log: log.flatten(),
            baseline,
            target: self.target_view(&target),
            run,
            findings,
            envelope,
            observation_digest: HEXLOWER.encode(&Sha256::digest(&signed.observation)),
            signed,
        }))
    }

    async fn read_report(
        &self,
        slug: &str,
        run_id: Option<&str>,
    ) -> Result<Option<Report>, sqlx::Error> {
        let Some(target) = self.store.target_by_slug(slug).await? else {
            return Ok(None);
        };
        let runs = self.newest_runs(&target).await?;
        let newest = runs.first().map(|line| line.run.clone());
        let shown = match run_id {
            None => newest.clone(),
            Some(run_id) => match self.run(run_id).await? {
                Some(run) if run.target_id == *target.target_id => Some(run),
                _ => return Ok(None),
            },
        };
        let is_newest =
            shown.as_ref().map(|run| &run.run_id) == newest.as_ref().map(|run| &run.run_id);
        let suite = shown.as_ref().map_or(SUITE, |run| &run.suite);
        let baseline = self.store.in_force(&target.target_id, suite).await?;
        let run = match shown {
            None => None,
            Some(run) => self.reported(run).await?,
        };
        let count = sqlx::query("SELECT COUNT(*) AS n FROM runs WHERE target_id = $1")
            .bind(&*target.target_id)
            .fetch_one(&self.store.pool)
            .await?;
        Ok(Some(Report {
            run,
            is_newest,
            run_count: row::unsigned(&count, "n")?,
            runs,
            missed: self.missed(&target).await?,
            observed_days: self.observed_days(&target).await?,
            tool_changes: self
                .tool_changes_of(&target, i64::MAX, REPORT_CHANGES)
                .await?,
            tools_unchanged: self.store.tools_unchanged(&target.target_id).await?,
            regions: self.newest_of_regions(&target).await?,
            target: self.target_view(&target),
            baseline,
        }))
    }

    async fn run(&self, run_id: &str) -> Result<Option<RunView>, sqlx::Error> {
        sqlx::query(concat!(
            "SELECT ",
            run_columns!(),
            " FROM runs r WHERE r.run_id = $1"
        ))
        .bind(run_id)
        .fetch_optional(&self.store.pool)
        .await?
        .as_ref()
        .map(row::run)
        .transpose()
    }

    async fn newest_runs(&self, target: &Target) -> Result<Vec<RunLine>, sqlx::Error> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            run_columns!(),
            " FROM runs r WHERE r.target_id = $1 \
             ORDER BY r.slot_at_ms DESC, r.stored_at_ms DESC LIMIT $2"
        ))
        .bind(&*target.target_id)
        .bind(i64::from(PREVIOUS_RUNS_LIMIT))
        .fetch_all(&self.store.pool)
        .await?;
        let line = |row| {
            Ok(RunLine {
                run: row::run(row)?,
                states: row::states(row)?,
            })
        };
        rows.iter().map(line).collect()
    }

    async fn newest_of_regions(&self, target: &Target) -> Result<Vec<RunView>, sqlx::Error> {
        let mut newest = Vec::new();
        for region in &target.regions {
            let row = sqlx::query(concat!(
                "SELECT ",
                run_columns!(),
                " FROM runs r WHERE r.target_id = $1 AND r.region = $2 \
                 ORDER BY r.slot_at_ms DESC, r.stored_at_ms DESC LIMIT 1"
            ))
            .bind(&*target.target_id)
            .bind(region)
            .fetch_optional(&self.store.pool)
            .await?;
            newest.extend(row.as_ref().map(row::run).transpose()?);
        }
        Ok(newest)
    }

    async fn reported(&self, run: RunView) -> Result<Option<ReportedRun>, sqlx::Error> {
        let loaded = self.store.load_observation(&run.run_id).await?;
        let Some((signed, observation)) = loaded else {
            return Ok(None);
        };
        let (findings, _) = self.findings(&run.run_id).await?;
        Ok(Some(ReportedRun {
            run,
            findings,
            observation_digest: HEXLOWER.encode(&Sha256::digest(&signed.observation)),
            observation,
        }))
    }

    async fn findings(
        &self,
        run_id: &str,
    ) -> Result<(Option<Findings>, Option<SignedAs>), sqlx::Error> {
        let row = sqlx::query(
            "SELECT predicate, detail, envelope, log_proof FROM attestations WHERE run_id = $1",
        )
        .bind(run_id)
        .fetch_optional(&self.store.pool)
        .await?;
        let Some(row) = row else {
            return Ok((None, None));
        };
        let findings = Findings {
            predicate: row.try_get("predicate")?,
            detail: row.try_get("detail")?,
        };
        let envelope: Option<Vec<u8>> = row.try_get("envelope")?;
        let proof: Option<Vec<u8>> = row.try_get("log_proof")?;
        let proof = proof
            .map(|proof| LogProof::decode(&proof[..]).map_err(|_| unreadable("a log proof")))
            .transpose()?;
        Ok((Some(findings), envelope.map(|envelope| (envelope, proof))))
    }

    async fn missed(&self, target: &Target) -> Result<Vec<MissedSlots>, sqlx::Error> {
        let rows = sqlx::query(
            "SELECT suite, first_slot, last_slot, first_at_ms, last_at_ms, region, cause \
             FROM missed WHERE target_id = $1 ORDER BY last_at_ms DESC LIMIT $2",
        )
        .bind(&*target.target_id)
        .bind(i64::from(MISSED_LIMIT))
        .fetch_all(&self.store.pool)
        .await?;
        rows.iter().map(row::missed).collect()
    }
}

/// The observation digest of the baseline, in hex, out of what was signed.
fn compared_with(findings: &Findings) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Compared {
        baseline_id: Option<String>,
    }
    let read: Compared = serde_json::from_str(&findings.predicate).ok()?;
    Some(read.baseline_id?.strip_prefix("sha256:")?.to_owned())
}
