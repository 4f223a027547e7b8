//! A worker and a real coordinator's end of the wire: nothing leased is lost,
//! nothing kept is forgotten too early.

mod fleet;

use std::path::Path;

use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use touchstone_proto::Recorded;
use touchstone_proto::fleet::{Lease, Outcome, work_request};
use touchstone_proto::observation::{Observation, Run};

use super::*;
use crate::probe::{Recording, RunSpec, SUITE};
use fleet::{Connection, Fleet, JOIN_TOKEN, REGION, patiently};

const CAPACITY: u16 = 4;

/// Says what it was asked for and ends when the test lets it.
struct Scripted {
    started: mpsc::UnboundedSender<String>,
    may_end: Arc<Semaphore>,
}

impl Prober for Scripted {
    async fn probe(&self, run: RunSpec) -> Recording {
        self.started.send(run.run_id.clone()).unwrap();
        self.may_end.acquire().await.unwrap().forget();
        assert_ne!(run.run_id, "panics", "a fault in a run");
        let run = Run {
            run_id: run.run_id,
            region: run.region,
            agent_key_id: run.agent_key_id,
            ..Run::default()
        };
        Recording {
            observation: Observation {
                format: touchstone_proto::OBSERVATION_FORMAT,
                run: Some(run),
                ..Observation::default()
            },
            bodies: Vec::new(),
        }
    }
}

/// A running worker.
struct Agent {
    worker: JoinHandle<Result<(), SpoolError>>,
    shutdown: CancellationToken,
    started: mpsc::UnboundedReceiver<String>,
    may_end: Arc<Semaphore>,
}

impl Agent {
    fn start(data: &Path, fleet: &Fleet, timing: Timing) -> Self {
        let (to_started, started) = mpsc::unbounded_channel();
        let may_end = Arc::new(Semaphore::new(0));
        let shutdown = CancellationToken::new();
        let worker = Worker {
            coordinator: Address::Unix(fleet.socket.clone()),
            join_token_file: data.join("join-token"),
            data: data.to_owned(),
            identity: Arc::new(Identity::load_or_create(data).unwrap()),
            runs_in_flight: CAPACITY,
            prober: Scripted {
                started: to_started,
                may_end: Arc::clone(&may_end),
            },
            timing,
        };
        Self {
            worker: tokio::spawn(worker.run(shutdown.clone())),
            shutdown,
            started,
            may_end,
        }
    }

    async fn started(&mut self) -> String {
        patiently(self.started.recv()).await.unwrap()
    }

    fn let_end(&self, runs: usize) {
        self.may_end.add_permits(runs);
    }

    async fn stopped(self) {
        patiently(self.worker).await.unwrap().unwrap();
    }
}

fn quick() -> Timing {
    Timing {
        backoff_first: Duration::from_millis(1),
        backoff_cap: Duration::from_millis(5),
        ..Timing::default()
    }
}

fn lease(run_id: &str) -> Lease {
    Lease {
        run_id: run_id.into(),
        lease_token: format!("token of {run_id}"),
        target_id: "target".into(),
        suite: SUITE.into(),
        region: REGION.into(),
        endpoint_url: "https://h.example/mcp".into(),
        lasts_ms: 60_000,
        ..Lease::default()
    }
}

/// A data folder, a fleet that minted a token, and an agent that joined it.
async fn joined(timing: Timing) -> (tempfile::TempDir, Fleet, Agent, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let mut fleet = Fleet::start(folder.path());
    std::fs::write(folder.path().join("join-token"), format!("{JOIN_TOKEN}\n")).unwrap();
    let agent = Agent::start(folder.path(), &fleet, timing);
    let mut connection = fleet.connection().await;
    assert_eq!(connection.credits().await, u32::from(CAPACITY));
    (folder, fleet, agent, connection)
}

async fn kept(data: &Path) -> Vec<String> {
    let spool = Spool::open(&data.join(SPOOL_FILE), SpoolLimits::default()).await;
    let list = spool.unwrap().list().await.unwrap();
    list.into_iter().map(|(_, run_id)| run_id).collect()
}

