//! The whole difference between database engines: how a connection is prepared,
//! how a writing transaction begins, what an error code means, which migrations
//! are run. Everything else is one set of queries for all engines, written
//! inside the fence of sqlx's `Any` driver: BIGINT, DOUBLE PRECISION, TEXT and
//! binary columns only.

use std::{borrow::Cow, path::PathBuf, time::Duration};

use sqlx::{
    AnyConnection, AssertSqlSafe, Executor as _, SqlSafeStr as _,
    error::DatabaseError,
    migrate::{Migration, MigrationType, Migrator},
};

use super::Failure;

/// Connections of a pool: one writes at a time, the others read.
pub(super) const CONNECTIONS: u32 = 6;
/// Bytes of a SQLite page, its default.
const SQLITE_PAGE_BYTES: u64 = 4_096;

/// Which engine a database URL names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Sqlite,
}

impl Dialect {
    /// By the scheme of the URL.
    pub(super) fn of(url: &str) -> Option<Self> {
        url.starts_with("sqlite:").then_some(Self::Sqlite)
    }

    /// The file that the URL names, if the engine keeps one.
    pub(super) fn file(self, url: &str) -> Option<PathBuf> {
        let Self::Sqlite = self;
        let path = url.trim_start_matches("sqlite:").trim_start_matches("//");
        let path = path.split('?').next().unwrap_or_default();
        (!path.is_empty() && path != ":memory:").then(|| PathBuf::from(path))
    }

    /// The URL to connect to: a missing file is created.
    pub(super) fn connect_url(self, url: &str) -> Cow<'_, str> {
        let Self::Sqlite = self;
        if url.contains('?') {
            url.into()
        } else {
            format!("{url}?mode=rwc").into()
        }
    }

    /// Prepares a fresh connection.
    ///
    /// SQLite: WAL, so that pages read while results are written. `synchronous`
    /// is FULL and not NORMAL: under WAL, NORMAL may lose the newest commits
    /// when the power fails, and we told agents that they may forget what was
    /// committed. Commits are few, since reports are stored in batches.
    pub(super) async fn prepare(
        self,
        connection: &mut AnyConnection,
        busy_timeout: Duration,
        size_limit_bytes: Option<u64>,
    ) -> Result<(), sqlx::Error> {
        let Self::Sqlite = self;
        let busy_timeout_ms = busy_timeout.as_millis();
        // First, so that the pragmas themselves wait for a lock.
        let pragmas = format!(
            "PRAGMA busy_timeout = {busy_timeout_ms}; \
             PRAGMA journal_mode = WAL; \
             PRAGMA synchronous = FULL; \
             PRAGMA foreign_keys = ON;"
        );
        // Numbers of our own make up all that is not literal here.
        connection.execute(AssertSqlSafe(pragmas)).await?;
        if let Some(bytes) = size_limit_bytes {
            let pages = (bytes / SQLITE_PAGE_BYTES).max(1);
            let pragma = format!("PRAGMA max_page_count = {pages};");
            connection.execute(AssertSqlSafe(pragma)).await?;
        }
        Ok(())
    }

    /// How a transaction begins that will write. A SQLite transaction that
    /// reads first and writes later cannot wait for another writer: it fails
    /// at once. IMMEDIATE takes the lock up front.
    pub(super) fn begin_write(self) -> &'static str {
        let Self::Sqlite = self;
        "BEGIN IMMEDIATE"
    }

    /// What a database error means for us.
    pub(super) fn failure(self, error: &dyn DatabaseError) -> Failure {
        let Self::Sqlite = self;
        let code = error.code().and_then(|code| code.parse::<u32>().ok());
        // Extended codes carry the primary one in their low byte
        // (https://www.sqlite.org/rescode.html).
        match code.map(|code| code & 0xff) {
            Some(5 | 6) => Failure::Locked,
            Some(13) => Failure::Full,
            Some(3 | 8 | 14 | 23) => Failure::ReadOnly,
            _ => Failure::Other,
        }
    }

    /// The schema, step by step. A step that was released is never edited.
    pub(super) fn migrator(self) -> Migrator {
        let Self::Sqlite = self;
        let steps = [
            (
                1,
                "first",
                include_str!("../../migrations/sqlite/0001_first.sql"),
            ),
            (
                2,
                "baselines",
                include_str!("../../migrations/sqlite/0002_baselines.sql"),
            ),
            (
                3,
                "tool lists",
                include_str!("../../migrations/sqlite/0003_tool_lists.sql"),
            ),
            (
                10,
                "log",
                include_str!("../../migrations/sqlite/0010_log.sql"),
            ),
        ];
        let migrations = steps.map(|(version, name, sql)| {
            Migration::new(
                version,
                name.into(),
                MigrationType::Simple,
                sql.into_sql_str(),
                false,
            )
        });
        Migrator::with_migrations(migrations.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_its_engine_and_file() {
        assert_eq!(Dialect::of("sqlite:a/b.sqlite"), Some(Dialect::Sqlite));
        assert_eq!(Dialect::of("mysql://localhost/x"), None);
        let file = |url| Dialect::Sqlite.file(url);
        assert_eq!(file("sqlite:a/b.sqlite"), Some("a/b.sqlite".into()));
        assert_eq!(
            file("sqlite:///a/b.sqlite?mode=rw"),
            Some("/a/b.sqlite".into())
        );
        assert_eq!(file("sqlite::memory:"), None);
    }
}
