//! The numbers of a coordinator. What happens is counted where it happens;
//! what is so now is read before a fetch. No label names a target.

use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::{
    counter::Counter, family::Family, gauge::Gauge, histogram::Histogram,
};
use prometheus_client::registry::{Registry, Unit};
use touchstone_telemetry::metrics::Measured;

use crate::fleet::view::FleetView;
use crate::store::{
    Failure, Reader,
    read::{MissedCause, StoreHealth},
};
use crate::tasks::attest_pending::RESULTS;

/// From a slot's start to its lease: at once, to hours of catching up.
const LAG_SECONDS: [f64; 10] = [
    0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3_600.0, 14_400.0,
];
/// Of one transaction, and of one attestation.
const WORK_SECONDS: [f64; 9] = [0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0, 30.0];
/// Results of one transaction, to `BATCH_LIMIT`.
const BATCH_RUNS: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

type Labels<const N: usize> = [(&'static str, String); N];
type Counters<const N: usize> = Family<Labels<N>, Counter>;
type Gauges<const N: usize> = Family<Labels<N>, Gauge>;
type Histograms = Family<Labels<1>, Histogram, fn() -> Histogram>;

/// This process's numbers.
pub(crate) fn metrics() -> &'static Metrics {
    static METRICS: LazyLock<Metrics> = LazyLock::new(Metrics::default);
    &METRICS
}

#[derive(Debug)]
pub(crate) struct Metrics {
    reports: Counters<4>,
    refused: Counters<1>,
    missed: Counters<1>,
    lag: Histograms,
    agents: Gauges<1>,
    leases: Gauges<1>,
    queued: Gauges<1>,
    leases_lost: Counters<1>,
    batch_runs: Histogram,
    batch_seconds: Histogram,
    attest_seconds: Histograms,
    store_errors: Counters<1>,
    store_writable: Gauge,
    signer_reachable: Gauge,
    outbox_runs: Gauge,
    outbox_age: Gauge<f64, AtomicU64>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            reports: Family::default(),
            refused: Family::default(),
            missed: Family::default(),
            lag: Family::new_with_constructor(|| Histogram::new(LAG_SECONDS)),
            agents: Family::default(),
            leases: Family::default(),
            queued: Family::default(),
            leases_lost: Family::default(),
            batch_runs: Histogram::new(BATCH_RUNS),
            batch_seconds: Histogram::new(WORK_SECONDS),
            attest_seconds: Family::new_with_constructor(|| Histogram::new(WORK_SECONDS)),
            store_errors: Family::default(),
            store_writable: Gauge::default(),
            signer_reachable: Gauge::default(),
            outbox_runs: Gauge::default(),
            outbox_age: Gauge::default(),
        }
    }
}

impl Metrics {
    /// A report came to an end other than being refused.
    pub(crate) fn reported(
        &self,
        suite: &str,
        region: &str,
        reach: &'static str,
        outcome: &'static str,
    ) {
        let labels = [
            ("suite", suite.to_owned()),
            ("region", region.to_owned()),
            ("reach", reach.to_owned()),
            ("outcome", outcome.to_owned()),
        ];
        self.reports.get_or_create(&labels).inc();
    }

    pub(crate) fn refused(&self, region: &str) {
        let labels = [("region", region.to_owned())];
        self.refused.get_or_create(&labels).inc();
    }

    pub(crate) fn missed(&self, cause: &'static str, slots: u64) {
        let labels = [("cause", cause.to_owned())];
        self.missed.get_or_create(&labels).inc_by(slots);
    }

    /// A run was leased so long after its slot began.
    pub(crate) fn leased(&self, region: &str, lag_ms: i64) {
        let labels = [("region", region.to_owned())];
        self.lag
            .get_or_create(&labels)
            .observe(seconds(lag_ms.max(0)));
    }

    pub(crate) fn lease_lost(&self, region: &str) {
        let labels = [("region", region.to_owned())];
        self.leases_lost.get_or_create(&labels).inc();
    }

    /// The fleet looks like this now.
    pub(crate) fn fleet(&self, view: &FleetView) {
        for (region, now) in &view.regions {
            let labels = [("region", region.clone())];
            self.agents.get_or_create(&labels).set(now.agents.into());
            self.leases.get_or_create(&labels).set(now.leased.into());
            self.queued.get_or_create(&labels).set(now.queued.into());
            drop(self.refused.get_or_create(&labels));
            drop(self.leases_lost.get_or_create(&labels));
            drop(self.lag.get_or_create(&labels));
        }
    }

