//! The store on real databases of both engines, in good days and bad ones.

/// Each of these tests once on SQLite and once on PostgreSQL.
macro_rules! on_both_engines {
    ($($test:ident,)*) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $test() {
                super::$test(super::Fixture::sqlite().await).await;
            })*
        }
        mod postgres {
            $(#[tokio::test]
            async fn $test() {
                super::$test(super::Fixture::postgres().await).await;
            })*
        }
    };
}

mod approving;
mod failing;
mod listing;
mod pruning;
mod reading;
mod schema;
mod sharing;
mod storing;

use std::{path::Path, sync::Arc};

use prost::Message as _;
use sha2::{Digest as _, Sha256};
use sqlx::{AnyConnection, Connection as _, Executor as _};
use tempfile::TempDir;
use touchstone_proto::{
    observation::{Body, EndpointSource, Exchange, Observation, Response, Run},
    vocabulary::Scope,
};

use super::{
    Answer, Listed, Live, NewBody, NewRun, Options, Reader, Recorded, Store, read::StateCounts,
};
use crate::{
    clock::FixedClock,
    history::reach::Reach,
    schedule::slot::{Slots, run_id},
    targets::{Seed, Target, Tier},
    test_services::Database,
};

/// 2026-11-30 12:00 UTC.
const NOON_MS: i64 = 1_796_040_000_000;

/// Where a test's database is.
enum Place {
    Sqlite(TempDir),
    Postgres(Database),
}

impl Place {
    fn options(&self) -> Options {
        let url = match self {
            Self::Sqlite(folder) => {
                let path = folder.path().join("deep/touchstone.sqlite");
                format!("sqlite:{}", path.display())
            }
            Self::Postgres(database) => database.url(),
        };
        Options {
            busy_timeout: std::time::Duration::from_millis(20),
            ..Options::new(url)
        }
    }
}

struct Fixture {
    // Before its place is gone.
    store: Store,
    place: Place,
}

impl Fixture {
    async fn sqlite() -> Self {
        Self::at(Place::Sqlite(TempDir::new().unwrap())).await
    }

    async fn postgres() -> Self {
        Self::at(Place::Postgres(Database::new().await)).await
    }

    async fn at(place: Place) -> Self {
        let store = Store::open(place.options()).await.unwrap();
        Self { store, place }
    }

    /// Another, empty one on the same engine.
    async fn fresh(&self) -> Self {
        match self.place {
            Place::Sqlite(_) => Self::sqlite().await,
            Place::Postgres(_) => Self::postgres().await,
        }
    }

    fn options(&self) -> Options {
        self.place.options()
    }

    /// The folder of a SQLite database.
    fn folder(&self) -> &Path {
        match &self.place {
            Place::Sqlite(folder) => folder.path(),
            Place::Postgres(_) => panic!("it is on a server"),
        }
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
        AnyConnection::connect(self.options().url.expose())
            .await
            .unwrap()
    }

    /// Holds the database so that nobody else can write; dropped, it lets go.
    async fn hold(&self) -> AnyConnection {
        let mut other = self.other_connection().await;
        let hold = match self.place {
            Place::Sqlite(_) => "BEGIN IMMEDIATE",
            Place::Postgres(_) => "BEGIN; LOCK TABLE runs IN EXCLUSIVE MODE",
        };
        other.execute(hold).await.unwrap();
        other
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

/// A list by its canonical text.
fn listed(list: &str) -> Listed {
    let digest = <[u8; 32]>::from(Sha256::digest(list));
    let tools: serde_json::Value = serde_json::from_str(list).unwrap();
    let name = |tool: &serde_json::Value| tool["name"].as_str().unwrap().to_owned();
    Listed {
        names: tools.as_array().unwrap().iter().map(name).collect(),
        fingerprint: Some(format!(
            "sha256:{}",
            data_encoding::HEXLOWER.encode(&digest)
        )),
        text: Some(NewBody::pack(&digest, list.as_bytes())),
    }
}

/// Signed in full, with this list.
fn listing(list: &str) -> Answer {
    let mut answer = signed(Scope::Full, "sha256:same");
    if let Answer::Signed { listed: said, .. } = &mut answer {
        *said = Some(listed(list).into());
    }
    answer
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
        listed: (scope == Scope::Full).then(|| listed("[]").into()),
    }
}
