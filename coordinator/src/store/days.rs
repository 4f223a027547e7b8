//! What the days of a target are made of: runs, missed slots, and what was kept of
//! days whose runs are pruned.

use sqlx::Row as _;

use super::{Store, read::MissedCause, row, unreadable};
use crate::history::{
    days::{DAY_MS, DayKind, DayMissed, DayRuns, KeptDay, day_of},
    reach::Cause,
};

/// Missed ranges and groups of runs that one target's days are made of, at most.
const DAY_ROWS_LIMIT: i64 = 20_000;

impl Store {
    /// Runs that started from the first time on and before the second.
    pub(super) async fn day_runs(
        &self,
        target_id: &str,
        (from_ms, until_ms): (i64, i64),
    ) -> Result<Vec<DayRuns>, sqlx::Error> {
        let rows = sqlx::query(
            "SELECT started_at_ms / 86400000 AS day, reach, reach_cause, COUNT(*) AS runs, \
             COUNT(key_id) AS signed FROM runs \
             WHERE target_id = $1 AND started_at_ms >= $2 AND started_at_ms < $3 \
             GROUP BY started_at_ms / 86400000, reach, reach_cause LIMIT $4",
        )
        .bind(target_id)
        .bind(from_ms)
        .bind(until_ms)
        .bind(DAY_ROWS_LIMIT)
        .fetch_all(&self.pool)
        .await?;
        let group = |row| {
            Ok(DayRuns {
                day: sqlx::Row::try_get(row, "day")?,
                reach: row::reach(row)?,
                runs: row::small(row, "runs")?.unwrap_or(0),
                signed: row::small(row, "signed")?.unwrap_or(0),
            })
        };
        rows.iter().map(group).collect()
    }

    /// Missed slots that start from the first time on and before the second.
    pub(super) async fn day_missed(
        &self,
        target_id: &str,
        (from_ms, until_ms): (i64, i64),
    ) -> Result<Vec<DayMissed>, sqlx::Error> {
        let rows = sqlx::query(
            "SELECT suite, first_slot, last_slot, first_at_ms, last_at_ms, region, cause \
             FROM missed WHERE target_id = $1 AND last_at_ms >= $2 AND first_at_ms < $3 \
             ORDER BY last_at_ms DESC LIMIT $4",
        )
        .bind(target_id)
        .bind(from_ms)
        .bind(until_ms)
        .bind(DAY_ROWS_LIMIT)
        .fetch_all(&self.pool)
        .await?;
        let mut days = Vec::new();
        for row in &rows {
            let range = row::missed(row)?;
            for slot in range.first_in(from_ms)..range.first_in(until_ms) {
                days.push(DayMissed {
                    day: day_of(range.at_ms(slot)),
                    slots: 1,
                    asked_to_wait: range.cause == MissedCause::AskedToWait,
                });
            }
        }
        Ok(days)
    }

    /// What was kept of the days from one on.
    pub(super) async fn kept_days(
        &self,
        target_id: &str,
        from_day: i64,
    ) -> Result<Vec<KeptDay>, sqlx::Error> {
        let rows = sqlx::query(
            "SELECT day, kind, cause, runs, answered, signed, missed FROM days \
             WHERE target_id = $1 AND day >= $2 ORDER BY day LIMIT $3",
        )
        .bind(target_id)
        .bind(from_day)
        .bind(DAY_ROWS_LIMIT)
        .fetch_all(&self.pool)
        .await?;
        let kept = |row| {
            let kind: String = sqlx::Row::try_get(row, "kind")?;
            let cause: Option<String> = sqlx::Row::try_get(row, "cause")?;
            Ok(KeptDay {
                day: sqlx::Row::try_get(row, "day")?,
                kind: DayKind::parse(&kind).ok_or_else(|| unreadable("what a day says"))?,
                cause: cause.as_deref().and_then(Cause::parse),
                runs: row::small(row, "runs")?.unwrap_or(0),
                answered: row::small(row, "answered")?.unwrap_or(0),
                signed: row::small(row, "signed")?.unwrap_or(0),
                missed: row::small(row, "missed")?.unwrap_or(0),
            })
        };
        rows.iter().map(kept).collect()
    }

    /// The end of the days whose runs may be pruned; `None`: all runs are there.
    pub(super) async fn pruned_until_ms(
        &self,
        target_id: &str,
    ) -> Result<Option<i64>, sqlx::Error> {
        let row = sqlx::query("SELECT MAX(day) AS day FROM days WHERE target_id = $1")
            .bind(target_id)
            .fetch_one(&self.pool)
            .await?;
        let day: Option<i64> = row.try_get("day")?;
        Ok(day.map(|day| (day + 1) * DAY_MS))
    }
}
