//! What a check found, step by step.

use serde::{Serialize, Serializer};

/// The answer to "does this hold", and the steps that led to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    pub verdict: Outcome,
    /// In the order in which they were taken. A step that does not hold is the
    /// last; those after it were not taken.
    pub steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every step held.
    Valid,
    /// A step failed.
    Invalid,
    /// A step could be judged neither way.
    Undecidable,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    pub step: StepName,
    pub ok: Finding,
    /// One plain sentence.
    pub detail: String,
}

/// Written as true, false and null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    Holds,
    Fails,
    CannotTell,
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Holds => serializer.serialize_bool(true),
            Self::Fails => serializer.serialize_bool(false),
            Self::CannotTell => serializer.serialize_none(),
        }
    }
}

/// The steps there are, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepName {
    /// The file is a bundle.
    Parse,
    /// One signature over one in-toto payload.
    Envelope,
    /// The key that the envelope names is known.
    Key,
    /// It is a key for attestations, and may be believed.
    KeyState,
    Signature,
    /// The payload's version is known.
    PayloadVersion,
    CanonicalForm,
    Schema,
    /// The run lies within the key's time.
    KeyWindow,
    /// The key of the log's checkpoint is known, and may be believed.
    LogKey,
    /// The checkpoint is one, signed by that key.
    Checkpoint,
    /// The envelope stands in the log.
    Inclusion,
    ObservationDigest,
    AgentSignature,
    Baseline,
    /// The bodies that the observations name are there.
    Bodies,
    Replay,
}

impl StepName {
    /// As in verdicts.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parse => "parse",
            Self::Envelope => "envelope",
            Self::Key => "key",
            Self::KeyState => "key_state",
            Self::Signature => "signature",
            Self::PayloadVersion => "payload_version",
            Self::CanonicalForm => "canonical_form",
            Self::Schema => "schema",
            Self::KeyWindow => "key_window",
            Self::LogKey => "log_key",
            Self::Checkpoint => "checkpoint",
            Self::Inclusion => "inclusion",
            Self::ObservationDigest => "observation_digest",
            Self::AgentSignature => "agent_signature",
            Self::Bodies => "bodies",
            Self::Baseline => "baseline",
            Self::Replay => "replay",
        }
    }
}

/// The check ended here; the verdict is settled.
#[derive(Debug)]
pub(super) struct Ended;

pub(super) type Judged<T> = Result<T, Ended>;

#[derive(Debug, Default)]
pub(super) struct Steps(Vec<Step>);

impl Steps {
    pub(super) fn holds(&mut self, step: StepName, detail: impl Into<String>) {
        self.push(step, Finding::Holds, detail.into());
    }

    pub(super) fn fails<T>(&mut self, step: StepName, detail: impl Into<String>) -> Judged<T> {
        self.push(step, Finding::Fails, detail.into());
        Err(Ended)
    }

    pub(super) fn cannot_tell<T>(
        &mut self,
        step: StepName,
        detail: impl Into<String>,
    ) -> Judged<T> {
        self.push(step, Finding::CannotTell, detail.into());
        Err(Ended)
    }

    /// A first and last step that did not hold.
    pub(super) fn close(&mut self, step: StepName, outcome: Outcome, detail: String) {
        let finding = match outcome {
            Outcome::Valid => Finding::Holds,
            Outcome::Invalid => Finding::Fails,
            Outcome::Undecidable => Finding::CannotTell,
        };
        self.push(step, finding, detail);
    }

    pub(super) fn into_verdict(self) -> Verdict {
        let found = |finding| self.0.iter().any(|step| step.ok == finding);
        let verdict = if found(Finding::Fails) {
            Outcome::Invalid
        } else if found(Finding::CannotTell) || self.0.is_empty() {
            Outcome::Undecidable
        } else {
            Outcome::Valid
        };
        Verdict {
            verdict,
            steps: self.0,
        }
    }

    fn push(&mut self, step: StepName, ok: Finding, detail: String) {
        self.0.push(Step { step, ok, detail });
    }
}
