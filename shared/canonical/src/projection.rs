//! What of a tool list is fingerprinted, and the fingerprints.
//!
//! Projection v1 reads only `name` and `inputSchema` of each tool: whatever else
//! a tool carries never changes its two fingerprints. The projection
//! `definition/v1` reads all that a client shows to a model, so that a changed
//! description does not pass unseen. All pages of a list go in together, and
//! neither the order of pages nor that of tools matters: names are sorted by
//! UTF-16 code units as they were sent, before any normalization, duplicates
//! kept; equal names by the canonical text of what is projected in the same way.

use std::ops::Range;

use crate::canonical::{Canonical, Refusal};
use crate::string::{JsonString, utf16_order};
use crate::value::Value;
use crate::write::Writer;

/// The name under which payloads state this projection.
pub const PROJECTION_VERSION: &str = "v1";
/// The name and version of the projection to full definitions.
pub const DEFINITION_PROJECTION_VERSION: &str = "definition/v1";
/// The members of a tool that its full definition is made of, as canonical form
/// sorts them. One that a tool does not have is left out.
pub const DEFINITION_MEMBERS: [&str; 6] = [
    "annotations",
    "description",
    "inputSchema",
    "name",
    "outputSchema",
    "title",
];

/// A fingerprint and the text that it is the SHA-256 of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// `sha256:` and 64 lowercase hex digits.
    pub digest: String,
    pub canonical: Canonical,
}

impl Fingerprint {
    fn of(canonical: Canonical) -> Self {
        Self {
            digest: canonical.digest(),
            canonical,
        }
    }
}

/// Why a list has no such fingerprint. `tool_index` counts over all pages, from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProjectionRefusal {
    /// The entry is no object, or its name is no string.
    #[error("projecting a tool list: tool {tool_index} has no name")]
    NoName { tool_index: usize },
    #[error("projecting a tool list: tool {tool_index} has no inputSchema")]
    MissingInputSchema { tool_index: usize },
    /// A name or schema has no canonical form; the path begins at `$.tools`.
    #[error("projecting a tool list: tool {tool_index} cannot be canonicalized")]
    NotCanonical {
        tool_index: usize,
        #[source]
        refusal: Refusal,
    },
}

impl ProjectionRefusal {
    /// The stable key of this reason; for a refusal of canonicalization, its own.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::NoName { .. } => "no_name",
            Self::MissingInputSchema { .. } => "missing_input_schema",
            Self::NotCanonical { refusal, .. } => refusal.kind.as_str(),
        }
    }

    /// The first tool at fault.
    pub fn tool_index(&self) -> usize {
        match self {
            Self::NoName { tool_index }
            | Self::MissingInputSchema { tool_index }
            | Self::NotCanonical { tool_index, .. } => *tool_index,
        }
    }
}

/// Fingerprint of the tools' names alone.
pub fn toolset_fingerprint(tools: &[&Value]) -> Result<Fingerprint, ProjectionRefusal> {
    let mut names = names(tools)?;
    names.sort_by(|a, b| a.name.cmp(b.name));
    let mut writer = Writer::with_capacity(names.len() * ENTRY);
    for (place, named) in names.iter().enumerate() {
        writer.raw(if place == 0 { b"[" } else { b"," });
        named.write(&mut writer)?;
    }
    Ok(close(writer, names.is_empty()))
}

/// Fingerprint of the tools' names and input schemas.
pub fn schema_fingerprint(tools: &[&Value]) -> Result<Fingerprint, ProjectionRefusal> {
    let (texts, rows) = rows(tools, |tool_index, _, texts| {
        let schema = tools[tool_index]
            .get("inputSchema")
            .ok_or(ProjectionRefusal::MissingInputSchema { tool_index })?;
        member(texts, tool_index, "inputSchema", schema)
    })?;
    let mut writer = Writer::with_capacity(texts.as_bytes().len() + rows.len() * ENTRY);
    for (place, row) in rows.iter().enumerate() {
        writer.raw(if place == 0 { b"[" } else { b"," });
        writer.raw(b"{\"inputSchema\":");
        writer.raw(&texts.as_bytes()[row.1.clone()]);
        writer.raw(b",\"name\":");
        row.0.write(&mut writer)?;
        writer.raw(b"}");
    }
    Ok(close(writer, rows.is_empty()))
}

