//! Evidence: what is signed about a run, how, and how anybody checks it.
//!
//! * [`payload`]: the in-toto Statement about one run, as types that cannot
//!   hold what evidence must not say.
//! * [`dsse`]: the envelope around its canonical bytes.
//! * [`keyset`]: which keys count, and since when.
//! * [`log`]: the transparency log that envelopes are appended to.
//! * [`bundle`] and [`verify`](mod@verify): one file to check offline, and the check.
//! * [`target`]: what names an endpoint. [`schema`]: the payload versions there
//!   are, each with its JSON Schema. [`sigstore`]: the envelope for others' tools.
//!
//! Nothing here does I/O or reads a clock. Whatever is read from outside has a
//! size limit, and no input panics.

pub mod base64;
pub mod bundle;
pub mod detail;
pub mod dsse;
pub mod keyset;
pub mod log;
pub mod number;
pub mod payload;
#[cfg(test)]
mod sample;
pub mod schema;
pub mod sigstore;
pub mod target;
pub mod text;
pub mod timestamp;
pub mod verify;
