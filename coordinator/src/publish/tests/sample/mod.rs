//! Prepared values for the tests of pages: one target in each form that a
//! report can take, with real signatures.

mod fleet;
mod forms;
mod log;
mod parts;

use std::sync::Arc;

use ed25519_dalek::SigningKey;
use touchstone_evidence::keyset::{KeyDocument as Keys, KeyEntry, KeyState, Purpose};
use touchstone_evidence::log::tile::Tile;
use touchstone_evidence::timestamp::Timestamp;
use touchstone_proto::identity::key_id;

pub(in crate::publish) use self::fleet::status;
use self::forms::{pending, signed_limited, unobserved};
pub(super) use self::forms::{signed_full, unsigned};
use crate::publish::{Pages, Source, Unavailable, router};
use crate::signer::Isolation;
use crate::store::LogLine;
use crate::store::read::{
    DirectoryEntry, DirectoryPage, DirectoryQuery, Evidence, KeyDocument, Report, Status,
    ToolChanges, ToolHistory,
};

/// 2026-11-30T14:02:00Z.
pub(in crate::publish) const NOW_MS: i64 = 1_796_047_320_000;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// Every kind of report, as the directory lists them.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) reports: Vec<Report>,
    pub(super) evidence: Vec<Evidence>,
    pub(super) keys: Option<Vec<u8>>,
    /// The store does not answer.
    pub(super) down: bool,
}

impl Source for Arc<Sample> {
    async fn directory(&self, query: &DirectoryQuery) -> Result<DirectoryPage, Unavailable> {
        self.up()?;
        let entries: Vec<_> = self
            .reports
            .iter()
            .filter(|report| report.target.url.contains(&query.text))
            .map(|report| {
                let newest = report.run.as_ref().map(|run| run.run.clone());
                let states = report.runs.first().and_then(|line| line.states);
                let observed_days = report.observed_days.clone();
                DirectoryEntry {
                    target: report.target.clone(),
                    newest,
                    states,
                    observed_days,
                    tools_unchanged: report.tools_unchanged.clone(),
                    matched_tools: (!query.text.is_empty())
                        .then(|| "harbour_<tool>".to_owned())
                        .into_iter()
                        .collect(),
                }
            })
            .collect();
        let total = entries.len() as u64;
        Ok(DirectoryPage {
            entries,
            next: query.cursor.is_none().then(|| "a b&c".to_owned()),
            total,
        })
    }

    async fn report(
        &self,
        slug: &str,
        run_id: Option<&str>,
    ) -> Result<Option<Report>, Unavailable> {
        self.up()?;
        let found = self
            .reports
            .iter()
            .find(|report| report.target.slug == slug);
        let Some(run_id) = run_id else {
            return Ok(found.cloned());
        };
        let fits = |report: &&Report| report.runs.iter().any(|line| line.run.run_id == run_id);
        Ok(found.filter(fits).cloned().map(|mut report| {
            report.is_newest = report.runs[0].run.run_id == run_id;
            if let Some(run) = &mut report.run {
                run.run.run_id = run_id.to_owned();
            }
            report
        }))
    }

    async fn tool_changes(
        &self,
        slug: &str,
        before_ms: Option<i64>,
    ) -> Result<Option<ToolHistory>, Unavailable> {
        self.up()?;
        let found = self
            .reports
            .iter()
            .find(|report| report.target.slug == slug);
        Ok(found.map(|report| ToolHistory {
            target: report.target.clone(),
            unchanged: report.tools_unchanged.clone(),
            changes: ToolChanges {
                next_ms: before_ms.is_none().then_some(NOW_MS - 6 * DAY_MS),
                ..report.tool_changes.clone()
            },
        }))
    }

    async fn evidence(&self, run_id: &str) -> Result<Option<Evidence>, Unavailable> {
        self.up()?;
        // Earlier runs of a target are made of the same bytes as its newest.
        let of_run = |report: &&Report| report.runs.iter().any(|line| line.run.run_id == run_id);
        let target = self
            .reports
            .iter()
            .find(of_run)
            .map(|report| &report.target.target_id);
        let found = self
            .evidence
            .iter()
            .find(|evidence| Some(&evidence.target.target_id) == target);
        Ok(found.cloned().map(|mut evidence| {
            evidence.run.run_id = run_id.to_owned();
            evidence
        }))
    }

    async fn log_checkpoint(&self) -> Result<Option<Vec<u8>>, Unavailable> {
        self.up()?;
        Ok(Some(log::checkpoint()))
    }