/// Fingerprint of the tools' full definitions, [`DEFINITION_MEMBERS`]. A tool
/// without an input schema has one too.
pub fn definition_fingerprint(tools: &[&Value]) -> Result<Fingerprint, ProjectionRefusal> {
    let (texts, rows) = rows(tools, |tool_index, named, texts| {
        let mut opening: &[u8] = b"{\"";
        for key in DEFINITION_MEMBERS {
            let Some(value) = tools[tool_index].get(key) else {
                continue;
            };
            texts.raw(opening);
            texts.raw(key.as_bytes());
            texts.raw(b"\":");
            if key == "name" {
                named.write(texts)?;
            } else {
                member(texts, tool_index, key, value)?;
            }
            opening = b",\"";
        }
        texts.raw(b"}");
        Ok(())
    })?;
    let mut writer = Writer::with_capacity(texts.as_bytes().len() + rows.len());
    for (place, row) in rows.iter().enumerate() {
        writer.raw(if place == 0 { b"[" } else { b"," });
        writer.raw(&texts.as_bytes()[row.1.clone()]);
    }
    Ok(close(writer, rows.is_empty()))
}

/// A tool and where its canonical text stands.
type Row<'v> = (Named<'v>, Range<usize>);

/// The canonical text of each tool, as `write` writes it, and the tools in order.
fn rows<'v>(
    tools: &[&'v Value],
    write: impl Fn(usize, &Named<'v>, &mut Writer<'v>) -> Result<(), ProjectionRefusal>,
) -> Result<(Canonical, Vec<Row<'v>>), ProjectionRefusal> {
    let names = names(tools)?;
    let mut texts = Writer::with_capacity(0);
    let mut rows = Vec::with_capacity(names.len());
    for named in names {
        let start = texts.len();
        write(named.tool_index, &named, &mut texts)?;
        rows.push((named, start..texts.len()));
    }
    let texts = texts.finish();
    let text = |row: &Row<'_>| &texts.as_bytes()[row.1.clone()];
    rows.sort_by(|a, b| {
        let by_name = a.0.name.cmp(b.0.name);
        by_name.then_with(|| utf16_order(text(a), text(b)))
    });
    Ok((texts, rows))
}

fn member<'v>(
    writer: &mut Writer<'v>,
    tool_index: usize,
    key: &str,
    value: &'v Value,
) -> Result<(), ProjectionRefusal> {
    writer
        .value(value, || format!("$.tools[{tool_index}].{key}"))
        .map_err(|refusal| ProjectionRefusal::NotCanonical {
            tool_index,
            refusal,
        })
}

/// Bytes that an entry takes beside its schema, about.
const ENTRY: usize = 48;

fn close(mut writer: Writer<'_>, empty: bool) -> Fingerprint {
    writer.raw(if empty { b"[]" } else { b"]" });
    Fingerprint::of(writer.finish())
}

/// A tool's name as sent, and its place in the list.
struct Named<'v> {
    tool_index: usize,
    name: &'v JsonString,
}

impl<'v> Named<'v> {
    fn write(&self, writer: &mut Writer<'v>) -> Result<(), ProjectionRefusal> {
        let tool_index = self.tool_index;
        writer
            .text(self.name, || format!("$.tools[{tool_index}].name"))
            .map_err(|refusal| ProjectionRefusal::NotCanonical {
                tool_index,
                refusal,
            })
    }
}

