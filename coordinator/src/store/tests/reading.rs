//! The outbox, and what pages read.

use std::sync::Arc;

use touchstone_proto::vocabulary::Scope;

use super::{Fixture, NOON_MS, current_slot, result, signed};
use crate::{
    history::days::DayKind,
    store::{
        Answer,
        read::{Attestation, DirectoryQuery, SignatureFilter},
    },
};

on_both_engines!(
    a_run_waits_in_the_outbox_until_it_is_answered_once,
    the_directory_is_read_part_by_part_and_narrowed,
);

async fn a_run_waits_in_the_outbox_until_it_is_answered_once(fixture: Fixture) {
    let target = fixture.target("https://a.example/mcp").await;
    let slot = current_slot(&target);
    let (one, two) = (result(&target, slot - 1, "1"), result(&target, slot, "2"));
    fixture
        .store
        .record(Arc::new(vec![two.clone(), one.clone()]), NOON_MS)
        .await
        .unwrap();
    let waiting = async |now_ms| {
        let pending = fixture.store.pending(now_ms, 10).await.unwrap();
        pending
            .into_iter()
            .map(|run| run.run_id)
            .collect::<Vec<_>>()
    };
    assert_eq!(waiting(NOON_MS).await.len(), 2);
    assert!(waiting(NOON_MS - 1).await.is_empty());
    fixture
        .store
        .defer(&one.run_id, "the signer stumbled", NOON_MS + 50)
        .await
        .unwrap();
    assert_eq!(waiting(NOON_MS).await, std::slice::from_ref(&two.run_id));
    assert_eq!(waiting(NOON_MS + 50).await.len(), 2);

    let answer = signed(Scope::Full, "sha256:aa");
    assert!(
        fixture
            .store
            .answer(&two.run_id, answer.clone(), NOON_MS)
            .await
            .unwrap()
    );
    assert!(
        !fixture
            .store
            .answer(&two.run_id, answer, NOON_MS)
            .await
            .unwrap(),
        "only once"
    );
    let declined = Answer::Declined {
        reason_key: "handshake_failed".to_owned(),
        predicate: "{}".to_owned(),
        detail: "{}".to_owned(),
    };
    assert!(
        fixture
            .store
            .answer(&one.run_id, declined, NOON_MS)
            .await
            .unwrap()
    );
    assert_eq!(fixture.store.backlog().await.unwrap().pending, 0);

    let reader = fixture.reader();
    let report = reader.report(&target.slug, None).await.unwrap().unwrap();
    assert_eq!(report.run_count, 2);
    assert!(report.is_newest);
    let shown = report.run.unwrap();
    assert!(matches!(
        shown.run.attestation,
        Attestation::Signed {
            scope: Scope::Full,
            ..
        }
    ));
    assert_eq!(shown.findings.unwrap().predicate, "{\"scope\":\"full\"}");
    assert_eq!(report.runs[0].states.unwrap().verified, 12);
    assert_eq!(
        report.runs[1].run.attestation,
        Attestation::Declined {
            reason_key: "handshake_failed".to_owned(),
            attested_at_ms: NOON_MS,
        }
    );
    assert!(report.tools_unchanged.is_some());
    let today = report.observed_days.days.iter().filter(|day| day.runs > 0);
    assert!(today.clone().all(|day| day.kind == DayKind::Answered));
    assert_eq!(today.map(|day| day.signed).sum::<u32>(), 1);

    let earlier = reader
        .report(&target.slug, Some(&one.run_id))
        .await
        .unwrap()
        .unwrap();
    assert!(!earlier.is_newest);
    assert!(
        reader
            .report(&target.slug, Some("nonsense"))
            .await
            .unwrap()
            .is_none()
    );
    let evidence = reader.evidence(&two.run_id).await.unwrap().unwrap();
    assert_eq!(evidence.envelope.as_deref(), Some(&b"{}"[..]));
    assert_eq!(evidence.observation_digest, two.observation_digest);
    assert!(reader.evidence("nonsense").await.unwrap().is_none());
    assert_eq!(reader.status().await.unwrap().runs, 2);
}

async fn the_directory_is_read_part_by_part_and_narrowed(fixture: Fixture) {
    for name in ["alpha", "beta", "gamma", "delta"] {
        fixture
            .target(&format!("https://{name}.example/Mcp_1"))
            .await;
    }
    let alpha = fixture.target("https://alpha.example/Mcp_1").await;
    let run = result(&alpha, current_slot(&alpha), "x");
    fixture.record(run.clone()).await;
    let answer = signed(Scope::Limited, "sha256:aa");
    fixture
        .store
        .answer(&run.run_id, answer, NOON_MS)
        .await
        .unwrap();
    let reader = fixture.reader();
    let names = async |query: DirectoryQuery| {
        let page = reader.directory(&query).await.unwrap();
        let slugs = page.entries.into_iter().map(|entry| entry.target.slug);
        (slugs.collect::<Vec<_>>(), page.next, page.total)
    };
    let first = names(DirectoryQuery {
        limit: 3,
        ..Default::default()
    })
    .await;
    assert_eq!(first.2, 4);
    assert_eq!(
        first.0,
        [
            "alpha.example-mcp-1",
            "beta.example-mcp-1",
            "delta.example-mcp-1"
        ]
    );
    let rest = names(DirectoryQuery {
        limit: 3,
        cursor: first.1,
        ..Default::default()
    })
    .await;
    assert_eq!(
        (rest.0.as_slice(), rest.1),
        (&["gamma.example-mcp-1".to_owned()][..], None)
    );
    let text = |text: &str| DirectoryQuery {
        text: text.to_owned(),
        ..Default::default()
    };
    assert_eq!(
        names(text("A_1 BET")).await.2,
        0,
        "an underscore means itself"
    );
    assert_eq!(names(text("p_1 BET")).await.2, 1);
    assert_eq!(names(text("100%")).await.2, 0);
    let filter = |filter| DirectoryQuery {
        signature: Some(filter),
        ..Default::default()
    };
    assert_eq!(
        names(filter(SignatureFilter::Limited)).await.0,
        ["alpha.example-mcp-1"]
    );
    assert_eq!(names(filter(SignatureFilter::None)).await.2, 3);
    assert_eq!(names(filter(SignatureFilter::Full)).await.2, 0);
}
