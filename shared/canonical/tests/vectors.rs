//! The labelled cases and the published vectors, as they stand in `vectors/`.

use serde_json::Value as Json;
use touchstone_canonical::projection::{
    definition_fingerprint, schema_fingerprint, toolset_fingerprint,
};
use touchstone_canonical::{Fingerprint, ProjectionRefusal, Value, canonicalize, read};

const CASES: &str = include_str!("../vectors/cases.json");
const PUBLISHED: &str = include_str!("../vectors/published.json");
const DEFINITIONS: &str = include_str!("../vectors/definitions.json");

#[test]
fn labelled_cases() {
    let file: Json = serde_json::from_str(CASES).expect("the file is JSON");
    let cases = file["cases"].as_array().expect("a list of cases");
    assert!(cases.len() > 80);
    for case in cases {
        let (input, expect) = (&case["input"], &case["expect"]);
        let found = if let Some(text) = input["text"].as_str() {
            text_case(text)
        } else {
            pages_case(&pages(input))
        };
        let expect = expect.as_object().expect("an object");
        for (key, value) in expect {
            assert_eq!(&found[key], value, "{} {key}: {}", case["id"], case["why"]);
        }
    }
}

#[test]
fn published_vectors() {
    let vectors: Json = serde_json::from_str(PUBLISHED).expect("the file is JSON");
    for vector in vectors.as_array().expect("a list of vectors") {
        let found = pages_case(&[serde_json::json!({ "tools": vector["tools"] }).to_string()]);
        assert_eq!(found["toolset_fingerprint"], vector["toolset"], "{vector}");
        assert_eq!(found["schema_fingerprint"], vector["schema"], "{vector}");
    }
}

#[test]
fn full_definitions() {
    let cases: Vec<Json> = serde_json::from_str(DEFINITIONS).expect("the file is JSON");
    for case in &cases {
        let page = case["page"].as_str().expect("text").to_owned();
        let found = &pages_case(&[page])["definition_fingerprint"];
        assert_eq!(*found, case["fingerprint"], "{}", case["id"]);
    }
}

/// The scripts that outsiders recompute with agree with this crate. They need
/// Node and Python on the machine that tests.
#[test]
fn scripts_for_outsiders() {
    let file: Json = serde_json::from_str(CASES).expect("the file is JSON");
    let cases = file["cases"].as_array().expect("a list of cases");
    for case in cases.iter().filter(|case| case["input"]["text"].is_null()) {
        let pages = pages(&case["input"]);
        let mut expect = case["expect"].clone();
        expect["definition_fingerprint"] = pages_case(&pages)["definition_fingerprint"].clone();
        assert_scripts(&pages, &expect, &case["id"]);
    }
    let cases: Vec<Json> = serde_json::from_str(DEFINITIONS).expect("the file is JSON");
    for case in &cases {
        let pages = [case["page"].as_str().expect("text").to_owned()];
        assert_scripts(&pages, &pages_case(&pages), &case["id"]);
    }
}

fn assert_scripts(pages: &[String], expect: &Json, id: &Json) {
    let folder = tempfile::tempdir().expect("a folder");
    let files = pages.iter().enumerate().map(|(number, page)| {
        let path = folder.path().join(number.to_string());
        std::fs::write(&path, page).expect("written");
        path
    });
    let files: Vec<_> = files.collect();
    for (program, script) in [
        ("node", "recompute-fingerprints.mjs"),
        ("python3", "recompute_fingerprints.py"),
    ] {
        let script = format!("{}/{script}", env!("CARGO_MANIFEST_DIR"));
        let output = std::process::Command::new(program)
            .arg(&script)
            .args(&files)
            .output()
            .expect(program);
        let found = serde_json::from_slice(&output.stdout).unwrap_or(Json::Null);
        for key in [
            "toolset_fingerprint",
            "schema_fingerprint",
            "definition_fingerprint",
        ] {
            assert_eq!(found[key], expect[key], "{script}: {id} {key}");
        }
    }
}

fn text_case(text: &str) -> Json {
    match canonicalize(text.as_bytes()) {
        Ok(canonical) => serde_json::json!({
            "canonical": canonical.as_str(),
            "sha256": canonical.digest(),
            "error": null,
        }),
        Err(refusal) => serde_json::json!({
            "canonical": null,
            "sha256": null,
            "error": case_name(refusal.kind.as_str()),
        }),
    }
}

/// The cases have names of their own for two of the reasons.
fn case_name(reason: &str) -> &str {
    match reason {
        "syntax" => "invalid_json",
        "duplicate_key_after_nfc" => "key_collision",
        other => other,
    }
}

fn pages(input: &Json) -> Vec<String> {
    if let Some(pages) = input["pages"].as_array() {
        let text = |page: &Json| page.as_str().expect("text").to_owned();
        return pages.iter().map(text).collect();
    }
    let spec = input["pages_spec"].as_array().expect("pages or their spec");
    let page = |entry: &Json| {
        let number = |key: &str| entry[key].as_u64().expect("a number");
        let (first, count) = (number("first"), number("count"));
        let tools: Vec<Json> = (first..first + count)
            .map(|n| serde_json::json!({ "name": format!("t{n}"), "inputSchema": {} }))
            .collect();
        let mut page = serde_json::json!({ "tools": tools });
        if entry["more"] == true {
            page["nextCursor"] = "more".into();
        }
        page.to_string()
    };
    spec.iter().map(page).collect()
}

fn pages_case(pages: &[String]) -> Json {
    // As an answer really comes: the page inside a JSON-RPC response.
    let wrap = |page: &String| format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{page}}}");
    let answers: Vec<Value> = pages
        .iter()
        .map(|page| read(wrap(page).as_bytes()).expect("pages are JSON"))
        .collect();
    let results: Vec<&Value> = answers
        .iter()
        .map(|answer| answer.get("result").expect("wrapped"))
        .collect();
    let complete = results
        .last()
        .is_none_or(|page| page.get("nextCursor").is_none());
    let tools: Vec<&Value> = results
        .iter()
        .flat_map(|page| page.get("tools").and_then(Value::as_array).expect("tools"))
        .collect();

    let mut found = serde_json::json!({});
    let mut put = |what: &str, fingerprint: Result<Fingerprint, ProjectionRefusal>| {
        // Only a complete list is fingerprinted; whoever reads the pages knows.
        let outcome = match fingerprint {
            _ if !complete => Err("tools_list_incomplete"),
            Ok(fingerprint) => Ok(fingerprint),
            Err(refusal) => Err(match refusal {
                ProjectionRefusal::NotCanonical { refusal, .. } => case_name(refusal.kind.as_str()),
                ProjectionRefusal::MissingInputSchema { .. } => "missing_input_schema",
                ProjectionRefusal::NoName { .. } => "no_name",
            }),
        };
        let text = outcome
            .as_ref()
            .map(|one| one.canonical.as_str().to_owned());
        found[format!("{what}_canonical")] = text.ok().into();
        found[format!("{what}_error")] = outcome.as_ref().err().copied().into();
        found[format!("{what}_fingerprint")] = outcome.ok().map(|one| one.digest).into();
    };
    put("toolset", toolset_fingerprint(&tools));
    put("schema", schema_fingerprint(&tools));
    put("definition", definition_fingerprint(&tools));
    found
}
