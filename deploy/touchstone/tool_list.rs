//! `canonicalize`, `fingerprint`, `lint`: the pure rules on files, for owners' CI.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use touchstone_canonical::{
    self as canonical, DEFINITION_PROJECTION_VERSION, PROJECTION_VERSION, ProjectionRefusal, Value,
    projection,
};
use touchstone_suites::hygiene;

use crate::exit::{Exit, Failure, Outcome};
use crate::{input, output, terminal};

/// Most files that one command reads as the pages of a list.
const PAGE_LIMIT: usize = 1000;

#[derive(Args, Debug)]
pub(crate) struct CanonicalizeArgs {
    /// One JSON text; - is standard input
    #[arg(default_value = "-")]
    file: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    /// The pages of one tool list, in order: each a tools/list result, a whole
    /// JSON-RPC response, or a bare array of tools; - is standard input
    #[arg(default_value = "-")]
    files: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Writes exactly the canonical bytes, and no newline after them.
pub(crate) fn canonicalize(args: &CanonicalizeArgs) -> Outcome {
    let bytes = input::read(&args.file)?;
    match canonical::canonicalize(&bytes) {
        Ok(text) => {
            output::bytes(text.as_bytes())?;
            Ok(Exit::Done)
        }
        Err(refusal) => Err(Failure::usage(format!(
            "{} has no canonical form: {} at {}",
            input::name(&args.file),
            refusal.kind.as_str(),
            refusal.path
        ))),
    }
}

pub(crate) fn fingerprint(args: &ListArgs) -> Outcome {
    let pages = read_pages(&args.files)?;
    let tools = tools_of(&pages);
    let toolset = projection::toolset_fingerprint(&tools);
    let schema = projection::schema_fingerprint(&tools);
    let definition = projection::definition_fingerprint(&tools);
    let all = [
        ("toolset", &toolset),
        ("schema", &schema),
        ("definition", &definition),
    ];
    let refusals: Vec<_> = all
        .into_iter()
        .filter_map(|(which, result)| result.as_ref().err().map(|refusal| (which, refusal)))
        .collect();
    let digest = |result: &Result<canonical::Fingerprint, ProjectionRefusal>| {
        result
            .as_ref()
            .ok()
            .map(|fingerprint| fingerprint.digest.clone())
    };
    if args.json {
        output::json(&json!({
            "tools": tools.len(),
            "toolset_fingerprint": digest(&toolset),
            "schema_fingerprint": digest(&schema),
            "definition_fingerprint": digest(&definition),
            "refusals": refusals
                .iter()
                .map(|(which, refusal)| json!({"which": which, "kind": refusal.as_str(), "path": path_of(refusal)}))
                .collect::<Vec<_>>(),
            "toolset_projection_version": PROJECTION_VERSION,
            "definition_projection_version": DEFINITION_PROJECTION_VERSION,
        }))?;
    } else {
        let said = |result: Option<String>| result.unwrap_or_else(|| "not computable".to_owned());
        output::line(&format!("tools       {}", tools.len()))?;
        for (which, fingerprint) in all {
            output::line(&format!("{which:11} {}", said(digest(fingerprint))))?;
        }
        for (which, refusal) in &refusals {
            output::line(&format!(
                "{which}: {} at {}",
                refusal.as_str(),
                terminal::plain(&path_of(refusal))
            ))?;
        }
    }
    Ok(if refusals.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    })
}

pub(crate) fn lint(args: &ListArgs) -> Outcome {
    let pages = read_pages(&args.files)?;
    let mut hits = Vec::new();
    let mut listed = Vec::new();
    for (place, tool) in tools_of(&pages).into_iter().enumerate() {
        if tool.get("name").and_then(Value::as_string).is_none() {
            return Err(Failure::usage(format!(
                "tool {place} of the list is no object with a name, so nothing can be said of the list"
            )));
        }
        let text = |key| {
            tool.get(key)
                .and_then(Value::as_string)
                .map(|text| text.to_string_lossy())
        };
        let name = text("name").unwrap_or_default();
        let description = text("description").unwrap_or_default();
        let scan = hygiene::scan(&name, &description);
        hits.extend(scan.hits.into_iter().map(|hit| (name.to_string(), hit)));
        listed.extend(
            scan.listed
                .into_iter()
                .map(|listed| (name.to_string(), listed)),
        );
    }
    let state = if hits.is_empty() {
        "VERIFIED"
    } else {
        "OBSERVED_RISK"
    };
    if args.json {
        output::json(&json!({
            "state": state,
            "hits": hits
                .iter()
                .map(|(tool, hit)| json!({
                    "tool": tool,
                    "field": hit.field.as_str(),
                    "rule": hit.rule.as_str(),
                    "family": hit.family.as_str(),
                    "offset": hit.offset,
                    "excerpt": hit.excerpt,
                }))
                .collect::<Vec<_>>(),
            "listed": listed
                .iter()
                .map(|(tool, listed)| json!({"tool": tool, "kind": listed.kind()}))
                .collect::<Vec<_>>(),
        }))?;
    } else {
        for (tool, hit) in &hits {
            output::line(&format!(
                "{}: {} at byte {}: {} ({}): {}",
                terminal::plain(tool),
                hit.field.as_str(),
                hit.offset,
                hit.rule.as_str(),
                hit.family.as_str(),
                terminal::plain(&hit.excerpt)
            ))?;
        }
        for (tool, listed) in &listed {
            output::line(&format!(
                "{}: listed: {}",
                terminal::plain(tool),
                listed.kind()
            ))?;
        }
        if hits.is_empty() {
            output::line("no hit")?;
        }
    }
    Ok(if hits.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    })
}

fn path_of(refusal: &ProjectionRefusal) -> String {
    match refusal {
        ProjectionRefusal::NotCanonical { refusal, .. } => refusal.path.clone(),
        ProjectionRefusal::NoName { tool_index } => format!("$.tools[{tool_index}].name"),
        ProjectionRefusal::MissingInputSchema { tool_index } => {
            format!("$.tools[{tool_index}].inputSchema")
        }
    }
}

fn read_pages(files: &[PathBuf]) -> Result<Vec<Value>, Failure> {
    if files.len() > PAGE_LIMIT {
        return Err(Failure::usage(format!(
            "{} files are more than {PAGE_LIMIT}, the most that are read",
            files.len()
        )));
    }
    files
        .iter()
        .map(|file| {
            let bytes = input::read(file)?;
            let page = canonical::read(&bytes)
                .map_err(|error| Failure::usage(format!("{} is not JSON: {error}", input::name(file))))?;
            match tools_in(&page) {
                Some(_) => Ok(page),
                None => Err(Failure::usage(format!(
                    "{} holds no tool list; give a tools/list result, a whole response, or an array of tools",
                    input::name(file)
                ))),
            }
        })
        .collect()
}

fn tools_in(page: &Value) -> Option<&[Value]> {
    page.as_array()
        .or_else(|| page.get("tools")?.as_array())
        .or_else(|| page.get("result")?.get("tools")?.as_array())
}

fn tools_of(pages: &[Value]) -> Vec<&Value> {
    pages.iter().filter_map(tools_in).flatten().collect()
}
