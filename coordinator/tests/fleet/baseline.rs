//! An operator approves a baseline on the operator's socket, and every run that
//! is attested from then on is sent to the signer together with it.

use std::sync::Arc;

use touchstone_coordinator::{
    OperatorClient, OperatorError,
    clock::{Clock as _, FixedClock, SystemClock},
};
use touchstone_proto::fleet::Outcome;

use super::{SLUG, URL, attested, connect, lease};
use crate::support::{
    Coordinator, Engines, Site,
    agent::Identity,
    on_every_engine,
    signer::{FakeSigner, Mood},
};

on_every_engine!(
    runs_after_an_approval_are_compared_with_it_across_restarts,
    what_cannot_be_approved_is_refused_with_its_kind,
);

/// From a slot of an unclaimed target to the next.
const CADENCE_MS: i64 = 12 * 3_600_000;

/// A site whose clock moves by whole slots, with the coordinator away between.
struct Slots {
    site: Site,
    signer: FakeSigner,
    clock: Arc<FixedClock>,
}

impl Slots {
    async fn new(engines: Engines) -> Self {
        let site = Site::new(engines).await;
        let signer = FakeSigner::start(
            &site.path("signer.sock"),
            vec![Identity::new(1).entry("local")],
        );
        Self {
            site,
            signer,
            clock: Arc::new(FixedClock::new(SystemClock.now_ms())),
        }
    }

    async fn start(&self) -> Coordinator {
        Coordinator::start_at(self.site.config(&[URL]), self.clock.clone()).await
    }

    /// One run of this slot, attested.
    async fn run(&self, coordinator: &mut Coordinator) -> String {
        let mut agent = connect(&self.site, 1).await;
        let lease = lease(&mut agent).await;
        let mut run = agent.identity.run(&lease);
        run.started_at_ms = self.clock.now_ms();
        run.finished_at_ms = run.started_at_ms + 1;
        let report = agent.identity.report_of(&lease, run, "{}");
        assert_eq!(agent.deliver(report).await, Outcome::Stored);
        assert_eq!(
            coordinator.event("the signature", attested).await,
            lease.run_id
        );
        lease.run_id
    }

    /// The next slot, by a coordinator that was started anew.
    async fn next(&self, coordinator: Coordinator) -> Coordinator {
        coordinator.stop().await;
        self.clock.set(self.clock.now_ms() + CADENCE_MS);
        self.start().await
    }

    async fn approve(&self, target: &str, run_id: &str) -> Result<String, OperatorError> {
        let asked =
            OperatorClient::approve_baseline(&self.site.operator_socket(), target, run_id).await?;
        assert_eq!(asked.slug, SLUG);
        Ok(asked.answer.run_id)
    }
}

async fn runs_after_an_approval_are_compared_with_it_across_restarts(engines: Engines) {
    let slots = Slots::new(engines).await;
    let mut coordinator = slots.start().await;
    let first = slots.run(&mut coordinator).await;
    assert_eq!(slots.approve(SLUG, &first).await.unwrap(), first);

    let mut coordinator = slots.next(coordinator).await;
    let second = slots.run(&mut coordinator).await;
    assert_eq!(slots.approve(URL, &second).await.unwrap(), second);

    let mut coordinator = slots.next(coordinator).await;
    slots.run(&mut coordinator).await;
    // The undo.
    slots.approve(SLUG, &first).await.unwrap();

    let mut coordinator = slots.next(coordinator).await;
    slots.run(&mut coordinator).await;
    assert_eq!(
        slots.signer.baselines(),
        [
            None,
            Some(first.clone()),
            Some(second.clone()),
            Some(first.clone())
        ]
    );

    let listed = OperatorClient::list_baselines(&slots.site.operator_socket(), SLUG)
        .await
        .unwrap();
    let runs: Vec<_> = listed.answer.iter().map(|one| &one.run_id).collect();
    assert_eq!(runs, [&first, &second, &first]);
    let user = &listed.answer[0].approved_by;
    assert!(user.starts_with("uid "), "{user}");
    let (status, twin) = coordinator.get(&format!("/servers/{SLUG}.json")).await;
    assert_eq!(status, 200);
    let twin: serde_json::Value = serde_json::from_str(&twin).unwrap();
    assert_eq!(twin["baseline"]["run_id"], first);
    coordinator.stop().await;
}

async fn what_cannot_be_approved_is_refused_with_its_kind(engines: Engines) {
    let slots = Slots::new(engines).await;
    let mut coordinator = slots.start().await;
    slots
        .signer
        .set_mood(Mood::Declines("tools_list_incomplete"));
    let mut agent = connect(&slots.site, 1).await;
    let lease = lease(&mut agent).await;
    let report = agent.identity.report(&lease, "{}");
    agent.deliver(report).await;
    coordinator
        .event("the refusal to sign", |event| match event {
            touchstone_coordinator::Event::Declined { .. } => Some(()),
            _ => None,
        })
        .await;
    let refused = slots.approve(SLUG, &lease.run_id).await.unwrap_err();
    assert!(
        matches!(&refused, OperatorError::Precondition(why) if why.contains("declined")),
        "{refused}"
    );
    for (target, run_id) in [
        (SLUG, "no-such-run"),
        ("b.example-mcp", lease.run_id.as_str()),
        ("https://b.example/mcp", lease.run_id.as_str()),
    ] {
        let refused = slots.approve(target, run_id).await.unwrap_err();
        assert!(
            matches!(refused, OperatorError::NotFound(_)),
            "{target} {run_id}: {refused}"
        );
    }
    let long = slots.approve(SLUG, &"r".repeat(3_000)).await.unwrap_err();
    assert!(matches!(long, OperatorError::Refused(_)), "{long}");
    drop(agent);
    coordinator.stop().await;
    let nobody = slots.approve(SLUG, &lease.run_id).await.unwrap_err();
    assert!(
        matches!(nobody, OperatorError::Unreachable { .. }),
        "{nobody}"
    );
}
