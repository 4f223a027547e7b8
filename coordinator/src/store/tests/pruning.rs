//! What is deleted when its time is over, and what never is.

use std::sync::Arc;

use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};
use sqlx::{Executor as _, Row as _};
use touchstone_proto::vocabulary::Scope;

use super::{Fixture, NOON_MS, listing, result, signed, slots};
use crate::{
    clock::FixedClock,
    history::{
        days::{DAY_MS, day_of},
        reach::{Cause, Reach},
    },
    random::CountedRandom,
    schedule::Missed,
    store::{Answer, NewRun, RUNS_AT_ONCE, read::MissedCause},
    targets::Target,
    tasks::prune::Prune,
};

on_both_engines!(
    what_a_page_needs_is_kept_and_the_rest_goes,
    changes_are_told_between_runs_that_are_all_there,
    a_body_goes_with_the_last_run_that_brought_it,
    a_body_that_an_older_version_stored_has_its_time,
    no_figure_of_an_observed_day_changes,
);

const ONE: &str = r#"[{"name":"one"}]"#;
const OTHER: &str = r#"[{"name":"other"}]"#;

/// The slot of a target that starts in the morning of so many days ago.
fn slot_of(target: &Target, days_ago: i64) -> u64 {
    slots(target).slot_at((day_of(NOON_MS) - days_ago) * DAY_MS + DAY_MS / 2 - 1)
}

/// A result of so many days ago.
fn run_of(target: &Target, days_ago: i64, body: &str) -> NewRun {
    result(target, slot_of(target, days_ago), body)
}

impl Fixture {
    async fn prune(&self, kept_days: u32) {
        let prune = Prune {
            store: self.store.clone(),
            clock: Arc::new(FixedClock::new(NOON_MS)),
            random: Arc::new(CountedRandom::default()),
            kept_days: Some(kept_days),
        };
        prune.prune(kept_days).await.unwrap();
    }

    /// Stores a run at the time of its end, as it is.
    async fn record_then(&self, run: &NewRun) {
        let at_ms = run.finished_at_ms;
        let recorded = self.store.record(Arc::new(vec![run.clone()]), at_ms).await;
        recorded.unwrap();
    }

    async fn answered(&self, run: &NewRun, answer: Answer) {
        self.record_then(run).await;
        let answered = self.store.answer(&run.run_id, answer, NOON_MS).await;
        assert!(answered.unwrap());
    }

    async fn is_there(&self, run: &NewRun) -> bool {
        self.store.signed(&run.run_id).await.unwrap().is_some()
    }

    async fn count(&self, table: &'static str) -> i64 {
        let sql = format!("SELECT COUNT(*) AS n FROM {table}");
        let mut connection = self.other_connection().await;
        let row = connection.fetch_one(sqlx::AssertSqlSafe(sql)).await;
        row.unwrap().try_get("n").unwrap()
    }
}

async fn what_a_page_needs_is_kept_and_the_rest_goes(fixture: Fixture) {
    let target = fixture.target("https://a.example/mcp").await;
    let old = |days: i64| run_of(&target, 200 + days, &format!("run {days}"));
    let (approved, waiting, plain) = (old(9), old(8), old(7));
    let (before, searched, full) = (old(6), old(5), old(3));
    let (newest, young) = (old(1), run_of(&target, 100, "young"));
    fixture.answered(&approved, signed(Scope::Full, "a")).await;
    fixture.record_then(&waiting).await;
    fixture.answered(&plain, signed(Scope::Limited, "a")).await;
    fixture.answered(&before, listing(ONE)).await;
    fixture.answered(&searched, listing(OTHER)).await;
    // In full, and of a list that is not in the answer.
    let mut unlisted = signed(Scope::Full, "b");
    if let Answer::Signed { listed, .. } = &mut unlisted {
        *listed = None;
    }
    fixture.answered(&full, unlisted).await;
    let refused = Answer::Refused {
        reason: "no".to_owned(),
    };
    fixture.answered(&newest, refused).await;
    let approving = fixture
        .store
        .approve(&target, &approved.run_id, "uid 7", NOON_MS);
    approving.await.unwrap().unwrap();

    fixture.prune(100).await;
    for (name, run, kept) in [
        ("approved", &approved, true),
        ("unanswered by the signer", &waiting, true),
        ("nothing special", &plain, false),
        ("another list", &before, false),
        ("the newest whole list", &searched, true),
        ("the newest in full", &full, true),
        ("the newest", &newest, true),
    ] {
        assert_eq!(fixture.is_there(run).await, kept, "{name}");
    }
    fixture.answered(&young, signed(Scope::Full, "b")).await;
    fixture.prune(100).await;
    assert!(fixture.is_there(&young).await, "its time is not over");
    assert!(!fixture.is_there(&newest).await, "not the newest any more");
    assert!(!fixture.is_there(&full).await);
    // Every day is known still, those of kept runs too.
    assert_eq!(fixture.count("days").await, 7);
    let report = fixture.reader().report(&target.slug, None).await;
    let report = report.unwrap().unwrap();
    assert_eq!(report.run.unwrap().run.run_id, young.run_id);
    assert!(report.baseline.is_some());
    let missing = fixture
        .reader()
        .report(&target.slug, Some(&plain.run_id))
        .await;
    assert!(missing.unwrap().is_none());
}

