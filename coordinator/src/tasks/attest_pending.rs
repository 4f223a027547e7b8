//! Has every stored run evaluated and, if it deserves it, signed. Works off the
//! outbox, oldest first, several at a time; while the signer is away runs wait,
//! and are attested when it is back. A run leaves the outbox with an answer and
//! never without, and one on which the signer hangs or fails delays no other.

mod answer;

use std::{collections::HashSet, panic::resume_unwind, sync::Arc, time::Duration};
use touchstone_telemetry::{
    Chain,
    trace::{Attribute, Place, Span},
};

use answer::read;
use tokio::{
    sync::Notify,
    task::{JoinError, JoinSet},
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use touchstone_proto::signer::{AttestResponse, attest_response};

use crate::{
    backoff::pause,
    clock::SharedClock,
    event::{Event, Events, PagesUrl},
    metrics::metrics,
    random::SharedRandom,
    signer::{Signer, SignerError},
    store::{Answer, PendingRun, Store, StoreError},
    targets::run_path,
};

/// Runs that are with the signer at one time: enough that it appends them to its
/// log in batches, and fewer than the 8 requests that it takes from one
/// connection, so that keys, roster and log are answered meanwhile.
pub const ATTESTED_AT_ONCE: usize = 6;
/// Runs that are read from the outbox at once: [`ATTESTED_AT_ONCE`] that are
/// under way, which stand there still, and as many again.
const READ_AT_ONCE: i64 = 12;
/// Between two looks when nothing wakes us.
const LOOK_EVERY: Duration = Duration::from_mins(1);
/// First and longest pause while the signer, or the store, is away.
const AWAY_FIRST: Duration = Duration::from_millis(250);
pub const AWAY_LIMIT: Duration = Duration::from_secs(30);
/// First and longest pause of one run on which the signer fails.
const STUMBLE_FIRST: Duration = Duration::from_secs(5);
pub const STUMBLE_LIMIT: Duration = Duration::from_hours(1);
/// Longest pause of a run on which the signer did not answer.
pub const LATE_LIMIT: Duration = Duration::from_mins(1);

/// See the module.
#[derive(Clone, Debug)]
pub struct AttestPending {
    pub store: Store,
    pub signer: Signer,
    pub clock: SharedClock,
    pub random: SharedRandom,
    pub events: Events,
    pub pages: PagesUrl,
    /// Notified after results were stored.
    pub stored: Arc<Notify>,
    /// Told after a run was signed, and so logged.
    pub logged: Arc<Notify>,
}

/// How asking about one run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// It was answered, or waits for its own next attempt.
    Settled,
    /// Signer or store are out of reach.
    Away,
}

impl AttestPending {
    /// Works until `end` is cancelled; calls that are under way are finished.
    pub async fn run(self, end: CancellationToken) {
        let task = Arc::new(self);
        let mut under_way = UnderWay::default();
        let mut pace = Pace::new();
        loop {
            tokio::select! {
                () = end.cancelled() => break,
                Some(asked) = under_way.next() => pace.note(asked, &task),
                // While the signer is away more results change nothing.
                () = task.stored.notified(), if pace.failures == 0 => pace.look_at = Instant::now(),
                () = tokio::time::sleep_until(pace.look_at), if under_way.has_room() => {
                    match task.begin(&mut under_way).await {
                        Ok(wait) => pace.look_at = Instant::now() + wait,
                        // Logged by the store.
                        Err(_) => pace.note(Asked::Away, &task),
                    }
                }
            }
        }
        while under_way.next().await.is_some() {}
    }

    /// Begins with what is due and not under way, as far as there is room.
    /// Returns how long nothing else is due; who is done sooner says so.
    async fn begin(self: &Arc<Self>, under_way: &mut UnderWay) -> Result<Duration, StoreError> {
        let now_ms = self.clock.now_ms();
        for run in self.store.pending(now_ms, READ_AT_ONCE).await? {
            if under_way.has_room() {
                under_way.begin(self, run);
            }
        }
        let next = self.store.next_attempt_after(now_ms).await?;
        Ok(next.map_or(LOOK_EVERY, |at_ms| {
            let wait_ms = at_ms.saturating_sub(now_ms).max(0);
            Duration::from_millis(wait_ms.unsigned_abs()).min(LOOK_EVERY)
        }))
    }

