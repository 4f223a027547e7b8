//! Reports that no coordinator has acknowledged yet, on disk.
//!
//! A report stands here before it is sent and until its commit elsewhere is
//! acknowledged, so that neither a lost connection nor a crash loses a run.
//! The spool is bounded in rows and bytes: when a new report does not fit, the
//! oldest make room for it, and the caller learns how many did.

use std::path::{Path, PathBuf};

use prost::Message as _;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteRow, SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Connection as _, Row as _};
use tokio::sync::Mutex;
use touchstone_proto::fleet::Report;
use touchstone_proto::observation::SignedObservation;

use crate::metrics::metrics;

/// Most reports kept.
pub(crate) const SPOOL_LIMIT_ROWS: u64 = 4_096;
/// Most bytes of reports kept.
pub(crate) const SPOOL_LIMIT_BYTES: u64 = 512 * 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    #[error("opening the spool {}", path.display())]
    Open { path: PathBuf, source: sqlx::Error },
    #[error("{doing} the spool")]
    Query {
        doing: &'static str,
        source: sqlx::Error,
    },
    #[error("reading a report from the spool: its bytes are no report")]
    Decode(#[from] prost::DecodeError),
}

/// Both bounds of a spool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpoolLimits {
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
}

impl Default for SpoolLimits {
    fn default() -> Self {
        Self {
            rows: SPOOL_LIMIT_ROWS,
            bytes: SPOOL_LIMIT_BYTES,
        }
    }
}

/// Names one kept report; a later report of the same run gets another.
pub(crate) type Seq = i64;

#[derive(Debug)]
pub(crate) struct Spool {
    /// One writer, one file: nothing is gained by more connections.
    connection: Mutex<SqliteConnection>,
    limits: SpoolLimits,
}

impl Spool {
    pub(crate) async fn open(path: &Path, limits: SpoolLimits) -> Result<Self, SpoolError> {
        let opened = async {
            let mut connection = SqliteConnectOptions::new()
                .filename(path)
                .create_if_missing(true)
                .journal_mode(SqliteJournalMode::Wal)
                // A report counts as kept only when it survives a power cut.
                .synchronous(SqliteSynchronous::Full)
                .connect()
                .await?;
            sqlx::query(
                "CREATE TABLE IF NOT EXISTS report (
                     seq INTEGER PRIMARY KEY AUTOINCREMENT,
                     run_id TEXT NOT NULL UNIQUE,
                     lease_token TEXT NOT NULL,
                     signed BLOB NOT NULL,
                     bytes INTEGER NOT NULL,
                     traceparent TEXT NOT NULL DEFAULT '')",
            )
            .execute(&mut connection)
            .await?;
            add_traceparent(&mut connection).await?;
            let kept =
                sqlx::query("SELECT count(*) AS n, coalesce(sum(bytes), 0) AS bytes FROM report")
                    .fetch_one(&mut connection)
                    .await?;
            metrics().spool_reports.set(kept.get("n"));
            metrics().spool_bytes.set(kept.get("bytes"));
            Ok(connection)
        };
        let connection = opened.await.map_err(|source| SpoolError::Open {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self {
            connection: Mutex::new(connection),
            limits,
        })
    }

