//! Complete tool lists of signed runs: each kept once under its fingerprint,
//! the days on which it was seen, and the names that the search goes through.
//! All of it is kept when the runs are pruned, except what is read from the runs.
//! What is written here does not depend on the order in which runs are attested.

use bytes::Bytes;
use sqlx::Row as _;

use super::{NewBody, Store, Tx, evidence::unpack, unreadable};
use crate::history::{
    changes::{ListSeen, Unchanged, unchanged},
    days::day_of,
};

/// Days of one target that are looked at, each once for every list seen on it:
/// many years of days, or a list that is another in every run.
const LISTED_LIMIT: i64 = 5_000;

/// What a signed run says of its complete list.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Names of all tools, as sent.
    pub names: Vec<String>,
    /// `None`: the list has no canonical form.
    pub fingerprint: Option<String>,
    /// The text that the fingerprint is taken over, under its digest; `None`:
    /// it was too long to be handed over.
    pub text: Option<NewBody>,
}

/// A change: two runs, one after the other among those that read the whole
/// list, that saw different lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListChange {
    /// The first run that saw the list as it became.
    pub run_id: String,
    pub region: String,
    pub at_ms: i64,
    pub fingerprint: String,
    /// The last run that saw the list as it was.
    pub before_run_id: String,
    pub before_at_ms: i64,
    pub before_fingerprint: String,
    /// Runs between the two that read no complete list.
    pub unread: u64,
}

/// Differences between neighbours among the runs that read the whole list.
/// Runs that did not are passed over: they say nothing of tools.
macro_rules! changes {
    () => {
        " FROM (SELECT run_id, region, started_at_ms, definition_fingerprint, \
            LAG(run_id) OVER w AS before_run_id, \
            LAG(started_at_ms) OVER w AS before_at_ms, \
            LAG(definition_fingerprint) OVER w AS before_fingerprint \
            FROM runs WHERE target_id = $1 AND started_at_ms >= $2 \
            AND definition_fingerprint IS NOT NULL \
            WINDOW w AS (ORDER BY started_at_ms, run_id)) c \
         WHERE c.before_fingerprint <> c.definition_fingerprint"
    };
}

impl Store {
    /// Changes of a target's list between runs from the first time on that were
    /// first seen before the second, newest first, and how many there are at any
    /// time from the first on.
    pub(super) async fn list_changes(
        &self,
        target_id: &str,
        (from_ms, before_ms): (i64, i64),
        limit: i64,
    ) -> Result<(Vec<ListChange>, u64), sqlx::Error> {
        let rows = sqlx::query(concat!(
            "SELECT c.run_id, c.region, c.started_at_ms, c.definition_fingerprint, \
             c.before_run_id, c.before_at_ms, c.before_fingerprint, \
             (SELECT COUNT(*) FROM runs g WHERE g.target_id = $1 \
                AND g.definition_fingerprint IS NULL AND g.started_at_ms > c.before_at_ms \
                AND g.started_at_ms < c.started_at_ms) AS unread",
            changes!(),
            " AND c.started_at_ms < $3 ORDER BY c.started_at_ms DESC, c.run_id DESC LIMIT $4"
        ))
        .bind(target_id)
        .bind(from_ms)
        .bind(before_ms)
        .bind(limit)
        .fetch_all(&self.pool)
        .await?;
        let change = |row| -> Result<ListChange, sqlx::Error> {
            let row: &sqlx::any::AnyRow = row;
            Ok(ListChange {
                run_id: row.try_get("run_id")?,
                region: row.try_get("region")?,
                at_ms: row.try_get("started_at_ms")?,
                fingerprint: row.try_get("definition_fingerprint")?,
                before_run_id: row.try_get("before_run_id")?,
                before_at_ms: row.try_get("before_at_ms")?,
                before_fingerprint: row.try_get("before_fingerprint")?,
                unread: super::row::unsigned(row, "unread")?,
            })
        };
        let total = sqlx::query(concat!("SELECT COUNT(*) AS n", changes!()))
            .bind(target_id)
            .bind(from_ms)
            .fetch_one(&self.pool)
            .await?;
        let changes = rows.iter().map(change).collect::<Result<_, _>>()?;
        Ok((changes, super::row::unsigned(&total, "n")?))
    }

