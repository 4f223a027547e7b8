//! How many results a second a store takes: `cargo run --release --example store
//! -- URL [RESULTS [BATCH [WRITERS]]]`. The database must be empty. Each result
//! has an observation of 2 KB, three bodies that every result shares and one of
//! its own, and is committed to disk before it counts. Prints one line of JSON.
//!
//! Over TLS, which a PostgreSQL URL takes by itself where the server offers it, the
//! driver writes each record apart and leaves Nagle's algorithm on, so that every
//! batch waits for delayed acknowledgements of about 40 ms each. `sslmode=disable`
//! and a Unix socket (`?host=/var/run/postgresql`) have none of it; several writers
//! hide it.

use std::{process::ExitCode, sync::Arc, time::Instant};

use tokio::task::JoinSet;
use touchstone_coordinator::{
    history::reach::Reach,
    service_url::ServiceUrl,
    store::{NewBody, NewRun, Options, Recorded, Store, StoreError},
    targets::{EndpointSource, Seed, Target, Tier},
};

/// Targets that the results are of.
const TARGETS: usize = 1_000;
/// 2026-11-30 12:00 UTC.
const NOON_MS: i64 = 1_796_040_000_000;
const OBSERVATION_BYTES: usize = 2_048;
const SHARED_BODIES: u8 = 3;

#[tokio::main]
async fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(url) = arguments.next() else {
        eprintln!("usage: store URL [RESULTS [BATCH [WRITERS]]]");
        return ExitCode::from(2);
    };
    let mut number = |default| {
        let given = arguments.next().and_then(|text| text.parse().ok());
        given.filter(|&given| given > 0).unwrap_or(default)
    };
    let (results, batch, writers) = (number(20_000), number(64), number(1));
    match measure(url.into(), results, batch, writers).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}", touchstone_telemetry::Chain(&error));
            ExitCode::FAILURE
        }
    }
}

async fn measure(
    url: ServiceUrl,
    results: usize,
    batch: usize,
    writers: usize,
) -> Result<(), StoreError> {
    let engine = url.scheme().to_owned();
    let store = Store::open(Options::new(url)).await?;
    let seeds = (0..TARGETS).filter_map(|index| {
        let url = format!("https://server-{index}.example/mcp");
        let regions = vec!["fra".to_owned()];
        Seed::parse(&url, EndpointSource::Operator, Tier::Indie, regions).ok()
    });
    store.add_targets(seeds.collect(), NOON_MS).await?;
    let known = store.known_targets().await?;
    let targets: Vec<Arc<Target>> = known.into_iter().map(|known| known.target).collect();
    let runs: Vec<NewRun> = (0..results)
        .map(|index| result(&targets[index % targets.len()], index))
        .collect();
    let batches: Vec<Vec<NewRun>> = runs.chunks(batch).map(<[NewRun]>::to_vec).collect();
    let mut shares: Vec<Vec<Vec<NewRun>>> = vec![Vec::new(); writers];
    for (index, batch) in batches.into_iter().enumerate() {
        shares[index % writers].push(batch);
    }
    let began = Instant::now();
    let mut writing = JoinSet::new();
    for share in shares {
        let store = store.clone();
        writing.spawn(async move {
            let mut stored = 0;
            for batch in share {
                let recorded = store.record(Arc::new(batch), NOON_MS).await?;
                let new = recorded
                    .iter()
                    .filter(|one| matches!(one, Recorded::Stored { .. }));
                stored += new.count();
            }
            Ok::<_, StoreError>(stored)
        });
    }
    let mut stored = 0;
    while let Some(share) = writing.join_next().await {
        // A writer that panicked stored nothing that counts.
        stored += share.unwrap_or(Ok(0))?;
    }
    let seconds = began.elapsed().as_secs_f64();
    let line = serde_json::json!({
        "engine": engine,
        "stored": stored,
        "batch": batch,
        "writers": writers,
        "seconds": seconds,
        "per_second": (f64::from(u32::try_from(stored).unwrap_or(u32::MAX)) / seconds).round(),
    });
    println!("{line}");
    store.close().await;
    Ok(())
}

/// Bytes that do not compress, others for every seed.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    // xorshift64 (Marsaglia 2003): any sequence without structure would do.
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[0]
    });
    next.take(length).collect()
}

fn digest(seed: u64) -> [u8; 32] {
    noise(seed, 32).try_into().unwrap_or_default()
}

fn result(target: &Target, index: usize) -> NewRun {
    let number = index as u64;
    let observation = noise(number + 1, OBSERVATION_BYTES);
    let own = number + 1_000_000;
    let shared = (0..SHARED_BODIES).map(|body| NewBody::pack(&[body; 32], &[b'x'; 8_192]));
    let bodies = shared
        .chain([NewBody::pack(&digest(own), &noise(own, 1_024))])
        .collect();
    NewRun {
        run_id: format!("{number:064x}"),
        target_id: Arc::clone(&target.target_id),
        suite: "mcp".to_owned(),
        slot: number,
        slot_at_ms: NOON_MS,
        region: "fra".to_owned(),
        agent_key_id: "a1".repeat(32),
        endpoint_url: target.url.clone(),
        started_at_ms: NOON_MS,
        finished_at_ms: NOON_MS + 900,
        observation,
        signature: vec![9; 64],
        observation_digest: format!("{number:064x}"),
        bodies,
        reach: Reach::Answered,
        wait: None,
    }
}