    /// Keeps a report, in place of an earlier one of the same run. Returns how
    /// many older reports were given up for it.
    pub(crate) async fn keep(&self, report: &Report) -> Result<u64, SpoolError> {
        let signed = report.signed.clone().unwrap_or_default().encode_to_vec();
        let bytes = i64::try_from(signed.len()).unwrap_or(i64::MAX);
        let mut connection = self.connection.lock().await;
        let kept = async {
            let mut tx = connection.begin().await?;
            let replaced = sqlx::query("DELETE FROM report WHERE run_id = ? RETURNING bytes")
                .bind(&report.run_id)
                .fetch_all(&mut *tx)
                .await?;
            sqlx::query(
                "INSERT INTO report (run_id, lease_token, signed, bytes, traceparent)
                 VALUES (?, ?, ?, ?, ?)",
            )
            .bind(&report.run_id)
            .bind(&report.lease_token)
            .bind(signed)
            .bind(bytes)
            .bind(&report.traceparent)
            .execute(&mut *tx)
            .await?;
            // Newest first, as many as fit; the newest itself always stays.
            let dropped = sqlx::query(
                "DELETE FROM report WHERE seq IN (
                     SELECT seq FROM (
                         SELECT seq,
                                row_number() OVER newest AS rows,
                                sum(bytes) OVER newest AS total
                         FROM report WINDOW newest AS (ORDER BY seq DESC))
                     WHERE rows > 1 AND (rows > ? OR total > ?)) RETURNING bytes",
            )
            .bind(bound(self.limits.rows))
            .bind(bound(self.limits.bytes))
            .fetch_all(&mut *tx)
            .await?;
            tx.commit().await?;
            metrics().spool_reports.inc();
            metrics().spool_bytes.inc_by(bytes);
            count_gone(&replaced);
            count_gone(&dropped);
            Ok(dropped.len() as u64)
        };
        kept.await.map_err(query("keeping a report in"))
    }

    /// What is kept, oldest first: the number of each report and its run.
    pub(crate) async fn list(&self) -> Result<Vec<(Seq, String)>, SpoolError> {
        let mut connection = self.connection.lock().await;
        let rows = sqlx::query("SELECT seq, run_id FROM report ORDER BY seq")
            .fetch_all(&mut *connection)
            .await
            .map_err(query("reading"))?;
        Ok(rows
            .iter()
            .map(|row| (row.get("seq"), row.get("run_id")))
            .collect())
    }

    /// One kept report; `None` when it is kept no longer.
    pub(crate) async fn get(&self, seq: Seq) -> Result<Option<Report>, SpoolError> {
        let mut connection = self.connection.lock().await;
        let row = sqlx::query(
            "SELECT run_id, lease_token, signed, traceparent FROM report WHERE seq = ?",
        )
        .bind(seq)
        .fetch_optional(&mut *connection)
        .await
        .map_err(query("reading"))?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(Report {
            run_id: row.get("run_id"),
            lease_token: row.get("lease_token"),
            signed: Some(SignedObservation::decode(row.get::<&[u8], _>("signed"))?),
            traceparent: row.get("traceparent"),
        }))
    }

    /// Gives a kept report of this run a newer lease; true when there is one.
    pub(crate) async fn renew(&self, run_id: &str, lease_token: &str) -> Result<bool, SpoolError> {
        let mut connection = self.connection.lock().await;
        let done = sqlx::query("UPDATE report SET lease_token = ? WHERE run_id = ?")
            .bind(lease_token)
            .bind(run_id)
            .execute(&mut *connection)
            .await
            .map_err(query("renewing a lease in"))?;
        Ok(done.rows_affected() > 0)
    }

    /// Forgets one report.
    pub(crate) async fn forget(&self, seq: Seq) -> Result<(), SpoolError> {
        let mut connection = self.connection.lock().await;
        let gone = sqlx::query("DELETE FROM report WHERE seq = ? RETURNING bytes")
            .bind(seq)
            .fetch_all(&mut *connection)
            .await
            .map_err(query("forgetting a report in"))?;
        count_gone(&gone);
        Ok(())
    }
}

