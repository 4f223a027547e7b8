//! What the end-to-end tests stand on: peers, hostile servers, `touchstone up`.

pub mod collector;
pub mod group;
pub mod hostile;
pub mod peers;
pub mod secret;
pub mod typed;
pub mod until;
pub mod up;
