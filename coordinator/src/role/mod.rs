//! The role as a whole: opens everything, starts its tasks, and ends them in
//! order and within a bound.

mod places;
mod serve;

use std::{sync::Arc, time::Duration};

use places::Places;
use tokio::{
    sync::{Notify, Semaphore, mpsc, watch},
    task::JoinHandle,
    time::Instant,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use touchstone_telemetry::{
    exit,
    metrics::{Metrics, MetricsError},
};

use crate::{
    clock::{SharedClock, SystemClock},
    config::{Config, Unfit},
    event::{Event, Events, PagesUrl},
    fleet::{
        dispatch::{self, Dispatch, Ended},
        ingest::{self, Ingest},
        lease::PROBE_BUDGET,
        line::line,
        report::Targets,
        roster::Roster,
        stream::{Fleet, STREAMS_LIMIT},
        token::LeaseKey,
        view::FleetView,
    },
    listen::ListenError,
    metrics::Fetched,
    operator::Operator,
    queue::{MemoryQueue, Namespace, Queue, RedisQueue},
    random::{NoRandomness, SharedRandom, SystemRandom, draw},
    signer::Signer,
    store::{KnownTarget, Live, Options, Reader, Store, StoreError},
    tasks::{
        attest_pending::AttestPending,
        follow_log::FollowLog,
        prune::Prune,
        record_missed::{MISSED_LIMIT, RecordMissed},
        refresh::Refresh,
    },
};

/// As said of itself in metrics and traces.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// How long runs that are leased may take to be reported when we stop.
pub const DRAIN_LIMIT: Duration = PROBE_BUDGET;
/// How long everything may take to end after that.
pub const STOP_LIMIT: Duration = Duration::from_secs(4);

/// Why the coordinator could not start, or did not go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("starting the coordinator")]
    Config(#[from] Unfit),
    #[error("starting the coordinator")]
    Listen(#[from] ListenError),
    #[error("starting the coordinator")]
    Store(#[from] StoreError),
    #[error("starting the coordinator")]
    Metrics(#[from] MetricsError),
    #[error("starting the coordinator")]
    Random(#[from] NoRandomness),
    #[error("starting the coordinator")]
    Dispatch(#[from] Ended),
    #[error("running the coordinator: the task {0:?} ended, which it never should")]
    Task(&'static str),
}

impl Error {
    /// What the process ends with.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Config(_) => exit::CONFIGURATION,
            other => exit::code(other),
        }
    }
}

/// What comes from outside the program, for tests to replace.
#[derive(Clone, Debug)]
pub struct Outside {
    pub clock: SharedClock,
    pub random: SharedRandom,
}

impl Default for Outside {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            random: Arc::new(SystemRandom),
        }
    }
}

/// Runs the coordinator until `shutdown` is cancelled, or it cannot go on.
pub async fn run(
    config: Config,
    shutdown: CancellationToken,
    events: mpsc::Sender<Event>,
) -> Result<(), Error> {
    run_with(config, Outside::default(), shutdown, events).await
}

/// The same, with the clock and the randomness given.
pub async fn run_with(
    config: Config,
    outside: Outside,
    shutdown: CancellationToken,
    events: mpsc::Sender<Event>,
) -> Result<(), Error> {
    config.check()?;
    // Before anything is written: a second coordinator ends here.
    let places = Places::bind(&config).await?;
    let pages_url = places.pages_url(&config);
    let events = Events::new(events);
    let mut running = Running::start(&config, outside, places, &pages_url, events.clone()).await?;
    events.tell(Event::Started {
        pages_url: pages_url.page("/"),
        agents: config.agents_listen.clone(),
        targets: running.targets,
    });
    let result = tokio::select! {
        () = shutdown.cancelled() => Ok(()),
        name = running.first_end() => Err(Error::Task(name)),
    };
    running.stop().await;
    events.tell(Event::Stopped);
    result
}

/// A coordinator at work.
struct Running {
    targets: usize,
    store: Store,
    dispatch: Option<Dispatch>,
    sessions: TaskTracker,
    view: watch::Receiver<FleetView>,
    tokens: Tokens,
    tasks: Tasks,
    /// Served as long as this lives.
    _metrics: Option<Metrics>,
}

/// The steps of ending, in order.
#[derive(Clone, Default)]
struct Tokens {
    /// Agents are told; no more leases, no new streams.
    draining: CancellationToken,
    /// Streams end once their reports are stored.
    halt: CancellationToken,
    /// Pages, reconcilers, dispatcher end.
    end: CancellationToken,
}

/// In the order in which they are waited for.
struct Tasks {
    agents: JoinHandle<()>,
    writer: JoinHandle<()>,
    dispatcher: JoinHandle<()>,
    missed: JoinHandle<()>,
    attest: JoinHandle<()>,
    log: JoinHandle<()>,
    refresh: JoinHandle<()>,
    prune: JoinHandle<()>,
    operator: JoinHandle<()>,
    pages: JoinHandle<()>,
}

/// What is read before anything is started.
struct Opened {
    store: Store,
    signer: Signer,
    roster: Arc<Roster>,
    queue: Box<dyn Queue>,
    lease_key: LeaseKey,
    known: Vec<KnownTarget>,
    /// Hosts that asked us to wait, and until when.
    waits: Vec<(String, i64)>,
}

impl Opened {
    async fn open(config: &Config, outside: &Outside) -> Result<Self, Error> {
        let limit_bytes = config
            .database_limit_mb
            .map(|mb| mb.saturating_mul(1_000_000));
        let store = Store::open(Options {
            size_limit_bytes: limit_bytes,
            ..Options::new(config.database_url.clone())
        })
        .await?;
        let signer = Signer::at(config.signer_socket()?);
        for checkpoint in [store.log_checkpoint().await?, store.log_held().await?] {
            signer.hold(&checkpoint.unwrap_or_default());
        }
        let now_ms = outside.clock.now_ms();
        let added = store.add_targets(config.seeds()?, now_ms).await?;
        let known = store.known_targets().await?;
        tracing::info!(targets = known.len(), added, "targets read");
        let fresh = draw(&*outside.random)?;
        let lease_key = store.lease_key(fresh, now_ms).await?;
        Ok(Self {
            queue: queue(config, &lease_key, outside)?,
            lease_key: LeaseKey::new(lease_key),
            roster: Arc::new(
                Roster::load(store.clone(), signer.clone(), outside.clock.clone()).await?,
            ),
            waits: store.waits(now_ms).await?,
            known,
            signer,
            store,
        })
    }

    /// What has runs signed, and what follows the log they come to stand in.
    fn signing(
        &self,
        clock: &SharedClock,
        random: &SharedRandom,
        events: &Events,
        pages: &PagesUrl,
        stored: Arc<Notify>,
    ) -> (AttestPending, FollowLog) {
        let logged = Arc::new(Notify::new());
        let attest = AttestPending {
            store: self.store.clone(),
            signer: self.signer.clone(),
            clock: Arc::clone(clock),
            random: Arc::clone(random),
            events: events.clone(),
            pages: pages.clone(),
            stored,
            logged: Arc::clone(&logged),
        };
        let follow_log = FollowLog {
            store: self.store.clone(),
            signer: self.signer.clone(),
            clock: Arc::clone(clock),
            random: Arc::clone(random),
            logged,
        };
        (attest, follow_log)
    }

    /// What pages and metrics read.
    fn reader(
        &self,
        config: &Config,
        clock: &SharedClock,
        fleet: &watch::Receiver<FleetView>,
    ) -> Reader {
        let live = Live {
            fleet: fleet.clone(),
            signer_reachable: self.signer.reachable(),
            signer_isolation: self.signer.isolation(),
            regions: config.regions.clone(),
        };
        Reader::new(self.store.clone(), Arc::clone(clock), live)
    }
}

/// The queue that the configuration names. Coordinators of one database share
/// its lease key, and so a namespace.
fn queue(
    config: &Config,
    lease_key: &[u8; 32],
    outside: &Outside,
) -> Result<Box<dyn Queue>, Error> {
    let Some(url) = &config.queue_url else {
        return Ok(Box::new(MemoryQueue::default()));
    };
    let (clock, random) = (outside.clock.clone(), outside.random.clone());
    let queue = RedisQueue::new(url, Namespace::of(lease_key), clock, random);
    Ok(Box::new(queue.map_err(|why| Unfit::Queue {
        url: url.clone(),
        why,
    })?))
}

fn prune(config: &Config, store: &Store, outside: &Outside) -> Prune {
    Prune {
        store: store.clone(),
        clock: outside.clock.clone(),
        random: outside.random.clone(),
        kept_days: config.runs_kept_days(),
    }
}

impl Running {
    async fn start(
        config: &Config,
        outside: Outside,
        places: Places,
        pages_url: &PagesUrl,
        events: Events,
    ) -> Result<Self, Error> {
        let opened = Opened::open(config, &outside).await?;
        let prune = prune(config, &opened.store, &outside);
        let Outside { clock, random } = outside;
        let tokens = Tokens::default();
        let stored = Arc::new(Notify::new());
        let (attest, follow_log) =
            opened.signing(&clock, &random, &events, pages_url, Arc::clone(&stored));
        let (view, shown) = watch::channel(FleetView::default());
        let reader = opened.reader(config, &clock, &shown);
        let (line, line_end) = line(MISSED_LIMIT);
        let (dispatch, dispatcher) = Dispatch::new(dispatch::Parts {
            queue: opened.queue,
            clock: Arc::clone(&clock),
            random: Arc::clone(&random),
            lease_key: opened.lease_key.clone(),
            missed: line.clone(),
            view,
        });
        let missed = RecordMissed {
            store: opened.store.clone(),
            clock: Arc::clone(&clock),
            random: Arc::clone(&random),
            events: events.clone(),
            missed: line_end,
        };
        let dispatcher = tokio::spawn(dispatcher.run(tokens.end.clone()));
        let missed = tokio::spawn(missed.run(tokens.end.clone()));

        let (ingest, writer) = Ingest::new(ingest::Parts {
            store: opened.store.clone(),
            clock: Arc::clone(&clock),
            targets: Arc::new(Targets::of(&opened.known)),
            lease_key: opened.lease_key,
            dispatch: dispatch.clone(),
            missed: line,
            events: events.clone(),
            pages: pages_url.clone(),
            stored,
        });
        let measured = Fetched(reader.clone());
        let metrics =
            Metrics::serve(config.metrics_listen, "coordinator", VERSION, measured).await?;
        let sessions = TaskTracker::new();
        let operator = Operator {
            store: opened.store.clone(),
            clock: Arc::clone(&clock),
        };
        let fleet = Fleet {
            signer: opened.signer.clone(),
            roster: Arc::clone(&opened.roster),
            dispatch: dispatch.clone(),
            ingest,
            random: Arc::clone(&random),
            events: events.clone(),
            draining: tokens.draining.clone(),
            halt: tokens.halt.clone(),
            sessions: sessions.clone(),
            places: Arc::new(Semaphore::new(STREAMS_LIMIT)),
        };
        let refresh = Refresh {
            store_health: opened.store.health_changes(),
            signer: opened.signer,
            roster: opened.roster,
            random,
            events,
        };
        // Before agents can connect, so that what was missed while we were away
        // is on its way into the store before results of long ago come in.
        let count = opened.known.len();
        for (host, until_ms) in opened.waits {
            dispatch.wait_until(host.into(), until_ms).await?;
        }
        dispatch.add(opened.known).await?;
        let tasks = Tasks {
            writer: tokio::spawn(writer.run()),
            dispatcher,
            missed,
            attest: tokio::spawn(attest.run(tokens.end.clone())),
            log: tokio::spawn(follow_log.run(tokens.end.clone())),
            refresh: tokio::spawn(refresh.run(tokens.end.clone())),
            prune: tokio::spawn(prune.run(tokens.end.clone())),
            operator: serve::operator(places.operator, operator, tokens.end.clone()),
            pages: serve::pages(places.pages, reader, config, tokens.end.clone()),
            agents: serve::agents(places.agents, fleet, tokens.draining.clone()),
        };
        Ok(Self {
            targets: count,
            store: opened.store,
            dispatch: Some(dispatch),
            sessions,
            view: shown,
            tokens,
            tasks,
            _metrics: metrics,
        })
    }

    /// The name of the first task that ends by itself: a fault of ours.
    async fn first_end(&mut self) -> &'static str {
        let Tasks {
            agents,
            writer,
            dispatcher,
            missed,
            attest,
            log,
            refresh,
            prune,
            operator,
            pages,
        } = &mut self.tasks;
        tokio::select! {
            _ = agents => "agents",
            _ = writer => "writer",
            _ = dispatcher => "dispatcher",
            _ = missed => "missed",
            _ = attest => "attest",
            _ = log => "log",
            _ = refresh => "refresh",
            _ = prune => "prune",
            _ = operator => "operator",
            _ = pages => "pages",
        }
    }

    /// Ends everything, within [`DRAIN_LIMIT`] and [`STOP_LIMIT`].
    async fn stop(mut self) {
        self.tokens.draining.cancel();
        if let Some(dispatch) = self.dispatch.take() {
            let _ended = dispatch.stop().await;
        }
        self.sessions.close();
        let nothing_leased =
            |view: &FleetView| view.regions.values().all(|region| region.leased == 0);
        let drained = async {
            tokio::select! {
                _ = self.view.wait_for(nothing_leased) => {}
                () = self.sessions.wait() => {}
            }
        };
        if tokio::time::timeout(DRAIN_LIMIT, drained).await.is_err() {
            tracing::warn!("some runs were not reported in time; their agents report them later");
        }
        let by = Instant::now() + STOP_LIMIT;
        self.tokens.halt.cancel();
        // A third for what is under way, the rest for those who wrap it up.
        let _late = tokio::time::timeout(STOP_LIMIT / 3, self.sessions.wait()).await;
        let tasks = self.tasks;
        end("agents", tasks.agents, by - STOP_LIMIT / 3).await;
        // The last handle to it went with the agents' service.
        end("writer", tasks.writer, by).await;
        self.tokens.end.cancel();
        for (name, task) in [
            ("dispatcher", tasks.dispatcher),
            ("missed", tasks.missed),
            ("attest", tasks.attest),
            ("log", tasks.log),
            ("refresh", tasks.refresh),
            ("prune", tasks.prune),
            ("operator", tasks.operator),
            ("pages", tasks.pages),
        ] {
            end(name, task, by).await;
        }
        let _late = tokio::time::timeout(STOP_LIMIT, self.store.close()).await;
    }
}

/// Waits for a task until a time, and then cuts it off.
async fn end(name: &'static str, mut task: JoinHandle<()>, by: Instant) {
    if task.is_finished() {
        return;
    }
    if tokio::time::timeout_at(by, &mut task).await.is_err() {
        tracing::warn!(task = name, "did not end in time and is cut off");
        task.abort();
        let _aborted = task.await;
    }
}
