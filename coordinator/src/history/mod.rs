//! What many runs say together: observed days and staleness. Pure functions of
//! stored rows; nothing here is stored itself.

pub mod changes;
pub mod days;
pub mod reach;
