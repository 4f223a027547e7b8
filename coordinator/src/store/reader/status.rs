//! How our own fleet is, from the store and from what is connected now.

use sqlx::Row as _;

use super::Reader;
use crate::{
    history::days::{DAY_MS, OBSERVED_DAYS},
    store::{
        StoreError,
        read::{MissedCause, RegionStatus, Status, Vitals},
        row, unreadable,
    },
};

impl Reader {
    /// The fleet now, and how whole its record of the last 90 days is.
    pub async fn status(&self) -> Result<Status, StoreError> {
        let backlog = self.store.backlog().await?;
        let failed = self.store.failed("reading the status");
        let counts = self.counts().await.map_err(&failed)?;
        let mut regions = Vec::new();
        for region in &self.live.regions {
            regions.push(self.region(region).await.map_err(&failed)?);
        }
        Ok(Status {
            now_ms: self.now_ms(),
            last_result_at_ms: counts.last_result_at_ms,
            targets: counts.targets,
            runs: counts.runs,
            conflicts: counts.conflicts,
            pending: backlog.pending,
            oldest_pending_at_ms: backlog.oldest_at_ms,
            signer_reachable: self.live.signer_reachable(),
            signer_isolation: self.signer_isolation(),
            store: self.store.health(),
            regions,
            slots_with_result: counts.slots_with_result,
            slots_missed: counts.slots_missed,
        })
    }

    /// Whether this process can do its work.
    pub async fn vitals(&self) -> Result<Vitals, StoreError> {
        let backlog = self.store.backlog().await?;
        let view = self.live.fleet.borrow();
        Ok(Vitals {
            store: self.store.health(),
            signer_reachable: self.live.signer_reachable(),
            signer_isolation: self.signer_isolation(),
            agents: view.regions.values().map(|region| region.agents).sum(),
            pending: backlog.pending,
            oldest_pending_at_ms: backlog.oldest_at_ms,
        })
    }

    async fn counts(&self) -> Result<Counts, sqlx::Error> {
        let window_ms = i64::try_from(OBSERVED_DAYS).unwrap_or(0) * DAY_MS;
        let since_ms = self.now_ms() - window_ms;
        let runs = sqlx::query(
            "SELECT COUNT(*) AS n, MAX(stored_at_ms) AS last, \
             COUNT(CASE WHEN stored_at_ms >= $1 THEN 1 END) AS recent FROM runs",
        )
        .bind(since_ms)
        .fetch_one(&self.store.pool)
        .await?;
        let conflicts = sqlx::query("SELECT COUNT(*) AS n FROM conflicts")
            .fetch_one(&self.store.pool)
            .await?;
        let missed = sqlx::query(
            "SELECT cause, CAST(SUM(last_slot - first_slot + 1) AS BIGINT) AS n FROM missed \
             WHERE last_at_ms >= $1 GROUP BY cause",
        )
        .bind(since_ms)
        .fetch_all(&self.store.pool)
        .await?;
        let by_cause = |row: &sqlx::any::AnyRow| {
            let cause: String = row.try_get("cause")?;
            let cause =
                MissedCause::parse(&cause).ok_or_else(|| unreadable("why a slot was missed"))?;
            Ok((cause, row::unsigned(row, "n")?))
        };
        Ok(Counts {
            targets: self.store.count_targets().await?,
            runs: row::unsigned(&runs, "n")?,
            last_result_at_ms: runs.try_get("last")?,
            slots_with_result: row::unsigned(&runs, "recent")?,
            conflicts: row::unsigned(&conflicts, "n")?,
            slots_missed: missed
                .iter()
                .map(by_cause)
                .collect::<Result<_, sqlx::Error>>()?,
        })
    }

    async fn region(&self, region: &str) -> Result<RegionStatus, sqlx::Error> {
        let last = sqlx::query("SELECT MAX(stored_at_ms) AS last FROM runs WHERE region = $1")
            .bind(region)
            .fetch_one(&self.store.pool)
            .await?;
        let enrolled = self.store.count_agents(region).await?;
        let live = self.live.fleet.borrow().regions.get(region).cloned();
        let live = live.unwrap_or_default();
        Ok(RegionStatus {
            region: region.to_owned(),
            agents_connected: live.agents,
            agents_enrolled: u32::try_from(enrolled).unwrap_or(u32::MAX),
            last_result_at_ms: last.try_get("last")?,
            leased: live.leased,
            oldest_lease_at_ms: live.oldest_lease_at_ms,
            queued: live.queued,
            oldest_queued_at_ms: live.oldest_queued_at_ms,
        })
    }
}

struct Counts {
    targets: u64,
    runs: u64,
    last_result_at_ms: Option<i64>,
    slots_with_result: u64,
    conflicts: u64,
    slots_missed: Vec<(MissedCause, u64)>,
}
