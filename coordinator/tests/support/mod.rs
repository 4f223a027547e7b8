//! A coordinator in process, with a signer and agents that say what a test
//! tells them to, over real sockets, a real database and a real queue.

pub(crate) mod agent;
pub(crate) mod services;
pub(crate) mod signer;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use services::Database;
use sqlx::{AnyConnection, Connection as _, Executor as _};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    sync::mpsc,
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;
use touchstone_coordinator::{
    Config, Error, Event, Outside, clock::SharedClock, config::TargetConfig, queue::Namespace,
    run_with,
};

/// How long anything may take before a test gives up on it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// What a coordinator keeps its truth and its due runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engines {
    SqliteAndMemory,
    PostgresAndMemory,
    PostgresAndRedis,
}

/// Each of these tests on each of the engines.
macro_rules! on_every_engine {
    ($($test:ident,)*) => {
        mod sqlite_and_memory {
            $(#[tokio::test]
            async fn $test() {
                super::$test(crate::support::Engines::SqliteAndMemory).await;
            })*
        }
        mod postgres_and_memory {
            $(#[tokio::test]
            async fn $test() {
                super::$test(crate::support::Engines::PostgresAndMemory).await;
            })*
        }
        mod postgres_and_redis {
            $(#[tokio::test]
            async fn $test() {
                super::$test(crate::support::Engines::PostgresAndRedis).await;
            })*
        }
    };
}
pub(crate) use on_every_engine;

/// A folder as `up` lays it out, and a database of its own.
pub(crate) struct Site {
    folder: TempDir,
    engines: Engines,
    database: Option<Database>,
}

impl Site {
    pub(crate) async fn new(engines: Engines) -> Self {
        Self {
            folder: TempDir::new().unwrap(),
            engines,
            database: match engines {
                Engines::SqliteAndMemory => None,
                _ => Some(Database::new().await),
            },
        }
    }

    fn database_url(&self) -> String {
        match &self.database {
            Some(database) => database.url(),
            None => format!("sqlite:{}", self.path("touchstone.sqlite").display()),
        }
    }

    /// A connection of another program.
    async fn database(&self) -> AnyConnection {
        AnyConnection::connect(&self.database_url()).await.unwrap()
    }

    /// Keeps everyone from writing, until it is dropped.
    pub(crate) async fn hold_database(&self) -> AnyConnection {
        let mut other = self.database().await;
        let hold = match self.database {
            None => "BEGIN IMMEDIATE",
            Some(_) => "BEGIN; LOCK TABLE runs, agents, documents IN EXCLUSIVE MODE",
        };
        other.execute(hold).await.unwrap();
        other
    }

    /// Makes the queue lose all that is in it, if it is one that can.
    pub(crate) async fn forget_queue(&self) {
        if self.engines != Engines::PostgresAndRedis {
            return;
        }
        let row = sqlx::query("SELECT body FROM documents WHERE name = 'lease_key'")
            .fetch_one(&mut self.database().await)
            .await
            .unwrap();
        let key: Vec<u8> = sqlx::Row::try_get(&row, "body").unwrap();
        let namespace = Namespace::of(&key.try_into().unwrap());
        let forgotten = services::forget(&format!("touchstone:{namespace}:*")).await;
        assert!(forgotten > 0, "nothing was in the queue");
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn config(&self, urls: &[&str]) -> Config {
        let target = |url: &&str| {
            toml::from_str::<TargetConfig>(&format!("url = '{url}'\nsource = 'command_line'"))
                .unwrap()
        };
        Config {
            database_url: self.database_url().into(),
            queue_url: (self.engines == Engines::PostgresAndRedis)
                .then(|| services::redis().into()),
            signer: format!("unix:{}", self.path("signer.sock").display()),
            agents_listen: format!("unix:{}", self.path("fleet.sock").display()),
            operator_listen: format!("unix:{}", self.operator_socket().display()),
            pages_listen: ([127, 0, 0, 1], 0).into(),
            targets: urls.iter().map(target).collect(),
            ..Config::default()
        }
    }

    pub(crate) fn fleet_socket(&self) -> PathBuf {
        self.path("fleet.sock")
    }

    pub(crate) fn operator_socket(&self) -> PathBuf {
        self.path("operator.sock")
    }

    pub(crate) async fn start(&self, urls: &[&str]) -> Coordinator {
        Coordinator::start(self.config(urls)).await
    }
}

/// A coordinator that runs.
pub(crate) struct Coordinator {
    pub(crate) pages_url: String,
    pub(crate) targets: usize,
    shutdown: CancellationToken,
    events: mpsc::Receiver<Event>,
    task: JoinHandle<Result<(), Error>>,
}

impl Coordinator {
    pub(crate) async fn start(config: Config) -> Self {
        Self::start_outside(config, Outside::default()).await
    }

    /// The same, by a clock of the test's.
    pub(crate) async fn start_at(config: Config, clock: SharedClock) -> Self {
        let outside = Outside {
            clock,
            ..Outside::default()
        };
        Self::start_outside(config, outside).await
    }

    async fn start_outside(config: Config, outside: Outside) -> Self {
        let shutdown = CancellationToken::new();
        let (sender, mut events) = mpsc::channel(1_024);
        let task = tokio::spawn(run_with(config, outside, shutdown.clone(), sender));
        let Some(Event::Started {
            pages_url, targets, ..
        }) = within("the start", events.recv()).await
        else {
            panic!("the coordinator did not start: {:?}", task.await);
        };
        Self {
            pages_url,
            targets,
            shutdown,
            events,
            task,
        }
    }

    /// The next event that is of interest.
    pub(crate) async fn event<T>(
        &mut self,
        what: &str,
        mut wanted: impl FnMut(Event) -> Option<T>,
    ) -> T {
        let events = &mut self.events;
        // Bounded as a whole: other events may go on for ever.
        let found = async {
            loop {
                let event = events.recv().await;
                let event = event.unwrap_or_else(|| panic!("it ended before {what}"));
                if let Some(found) = wanted(event) {
                    return found;
                }
            }
        };
        within(what, found).await
    }

    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        within("the end", self.task).await.unwrap().unwrap();
    }

    /// Status and body of a page.
    pub(crate) async fn get(&self, path: &str) -> (u16, String) {
        let host = self
            .pages_url
            .trim_start_matches("http://")
            .trim_end_matches('/');
        let mut stream = tokio::net::TcpStream::connect(host).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let body = answer.split_once("\r\n\r\n").unwrap().1.to_owned();
        (status, body)
    }
}

/// Waits for a future, and says for what when it takes too long.
pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .unwrap_or_else(|_| panic!("waited too long for {what}"))
}

/// Asks until the answer is there.
pub(crate) async fn until<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let asking = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    within(what, asking).await
}

/// A lazy channel to a socket file.
pub(crate) fn channel(socket: &Path) -> tonic::transport::Channel {
    let socket = socket.to_owned();
    let connect = tower::service_fn(move |_: tonic::transport::Uri| {
        let socket = socket.clone();
        async move {
            let stream = tokio::net::UnixStream::connect(socket).await?;
            Ok::<_, std::io::Error>(hyper_util::rt::TokioIo::new(stream))
        }
    });
    tonic::transport::Endpoint::from_static("http://fleet").connect_with_connector_lazy(connect)
}
