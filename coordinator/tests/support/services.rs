//! A database and a queue of one's own on the servers that `tests/services`
//! starts, gone when the test ends. A test whose server is missing fails.

use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{AnyConnection, AssertSqlSafe, Connection as _, Executor as _};

/// Where the servers are, unless these variables say otherwise.
const POSTGRES: (&str, &str) = (
    "TOUCHSTONE_TEST_POSTGRES",
    "postgres://postgres@127.0.0.1:5432/postgres",
);
const REDIS: (&str, &str) = ("TOUCHSTONE_TEST_REDIS", "redis://127.0.0.1:6379");

static COUNT: AtomicU32 = AtomicU32::new(0);

/// The server that a variable names.
fn server((variable, default): (&str, &str)) -> String {
    std::env::var(variable).unwrap_or_else(|_| default.to_owned())
}

/// A name that no other test has.
fn fresh_name() -> String {
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() % 1_000_000_000;
    format!("touchstone_test_{}_{count}_{now}", std::process::id())
}

/// The Redis server, which all share under names of their own.
pub(crate) fn redis() -> String {
    server(REDIS)
}

/// Deletes the keys of a pattern, and says how many there were.
pub(crate) async fn forget(pattern: &str) -> usize {
    let client = redis::Client::open(redis()).unwrap();
    let mut connection = client
        .get_multiplexed_async_connection()
        .await
        .unwrap_or_else(|error| {
            panic!(
                "no Redis server ({error}); tests/run starts one, or {} names one",
                REDIS.0
            )
        });
    let keys: Vec<String> = redis::cmd("KEYS")
        .arg(pattern)
        .query_async(&mut connection)
        .await
        .unwrap();
    for key in &keys {
        let _deleted: u32 = redis::cmd("DEL")
            .arg(key)
            .query_async(&mut connection)
            .await
            .unwrap();
    }
    keys.len()
}

/// A PostgreSQL database.
#[derive(Debug)]
pub(crate) struct Database {
    name: String,
}

impl Database {
    pub(crate) async fn new() -> Self {
        let name = fresh_name();
        on_server(&format!("CREATE DATABASE {name}")).await;
        Self { name }
    }

    pub(crate) fn url(&self) -> String {
        let mut url = url::Url::parse(&server(POSTGRES)).unwrap();
        url.set_path(&self.name);
        url.into()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let sql = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(on_server(&sql));
        });
        let _failed = dropping.join();
    }
}

async fn on_server(sql: &str) {
    sqlx::any::install_default_drivers();
    let url = server(POSTGRES);
    let mut connection = AnyConnection::connect(&url).await.unwrap_or_else(|error| {
        panic!(
            "no PostgreSQL server at {url} ({error}); tests/run starts one, or {} names one",
            POSTGRES.0
        )
    });
    connection
        .execute(AssertSqlSafe(sql.to_owned()))
        .await
        .unwrap();
    connection.close().await.unwrap();
}