fn names<'v>(tools: &[&'v Value]) -> Result<Vec<Named<'v>>, ProjectionRefusal> {
    let named = tools.iter().enumerate().map(|(tool_index, tool)| {
        let name = tool.get("name").and_then(Value::as_string);
        name.map(|name| Named { tool_index, name })
            .ok_or(ProjectionRefusal::NoName { tool_index })
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RefusalKind, read};

    fn both(tools: &str) -> [Result<Fingerprint, ProjectionRefusal>; 2] {
        let list = read(tools.as_bytes()).expect("JSON");
        let tools: Vec<&Value> = list.as_array().expect("an array").iter().collect();
        [toolset_fingerprint(&tools), schema_fingerprint(&tools)]
    }

    #[test]
    fn equal_names_are_ordered_by_schema() {
        for tools in [
            r#"[{"name":"a","inputSchema":{"z":1}},{"name":"a","inputSchema":{"b":1}},{"name":"a","inputSchema":null}]"#,
            r#"[{"name":"a","inputSchema":{"b":1}},{"inputSchema":null,"name":"a"},{"name":"a","inputSchema":{"z":1},"x":0}]"#,
        ] {
            let [toolset, schema] = both(tools).map(|one| one.expect("computable"));
            assert_eq!(toolset.canonical.as_str(), r#"["a","a","a"]"#);
            assert_eq!(
                schema.canonical.as_str(),
                r#"[{"inputSchema":null,"name":"a"},{"inputSchema":{"b":1},"name":"a"},{"inputSchema":{"z":1},"name":"a"}]"#
            );
            assert_eq!(schema.digest, schema.canonical.digest());
        }
    }

    fn definition(tools: &str) -> Result<Fingerprint, ProjectionRefusal> {
        let list = read(tools.as_bytes()).expect("JSON");
        let tools: Vec<&Value> = list.as_array().expect("an array").iter().collect();
        definition_fingerprint(&tools)
    }

    #[test]
    fn a_definition_is_all_that_a_model_is_shown() {
        let found = definition(
            r#"[{"name":"b","_meta":{"x":1},"icons":[]},{"title":"A","outputSchema":{},"name":"a","inputSchema":{"b":1,"a":2},"description":"e\u0301","annotations":{"readOnlyHint":true}}]"#,
        );
        let found = found.expect("computable");
        assert_eq!(
            found.canonical.as_str(),
            "[{\"annotations\":{\"readOnlyHint\":true},\"description\":\"\u{e9}\",\"inputSchema\":{\"a\":2,\"b\":1},\"name\":\"a\",\"outputSchema\":{},\"title\":\"A\"},{\"name\":\"b\"}]"
        );
        assert_eq!(found.digest, found.canonical.digest());
        // An empty text is not the same as none.
        assert_ne!(
            definition(r#"[{"name":"a","description":""}]"#),
            definition(r#"[{"name":"a"}]"#)
        );
        assert_eq!(
            definition("[]").expect("computable").canonical.as_str(),
            "[]"
        );
    }

    #[test]
    fn a_definition_that_has_no_canonical_form_says_where() {
        let refused = definition(r#"[{"name":"a"},{"name":"b","description":"\ud800"}]"#);
        let Err(ProjectionRefusal::NotCanonical { refusal, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(refusal.path, "$.tools[1].description");
        assert_eq!(
            definition("[7]"),
            Err(ProjectionRefusal::NoName { tool_index: 0 })
        );
    }

    #[test]
    fn what_has_no_fingerprint_says_which_tool() {
        let no_name = ProjectionRefusal::NoName { tool_index: 1 };
        for tools in [
            r#"[{"name":"a","inputSchema":{}},{"name":7,"inputSchema":{}}]"#,
            r#"[{"name":"a","inputSchema":{}},null]"#,
            r#"[{"name":"a","inputSchema":{}},{"inputSchema":{}}]"#,
        ] {
            for found in both(tools) {
                assert_eq!(found.as_ref(), Err(&no_name), "{tools}");
            }
        }
        let [toolset, schema] = both(r#"[{"name":"a"}]"#);
        assert!(toolset.is_ok());
        assert_eq!(
            schema,
            Err(ProjectionRefusal::MissingInputSchema { tool_index: 0 })
        );
        let [toolset, schema] = both(r#"[{"name":"b","inputSchema":{"x y":[1e999]}}]"#);
        assert!(toolset.is_ok());
        let Err(ProjectionRefusal::NotCanonical { refusal, .. }) = schema else {
            panic!("{schema:?}");
        };
        assert_eq!(refusal.kind, RefusalKind::NonFiniteNumber);
        assert_eq!(refusal.path, r#"$.tools[0].inputSchema["x y"][0]"#);
        let [toolset, _] = both(r#"[{"name":"b"},{"name":"a\ud800"}]"#);
        let refusal = toolset.expect_err("an unpaired surrogate");
        assert_eq!(
            (refusal.tool_index(), refusal.as_str()),
            (1, "lone_surrogate")
        );
    }
}
