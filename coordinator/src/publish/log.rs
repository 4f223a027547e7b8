//! The log page: how large the log is, its checkpoint, whose key signs it, and
//! which entry is whose. What programs follow are the files beside it.

use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;
use ed25519_dalek::VerifyingKey;
use serde_json::{Value, json};
use touchstone_evidence::keyset::{KeyDocument, KeyState, Purpose};
use touchstone_evidence::log::checkpoint::SignedCheckpoint;
use touchstone_evidence::log::note::{SignedBy, verifier_key};
use touchstone_words::Param;

use super::commands::{Command, Commands, quote};
use super::page::{Page, Place, answer};
use super::stranger::Verbatim;
use super::text::{Prose, Text};
use crate::store::{LOG_LINES_LIMIT, LogLine};

/// Changes when a reader of the old shape would misread the new one.
const SHAPE: u32 = 1;

#[derive(Template)]
#[template(path = "log.html")]
struct LogPage {
    page: Page,
    search: String,
    asked: String,
    size: String,
    origin: Verbatim,
    root: String,
    checkpoint: Verbatim,
    keys: Vec<String>,
    lines: Vec<Line>,
    lines_note: Prose,
    audit: Command,
}

struct Line {
    index: u64,
    run_id: String,
    href: String,
    digest: String,
}

/// What both forms are made from.
pub(super) struct Shown<'a> {
    pub(super) checkpoint: &'a SignedCheckpoint,
    pub(super) keys: Option<&'a KeyDocument>,
    /// What was searched for; empty for nothing.
    pub(super) asked: &'a str,
    pub(super) lines: &'a [LogLine],
}

impl Shown<'_> {
    /// The keys that signed the checkpoint, as tools for signed notes take them.
    fn verifier_keys(&self) -> Vec<String> {
        let name = self.checkpoint.checkpoint().origin.as_str();
        let signed = |key: &VerifyingKey| self.checkpoint.signed_by(key) == SignedBy::Key;
        self.keys
            .iter()
            .flat_map(|document| document.keys())
            .filter(|key| key.purpose == Purpose::LogCheckpoint)
            .filter(|key| matches!(key.state, KeyState::Active | KeyState::Retired))
            .map(|key| key.public_key.verifying_key())
            .filter(|key| signed(key))
            .map(|key| verifier_key(name, key))
            .collect()
    }
}

pub(super) fn show(text: Text, shown: &Shown<'_>, site: &str) -> Response {
    let checkpoint = shown.checkpoint.checkpoint();
    let line = |line: &LogLine| Line {
        index: line.index,
        href: text.link(&format!("/evidence/{}", line.run_id)),
        run_id: line.run_id.clone(),
        digest: format!("sha256:{}", line.envelope_sha256),
    };
    let lines_note = match (shown.asked, shown.lines) {
        ("", _) => text.with(
            "log-newest",
            &[("count", Param::from(i64::from(LOG_LINES_LIMIT)))],
        ),
        (_, []) => text.t("log-nothing"),
        _ => text.t("log-found"),
    };
    let template = LogPage {
        page: Page {
            twin: Some("/log.json".to_owned()),
            ..Page::new(text, Place::Nowhere, "/log", text.plain("log-title"))
        },
        search: text.link("/log"),
        asked: shown.asked.to_owned(),
        size: checkpoint.size.to_string(),
        origin: Verbatim(checkpoint.origin.as_str().to_owned()),
        root: checkpoint.root.to_string(),
        checkpoint: Verbatim(shown.checkpoint.to_string()),
        keys: shown.verifier_keys(),
        lines: shown.lines.iter().map(line).collect(),
        lines_note,
        audit: Commands::new(text).next(format!(
            "curl -fsSO {}\ntouchstone audit {} --keys keys.json --state log.state",
            quote(&format!("{site}/keys.json")),
            quote(&format!("{site}/log"))
        )),
    };
    answer(text, StatusCode::OK, &template)
}

pub(super) fn twin(shown: &Shown<'_>) -> Value {
    let checkpoint = shown.checkpoint.checkpoint();
    let line = |line: &LogLine| {
        json!({
            "index": line.index,
            "run_id": line.run_id,
            "envelope_sha256": line.envelope_sha256,
        })
    };
    json!({
        "shape": SHAPE,
        "origin": checkpoint.origin.as_str(),
        "size": checkpoint.size,
        "root": checkpoint.root,
        "checkpoint": shown.checkpoint.to_string(),
        "verifier_keys": shown.verifier_keys(),
        "asked": shown.asked,
        "entries": shown.lines.iter().map(line).collect::<Vec<_>>(),
    })
}
