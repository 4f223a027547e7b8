//! One page of `tools/list` (specification pages `server/tools` and
//! `server/utilities/pagination` of each revision).

use touchstone_canonical::Value;

use crate::discover::{Deviation, list_envelope};
use crate::jsonrpc::Answer;
use crate::revision::Era;

/// Bytes of a cursor that is still followed.
pub const CURSOR_LIMIT: usize = 65_536;

/// A page as it was sent; its tools are not looked into here.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<'a> {
    pub tools: &'a [Value],
    pub next: Next<'a>,
    /// Modern era only: how the result's envelope strays from its schema.
    pub deviations: Vec<Deviation>,
}

/// How the list goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<'a> {
    /// This was the last page.
    End,
    /// Ask again with this cursor. May be empty in the modern era.
    Cursor(&'a str),
    /// `nextCursor` is neither string nor null, or is text that cannot be sent
    /// back. The list ends here.
    Unusable,
}

/// An answer that is no page of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotAPage {
    /// A JSON-RPC error; `None` when its code is no integer.
    Error { code: Option<i64> },
    /// `result.tools` is missing or no array.
    NoTools,
}

/// Reads the answer to `tools/list`.
///
/// In the modern era an empty string is a cursor like any other; before, it
/// was never said and servers send it to mean the end.
pub fn page(answer: &Answer, era: Era) -> Result<Page<'_>, NotAPage> {
    let result = match answer {
        Answer::Result(result) => result,
        Answer::Error(error) => return Err(NotAPage::Error { code: error.code }),
    };
    let tools = result
        .get("tools")
        .and_then(Value::as_array)
        .ok_or(NotAPage::NoTools)?;
    let next = match result.get("nextCursor") {
        None | Some(Value::Null) => Next::End,
        Some(cursor) => match (cursor.as_str(), era) {
            (Some(""), Era::Legacy) => Next::End,
            (Some(cursor), _) if cursor.len() <= CURSOR_LIMIT => Next::Cursor(cursor),
            _ => Next::Unusable,
        },
    };
    let deviations = match era {
        Era::Modern => list_envelope(result),
        Era::Legacy => Vec::new(),
    };
    Ok(Page {
        tools,
        next,
        deviations,
    })
}
