//! Which runs can be approved, which approval is in force, what is compared.

use super::{Fixture, NOON_MS, current_slot, result, signed};
use crate::{
    schedule::slot::run_id,
    store::{Answer, Ineligible, Store, read::Baseline},
    targets::Target,
};
use touchstone_proto::vocabulary::Scope;

on_both_engines!(
    the_newest_approval_is_in_force_and_an_older_run_is_the_undo,
    only_a_stored_run_of_the_target_with_a_complete_list_is_approved,
    a_target_is_named_by_its_slug_or_its_url,
    the_evidence_of_a_compared_run_holds_what_it_was_compared_with,
);

const URL: &str = "https://a.example/mcp";

/// Stores a run of a slot and gives its id.
async fn run(fixture: &Fixture, target: &Target, slot: u64) -> String {
    fixture
        .record(result(target, slot, &format!("list of slot {slot}")))
        .await;
    run_id(&target.target_id, "mcp", slot, "fra")
}

/// Stores a run with what the signer said of it.
async fn answered(fixture: &Fixture, target: &Target, slot: u64, answer: Answer) -> String {
    let id = run(fixture, target, slot).await;
    assert!(fixture.store.answer(&id, answer, NOON_MS).await.unwrap());
    id
}

async fn full(fixture: &Fixture, target: &Target, slot: u64) -> String {
    answered(fixture, target, slot, signed(Scope::Full, "f")).await
}

async fn approve(store: &Store, target: &Target, id: &str, at_ms: i64) -> Baseline {
    let approved = store.approve(target, id, "uid 7", at_ms).await;
    approved.unwrap().unwrap()
}

fn ids(approvals: &[Baseline]) -> Vec<&str> {
    approvals.iter().map(|one| one.run_id.as_str()).collect()
}

async fn the_newest_approval_is_in_force_and_an_older_run_is_the_undo(fixture: Fixture) {
    let target = fixture.target(URL).await;
    let slot = current_slot(&target);
    let first = full(&fixture, &target, slot - 3).await;
    let second = full(&fixture, &target, slot - 2).await;
    let waiting = run(&fixture, &target, slot - 1).await;
    let store = &fixture.store;
    assert_eq!(store.baseline_for(&waiting).await.unwrap(), None);

    let approved = approve(store, &target, &first, NOON_MS).await;
    assert_eq!(
        (approved.approved_at_ms, approved.approved_by.as_str()),
        (NOON_MS, "uid 7")
    );
    // The clock went back; the order of approvals did not.
    approve(store, &target, &second, NOON_MS - 5).await;
    let compared = store.baseline_for(&waiting).await.unwrap().unwrap();
    assert_eq!(Some(compared), store.signed(&second).await.unwrap());
    approve(store, &target, &first, NOON_MS + 5).await;
    // Twice is once.
    let again = approve(store, &target, &first, NOON_MS + 9).await;
    assert_eq!(again.approved_at_ms, NOON_MS + 5);

    let approvals = store.approvals(&target.target_id).await.unwrap();
    assert_eq!(ids(&approvals), [&*first, &*second, &*first]);
    let compared = store.baseline_for(&waiting).await.unwrap().unwrap();
    assert_eq!(compared.bodies, [format!("list of slot {}", slot - 3)]);
    let report = fixture.reader().report(&target.slug, None).await;
    assert_eq!(report.unwrap().unwrap().baseline, Some(again));

    // Another process finds the same.
    let reopened = Store::open(fixture.options()).await.unwrap();
    assert_eq!(
        reopened.approvals(&target.target_id).await.unwrap(),
        approvals
    );
}

async fn only_a_stored_run_of_the_target_with_a_complete_list_is_approved(fixture: Fixture) {
    let target = fixture.target(URL).await;
    let other = fixture.target("https://b.example/mcp").await;
    let slot = current_slot(&target);
    let limited = signed(Scope::Limited, "f");
    let limited = answered(&fixture, &target, slot - 3, limited).await;
    let declined = Answer::Declined {
        reason_key: "tools_list_incomplete".to_owned(),
        predicate: "{}".to_owned(),
        detail: "{}".to_owned(),
    };
    let declined = answered(&fixture, &target, slot - 2, declined).await;
    let waiting = run(&fixture, &target, slot - 1).await;
    let foreign = full(&fixture, &other, current_slot(&other)).await;
    let store = &fixture.store;
    let refusal = async |id: &str| {
        let refused = store.approve(&target, id, "uid 7", NOON_MS).await.unwrap();
        refused.unwrap_err()
    };
    for id in ["no-such-run", &foreign] {
        assert!(
            matches!(refusal(id).await, Ineligible::NoRun { .. }),
            "{id}"
        );
    }
    assert!(matches!(
        refusal(&waiting).await,
        Ineligible::Pending { .. }
    ));
    for (id, named) in [(limited, "limited"), (declined, "declined")] {
        let refused = refusal(&id).await;
        assert!(matches!(refused, Ineligible::NoToolList { .. }));
        assert!(refused.to_string().contains(named), "{refused}");
    }
    assert!(store.approvals(&target.target_id).await.unwrap().is_empty());
    // A baseline is its own target's alone.
    approve(store, &other, &foreign, NOON_MS).await;
    assert_eq!(store.baseline_for(&waiting).await.unwrap(), None);
}

async fn a_target_is_named_by_its_slug_or_its_url(fixture: Fixture) {
    let target = fixture.target(URL).await;
    for name in [&target.slug, URL, "HTTPS://A.example:443/mcp"] {
        let found = fixture.store.target_named(name).await.unwrap();
        assert_eq!(found.unwrap().target_id, target.target_id, "{name}");
    }
    for name in ["", "b.example-mcp", "https://b.example/mcp", "https://"] {
        assert_eq!(fixture.store.target_named(name).await.unwrap(), None);
    }
}

async fn the_evidence_of_a_compared_run_holds_what_it_was_compared_with(fixture: Fixture) {
    let target = fixture.target(URL).await;
    let slot = current_slot(&target);
    let first = full(&fixture, &target, slot - 3).await;
    let second = full(&fixture, &target, slot - 2).await;
    let approved = approve(&fixture.store, &target, &first, NOON_MS).await;
    let mut compared = signed(Scope::Full, "f");
    if let Answer::Signed { predicate, .. } = &mut compared {
        let digest = &approved.observation_digest;
        *predicate = format!(r#"{{"scope":"full","baseline_id":"sha256:{digest}"}}"#);
    }
    let compared = answered(&fixture, &target, slot - 1, compared).await;
    // What is approved later changes nothing about it.
    approve(&fixture.store, &target, &second, NOON_MS).await;
    let reader = fixture.reader();
    let evidence = reader.evidence(&compared).await.unwrap().unwrap();
    assert_eq!(
        evidence.baseline,
        fixture.store.signed(&first).await.unwrap()
    );
    let evidence = reader.evidence(&second).await.unwrap().unwrap();
    assert_eq!(evidence.baseline, None);
}
