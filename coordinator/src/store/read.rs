//! What the pages may ask of the store, as plain values. A page never sees a
//! row, a transaction or SQL; it asks a [`Reader`](crate::store::Reader):
//!
//! - `directory(&DirectoryQuery) -> DirectoryPage`: targets, each with its newest run
//! - `report(slug, run_id: Option<&str>) -> Option<Report>`: one target, its newest run or the one named
//! - `tool_changes(slug, before_ms) -> Option<ToolHistory>`: how its tool list changed
//! - `evidence(run_id) -> Option<Evidence>`: everything needed to check one run
//! - `keys() -> Option<KeyDocument>`: the signer's key document as last fetched
//! - `status() -> Status`: our own fleet
//! - `now_ms() -> i64`: the time by which pages judge age
//!
//! Every list is bounded by a constant here, and says so when it was cut.

use serde::Serialize;
use touchstone_canonical::change::Changes;
use touchstone_proto::{
    observation::{Observation, SignedObservation},
    signer::LogProof,
    vocabulary::Scope,
};

pub use super::lists::ListChange;
use crate::{
    history::{changes::Unchanged, days::ObservedDays, reach::Reach},
    signer::Isolation,
    targets::{EndpointSource, Tier},
};

/// Most entries of one directory page.
pub const DIRECTORY_LIMIT: u32 = 100;
/// Words of a directory query that are looked at.
pub const DIRECTORY_WORDS: usize = 4;
/// Earlier runs that a report lists.
pub const PREVIOUS_RUNS_LIMIT: u32 = 50;
/// Changes of a tool list on one page of its history, and on a report. Each is
/// made from two lists of at most 2 MiB.
pub const HISTORY_CHANGES: u32 = 20;
pub const REPORT_CHANGES: u32 = 3;
/// Tools that are named as the reason why a target was found.
pub const MATCHED_TOOLS: usize = 3;
/// Missed slots, as ranges, that a report lists.
pub const MISSED_LIMIT: u32 = 50;

/// A target as pages show it.
#[derive(Clone, Debug)]
pub struct TargetView {
    pub target_id: String,
    /// Names the target in URLs of pages; unique, `[a-z0-9.-]`.
    pub slug: String,
    pub url: String,
    pub host: String,
    pub source: EndpointSource,
    pub tier: Tier,
    pub regions: Vec<String>,
    pub added_at_ms: i64,
    /// When the slot after the current one starts.
    pub next_slot_at_ms: i64,
}

/// One run as stored, without its bytes.
#[derive(Clone, Debug)]
pub struct RunView {
    pub run_id: String,
    pub target_id: String,
    pub suite: String,
    pub slot: u64,
    pub slot_at_ms: i64,
    pub region: String,
    pub agent_key_id: String,
    /// Unsigned, as the agent recorded them; the payload repeats them.
    pub endpoint_url: String,
    pub started_at_ms: i64,
    pub finished_at_ms: i64,
    pub stored_at_ms: i64,
    pub reach: Reach,
    pub attestation: Attestation,
    /// Other results of the same run that came later; kept, never shown as the result.
    pub conflicts: u32,
}

/// Where a run stands between being stored and being signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attestation {
    /// The signer has not answered yet: out of reach, or it is about to.
    Pending { attempts: u32 },
    /// Signed, in this scope.
    Signed {
        scope: Scope,
        key_id: String,
        attested_at_ms: i64,
    },
    /// Evaluated and not signed, for this reason.
    Declined {
        reason_key: String,
        attested_at_ms: i64,
    },
    /// The signer would not look at it at all, and never will.
    Refused { reason: String, refused_at_ms: i64 },
}

/// How many assertions of a run are in each state; only of signed runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StateCounts {
    pub failed: u32,
    pub observed_risk: u32,
    pub unverified: u32,
    pub verified: u32,
}

/// What the signer derived from a run.
#[derive(Clone, Debug)]
pub struct Findings {
    /// The payload's predicate, canonical JSON: what was signed, or with
    /// `scope` null what would have been shown.
    pub predicate: String,
    /// Unsigned extras, JSON: tool names, excerpts, server info.
    pub detail: String,
}