/// For a spool of a version that kept none.
async fn add_traceparent(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let there = sqlx::query("SELECT 1 FROM pragma_table_info('report') WHERE name = 'traceparent'")
        .fetch_optional(&mut *connection)
        .await?;
    if there.is_none() {
        sqlx::query("ALTER TABLE report ADD COLUMN traceparent TEXT NOT NULL DEFAULT ''")
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

fn count_gone(rows: &[SqliteRow]) {
    for row in rows {
        metrics().spool_reports.dec();
        metrics().spool_bytes.dec_by(row.get("bytes"));
    }
}

fn query(doing: &'static str) -> impl Fn(sqlx::Error) -> SpoolError {
    move |source| SpoolError::Query { doing, source }
}

fn bound(limit: u64) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(run: &str, body: usize) -> Report {
        Report {
            run_id: run.into(),
            lease_token: format!("token of {run}"),
            signed: Some(SignedObservation {
                observation: vec![7; body],
                ..SignedObservation::default()
            }),
            traceparent: format!("place of {run}"),
        }
    }

    async fn open(folder: &tempfile::TempDir, limits: SpoolLimits) -> Spool {
        Spool::open(&folder.path().join("spool.sqlite"), limits)
            .await
            .unwrap()
    }

    async fn runs(spool: &Spool) -> Vec<String> {
        spool
            .list()
            .await
            .unwrap()
            .into_iter()
            .map(|(_, run)| run)
            .collect()
    }

    #[tokio::test]
    async fn what_was_kept_is_there_after_a_restart_until_it_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let spool = open(&folder, SpoolLimits::default()).await;
        for run in ["a", "b"] {
            assert_eq!(spool.keep(&report(run, 10)).await.unwrap(), 0);
        }
        drop(spool);

        let spool = open(&folder, SpoolLimits::default()).await;
        assert_eq!(runs(&spool).await, ["a", "b"]);
        let (seq, _) = spool.list().await.unwrap()[0];
        assert_eq!(spool.get(seq).await.unwrap(), Some(report("a", 10)));
        spool.forget(seq).await.unwrap();
        assert_eq!(spool.get(seq).await.unwrap(), None);
        assert_eq!(runs(&spool).await, ["b"]);
    }

    #[tokio::test]
    async fn a_spool_of_an_earlier_version_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("spool.sqlite");
        let mut old = SqliteConnectOptions::new()
            .filename(&file)
            .create_if_missing(true)
            .connect()
            .await
            .unwrap();
        for sql in [
            "CREATE TABLE report (seq INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL \
             UNIQUE, lease_token TEXT NOT NULL, signed BLOB NOT NULL, bytes INTEGER NOT NULL)",
            "INSERT INTO report (run_id, lease_token, signed, bytes) VALUES ('a', 't', x'', 0)",
        ] {
            sqlx::query(sql).execute(&mut old).await.unwrap();
        }
        old.close().await.unwrap();
        let spool = open(&folder, SpoolLimits::default()).await;
        let (seq, run) = spool.list().await.unwrap().remove(0);
        let kept = spool.get(seq).await.unwrap().unwrap();
        assert_eq!((&*run, &*kept.traceparent), ("a", ""));
    }

    #[tokio::test]
    async fn a_run_is_kept_once_and_takes_a_newer_lease() {
        let folder = tempfile::tempdir().unwrap();
        let spool = open(&folder, SpoolLimits::default()).await;
        spool.keep(&report("a", 10)).await.unwrap();
        spool.keep(&report("a", 20)).await.unwrap();
        let kept = spool.list().await.unwrap();
        assert_eq!(kept.len(), 1);
        assert!(spool.renew("a", "newer").await.unwrap());
        assert!(!spool.renew("b", "newer").await.unwrap());
        let got = spool.get(kept[0].0).await.unwrap().unwrap();
        assert_eq!(got.lease_token, "newer");
        assert_eq!(got.signed, report("a", 20).signed);
    }

    #[tokio::test]
    async fn the_oldest_make_room_by_rows_and_by_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let limits = SpoolLimits {
            rows: 3,
            bytes: 1_000,
        };
        let spool = open(&folder, limits).await;
        let mut dropped = 0;
        for run in ["a", "b", "c", "d"] {
            dropped += spool.keep(&report(run, 10)).await.unwrap();
        }
        assert_eq!(dropped, 1);
        assert_eq!(runs(&spool).await, ["b", "c", "d"]);
        assert_eq!(spool.keep(&report("e", 980)).await.unwrap(), 2);
        assert_eq!(runs(&spool).await, ["d", "e"], "13 and 984 bytes fit");
        assert_eq!(spool.keep(&report("f", 5_000)).await.unwrap(), 2);
        assert_eq!(
            runs(&spool).await,
            ["f"],
            "the newest stays, whatever its size"
        );
    }
}
