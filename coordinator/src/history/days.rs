//! Observed days: what each of the last 90 UTC days says, and the share of
//! answered days among those that count.

use serde::Serialize;

/// Days looked back over, today included.
pub const OBSERVED_DAYS: usize = 90;

/// What one UTC day says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DayKind {
    /// Before the target's first check; never filled in.
    Before,
    /// Every check of the day was answered.
    Answered,
    /// At least one check was not.
    Unanswered,
    /// Nothing unanswered, and at least one check that we could not decide.
    NotCounted,
    /// We looked not once, though we should have: our own gap.
    Undetermined,
    /// Today, before its first slot came.
    NotYet,
}

/// One UTC day of a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Day {
    /// `2026-11-30`.
    pub date: String,
    pub kind: DayKind,
    /// Runs of the day, and how many of them were answered.
    pub runs: u32,
    pub answered: u32,
    /// Runs of the day that are signed, in full or limited scope.
    pub signed: u32,
    /// Slots of the day that passed without a run.
    pub missed: u32,
}

/// The last [`OBSERVED_DAYS`] days, oldest first, and their sum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObservedDays {
    pub days: Vec<Day>,
    /// Days answered.
    pub answered: u32,
    /// Days answered or unanswered: the denominator.
    pub counted: u32,
}
