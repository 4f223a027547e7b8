//! The store on real SQLite files, in good days and bad ones.

use std::sync::Arc;

use prost::Message as _;
use sha2::{Digest as _, Sha256};
use sqlx::{AnyConnection, Connection as _, Executor as _};
use tempfile::TempDir;
use touchstone_proto::{
    observation::{Body, EndpointSource, Exchange, Observation, Response, Run, SignedObservation},
    vocabulary::Scope,
};

use super::{
    Answer, CONFLICTS_LIMIT, Live, NewBody, NewRun, Options, Reader, Recorded, Store, StoreError,
    read::{Attestation, DirectoryQuery, MissedCause, SignatureFilter, StateCounts, StoreHealth},
};
use crate::{
    clock::FixedClock,
    history::{days::DayKind, reach::Reach},
    schedule::{
        Missed,
        slot::{Slots, run_id},
    },
    targets::{Seed, Target, Tier},
};

/// 2026-11-30 12:00 UTC.
const NOON_MS: i64 = 1_796_040_000_000;

struct Fixture {
    folder: TempDir,
    store: Store,
}

impl Fixture {
    async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let store = Store::open(options(&folder)).await.unwrap();
        Self { folder, store }
    }

    async fn target(&self, url: &str) -> Arc<Target> {
        let seed = seed(url);
        let id = seed.target_id.clone();
        self.store.add_targets(vec![seed], NOON_MS).await.unwrap();
        let known = self.store.known_targets().await.unwrap();
        let found = known
            .into_iter()
            .find(|known| *known.target.target_id == *id);
        found.unwrap().target
    }

    async fn record(&self, run: NewRun) -> Recorded {
        let recorded = self.store.record(Arc::new(vec![run]), NOON_MS).await;
        recorded.unwrap()[0]
    }

    fn reader(&self) -> Reader {
        let clock = Arc::new(FixedClock::new(NOON_MS));
        Reader::new(
            self.store.clone(),
            clock,
            Live::nothing(vec!["fra".to_owned()]),
        )
    }

    async fn other_connection(&self) -> AnyConnection {
        AnyConnection::connect(&options(&self.folder).url)
            .await
            .unwrap()
    }
}

fn options(folder: &TempDir) -> Options {
    let path = folder.path().join("deep/touchstone.sqlite");
    Options {
        busy_timeout: std::time::Duration::from_millis(20),
        ..Options::new(format!("sqlite:{}", path.display()))
    }
}

fn seed(url: &str) -> Seed {
    let regions = vec!["fra".to_owned()];
    Seed::parse(url, EndpointSource::Operator, Tier::Unclaimed, regions).unwrap()
}

fn current_slot(target: &Target) -> u64 {
    slots(target).slot_at(NOON_MS)
}

fn slots(target: &Target) -> Slots {
    Slots::new(&target.target_id, target.tier.cadence_ms())
}

/// A result whose one answer has this body.
fn result(target: &Target, slot: u64, body: &str) -> NewRun {
    let digest: [u8; 32] = Sha256::digest(body).into();
    let observation = Observation {
        format: 1,
        run: Some(Run::default()),
        exchanges: vec![Exchange {
            response: Some(Response {
                status: 200,
                body: Some(Body {
                    kept_sha256: digest.to_vec(),
                    kept_size: body.len() as u64,
                    ..Body::default()
                }),
                ..Response::default()
            }),
            ..Exchange::default()
        }],
        ..Observation::default()
    }
    .encode_to_vec();
    let started_at_ms = slots(target).starts_at(slot) + 5;
    NewRun {
        run_id: run_id(&target.target_id, "mcp", slot, "fra"),
        target_id: Arc::clone(&target.target_id),
        suite: "mcp".to_owned(),
        slot,
        slot_at_ms: slots(target).starts_at(slot),
        region: "fra".to_owned(),
        agent_key_id: "a1".repeat(32),
        endpoint_url: target.url.clone(),
        started_at_ms,
        finished_at_ms: started_at_ms + 900,
        observation_digest: data_encoding::HEXLOWER.encode(&Sha256::digest(&observation)),
        observation,
        signature: vec![9; 64],
        bodies: vec![NewBody::pack(&digest, body.as_bytes())],
        reach: Reach::Answered,
        wait: None,
    }
}

