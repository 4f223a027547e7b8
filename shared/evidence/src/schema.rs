//! The payload versions that this build knows: of each its JSON Schema, as
//! shipped and as served, and how its bytes are read.
//!
//! A version is added here and none is ever taken away, so what was signed once
//! stays verifiable. What is not in the table is named and not guessed at.

use crate::payload::{PAYLOAD_VERSION, PREDICATE_TYPE, PayloadError, Statement, claimed_version};

/// Longest name of an unknown version that is repeated, in characters.
const NAME_LIMIT: usize = 64;

/// One version of the payload.
#[derive(Debug)]
pub struct Version {
    pub predicate_type: &'static str,
    pub version: &'static str,
    /// JSON Schema 2020-12, every object closed, every key required.
    pub schema: &'static str,
    read: fn(&[u8]) -> Result<Statement, PayloadError>,
}

/// All of them, the newest last, which is the one that this build writes.
pub const VERSIONS: [Version; 1] = [Version {
    predicate_type: PREDICATE_TYPE,
    version: PAYLOAD_VERSION,
    schema: include_str!("../schema/payload-1.0.json"),
    read: Statement::read,
}];

/// Which version the bytes of a payload claim to be of.
#[derive(Debug)]
pub enum Claimed {
    Known(&'static Version),
    /// A version without a schema here, as it names itself, in plain ASCII.
    Unknown(String),
    /// The bytes name no version.
    Nothing,
}

impl Version {
    /// The version of this number.
    pub fn find(version: &str) -> Option<&'static Self> {
        VERSIONS.iter().find(|known| known.version == version)
    }

    /// The name of its schema as a file, under which it is served.
    pub fn file(&self) -> String {
        format!("payload-{}.json", self.version)
    }

    /// The version that a payload claims.
    pub fn claimed(payload: &[u8]) -> Claimed {
        let Some((predicate_type, version)) = claimed_version(payload) else {
            return Claimed::Nothing;
        };
        let known = VERSIONS
            .iter()
            .find(|known| known.predicate_type == predicate_type && known.version == version);
        match known {
            Some(known) => Claimed::Known(known),
            None if predicate_type == PREDICATE_TYPE => Claimed::Unknown(plain(&version)),
            // The version counts within its type.
            None => Claimed::Unknown(format!("{} of {}", plain(&version), plain(&predicate_type))),
        }
    }

    /// Reads a payload as one of this version.
    pub fn read(&self, payload: &[u8]) -> Result<Statement, PayloadError> {
        (self.read)(payload)
    }
}

/// Whoever signed the payload chose this text.
fn plain(name: &str) -> String {
    name.chars()
        .take(NAME_LIMIT)
        .map(|c| if c.is_ascii_graphic() { c } else { '?' })
        .collect()
}

#[cfg(test)]
mod tests;
