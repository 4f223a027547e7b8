//! Words, dates and lists of a page in its language.

use std::fmt;

use askama::filters::HtmlSafe;
use time::{Date, OffsetDateTime};
use touchstone_words::{self as words, Language, Param};

use super::stranger::escape;

/// All texts of one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Text(pub(super) Language);

/// A text of ours on its way into a page: escaped, what stands in backticks as code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Prose(pub(super) String);

/// A moment, as `<time>` in UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) machine: String,
    pub(super) shown: String,
}

impl HtmlSafe for Prose {}
impl HtmlSafe for Moment {}

impl Text {
    pub(super) fn tag(self) -> &'static str {
        self.0.tag()
    }

    /// A text without variables.
    pub(super) fn t(self, id: &str) -> Prose {
        self.with(id, &[])
    }

    pub(super) fn with(self, id: &str, args: &[(&str, Param)]) -> Prose {
        Prose(words::ui(self.0, id, args))
    }

    /// A text of several lines, each by itself.
    pub(super) fn lines(self, id: &str) -> Vec<Prose> {
        let text = words::ui(self.0, id, &[]);
        text.lines().map(|line| Prose(line.to_owned())).collect()
    }

    /// For attributes and titles: without the marks of code.
    pub(super) fn plain(self, id: &str) -> String {
        self.plain_with(id, &[])
    }

    pub(super) fn plain_with(self, id: &str, args: &[(&str, Param)]) -> String {
        words::ui(self.0, id, args).replace('`', "")
    }

    /// An address of this site in this language.
    pub(super) fn link(self, path: &str) -> String {
        match (self.0.prefix(), path) {
            ("", path) => path.to_owned(),
            (prefix, "/") => prefix.to_owned(),
            (prefix, path) => format!("{prefix}{path}"),
        }
    }

    /// With seconds: a time that evidence holds.
    pub(super) fn moment(self, ms: i64) -> Moment {
        self.at(ms, |t| {
            format!("{:02}:{:02}:{:02} UTC", t.hour(), t.minute(), t.second())
        })
    }

    /// To the minute: a time of ours.
    pub(super) fn minute(self, ms: i64) -> Moment {
        self.at(ms, |t| format!("{:02}:{:02} UTC", t.hour(), t.minute()))
    }

    fn at(self, ms: i64, clock: impl Fn(OffsetDateTime) -> String) -> Moment {
        let moment = instant(ms);
        let (day, time) = (self.day(moment.date()), clock(moment));
        Moment {
            machine: machine(moment),
            shown: match self.0 {
                Language::English => format!("{day}, {time}"),
                Language::Chinese => format!("{day} {time}"),
            },
        }
    }

    /// The time of day alone, when it is today's; otherwise with its day.
    pub(super) fn soon(self, ms: i64, now_ms: i64) -> Moment {
        let (moment, now) = (instant(ms), instant(now_ms));
        if moment.date() == now.date() {
            Moment {
                machine: machine(moment),
                shown: format!("{:02}:{:02} UTC", moment.hour(), moment.minute()),
            }
        } else {
            self.minute(ms)
        }
    }

    /// `30 Nov 2026`, `2026-11-30`.
    pub(super) fn day(self, date: Date) -> String {
        match self.0 {
            Language::English => format!("{} {} {}", date.day(), month(date), date.year()),
            Language::Chinese => iso(date),
        }
    }

    /// `30 Nov`, `11 月 30 日`.
    pub(super) fn short_day(self, date: Date) -> String {
        match self.0 {
            Language::English => format!("{} {}", date.day(), month(date)),
            Language::Chinese => format!("{} 月 {} 日", u8::from(date.month()), date.day()),
        }
    }

    /// How many of `count` things lie beyond the `shown` ones.
    pub(super) fn more(self, id: &str, count: usize, shown: usize) -> Option<Prose> {
        let more = count.checked_sub(shown).filter(|more| *more > 0)?;
        Some(self.with(
            id,
            &[("count", i64::try_from(more).unwrap_or(i64::MAX).into())],
        ))
    }

    pub(super) fn list(self, items: &[String]) -> String {
        items.join(match self.0 {
            Language::English => ", ",
            Language::Chinese => "、",
        })
    }

    /// Clauses of one sentence: the first group held closer than the second.
    pub(super) fn sentence(self, close: &[String], apart: &[String]) -> String {
        let (comma, semicolon, stop) = match self.0 {
            Language::English => (", ", "; ", "."),
            Language::Chinese => ("，", "；", "。"),
        };
        let mut clauses = vec![close.join(comma)];
        clauses.extend(apart.iter().cloned());
        format!("{}{stop}", clauses.join(semicolon))
    }

    /// A region by its name, or by its code when an operator made it up.
    pub(super) fn region(self, code: &str) -> String {
        words::known(self.0, &format!("region-{code}")).unwrap_or_else(|| code.to_owned())
    }
}

