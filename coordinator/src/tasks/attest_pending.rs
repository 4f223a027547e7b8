//! Has every stored run evaluated and, if it deserves it, signed. Works off the
//! outbox, oldest first; while the signer is away runs wait, and are attested
//! when it is back. A run leaves the outbox with an answer and never without.

use std::{sync::Arc, time::Duration};
use touchstone_telemetry::{
    Chain,
    trace::{Attribute, Place, Span},
};

use data_encoding::HEXLOWER;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tokio::{sync::Notify, time::Instant};
use tokio_util::sync::CancellationToken;
use touchstone_proto::{
    signer::{AttestResponse, attest_response},
    vocabulary::{Scope, State},
};

use crate::{
    backoff::pause,
    clock::SharedClock,
    event::{Event, Events, PagesUrl},
    metrics::metrics,
    random::SharedRandom,
    signer::{Signer, SignerError},
    store::{Answer, Listed, NewBody, PendingRun, Store, StoreError, read::StateCounts},
    targets::run_path,
};

/// Runs that are read from the outbox at once.
const BATCH_LIMIT: i64 = 32;
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
}

/// How one pass over the outbox ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// Something was answered; there may be more.
    Progress,
    /// Nothing is due.
    Idle,
    /// Signer or store are out of reach.
    Away,
}