    /// The canonical text of a list; `None` when it was too long to be kept.
    pub(super) async fn tool_list(&self, fingerprint: &str) -> Result<Option<Bytes>, sqlx::Error> {
        let row = sqlx::query("SELECT size, zlib FROM tool_lists WHERE fingerprint = $1")
            .bind(fingerprint)
            .fetch_optional(&self.pool)
            .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let size: i64 = row.try_get("size")?;
        let zlib: Vec<u8> = row.try_get("zlib")?;
        let text = unpack(&zlib, size.unsigned_abs());
        text.map(Some).ok_or_else(|| unreadable("a tool list"))
    }

    /// Since when a target's list is the same; `None`: no signed run listed it.
    pub(super) async fn tools_unchanged(
        &self,
        target_id: &str,
    ) -> Result<Option<Unchanged>, sqlx::Error> {
        let rows = sqlx::query(
            "SELECT fingerprint, last_at_ms FROM listed_days WHERE target_id = $1 \
             ORDER BY day DESC, last_at_ms DESC LIMIT $2",
        )
        .bind(target_id)
        .bind(LISTED_LIMIT)
        .fetch_all(&self.pool)
        .await?;
        let seen = |row: &sqlx::any::AnyRow| -> Result<ListSeen, sqlx::Error> {
            let list: String = row.try_get("fingerprint")?;
            Ok(ListSeen::new(list, row.try_get("last_at_ms")?))
        };
        let seen: Vec<_> = rows.iter().map(seen).collect::<Result<_, _>>()?;
        Ok(unchanged(&seen))
    }
}

/// Stores what a run said of its list, in the transaction of its attestation.
pub(super) async fn record(tx: &mut Tx, run_id: &str, listed: &Listed) -> Result<(), sqlx::Error> {
    let run = sqlx::query("SELECT target_id, started_at_ms FROM runs WHERE run_id = $1")
        .bind(run_id)
        .fetch_one(&mut *tx)
        .await?;
    let target_id: String = run.try_get("target_id")?;
    let at_ms: i64 = run.try_get("started_at_ms")?;
    name_tools(tx, &target_id, run_id, at_ms, &listed.names).await?;
    let Some(fingerprint) = &listed.fingerprint else {
        return Ok(());
    };
    sqlx::query("UPDATE runs SET definition_fingerprint = $1 WHERE run_id = $2")
        .bind(fingerprint)
        .bind(run_id)
        .execute(&mut *tx)
        .await?;
    sqlx::query(
        "INSERT INTO listed_days (target_id, day, fingerprint, last_at_ms) \
         VALUES ($1, $2, $3, $4) ON CONFLICT (target_id, day, fingerprint) DO UPDATE \
         SET last_at_ms = excluded.last_at_ms \
         WHERE listed_days.last_at_ms < excluded.last_at_ms",
    )
    .bind(&target_id)
    .bind(day_of(at_ms))
    .bind(fingerprint)
    .bind(at_ms)
    .execute(&mut *tx)
    .await?;
    if let Some(text) = &listed.text {
        sqlx::query(
            "INSERT INTO tool_lists (fingerprint, size, zlib) VALUES ($1, $2, $3) \
             ON CONFLICT (fingerprint) DO NOTHING",
        )
        .bind(fingerprint)
        .bind(i64::try_from(text.size).unwrap_or(i64::MAX))
        .bind(&text.zlib[..])
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}

/// The newest run names the tools, whichever is attested last.
async fn name_tools(
    tx: &mut Tx,
    target_id: &str,
    run_id: &str,
    at_ms: i64,
    names: &[String],
) -> Result<(), sqlx::Error> {
    let names = names.join("\n");
    sqlx::query(
        "INSERT INTO current_tools (target_id, run_id, at_ms, names, folded) \
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT (target_id) DO UPDATE \
         SET run_id = excluded.run_id, at_ms = excluded.at_ms, names = excluded.names, \
         folded = excluded.folded WHERE current_tools.at_ms < excluded.at_ms \
         OR (current_tools.at_ms = excluded.at_ms AND current_tools.run_id < excluded.run_id)",
    )
    .bind(target_id)
    .bind(run_id)
    .bind(at_ms)
    .bind(&names)
    .bind(names.to_lowercase())
    .execute(&mut *tx)
    .await?;
    Ok(())
}
