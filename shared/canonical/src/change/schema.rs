//! Of what kind a change of a JSON Schema is, read keyword by keyword (JSON
//! Schema 2020-12; draft-07's names where they differ).
//!
//! A schema that is looked into is always one that values must fit: what stands
//! under `not`, `if` or `oneOf` is not, and a change there is [`Class::Other`].
//! So is every keyword that is not known here. A local `$ref` is followed once,
//! so that loops end. Fields that a schema does not name are read as fields that
//! the tool does not understand, unless the schema says what they are.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::Class;
use crate::canonical::canonicalize_value;
use crate::string::JsonString;
use crate::value::{Object, Value};

/// Levels that are looked into, references included.
const LEVELS: usize = 64;
/// The types of JSON Schema; an integer is a number too.
const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// At least one class, of two schemas that differ.
pub(super) fn classes(before: Option<&Value>, after: Option<&Value>) -> BTreeSet<Class> {
    let mut found = BTreeSet::new();
    if let (Some(before), Some(after)) = (before, after) {
        let same_definitions = ["$defs", "definitions"]
            .iter()
            .all(|key| before.get(key) == after.get(key));
        let mut walk = Walk {
            roots: [before, after],
            same_definitions,
            followed: BTreeSet::new(),
            found,
        };
        walk.schemas(LEVELS, before, after);
        found = walk.found;
    }
    if found.is_empty() {
        found.insert(Class::Other);
    }
    found
}

struct Walk<'v> {
    roots: [&'v Value; 2],
    /// If not, equal references may lead to what differs.
    same_definitions: bool,
    followed: BTreeSet<&'v str>,
    found: BTreeSet<Class>,
}

impl<'v> Walk<'v> {
    fn schemas(&mut self, levels: usize, before: &'v Value, after: &'v Value) {
        if before == after && self.same_definitions {
            return;
        }
        let Some(levels) = levels.checked_sub(1) else {
            self.is(Class::Other);
            return;
        };
        match (before, after) {
            (Value::Bool(false), Value::Bool(false)) => {}
            (Value::Bool(false), Value::Bool(true) | Value::Object(_)) => self.is(Class::Widened),
            (Value::Bool(true) | Value::Object(_), Value::Bool(false)) => self.is(Class::Narrowed),
            (Value::Bool(true) | Value::Object(_), Value::Bool(true) | Value::Object(_)) => {
                self.keywords(levels, &members(before), &members(after));
            }
            _ => self.is(Class::Other),
        }
    }

    fn keywords(&mut self, levels: usize, before: &Members<'v>, after: &Members<'v>) {
        let keys: BTreeSet<_> = before.keys().chain(after.keys()).copied().collect();
        for key in keys {
            let pair = (before.get(key).copied(), after.get(key).copied());
            self.keyword(levels, key, pair, before, after);
        }
    }