    async fn attest(&self, run: &PendingRun) -> Result<Asked, StoreError> {
        let Some(signed) = self.store.signed(&run.run_id).await? else {
            return self.refuse(run, "the observation is gone").await;
        };
        let baseline = self.store.baseline_for(&run.run_id).await?;
        let root = Place::of_run(&run.run_id);
        let mut span = Span::begin("attest", &root);
        span.set(Attribute::RunId, &*run.run_id);
        span.set(Attribute::Attempts, run.attempts);
        let place = span.place_or(&root);
        let began = Instant::now();
        let answer = self.signer.attest(signed, baseline).await;
        let result = result_word(&answer);
        metrics().attested(result, began.elapsed());
        trace_answer(&mut span, &place, &answer, result);
        let _storing = Span::begin("store_attestation", &place);
        match answer {
            Ok(response) => match read(response, &run.run_id) {
                Ok(answer) => self.keep(run, answer).await,
                Err(error) => self.defer(run, &error, STUMBLE_LIMIT).await,
            },
            Err(SignerError::Away(status)) => {
                tracing::debug!(status.code = ?status.code(), "the signer is away");
                Ok(Asked::Away)
            }
            Err(SignerError::Refused(status)) => self.refuse(run, status.message()).await,
            Err(error @ SignerError::Stumbled(_)) => self.defer(run, &error, STUMBLE_LIMIT).await,
            Err(error @ SignerError::Late(_)) => {
                // Should it hang as a whole, this one has not waited for long.
                self.defer(run, &error, LATE_LIMIT).await?;
                Ok(Asked::Away)
            }
        }
    }

    async fn refuse(&self, run: &PendingRun, reason: &str) -> Result<Asked, StoreError> {
        tracing::warn!(
            run.id = run.run_id,
            reason,
            "the signer refused a run for good"
        );
        let reason = reason.chars().take(REASON_LIMIT).collect();
        self.keep(run, Answer::Refused { reason }).await
    }

    /// The signer failed on this run; others go on.
    async fn defer(
        &self,
        run: &PendingRun,
        error: &(dyn std::error::Error + Send + Sync + 'static),
        limit: Duration,
    ) -> Result<Asked, StoreError> {
        tracing::warn!(run.id = run.run_id, error = %Chain(error), "the signer failed on a run");
        let wait = pause(STUMBLE_FIRST, limit, run.attempts, &*self.random);
        let wait_ms = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
        let next_at_ms = self.clock.now_ms().saturating_add(wait_ms);
        let text = error.to_string();
        self.store.defer(&run.run_id, &text, next_at_ms).await?;
        Ok(Asked::Settled)
    }

    async fn keep(&self, run: &PendingRun, answer: Answer) -> Result<Asked, StoreError> {
        let event = self.event(run, &answer);
        let now_ms = self.clock.now_ms();
        let signed = matches!(answer, Answer::Signed { .. });
        if self.store.answer(&run.run_id, answer, now_ms).await? {
            self.events.tell(event);
        }
        if signed {
            self.logged.notify_one();
        }
        Ok(Asked::Settled)
    }

    fn event(&self, run: &PendingRun, answer: &Answer) -> Event {
        let page_url = self.pages.page(&run_path(&run.slug, &run.run_id));
        let run = run.clone();
        match answer {
            Answer::Signed {
                scope,
                key_id,
                states,
                ..
            } => Event::Attested {
                target_id: run.target_id,
                url: run.url,
                slug: run.slug,
                run_id: run.run_id,
                slot: run.slot,
                scope: scope.as_str(),
                key_id: key_id.clone(),
                states: *states,
                page_url,
            },
            Answer::Declined { reason_key, .. } => Event::Declined {
                target_id: run.target_id,
                url: run.url,
                slug: run.slug,
                run_id: run.run_id,
                slot: run.slot,
                reason: reason_key.clone(),
                page_url,
            },
            Answer::Refused { reason } => Event::Refused {
                target_id: run.target_id,
                url: run.url,
                slug: run.slug,
                run_id: run.run_id,
                slot: run.slot,
                reason: reason.clone(),
            },
        }
    }
}

/// The runs that are with the signer. They stand in the outbox still.
#[derive(Debug, Default)]
struct UnderWay {
    runs: HashSet<String>,
    asking: JoinSet<(String, Asked)>,
}

impl UnderWay {
    fn has_room(&self) -> bool {
        self.runs.len() < ATTESTED_AT_ONCE
    }

