//! Slots without a result, kept as ranges. A slot is never both missed and
//! stored: recording leaves out slots that have a result, and a result that
//! comes late takes its slot out of the range.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use futures_util::FutureExt as _;
use sqlx::Row as _;

use super::{
    NewRun, Store, StoreError, Tx, dialect::repeated, read::MissedSlots, row, runs::slot_column,
};
use crate::{schedule::Missed, targets::SUITE};

/// Stored slots inside one missed range that are looked at; a range beyond it
/// is recorded up to there.
const STORED_IN_RANGE_LIMIT: i64 = 10_000;
/// Runs that are looked for among the missed slots by one statement.
const FORGOTTEN_AT_ONCE: usize = 100;

impl Store {
    /// Records slots that passed without a result; of each range says which
    /// parts of it those are, as some slots may have a result by now.
    pub async fn record_missed(
        &self,
        missed: Arc<Vec<Missed>>,
        now_ms: i64,
    ) -> Result<Vec<Vec<MissedSlots>>, StoreError> {
        let dialect = self.dialect;
        self.run_tx("recording missed slots", move |tx| {
            let missed = Arc::clone(&missed);
            async move {
                // Everyone holds targets in the same order.
                let targets: BTreeSet<_> = missed.iter().map(|m| &*m.target.target_id).collect();
                for target_id in targets {
                    dialect.hold_target(tx, target_id).await?;
                }
                let mut recorded = Vec::with_capacity(missed.len());
                for missed in missed.iter() {
                    recorded.push(record(tx, missed, now_ms).await?);
                }
                Ok(recorded)
            }
            .boxed()
        })
        .await
    }
}

async fn record(
    tx: &mut Tx,
    missed: &Missed,
    now_ms: i64,
) -> Result<Vec<MissedSlots>, sqlx::Error> {
    let stored = sqlx::query(
        "SELECT slot FROM runs WHERE target_id = $1 AND suite = $2 \
         AND slot >= $3 AND slot <= $4 ORDER BY slot LIMIT $5",
    )
    .bind(&*missed.target.target_id)
    .bind(SUITE)
    .bind(slot_column(missed.first_slot)?)
    .bind(slot_column(missed.last_slot)?)
    .bind(STORED_IN_RANGE_LIMIT)
    .fetch_all(&mut *tx)
    .await?;
    let stored: Vec<u64> = stored
        .iter()
        .map(|row| row::unsigned(row, "slot"))
        .collect::<Result<_, _>>()?;
    let whole = MissedSlots {
        suite: SUITE.to_owned(),
        first_slot: missed.first_slot,
        last_slot: missed.last_slot,
        first_at_ms: missed.first_at_ms,
        last_at_ms: missed.last_at_ms,
        region: (!missed.region.is_empty()).then(|| missed.region.clone()),
        cause: missed.cause,
    };
    let parts = whole.without(&stored);
    for part in &parts {
        if !extend(tx, &missed.target.target_id, part).await? {
            insert(tx, &missed.target.target_id, part, now_ms).await?;
        }
    }
    Ok(parts)
}

/// Takes the slots of stored runs out of the ranges that hold them, and says of
/// which runs one did.
pub(super) async fn forget(tx: &mut Tx, runs: &[&NewRun]) -> Result<HashSet<String>, sqlx::Error> {
    let mut were_missed = HashSet::new();
    for part in runs.chunks(FORGOTTEN_AT_ONCE) {
        let sql = repeated(
            "SELECT first_slot FROM missed WHERE ",
            "(target_id = ? AND suite = ? AND first_slot <= ? AND last_slot >= ?)",
            " OR ",
            part.len(),
            "",
        );
        let mut query = sqlx::query(sql).persistent(false);
        for run in part {
            let slot = slot_column(run.slot)?;
            query = query
                .bind(&*run.target_id)
                .bind(&run.suite)
                .bind(slot)
                .bind(slot);
        }
        // Hardly ever any: results come before their slot is given up.
        if query.fetch_all(&mut *tx).await?.is_empty() {
            continue;
        }
        for run in part {
            if forget_one(tx, run).await? {
                were_missed.insert(run.run_id.clone());
            }
        }
    }
    Ok(were_missed)
}

async fn forget_one(tx: &mut Tx, run: &NewRun) -> Result<bool, sqlx::Error> {
    let slot = slot_column(run.slot)?;
    // Another writer may take another slot out of the same range in between. Then
    // the range is gone, and a part of it holds the slot; it gets shorter each time.
    loop {
        let Some((range, recorded_at_ms)) = range_of(tx, run, slot).await? else {
            return Ok(false);
        };
        let taken = sqlx::query(
            "DELETE FROM missed WHERE target_id = $1 AND suite = $2 AND first_slot = $3 \
             AND last_slot = $4",
        )
        .bind(&*run.target_id)
        .bind(&range.suite)
        .bind(slot_column(range.first_slot)?)
        .bind(slot_column(range.last_slot)?)
        .execute(&mut *tx)
        .await?;
        if taken.rows_affected() > 0 {
            for part in range.without(&[run.slot]) {
                insert(tx, &run.target_id, &part, recorded_at_ms).await?;
            }
            return Ok(true);
        }
    }
}