    fn keyword(
        &mut self,
        levels: usize,
        key: &str,
        pair: Pair<'v>,
        before: &Members<'v>,
        after: &Members<'v>,
    ) {
        match key {
            "properties" => self.properties(levels, pair, before, after),
            "additionalProperties"
            | "unevaluatedProperties"
            | "propertyNames"
            | "items"
            | "additionalItems"
            | "unevaluatedItems" => self.part(levels, pair),
            "anyOf" | "allOf" => self.several(levels, key, pair),
            "$ref" => self.reference(levels, pair),
            // Looked into where they are referred to.
            "$defs" | "definitions" => {}
            _ if pair.0 == pair.1 => {
                if !self.same_definitions && pair.0.is_some_and(|value| refers(value, LEVELS)) {
                    self.is(Class::Other);
                }
            }
            "title" | "description" | "$comment" | "default" | "examples" | "deprecated"
            | "readOnly" | "writeOnly" => self.is(Class::Wording),
            "type" => self.sets(types(pair.0), types(pair.1)),
            "enum" | "const"
                if before.contains_key("const") && before.contains_key("enum")
                    || after.contains_key("const") && after.contains_key("enum") =>
            {
                self.is(Class::Other);
            }
            "enum" | "const" => self.sets(allowed(before), allowed(after)),
            "required" => self.required(pair),
            "minimum" | "exclusiveMinimum" => self.bound(pair, f64::NEG_INFINITY, true),
            "minLength" | "minItems" | "minProperties" => self.bound(pair, 0.0, true),
            "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
                self.bound(pair, f64::INFINITY, false);
            }
            "uniqueItems" => self.unique(pair),
            "pattern" | "multipleOf" => match pair {
                (None, _) => self.is(Class::Narrowed),
                (_, None) => self.is(Class::Widened),
                _ => self.is(Class::Other),
            },
            _ => self.is(Class::Other),
        }
    }

    fn properties(
        &mut self,
        levels: usize,
        pair: Pair<'v>,
        before: &Members<'v>,
        after: &Members<'v>,
    ) {
        let (Some(old), Some(new)) = (object(pair.0), object(pair.1)) else {
            self.is(Class::Other);
            return;
        };
        // Where the schema says what other fields are, a field that is no longer
        // named may still be one.
        let closed = |side: &Members<'_>| {
            !side.contains_key("patternProperties")
                && matches!(
                    side.get("additionalProperties"),
                    None | Some(Value::Bool(false))
                )
        };
        let told = closed(before) && closed(after);
        for (name, schema) in &old {
            if let Some(other) = new.get(name) {
                self.schemas(levels, schema, other);
            } else {
                self.is(Class::RemovedField);
                self.is(if told { Class::Narrowed } else { Class::Other });
            }
        }
        if new.keys().any(|name| !old.contains_key(name)) {
            self.is(if told { Class::Widened } else { Class::Other });
        }
    }

    /// A keyword that holds one schema; absent, anything fits.
    fn part(&mut self, levels: usize, pair: Pair<'v>) {
        const ANYTHING: &Value = &Value::Bool(true);
        self.schemas(
            levels,
            pair.0.unwrap_or(ANYTHING),
            pair.1.unwrap_or(ANYTHING),
        );
    }

    /// `anyOf` and `allOf`: alternatives that came or went, or a change of some.
    /// Their order says nothing: those that both sides have are set aside, and
    /// of the rest, if as many came as went, the first is held against the first.
    fn several(&mut self, levels: usize, key: &str, pair: Pair<'v>) {
        let (more, less) = match key {
            "anyOf" => (Class::Widened, Class::Narrowed),
            _ => (Class::Narrowed, Class::Widened),
        };
        let (old, new) = match pair {
            (None, _) => return self.is(Class::Narrowed),
            (_, None) => return self.is(Class::Widened),
            (Some(old), Some(new)) => (old.as_array(), new.as_array()),
        };
        let (Some(old), Some(new)) = (old, new) else {
            return self.is(Class::Other);
        };
        let (texts_old, texts_new) = (texts(old), texts(new));
        let came = without(new, &texts_old);
        let went = without(old, &texts_new);
        if !self.same_definitions {
            for kept in without(old, &texts(went.iter().copied())) {
                self.schemas(levels, kept, kept);
            }
        }
        match (went.is_empty(), came.is_empty()) {
            (true, true) if old != new => self.is(Class::Wording),
            (true, true) => {}
            (true, false) => self.is(more),
            (false, true) => self.is(less),
            (false, false) if went.len() == came.len() => {
                for (old, new) in went.into_iter().zip(came) {
                    self.schemas(levels, old, new);
                }
            }
            (false, false) => self.is(Class::Other),
        }
    }

    fn reference(&mut self, levels: usize, pair: Pair<'v>) {
        let (Some(old), Some(new)) = pair else {
            return self.is(Class::Other);
        };
        if old != new {
            return self.is(Class::Other);
        }
        let Some(place) = new.as_str().filter(|_| !self.same_definitions) else {
            return;
        };
        // The root is being looked into.
        if place == "#" || !self.followed.insert(place) {
            return;
        }
        let [old, new] = self.roots.map(|root| definition(root, place));
        match (old, new) {
            (Some(old), Some(new)) => self.schemas(levels, old, new),
            _ => self.is(Class::Other),
        }
    }

    fn required(&mut self, pair: Pair<'v>) {
        let (Some(old), Some(new)) = (strings(pair.0), strings(pair.1)) else {
            return self.is(Class::Other);
        };
        if !new.is_subset(&old) {
            self.is(Class::Narrowed);
            self.is(Class::NewRequiredField);
        }
        if !old.is_subset(&new) {
            self.is(Class::Widened);
        }
        if old == new {
            self.is(Class::Wording);
        }
    }

    /// `lower`: a greater number lets less through.
    fn bound(&mut self, pair: Pair<'v>, absent: f64, lower: bool) {
        let number = |value: Option<&Value>| value.map_or(Some(absent), Value::as_f64);
        let (Some(old), Some(new)) = (number(pair.0), number(pair.1)) else {
            return self.is(Class::Other);
        };
        self.is(match new.total_cmp(&old) {
            // Written down, or no longer, and the same as absent.
            Ordering::Equal => Class::Wording,
            Ordering::Greater if lower => Class::Narrowed,
            Ordering::Less if !lower => Class::Narrowed,
            _ => Class::Widened,
        });
    }

    fn unique(&mut self, pair: Pair<'v>) {
        let flag = |value: Option<&Value>| value.map_or(Some(false), Value::as_bool);
        match (flag(pair.0), flag(pair.1)) {
            (Some(false), Some(true)) => self.is(Class::Narrowed),
            (Some(true), Some(false)) => self.is(Class::Widened),
            (Some(_), Some(_)) => self.is(Class::Wording),
            _ => self.is(Class::Other),
        }
    }

    fn sets(&mut self, old: Allowed, new: Allowed) {
        let (Some(old), Some(new)) = (old, new) else {
            return self.is(Class::Other);
        };
        let (came, went) = match (&old, &new) {
            (None, None) => (false, false),
            (None, Some(_)) => (false, true),
            (Some(_), None) => (true, false),
            (Some(old), Some(new)) => beyond(new, old),
        };
        if came {
            self.is(Class::Widened);
        }
        if went {
            self.is(Class::Narrowed);
        }
        if !came && !went {
            // The same values in another order or notation.
            self.is(Class::Wording);
        }
    }

    fn is(&mut self, class: Class) {
        self.found.insert(class);
    }
}

