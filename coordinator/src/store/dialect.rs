//! The whole difference between database engines: how a connection is prepared,
//! how a writing transaction begins, what an error code means, which migrations
//! are run. Everything else is one set of queries for all engines, written
//! inside the fence of sqlx's `Any` driver: BIGINT, DOUBLE PRECISION, TEXT and
//! binary columns only.
//!
//! Migrations go forward only, and a step leaves the version before it at work:
//! it adds tables, indexes and columns that may be absent, and takes nothing away.

use std::{borrow::Cow, path::PathBuf, time::Duration};

use sqlx::{
    AnyConnection, AssertSqlSafe, Executor as _, SqlSafeStr as _,
    error::DatabaseError,
    migrate::{Migration, MigrationType, Migrator},
};
use url::Url;

use super::Failure;
use crate::service_url::ServiceUrl;

/// Connections of a SQLite pool: one writes at a time, the others read.
const SQLITE_CONNECTIONS: u32 = 6;
/// Connections of a PostgreSQL pool, and how many of them write at a time.
const POSTGRES_CONNECTIONS: u32 = 12;
const POSTGRES_WRITERS: usize = 6;
/// Bytes of a SQLite page, its default.
const SQLITE_PAGE_BYTES: u64 = 4_096;
/// Longest that one statement may take on a PostgreSQL server.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a migration waits for a lock that others hold on a PostgreSQL server.
const MIGRATION_LOCK_TIMEOUT: Duration = Duration::from_secs(10);
/// Parameters that a PostgreSQL URL may have.
const POSTGRES_PARAMETERS: [&str; 9] = [
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "host",
    "port",
    "user",
    "password",
    "dbname",
];
/// Values of `sslmode`.
const SSL_MODES: [&str; 6] = [
    "disable",
    "allow",
    "prefer",
    "require",
    "verify-ca",
    "verify-full",
];

/// Which engine a database URL names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Sqlite,
    Postgres,
}

/// Why a database URL cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DatabaseUrlError {
    #[error("it is neither a sqlite: nor a postgres: URL")]
    Scheme,
    #[error("it is no URL; write postgres://USER:PASSWORD@HOST:PORT/NAME")]
    Unreadable,
    #[error("it names no database; write its name behind the host")]
    NoDatabase,
    #[error("it has a fragment; a # in a password is written %23")]
    Fragment,
    // What it is is not repeated: it may be the rest of a password.
    #[error("it has a parameter that is not known; a ? in a password is written %3F")]
    Parameter,
    #[error("its sslmode is none of disable, allow, prefer, require, verify-ca, verify-full")]
    SslMode,
    #[error("a size limit is for SQLite alone; limit a PostgreSQL database where it runs")]
    SizeLimit,
}

/// Says what is wrong with a database URL before anything is opened.
pub fn check_url(url: &ServiceUrl, size_limit: bool) -> Result<(), DatabaseUrlError> {
    match Dialect::of(url)? {
        Dialect::Postgres if size_limit => Err(DatabaseUrlError::SizeLimit),
        _ => Ok(()),
    }
}

impl Dialect {
    /// By the scheme of the URL.
    pub(super) fn of(url: &ServiceUrl) -> Result<Self, DatabaseUrlError> {
        match url.scheme() {
            "sqlite" => Ok(Self::Sqlite),
            "postgres" | "postgresql" => check_postgres(url.expose()).map(|()| Self::Postgres),
            _ => Err(DatabaseUrlError::Scheme),
        }
    }

    /// The file that the URL names, if the engine keeps one.
    pub(super) fn file(self, url: &ServiceUrl) -> Option<PathBuf> {
        if self != Self::Sqlite {
            return None;
        }
        let path = url.expose().trim_start_matches("sqlite:");
        let path = path.trim_start_matches("//").split('?').next();
        let path = path.unwrap_or_default();
        (!path.is_empty() && path != ":memory:").then(|| PathBuf::from(path))
    }