fn signed(scope: Scope, fingerprint: &str) -> Answer {
    Answer::Signed {
        scope,
        key_id: "b2".repeat(32),
        envelope: b"{}".to_vec(),
        predicate: "{\"scope\":\"full\"}".to_owned(),
        detail: "{}".to_owned(),
        states: StateCounts {
            failed: 1,
            observed_risk: 0,
            unverified: 2,
            verified: 12,
        },
        toolset_fingerprint: Some(fingerprint.to_owned()),
        schema_fingerprint: None,
    }
}

#[tokio::test]
async fn the_first_result_of_a_slot_is_the_result() {
    let fixture = Fixture::new().await;
    let target = fixture.target("https://a.example/mcp").await;
    let slot = current_slot(&target);
    assert_eq!(
        fixture.record(result(&target, slot, "one")).await,
        Recorded::Stored
    );
    assert_eq!(
        fixture.record(result(&target, slot, "one")).await,
        Recorded::AlreadyStored
    );
    for other in 0..CONFLICTS_LIMIT + 3 {
        let conflict = result(&target, slot, &format!("other {other}"));
        assert_eq!(fixture.record(conflict).await, Recorded::Conflict);
    }
    let id = run_id(&target.target_id, "mcp", slot, "fra");
    let signed = fixture.store.signed(&id).await.unwrap().unwrap();
    let first = result(&target, slot, "one");
    assert_eq!(
        signed,
        SignedObservation {
            observation: first.observation,
            signature: first.signature,
            agent_key_id: first.agent_key_id,
            bodies: vec!["one".into()],
        }
    );
    let report = fixture
        .reader()
        .report(&target.slug, None)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        i64::from(report.run.unwrap().run.conflicts),
        CONFLICTS_LIMIT
    );
}

#[tokio::test]
async fn a_body_that_many_runs_saw_is_stored_once() {
    let fixture = Fixture::new().await;
    let target = fixture.target("https://a.example/mcp").await;
    let slot = current_slot(&target);
    for slot in slot - 3..=slot {
        fixture.record(result(&target, slot, "the same")).await;
    }
    let mut other = fixture.other_connection().await;
    let row = sqlx::query("SELECT COUNT(*) AS n FROM bodies")
        .fetch_one(&mut other)
        .await
        .unwrap();
    assert_eq!(super::row::unsigned(&row, "n").unwrap(), 1);
}

#[tokio::test]
async fn while_another_program_holds_the_database_nothing_is_stored_and_we_say_so() {
    let fixture = Fixture::new().await;
    let target = fixture.target("https://a.example/mcp").await;
    let run = result(&target, current_slot(&target), "one");
    let mut other = fixture.other_connection().await;
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    let refused = fixture
        .store
        .record(Arc::new(vec![run.clone()]), NOON_MS)
        .await;
    assert!(
        matches!(refused, Err(StoreError::Locked { .. })),
        "{refused:?}"
    );
    assert_eq!(fixture.store.health(), StoreHealth::Locked);
    assert!(
        fixture.store.signed(&run.run_id).await.unwrap().is_none(),
        "readers go on"
    );
    other.execute("ROLLBACK").await.unwrap();
    assert_eq!(fixture.record(run).await, Recorded::Stored);
    assert_eq!(fixture.store.health(), StoreHealth::Ok);
}

#[tokio::test]
async fn a_full_database_refuses_whole_batches_and_says_so() {
    let fixture = Fixture::new().await;
    let target = fixture.target("https://a.example/mcp").await;
    fixture.store.close().await;
    let store = Store::open(Options {
        size_limit_bytes: Some(400 * 1024),
        ..options(&fixture.folder)
    })
    .await
    .unwrap();
    let slot = current_slot(&target);
    let small = result(&target, slot, "small");
    // What cannot be compressed needs its size on disk.
    let noise: String = (0..40_000_u32)
        .map(|n| data_encoding::HEXLOWER.encode(&Sha256::digest(n.to_be_bytes())))
        .collect();
    let large = result(&target, slot - 1, &noise[..1_900_000]);
    let batch = Arc::new(vec![small.clone(), large]);
    let refused = store.record(batch, NOON_MS).await;
    assert!(
        matches!(refused, Err(StoreError::Full { .. })),
        "{refused:?}"
    );
    assert_eq!(store.health(), StoreHealth::Full);
    assert!(
        store.signed(&small.run_id).await.unwrap().is_none(),
        "no half batch"
    );
    let stored = store.record(Arc::new(vec![small]), NOON_MS).await.unwrap();
    assert_eq!(stored, [Recorded::Stored]);
}

