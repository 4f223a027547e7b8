//! What is listed about tools and changes no state, and how a name is shown.

use std::borrow::Cow;
use std::collections::BTreeSet;

use touchstone_canonical::{JsonString, Value};

use crate::model::ToolNote;

/// Characters of a tool's name that are shown.
const NAME_SHOWN: usize = 256;
/// Characters of a name at most (revision 2025-11-25, `server/tools`).
const NAME_LIMIT: usize = 128;

/// A name as pages show it: bounded, lone surrogates replaced.
pub(super) fn shown_name(name: &str) -> String {
    match name.char_indices().nth(NAME_SHOWN) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// The names of all tools, in order.
pub(super) fn names(tools: &[&Value]) -> Vec<String> {
    tools.iter().map(|tool| shown_name(&lossy(tool))).collect()
}

/// Missing or odd schemas, repeated or odd names.
pub(super) fn notes(tools: &[&Value]) -> Vec<ToolNote> {
    let mut notes = Vec::new();
    let mut seen: BTreeSet<&JsonString> = BTreeSet::new();
    for (tool_index, tool) in tools.iter().enumerate() {
        let mut note = |note| {
            notes.push(ToolNote {
                tool_index,
                tool: shown_name(&lossy(tool)),
                note,
            });
        };
        match tool.get("inputSchema") {
            None => note("input_schema_missing"),
            // Every revision wants an object whose root says so.
            Some(schema) if schema.get("type").and_then(Value::as_str) != Some("object") => {
                note("input_schema_invalid");
            }
            Some(_) => {}
        }
        if let Some(name) = tool.get("name").and_then(Value::as_string) {
            if !seen.insert(name) {
                note("duplicate_name");
            }
            if !name.as_str().is_some_and(is_plain) {
                note("name_shape");
            }
        }
    }
    notes
}

fn lossy(tool: &Value) -> Cow<'_, str> {
    tool.get("name")
        .and_then(Value::as_string)
        .map(JsonString::to_string_lossy)
        .unwrap_or_default()
}

fn is_plain(name: &str) -> bool {
    (1..=NAME_LIMIT).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}
