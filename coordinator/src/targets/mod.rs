//! What is watched, and how often.

mod credential;
mod slug;
mod target;
mod tier;

pub use credential::Credential;
pub(crate) use slug::candidates as slug_candidates;
pub use slug::{changes_path, report_path, run_path};
pub use target::{EndpointSource, REGIONS_LIMIT, SUITE, Seed, SeedError, Target, is_region};
pub use tier::{STALE_MARGIN, Tier};

#[cfg(test)]
pub(crate) mod tests_support {
    //! Targets for tests of other rooms.

    use super::{EndpointSource, Seed, Target, Tier};

    /// 2026-11-30 12:00 UTC.
    pub(crate) const ADDED_AT_MS: i64 = 1_796_040_000_000;

    pub(crate) fn target(url: &str) -> Target {
        target_of(url, Tier::Indie, &["local"])
    }

    pub(crate) fn target_of(url: &str, tier: Tier, regions: &[&str]) -> Target {
        let regions = regions.iter().map(|&region| region.to_owned()).collect();
        let seed = Seed::parse(url, EndpointSource::Operator, tier, regions).unwrap();
        Target::new(seed, "slug".to_owned(), ADDED_AT_MS)
    }
}
