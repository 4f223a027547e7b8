//! Observed days: what each of the last 90 UTC days says, and the share of
//! answered days among those that count.

use serde::Serialize;
use time::{Date, OffsetDateTime, macros::date};

use super::reach::{Cause, Reach};

/// Days looked back over, today included.
pub const OBSERVED_DAYS: usize = 90;
/// Milliseconds of a UTC day.
pub const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// From this day on a connection that failed counts as unanswered; before, the
/// run could not be decided. For records imported from before.
pub const CONNECTION_FAILURES_COUNT_FROM: Date = date!(2026 - 09 - 27);
/// From this day on a handshake answered with 500 to 599 counts as unanswered.
pub const SERVER_ERRORS_COUNT_FROM: Date = date!(2026 - 09 - 23);

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

impl DayKind {
    /// Those that a day which is over can be.
    const OVER: [Self; 4] = [
        Self::Answered,
        Self::Unanswered,
        Self::NotCounted,
        Self::Undetermined,
    ];

    /// As stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Answered => "answered",
            Self::Unanswered => "unanswered",
            Self::NotCounted => "not_counted",
            Self::Undetermined => "undetermined",
            Self::NotYet => "not_yet",
        }
    }

    /// The reverse, for days that are over.
    pub fn parse(text: &str) -> Option<Self> {
        Self::OVER.into_iter().find(|kind| kind.as_str() == text)
    }
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

/// Runs of one day that came to the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayRuns {
    /// Days since the epoch.
    pub day: i64,
    pub reach: Reach,
    pub runs: u32,
    /// Of these, signed in full or limited scope.
    pub signed: u32,
}

/// Slots of one day that passed without a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayMissed {
    /// Days since the epoch.
    pub day: i64,
    pub slots: u32,
    /// We stayed away since the server asked us to.
    pub asked_to_wait: bool,
}

/// What is kept of a day when its runs are pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptDay {
    /// Days since the epoch.
    pub day: i64,
    pub kind: DayKind,
    /// Why it is unanswered or not counted.
    pub cause: Option<Cause>,
    pub runs: u32,
    pub answered: u32,
    pub signed: u32,
    pub missed: u32,
}

impl KeptDay {
    /// Of a day that is over, from all its runs and missed slots.
    pub fn of(runs: &[DayRuns], missed: &[DayMissed], day: i64) -> Self {
        let seen = observed_day(runs, missed, day, day, day + 1);
        let date = date_of(day);
        let of_kind = runs.iter().filter(|group| group.day == day);
        let cause = of_kind
            .filter_map(|group| match (seen.kind, on_date(group.reach, date)) {
                (DayKind::Unanswered, Reach::Unanswered(cause))
                | (DayKind::NotCounted, Reach::NotCounted(cause)) => Some(cause),
                _ => None,
            })
            .min_by_key(|cause| cause.as_str());
        Self {
            day,
            kind: seen.kind,
            cause,
            runs: seen.runs,
            answered: seen.answered,
            signed: seen.signed,
            missed: seen.missed,
        }
    }
}

impl ObservedDays {
    fn sum(days: Vec<Day>) -> Self {
        let count = |kinds: &[DayKind]| {
            let counted = days.iter().filter(|day| kinds.contains(&day.kind)).count();
            u32::try_from(counted).unwrap_or(u32::MAX)
        };
        Self {
            answered: count(&[DayKind::Answered]),
            counted: count(&[DayKind::Answered, DayKind::Unanswered]),
            days,
        }
    }

    /// The same, with the days that were kept as they were kept.
    #[must_use]
    pub fn with_kept(self, kept: &[KeptDay], first_day: i64) -> Self {
        let mut days = self.days;
        for kept in kept {
            let date = date_of(kept.day).to_string();
            if let Some(day) = days.iter_mut().find(|day| day.date == date) {
                let before = kept.runs == 0 && kept.day < first_day;
                *day = Day {
                    date,
                    kind: if before { DayKind::Before } else { kept.kind },
                    runs: kept.runs,
                    answered: kept.answered,
                    signed: kept.signed,
                    missed: kept.missed,
                };
            }
        }
        Self::sum(days)
    }
}

/// The UTC day of a time, in days since the epoch.
pub fn day_of(at_ms: i64) -> i64 {
    at_ms.div_euclid(DAY_MS)
}

/// What each of the last [`OBSERVED_DAYS`] days up to `today` says. Days before
/// `first_day`, the target's first, are never filled in.
pub fn observed_days(
    runs: &[DayRuns],
    missed: &[DayMissed],
    first_day: i64,
    today: i64,
) -> ObservedDays {
    // 90 fits.
    let oldest = today - i64::try_from(OBSERVED_DAYS).unwrap_or(0) + 1;
    let days = (oldest..=today)
        .map(|day| observed_day(runs, missed, day, first_day, today))
        .collect();
    ObservedDays::sum(days)
}

fn observed_day(
    runs: &[DayRuns],
    missed: &[DayMissed],
    day: i64,
    first_day: i64,
    today: i64,
) -> Day {
    let date = date_of(day);
    let (mut all, mut answered, mut unanswered, mut signed) = (0_u32, 0_u32, 0_u32, 0_u32);
    for group in runs.iter().filter(|group| group.day == day) {
        all += group.runs;
        signed += group.signed;
        match on_date(group.reach, date) {
            Reach::Answered => answered += group.runs,
            Reach::Unanswered(_) => unanswered += group.runs,
            Reach::NotCounted(_) => {}
        }
    }
    let slots = missed.iter().filter(|group| group.day == day);
    let asked_to_wait = slots.clone().any(|group| group.asked_to_wait);
    let kind = if unanswered > 0 {
        DayKind::Unanswered
    } else if all > answered {
        DayKind::NotCounted
    } else if answered > 0 {
        DayKind::Answered
    } else if day < first_day {
        DayKind::Before
    } else if asked_to_wait {
        DayKind::NotCounted
    } else if day == today {
        DayKind::NotYet
    } else {
        DayKind::Undetermined
    };
    Day {
        date: date.to_string(),
        kind,
        runs: all,
        answered,
        signed,
        missed: slots.map(|group| group.slots).sum(),
    }
}

