//! What an evaluation noticed beside what may be signed: tool names, excerpts
//! of hits, the server's account of itself. Unsigned, for pages and owners.
//!
//! Unlike a payload it holds text of the target's: bounded where it is made,
//! to be escaped where it is shown, and never to be believed.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detail {
    /// Of all tools that were read, also of a list that is not complete.
    pub tool_names: Vec<String>,
    pub server: Option<ServerInfo>,
    /// Revisions as the server said them, complete run or not.
    pub revisions: Revisions,
    pub hygiene: Vec<HygieneHit>,
    /// What is listed about tools and changes no state.
    pub listed: Vec<ToolNote>,
    /// Where a value stands that has no canonical form.
    pub not_canonical: Option<String>,
    pub drift: Option<Drift>,
    pub redirects: Vec<Redirect>,
    /// What exchanges did beyond the plain form and was accepted.
    pub notes: Vec<ExchangeNote>,
    /// For a run that is not signed in full: what an owner should look at first.
    pub likely_cause: Option<String>,
}

impl Detail {
    pub fn to_json(&self) -> Vec<u8> {
        // Text, whole numbers and lists of them serialize without fail.
        serde_json::to_vec(self).expect("detail serializes")
    }
}

/// The server's own account of itself; what it left out is empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerInfo {
    pub name: String,
    pub version: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revisions {
    pub offered: Option<String>,
    pub recorded: Option<String>,
    pub supported: Vec<String>,
    pub first_listed: Option<String>,
}

/// One hit of `tool_description_hygiene`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HygieneHit {
    /// The tool's place in the list, from 0.
    pub tool_index: usize,
    pub tool: String,
    /// `name` or `description`.
    pub field: String,
    pub rule: String,
    pub family: String,
    /// In bytes from the start of the field.
    pub offset: usize,
    pub excerpt: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolNote {
    pub tool_index: usize,
    pub tool: String,
    pub note: String,
}

/// What differs from the approved release.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drift {
    pub added: Vec<String>,
    pub removed: Vec<String>,
    pub changed: Vec<SchemaDrift>,
    /// What no check compares: descriptions, titles, annotations, output schemas.
    pub redefined: Vec<Redefined>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaDrift {
    pub tool: String,
    pub differences: Vec<Difference>,
    /// More differences than are written down.
    pub truncated: bool,
}

/// How a part of one tool differs that is not its input schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redefined {
    pub tool: String,
    /// `description`, `title`, `annotations` or `output_schema`.
    pub part: String,
    pub differences: Vec<Difference>,
    /// More differences than are written down.
    pub truncated: bool,
}

/// One place in which two values differ; null: not there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    pub path: String,
    pub approved: Option<String>,
    pub observed: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirect {
    /// Index of the exchange.
    pub exchange: usize,
    pub status: u32,
    pub location: String,
    pub cross_host: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExchangeNote {
    /// Index of the exchange.
    pub exchange: usize,
    pub note: String,
}
