//! What differs between two tool lists, tool by tool and part by part, and of
//! what kind a change of a schema is.
//!
//! Both lists are the canonical texts that the full-definition fingerprint is
//! taken over. Tools are matched by name and a rename is never guessed: it is
//! one tool gone and one come. Every change that is known by its class is named
//! so; what cannot be told is [`Class::Other`] and never left out. The output is
//! bounded, and what lies beyond is counted.

mod annotations;
mod schema;

use std::collections::{BTreeMap, BTreeSet};

use crate::canonical::canonicalize_value;
use crate::difference::{Difference, differences};
use crate::read::{ReadError, read};
use crate::string::JsonString;
use crate::value::Value;

/// Changes between two lists that are written down; the rest is counted.
pub const CHANGES_LIMIT: usize = 200;
/// Characters of a tool's name that are written down.
const NAME_SHOWN: usize = 256;

/// A tool list as the projection to full definitions writes it.
#[derive(Clone, Debug)]
pub struct ToolList(Vec<Value>);

/// What differs between two lists, by name of the tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub changes: Vec<Change>,
    /// Changes beyond [`CHANGES_LIMIT`].
    pub more: usize,
}

/// One change of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Cut to a bound.
    pub tool: String,
    pub part: Part,
    /// Of a part that has classes, at least one.
    pub classes: BTreeSet<Class>,
    /// Where the part differs; empty for a tool that came or went.
    pub differences: Vec<Difference>,
    /// More differences than are written down.
    pub truncated: bool,
}

/// What of a tool changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    Added,
    Removed,
    Description,
    Title,
    Annotations,
    InputSchema,
    OutputSchema,
}

/// Of what kind a change of a schema or of annotations is. Several may hold at
/// once. They are read from the keywords of the schema: a constraint that two
/// keywords state together is judged keyword by keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A constraint was loosened: values fit that did not.
    Widened,
    /// A constraint was tightened: values that fitted no longer do.
    Narrowed,
    /// A field that was not required is; always beside [`Self::Narrowed`].
    NewRequiredField,
    /// A field that was named no longer is.
    RemovedField,
    /// A hint promises less than before.
    AnnotationDowngraded,
    /// A hint promises more than before.
    AnnotationUpgraded,
    /// What describes and constrains nothing (titles, descriptions, defaults,
    /// examples), or the same constraint in another notation.
    Wording,
    /// Something else, or something of which this cannot be told.
    Other,
}

impl ToolList {
    /// Reads the text that a full-definition fingerprint was taken over.
    pub fn read(canonical: &[u8]) -> Result<Self, ReadError> {
        let list = read(canonical)?;
        Ok(Self(match list {
            Value::Array(tools) => tools,
            // No text of ours; it names no tool.
            _ => Vec::new(),
        }))
    }

    /// Names of the tools, in the list's order.
    pub fn names(&self) -> impl Iterator<Item = &JsonString> {
        self.0.iter().filter_map(name)
    }
}

impl Part {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Description => "description",
            Self::Title => "title",
            Self::Annotations => "annotations",
            Self::InputSchema => "input_schema",
            Self::OutputSchema => "output_schema",
        }
    }

    /// The member of a tool, for the parts that are one.
    fn member(self) -> Option<&'static str> {
        match self {
            Self::Added | Self::Removed => None,
            Self::Description => Some("description"),
            Self::Title => Some("title"),
            Self::Annotations => Some("annotations"),
            Self::InputSchema => Some("inputSchema"),
            Self::OutputSchema => Some("outputSchema"),
        }
    }
}

impl Class {
    pub const ALL: [Self; 8] = [
        Self::Widened,
        Self::Narrowed,
        Self::NewRequiredField,
        Self::RemovedField,
        Self::AnnotationDowngraded,
        Self::AnnotationUpgraded,
        Self::Wording,
        Self::Other,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Widened => "widened",
            Self::Narrowed => "narrowed",
            Self::NewRequiredField => "new_required_field",
            Self::RemovedField => "removed_field",
            Self::AnnotationDowngraded => "annotation_downgraded",
            Self::AnnotationUpgraded => "annotation_upgraded",
            Self::Wording => "wording",
            Self::Other => "other",
        }
    }
}

