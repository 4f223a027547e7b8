//! The methodology pages: how a run is made and judged, and for each check the
//! reasons it can give. Numbers are printed from the constants that the code
//! runs on; what may be done about a finding stands with its reason.

mod check;
mod index;
mod limits;
mod links;
pub mod rules;

pub(super) use check::show as show_check;
pub(super) use index::show;
pub(super) use links::{KeyLink, TitleLink, unsigned};
