//! What `up` says while it runs: one line an event, for people or for programs.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use touchstone_proto::vocabulary::State;
use touchstone_words::{self as words, Language};
use url::Url;

use super::child::Notice;
use crate::exit::Failure;
use crate::{output, terminal};

/// Runs whose signing is still waited for, at the most; beyond it they are not remembered.
const WAITING_LIMIT: usize = 100_000;

#[derive(Debug)]
pub(super) struct Narrator {
    json: bool,
    colour: bool,
    data: String,
    /// Runs that were stored and not yet answered by the signer.
    waiting: BTreeSet<String>,
}

impl Narrator {
    pub(super) fn new(json: bool, data: &Path) -> Self {
        Self {
            json,
            colour: terminal::colour() && !json,
            data: data.display().to_string(),
            waiting: BTreeSet::new(),
        }
    }

    pub(super) fn begin(&self, urls: &[Url]) -> Result<(), Failure> {
        let version = env!("CARGO_PKG_VERSION");
        if self.json {
            let urls: Vec<&str> = urls.iter().map(Url::as_str).collect();
            return output::json(
                &json!({"event": "started", "role": "up", "pid": std::process::id(), "version": version, "data": self.data, "urls": urls}),
            );
        }
        output::line(&format!("touchstone {version} · data in {}", self.data))
    }

    pub(super) fn say(&mut self, notice: &Notice) -> Result<(), Failure> {
        match notice {
            Notice::Started { role, pid } => self.tell(
                &json!({"event": "started", "role": role, "pid": pid}),
                &format!("started  {role} (pid {pid})"),
            ),
            Notice::Died {
                role,
                how,
                why,
                again_in,
            } => self.tell(
                &json!({
                    "event": "died",
                    "role": role,
                    "how": how,
                    "why": why,
                    "again_in_ms": u64::try_from(again_in.as_millis()).unwrap_or(u64::MAX),
                }),
                &format!(
                    "{role} stopped unasked ({how}); starting it again in {:.1} s; it said: {}",
                    again_in.as_secs_f64(),
                    terminal::plain(why)
                ),
            ),
            // Ends `up`, which says it.
            Notice::Hopeless { .. } => Ok(()),
            Notice::Line { line } => match serde_json::from_str(line) {
                Ok(event) => self.event(&event),
                Err(error) => {
                    tracing::warn!(%error, "a role wrote a line that is no event");
                    Ok(())
                }
            },
        }
    }

    pub(super) fn signer_is_silent(&self) -> Result<(), Failure> {
        self.tell(
            &json!({"event": "signer_silent"}),
            "the signer does not answer yet; see logs/signer.log in the data folder",
        )
    }

    pub(super) fn stopping(&self) -> Result<(), Failure> {
        self.tell(
            &json!({"event": "stopping"}),
            "stopping: runs in flight are finished, stored and signed",
        )
    }

    pub(super) fn end(&self) -> Result<(), Failure> {
        self.tell(&json!({"event": "stopped", "role": "up"}), "stopped")
    }

    /// An event of the coordinator's.
    fn event(&mut self, event: &Value) -> Result<(), Failure> {
        if self.json {
            return output::json(event);
        }
        let text = |key: &str| terminal::plain(event[key].as_str().unwrap_or_default());
        let line = match event["event"].as_str().unwrap_or_default() {
            "started" => format!(
                "pages on {} · {} watched",
                terminal::strong(&text("pages_url"), self.colour),
                event["targets"]
            ),
            "run" => {
                if self.waiting.len() < WAITING_LIMIT {
                    self.waiting.insert(text("run_id"));
                }
                return Ok(());
            }
            "attested" => {
                self.waiting.remove(&text("run_id"));
                format!(
                    "{}  {}  signed, {} scope  {}",
                    text("url"),
                    self.counts(&event["states"]),
                    text("scope"),
                    report(&text("page_url"))
                )
            }
            "declined" => {
                self.waiting.remove(&text("run_id"));
                format!(
                    "{}  observed, not signed: {}  {}",
                    text("url"),
                    words::signing(Language::English, &text("reason")),
                    report(&text("page_url"))
                )
            }
            "refused" => {
                self.waiting.remove(&text("run_id"));
                format!("{}  refused by the signer: {}", text("url"), text("reason"))
            }
            "missed" => format!(
                "{}  no run for slots {} to {}, our cause: {}",
                text("url"),
                event["first_slot"],
                event["last_slot"],
                text("cause")
            ),
            "not_missed" => format!(
                "{}  slot {} was not missed after all: its result came late and is stored",
                text("url"),
                event["slot"]
            ),
            "signer" if event["reachable"] == false => format!(
                "the signer is out of reach; runs are stored and signed when it is back ({} waiting)",
                self.waiting.len()
            ),
            "signer" => format!("the signer answers; {}", isolation(&event["isolation"])),
            "store" => match event["health"].as_str().unwrap_or_default() {
                "ok" => "results are stored again".to_owned(),
                health => format!(
                    "{}; agents keep their results meanwhile",
                    store_failure(health)
                ),
            },
            "agent_joined" => format!(
                "agent {} joined from {}",
                short(&text("agent_key_id")),
                text("region")
            ),
            "agent_left" => format!("agent {} left", short(&text("agent_key_id"))),
            // `up` says itself when all of it has stopped.
            _ => return Ok(()),
        };
        output::line(&line)
    }

    /// The four counts, in the order of the pages; a zero is said too.
    fn counts(&self, states: &Value) -> String {
        State::ALL
            .map(|state| {
                let count = &states[state.as_str().to_lowercase()];
                format!("{count} {}", terminal::state(state, 0, self.colour))
            })
            .join(" ")
    }

    fn tell(&self, event: &Value, line: &str) -> Result<(), Failure> {
        if self.json {
            output::json(event)
        } else {
            output::line(line)
        }
    }
}

/// Why nothing can be stored, and what to do.
fn store_failure(health: &str) -> &'static str {
    match health {
        "full" => "the disk is full and no result can be stored: free some space",
        "locked" => "the database is locked by another program and no result can be stored",
        "away" => "the database cannot be reached and no result can be stored",
        "read_only" => "the database cannot be written and no result can be stored",
        _ => "the database fails: see logs/coordinator.log in the data folder",
    }
}

/// How well the process that holds the keys is shut in.
fn isolation(isolation: &Value) -> String {
    match isolation["state"].as_str().unwrap_or_default() {
        "full" => "its isolation is full".to_owned(),
        "weak" => {
            let missing = isolation["missing"].as_array().into_iter().flatten();
            let missing: Vec<String> = missing
                .filter_map(Value::as_str)
                .map(terminal::plain)
                .collect();
            format!(
                "its isolation is weak on this machine, without {}: logs/signer.log in the data folder says why",
                missing.join(", ")
            )
        }
        _ => "its isolation is not known".to_owned(),
    }
}

/// The address of the target's report, from that of one run on it.
fn report(page_url: &str) -> &str {
    page_url.split("/runs/").next().unwrap_or(page_url)
}

fn short(key_id: &str) -> &str {
    key_id.get(..16).unwrap_or(key_id)
}
