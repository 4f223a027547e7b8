//! What we owe a host: one run at a time, and the wait it asked for. Counted
//! for host and port, over all targets, agents and regions.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::Arc,
    time::Duration,
};

/// Longest wait that a Retry-After may ask of us (RFC 9110, section 10.2.3,
/// names no bound). A longer one is cut to this.
pub const RETRY_AFTER_LIMIT: Duration = Duration::from_hours(24);

/// Whether a run may begin on a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Free,
    /// Another run is in flight; this one waits in line.
    Busy,
    /// The host asked us not to come before this time.
    NotBefore(i64),
}

#[derive(Debug, Default)]
struct Host {
    running: Option<Arc<str>>,
    /// Target and region, in the order of arrival.
    line: VecDeque<(Arc<str>, Arc<str>)>,
    not_before_ms: i64,
}

/// All hosts with a run in flight, a line, or a wait.
#[derive(Debug, Default)]
pub(super) struct Hosts {
    hosts: HashMap<Arc<str>, Host>,
}

impl Hosts {
    /// Asks to begin a run of `target`; `Busy` puts it in line.
    pub(super) fn enter(
        &mut self,
        host: &Arc<str>,
        target: &Arc<str>,
        region: &Arc<str>,
        now_ms: i64,
    ) -> Entry {
        let host = self.hosts.entry(Arc::clone(host)).or_default();
        if host.not_before_ms > now_ms {
            return Entry::NotBefore(host.not_before_ms);
        }
        match &host.running {
            Some(running) if running != target => {
                if !host.line.iter().any(|(waiting, _)| waiting == target) {
                    host.line
                        .push_back((Arc::clone(target), Arc::clone(region)));
                }
                Entry::Busy
            }
            _ => {
                host.running = Some(Arc::clone(target));
                Entry::Free
            }
        }
    }

    /// Ends a run of `target`, or its wait in line. Returns those in line that
    /// may ask again: the first of each region, since the agents of one region
    /// may be gone while those of another wait.
    pub(super) fn leave(&mut self, name: &Arc<str>, target: &Arc<str>) -> Vec<Arc<str>> {
        let Some(host) = self.hosts.get_mut(name) else {
            return Vec::new();
        };
        host.line.retain(|(waiting, _)| waiting != target);
        if host.running.as_ref() != Some(target) {
            return Vec::new();
        }
        host.running = None;
        let mut first = BTreeMap::new();
        for (waiting, region) in &host.line {
            first
                .entry(Arc::clone(region))
                .or_insert_with(|| Arc::clone(waiting));
        }
        let next: Vec<_> = first.into_values().collect();
        host.line.retain(|(waiting, _)| !next.contains(waiting));
        next
    }

    /// Remembers that the host wants no request before `until_ms`.
    pub(super) fn ask_to_wait(&mut self, host: &Arc<str>, until_ms: i64) {
        let host = self.hosts.entry(Arc::clone(host)).or_default();
        host.not_before_ms = host.not_before_ms.max(until_ms);
    }

    /// Forgets hosts about which nothing is left to remember.
    pub(super) fn prune(&mut self, now_ms: i64) {
        self.hosts.retain(|_, host| {
            host.running.is_some() || !host.line.is_empty() || host.not_before_ms > now_ms
        });
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.hosts.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_run_at_a_time_and_the_first_of_each_region_next() {
        let mut hosts = Hosts::default();
        let name = |text: &str| -> Arc<str> { text.into() };
        let host = name("h:443");
        let mut enter =
            |target: &str, region: &str| hosts.enter(&host, &name(target), &name(region), 0);
        assert_eq!(enter("a", "fra"), Entry::Free);
        assert_eq!(
            enter("a", "fra"),
            Entry::Free,
            "asking twice is no second run"
        );
        for (target, region) in [("b", "fra"), ("c", "fra"), ("d", "iad"), ("b", "fra")] {
            assert_eq!(enter(target, region), Entry::Busy);
        }
        assert!(
            hosts.leave(&host, &name("d")).is_empty(),
            "d only stood in line"
        );
        assert_eq!(hosts.enter(&host, &name("e"), &name("iad"), 0), Entry::Busy);
        assert_eq!(hosts.leave(&host, &name("a")), [name("b"), name("e")]);
        assert_eq!(hosts.enter(&host, &name("e"), &name("iad"), 0), Entry::Free);
        assert_eq!(hosts.leave(&host, &name("e")), [name("c")]);
        hosts.prune(0);
        assert_eq!(hosts.len(), 0);
    }

    #[test]
    fn a_wait_is_kept_until_it_is_over() {
        let mut hosts = Hosts::default();
        let (host, target, region): (Arc<str>, Arc<str>, Arc<str>) =
            ("h:443".into(), "a".into(), "fra".into());
        hosts.ask_to_wait(&host, 1_000);
        hosts.ask_to_wait(&host, 500);
        hosts.prune(999);
        assert_eq!(
            hosts.enter(&host, &target, &region, 999),
            Entry::NotBefore(1_000)
        );
        assert_eq!(hosts.enter(&host, &target, &region, 1_000), Entry::Free);
    }
}