/// What a run counts as on its day, by the dates from which rules hold.
fn on_date(reach: Reach, date: Date) -> Reach {
    match reach {
        Reach::Unanswered(
            cause @ (Cause::ConnectionFailed | Cause::TlsFailed | Cause::NotHttp),
        ) if date < CONNECTION_FAILURES_COUNT_FROM => Reach::NotCounted(cause),
        Reach::Unanswered(Cause::ServerError) if date < SERVER_ERRORS_COUNT_FROM => Reach::Answered,
        reach => reach,
    }
}

pub fn date_of(day: i64) -> Date {
    day.checked_mul(DAY_MS / 1_000)
        .and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok())
        .map_or(Date::MIN, OffsetDateTime::date)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use std::collections::BTreeMap;
    use time::format_description::well_known::Rfc3339;

    use super::*;
    use crate::targets::Tier;

    #[derive(Deserialize)]
    struct Cases {
        uptime: Vec<Case<Uptime, Expected>>,
        stale: Vec<Case<Stale, ExpectedStale>>,
    }

    #[derive(Deserialize)]
    struct Case<I, E> {
        id: String,
        input: I,
        expect: E,
    }

    #[derive(Deserialize)]
    struct Uptime {
        as_of: String,
        checks: Vec<Check>,
    }

    #[derive(Deserialize)]
    struct Check {
        at: String,
        outcome: String,
    }

    #[derive(Deserialize)]
    struct Expected {
        answered_days: u32,
        counted_days: u32,
        days: BTreeMap<String, String>,
    }

    #[derive(Deserialize)]
    struct Stale {
        tier: String,
        observed_at: String,
        now: String,
    }

    #[derive(Deserialize)]
    struct ExpectedStale {
        stale: bool,
        hours: Option<i64>,
    }

    fn ms(text: &str) -> i64 {
        let time = OffsetDateTime::parse(text, &Rfc3339).unwrap();
        time.unix_timestamp() * 1_000
    }

    fn reach(outcome: &str) -> Reach {
        match outcome {
            "answered" => Reach::Answered,
            "dns_failure" => Reach::Unanswered(Cause::DnsFailed),
            "connect_failure" => Reach::Unanswered(Cause::ConnectionFailed),
            "time_budget" => Reach::Unanswered(Cause::TimedOut),
            "handshake_5xx" => Reach::Unanswered(Cause::ServerError),
            "handshake_503_retry_after" | "rate_limited" => Reach::NotCounted(Cause::RateLimited),
            "policy_refused" => Reach::NotCounted(Cause::PolicyRefused),
            "response_too_large" => Reach::NotCounted(Cause::ResponseTooLarge),
            other => panic!("unknown outcome {other}"),
        }
    }

    fn cases() -> Cases {
        serde_json::from_str(include_str!("cases.json")).unwrap()
    }

    #[test]
    fn the_labelled_cases_of_observed_days_hold() {
        for case in cases().uptime {
            let checks = case.input.checks.iter();
            let runs: Vec<DayRuns> = checks
                .map(|check| DayRuns {
                    day: day_of(ms(&check.at)),
                    reach: reach(&check.outcome),
                    runs: 1,
                    signed: 0,
                })
                .collect();
            let first = runs.iter().map(|runs| runs.day).min().unwrap_or(i64::MAX);
            let observed = observed_days(&runs, &[], first, day_of(ms(&case.input.as_of)));
            assert_eq!(observed.days.len(), OBSERVED_DAYS);
            assert_eq!(observed.answered, case.expect.answered_days, "{}", case.id);
            assert_eq!(observed.counted, case.expect.counted_days, "{}", case.id);
            for (date, kind) in &case.expect.days {
                let day = observed.days.iter().find(|day| day.date == *date).unwrap();
                let found = serde_json::to_value(day.kind).unwrap();
                assert_eq!(found, **kind, "{} on {date}", case.id);
            }
        }
    }

    #[test]
    fn the_labelled_cases_of_staleness_hold() {
        for case in cases().stale {
            let tier = Tier::parse(&case.input.tier).unwrap();
            let hours = tier.stale_hours(ms(&case.input.observed_at), ms(&case.input.now));
            assert_eq!(hours.is_some(), case.expect.stale, "{}", case.id);
            assert_eq!(hours, case.expect.hours, "{}", case.id);
        }
    }

    #[test]
    fn our_gaps_are_ours_and_never_the_targets() {
        let today = 20_000;
        let missed = |day, asked_to_wait| DayMissed {
            day,
            slots: 2,
            asked_to_wait,
        };
        let missed = [
            missed(today - 2, false),
            missed(today - 1, true),
            missed(today - 4, false),
        ];
        let runs = [DayRuns {
            day: today - 4,
            reach: Reach::Answered,
            runs: 1,
            signed: 1,
        }];
        let observed = observed_days(&runs, &missed, today - 4, today);
        let kinds: Vec<_> = observed.days[84..].iter().map(|day| day.kind).collect();
        assert_eq!(
            kinds,
            [
                DayKind::Before,
                DayKind::Answered,
                DayKind::Undetermined,
                DayKind::Undetermined,
                DayKind::NotCounted,
                DayKind::NotYet,
            ]
        );
        assert_eq!((observed.answered, observed.counted), (1, 1));
        assert_eq!(observed.days[85].missed, 2);
    }
}
