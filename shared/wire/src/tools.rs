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

impl Page<'_> {
    /// Whether it can be taken for a page of tools: every entry is one, and the
    /// result is of the type that lists have.
    pub fn is_sound(&self) -> bool {
        !self.deviations.contains(&Deviation::ResultType)
            && self.tools.iter().all(|tool| entry_fault(tool).is_none())
    }
}

/// Why an entry makes the list that holds it invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryFault {
    NotObject,
    /// `name` is missing or no string.
    NoName,
}

impl EntryFault {
    /// The stable key of this fault.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotObject => "not_object",
            Self::NoName => "no_name",
        }
    }
}

/// What keeps an entry from being a tool; what else a tool lacks is its own affair.
pub fn entry_fault(tool: &Value) -> Option<EntryFault> {
    if tool.as_object().is_none() {
        return Some(EntryFault::NotObject);
    }
    let named = tool
        .get("name")
        .is_some_and(|name| name.as_string().is_some());
    (!named).then_some(EntryFault::NoName)
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
    /// Longer than [`CURSOR_LIMIT`]: we do not send it back.
    TooLong,
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
            (Some(_), _) => Next::TooLong,
            (None, _) => Next::Unusable,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonrpc::{Id, read_answer};

    fn line(result: &str, era: Era) -> String {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,{result}}}"#);
        let reading = read_answer(body.as_bytes(), &Id::from(1)).expect("an answer");
        match page(&reading.answer, era) {
            Ok(page) => {
                let next = match page.next {
                    Next::End => String::from("end"),
                    Next::Cursor(cursor) => format!("cursor {cursor:?}"),
                    Next::Unusable => String::from("unusable"),
                    Next::TooLong => String::from("too long"),
                };
                let deviations: String = page.deviations.iter().map(|one| one.as_str()).collect();
                format!("{} {next} {deviations}", page.tools.len())
                    .trim()
                    .to_owned()
            }
            Err(fault) => format!("{fault:?}"),
        }
    }

    #[test]
    fn a_page_is_sound_when_every_entry_is_a_tool() {
        let envelope = r#""ttlMs":0,"cacheScope":"public""#;
        for (members, legacy, modern) in [
            (r#""tools":[]"#, true, true),
            (r#""tools":[{"name":""}]"#, true, true),
            (r#""tools":[{"name":"\ud800"}]"#, true, true),
            (r#""tools":[{"name":"a"},null]"#, false, false),
            (r#""tools":["a"]"#, false, false),
            (r#""tools":[{}]"#, false, false),
            (r#""tools":[{"name":7}]"#, false, false),
            (r#""tools":[],"resultType":"complete""#, true, true),
            (r#""tools":[],"resultType":"input_required""#, true, false),
            (r#""tools":[],"resultType":null"#, true, false),
        ] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{{members},{envelope}}}}}"#);
            let reading = read_answer(body.as_bytes(), &Id::from(1)).expect("an answer");
            for (era, sound) in [(Era::Legacy, legacy), (Era::Modern, modern)] {
                let page = page(&reading.answer, era).expect("a page");
                assert_eq!(page.is_sound(), sound, "{era:?} {members}");
            }
        }
    }

    #[test]
    fn a_page_and_how_the_list_goes_on() {
        let envelope = r#","resultType":"complete","ttlMs":5,"cacheScope":"public""#;
        for (members, legacy, modern) in [
            (r#""tools":[]"#, "0 end", "0 end"),
            (r#""tools":[null,{}],"nextCursor":null"#, "2 end", "2 end"),
            (
                r#""tools":[1],"nextCursor":"p\n2""#,
                r#"1 cursor "p\n2""#,
                r#"1 cursor "p\n2""#,
            ),
            // Trap 38.
            (r#""tools":[],"nextCursor":"""#, "0 end", r#"0 cursor """#),
            // Trap 39.
            (r#""tools":[],"nextCursor":7"#, "0 unusable", "0 unusable"),
            (r#""tools":[],"nextCursor":{}"#, "0 unusable", "0 unusable"),
            (
                r#""tools":[],"nextCursor":"\ud800""#,
                "0 unusable",
                "0 unusable",
            ),
            (r#""tools":{}"#, "NoTools", "NoTools"),
            (r#""nextCursor":"x""#, "NoTools", "NoTools"),
        ] {
            let result = format!(r#""result":{{{members}{envelope}}}"#);
            assert_eq!(line(&result, Era::Legacy), legacy, "{members}");
            assert_eq!(line(&result, Era::Modern), modern, "{members}");
        }
        let bare = r#""result":{"tools":[]}"#;
        assert_eq!(line(bare, Era::Legacy), "0 end");
        assert_eq!(
            line(bare, Era::Modern),
            "0 end result_type_missingttl_mscache_scope"
        );
        for (error, fault) in [
            (
                r#"{"code":-32601,"message":""}"#,
                "Error { code: Some(-32601) }",
            ),
            (r#"{"code":"x"}"#, "Error { code: None }"),
        ] {
            assert_eq!(line(&format!(r#""error":{error}"#), Era::Modern), fault);
        }
        let long = format!(
            r#""result":{{"tools":[],"nextCursor":"{}"}}"#,
            "x".repeat(CURSOR_LIMIT + 1)
        );
        assert_eq!(line(&long, Era::Legacy), "0 too long");
    }
}
