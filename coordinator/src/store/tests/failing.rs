//! A database that is locked, full, read-only, foreign or too new.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use sqlx::Executor as _;

use super::{Fixture, NOON_MS, current_slot, result};
use crate::store::{Options, Recorded, Store, StoreError, read::StoreHealth};

on_both_engines!(
    while_another_program_holds_the_database_nothing_is_stored_and_we_say_so,
    a_database_of_a_newer_version_is_left_alone,
);

async fn while_another_program_holds_the_database_nothing_is_stored_and_we_say_so(
    fixture: Fixture,
) {
    let target = fixture.target("https://a.example/mcp").await;
    let run = result(&target, current_slot(&target), "one");
    let mut other = fixture.hold().await;
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
    let fixture = Fixture::sqlite().await;
    let target = fixture.target("https://a.example/mcp").await;
    fixture.store.close().await;
    let store = Store::open(Options {
        size_limit_bytes: Some(400 * 1024),
        ..fixture.options()
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
    let fixture = Fixture::sqlite().await;
    let target = fixture.target("https://a.example/mcp").await;
    let url = fixture.options().url;
    let read_only = Store::open(Options::new(format!("{}?mode=ro", url.expose()))).await;
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

    let file = fixture.folder().join("file");
    std::fs::write(&file, "no folder").unwrap();
    let below = Store::open(Options::new(format!("sqlite:{}/x.sqlite", file.display()))).await;
    assert!(matches!(below, Err(StoreError::Folder { .. })), "{below:?}");
    let garbage = Store::open(Options::new(format!("sqlite:{}", file.display()))).await;
    assert!(
        matches!(garbage, Err(StoreError::Database { .. })),
        "{garbage:?}"
    );
    let engine = Store::open(Options::new("mysql://localhost/x")).await;
    assert!(matches!(engine, Err(StoreError::Url { .. })));
}

async fn a_database_of_a_newer_version_is_left_alone(fixture: Fixture) {
    let mut other = fixture.other_connection().await;
    other
        .execute(
            "INSERT INTO _sqlx_migrations \
             (version, description, success, checksum, execution_time) VALUES (99, 'later', TRUE, '00', 0)",
        )
        .await
        .unwrap();
    let newer = Store::open(fixture.options()).await;
    assert!(
        matches!(newer, Err(StoreError::Migrate { .. })),
        "{newer:?}"
    );
}

#[tokio::test]
async fn nobody_else_on_the_machine_can_read_the_database() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::sqlite().await;
    fixture.target("https://a.example/mcp").await;
    let folder = fixture.folder().join("deep");
    assert_eq!(
        folder.metadata().unwrap().permissions().mode() & 0o777,
        0o700
    );
    for file in std::fs::read_dir(folder).unwrap() {
        let metadata = file.unwrap().metadata().unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    }
}

#[tokio::test]
async fn a_server_that_is_read_only_or_not_there_is_told_apart() {
    let fixture = Fixture::postgres().await;
    let target = fixture.target("https://a.example/mcp").await;
    let mut other = fixture.other_connection().await;
    other
        .execute(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', \
             current_database()); END $$",
        )
        .await
        .unwrap();
    let read_only = Store::open(fixture.options()).await;
    let error = match read_only {
        Err(error) => error,
        Ok(store) => {
            let run = result(&target, current_slot(&target), "one");
            let refused = store.record(Arc::new(vec![run]), NOON_MS).await;
            assert_eq!(store.health(), StoreHealth::ReadOnly);
            refused.unwrap_err()
        }
    };
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = listener.local_addr().unwrap();
    drop(listener);
    let url = format!("postgres://someone:secret@{nobody}/x");
    let away = Store::open(Options::new(url)).await.unwrap_err();
    assert!(matches!(away, StoreError::Away { .. }), "{away:?}");
    let missing = fixture.options().url.expose().to_owned() + "_missing";
    let missing = Store::open(Options::new(missing)).await.unwrap_err();
    assert!(
        matches!(missing, StoreError::Database { .. }),
        "{missing:?}"
    );
    let unusable = Store::open(Options::new("postgres://someone:secret@h")).await;
    let shown = format!("{away:?} {away} {:?}", unusable.unwrap_err());
    assert!(!shown.contains("secret"), "{shown}");
}
