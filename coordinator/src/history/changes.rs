//! Since when a tool list is unchanged, as far as we looked.

use std::collections::BTreeMap;

use serde::Serialize;

use super::days::{date_of, day_of};

/// Runs of one day that saw the same tool list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListSeen {
    /// Names the list; equal names, equal lists.
    pub list: String,
    /// Days since the epoch.
    pub day: i64,
    /// When the last of these runs started.
    pub last_at_ms: i64,
}

/// A lower bound: the list may have been the same for longer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unchanged {
    /// UTC date of the newest list that differs from the one before it, or of
    /// the first list when there was no other.
    pub since: String,
    /// There was another list before.
    pub changed: bool,
    /// UTC days after that date with at least one run that listed the tools.
    pub days: u32,
}

/// `None` when no run listed the tools.
pub fn unchanged(seen: &[ListSeen]) -> Option<Unchanged> {
    let mut by_day: BTreeMap<i64, Vec<&ListSeen>> = BTreeMap::new();
    for list in seen {
        by_day.entry(list.day).or_default().push(list);
    }
    let mut since: Option<(i64, bool)> = None;
    let mut before: Option<&str> = None;
    let mut days = 0;
    for (day, lists) in by_day {
        let differs = |list: &&ListSeen| before.is_some_and(|before| before != list.list);
        let several = lists.iter().any(|list| list.list != lists[0].list);
        if several || lists.iter().any(differs) {
            since = Some((day, true));
            days = 0;
        } else if since.is_none() {
            since = Some((day, false));
        } else {
            days += 1;
        }
        before = lists
            .iter()
            .max_by_key(|list| list.last_at_ms)
            .map(|list| list.list.as_str());
    }
    since.map(|(day, changed)| Unchanged {
        since: date_of(day).to_string(),
        changed,
        days,
    })
}

impl ListSeen {
    /// One run.
    pub fn new(list: impl Into<String>, at_ms: i64) -> Self {
        Self {
            list: list.into(),
            day: day_of(at_ms),
            last_at_ms: at_ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-01 00:00 UTC.
    const FIRST_MS: i64 = 1_793_491_200_000;

    fn seen(lists: &[(i64, i64, &str)]) -> Vec<ListSeen> {
        let at_ms = |day: i64, hour: i64| FIRST_MS + (day - 1) * 86_400_000 + hour * 3_600_000;
        lists
            .iter()
            .map(|&(day, hour, list)| ListSeen::new(list, at_ms(day, hour)))
            .collect()
    }

    type Story<'s> = &'s [(i64, i64, &'s str)];

    #[test]
    fn days_count_from_the_newest_change() {
        let cases: [(Story<'_>, &str, bool, u32); 6] = [
            // The labelled cases unchanged-same-day, -many-a-day, -newest-change.
            (
                &[(1, 6, "A"), (3, 6, "B"), (3, 20, "B")],
                "2026-11-03",
                true,
                0,
            ),
            (
                &[
                    (1, 6, "A"),
                    (3, 6, "B"),
                    (5, 1, "B"),
                    (5, 9, "B"),
                    (5, 17, "B"),
                ],
                "2026-11-03",
                true,
                1,
            ),
            (
                &[
                    (1, 6, "A"),
                    (3, 6, "B"),
                    (7, 6, "C"),
                    (8, 6, "C"),
                    (9, 6, "C"),
                ],
                "2026-11-07",
                true,
                2,
            ),
            // There and back within a day is a change of that day.
            (
                &[(1, 6, "A"), (3, 6, "B"), (3, 9, "A"), (4, 6, "A")],
                "2026-11-03",
                true,
                1,
            ),
            (
                &[(1, 6, "A"), (2, 6, "A"), (4, 6, "A")],
                "2026-11-01",
                false,
                2,
            ),
            (&[(2, 6, "A")], "2026-11-02", false, 0),
        ];
        for (lists, since, changed, days) in cases {
            let expected = Unchanged {
                since: since.to_owned(),
                changed,
                days,
            };
            assert_eq!(unchanged(&seen(lists)), Some(expected), "{lists:?}");
        }
        assert_eq!(unchanged(&[]), None);
    }
}