impl Prose {
    /// Two sentences, one after the other.
    pub(super) fn then(self, language: Language, next: &Self) -> Self {
        match language {
            Language::English => Self(format!("{} {}", self.0, next.0)),
            Language::Chinese => Self(format!("{}{}", self.0, next.0)),
        }
    }
}

impl fmt::Display for Prose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An odd backtick is no code: the last part then stands as it is.
        let parts: Vec<&str> = self.0.split('`').collect();
        let paired = parts.len() % 2 == 1;
        for (place, part) in parts.iter().enumerate() {
            let is_code = place % 2 == 1 && (paired || place + 1 < parts.len());
            match (is_code, place) {
                (true, _) => {
                    f.write_str("<code>")?;
                    escape(part, f)?;
                    f.write_str("</code>")?;
                }
                (false, place) if place % 2 == 1 => {
                    f.write_str("`")?;
                    escape(part, f)?;
                }
                _ => escape(part, f)?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "<time datetime=\"{}\">{}</time>",
            self.machine, self.shown
        )
    }
}

/// What lies beyond the years 0 to 9999 is shown as the epoch: no run of ours
/// happened there, and a page must come whatever a row holds.
pub(super) fn instant(ms: i64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000)
        .ok()
        .filter(|moment| (0..=9999).contains(&moment.year()))
        .unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

fn machine(moment: OffsetDateTime) -> String {
    format!(
        "{}T{:02}:{:02}:{:02}Z",
        iso(moment.date()),
        moment.hour(),
        moment.minute(),
        moment.second()
    )
}

pub(super) fn iso(date: Date) -> String {
    format!(
        "{:04}-{:02}-{:02}",
        date.year(),
        u8::from(date.month()),
        date.day()
    )
}

fn month(date: Date) -> &'static str {
    const NAMES: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    NAMES[usize::from(u8::from(date.month()) - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON_MS: i64 = 1_796_046_432_000; // 2026-11-30T13:47:12Z

    #[test]
    fn times_are_written_as_each_language_writes_them() {
        let english = Text(Language::English);
        let chinese = Text(Language::Chinese);
        assert_eq!(
            english.moment(NOON_MS).to_string(),
            "<time datetime=\"2026-11-30T13:47:12Z\">30 Nov 2026, 13:47:12 UTC</time>"
        );
        assert_eq!(chinese.moment(NOON_MS).shown, "2026-11-30 13:47:12 UTC");
        assert_eq!(chinese.short_day(instant(NOON_MS).date()), "11 月 30 日");
        assert_eq!(english.moment(i64::MAX).machine, "1970-01-01T00:00:00Z");
    }

    #[test]
    fn code_and_markup_in_prose() {
        assert_eq!(
            Prose("a `b<c` & d".to_owned()).to_string(),
            "a <code>b&lt;c</code> &amp; d"
        );
        assert_eq!(Prose("a ` b".to_owned()).to_string(), "a ` b");
        assert_eq!(
            Prose("a `b` c ` d".to_owned()).to_string(),
            "a <code>b</code> c ` d"
        );
    }
}
