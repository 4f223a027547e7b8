//! The one canonical form of JSON that Touchstone hashes and signs, `nfc-jcs/v1`,
//! and the three fingerprints of a tool list that are taken over it.
//!
//! * [`read`] reads JSON text exactly as ECMAScript's `JSON.parse` does.
//! * [`canonicalize`] and [`canonicalize_value`] give the canonical bytes, or a
//!   [`Refusal`] that names what cannot be canonicalized and where it stands.
//! * [`projection`] reduces a tool list to names, to names and input schemas, or
//!   to full definitions, and gives its SHA-256.
//! * [`change`] says what differs between two tool lists, and of what kind it is.
//! * [`recompute`] holds the scripts by which others come to the same fingerprints.
//!
//! `nfc-jcs/v1` is three steps: read as `JSON.parse` reads; bring every string
//! and every key to Unicode NFC; write by RFC 8785. It is not called RFC 8785,
//! which forbids the second step.
//!
//! The same bytes in give the same bytes out on any machine. Nothing here does
//! I/O, reads a clock, or panics on any input; nesting and size are bounded.

mod canonical;
pub mod change;
pub mod difference;
mod digest;
mod escape;
mod normal;
mod path;
pub mod projection;
mod read;
pub mod recompute;
mod scan;
mod string;
mod value;
mod write;

pub use canonical::{Canonical, Refusal, RefusalKind, canonicalize, canonicalize_value};
pub use digest::sha256_text;
pub use projection::{
    DEFINITION_PROJECTION_VERSION, Fingerprint, PROJECTION_VERSION, ProjectionRefusal,
};
pub use read::{DEPTH_LIMIT, INPUT_LIMIT, ReadError, ReadErrorKind, read};
pub use string::JsonString;
pub use value::{Object, Value};

/// The name under which payloads state this canonical form.
pub const CANONICALIZATION: &str = "nfc-jcs/v1";