#[tokio::test]
async fn an_agent_enrols_once_works_and_forgets_what_is_stored() {
    let (folder, mut fleet, mut agent, mut connection) = joined(quick()).await;

    connection.lease(lease("r1")).await;
    assert_eq!(agent.started().await, "r1");
    agent.let_end(1);
    let report = connection.report().await;
    assert_eq!(
        (&report.run_id[..], &report.lease_token[..]),
        ("r1", "token of r1")
    );
    let signed = report.signed.unwrap();
    let recorded = Recorded::open(&signed).unwrap();
    assert_eq!(recorded.run().agent_key_id, signed.agent_key_id);
    connection.answer("r1", Outcome::Stored).await;

    // The permit comes back, one for one, before or after the report.
    connection.lease(lease("r2")).await;
    agent.let_end(1);
    assert_eq!(connection.report().await.run_id, "r2");
    connection.answer("r2", Outcome::Stored).await;
    agent.shutdown.cancel();
    agent.stopped().await;
    assert_eq!(kept(folder.path()).await, [""; 0]);
    assert!(
        !folder.path().join("join-token").exists(),
        "the token is spent"
    );

    let again = Agent::start(folder.path(), &fleet, quick());
    let mut connection = fleet.connection().await;
    assert_eq!(connection.credits().await, u32::from(CAPACITY));
    assert_eq!(fleet.enrolments(), 1);
    again.shutdown.cancel();
    again.stopped().await;
}

#[tokio::test]
async fn a_lost_acknowledgement_has_the_same_report_sent_again() {
    let (folder, mut fleet, mut agent, mut connection) = joined(quick()).await;
    connection.lease(lease("r1")).await;
    connection.lease(lease("r2")).await;
    for _ in 0..2 {
        agent.started().await;
    }
    agent.let_end(1);
    let first = connection.report().await;
    // Cut off before the answer, with one run still going on.
    drop(connection);

    let mut connection = fleet.connection().await;
    let permits = connection.credits().await;
    assert_eq!(permits, u32::from(CAPACITY) - 1, "one run goes on");
    assert_eq!(connection.report().await, first);
    connection
        .answer(&first.run_id, Outcome::AlreadyStored)
        .await;
    agent.let_end(1);
    let second = connection.report().await;
    assert_ne!(second.run_id, first.run_id);

    // The agent goes before the answer to the second comes: it is kept, and
    // sent by the next one.
    agent.worker.abort();
    drop(connection);
    let agent = Agent::start(folder.path(), &fleet, quick());
    let mut connection = fleet.connection().await;
    assert_eq!(connection.report().await, second);
    connection.answer(&second.run_id, Outcome::Stored).await;
    agent.shutdown.cancel();
    agent.stopped().await;
    assert_eq!(kept(folder.path()).await, [""; 0]);
}

#[tokio::test]
async fn every_answer_but_retry_settles_a_report() {
    let timing = Timing {
        resend_after: Duration::from_millis(20),
        ..quick()
    };
    let (folder, _fleet, agent, mut connection) = joined(timing).await;
    agent.let_end(4);
    let outcomes = [
        ("stored", Outcome::Stored),
        ("conflict", Outcome::Conflict),
        ("refused", Outcome::Refused),
        ("retry", Outcome::Retry),
    ];
    for (run_id, _) in outcomes {
        connection.lease(lease(run_id)).await;
    }
    let mut settled = std::collections::HashSet::new();
    // The put-off one comes again and again, the others until they are answered.
    let mut put_off = 0;
    while put_off < 3 || settled.len() < 3 {
        let report = connection.report().await;
        let (_, outcome) = outcomes
            .iter()
            .find(|(run, _)| *run == report.run_id)
            .unwrap();
        connection.answer(&report.run_id, *outcome).await;
        if *outcome == Outcome::Retry {
            put_off += 1;
        } else {
            settled.insert(report.run_id);
        }
    }
    agent.shutdown.cancel();
    // Nothing but what was put off is left, so there is nothing to wait for.
    loop {
        match connection.next().await {
            work_request::Message::Draining(_) => break,
            work_request::Message::Report(report) => {
                connection.answer(&report.run_id, Outcome::Retry).await;
            }
            _ => {}
        }
    }
    agent.stopped().await;
    assert_eq!(kept(folder.path()).await, ["retry"]);
}

#[tokio::test]
async fn shutdown_takes_no_more_and_reports_what_goes_on() {
    let (folder, _fleet, mut agent, mut connection) = joined(quick()).await;
    connection.lease(lease("going on")).await;
    agent.started().await;
    agent.shutdown.cancel();
    let draining = connection.next().await;
    assert!(
        matches!(draining, work_request::Message::Draining(_)),
        "{draining:?}"
    );
    connection.lease(lease("too late")).await;
    agent.let_end(2);
    assert_eq!(connection.report().await.run_id, "going on");
    connection.answer("going on", Outcome::Stored).await;
    connection.ends().await;
    assert!(
        agent.started.recv().await.is_none(),
        "the late lease was not run"
    );
    patiently(agent.worker).await.unwrap().unwrap();
    assert_eq!(kept(folder.path()).await, [""; 0]);
}

