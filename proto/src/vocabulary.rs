//! The closed sets of words that all roles use: four states and never a fifth.

use serde::{Deserialize, Serialize};

/// What was concluded about one check. There are four and there is no fifth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum State {
    Failed,
    ObservedRisk,
    Unverified,
    Verified,
}

impl State {
    /// In the order in which every page counts them.
    pub const ALL: [Self; 4] = [
        Self::Failed,
        Self::ObservedRisk,
        Self::Unverified,
        Self::Verified,
    ];

    /// As in payloads: `FAILED`, `OBSERVED_RISK`, `UNVERIFIED`, `VERIFIED`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "FAILED",
            Self::ObservedRisk => "OBSERVED_RISK",
            Self::Unverified => "UNVERIFIED",
            Self::Verified => "VERIFIED",
        }
    }
}

/// How the work of one check went. Never folded with its [`State`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Execution {
    /// It ran to its end.
    Completed,
    /// It began and broke off.
    Errored,
    /// There was nothing for it to do in this run.
    Skipped,
    /// Something before it kept it from running.
    Blocked,
}

impl Execution {
    pub const ALL: [Self; 4] = [Self::Completed, Self::Errored, Self::Skipped, Self::Blocked];

    /// As in payloads.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Errored => "errored",
            Self::Skipped => "skipped",
            Self::Blocked => "blocked",
        }
    }
}

/// How much of a run an attestation vouches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Handshake done, complete tool list read.
    Full,
    /// As far as the sign-in wall.
    Limited,
}

impl Scope {
    /// As in payloads.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Limited => "limited",
        }
    }
}
