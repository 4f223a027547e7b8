//! A database that is locked, full, read-only, foreign or too new.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use sqlx::Executor as _;

use super::{Fixture, NOON_MS, current_slot, options, result};
use crate::store::{Options, Recorded, Store, StoreError, read::StoreHealth};

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
    assert_eq!(
        fixture.record(run).await,
        Recorded::Stored { was_missed: false }
    );
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
    // No connection was spoilt by it.
    for slot in slot - 20..=slot {
        let small = Arc::new(vec![result(&target, slot, "small")]);
        let stored = store.record(small, NOON_MS).await.unwrap();
        assert_eq!(stored, [Recorded::Stored { was_missed: false }]);
    }
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
async fn nobody_else_on_the_machine_can_read_the_database() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new().await;
    fixture.target("https://a.example/mcp").await;
    let folder = fixture.folder.path().join("deep");
    assert_eq!(
        folder.metadata().unwrap().permissions().mode() & 0o777,
        0o700
    );
    for file in std::fs::read_dir(folder).unwrap() {
        let metadata = file.unwrap().metadata().unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    }
}
