//! The JSON Schema of each payload version, as shipped and as served.

/// Payload version 1.0: JSON Schema 2020-12, every object closed, every key
/// required.
pub const PAYLOAD_1_0: &str = include_str!("../schema/payload-1.0.json");

/// The schema of a payload version; `None` for one that this build does not know.
pub fn of_version(version: &str) -> Option<&'static str> {
    match version {
        "1.0" => Some(PAYLOAD_1_0),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
