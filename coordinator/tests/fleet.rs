//! The whole coordinator with agents and a signer around it, in good days and bad
//! ones, on every pair of a database and a queue.

// All of this is test code: what it unwraps, it asserts.
#![allow(clippy::unwrap_used)]

#[path = "fleet/baseline.rs"]
mod baseline;
#[path = "fleet/late.rs"]
mod late;
#[path = "fleet/places.rs"]
mod places;
mod support;

use sqlx::Executor as _;
use support::{
    Coordinator, Engines, Site,
    agent::{Agent, Identity},
    on_every_engine,
    signer::{FakeSigner, Mood},
    until, within,
};
use tonic::{Code, Status};
use touchstone_coordinator::Event;
use touchstone_proto::{
    fleet::{
        Lease, Outcome, fleet_service_client::FleetServiceClient, work_response::Message as Down,
    },
    signer::EnrolRequest,
};

const URL: &str = "https://a.example/mcp";
const SLUG: &str = "a.example-mcp";

on_every_engine!(
    a_run_goes_from_a_lease_to_a_signed_page,
    one_result_a_run_however_often_it_is_reported,
    what_was_not_leased_or_not_signed_is_refused,
    a_result_whose_acknowledgement_was_lost_is_stored_once,
    the_lease_of_a_dead_agent_is_given_to_another_at_once,
    while_the_signer_is_away_results_are_stored_and_attested_when_it_is_back,
    what_the_signer_does_not_sign_leaves_the_outbox_with_its_reason,
    a_restart_loses_nothing,
    a_stranger_gets_no_work,
    enrolment_is_the_signers_to_decide,
    the_same_agent_again_takes_the_place_of_its_dead_connection,
    an_agent_that_drains_is_given_nothing_more,
    a_coordinator_that_goes_tells_its_agents_and_waits_for_their_reports,
    a_locked_database_acknowledges_nothing_and_the_report_comes_again,
    a_queue_that_forgets_costs_time_alone,
);

/// A site with a signer that knows agents 1 and 2, and the agent 1 connected.
async fn spine(engines: Engines, urls: &[&str]) -> (Site, FakeSigner, Coordinator, Agent) {
    let site = Site::new(engines).await;
    let agents = [1, 2].map(|seed| Identity::new(seed).entry("local")).into();
    let signer = FakeSigner::start(&site.path("signer.sock"), agents);
    let coordinator = site.start(urls).await;
    let agent = connect(&site, 1).await;
    (site, signer, coordinator, agent)
}

async fn connect(site: &Site, seed: u8) -> Agent {
    Agent::connect(&site.fleet_socket(), &Identity::new(seed))
        .await
        .unwrap()
}

async fn lease(agent: &mut Agent) -> Lease {
    agent.credits(1).await;
    agent.lease().await
}

fn stored(event: Event) -> Option<String> {
    match event {
        Event::Run { run_id, .. } => Some(run_id),
        _ => None,
    }
}

fn attested(event: Event) -> Option<String> {
    match event {
        Event::Attested { run_id, .. } => Some(run_id),
        _ => None,
    }
}