#[tokio::test]
async fn a_shutdown_that_cannot_be_settled_ends_by_its_bound() {
    let timing = Timing {
        drain_limit: Duration::from_millis(50),
        ..quick()
    };
    let (folder, _fleet, mut agent, mut connection) = joined(timing).await;
    agent.let_end(1);
    connection.lease(lease("unanswered")).await;
    agent.started().await;
    assert_eq!(connection.report().await.run_id, "unanswered");
    connection.lease(lease("never ends")).await;
    agent.started().await;
    agent.shutdown.cancel();
    agent.stopped().await;
    assert_eq!(kept(folder.path()).await, ["unanswered"]);
}

#[tokio::test]
async fn a_coordinator_that_goes_gets_its_reports_and_is_left() {
    let (_folder, mut fleet, mut agent, mut connection) = joined(quick()).await;
    connection.lease(lease("r1")).await;
    agent.started().await;
    connection.drain().await;
    agent.let_end(1);
    assert_eq!(connection.report().await.run_id, "r1");
    connection.answer("r1", Outcome::Stored).await;
    connection.ends().await;
    let mut next = fleet.connection().await;
    assert_eq!(next.credits().await, u32::from(CAPACITY));
    agent.shutdown.cancel();
    agent.stopped().await;
}

#[tokio::test]
async fn only_leases_that_are_in_order_are_run() {
    let (_folder, _fleet, mut agent, mut connection) = joined(quick()).await;
    let odd = [
        Lease {
            region: "us".into(),
            ..lease("another region")
        },
        Lease {
            suite: "relay".into(),
            ..lease("unknown suite")
        },
        Lease {
            lasts_ms: 0,
            ..lease("no time")
        },
        lease(""),
    ];
    for odd in odd {
        connection.lease(odd).await;
        // Each gives its credit back.
        assert_eq!(connection.credits().await, 1);
    }
    // Too short to be run: begun, cut off at once, no report, credit back.
    connection
        .lease(Lease {
            lasts_ms: 1_000,
            ..lease("too short")
        })
        .await;
    assert_eq!(connection.credits().await, 1);
    connection.lease(lease("panics")).await;
    agent.let_end(1);
    assert_eq!(connection.credits().await, 1);

    for run in ["r1", "r2", "r3", "r4"] {
        connection.lease(lease(run)).await;
    }
    connection.lease(lease("not asked for")).await;
    let mut begun = Vec::new();
    while begun.len() < 4 {
        let run = agent.started().await;
        if run.starts_with('r') {
            begun.push(run);
        }
    }
    agent.let_end(4);
    for _ in 0..4 {
        let report = connection.report().await;
        connection.answer(&report.run_id, Outcome::Stored).await;
    }
    agent.shutdown.cancel();
    assert_eq!(agent.started.recv().await, None, "a fifth run was begun");
}

#[tokio::test]
async fn a_run_that_is_offered_again_is_made_once_and_reported_under_the_newer_lease() {
    let (_folder, _fleet, mut agent, mut connection) = joined(quick()).await;
    let newer = |number: u32| Lease {
        lease_token: format!("token {number}"),
        ..lease("r1")
    };
    connection.lease(newer(1)).await;
    agent.started().await;
    connection.lease(newer(2)).await;
    // The credit of the second offer comes back: it was taken in.
    while connection.credits().await != 1 {}
    agent.let_end(1);
    assert_eq!(connection.report().await.lease_token, "token 2");
    // Offered again after it was reported and before it was settled.
    connection.lease(newer(3)).await;
    assert_eq!(connection.report().await.lease_token, "token 3");
    connection.answer("r1", Outcome::Stored).await;
    agent.shutdown.cancel();
    assert!(agent.started.recv().await.is_none(), "it was made twice");
}

#[tokio::test]
async fn an_agent_that_is_in_no_roster_waits_for_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let mut fleet = Fleet::start(folder.path());
    let token = folder.path().join("join-token");
    std::fs::write(&token, "never minted").unwrap();
    let agent = Agent::start(folder.path(), &fleet, quick());
    // The token is refused for good, the greeting too; the file stays all the
    // same: it may be a slip of the operator's.
    fleet.refused().await;
    fleet.refused().await;
    assert!(token.exists());
    std::fs::write(&token, JOIN_TOKEN).unwrap();
    let mut connection = fleet.connection().await;
    assert_eq!(connection.credits().await, u32::from(CAPACITY));
    assert!(!token.exists());
    agent.shutdown.cancel();
    agent.stopped().await;
}
