//! Projection v1: what of a tool list is fingerprinted, and the fingerprints.
//!
//! Only `name` and `inputSchema` of each tool are read; whatever else a tool
//! carries never changes a fingerprint. All pages of a list go in together, and
//! neither the order of pages nor that of tools matters: names are sorted by
//! UTF-16 code units as they were sent, before any normalization, duplicates
//! kept; equal names by the canonical text of their schema in the same way.

use std::ops::Range;

use crate::canonical::{Canonical, Refusal};
use crate::string::{JsonString, utf16_order};
use crate::value::Value;
use crate::write::Writer;

/// The name under which payloads state this projection.
pub const PROJECTION_VERSION: &str = "v1";

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
    let names = names(tools)?;
    let mut schemas = Writer::with_capacity(0);
    let mut rows = Vec::with_capacity(names.len());
    for named in names {
        let tool_index = named.tool_index;
        let schema = tools[tool_index]
            .get("inputSchema")
            .ok_or(ProjectionRefusal::MissingInputSchema { tool_index })?;
        let start = schemas.len();
        schemas
            .value(schema, || format!("$.tools[{tool_index}].inputSchema"))
            .map_err(|refusal| ProjectionRefusal::NotCanonical {
                tool_index,
                refusal,
            })?;
        rows.push((named, start..schemas.len()));
    }
    let schemas = schemas.finish();
    let text = |row: &(Named<'_>, Range<usize>)| &schemas.as_bytes()[row.1.clone()];
    rows.sort_by(|a, b| {
        let by_name = a.0.name.cmp(b.0.name);
        by_name.then_with(|| utf16_order(text(a), text(b)))
    });

    let mut writer = Writer::with_capacity(schemas.as_bytes().len() + rows.len() * ENTRY);
    for (place, row) in rows.iter().enumerate() {
        writer.raw(if place == 0 { b"[" } else { b"," });
        writer.raw(b"{\"inputSchema\":");
        writer.raw(text(row));
        writer.raw(b",\"name\":");
        row.0.write(&mut writer)?;
        writer.raw(b"}");
    }
    Ok(close(writer, rows.is_empty()))
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

impl Named<'_> {
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), ProjectionRefusal> {
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