async fn changes_are_told_between_runs_that_are_all_there(fixture: Fixture) {
    let target = fixture.target("https://a.example/mcp").await;
    let history = async || {
        let found = fixture.reader().tool_changes(&target.slug, None).await;
        found.unwrap().unwrap()
    };
    let approved = run_of(&target, 210, "approved");
    let story = [
        (&approved, ONE),
        (&run_of(&target, 209, "b"), OTHER),
        (&run_of(&target, 208, "c"), ONE),
        (&run_of(&target, 100, "d"), OTHER),
        (&run_of(&target, 99, "e"), OTHER),
        (&run_of(&target, 98, "f"), ONE),
    ];
    for (run, list) in story {
        fixture.answered(run, listing(list)).await;
    }
    let approving = fixture
        .store
        .approve(&target, &approved.run_id, "me", NOON_MS);
    approving.await.unwrap().unwrap();
    let before = history().await;
    assert_eq!(
        (before.changes.total, before.changes.kept_from_ms),
        (4, None)
    );

    fixture.prune(100).await;
    // The approved run is there and its neighbour is not: nothing is told of the
    // two, nor of what is between a pruned run and one that is there.
    let after = history().await;
    let from_ms = (day_of(NOON_MS) - 207) * DAY_MS;
    assert_eq!(after.changes.kept_from_ms, Some(from_ms));
    let told: Vec<_> = after.changes.changes.iter().map(|c| &c.seen).collect();
    let was_told: Vec<_> = before.changes.changes.iter().map(|c| &c.seen).collect();
    assert_eq!(told, was_told[..1]);
    assert_eq!(after.changes.total, 1);
    assert!(after.changes.changes[0].what.is_some());
    // Since when the list is the same does not depend on runs.
    assert_eq!(after.unchanged, before.unchanged);
}

async fn a_body_goes_with_the_last_run_that_brought_it(fixture: Fixture) {
    let target = fixture.target("https://a.example/mcp").await;
    let refused = || Answer::Refused {
        reason: "no".to_owned(),
    };
    for (days_ago, body, answer) in [
        (300, "old", refused()),
        (299, "shared", signed(Scope::Limited, "a")),
        (298, "of the newest", refused()),
        (1, "shared", signed(Scope::Limited, "a")),
    ] {
        let run = run_of(&target, days_ago, body);
        fixture.answered(&run, answer).await;
    }
    let other = fixture.target("https://b.example/mcp").await;
    let kept = run_of(&other, 298, "of the newest");
    fixture.answered(&kept, signed(Scope::Full, "a")).await;
    // More than one transaction deletes.
    for extra in 0..RUNS_AT_ONCE {
        let slot = slot_of(&target, 301) - u64::try_from(extra).unwrap();
        fixture
            .answered(&result(&target, slot, "old"), refused())
            .await;
    }
    assert_eq!(fixture.count("bodies").await, 3);
    fixture.prune(100).await;
    assert_eq!(fixture.count("bodies").await, 2);
    // The newest one of each target.
    assert_eq!(fixture.count("runs").await, 2);
    let signed = fixture.store.signed(&kept.run_id).await.unwrap().unwrap();
    assert_eq!(signed.bodies, ["of the newest"]);
}

