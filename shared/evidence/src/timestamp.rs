//! A moment as payloads and key documents write it: exactly
//! `YYYY-MM-DDThh:mm:ss.mmmZ`. Any other spelling of the same moment is
//! refused, so that one moment has one text.

use serde::{Deserialize, Serialize};
use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

/// UTC, milliseconds since the epoch, between the years 0000 and 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

/// Text that is no timestamp of ours, or a moment that has none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimestampError {
    #[error("reading a time: it is not written as YYYY-MM-DDThh:mm:ss.mmmZ")]
    Form,
    #[error("writing a time: {0} ms since the epoch lies outside the years 0000 to 9999")]
    Range(i64),
}

impl Timestamp {
    /// The moment so many milliseconds after the epoch.
    pub fn from_ms(ms: i64) -> Result<Self, TimestampError> {
        let moment = OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000)
            .map_err(|_| TimestampError::Range(ms))?;
        if (0..=9999).contains(&moment.year()) {
            Ok(Self(ms))
        } else {
            Err(TimestampError::Range(ms))
        }
    }

    /// Milliseconds since the epoch.
    pub fn as_ms(self) -> i64 {
        self.0
    }

    /// Reads the one spelling that is allowed.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        const FORM: &[u8; 24] = b"0000-00-00T00:00:00.000Z";
        let fits = text.len() == FORM.len()
            && text.bytes().zip(FORM).all(|(byte, form)| match form {
                b'0' => byte.is_ascii_digit(),
                _ => byte == *form,
            });
        if !fits {
            return Err(TimestampError::Form);
        }
        let number = |at: std::ops::Range<usize>| {
            text.as_bytes()[at]
                .iter()
                .fold(0_u16, |sum, digit| sum * 10 + u16::from(digit - b'0'))
        };
        // Two digits are at most 99, so they fit a byte.
        let byte = |at| u8::try_from(number(at)).map_err(|_| TimestampError::Form);
        let month = Month::try_from(byte(5..7)?).map_err(|_| TimestampError::Form)?;
        let date = Date::from_calendar_date(i32::from(number(0..4)), month, byte(8..10)?)
            .map_err(|_| TimestampError::Form)?;
        let time =
            Time::from_hms_milli(byte(11..13)?, byte(14..16)?, byte(17..19)?, number(20..23))
                .map_err(|_| TimestampError::Form)?;
        let nanos = PrimitiveDateTime::new(date, time)
            .assume_utc()
            .unix_timestamp_nanos();
        i64::try_from(nanos / 1_000_000)
            .map(Self)
            .map_err(|_| TimestampError::Form)
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let moment = OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000_000)
            .map_err(|_| std::fmt::Error)?
            .to_offset(UtcOffset::UTC);
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            moment.year(),
            u8::from(moment.month()),
            moment.day(),
            moment.hour(),
            moment.minute(),
            moment.second(),
            moment.millisecond()
        )
    }
}

impl TryFrom<String> for Timestamp {
    type Error = TimestampError;
    fn try_from(text: String) -> Result<Self, TimestampError> {
        Self::parse(&text)
    }
}

impl From<Timestamp> for String {
    fn from(timestamp: Timestamp) -> Self {
        timestamp.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_spelling_and_no_other() {
        let moment = Timestamp::parse("2026-12-04T11:20:00.250Z").unwrap();
        assert_eq!(moment.to_string(), "2026-12-04T11:20:00.250Z");
        for other in [
            "",
            "2026-12-04T11:20:00Z",
            "2026-12-04T11:20:00.25Z",
            "2026-12-04T11:20:00.250000Z",
            "2026-12-04T11:20:00.250z",
            "2026-12-04t11:20:00.250Z",
            "2026-12-04 11:20:00.250Z",
            "2026-12-04T11:20:00.250+00:00",
            "2026-12-04T11:20:00,250Z",
            "2026-02-29T11:20:00.250Z",
            "2026-13-04T11:20:00.250Z",
            "2026-12-04T24:00:00.000Z",
            "2026-12-04T23:59:60.000Z",
            "+026-12-04T11:20:00.250Z",
            "２０26-12-04T11:20:00.25",
        ] {
            assert_eq!(
                Timestamp::parse(other),
                Err(TimestampError::Form),
                "{other}"
            );
        }
    }

    #[test]
    fn moments_beyond_four_digit_years_have_no_text() {
        assert!(Timestamp::from_ms(253_402_300_799_999).is_ok());
        assert!(Timestamp::from_ms(253_402_300_800_000).is_err());
        assert!(Timestamp::from_ms(-62_167_219_200_001).is_err());
        assert!(Timestamp::from_ms(i64::MIN).is_err());
    }

    proptest! {
        #[test]
        fn text_and_moment_are_the_same_thing(ms in -62_167_219_200_000_i64..=253_402_300_799_999) {
            let moment = Timestamp::from_ms(ms).unwrap();
            prop_assert_eq!(Timestamp::parse(&moment.to_string()), Ok(moment));
        }
    }
}