impl AttestPending {
    /// Works until `end` is cancelled; a call that is under way is finished.
    pub async fn run(self, end: CancellationToken) {
        let mut failures = 0;
        while !end.is_cancelled() {
            let wait = match self.pass(&end).await {
                Ok(Pass::Progress) => {
                    failures = 0;
                    continue;
                }
                Ok(Pass::Idle) => {
                    failures = 0;
                    self.until_due().await
                }
                Ok(Pass::Away) | Err(_) => {
                    // A store's error is logged by the store.
                    failures += 1;
                    pause(AWAY_FIRST, AWAY_LIMIT, failures - 1, &*self.random)
                }
            };
            tokio::select! {
                () = end.cancelled() => return,
                // While the signer is away more results change nothing.
                () = self.stored.notified(), if failures == 0 => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    async fn until_due(&self) -> Duration {
        let next = self.store.next_attempt_at_ms().await.ok().flatten();
        next.map_or(LOOK_EVERY, |at_ms| {
            let wait_ms = at_ms.saturating_sub(self.clock.now_ms()).max(0);
            Duration::from_millis(wait_ms.unsigned_abs()).min(LOOK_EVERY)
        })
    }

    async fn pass(&self, end: &CancellationToken) -> Result<Pass, StoreError> {
        let now_ms = self.clock.now_ms();
        let batch = self.store.pending(now_ms, BATCH_LIMIT).await?;
        if batch.is_empty() {
            return Ok(Pass::Idle);
        }
        for run in batch {
            if end.is_cancelled() {
                break;
            }
            if self.attest(&run).await? == Pass::Away {
                return Ok(Pass::Away);
            }
        }
        Ok(Pass::Progress)
    }

    async fn attest(&self, run: &PendingRun) -> Result<Pass, StoreError> {
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
                Ok(Pass::Away)
            }
            Err(SignerError::Refused(status)) => self.refuse(run, status.message()).await,
            Err(error @ SignerError::Stumbled(_)) => self.defer(run, &error, STUMBLE_LIMIT).await,
            Err(error @ SignerError::Late(_)) => {
                // Should it hang on this run alone, the next one is tried next;
                // should it hang as a whole, this one has not waited for long.
                self.defer(run, &error, LATE_LIMIT).await?;
                Ok(Pass::Away)
            }
        }
    }

    async fn refuse(&self, run: &PendingRun, reason: &str) -> Result<Pass, StoreError> {
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
    ) -> Result<Pass, StoreError> {
        tracing::warn!(run.id = run.run_id, error = %Chain(error), "the signer failed on a run");
        let wait = pause(STUMBLE_FIRST, limit, run.attempts, &*self.random);
        let wait_ms = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
        let next_at_ms = self.clock.now_ms().saturating_add(wait_ms);
        let text = error.to_string();
        self.store.defer(&run.run_id, &text, next_at_ms).await?;
        Ok(Pass::Progress)
    }

    async fn keep(&self, run: &PendingRun, answer: Answer) -> Result<Pass, StoreError> {
        let event = self.event(run, &answer);
        let now_ms = self.clock.now_ms();
        if self.store.answer(&run.run_id, answer, now_ms).await? {
            self.events.tell(event);
        }
        Ok(Pass::Progress)
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

/// An answer that makes no sense; asked again later, since a signer of another
/// version may be on its way.
#[derive(Debug, thiserror::Error)]
enum Nonsense {
    #[error("reading the signer's answer: its predicate cannot be read")]
    Predicate(#[from] serde_json::Error),
    #[error("reading the signer's answer: it is not UTF-8")]
    Text(#[from] std::string::FromUtf8Error),
    #[error("reading the signer's answer: it is about another run")]
    OtherRun,
    #[error("reading the signer's answer: it neither signs nor declines")]
    Empty,
    #[error("reading the signer's answer: scope and signature do not fit together")]
    Scope,
    #[error("reading the signer's answer: the tool list is not the one that was fingerprinted")]
    OtherList,
}

/// As much of a predicate as lists and counts need.
#[derive(Debug, Deserialize)]
struct Predicate {
    run: Run,
    scope: Option<Scope>,
    assertions: Vec<Assertion>,
    toolset_fingerprint: Option<String>,
    schema_fingerprint: Option<String>,
    definition_fingerprint: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Run {
    id: String,
}

#[derive(Debug, Deserialize)]
struct Assertion {
    state: State,
}

fn read(response: AttestResponse, run_id: &str) -> Result<Answer, Nonsense> {
    let read: Predicate = serde_json::from_slice(&response.predicate)?;
    if read.run.id != run_id {
        return Err(Nonsense::OtherRun);
    }
    let predicate = String::from_utf8(response.predicate)?;
    let detail = String::from_utf8(response.detail)?;
    match (response.result, read.scope) {
        (None, _) => Err(Nonsense::Empty),
        (Some(attest_response::Result::Attested(attested)), Some(scope)) => Ok(Answer::Signed {
            scope,
            key_id: attested.key_id,
            envelope: attested.envelope,
            listed: listed(
                scope,
                read.definition_fingerprint,
                &attested.tool_list,
                &detail,
            )?,
            predicate,
            detail,
            states: count(&read.assertions),
            toolset_fingerprint: read.toolset_fingerprint,
            schema_fingerprint: read.schema_fingerprint,
        }),
        (Some(attest_response::Result::Declined(declined)), None) => Ok(Answer::Declined {
            reason_key: declined.reason_key,
            predicate,
            detail,
        }),
        _ => Err(Nonsense::Scope),
    }
}

/// What a run signed in full says of its list. The names come from the unsigned
/// detail, since a list too long to be handed over has names all the same.
fn listed(
    scope: Scope,
    fingerprint: Option<String>,
    text: &[u8],
    detail: &str,
) -> Result<Option<Box<Listed>>, Nonsense> {
    #[derive(Default, Deserialize)]
    struct Names {
        #[serde(default)]
        tool_names: Vec<String>,
    }
    if scope != Scope::Full {
        return Ok(None);
    }
    let digest = <[u8; 32]>::from(Sha256::digest(text));
    let fits = fingerprint
        .as_deref()
        .is_some_and(|stated| stated.strip_prefix("sha256:") == Some(&HEXLOWER.encode(&digest)));
    if !text.is_empty() && !fits {
        return Err(Nonsense::OtherList);
    }
    Ok(Some(Box::new(Listed {
        names: serde_json::from_str::<Names>(detail)?.tool_names,
        fingerprint,
        text: (!text.is_empty()).then(|| NewBody::pack(&digest, text)),
    })))
}

fn count(assertions: &[Assertion]) -> StateCounts {
    let of = |state| {
        let count = assertions
            .iter()
            .filter(|found| found.state == state)
            .count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    StateCounts {
        failed: of(State::Failed),
        observed_risk: of(State::ObservedRisk),
        unverified: of(State::Unverified),
        verified: of(State::Verified),
    }
}

#[cfg(test)]
mod tests {
    use touchstone_proto::signer::{Attested, Declined};

    use super::*;

    fn response(scope: &str, result: Option<attest_response::Result>) -> AttestResponse {
        let predicate = format!(
            r#"{{"run":{{"id":"r"}},"scope":{scope},"assertions":[{{"state":"FAILED"}},{{"state":"VERIFIED"}},{{"state":"VERIFIED"}}],"toolset_fingerprint":null,"schema_fingerprint":null,"definition_fingerprint":null}}"#
        );
        AttestResponse {
            predicate: predicate.into_bytes(),
            detail: b"{}".to_vec(),
            result,
            timings: None,
        }
    }

    #[test]
    fn an_answer_is_taken_whole_or_not_at_all() {
        let attested = || Some(attest_response::Result::Attested(Attested::default()));
        let of_another_list = || {
            Some(attest_response::Result::Attested(Attested {
                tool_list: b"[]".to_vec(),
                ..Attested::default()
            }))
        };
        let declined = || Some(attest_response::Result::Declined(Declined::default()));
        let signed = read(response("\"limited\"", attested()), "r").unwrap();
        let Answer::Signed { scope, states, .. } = signed else {
            panic!("not signed: {signed:?}");
        };
        assert_eq!(
            (scope, states.failed, states.verified),
            (Scope::Limited, 1, 2)
        );
        assert!(matches!(
            read(response("null", declined()), "r"),
            Ok(Answer::Declined { .. })
        ));
        for (nonsense, run_id) in [
            (response("\"full\"", of_another_list()), "r"),
            (response("\"full\"", attested()), "other"),
            (response("\"full\"", declined()), "r"),
            (response("null", attested()), "r"),
            (response("\"half\"", attested()), "r"),
            (response("null", None), "r"),
            (AttestResponse::default(), "r"),
        ] {
            assert!(read(nonsense, run_id).is_err());
        }
    }
}
