//! Whether a server asks to be left alone for a while (RFC 9110, section
//! 10.2.3; RFC 6585, section 4).

use time::format_description::BorrowedFormatItem;
use time::format_description::well_known::Rfc2822;
use time::macros::format_description;
use time::{OffsetDateTime, PrimitiveDateTime};

use crate::exchange::Received;

/// Longest wait that is believed, in seconds: one day.
pub const WAIT_LIMIT_S: u32 = 86_400;

/// The last of the three forms of HTTP dates, that of C's `asctime`.
const ASCTIME: &[BorrowedFormatItem<'static>] = format_description!(
    "[weekday repr:short] [month repr:short] [day padding:space] [hour]:[minute]:[second] [year]"
);

/// The seconds that a 429, or a 503 with `Retry-After`, asks for; 0 when it
/// names none that can be read. `None`: nothing is asked.
pub(super) fn asked(received: &Received, now_ms: i64) -> Option<u32> {
    let named = received.header("retry-after").next();
    match (received.status()?, named) {
        (429, _) | (503, Some(_)) => Some(named.map_or(0, |value| seconds(value.trim(), now_ms))),
        _ => None,
    }
}

fn seconds(value: &str, now_ms: i64) -> u32 {
    let seconds = if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // What does not fit is larger than the limit.
        value.parse().unwrap_or(i64::MAX)
    } else {
        let now_s = now_ms.div_euclid(1_000);
        http_date(value).map_or(0, |at| at.saturating_sub(now_s))
    };
    u32::try_from(seconds.clamp(0, WAIT_LIMIT_S.into())).unwrap_or(WAIT_LIMIT_S)
}

/// Seconds since the epoch. All three forms must be read (RFC 9110, section 5.6.7).
fn http_date(value: &str) -> Option<i64> {
    let of_today = |text: &str| OffsetDateTime::parse(text, &Rfc2822).ok();
    of_today(value)
        .or_else(|| of_today(&rfc_850(value)?))
        .or_else(|| Some(PrimitiveDateTime::parse(value, ASCTIME).ok()?.assume_utc()))
        .map(OffsetDateTime::unix_timestamp)
}

/// `Sunday, 06-Nov-94 08:49:37 GMT` in the form of today. A wait that somebody
/// asks for lies in this century.
fn rfc_850(value: &str) -> Option<String> {
    let (_, rest) = value.split_once(", ")?;
    let (date, clock) = rest.split_once(' ')?;
    let mut parts = date.splitn(3, '-');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    Some(format!("{day} {month} 20{year} {clock}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 2026-11-30T12:00:00Z.
    const NOW_MS: i64 = 1_796_040_000_000;

    #[test]
    fn seconds_and_all_three_dates_are_read_and_capped() {
        for (value, wait) in [
            ("0", 0),
            ("120", 120),
            ("86400", 86_400),
            ("86401", 86_400),
            ("99999999999999999999999999", 86_400),
            ("Mon, 30 Nov 2026 12:01:00 GMT", 60),
            ("Monday, 30-Nov-26 12:01:00 GMT", 60),
            ("Mon Nov 30 12:01:00 2026", 60),
            ("Tue Dec  1 11:00:00 2026", 82_800),
            ("Wed, 30 Dec 2026 12:00:00 GMT", 86_400),
            ("Mon, 30 Nov 2026 11:00:00 GMT", 0),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
            ("-5", 0),
            ("1.5", 0),
            ("soon", 0),
            ("", 0),
        ] {
            assert_eq!(seconds(value, NOW_MS), wait, "{value}");
        }
    }

    proptest! {
        #[test]
        fn any_value_at_any_time_is_a_wait_within_the_limit(
            value in prop_oneof![
                "\\PC{0,40}",
                "[0-9]{0,30}",
                "(Mon|Monday|Mo),? [0-9]{0,2}[ -][A-Z][a-z]{2}[ -][0-9]{2,5} [0-9:]{5,8} (GMT|[+-][0-9]{4})",
                "Mon Nov [ 0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} [0-9]{4}",
            ],
            now_ms in any::<i64>(),
        ) {
            prop_assert!(seconds(&value, now_ms) <= WAIT_LIMIT_S);
        }
    }
}
