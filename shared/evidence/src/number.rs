//! Whole numbers that every JSON reader reads alike. Beyond 2^53 - 1 a reader
//! that holds numbers as doubles would read another number, and the canonical
//! form would write it.

use serde::{Deserialize, Serialize};

/// A whole number that every JSON reader reads alike: within 2^53 - 1 of zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "i64")]
pub struct Integer(i64);

/// Number of a slot: a whole number that every JSON reader reads alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Slot(u64);

/// A number beyond 2^53 - 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("reading evidence: a whole number lies beyond 2^53 - 1, where JSON is no longer exact")]
pub struct Inexact;

/// The largest whole number up to which doubles are exact.
const LARGEST_EXACT: u64 = (1 << 53) - 1;

impl TryFrom<i64> for Integer {
    type Error = Inexact;
    fn try_from(number: i64) -> Result<Self, Inexact> {
        if number.unsigned_abs() <= LARGEST_EXACT {
            Ok(Self(number))
        } else {
            Err(Inexact)
        }
    }
}

impl From<Integer> for i64 {
    fn from(integer: Integer) -> Self {
        integer.0
    }
}

impl TryFrom<u64> for Slot {
    type Error = Inexact;
    fn try_from(number: u64) -> Result<Self, Inexact> {
        if number <= LARGEST_EXACT {
            Ok(Self(number))
        } else {
            Err(Inexact)
        }
    }
}

impl From<Slot> for u64 {
    fn from(slot: Slot) -> Self {
        slot.0
    }
}