/// Which targets a directory lists.
#[derive(Clone, Debug, Default)]
pub struct DirectoryQuery {
    /// Words that each must be contained in the target's URL or in the name of a
    /// tool of its newest complete list; at most [`DIRECTORY_WORDS`], the others
    /// are ignored.
    pub text: String,
    /// Only targets whose newest run is signed so. `None`: all.
    pub signature: Option<SignatureFilter>,
    /// From `DirectoryPage::next`.
    pub cursor: Option<String>,
    /// At most [`DIRECTORY_LIMIT`]; 0 means that limit.
    pub limit: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureFilter {
    Full,
    Limited,
    /// Pending, declined, refused, or never run.
    None,
}

/// A part of the directory, in the order of slugs.
#[derive(Clone, Debug)]
pub struct DirectoryPage {
    pub entries: Vec<DirectoryEntry>,
    /// Cursor of the next part; `None` at the end.
    pub next: Option<String>,
    /// Targets that fit the query, all parts together.
    pub total: u64,
}

#[derive(Clone, Debug)]
pub struct DirectoryEntry {
    pub target: TargetView,
    /// `None`: no run yet.
    pub newest: Option<RunView>,
    /// Of the newest run, when it is signed.
    pub states: Option<StateCounts>,
    pub observed_days: ObservedDays,
    pub tools_unchanged: Option<Unchanged>,
    /// Tools of the newest complete list whose names hold a word of the query,
    /// at most [`MATCHED_TOOLS`].
    pub matched_tools: Vec<String>,
}

/// A part of the history of a target's tool list, newest first.
#[derive(Clone, Debug, Default)]
pub struct ToolChanges {
    pub changes: Vec<ToolChange>,
    /// Of all changes between these runs, listed here or not.
    pub total: u64,
    /// Runs before this may be pruned, and changes are told between runs from
    /// then on; `None`: between all runs there were.
    pub kept_from_ms: Option<i64>,
    /// Changes first seen before this are the next part; `None` at the end.
    pub next_ms: Option<i64>,
}

/// One change of a tool list, and what it consists of.
#[derive(Clone, Debug)]
pub struct ToolChange {
    pub seen: ListChange,
    /// `None`: one of the two lists was too long to be kept.
    pub what: Option<Changes>,
}

/// The history of one target's tool list.
#[derive(Clone, Debug)]
pub struct ToolHistory {
    pub target: TargetView,
    pub unchanged: Option<Unchanged>,
    pub changes: ToolChanges,
}

/// All that a report page shows of one target.
#[derive(Clone, Debug)]
pub struct Report {
    pub target: TargetView,
    /// `None`: no run yet.
    pub run: Option<ReportedRun>,
    /// The run shown is the newest one.
    pub is_newest: bool,
    /// Newest first, the run shown included.
    pub runs: Vec<RunLine>,
    /// Of all runs of the target, listed here or not.
    pub run_count: u64,
    pub missed: Vec<MissedSlots>,
    pub observed_days: ObservedDays,
    /// Since when the tool list is the same; `None`: no signed run listed it.
    pub tools_unchanged: Option<Unchanged>,
    /// The newest changes of the tool list, at most [`REPORT_CHANGES`].
    pub tool_changes: ToolChanges,
    /// Newest run of each region, in the order of the target's regions.
    pub regions: Vec<RunView>,
    /// The approved run that runs are compared with from now on.
    pub baseline: Option<Baseline>,
}

/// One approval of a run as the release that later runs are compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    pub run_id: String,
    /// SHA-256 over the run's observation, lowercase hex.
    pub observation_digest: String,
    pub run_started_at_ms: i64,
    pub approved_at_ms: i64,
    /// Who called the operator's socket.
    pub approved_by: String,
}

/// A run with what was seen and what was found.
#[derive(Clone, Debug)]
pub struct ReportedRun {
    pub run: RunView,
    /// `None` while the attestation is pending, or after a refusal.
    pub findings: Option<Findings>,
    /// As the agent signed it; bodies are not loaded.
    pub observation: Observation,
    /// SHA-256 over the observation's bytes, lowercase hex.
    pub observation_digest: String,
}

/// A run in a list.
#[derive(Clone, Debug)]
pub struct RunLine {
    pub run: RunView,
    pub states: Option<StateCounts>,
}

