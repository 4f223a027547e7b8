//! Tool lists as servers give them: some of the text in other scripts, some of
//! it escaped.

use serde_json::{Value, json};

/// A `tools/list` answer with so many tools, about 1,350 bytes each.
pub(crate) fn list(count: usize) -> Vec<u8> {
    let tools: Vec<Value> = (0..count).map(tool).collect();
    let answer = json!({ "jsonrpc": "2.0", "id": 2, "result": { "tools": tools } });
    serde_json::to_vec(&answer).expect("serializes")
}

fn tool(number: usize) -> Value {
    let (verb, what) = [
        ("search", "issues"),
        ("list", "files"),
        ("get", "commit"),
        ("create", "branch"),
        ("update", "label"),
    ][number % 5];
    json!({
        "name": format!("{verb}_{what}_{number}"),
        "title": format!("{verb} {what} — {number}"),
        "description": format!(
            "{verb} the {what} of a repository and return those that match the query, newest \
             first.\n\nUse “labels” to narrow the result to what carries every label given; an \
             empty list means no filter. Results are paged: pass the cursor of the last answer \
             to read on. Requires that the repository is visible to the account whose token the \
             server was started with. Pagination für große Listen; 结果按时间排序。\n\nExample: \
             {{\"query\": \"is:open crash\", \"limit\": {}}}.",
            number % 100
        ),
        "annotations": { "readOnlyHint": true, "openWorldHint": false },
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "required": ["owner", "repository", "query"],
            "additionalProperties": false,
            "properties": {
                "owner": { "type": "string", "description": "Who owns the repository" },
                "repository": { "type": "string", "description": "Its name, without the owner’s" },
                "query": { "type": "string", "minLength": 1, "maxLength": 256 },
                "labels": { "type": "array", "items": { "type": "string" }, "maxItems": 10 },
                "order": { "enum": ["newest", "oldest", "most_discussed"], "default": "newest" },
                "limit": { "type": "integer", "minimum": 1, "maximum": 100, "default": 20 },
                "score": { "type": "number", "minimum": 0.25, "description": "At least so well" },
                "cursor": { "type": ["string", "null"], "description": "Where the last answer ended" }
            }
        }
    })
}