    /// A transaction with so many results took so long.
    pub(crate) fn written(&self, runs: usize, took: std::time::Duration) {
        let runs = u32::try_from(runs).unwrap_or(u32::MAX);
        self.batch_runs.observe(runs.into());
        self.batch_seconds.observe(took.as_secs_f64());
    }

    pub(crate) fn attested(&self, result: &'static str, took: std::time::Duration) {
        let labels = [("result", result.to_owned())];
        self.attest_seconds
            .get_or_create(&labels)
            .observe(took.as_secs_f64());
    }

    pub(crate) fn store_failed(&self, kind: &'static str) {
        let labels = [("kind", kind.to_owned())];
        self.store_errors.get_or_create(&labels).inc();
    }
}

/// Of milliseconds that fit 2^53.
#[allow(clippy::cast_precision_loss)]
fn seconds(ms: i64) -> f64 {
    ms as f64 / 1_000.0
}

/// A coordinator, to be fetched.
#[derive(Clone, Debug)]
pub(crate) struct Fetched(pub(crate) Reader);

impl Measured for Fetched {
    fn register(&self, registry: &mut Registry) {
        metrics().register(registry.sub_registry_with_prefix("touchstone"));
    }

    async fn refresh(&self) {
        let now = metrics();
        // What cannot be read is counted among the errors of the store.
        if let Ok(vitals) = self.0.vitals().await {
            now.store_writable
                .set((vitals.store == StoreHealth::Ok).into());
            now.signer_reachable.set(vitals.signer_reachable.into());
            now.outbox_runs
                .set(i64::try_from(vitals.pending).unwrap_or(i64::MAX));
            let since_ms = vitals.oldest_pending_at_ms;
            let age_ms = since_ms.map_or(0, |at_ms| self.0.now_ms().saturating_sub(at_ms).max(0));
            now.outbox_age.set(seconds(age_ms));
        } else {
            now.store_writable.set(0);
        }
    }
}

impl Metrics {
    /// What has not happened yet is 0, and not absent: a rule that asks for an
    /// increase would not see the first.
    fn begin_at_zero(&self) {
        for cause in MissedCause::ALL {
            self.missed(cause.as_str(), 0);
        }
        for failure in Failure::ALL {
            let labels = [("kind", failure.as_str().to_owned())];
            drop(self.store_errors.get_or_create(&labels));
        }
        for result in RESULTS {
            let labels = [("result", result.to_owned())];
            drop(self.attest_seconds.get_or_create(&labels));
        }
    }

    fn register(&self, registry: &mut Registry) {
        self.begin_at_zero();
        registry.register(
            "reports",
            "Reports of agents that were checked, by what the store made of them",
            self.reports.clone(),
        );
        registry.register(
            "reports_refused",
            "Reports that were no result of a lease of ours",
            self.refused.clone(),
        );
        registry.register(
            "slots_missed",
            "Slots that passed without a result",
            self.missed.clone(),
        );
        registry.register_with_unit(
            "schedule_lag",
            "From the start of a slot to the lease of its run",
            Unit::Seconds,
            self.lag.clone(),
        );
        registry.register("agents", "Agents connected", self.agents.clone());
        registry.register("leases", "Runs leased", self.leases.clone());
        registry.register(
            "queue_runs",
            "Due runs that wait for an agent",
            self.queued.clone(),
        );
        registry.register(
            "leases_lost",
            "Leases that came to no report",
            self.leases_lost.clone(),
        );
        registry.register(
            "ingest_batch_runs",
            "Results of one transaction",
            self.batch_runs.clone(),
        );
        registry.register_with_unit(
            "ingest_store",
            "Duration of a transaction that stores results",
            Unit::Seconds,
            self.batch_seconds.clone(),
        );
        registry.register_with_unit(
            "attest",
            "From asking the signer to its answer",
            Unit::Seconds,
            self.attest_seconds.clone(),
        );
        registry.register(
            "store_errors",
            "Questions and changes that the store could not carry out",
            self.store_errors.clone(),
        );
        registry.register(
            "store_writable",
            "Whether results can be stored: 1, or 0",
            self.store_writable.clone(),
        );
        registry.register(
            "signer_reachable",
            "Whether the last call to the signer got through: 1, or 0",
            self.signer_reachable.clone(),
        );
        registry.register(
            "outbox_runs",
            "Stored runs that wait for the signer",
            self.outbox_runs.clone(),
        );
        registry.register_with_unit(
            "outbox_oldest_age",
            "How long the oldest of them has waited",
            Unit::Seconds,
            self.outbox_age.clone(),
        );
    }
}