/// What changed from the one list to the other.
pub fn changes(before: &ToolList, after: &ToolList) -> Changes {
    let (before, after) = (by_name(before), by_name(after));
    let mut found = Changes::default();
    let names: BTreeSet<_> = before.keys().chain(after.keys()).copied().collect();
    for tool in names {
        let none = Vec::new();
        let (old, new) = (
            before.get(tool).unwrap_or(&none),
            after.get(tool).unwrap_or(&none),
        );
        let (old, new) = unlike(old, new);
        for place in 0..old.len().max(new.len()) {
            match (old.get(place), new.get(place)) {
                (Some(old), Some(new)) => found.compare(tool, old, new),
                (None, _) => found.add(tool, Part::Added, None, None),
                (_, None) => found.add(tool, Part::Removed, None, None),
            }
        }
    }
    found
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// How many there are, written down or not.
    pub fn count(&self) -> usize {
        self.changes.len() + self.more
    }

    fn compare(&mut self, tool: &JsonString, before: &Value, after: &Value) {
        for part in [
            Part::Description,
            Part::Title,
            Part::Annotations,
            Part::InputSchema,
            Part::OutputSchema,
        ] {
            let member = part.member().unwrap_or_default();
            let (before, after) = (before.get(member), after.get(member));
            if before != after {
                self.add(tool, part, before, after);
            }
        }
    }

    fn add(
        &mut self,
        tool: &JsonString,
        part: Part,
        before: Option<&Value>,
        after: Option<&Value>,
    ) {
        if self.changes.len() == CHANGES_LIMIT {
            self.more += 1;
            return;
        }
        let classes = match part {
            Part::InputSchema => schema::classes(before, after),
            // A tool without one promises nothing of its results.
            Part::OutputSchema => {
                let anything = Value::Bool(true);
                schema::classes(
                    Some(before.unwrap_or(&anything)),
                    Some(after.unwrap_or(&anything)),
                )
            }
            Part::Annotations => annotations::classes(before, after),
            Part::Added | Part::Removed | Part::Description | Part::Title => BTreeSet::new(),
        };
        let (differences, truncated) = differences(before, after);
        self.changes.push(Change {
            tool: tool.to_string_lossy().chars().take(NAME_SHOWN).collect(),
            part,
            classes,
            differences,
            truncated,
        });
    }
}

/// A tool beside its canonical text.
type Told<'v> = (String, &'v Value);

fn by_name(list: &ToolList) -> BTreeMap<&JsonString, Vec<Told<'_>>> {
    let mut by_name: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for tool in &list.0 {
        // Both hold for every text that a fingerprint was taken over.
        let (Some(name), Ok(text)) = (name(tool), canonicalize_value(tool)) else {
            continue;
        };
        let told = (text.as_str().to_owned(), tool);
        by_name.entry(name).or_default().push(told);
    }
    for tools in by_name.values_mut() {
        tools.sort_by(|a, b| a.0.cmp(&b.0));
    }
    by_name
}

/// Of tools that share a name, those that the other list does not have as they are.
fn unlike<'v>(old: &[Told<'v>], new: &[Told<'v>]) -> (Vec<&'v Value>, Vec<&'v Value>) {
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    while let (Some(a), Some(b)) = (old.peek(), new.peek()) {
        match a.0.cmp(&b.0) {
            std::cmp::Ordering::Less => gone.extend(old.next().map(|told| told.1)),
            std::cmp::Ordering::Greater => come.extend(new.next().map(|told| told.1)),
            std::cmp::Ordering::Equal => _ = (old.next(), new.next()),
        }
    }
    gone.extend(old.map(|told| told.1));
    come.extend(new.map(|told| told.1));
    (gone, come)
}

fn name(tool: &Value) -> Option<&JsonString> {
    tool.get("name").and_then(Value::as_string)
}

#[cfg(test)]
mod tests;