/// Slots that passed without a result, and why. Never the target's fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissedSlots {
    pub suite: String,
    pub first_slot: u64,
    pub last_slot: u64,
    /// Starts of the first and of the last.
    pub first_at_ms: i64,
    pub last_at_ms: i64,
    /// `None`: the slots were the turns of several regions.
    pub region: Option<String>,
    pub cause: MissedCause,
}

/// Why a slot has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MissedCause {
    /// No agent of the region was connected.
    NoAgent,
    /// The coordinator did not run.
    CoordinatorDown,
    /// Agents were there, none had a permit left before the slot passed.
    Capacity,
    /// An agent took it and did not report in time.
    LeaseExpired,
    /// The server asked us to wait longer than the slot.
    AskedToWait,
    /// Another run on the same host took the whole slot.
    HostBusy,
}

impl MissedCause {
    pub const ALL: [Self; 6] = [
        Self::NoAgent,
        Self::CoordinatorDown,
        Self::Capacity,
        Self::LeaseExpired,
        Self::AskedToWait,
        Self::HostBusy,
    ];

    /// As stored, and as the key of its text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoAgent => "no_agent",
            Self::CoordinatorDown => "coordinator_down",
            Self::Capacity => "capacity",
            Self::LeaseExpired => "lease_expired",
            Self::AskedToWait => "asked_to_wait",
            Self::HostBusy => "host_busy",
        }
    }

    /// The reverse of [`MissedCause::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.as_str() == text)
    }
}

/// Everything that is needed to check one run without trusting us.
#[derive(Clone, Debug)]
pub struct Evidence {
    pub target: TargetView,
    pub run: RunView,
    pub findings: Option<Findings>,
    /// DSSE envelope, JSON exactly as the signer gave it; only of signed runs.
    pub envelope: Option<Vec<u8>>,
    /// Observation bytes and agent signature exactly as received, with every body.
    pub signed: SignedObservation,
    /// SHA-256 over the observation's bytes, lowercase hex.
    pub observation_digest: String,
    /// Where the envelope stands in the signer's log; only of signed runs.
    pub log: Option<LogProof>,
    /// The approved run that the signer compared this one with, if any.
    pub baseline: Option<SignedObservation>,
}

/// The signer's key document.
#[derive(Clone, Debug)]
pub struct KeyDocument {
    /// JSON exactly as the signer gave it.
    pub document: Vec<u8>,
    pub fetched_at_ms: i64,
}

/// How our own fleet is.
#[derive(Clone, Debug)]
pub struct Status {
    pub now_ms: i64,
    /// When the newest accepted result was stored.
    pub last_result_at_ms: Option<i64>,
    pub targets: u64,
    pub runs: u64,
    pub conflicts: u64,
    /// Runs stored and not yet answered by the signer, and the oldest's time.
    pub pending: u64,
    pub oldest_pending_at_ms: Option<i64>,
    pub signer_reachable: bool,
    pub signer_isolation: Isolation,
    pub store: StoreHealth,
    pub regions: Vec<RegionStatus>,
    /// Over the last 90 UTC days: slots with a result, and without, by cause.
    pub slots_with_result: u64,
    pub slots_missed: Vec<(MissedCause, u64)>,
}

/// As much of [`Status`] as is cheap to ask for, and asked for often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Vitals {
    pub store: StoreHealth,
    pub signer_reachable: bool,
    pub signer_isolation: Isolation,
    /// Agents connected.
    pub agents: u32,
    /// Runs that wait for the signer, and since when the oldest does.
    pub pending: u64,
    pub oldest_pending_at_ms: Option<i64>,
}

#[derive(Clone, Debug)]
pub struct RegionStatus {
    pub region: String,
    pub agents_connected: u32,
    pub agents_enrolled: u32,
    pub last_result_at_ms: Option<i64>,
    /// Runs leased now, and when the oldest of these leases was given.
    pub leased: u32,
    pub oldest_lease_at_ms: Option<i64>,
    /// Runs waiting for an agent, and since when the oldest does.
    pub queued: u32,
    pub oldest_queued_at_ms: Option<i64>,
}

/// Whether results can be stored now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StoreHealth {
    Ok,
    /// Another connection holds the database.
    Locked,
    /// The disk, or the size that the operator allows, is used up.
    Full,
    ReadOnly,
    /// The database server cannot be reached.
    Away,
    Failing,
}
