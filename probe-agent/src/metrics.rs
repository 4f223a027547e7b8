//! The numbers of an agent, counted where things happen. No label names a
//! target or a host.

use std::sync::LazyLock;

use prometheus_client::metrics::{
    counter::Counter, family::Family, gauge::Gauge, histogram::Histogram,
};
use prometheus_client::registry::{Registry, Unit};
use touchstone_proto::observation::{Exchange, Failure, FailureKind, Observation};
use touchstone_telemetry::metrics::Measured;

/// From a lease to the signed record, within the budget of a run.
const RUN_SECONDS: [f64; 8] = [0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0];
/// Of what failed in nothing.
const NO_FAILURE: &str = "none";

type Counters = Family<[(&'static str, &'static str); 1], Counter>;

/// This process's numbers.
pub(crate) fn metrics() -> &'static Metrics {
    static METRICS: LazyLock<Metrics> = LazyLock::new(Metrics::default);
    &METRICS
}

#[derive(Debug)]
pub(crate) struct Metrics {
    exchanges: Counters,
    lookups: Counters,
    run_seconds: Histogram,
    pub(crate) runs_in_flight: Gauge,
    pub(crate) results_lost: Counter,
    pub(crate) spool_reports: Gauge,
    pub(crate) spool_bytes: Gauge,
    pub(crate) connected: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            exchanges: Family::default(),
            lookups: Family::default(),
            run_seconds: Histogram::new(RUN_SECONDS),
            runs_in_flight: Gauge::default(),
            results_lost: Counter::default(),
            spool_reports: Gauge::default(),
            spool_bytes: Gauge::default(),
            connected: Gauge::default(),
        }
    }
}

impl Metrics {
    /// What has not happened yet is 0, and not absent: a rule that asks for an
    /// increase would not see the first.
    fn begin_at_zero(&self) {
        drop(self.exchanges.get_or_create(&[("failure", NO_FAILURE)]));
        drop(self.lookups.get_or_create(&[("failure", NO_FAILURE)]));
        for ours in [FailureKind::ResolverUnavailable, FailureKind::Agent] {
            drop(self.exchanges.get_or_create(&[("failure", word(ours))]));
            drop(self.lookups.get_or_create(&[("failure", word(ours))]));
        }
    }

    pub(crate) fn observed(&self, observation: &Observation, took: std::time::Duration) {
        self.run_seconds.observe(took.as_secs_f64());
        for exchange in &observation.exchanges {
            let label = [("failure", failure_of(exchange).unwrap_or(NO_FAILURE))];
            self.exchanges.get_or_create(&label).inc();
        }
        for lookup in &observation.lookups {
            let failure = lookup.failure.as_ref().map(|failure| word(failure.kind()));
            let label = [("failure", failure.unwrap_or(NO_FAILURE))];
            self.lookups.get_or_create(&label).inc();
        }
    }

    /// An agent works for its coordinator as long as this lives.
    pub(crate) fn connected(&'static self) -> Up {
        self.connected.set(1);
        Up(&self.connected)
    }

    /// A run goes on as long as this lives.
    pub(crate) fn run_begins(&'static self) -> Up {
        self.runs_in_flight.inc();
        Up(&self.runs_in_flight)
    }
}

/// One more, until it is dropped.
#[derive(Debug)]
pub(crate) struct Up(&'static Gauge);

impl Drop for Up {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Why an exchange has no complete response, in a word of a closed list.
pub(crate) fn failure_of(exchange: &Exchange) -> Option<&'static str> {
    exchange.failure.as_ref().map(Failure::kind).map(word)
}

fn word(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Unspecified => "unspecified",
        FailureKind::NameNotFound => "name_not_found",
        FailureKind::NameServerFailed => "name_server_failed",
        FailureKind::ResolverUnavailable => "resolver_unavailable",
        FailureKind::PolicyRefused => "policy_refused",
        FailureKind::ConnectRefused => "connect_refused",
        FailureKind::ConnectTimedOut => "connect_timed_out",
        FailureKind::ConnectUnreachable => "connect_unreachable",
        FailureKind::ConnectionLost => "connection_lost",
        FailureKind::Tls => "tls",
        FailureKind::TimedOut => "timed_out",
        FailureKind::TooLarge => "too_large",
        FailureKind::NotHttp => "not_http",
        FailureKind::Undecodable => "undecodable",
        FailureKind::BudgetRequests => "budget_requests",
        FailureKind::BudgetTime => "budget_time",
        FailureKind::TooManyRedirects => "too_many_redirects",
        FailureKind::Agent => "agent",
        FailureKind::HeadersTooLarge => "headers_too_large",
    }
}

/// An agent, to be fetched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fetched;

impl Measured for Fetched {
    fn register(&self, registry: &mut Registry) {
        let registry = registry.sub_registry_with_prefix("touchstone_agent");
        let numbers = metrics();
        numbers.begin_at_zero();
        registry.register(
            "exchanges",
            "HTTP exchanges, by what kept them from a complete response",
            numbers.exchanges.clone(),
        );
        registry.register(
            "lookups",
            "Names that were looked up, by why they gave no address",
            numbers.lookups.clone(),
        );
        registry.register_with_unit(
            "run",
            "From a lease to the record of the run",
            Unit::Seconds,
            numbers.run_seconds.clone(),
        );
        registry.register(
            "runs_in_flight",
            "Runs that go on",
            numbers.runs_in_flight.clone(),
        );
        registry.register(
            "results_lost",
            "Runs that came to no report by a fault or a bound of this agent",
            numbers.results_lost.clone(),
        );
        registry.register(
            "spool_reports",
            "Reports on disk that are not acknowledged",
            numbers.spool_reports.clone(),
        );
        registry.register_with_unit(
            "spool",
            "Size of these reports",
            Unit::Bytes,
            numbers.spool_bytes.clone(),
        );
        registry.register(
            "connected",
            "Whether a coordinator welcomed this agent: 1, or 0",
            numbers.connected.clone(),
        );
    }

    async fn refresh(&self) {}
}