type Pair<'v> = (Option<&'v Value>, Option<&'v Value>);
type Members<'v> = BTreeMap<&'v str, &'v Value>;
/// Values that fit: `None`, it cannot be told; within, `None`, all do.
type Allowed = Option<Option<BTreeSet<String>>>;

/// The members of an object. A canonical text has no key that is no text.
fn members(schema: &Value) -> Members<'_> {
    let members = schema.as_object().map(Object::iter);
    let members = members.into_iter().flatten();
    members
        .filter_map(|(key, value)| Some((key.as_str()?, value)))
        .collect()
}

/// Absent is empty; what is no object is `None`.
fn object(value: Option<&Value>) -> Option<Members<'_>> {
    match value {
        None => Some(Members::new()),
        Some(value @ Value::Object(_)) => Some(members(value)),
        Some(_) => None,
    }
}

fn strings(value: Option<&Value>) -> Option<BTreeSet<&JsonString>> {
    match value {
        None => Some(BTreeSet::new()),
        Some(value) => value.as_array()?.iter().map(Value::as_string).collect(),
    }
}

fn types(value: Option<&Value>) -> Allowed {
    let named: Vec<&Value> = match value {
        None => return Some(None),
        Some(Value::Array(types)) => types.iter().collect(),
        Some(one) => vec![one],
    };
    let mut allowed = BTreeSet::new();
    for name in named {
        let name = TYPES.iter().find(|known| Some(**known) == name.as_str())?;
        allowed.insert((*name).to_owned());
        if *name == "number" {
            allowed.insert("integer".to_owned());
        }
    }
    Some((allowed.len() < TYPES.len()).then_some(allowed))
}

/// What `enum` or `const` lets through.
fn allowed(schema: &Members<'_>) -> Allowed {
    match (schema.get("const"), schema.get("enum")) {
        (Some(one), _) => Some(Some(texts([*one]))),
        (None, Some(values)) => Some(Some(texts(values.as_array()?))),
        (None, None) => Some(None),
    }
}

fn texts<'v>(values: impl IntoIterator<Item = &'v Value>) -> BTreeSet<String> {
    values.into_iter().filter_map(text).collect()
}

fn text(value: &Value) -> Option<String> {
    Some(canonicalize_value(value).ok()?.as_str().to_owned())
}

/// Those that are none of the others.
fn without<'v>(values: &'v [Value], others: &BTreeSet<String>) -> Vec<&'v Value> {
    let is_other = |value: &&Value| text(value).is_some_and(|text| others.contains(&text));
    values.iter().filter(|value| !is_other(value)).collect()
}

/// Whether the one set has members that the other lacks, and the other way round.
fn beyond(new: &BTreeSet<String>, old: &BTreeSet<String>) -> (bool, bool) {
    (!new.is_subset(old), !old.is_subset(new))
}

/// The definition that a local reference names (RFC 6901 in a fragment).
fn definition<'v>(root: &'v Value, place: &str) -> Option<&'v Value> {
    let (folder, name) = place.strip_prefix("#/")?.split_once('/')?;
    let named = matches!(folder, "$defs" | "definitions") && !name.contains(['/', '%']);
    let name = named.then(|| name.replace("~1", "/").replace("~0", "~"))?;
    root.get(folder)?.get(&name)
}

/// Whether a reference stands anywhere in it; what is too deep may hold one.
fn refers(value: &Value, levels: usize) -> bool {
    let Some(levels) = levels.checked_sub(1) else {
        return true;
    };
    match value {
        Value::Array(items) => items.iter().any(|item| refers(item, levels)),
        Value::Object(object) => object
            .iter()
            .any(|(key, value)| *key == "$ref" || refers(value, levels)),
        _ => false,
    }
}