    fn begin(&mut self, task: &Arc<AttestPending>, run: PendingRun) {
        if !self.runs.insert(run.run_id.clone()) {
            return;
        }
        let task = Arc::clone(task);
        self.asking.spawn(async move {
            // An error of the store is logged by the store.
            let asked = task.attest(&run).await.unwrap_or(Asked::Away);
            (run.run_id, asked)
        });
    }

    /// `None` when none is under way.
    async fn next(&mut self) -> Option<Asked> {
        let (run_id, asked) = match self.asking.join_next().await? {
            Ok(done) => done,
            Err(error) => gone(error),
        };
        self.runs.remove(&run_id);
        Some(asked)
    }
}

/// Nobody cancels one, so it panicked, and so does the whole.
fn gone(error: JoinError) -> ! {
    match error.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(error) => panic!("a request to the signer ended: {error}"),
    }
}

/// When the outbox is looked at.
#[derive(Debug)]
struct Pace {
    look_at: Instant,
    /// In a row. Those that come while we pause already are one.
    failures: u32,
    paused_until: Instant,
}

impl Pace {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            look_at: now,
            failures: 0,
            paused_until: now,
        }
    }

    fn note(&mut self, asked: Asked, task: &AttestPending) {
        let now = Instant::now();
        match asked {
            Asked::Settled => {
                self.failures = 0;
                self.look_at = now;
                self.paused_until = now;
            }
            Asked::Away if now < self.paused_until => {}
            Asked::Away => {
                let wait = pause(AWAY_FIRST, AWAY_LIMIT, self.failures, &*task.random);
                self.failures = self.failures.saturating_add(1);
                self.paused_until = now + wait;
                self.look_at = self.paused_until;
            }
        }
    }
}

/// What the signer may come to, as labels.
pub(crate) const RESULTS: [&str; 7] = [
    "signed", "declined", "empty", "away", "refused", "stumbled", "late",
];

/// What the signer came to, one of [`RESULTS`].
fn result_word(answer: &Result<AttestResponse, SignerError>) -> &'static str {
    match answer {
        Ok(response) => match response.result {
            Some(attest_response::Result::Attested(_)) => "signed",
            Some(attest_response::Result::Declined(_)) => "declined",
            None => "empty",
        },
        Err(SignerError::Away(_)) => "away",
        Err(SignerError::Refused(_)) => "refused",
        Err(SignerError::Stumbled(_)) => "stumbled",
        Err(SignerError::Late(_)) => "late",
    }
}

/// The signer has no network: what it says of its own steps is written here.
fn trace_answer(
    span: &mut Span,
    place: &Place,
    answer: &Result<AttestResponse, SignerError>,
    result: &'static str,
) {
    span.set(Attribute::Outcome, result);
    let Ok(response) = answer else {
        return span.fail(result);
    };
    if let Some(attest_response::Result::Attested(attested)) = &response.result {
        span.set(Attribute::KeyId, &*attested.key_id);
    }
    if let Some(timings) = &response.timings {
        drop(Span::over(
            "sign",
            place,
            Duration::from_micros(timings.attested_us),
        ));
    }
}

/// Longest reason of a refusal that is kept, in characters.
const REASON_LIMIT: usize = 500;
