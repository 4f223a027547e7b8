//! Properties of the differences between two tool lists: nothing changes from a
//! list to itself, both directions mirror each other, no change passes unseen,
//! and what is written down is bounded, whatever the schemas are.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use touchstone_canonical::change::{CHANGES_LIMIT, Change, Class, Part, ToolList, changes};
use touchstone_canonical::projection::definition_fingerprint;
use touchstone_canonical::{Value, read};

/// The fingerprint of a list, and the list as it is stored under it.
fn stored(tools: &Json) -> (String, ToolList) {
    let tools = read(tools.to_string().as_bytes()).expect("JSON");
    let tools: Vec<&Value> = tools.as_array().expect("an array").iter().collect();
    let fingerprint = definition_fingerprint(&tools).expect("computable");
    let list = ToolList::read(fingerprint.canonical.as_bytes()).expect("JSON");
    (fingerprint.digest, list)
}

/// Any JSON, where schemas stand, and keywords of schemas at every turn.
fn schema() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(json!({})),
        any::<bool>().prop_map(Json::from),
        (-3..3_i64).prop_map(Json::from),
        Just(json!("#/$defs/a")),
        Just(json!({ "$ref": "#/$defs/a" })),
        Just(json!({ "$ref": "#" })),
        Just(json!("string")),
        Just(json!(["integer", "null"])),
        Just(Json::Null),
    ];
    let key = prop::sample::select(vec![
        "$defs",
        "$ref",
        "a",
        "additionalProperties",
        "allOf",
        "anyOf",
        "b",
        "const",
        "description",
        "enum",
        "items",
        "maximum",
        "minLength",
        "minimum",
        "not",
        "oneOf",
        "pattern",
        "patternProperties",
        "properties",
        "required",
        "type",
        "uniqueItems",
    ]);
    leaf.prop_recursive(5, 48, 4, move |inner| {
        prop_oneof![
            3 => prop::collection::btree_map(key.clone(), inner.clone(), 0..5).prop_map(|members| json!(members)),
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            1 => inner.prop_map(|schema| json!({ "$defs": { "a": schema }, "$ref": "#/$defs/a" })),
        ]
    })
}

fn tool() -> impl Strategy<Value = Json> {
    let name = prop::sample::select(vec!["a", "b", "c"]);
    let hints = prop::option::of(prop::collection::btree_map(
        prop::sample::select(vec!["readOnlyHint", "destructiveHint", "title"]),
        prop_oneof![any::<bool>().prop_map(Json::from), Just(json!("x"))],
        0..3,
    ));
    let text = prop::option::of(prop::sample::select(vec!["x", "y"]));
    (
        name,
        text,
        hints,
        prop::option::of(schema()),
        prop::option::of(schema()),
    )
        .prop_map(|(name, text, hints, input, output)| {
            let mut tool = json!({ "name": name });
            let mut put = |key: &str, value: Option<Json>| {
                if let Some(value) = value {
                    tool[key] = value;
                }
            };
            put("description", text.map(Json::from));
            put("annotations", hints.map(|hints| json!(hints)));
            put("inputSchema", input);
            put("outputSchema", output);
            tool
        })
}

fn tools() -> impl Strategy<Value = Json> {
    prop::collection::vec(tool(), 0..4).prop_map(Json::from)
}

/// What the other direction says, as far as it follows from this one.
fn mirrored(change: &Change) -> (String, Part, BTreeSet<Class>) {
    let part = match change.part {
        Part::Added => Part::Removed,
        Part::Removed => Part::Added,
        part => part,
    };
    let class = |class: &Class| match class {
        Class::Widened => Some(Class::Narrowed),
        Class::Narrowed => Some(Class::Widened),
        Class::AnnotationDowngraded => Some(Class::AnnotationUpgraded),
        Class::AnnotationUpgraded => Some(Class::AnnotationDowngraded),
        // A field that came, or is no longer required, has no class of its own.
        Class::NewRequiredField | Class::RemovedField => None,
        same => Some(*same),
    };
    let classes = change.classes.iter().filter_map(class).collect();
    (change.tool.clone(), part, classes)
}

fn as_it_is(change: &Change) -> (String, Part, BTreeSet<Class>) {
    let of_fields = [Class::NewRequiredField, Class::RemovedField];
    let classes = change.classes.iter().copied();
    let classes = classes.filter(|class| !of_fields.contains(class)).collect();
    (change.tool.clone(), change.part, classes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn both_directions_mirror_each_other(before in tools(), after in tools()) {
        let (old, before) = stored(&before);
        let (new, after) = stored(&after);
        prop_assert!(changes(&before, &before).is_empty());
        let forth = changes(&before, &after);
        // A change of the fingerprint is never without a change that is shown.
        prop_assert_eq!(forth.is_empty(), old == new);
        let mut forth: Vec<_> = forth.changes.iter().map(mirrored).collect();
        let back = changes(&after, &before);
        let mut back: Vec<_> = back.changes.iter().map(as_it_is).collect();
        forth.sort();
        back.sort();
        prop_assert_eq!(forth, back);
    }

    #[test]
    fn every_change_of_a_schema_has_a_class(before in schema(), after in schema()) {
        let tool = |schema: &Json| stored(&json!([{ "name": "a", "inputSchema": schema }])).1;
        let found = changes(&tool(&before), &tool(&after));
        prop_assert!(found.changes.len() <= CHANGES_LIMIT);
        for change in &found.changes {
            prop_assert!(!change.classes.is_empty());
            prop_assert!(!change.differences.is_empty());
            let is = |class| change.classes.contains(&class);
            prop_assert!(!is(Class::NewRequiredField) || is(Class::Narrowed));
        }
    }
}
