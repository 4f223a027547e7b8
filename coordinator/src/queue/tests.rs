//! What every queue does, on the one in memory and on a real Redis; and what
//! Redis alone can do to us.

use std::{sync::Arc, time::Duration};

use super::{MemoryQueue, Namespace, Queue, QueueError, Queued, RedisQueue};
use crate::{clock::FixedClock, random::SystemRandom, test_services as services};

/// Runs that a queue of these tests holds.
const LIMIT: usize = 3;
/// Longer than a test takes.
const NEVER: Duration = Duration::from_hours(1);

fn memory(claim_after: Duration) -> MemoryQueue {
    MemoryQueue::new(LIMIT, claim_after)
}

/// A queue of a namespace that no other test has.
fn redis(claim_after: Duration) -> RedisQueue {
    redis_in(fresh_namespace(), claim_after)
}

fn fresh_namespace() -> Namespace {
    let mut key = [0; 32];
    getrandom::fill(&mut key).unwrap();
    Namespace::of(&key)
}

fn redis_in(namespace: Namespace, claim_after: Duration) -> RedisQueue {
    redis_at(&services::redis(), namespace).with_limits(LIMIT, claim_after)
}

fn redis_at(url: &str, namespace: Namespace) -> RedisQueue {
    let clock = Arc::new(FixedClock::new(5));
    RedisQueue::new(&url.into(), namespace, clock, Arc::new(SystemRandom)).unwrap()
}

fn run(name: &str, ends_at_ms: i64) -> Queued {
    Queued {
        run_id: name.into(),
        target_id: format!("target of {name}").into(),
        suite: "mcp".to_owned(),
        slot: u64::from(u32::MAX) + 7,
        ends_at_ms,
        region: "fra".into(),
    }
}

async fn push(queue: &dyn Queue, name: &str, ends_at_ms: i64) {
    queue.push(&run(name, ends_at_ms)).await.unwrap();
}

async fn take(queue: &dyn Queue, limit: usize) -> Vec<String> {
    let taken = queue.take("fra", limit).await.unwrap();
    taken.iter().map(|run| run.run_id.to_string()).collect()
}

/// Each of these tests on both queues; the second name is how long until a run
/// that was taken may be taken again.
macro_rules! on_both_queues {
    ($($test:ident($claim_after:expr),)*) => {
        mod in_memory {
            $(#[tokio::test]
            async fn $test() {
                super::$test(&super::memory($claim_after)).await;
            })*
        }
        mod in_redis {
            $(#[tokio::test]
            async fn $test() {
                super::$test(&super::redis($claim_after)).await;
            })*
        }
    };
}

on_both_queues!(
    what_goes_in_comes_out_whole_and_once(super::NEVER),
    a_run_is_in_until_it_is_removed(super::NEVER),
    beyond_its_limit_a_queue_is_full(super::NEVER),
    regions_are_apart(super::NEVER),
    what_the_dead_took_is_taken_again(std::time::Duration::ZERO),
);

async fn what_goes_in_comes_out_whole_and_once(queue: &dyn Queue) {
    for (name, ends_at_ms) in [("soon", 11), ("middle", 15), ("late", 19), ("soon", 11)] {
        push(queue, name, ends_at_ms).await;
    }
    assert_eq!(queue.depth("fra").await.unwrap(), 3);
    assert_eq!(queue.take("fra", 1).await.unwrap(), [run("soon", 11)]);
    assert_eq!(queue.depth("fra").await.unwrap(), 2);
    assert_eq!(take(queue, 9).await, ["middle", "late"]);
    assert!(take(queue, 9).await.is_empty());
    assert_eq!(queue.depth("fra").await.unwrap(), 0);
}

async fn a_run_is_in_until_it_is_removed(queue: &dyn Queue) {
    push(queue, "a", 11).await;
    assert_eq!(take(queue, 9).await, ["a"]);
    push(queue, "a", 11).await;
    assert!(take(queue, 9).await.is_empty(), "it is taken already");
    queue.remove(&run("a", 11)).await.unwrap();
    queue.remove(&run("a", 11)).await.unwrap();
    push(queue, "a", 11).await;
    assert_eq!(queue.depth("fra").await.unwrap(), 1);
    queue.remove(&run("a", 11)).await.unwrap();
    assert!(
        take(queue, 9).await.is_empty(),
        "removed before it was taken"
    );
}

async fn beyond_its_limit_a_queue_is_full(queue: &dyn Queue) {
    for name in ["a", "b", "c"] {
        push(queue, name, 11).await;
    }
    let more = run("more", 11);
    assert!(matches!(queue.push(&more).await, Err(QueueError::Full)));
    push(queue, "a", 11).await;
    assert_eq!(take(queue, 1).await, ["a"]);
    assert!(matches!(queue.push(&more).await, Err(QueueError::Full)));
    queue.remove(&run("a", 11)).await.unwrap();
    push(queue, "more", 11).await;
    assert_eq!(take(queue, 9).await, ["b", "c", "more"]);
}