async fn a_run_goes_from_a_lease_to_a_signed_page(engines: Engines) {
    let (_site, signer, mut coordinator, mut agent) = spine(engines, &[URL]).await;
    assert_eq!((agent.region.as_str(), coordinator.targets), ("local", 1));
    let lease = lease(&mut agent).await;
    assert_eq!(lease.endpoint_url, URL);
    assert_eq!(lease.lasts_ms, 20_000);
    let report = agent.identity.report(&lease, "{}");
    assert_eq!(agent.deliver(report).await, Outcome::Stored);
    assert_eq!(coordinator.event("the result", stored).await, lease.run_id);
    let event = coordinator.event("the signature", |event| match event {
        Event::Attested { .. } => Some(event),
        _ => None,
    });
    let json = serde_json::to_value(event.await).unwrap();
    assert_eq!(
        (&json["event"], &json["scope"]),
        (&"attested".into(), &"full".into())
    );
    assert_eq!(
        (&json["states"]["verified"], &json["states"]["failed"]),
        (&1.into(), &0.into())
    );
    assert_eq!(json["slug"], SLUG);
    assert_eq!(signer.asked(), [lease.run_id.as_str()]);
    let page = json["page_url"].as_str().unwrap();
    let path = page
        .strip_prefix(coordinator.pages_url.trim_end_matches('/'))
        .unwrap();
    assert_eq!(path, format!("/servers/{SLUG}/runs/{}", lease.run_id));
    let (status, health) = coordinator.get("/healthz").await;
    assert_eq!(
        (status, health.contains(r#""store":"ok""#)),
        (200, true),
        "{health}"
    );
    assert_eq!(coordinator.get("/no/such/page").await.0, 404);
    agent.credits(5).await;
    agent.expect_silence().await;
    drop(agent);
    coordinator.stop().await;
}

async fn one_result_a_run_however_often_it_is_reported(engines: Engines) {
    let (_site, _signer, coordinator, mut agent) = spine(engines, &[URL]).await;
    let lease = lease(&mut agent).await;
    let report = agent.identity.report(&lease, "{}");
    assert_eq!(agent.deliver(report.clone()).await, Outcome::Stored);
    assert_eq!(agent.deliver(report).await, Outcome::AlreadyStored);
    let other = agent.identity.report(&lease, r#"{"another":"answer"}"#);
    assert_eq!(agent.deliver(other).await, Outcome::Conflict);
    drop(agent);
    coordinator.stop().await;
}

async fn what_was_not_leased_or_not_signed_is_refused(engines: Engines) {
    let (site, _signer, coordinator, mut agent) =
        spine(engines, &[URL, "https://b.example/mcp"]).await;
    let mut second = connect(&site, 2).await;
    let (mine, theirs) = (lease(&mut agent).await, lease(&mut second).await);
    let identity = agent.identity.clone();
    let run = identity.run(&mine);
    let forged = |change: &dyn Fn(&mut touchstone_proto::observation::Run)| {
        let mut run = run.clone();
        change(&mut run);
        identity.report_of(&mine, run, "{}")
    };
    let whole = identity.report(&mine, "{}");
    let mut unsigned = whole.clone();
    unsigned.signed.as_mut().unwrap().signature[0] ^= 1;
    let mut bodiless = whole.clone();
    bodiless.signed.as_mut().unwrap().bodies.clear();
    let mut empty = whole.clone();
    empty.signed = None;
    let mut token = whole.clone();
    token.lease_token = theirs.lease_token.clone();
    let foreign = second.identity.report(&mine, "{}");
    let not_mine = identity.report(&theirs, "{}");
    for (name, report) in [
        ("a broken signature", unsigned),
        ("a body is missing", bodiless),
        ("no observation", empty),
        ("the token of another lease", token),
        ("signed by another agent", foreign),
        ("a run that another agent was given", not_mine),
        ("another slot", forged(&|run| run.slot += 1)),
        (
            "another target",
            forged(&|run| run.target_id.clone_from(&theirs.target_id)),
        ),
        (
            "another region",
            forged(&|run| "iad".clone_into(&mut run.region)),
        ),
        (
            "another endpoint",
            forged(&|run| "https://c.example/".clone_into(&mut run.endpoint_url)),
        ),
        ("another source", forged(&|run| run.endpoint_source = 1)),
        ("the future", forged(&|run| run.finished_at_ms += 3_600_000)),
        (
            "the far past",
            forged(&|run| run.started_at_ms -= 13 * 3_600_000),
        ),
        (
            "the end before the beginning",
            forged(&|run| run.finished_at_ms -= 10),
        ),
    ] {
        assert_eq!(agent.deliver(report).await, Outcome::Refused, "{name}");
    }
    assert_eq!(agent.deliver(whole).await, Outcome::Stored);
    drop((agent, second));
    coordinator.stop().await;
}

async fn a_result_whose_acknowledgement_was_lost_is_stored_once(engines: Engines) {
    let (site, _signer, mut coordinator, mut agent) = spine(engines, &[URL]).await;
    let lease = lease(&mut agent).await;
    let report = agent.identity.report(&lease, "{}");
    agent.send_report(report.clone()).await;
    // Committed, and the agent is gone before it could read the answer.
    coordinator.event("the commit", stored).await;
    drop(agent);
    let mut again = connect(&site, 1).await;
    assert_eq!(again.deliver(report).await, Outcome::AlreadyStored);
    again.credits(1).await;
    again.expect_silence().await;
    drop(again);
    coordinator.stop().await;
}

async fn the_lease_of_a_dead_agent_is_given_to_another_at_once(engines: Engines) {
    let (site, _signer, coordinator, mut first) = spine(engines, &[URL]).await;
    let lost = lease(&mut first).await;
    drop(first);
    let mut second = connect(&site, 2).await;
    let again = lease(&mut second).await;
    assert_eq!(again.run_id, lost.run_id);
    assert_ne!(again.lease_token, lost.lease_token);
    // The first was only cut off: its late report counts, and it was first.
    let mut first = connect(&site, 1).await;
    let late = first.identity.report(&lost, "{}");
    assert_eq!(first.deliver(late).await, Outcome::Stored);
    let report = second.identity.report(&again, "{}");
    assert_eq!(second.deliver(report).await, Outcome::Conflict);
    drop((first, second));
    coordinator.stop().await;
}

async fn while_the_signer_is_away_results_are_stored_and_attested_when_it_is_back(
    engines: Engines,
) {
    let urls = [URL, "https://b.example/mcp", "https://c.example/mcp"];
    let (_site, signer, mut coordinator, mut agent) = spine(engines, &urls).await;
    signer.go_away();
    let mut runs = Vec::new();
    for _ in urls {
        let lease = lease(&mut agent).await;
        let report = agent.identity.report(&lease, "{}");
        assert_eq!(agent.deliver(report).await, Outcome::Stored);
        runs.push(lease.run_id);
    }
    let (status, health) = coordinator.get("/healthz").await;
    assert_eq!(status, 200, "a signer that is away is no fault of ours");
    assert!(health.contains(r#""pending":3"#), "{health}");
    signer.come_back();
    let mut signed = Vec::new();
    for _ in urls {
        signed.push(coordinator.event("a signature", attested).await);
    }
    assert_eq!(signed, runs, "oldest first");
    drop(agent);
    coordinator.stop().await;
}

async fn what_the_signer_does_not_sign_leaves_the_outbox_with_its_reason(engines: Engines) {
    let urls = [URL, "https://b.example/mcp"];
    let (_site, signer, mut coordinator, mut agent) = spine(engines, &urls).await;
    signer.set_mood(Mood::Declines("tools_list_incomplete"));
    let declined = lease(&mut agent).await;
    let report = agent.identity.report(&declined, "{}");
    agent.deliver(report).await;
    let reason = coordinator.event("the refusal to sign", |event| match event {
        Event::Declined { reason, .. } => Some(reason),
        _ => None,
    });
    assert_eq!(reason.await, "tools_list_incomplete");
    signer.set_mood(Mood::Fails(Status::permission_denied("unknown agent")));
    let refused = lease(&mut agent).await;
    let report = agent.identity.report(&refused, "{}");
    agent.deliver(report).await;
    let (run_id, reason) = coordinator
        .event("the refusal to look", |event| match event {
            Event::Refused { run_id, reason, .. } => Some((run_id, reason)),
            _ => None,
        })
        .await;
    assert_eq!((run_id, reason.as_str()), (refused.run_id, "unknown agent"));
    let (_, health) = coordinator.get("/healthz").await;
    assert!(health.contains(r#""pending":0"#), "{health}");
    drop(agent);
    coordinator.stop().await;
}

async fn a_restart_loses_nothing(engines: Engines) {
    let (site, signer, coordinator, mut agent) =
        spine(engines, &[URL, "https://b.example/mcp"]).await;
    agent.credits(2).await;
    let (done, open) = (agent.lease().await, agent.lease().await);
    let report = agent.identity.report(&done, "{}");
    assert_eq!(agent.deliver(report).await, Outcome::Stored);
    drop(agent);
    coordinator.stop().await;
    // Without the signer: the roster is known from before.
    signer.go_away();
    let mut coordinator = site.start(&[URL, "https://c.example/mcp"]).await;
    assert_eq!(coordinator.targets, 3, "one is new, none went");
    let mut agent = connect(&site, 1).await;
    let spooled = agent.identity.report(&open, "{}");
    assert_eq!(
        agent.deliver(spooled).await,
        Outcome::Stored,
        "a lease of before"
    );
    let lease = lease(&mut agent).await;
    assert_eq!(lease.endpoint_url, "https://c.example/mcp");
    agent.credits(2).await;
    agent.expect_silence().await;
    signer.come_back();
    coordinator.event("a signature", attested).await;
    drop(agent);
    coordinator.stop().await;
}

async fn a_stranger_gets_no_work(engines: Engines) {
    let (site, signer, coordinator, agent) = spine(engines, &[URL]).await;
    let socket = site.fleet_socket();
    let refusal = async |result: Result<Agent, Status>| match result {
        Err(status) => status.code(),
        Ok(_) => panic!("it was welcomed"),
    };
    let unknown = Agent::connect(&socket, &Identity::new(9)).await;
    assert_eq!(refusal(unknown).await, Code::PermissionDenied);
    let liar = Agent::connect_signing(&socket, &Identity::new(2), |_| vec![0; 64]).await;
    assert_eq!(refusal(liar).await, Code::Unauthenticated);

    signer.revoke(&agent.identity.key_id());
    // The roster is asked anew when someone unknown comes.
    let unknown = Agent::connect(&socket, &Identity::new(9)).await;
    assert_eq!(refusal(unknown).await, Code::PermissionDenied);
    let mut agent = agent;
    let ended = agent.next().await.unwrap_err();
    assert_eq!(ended.code(), Code::PermissionDenied);

    signer.go_away();
    let nobody_knows = Agent::connect(&socket, &Identity::new(9)).await;
    assert_eq!(refusal(nobody_knows).await, Code::Unavailable);
    coordinator.stop().await;
}

async fn enrolment_is_the_signers_to_decide(engines: Engines) {
    let (site, signer, coordinator, _agent) = spine(engines, &[]).await;
    let mut client = FleetServiceClient::new(support::channel(&site.fleet_socket()));
    let mut enrol = async |join_token: &str| {
        let request = EnrolRequest {
            join_token: join_token.to_owned(),
            ..EnrolRequest::default()
        };
        client
            .enrol(request)
            .await
            .map(|enrolled| enrolled.into_inner().region)
    };
    assert_eq!(enrol("good").await.unwrap(), "local");
    assert_eq!(
        enrol("bad").await.unwrap_err().code(),
        Code::PermissionDenied
    );
    signer.go_away();
    assert_eq!(enrol("good").await.unwrap_err().code(), Code::Unavailable);
    coordinator.stop().await;
}

async fn the_same_agent_again_takes_the_place_of_its_dead_connection(engines: Engines) {
    let (site, _signer, coordinator, mut first) = spine(engines, &[URL]).await;
    let held = lease(&mut first).await;
    let mut second = connect(&site, 1).await;
    assert_eq!(first.next().await.unwrap_err().code(), Code::Aborted);
    assert_eq!(lease(&mut second).await.run_id, held.run_id);
    drop(second);
    coordinator.stop().await;
}

async fn an_agent_that_drains_is_given_nothing_more(engines: Engines) {
    let (site, _signer, coordinator, mut agent) =
        spine(engines, &[URL, "https://b.example/mcp"]).await;
    let held = lease(&mut agent).await;
    agent.drain().await;
    agent.credits(5).await;
    agent.expect_silence().await;
    let report = agent.identity.report(&held, "{}");
    assert_eq!(agent.deliver(report).await, Outcome::Stored);
    let mut other = connect(&site, 2).await;
    assert_ne!(lease(&mut other).await.run_id, held.run_id);
    drop((agent, other));
    coordinator.stop().await;
}

async fn a_coordinator_that_goes_tells_its_agents_and_waits_for_their_reports(engines: Engines) {
    let (_site, _signer, coordinator, mut agent) = spine(engines, &[URL]).await;
    let held = lease(&mut agent).await;
    let stopping = tokio::spawn(coordinator.stop());
    assert_eq!(
        agent.next().await.unwrap(),
        Down::Draining(touchstone_proto::fleet::Draining {})
    );
    let report = agent.identity.report(&held, "{}");
    assert_eq!(agent.deliver(report).await, Outcome::Stored);
    within("the end", stopping).await.unwrap();
}

async fn a_locked_database_acknowledges_nothing_and_the_report_comes_again(engines: Engines) {
    let (site, _signer, coordinator, mut agent) = spine(engines, &[URL]).await;
    let lease = lease(&mut agent).await;
    let mut other = site.hold_database().await;
    let report = agent.identity.report(&lease, "{}");
    assert_eq!(agent.deliver(report.clone()).await, Outcome::Retry);
    let (status, health) = coordinator.get("/healthz").await;
    assert_eq!((status, health.contains("locked")), (503, true), "{health}");
    other.execute("ROLLBACK").await.unwrap();
    assert_eq!(agent.deliver(report).await, Outcome::Stored);
    until("a healthy store", async || {
        (coordinator.get("/healthz").await.0 == 200).then_some(())
    })
    .await;
    drop(agent);
    coordinator.stop().await;
}

async fn a_queue_that_forgets_costs_time_alone(engines: Engines) {
    let urls = [URL, "https://b.example/mcp", "https://c.example/mcp"];
    let (site, _signer, coordinator, mut agent) = spine(engines, &urls).await;
    let mut runs = vec![lease(&mut agent).await];
    site.forget_queue().await;
    agent.credits(5).await;
    for _ in 1..urls.len() {
        runs.push(agent.lease().await);
    }
    for run in &runs {
        let report = agent.identity.report(run, "{}");
        assert_eq!(agent.deliver(report).await, Outcome::Stored);
    }
    agent.expect_silence().await;
    drop(agent);
    coordinator.stop().await;
}
