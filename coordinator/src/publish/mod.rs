//! The public pages: directory, reports, evidence, keys, and their machine
//! twins, in English and under `/zh` in Chinese.
//!
//! Pages show what was attested and judge nothing. They are whole without
//! script, load nothing from elsewhere, and every list, wait and input of
//! theirs has a bound in [`limits`].

mod assets;
mod changes;
mod commands;
mod directory;
mod evidence;
mod headers;
mod keys;
pub mod limits;
mod log;
mod marks;
pub mod method;
mod page;
mod problem;
mod report;
mod routes;
mod source;
mod status;
mod stranger;
mod strip;
mod text;
mod twin;

#[cfg(test)]
mod tests;

pub use routes::router;
pub use source::{Source, Unavailable};

/// What pages are made from.
#[derive(Debug)]
pub struct Pages<S> {
    pub source: S,
    /// `https://host`, where readers reach this site. `None`: as each request says.
    pub origin: Option<String>,
    /// For how many days runs are kept; `None`: for ever.
    pub runs_kept_days: Option<u32>,
}