    /// The URL to connect to: a missing file is created.
    pub(super) fn connect_url(self, url: &ServiceUrl) -> Cow<'_, str> {
        let url = url.expose();
        if self == Self::Postgres || url.contains('?') {
            url.into()
        } else {
            format!("{url}?mode=rwc").into()
        }
    }

    /// Connections of a pool.
    pub(super) fn connections(self) -> u32 {
        match self {
            Self::Sqlite => SQLITE_CONNECTIONS,
            Self::Postgres => POSTGRES_CONNECTIONS,
        }
    }

    /// Transactions that write at once.
    pub(super) fn writers(self) -> usize {
        match self {
            Self::Sqlite => 1,
            Self::Postgres => POSTGRES_WRITERS,
        }
    }

    /// Whether a connection is of no use after a transaction failed on it.
    /// SQLite itself rolls back when the disk is full or fails
    /// (https://www.sqlite.org/lang_transaction.html, section 3); the driver does
    /// not notice, and would refuse every further transaction on it.
    pub(super) fn failure_spoils(self) -> bool {
        self == Self::Sqlite
    }

    /// Prepares a fresh connection.
    ///
    /// SQLite: WAL, so that pages read while results are written. `synchronous`
    /// is FULL and not NORMAL: under WAL, NORMAL may lose the newest commits
    /// when the power fails, and we told agents that they may forget what was
    /// committed. Commits are few, since reports are stored in batches.
    ///
    /// PostgreSQL: no statement runs and no transaction idles without a bound,
    /// and a commit is on disk when it is confirmed, whatever the server's
    /// default says.
    pub(super) async fn prepare(
        self,
        connection: &mut AnyConnection,
        busy_timeout: Duration,
        size_limit_bytes: Option<u64>,
    ) -> Result<(), sqlx::Error> {
        let busy_ms = busy_timeout.as_millis();
        let mut settings = match self {
            // The timeout first, so that the pragmas themselves wait for a lock.
            Self::Sqlite => format!(
                "PRAGMA busy_timeout = {busy_ms}; PRAGMA journal_mode = WAL; \
                 PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
            ),
            Self::Postgres => {
                let statement_ms = STATEMENT_TIMEOUT.as_millis();
                format!(
                    "SET lock_timeout = {busy_ms}; SET statement_timeout = {statement_ms}; \
                     SET idle_in_transaction_session_timeout = {statement_ms}; \
                     SET synchronous_commit = on;"
                )
            }
        };
        if let (Self::Sqlite, Some(bytes)) = (self, size_limit_bytes) {
            let pages = (bytes / SQLITE_PAGE_BYTES).max(1);
            settings = format!("{settings} PRAGMA max_page_count = {pages};");
        }
        // Numbers of our own make up all that is not literal here.
        connection.execute(AssertSqlSafe(settings)).await?;
        Ok(())
    }

    /// Prepares a connection for migrations, which may take longer.
    pub(super) async fn prepare_migration(
        self,
        connection: &mut AnyConnection,
    ) -> Result<(), sqlx::Error> {
        if self == Self::Postgres {
            let lock_ms = MIGRATION_LOCK_TIMEOUT.as_millis();
            let settings = format!("SET statement_timeout = 0; SET lock_timeout = {lock_ms};");
            connection.execute(AssertSqlSafe(settings)).await?;
        }
        Ok(())
    }

    /// How a transaction begins that will write. A SQLite transaction that
    /// reads first and writes later cannot wait for another writer: it fails
    /// at once. IMMEDIATE takes the lock up front. On PostgreSQL every statement
    /// sees what was committed before it began; [`Dialect::hold_target`] and the
    /// keys of the tables do the rest.
    pub(super) fn begin_write(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres => "BEGIN ISOLATION LEVEL READ COMMITTED",
        }
    }

    /// Lets nobody else add runs, missed slots or approvals of a target until
    /// the transaction ends. SQLite has one writer at a time anyway; on PostgreSQL
    /// a row that refers to the target cannot be added while this lock is held
    /// (https://www.postgresql.org/docs/15/explicit-locking.html, section 13.3.2).
    pub(super) async fn hold_target(
        self,
        connection: &mut AnyConnection,
        target_id: &str,
    ) -> Result<(), sqlx::Error> {
        if self == Self::Postgres {
            sqlx::query("SELECT target_id FROM targets WHERE target_id = $1 FOR UPDATE")
                .bind(target_id)
                .fetch_optional(&mut *connection)
                .await?;
        }
        Ok(())
    }

    /// What a database error means for us.
    pub(super) fn failure(self, error: &dyn DatabaseError) -> Failure {
        let code = error.code().unwrap_or_default();
        match self {
            Self::Sqlite => sqlite_failure(&code),
            Self::Postgres => postgres_failure(&code),
        }
    }

    /// What it means that the pool had no connection for us.
    pub(super) fn no_connection(self) -> Failure {
        match self {
            Self::Sqlite => Failure::Locked,
            // The pool dials until its time is over.
            Self::Postgres => Failure::Away,
        }
    }

    /// The schema, step by step. A step that was released is never edited.
    pub(super) fn migrator(self) -> Migrator {
        macro_rules! step {
            ($version:literal, $name:literal, $file:literal) => {
                (
                    $version,
                    $name,
                    match self {
                        Self::Sqlite => {
                            include_str!(concat!("../../migrations/sqlite/", $file, ".sql"))
                        }
                        Self::Postgres => {
                            include_str!(concat!("../../migrations/postgres/", $file, ".sql"))
                        }
                    },
                )
            };
        }
        let steps = [
            step!(1, "first", "0001_first"),
            step!(2, "baselines", "0002_baselines"),
            step!(3, "tool lists", "0003_tool_lists"),
            step!(4, "days", "0004_days"),
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

/// A statement with a part that comes `count` times, `between` in between. A `?`
/// in the part becomes the next bind. All of it is text of our own.
pub(super) fn repeated(
    head: &'static str,
    part: &'static str,
    between: &'static str,
    count: usize,
    tail: &'static str,
) -> AssertSqlSafe<String> {
    let mut sql = head.to_owned();
    let mut bind = 0;
    for index in 0..count {
        if index > 0 {
            sql.push_str(between);
        }
        for character in part.chars() {
            if character == '?' {
                bind += 1;
                sql.push('$');
                sql.push_str(&bind.to_string());
            } else {
                sql.push(character);
            }
        }
    }
    sql.push_str(tail);
    AssertSqlSafe(sql)
}

/// Extended codes carry the primary one in their low byte
/// (https://www.sqlite.org/rescode.html).
fn sqlite_failure(code: &str) -> Failure {
    match code.parse::<u32>().map(|code| code & 0xff) {
        Ok(5 | 6) => Failure::Locked,
        Ok(13) => Failure::Full,
        Ok(3 | 8 | 14 | 23) => Failure::ReadOnly,
        _ => Failure::Other,
    }
}

/// By <https://www.postgresql.org/docs/15/errcodes-appendix.html>.
fn postgres_failure(code: &str) -> Failure {
    match code {
        // Serialization failure, deadlock, a lock not had in time; and a key
        // that another writer inserted since we looked.
        "40001" | "40P01" | "55P03" | "23505" => Failure::Locked,
        "53100" => Failure::Full,
        // A read-only transaction or standby; no right to the table.
        "25006" | "42501" => Failure::ReadOnly,
        // Too many connections; shut down, or not yet up; and what closed
        // a connection that idled too long.
        "53300" | "57P01" | "57P02" | "57P03" | "25P03" => Failure::Away,
        code if code.starts_with("08") => Failure::Away,
        _ => Failure::Other,
    }
}

fn check_postgres(url: &str) -> Result<(), DatabaseUrlError> {
    use DatabaseUrlError as Wrong;
    let url = Url::parse(url).map_err(|_| Wrong::Unreadable)?;
    // An @ in the path: a / of the password was taken for the end of the host.
    if url.cannot_be_a_base() || url.path().contains('@') {
        return Err(Wrong::Unreadable);
    }
    if url.fragment().is_some() {
        return Err(Wrong::Fragment);
    }
    let mut named = url.path().len() > 1;
    for (name, value) in url.query_pairs() {
        if !POSTGRES_PARAMETERS.contains(&&*name) {
            return Err(Wrong::Parameter);
        }
        if name == "sslmode" && !SSL_MODES.contains(&&*value) {
            return Err(Wrong::SslMode);
        }
        named |= name == "dbname" && !value.is_empty();
    }
    if named {
        Ok(())
    } else {
        Err(Wrong::NoDatabase)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_its_engine_and_file() {
        let of = |url: &str| Dialect::of(&url.into());
        assert_eq!(of("sqlite:a/b.sqlite"), Ok(Dialect::Sqlite));
        for url in [
            "postgres://h/x",
            "postgresql://u:p@h:5432/x?sslmode=require",
            "postgres:///x?host=/var/run/postgresql",
        ] {
            assert_eq!(of(url), Ok(Dialect::Postgres), "{url}");
        }
        let file = |url: &str| Dialect::Sqlite.file(&url.into());
        assert_eq!(file("sqlite:a/b.sqlite"), Some("a/b.sqlite".into()));
        assert_eq!(
            file("sqlite:///a/b.sqlite?mode=rw"),
            Some("/a/b.sqlite".into())
        );
        assert_eq!(file("sqlite::memory:"), None);
        assert_eq!(Dialect::Postgres.file(&"postgres://h/x".into()), None);
    }

    #[test]
    fn a_url_that_makes_no_sense_is_refused_in_one_sentence() {
        use DatabaseUrlError as Wrong;
        for (url, wrong) in [
            ("mysql://localhost/x", Wrong::Scheme),
            ("", Wrong::Scheme),
            ("postgres:x", Wrong::Unreadable),
            ("postgres://u:p@h:port/x", Wrong::Unreadable),
            ("postgres://h", Wrong::NoDatabase),
            ("postgres://h/", Wrong::NoDatabase),
            ("postgres://u:a%23b#c@h/x", Wrong::Fragment),
            ("postgres://h/x?passwrd=s", Wrong::Parameter),
            ("postgres://h/x?sslmode=yes", Wrong::SslMode),
        ] {
            let refused = check_url(&url.into(), false).unwrap_err();
            // A # in front of the host hides the rest, one way or another.
            if url.contains('#') {
                assert!(matches!(refused, Wrong::Fragment | Wrong::Unreadable));
                continue;
            }
            assert_eq!(refused, wrong, "{url}");
        }
        let limited = check_url(&"postgres://h/x".into(), true);
        assert_eq!(limited, Err(Wrong::SizeLimit));
        assert_eq!(check_url(&"sqlite:x".into(), true), Ok(()));
    }

    #[test]
    fn both_engines_take_the_same_steps_and_no_step_takes_anything_away() {
        let steps = |dialect: Dialect| -> Vec<_> {
            let migrator = dialect.migrator();
            let step = |step: &Migration| (step.version, step.description.clone());
            migrator.iter().map(step).collect()
        };
        assert_eq!(steps(Dialect::Sqlite), steps(Dialect::Postgres));
        for dialect in [Dialect::Sqlite, Dialect::Postgres] {
            for step in dialect.migrator().iter() {
                let sql = step.sql.as_str().to_uppercase();
                for taken in ["DROP ", "RENAME ", "DELETE ", "ALTER COLUMN"] {
                    assert!(!sql.contains(taken), "{}: {taken}", step.description);
                }
            }
        }
    }
}
