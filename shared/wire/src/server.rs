//! What a server says of itself. Self-reported and not to be trusted; kept
//! only as bounded text for people to look at.

use touchstone_canonical::Value;

/// Characters kept of each self-reported text.
pub const TEXT_LIMIT: usize = 128;

/// `serverInfo`: a name and a version, each as far as it is a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInfo {
    pub name: Option<String>,
    pub version: Option<String>,
}

impl ServerInfo {
    /// `None` when the value is no object.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        let object = value.as_object()?;
        let text = |key| object.get(key).and_then(Value::as_str).map(shortened);
        Some(Self {
            name: text("name"),
            version: text("version"),
        })
    }

    /// Whether both members are there, as every revision asks.
    pub fn is_complete(&self) -> bool {
        self.name.is_some() && self.version.is_some()
    }
}

/// At most [`TEXT_LIMIT`] characters.
fn shortened(text: &str) -> String {
    text.chars().take(TEXT_LIMIT).collect()
}