/// The missed range that holds a slot, and when it was recorded.
async fn range_of(
    tx: &mut Tx,
    run: &NewRun,
    slot: i64,
) -> Result<Option<(MissedSlots, i64)>, sqlx::Error> {
    let row = sqlx::query(
        "SELECT suite, first_slot, last_slot, first_at_ms, last_at_ms, region, cause, \
         recorded_at_ms FROM missed WHERE target_id = $1 AND suite = $2 \
         AND first_slot <= $3 AND last_slot >= $3 LIMIT 1",
    )
    .bind(&*run.target_id)
    .bind(&run.suite)
    .bind(slot)
    .fetch_optional(&mut *tx)
    .await?;
    row.map(|row| Ok((row::missed(&row)?, row.try_get("recorded_at_ms")?)))
        .transpose()
}

/// Lengthens the range that ends just before this one, if it is of a kind with it.
async fn extend(tx: &mut Tx, target_id: &str, part: &MissedSlots) -> Result<bool, sqlx::Error> {
    let first = slot_column(part.first_slot)?;
    let done = sqlx::query(
        "UPDATE missed SET last_slot = $1, last_at_ms = $2 \
         WHERE target_id = $3 AND suite = $4 AND last_slot = $5 AND cause = $6 AND region = $7",
    )
    .bind(slot_column(part.last_slot)?)
    .bind(part.last_at_ms)
    .bind(target_id)
    .bind(&part.suite)
    .bind(first.saturating_sub(1))
    .bind(part.cause.as_str())
    .bind(part.region.as_deref().unwrap_or_default())
    .execute(&mut *tx)
    .await?;
    Ok(done.rows_affected() > 0)
}

async fn insert(
    tx: &mut Tx,
    target_id: &str,
    part: &MissedSlots,
    now_ms: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO missed (target_id, suite, first_slot, last_slot, first_at_ms, last_at_ms, \
         region, cause, recorded_at_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
         ON CONFLICT (target_id, suite, first_slot) DO NOTHING",
    )
    .bind(target_id)
    .bind(&part.suite)
    .bind(slot_column(part.first_slot)?)
    .bind(slot_column(part.last_slot)?)
    .bind(part.first_at_ms)
    .bind(part.last_at_ms)
    .bind(part.region.as_deref().unwrap_or_default())
    .bind(part.cause.as_str())
    .bind(now_ms)
    .execute(&mut *tx)
    .await?;
    Ok(())
}

impl MissedSlots {
    /// How many slots the range holds.
    pub fn count(&self) -> u64 {
        self.last_slot.saturating_sub(self.first_slot) + 1
    }

    /// When a slot of the range started.
    pub fn at_ms(&self, slot: u64) -> i64 {
        let steps = i64::try_from(self.last_slot.saturating_sub(self.first_slot)).unwrap_or(0);
        if steps == 0 {
            return self.first_at_ms;
        }
        let cadence_ms = (self.last_at_ms - self.first_at_ms) / steps;
        let step = i64::try_from(slot.saturating_sub(self.first_slot)).unwrap_or(0);
        self.first_at_ms + cadence_ms * step.min(steps)
    }

    /// The first slot of the range that starts at or after a time; beyond the
    /// last one when there is none.
    pub(super) fn first_in(&self, since_ms: i64) -> u64 {
        let (mut from, mut to) = (self.first_slot, self.last_slot.saturating_add(1));
        while from < to {
            let middle = from + (to - from) / 2;
            if self.at_ms(middle) < since_ms {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from
    }

    /// What is left of the range when these slots, in ascending order, are taken out.
    fn without(&self, stored: &[u64]) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut first = self.first_slot;
        for &slot in stored {
            if slot > first {
                parts.push(self.part(first, slot - 1));
            }
            first = first.max(slot.saturating_add(1));
        }
        if first <= self.last_slot {
            parts.push(self.part(first, self.last_slot));
        }
        parts
    }

    fn part(&self, first_slot: u64, last_slot: u64) -> Self {
        Self {
            first_slot,
            last_slot,
            first_at_ms: self.at_ms(first_slot),
            last_at_ms: self.at_ms(last_slot),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::read::MissedCause;

    #[test]
    fn taking_slots_out_of_a_range_leaves_the_others_with_their_times() {
        let range = MissedSlots {
            suite: "mcp".to_owned(),
            first_slot: 10,
            last_slot: 14,
            first_at_ms: 1_000,
            last_at_ms: 1_400,
            region: None,
            cause: MissedCause::NoAgent,
        };
        let left = |stored: &[u64]| -> Vec<_> {
            let parts = range.without(stored);
            parts
                .iter()
                .map(|part| {
                    (
                        part.first_slot,
                        part.last_slot,
                        part.first_at_ms,
                        part.last_at_ms,
                    )
                })
                .collect()
        };
        assert_eq!(left(&[]), [(10, 14, 1_000, 1_400)]);
        assert_eq!(left(&[10]), [(11, 14, 1_100, 1_400)]);
        assert_eq!(left(&[14]), [(10, 13, 1_000, 1_300)]);
        assert_eq!(
            left(&[11, 12]),
            [(10, 10, 1_000, 1_000), (13, 14, 1_300, 1_400)]
        );
        assert_eq!(left(&[10, 11, 12, 13, 14]), []);
        for (since_ms, first) in [(0, 10), (1_000, 10), (1_001, 11), (1_400, 14), (1_401, 15)] {
            assert_eq!(range.first_in(since_ms), first, "{since_ms}");
        }
    }
}