async fn regions_are_apart(queue: &dyn Queue) {
    push(queue, "a", 11).await;
    assert!(queue.take("iad", 9).await.unwrap().is_empty());
    assert_eq!(queue.depth("iad").await.unwrap(), 0);
    assert_eq!(take(queue, 9).await, ["a"]);
}

async fn what_the_dead_took_is_taken_again(queue: &dyn Queue) {
    push(queue, "a", 11).await;
    push(queue, "b", 12).await;
    assert_eq!(take(queue, 1).await, ["a"]);
    assert_eq!(take(queue, 9).await, ["a", "b"], "the dead one's first");
    queue.remove(&run("a", 11)).await.unwrap();
    assert_eq!(take(queue, 9).await, ["b"]);
}

#[tokio::test]
async fn in_memory_the_run_whose_slot_ends_first_comes_first() {
    let queue = memory(NEVER);
    for (name, ends_at_ms) in [("late", 9), ("soon", 1), ("middle", 5)] {
        push(&queue, name, ends_at_ms).await;
    }
    assert_eq!(take(&queue, 9).await, ["soon", "middle", "late"]);
}

#[tokio::test]
async fn replicas_share_what_is_in_redis() {
    let namespace = fresh_namespace();
    let one = redis_in(namespace.clone(), NEVER);
    let two = redis_in(namespace, NEVER);
    push(&one, "a", 11).await;
    push(&two, "a", 11).await;
    assert_eq!(two.depth("fra").await.unwrap(), 1);
    assert_eq!(take(&two, 9).await, ["a"]);
    assert!(take(&one, 9).await.is_empty());
    one.remove(&run("a", 11)).await.unwrap();
    push(&two, "a", 11).await;
    assert_eq!(take(&one, 9).await, ["a"]);
    assert!(
        take(&redis(NEVER), 9).await.is_empty(),
        "another installation"
    );
}

#[tokio::test]
async fn slots_of_the_past_take_up_no_room_in_redis() {
    let queue = redis(NEVER);
    // It is 5 by the clock.
    for (name, ends_at_ms) in [("past", 4), ("a", 11), ("b", 12)] {
        push(&queue, name, ends_at_ms).await;
    }
    push(&queue, "c", 13).await;
    assert_eq!(take(&queue, 9).await, ["a", "b", "c"]);
}

#[tokio::test]
async fn a_redis_that_forgot_everything_says_so_to_every_replica() {
    let namespace = fresh_namespace();
    let one = redis_in(namespace.clone(), NEVER);
    let two = redis_in(namespace.clone(), NEVER);
    push(&one, "a", 11).await;
    push(&two, "b", 12).await;
    assert_eq!(
        services::forget(&format!("touchstone:{namespace}:*")).await,
        3
    );
    for queue in [&one, &two] {
        let lost = queue.take("fra", 9).await;
        assert!(matches!(lost, Err(QueueError::Lost)), "{lost:?}");
    }
    push(&one, "a", 11).await;
    push(&two, "b", 12).await;
    assert_eq!(take(&two, 9).await, ["a", "b"]);
    assert!(take(&one, 9).await.is_empty(), "said once");
}

#[tokio::test]
async fn while_redis_is_away_calls_fail_at_once_and_nothing_is_forgotten() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let namespace = fresh_namespace();
    let queue = redis_at(&format!("redis://{address}"), namespace);
    let first = queue.push(&run("a", 11)).await;
    assert!(matches!(first, Err(QueueError::Redis { .. })), "{first:?}");
    let next = queue.push(&run("b", 11)).await;
    assert!(matches!(next, Err(QueueError::Away { .. })), "{next:?}");
    // It comes back: a way to the real one opens at the same place.
    let real = services::redis();
    let real = real.trim_start_matches("redis://").trim_end_matches('/');
    let real = real.rsplit('@').next().unwrap().to_owned();
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let mut far = tokio::net::TcpStream::connect(&real).await.unwrap();
            tokio::spawn(async move {
                let _ended = tokio::io::copy_bidirectional(&mut near, &mut far).await;
            });
        }
    });
    let patience = tokio::time::Instant::now() + Duration::from_secs(20);
    loop {
        match queue.take("fra", 9).await {
            Err(QueueError::Lost) => break,
            answer => assert!(tokio::time::Instant::now() < patience, "{answer:?}"),
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    push(&queue, "a", 11).await;
    assert_eq!(take(&queue, 9).await, ["a"]);
}

#[test]
fn a_url_that_makes_no_sense_is_refused_in_one_sentence() {
    use super::{QueueUrlError as Wrong, check_url};
    for (url, checked) in [
        ("redis://127.0.0.1:6379", Ok(())),
        ("rediss://:secret@r.example/2", Ok(())),
        ("amqp://r.example", Err(Wrong::Scheme)),
        ("", Err(Wrong::Scheme)),
        ("redis://r.example/not-a-number", Err(Wrong::Unreadable)),
    ] {
        assert_eq!(check_url(&url.into()), checked, "{url}");
    }
}
