//! The run against the release that its owner approved.

use touchstone_suites::{Evaluation, evaluate};

use crate::observe::{Observe, empty, expect, modern, result, wall};

fn listing(tools: &str) -> Observe {
    modern().list(result(&format!(r#"{{"tools":[{tools}]}}"#)))
}

fn against(run: &Observe, approved: &Observe) -> Evaluation {
    evaluate(&run.record(), Some(&approved.record()))
}

fn tool(name: &str, schema: &str) -> String {
    format!(r#"{{"name":"{name}","inputSchema":{schema}}}"#)
}

#[test]
fn the_same_tools_in_any_order_and_spelling_are_unchanged() {
    let run = listing(&format!(
        "{},{}",
        tool("b", r#"{"n":1,"type":"object"}"#),
        tool("cafe\\u0301", "{}")
    ));
    let approved = listing(&format!(
        r#"{},{{"name":"b","description":"new words","inputSchema":{{"type":"object","n":1.0}}}}"#,
        tool("caf\\u00e9", "{}")
    ));
    let evaluation = against(&run, &approved);
    expect(
        "unchanged",
        &evaluation,
        "toolset_unchanged_vs_approved VERIFIED completed toolset_unchanged tools=2
         schema_unchanged_vs_approved VERIFIED completed schemas_unchanged tools=2",
    );
    // The two checks say nothing of descriptions; the third fingerprint does.
    let definition = evaluation.definition;
    assert_ne!(
        definition.list.unwrap().digest,
        definition.baseline.unwrap()
    );
    let drift = evaluation.detail.drift.unwrap();
    assert!(drift.added.is_empty() && drift.removed.is_empty() && drift.changed.is_empty());
    assert_eq!(drift.redefined.len(), 1);
    let redefined = &drift.redefined[0];
    assert_eq!((&redefined.tool[..], redefined.part), ("b", "description"));
    assert_eq!(
        redefined.differences[0].approved.as_deref(),
        Some("\"new words\"")
    );
    assert_eq!(redefined.differences[0].observed, None);
}

#[test]
fn the_definition_of_an_unchanged_list_is_that_of_the_approved_one() {
    let list = listing(r#"{"name":"a","description":"x","annotations":{"readOnlyHint":true}}"#);
    let evaluation = against(&list, &list);
    let definition = evaluation.definition;
    assert_eq!(
        definition.list.unwrap().digest,
        definition.baseline.unwrap()
    );
    assert_eq!((definition.refusal, evaluation.detail.drift), (None, None));

    // Nothing is said of a list behind the wall, nor of one that was not read.
    for run in [
        modern().list(wall("Bearer realm=x")),
        modern().list(result(r#"{"tools":7}"#)),
    ] {
        let definition = against(&run, &list).definition;
        assert_eq!(definition, touchstone_suites::Definition::default());
    }
    // What has no canonical form has no fingerprint, and says why.
    let odd = listing(r#"{"name":"a","inputSchema":{},"description":"\ud800"}"#);
    let evaluation = against(&odd, &list);
    let refusal = evaluation.definition.refusal.unwrap();
    assert_eq!(refusal.key().as_str(), "fingerprint_not_canonical");
    assert_eq!(evaluation.definition.list, None);
    assert_eq!(
        evaluation.detail.not_canonical.as_deref(),
        Some("$.tools[0].description")
    );
    assert!(evaluation.schema_fingerprint.is_some());
}

#[test]
fn tools_come_and_go_by_name_and_schemas_change_tool_by_tool() {
    let approved = listing(
        &[
            tool("a", "{}"),
            tool("b", "{}"),
            tool("b", "{}"),
            tool("c", "{}"),
        ]
        .join(","),
    );
    for (name, tools, toolset, schema) in [
        (
            "added",
            vec![
                tool("a", "{}"),
                tool("b", "{}"),
                tool("b", "{}"),
                tool("c", "{}"),
                tool("d", "{}"),
            ],
            "FAILED completed toolset_changed added=1 removed=0",
            "VERIFIED completed schemas_unchanged tools=3",
        ),
        (
            "removed and renamed",
            vec![
                tool("a", "{}"),
                tool("B", "{}"),
                tool("b", "{}"),
                tool("b", "{}"),
            ],
            "FAILED completed toolset_changed added=1 removed=1",
            "VERIFIED completed schemas_unchanged tools=2",
        ),
        (
            "one of two of the same name gone",
            vec![tool("a", "{}"), tool("b", "{}"), tool("c", "{}")],
            "FAILED completed toolset_changed added=0 removed=1",
            "VERIFIED completed schemas_unchanged tools=3",
        ),
        (
            "schema changed",
            vec![
                tool("a", r#"{"type":"object"}"#),
                tool("b", "{}"),
                tool("b", "{}"),
                tool("c", "{}"),
            ],
            "VERIFIED completed toolset_unchanged tools=4",
            "FAILED completed schemas_changed changed=1 compared=3",
        ),
        (
            "schema gone",
            vec![
                r#"{"name":"a"}"#.to_owned(),
                tool("b", "{}"),
                tool("b", "{}"),
                tool("c", "{}"),
            ],
            "VERIFIED completed toolset_unchanged tools=4",
            "FAILED completed schemas_changed changed=1 compared=3",
        ),
    ] {
        expect(
            name,
            &against(&listing(&tools.join(",")), &approved),
            &format!(
                "toolset_unchanged_vs_approved {toolset}\nschema_unchanged_vs_approved {schema}"
            ),
        );
    }
}

#[test]
fn what_differs_is_named_place_by_place() {
    let approved = listing(
        &[
            tool(
                "a",
                r#"{"type":"object","properties":{"x":{"type":"string"}}}"#,
            ),
            tool("old", "{}"),
        ]
        .join(","),
    );
    let run = listing(
        &[
            tool(
                "a",
                r#"{"type":"object","properties":{"x":{"type":"string"},"bcc":{}}}"#,
            ),
            tool("new", "{}"),
        ]
        .join(","),
    );
    let drift = against(&run, &approved).detail.drift.unwrap();
    assert_eq!(
        (drift.added, drift.removed),
        (vec!["new".to_owned()], vec!["old".to_owned()])
    );
    let changed = &drift.changed[0];
    assert_eq!(changed.tool, "a");
    let difference = &changed.differences[0];
    assert_eq!(difference.path, "$.properties.bcc");
    assert_eq!(
        (
            difference.approved.as_deref(),
            difference.observed.as_deref()
        ),
        (None, Some("{}"))
    );
    assert_eq!(changed.differences.len(), 1);
}

#[test]
fn nothing_to_compare_is_unverified() {
    let whole = listing(&tool("a", "{}"));
    let part = modern()
        .list(result(r#"{"tools":[],"nextCursor":"1"}"#))
        .list(empty(500));
    for (name, run, approved, expected) in [
        (
            "the run's list is a part",
            &part,
            &whole,
            "blocked tools_list_incomplete tools=0 pages=1 cause=not_a_list",
        ),
        (
            "the approved list is a part",
            &whole,
            &part,
            "blocked baseline_unusable",
        ),
        (
            "a wall",
            &modern().list(wall("Bearer")),
            &whole,
            "blocked credential_required status=401 scheme=bearer",
        ),
        (
            "a name without canonical form",
            &listing(&tool("\\ud800", "{}")),
            &whole,
            "completed comparison_unavailable side=run",
        ),
        (
            "one of the approved",
            &whole,
            &listing(&tool("\\ud800", "{}")),
            "completed comparison_unavailable side=baseline",
        ),
    ] {
        expect(
            name,
            &against(run, approved),
            &format!(
                "toolset_unchanged_vs_approved UNVERIFIED {expected}\nschema_unchanged_vs_approved UNVERIFIED {expected}"
            ),
        );
    }
    expect(
        "a schema without canonical form",
        &against(&listing(&tool("a", "1e400")), &whole),
        "toolset_unchanged_vs_approved VERIFIED completed toolset_unchanged tools=1
         schema_unchanged_vs_approved UNVERIFIED completed comparison_unavailable side=run
         schema_fingerprint FAILED completed fingerprint_not_canonical cause=non_finite_number tool=0",
    );
    expect(
        "no baseline, and no list either",
        &part.evaluate(),
        "toolset_unchanged_vs_approved UNVERIFIED skipped no_approved_baseline",
    );
}
