//! Whether a tool's annotations promise less than before (MCP 2025-11-25,
//! `schema.ts`, `ToolAnnotations`, with the defaults that it states).

use std::collections::BTreeSet;

use super::Class;
use crate::value::Value;

/// A hint, what it counts as when it is absent, and the value that promises.
const HINTS: [(&str, bool, bool); 4] = [
    ("readOnlyHint", false, true),
    ("destructiveHint", true, false),
    ("idempotentHint", false, true),
    ("openWorldHint", true, false),
];

pub(super) fn classes(before: Option<&Value>, after: Option<&Value>) -> BTreeSet<Class> {
    let mut found = BTreeSet::new();
    for (hint, default, promise) in HINTS {
        let promises = |annotations: Option<&Value>| match annotations.and_then(|a| a.get(hint)) {
            None => Some(default == promise),
            Some(value) => value.as_bool().map(|value| value == promise),
        };
        match (promises(before), promises(after)) {
            (Some(true), Some(false)) => _ = found.insert(Class::AnnotationDowngraded),
            (Some(false), Some(true)) => _ = found.insert(Class::AnnotationUpgraded),
            (Some(_), Some(_)) => {}
            // No value that the protocol knows, on one side at least.
            (None, _) | (_, None) => _ = found.insert(Class::Other),
        }
    }
    let title = |annotations: Option<&Value>| annotations.and_then(|a| a.get("title").cloned());
    if title(before) != title(after) {
        found.insert(Class::Wording);
    }
    if found.is_empty() {
        found.insert(Class::Other);
    }
    found
}
