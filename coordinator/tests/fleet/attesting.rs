//! Several runs are with the signer at one time, the oldest first, each once;
//! one that hangs or fails delays no other.

use std::collections::BTreeSet;

use super::*;
use crate::support::signer::Held;
use touchstone_coordinator::tasks::attest_pending::ATTESTED_AT_ONCE;

on_every_engine!(
    the_oldest_are_with_the_signer_together_and_each_once,
    one_that_hangs_delays_no_other,
    one_that_fails_waits_alone,
);

const RUNS: usize = 2 * ATTESTED_AT_ONCE + 1;

/// So many runs that were stored, in this order, while the signer was away.
async fn waiting(signer: &FakeSigner, agent: &mut Agent) -> Vec<String> {
    signer.go_away();
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        let lease = lease(agent).await;
        let report = agent.identity.report(&lease, "{}");
        assert_eq!(agent.deliver(report).await, Outcome::Stored);
        runs.push(lease.run_id);
    }
    runs
}

fn urls() -> Vec<String> {
    let url = |number| format!("https://server-{number}.example/mcp");
    (0..RUNS).map(url).collect()
}

async fn signed(coordinator: &mut Coordinator, count: usize) -> BTreeSet<String> {
    let mut signed = BTreeSet::new();
    for _ in 0..count {
        signed.insert(coordinator.event("a signature", attested).await);
    }
    signed
}

async fn the_oldest_are_with_the_signer_together_and_each_once(engines: Engines) {
    let urls = urls();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let (_site, signer, mut coordinator, mut agent) = spine(engines, &urls).await;
    let runs = waiting(&signer, &mut agent).await;
    signer.hold(Held::All);
    signer.come_back();
    let asked = until("as many as may be", async || {
        let asked = signer.asked();
        (asked.len() >= ATTESTED_AT_ONCE).then_some(asked)
    });
    let oldest: BTreeSet<_> = runs[..ATTESTED_AT_ONCE].iter().cloned().collect();
    assert_eq!(asked.await.into_iter().collect::<BTreeSet<_>>(), oldest);
    signer.hold(Held::Nobody);
    let all: BTreeSet<_> = runs.into_iter().collect();
    assert_eq!(signed(&mut coordinator, RUNS).await, all);
    let asked = signer.asked();
    assert_eq!(asked.len(), RUNS, "each once: {asked:?}");
    let (_, health) = coordinator.get("/healthz").await;
    assert!(health.contains(r#""pending":0"#), "{health}");
    drop(agent);
    coordinator.stop().await;
}

async fn one_that_hangs_delays_no_other(engines: Engines) {
    let urls = urls();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let (_site, signer, mut coordinator, mut agent) = spine(engines, &urls).await;
    let runs = waiting(&signer, &mut agent).await;
    signer.hold(Held::Run(runs[0].clone()));
    signer.come_back();
    let others: BTreeSet<_> = runs[1..].iter().cloned().collect();
    assert_eq!(signed(&mut coordinator, RUNS - 1).await, others);
    let (_, health) = coordinator.get("/healthz").await;
    assert!(health.contains(r#""pending":1"#), "{health}");
    signer.hold(Held::Nobody);
    assert!(signed(&mut coordinator, 1).await.contains(&runs[0]));
    drop(agent);
    coordinator.stop().await;
}

async fn one_that_fails_waits_alone(engines: Engines) {
    let (_site, signer, mut coordinator, mut agent) =
        spine(engines, &[URL, "https://b.example/mcp"]).await;
    signer.set_mood(Mood::Fails(Status::internal("it fell over")));
    let failing = lease(&mut agent).await;
    let report = agent.identity.report(&failing, "{}");
    assert_eq!(agent.deliver(report).await, Outcome::Stored);
    let asked = async || (signer.asked() == [failing.run_id.as_str()]).then_some(());
    until("the failure", asked).await;
    signer.set_mood(Mood::Signs);
    let other = lease(&mut agent).await;
    let report = agent.identity.report(&other, "{}");
    assert_eq!(agent.deliver(report).await, Outcome::Stored);
    assert_eq!(
        coordinator.event("a signature", attested).await,
        other.run_id
    );
    assert_eq!(
        coordinator.event("a signature", attested).await,
        failing.run_id
    );
    drop(agent);
    coordinator.stop().await;
}
