//! JSON as `JSON.parse` hands it over: doubles, WTF-16 strings, last key wins.

use std::collections::HashMap;
use std::fmt;

use crate::string::JsonString;

/// A JSON value.
#[derive(Clone, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    /// Infinite when the text named a number beyond the range of a double.
    Number(f64),
    String(JsonString),
    Array(Vec<Self>),
    Object(Object),
}

impl Value {
    /// The member of an object by its key; `None` also for what is no object.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_object()?.get(key)
    }

    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The text of a string without unpaired surrogates.
    pub fn as_str(&self) -> Option<&str> {
        self.as_string()?.as_str()
    }

    /// Any string, also one with unpaired surrogates.
    pub fn as_string(&self) -> Option<&JsonString> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The number, when it is a whole one that a double holds exactly.
    pub fn as_i64(&self) -> Option<i64> {
        /// 2^53: from here on doubles skip integers.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        match self {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "whole and below 2^53 by the guard, so the cast is exact"
            )]
            Self::Number(n) if n.fract() == 0.0 && n.abs() <= EXACT => Some(*n as i64),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(flag) => Some(*flag),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<JsonString> for Value {
    fn from(text: JsonString) -> Self {
        Self::String(text)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(flag) => fmt::Debug::fmt(flag, f),
            Self::Number(number) => fmt::Debug::fmt(number, f),
            Self::String(text) => fmt::Debug::fmt(text, f),
            Self::Array(items) => f.debug_list().entries(items).finish(),
            Self::Object(object) => fmt::Debug::fmt(object, f),
        }
    }
}

/// A JSON object: members in order of first appearance, each key once. Equal
/// only to an object with the same order; to ignore it, compare canonical forms.
#[derive(Clone, Default, PartialEq)]
pub struct Object(Vec<(JsonString, Value)>);

impl Object {
    /// The member's value. Looks through the members one by one.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.iter().find(|(k, _)| *k == key).map(|(_, v)| v)
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&JsonString, &Value)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Members as they stand in the text; a repeated key keeps its first place
    /// and its last value, as in ECMAScript.
    pub(crate) fn from_text(members: Vec<(JsonString, Value)>) -> Self {
        if has_repeats(&members) {
            members.into_iter().collect()
        } else {
            Self(members)
        }
    }
}

impl IntoIterator for Object {
    type Item = (JsonString, Value);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    /// The members in their order.
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl FromIterator<(JsonString, Value)> for Object {
    fn from_iter<I: IntoIterator<Item = (JsonString, Value)>>(members: I) -> Self {
        let mut places: HashMap<JsonString, usize> = HashMap::new();
        let mut kept: Vec<(JsonString, Value)> = Vec::new();
        for (key, value) in members {
            if let Some(&place) = places.get(&key) {
                kept[place].1 = value;
            } else {
                places.insert(key.clone(), kept.len());
                kept.push((key, value));
            }
        }
        Self(kept)
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Up to this many members, comparing each with each beats sorting.
const FEW: usize = 12;

fn has_repeats(members: &[(JsonString, Value)]) -> bool {
    if members.len() <= FEW {
        return members
            .iter()
            .enumerate()
            .any(|(index, (key, _))| members[..index].iter().any(|(other, _)| other == key));
    }
    let mut keys: Vec<&JsonString> = members.iter().map(|(key, _)| key).collect();
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_key_keeps_its_first_place_and_last_value() {
        for extra in [0, FEW] {
            let mut members = vec![
                (JsonString::from("a"), Value::Number(1.0)),
                (JsonString::from("b"), Value::Number(2.0)),
                (JsonString::from("a"), Value::Number(3.0)),
            ];
            members.extend((0..extra).map(|n| (JsonString::from(format!("k{n}")), Value::Null)));
            let object = Object::from_text(members);
            assert_eq!(object.len(), 2 + extra);
            let first = object.iter().next().expect("two members and more");
            assert_eq!(first, (&"a".into(), &Value::Number(3.0)));
            assert_eq!(object.get("b"), Some(&Value::Number(2.0)));
            assert_eq!(object.get("c"), None);
        }
    }

    #[test]
    fn whole_numbers_only() {
        for (number, whole) in [
            (-32_022.0, Some(-32_022)),
            (-0.0, Some(0)),
            (1.5, None),
            (f64::INFINITY, None),
            (1e300, None),
        ] {
            assert_eq!(Value::Number(number).as_i64(), whole, "{number}");
        }
    }
}
