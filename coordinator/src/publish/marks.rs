//! The small signs of the design: a state is a solid, an execution a line, a
//! signature a stone. Each is followed by its word, always.

use std::fmt;

use askama::filters::HtmlSafe;
use touchstone_proto::vocabulary::{Execution, Scope, State};
use touchstone_words as words;

use super::stranger::escape;
use super::text::Text;
use crate::store::read::Attestation;

/// A state, alone or with its count.
#[derive(Clone, Copy, Debug)]
pub(super) struct StateMark {
    text: Text,
    state: State,
    count: Option<u32>,
    /// There is none of it: written, and dimmed.
    zero: bool,
}

/// An execution, alone or with its count.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExecutionMark {
    pub(super) text: Text,
    pub(super) execution: Execution,
    pub(super) count: Option<u32>,
}

/// What stands behind a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signature {
    Full,
    Limited,
    None,
    Pending,
    Unobserved,
}

/// A signature in a row, with its words.
#[derive(Clone, Copy, Debug)]
pub(super) struct SignatureMark {
    pub(super) text: Text,
    pub(super) signature: Signature,
}

impl HtmlSafe for StateMark {}
impl HtmlSafe for ExecutionMark {}
impl HtmlSafe for SignatureMark {}

impl StateMark {
    /// In capitals, as in payloads.
    pub(super) fn word(text: Text, state: State) -> Self {
        Self {
            text,
            state,
            count: None,
            zero: false,
        }
    }

    /// The same beside a count that stands in its own place.
    pub(super) fn beside(text: Text, state: State, count: usize) -> Self {
        Self {
            text,
            state,
            count: None,
            zero: count == 0,
        }
    }

    /// In a dense row, with its count.
    pub(super) fn counted(text: Text, state: State, count: u32) -> Self {
        Self {
            text,
            state,
            count: Some(count),
            zero: count == 0,
        }
    }
}

impl Signature {
    pub(super) fn of(attestation: Option<&Attestation>) -> Self {
        match attestation {
            None => Self::Unobserved,
            Some(Attestation::Pending { .. }) => Self::Pending,
            Some(Attestation::Declined { .. } | Attestation::Refused { .. }) => Self::None,
            Some(Attestation::Signed {
                scope: Scope::Full, ..
            }) => Self::Full,
            Some(Attestation::Signed {
                scope: Scope::Limited,
                ..
            }) => Self::Limited,
        }
    }

    pub(super) fn is_signed(self) -> bool {
        matches!(self, Self::Full | Self::Limited)
    }

    /// As in the machine twins and in the keys of texts.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Limited => "limited",
            Self::None => "none",
            Self::Pending => "pending",
            Self::Unobserved => "unobserved",
        }
    }

    /// As in `data-seal`: gold and stone only where something is signed.
    pub(super) fn seal(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Limited => "limited",
            Self::None | Self::Pending | Self::Unobserved => "none",
        }
    }
}

/// As in `data-state` and in the ids of glyphs.
pub(super) fn tone(state: State) -> &'static str {
    match state {
        State::Failed => "failed",
        State::ObservedRisk => "risk",
        State::Unverified => "unverified",
        State::Verified => "verified",
    }
}

impl fmt::Display for StateMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tone = tone(self.state);
        let zero = if self.zero { " zero" } else { "" };
        write!(
            f,
            "<span class=\"st{zero}\" data-state=\"{tone}\"><svg class=\"g\" aria-hidden=\"true\" focusable=\"false\"><use href=\"#s-{tone}\"/></svg>"
        )?;
        let word = match self.count {
            None => words::state(self.text.0, self.state.as_str()),
            Some(count) => self.text.plain_with(
                &format!("count-{}", self.state.as_str()),
                &[("count", i64::from(count).into())],
            ),
        };
        escape(&word, f)?;
        f.write_str("</span>")
    }
}

impl fmt::Display for ExecutionMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.execution.as_str();
        write!(
            f,
            "<span class=\"ex\"><svg class=\"g l\" aria-hidden=\"true\" focusable=\"false\"><use href=\"#e-{name}\"/></svg>"
        )?;
        escape(&words::execution(self.text.0, name), f)?;
        if let Some(count) = self.count {
            write!(f, " {count}")?;
        }
        f.write_str("</span>")
    }
}

impl fmt::Display for SignatureMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "<span class=\"ex\"><svg class=\"g sig\" aria-hidden=\"true\" focusable=\"false\"><use href=\"#sig-{}\"/></svg>",
            self.signature.seal()
        )?;
        escape(
            &self
                .text
                .plain(&format!("signature-row-{}", self.signature.as_str())),
            f,
        )?;
        f.write_str("</span>")
    }
}