#[tokio::test]
async fn a_database_that_cannot_be_opened_or_written_is_told_apart() {
    let fixture = Fixture::new().await;
    let target = fixture.target("https://a.example/mcp").await;
    let url = options(&fixture.folder).url;
    let read_only = Store::open(Options::new(format!("{url}?mode=ro"))).await;
    let error = match read_only {
        Err(error) => error,
        Ok(store) => {
            let run = result(&target, current_slot(&target), "one");
            store
                .record(Arc::new(vec![run]), NOON_MS)
                .await
                .unwrap_err()
        }
    };
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");

    let file = fixture.folder.path().join("file");
    std::fs::write(&file, "no folder").unwrap();
    let below = Store::open(Options::new(format!("sqlite:{}/x.sqlite", file.display()))).await;
    assert!(matches!(below, Err(StoreError::Folder { .. })), "{below:?}");
    let garbage = Store::open(Options::new(format!("sqlite:{}", file.display()))).await;
    assert!(
        matches!(garbage, Err(StoreError::Database { .. })),
        "{garbage:?}"
    );
    let engine = Store::open(Options::new("mysql://localhost/x")).await;
    assert!(matches!(engine, Err(StoreError::Scheme { .. })));
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_left_alone() {
    let fixture = Fixture::new().await;
    let mut other = fixture.other_connection().await;
    other
        .execute(
            "INSERT INTO _sqlx_migrations \
             (version, description, success, checksum, execution_time) VALUES (99, 'later', 1, x'00', 0)",
        )
        .await
        .unwrap();
    let newer = Store::open(options(&fixture.folder)).await;
    assert!(
        matches!(newer, Err(StoreError::Migrate { .. })),
        "{newer:?}"
    );
}

#[tokio::test]
async fn targets_are_added_once_and_slugs_never_meet() {
    let fixture = Fixture::new().await;
    let urls = [
        "https://a.example/mcp",
        "http://a.example/mcp",
        "https://a.example/mcp?x",
    ];
    for _ in 0..2 {
        for url in urls {
            fixture.target(url).await;
        }
    }
    let known = fixture.store.known_targets().await.unwrap();
    let mut slugs: Vec<_> = known
        .iter()
        .map(|known| known.target.slug.clone())
        .collect();
    slugs.sort();
    slugs.dedup();
    assert_eq!(slugs.len(), urls.len());
    assert!(slugs.contains(&"a.example-mcp".to_owned()));
    assert!(known.iter().all(|known| known.known_at_ms.is_none()));
}

#[tokio::test]
async fn a_slot_is_never_both_missed_and_stored() {
    let fixture = Fixture::new().await;
    let target = fixture.target("https://a.example/mcp").await;
    let slot = current_slot(&target);
    let missed = |first, last| Missed {
        target: Arc::clone(&target),
        first_slot: first,
        last_slot: last,
        first_at_ms: slots(&target).starts_at(first),
        last_at_ms: slots(&target).starts_at(last),
        region: "fra".to_owned(),
        cause: MissedCause::NoAgent,
    };
    let record = async |ranges: Vec<Missed>| {
        fixture
            .store
            .record_missed(Arc::new(ranges), NOON_MS)
            .await
            .unwrap();
        let report = fixture
            .reader()
            .report(&target.slug, None)
            .await
            .unwrap()
            .unwrap();
        let ranges = report.missed.iter();
        ranges
            .map(|m| (slot - m.first_slot, slot - m.last_slot))
            .collect::<Vec<_>>()
    };
    assert_eq!(record(vec![missed(slot - 9, slot - 5)]).await, [(9, 5)]);
    assert_eq!(
        record(vec![missed(slot - 4, slot - 4)]).await,
        [(9, 4)],
        "one range, longer"
    );
    assert_eq!(
        record(vec![missed(slot - 9, slot - 9)]).await,
        [(9, 4)],
        "twice is once"
    );
    fixture.record(result(&target, slot - 6, "late")).await;
    assert_eq!(record(vec![]).await, [(5, 4), (9, 7)]);
    fixture.record(result(&target, slot - 1, "ran")).await;
    assert_eq!(
        record(vec![missed(slot - 2, slot)]).await,
        [(0, 0), (2, 2), (5, 4), (9, 7)],
        "a stored slot is left out"
    );
    let known = fixture.store.known_targets().await.unwrap();
    assert_eq!(known[0].known_at_ms, Some(slots(&target).starts_at(slot)));
}

#[tokio::test]
async fn a_run_waits_in_the_outbox_until_it_is_answered_once() {
    let fixture = Fixture::new().await;
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

#[tokio::test]
async fn the_directory_is_read_part_by_part_and_narrowed() {
    let fixture = Fixture::new().await;
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
