//! Projection v1: what of a tool list is fingerprinted, and the fingerprints.
//!
//! Only `name` and `inputSchema` of each tool are read; whatever else a tool
//! carries never changes a fingerprint. All pages of a list go in together, and
//! neither the order of pages nor that of tools matters: names are sorted by
//! UTF-16 code units as they were sent, before any normalization, duplicates
//! kept; equal names by the canonical text of their schema in the same way.

use crate::canonical::{Canonical, Refusal, Writer};
use crate::string::{JsonString, utf16_order};
use crate::value::Value;

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
    names.sort_by(|a, b| a.1.cmp(b.1));
    let mut writer = Writer::with_capacity(names.len() * 24);
    writer.raw("[");
    for (place, (index, name)) in names.into_iter().enumerate() {
        if place > 0 {
            writer.raw(",");
        }
        write_name(&mut writer, index, name)?;
    }
    writer.raw("]");
    Ok(Fingerprint::of(writer.finish()))
}

/// Fingerprint of the tools' names and input schemas.
pub fn schema_fingerprint(tools: &[&Value]) -> Result<Fingerprint, ProjectionRefusal> {
    let mut entries = Vec::with_capacity(tools.len());
    for (index, name) in names(tools)? {
        let schema = tools[index]
            .get("inputSchema")
            .ok_or(ProjectionRefusal::MissingInputSchema { tool_index: index })?;
        entries.push((index, name, schema));
    }
    let mut schemas = Writer::with_capacity(0);
    let mut rows = Vec::with_capacity(entries.len());
    for (index, name, schema) in entries {
        let start = schemas.len();
        schemas
            .value(schema, &format!("$.tools[{index}].inputSchema"))
            .map_err(|refusal| ProjectionRefusal::NotCanonical {
                tool_index: index,
                refusal,
            })?;
        rows.push((index, name, start..schemas.len()));
    }
    let schemas = schemas.finish();
    let text =
        |row: &(usize, &JsonString, std::ops::Range<usize>)| &schemas.as_str()[row.2.clone()];
    rows.sort_by(|a, b| a.1.cmp(b.1).then_with(|| utf16_order(text(a), text(b))));

    let mut writer = Writer::with_capacity(schemas.as_bytes().len() + rows.len() * 48);
    writer.raw("[");
    for (place, row) in rows.iter().enumerate() {
        writer.raw(if place > 0 {
            ",{\"inputSchema\":"
        } else {
            "{\"inputSchema\":"
        });
        writer.raw(text(row));
        writer.raw(",\"name\":");
        write_name(&mut writer, row.0, row.1)?;
        writer.raw("}");
    }
    writer.raw("]");
    Ok(Fingerprint::of(writer.finish()))
}

/// Each tool's place in the list and its name as sent.
fn names<'v>(tools: &[&'v Value]) -> Result<Vec<(usize, &'v JsonString)>, ProjectionRefusal> {
    tools
        .iter()
        .enumerate()
        .map(|(tool_index, tool)| {
            tool.get("name")
                .and_then(Value::as_string)
                .map(|name| (tool_index, name))
                .ok_or(ProjectionRefusal::NoName { tool_index })
        })
        .collect()
}

fn write_name(
    writer: &mut Writer<'_>,
    tool_index: usize,
    name: &JsonString,
) -> Result<(), ProjectionRefusal> {
    writer
        .text(name, &format!("$.tools[{tool_index}].name"))
        .map_err(|refusal| ProjectionRefusal::NotCanonical {
            tool_index,
            refusal,
        })
}
