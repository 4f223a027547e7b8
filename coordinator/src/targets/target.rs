//! A target: one endpoint, under one id for ever.

pub use touchstone_proto::observation::EndpointSource;

/// Path of a target's report page.
pub fn report_path(slug: &str) -> String {
    format!("/servers/{slug}")
}

/// Path of the page of one run of a target.
pub fn run_path(slug: &str, run_id: &str) -> String {
    format!("/servers/{slug}/runs/{run_id}")
}