async fn a_body_that_an_older_version_stored_has_its_time(fixture: Fixture) {
    // As a replica writes it that does not know of the new column.
    sqlx::query(
        "INSERT INTO bodies (digest, size, zlib) VALUES ($1, $2, $3) \
         ON CONFLICT (digest) DO NOTHING",
    )
    .bind("00")
    .bind(0_i64)
    .bind(&b""[..])
    .execute(&mut fixture.other_connection().await)
    .await
    .unwrap();
    fixture.prune(100).await;
    assert_eq!(fixture.count("bodies").await, 1);
}

/// One thing that happened to a target.
#[derive(Clone, Debug)]
enum Happened {
    Run {
        slots_ago: u64,
        reach: Reach,
        list: Option<u8>,
    },
    Missed {
        slots_ago: u64,
        slots: u64,
        cause: MissedCause,
    },
}

fn happened() -> impl Strategy<Value = Vec<Happened>> {
    let reach = prop_oneof![
        4 => Just(Reach::Answered),
        1 => Just(Reach::Unanswered(Cause::TimedOut)),
        1 => Just(Reach::Unanswered(Cause::ServerError)),
        1 => Just(Reach::NotCounted(Cause::RateLimited)),
    ];
    let cause = prop_oneof![Just(MissedCause::NoAgent), Just(MissedCause::AskedToWait)];
    // Ninety days of an unclaimed target are 180 slots.
    let run =
        (0_u64..175, reach, prop::option::of(0_u8..3)).prop_map(|(slots_ago, reach, list)| {
            Happened::Run {
                slots_ago,
                reach,
                list,
            }
        });
    let missed =
        (0_u64..170, 1_u64..9, cause).prop_map(|(slots_ago, slots, cause)| Happened::Missed {
            slots_ago,
            slots,
            cause,
        });
    prop::collection::vec(prop_oneof![4 => run, 1 => missed], 1..25)
}

async fn happen(fixture: &Fixture, target: &Arc<Target>, happened: Vec<Happened>) {
    let newest = slot_of(target, 0);
    for one in happened {
        match one {
            Happened::Run {
                slots_ago,
                reach,
                list,
            } => {
                let slot = newest - slots_ago;
                let run = NewRun {
                    reach,
                    ..result(target, slot, &format!("slot {slot}"))
                };
                fixture.record_then(&run).await;
                let answer = match list {
                    Some(list) => listing(&format!(r#"[{{"name":"tool {list}"}}]"#)),
                    None => Answer::Refused {
                        reason: "no".to_owned(),
                    },
                };
                let answered = fixture.store.answer(&run.run_id, answer, NOON_MS).await;
                answered.unwrap();
            }
            Happened::Missed {
                slots_ago,
                slots: count,
                cause,
            } => {
                let last_slot = newest - slots_ago;
                let first_slot = last_slot - count;
                let missed = Missed {
                    target: Arc::clone(target),
                    first_slot,
                    last_slot,
                    first_at_ms: slots(target).starts_at(first_slot),
                    last_at_ms: slots(target).starts_at(last_slot),
                    region: "fra".to_owned(),
                    cause,
                };
                let recorded = fixture.store.record_missed(Arc::new(vec![missed]), NOON_MS);
                recorded.await.unwrap();
            }
        }
    }
}

/// Prunes within the observed days, where a configuration cannot: whatever
/// happened, the figures of the days and of the tool list stay as they were.
async fn no_figure_of_an_observed_day_changes(fixture: Fixture) {
    const CASES: usize = 12;
    let mut runner = TestRunner::deterministic();
    for case in 0..CASES {
        let stories = (happened(), 0_u32..90).new_tree(&mut runner).unwrap();
        let (story, kept_days) = stories.current();
        let target = fixture
            .target(&format!("https://case-{case}.example/"))
            .await;
        happen(&fixture, &target, story.clone()).await;
        let figures = async || {
            let report = fixture.reader().report(&target.slug, None).await;
            let report = report.unwrap().unwrap();
            (report.observed_days, report.tools_unchanged)
        };
        let before = figures().await;
        for kept_days in [kept_days, kept_days / 2] {
            fixture.prune(kept_days).await;
            // Ninety days are too many to be printed twice.
            assert!(figures().await == before, "{kept_days} days: {story:?}");
        }
    }
}