    async fn log_tile(&self, tile: Tile) -> Result<Option<Vec<u8>>, Unavailable> {
        self.up()?;
        Ok(log::tile(tile))
    }

    async fn log_lines(&self, text: &str) -> Result<Vec<LogLine>, Unavailable> {
        self.up()?;
        let found = |evidence: &&Evidence| {
            evidence.envelope.is_some() && (text.is_empty() || evidence.run.run_id == text)
        };
        let lines = self.evidence.iter().filter(found).zip(0..);
        let line = |(evidence, index): (&Evidence, u64)| LogLine {
            index,
            run_id: evidence.run.run_id.clone(),
            envelope_sha256: "ab".repeat(32),
        };
        Ok(lines.map(line).collect())
    }

    async fn keys(&self) -> Result<Option<KeyDocument>, Unavailable> {
        self.up()?;
        let document = self.keys.clone();
        Ok(document.map(|document| KeyDocument {
            document,
            fetched_at_ms: NOW_MS,
        }))
    }

    async fn status(&self) -> Result<Status, Unavailable> {
        self.up()?;
        Ok(status())
    }

    fn signer_isolation(&self) -> Isolation {
        Isolation::Weak {
            missing: vec!["locked_memory", "landlock"],
        }
    }

    fn now_ms(&self) -> i64 {
        NOW_MS
    }
}

impl Sample {
    pub(super) fn new() -> Self {
        let mut sample = Self {
            reports: Vec::new(),
            evidence: Vec::new(),
            keys: Some(keys().to_json()),
            down: false,
        };
        sample.add(signed_full(
            "mcp.harbour-tides.example",
            &TOOLS,
            NOW_MS - 888_000,
        ));
        sample.add(signed_limited());
        sample.add(unsigned(
            "notes.meridian.example",
            "handshake_http_error",
            Some("sse_only"),
        ));
        sample.add(unsigned("desk.ours.example", "disqualified", None));
        sample.add(pending());
        sample.add(signed_full(
            "old.gauge.example",
            &TOOLS,
            NOW_MS - 31 * HOUR_MS,
        ));
        sample.add((unobserved(), None));
        sample
    }

    pub(super) fn add(&mut self, (report, evidence): (Report, Option<Evidence>)) {
        self.reports.push(report);
        self.evidence.extend(evidence);
    }

    pub(super) fn router(self) -> axum::Router {
        router(Pages {
            source: Arc::new(self),
            origin: None,
            runs_kept_days: Some(100),
        })
    }

    fn up(&self) -> Result<(), Unavailable> {
        if self.down {
            Err(Unavailable("the disk is gone".into()))
        } else {
            Ok(())
        }
    }
}

pub(super) const TOOLS: [&str; 4] = [
    "find_station",
    "get_tide_table",
    "get_station_notes",
    "list_units",
];

pub(super) fn attestation_key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn id_of(seed: u8) -> String {
    key_id(
        SigningKey::from_bytes(&[seed; 32])
            .verifying_key()
            .as_bytes(),
    )
}

/// One key of each state, one of another purpose.
fn keys() -> Keys {
    let at = |text: &str| Some(Timestamp::parse(text).unwrap());
    let entry = |seed: u8, purpose, state, from, to| KeyEntry {
        state,
        from,
        to,
        ..KeyEntry::active(
            purpose,
            &SigningKey::from_bytes(&[seed; 32]).verifying_key(),
            at("2026-11-01T00:00:00.000Z").unwrap(),
        )
    };
    let attestation = Purpose::Attestation;
    let (april, august) = (
        at("2026-04-20T00:00:00.000Z"),
        at("2026-08-02T00:00:00.000Z"),
    );
    let november = at("2026-11-01T00:00:00.000Z");
    Keys::new(
        5,
        vec![
            entry(7, attestation, KeyState::Active, november, None),
            entry(3, attestation, KeyState::Retired, august, november),
            entry(4, attestation, KeyState::Revoked, april, august),
            entry(
                5,
                attestation,
                KeyState::Pending,
                at("2027-01-04T00:00:00.000Z"),
                None,
            ),
            entry(9, Purpose::AgentIdentity, KeyState::Active, august, None),
            KeyEntry::active(
                Purpose::LogCheckpoint,
                &log::key().verifying_key(),
                august.unwrap(),
            ),
        ],
    )
    .unwrap()
}
