//! The signer: a process of its own, without network, that holds the keys.
//!
//! It takes observations that agents signed, judges them itself with the check
//! suites, signs the payload that follows, and appends every envelope to its log
//! before anybody sees it. There is no call that signs
//! what it is handed: whoever breaks into the coordinator can keep evidence
//! back and cannot forge any. It also keeps the roster of agents, and lets new
//! ones join by one-time tokens that only the operator can have made.
//!
//! * [`Ready`] is the role: two Unix sockets, one data folder, and from the
//!   first byte that it reads on nothing else ([`sandbox`]).
//! * [`Attestor`] does the judging and signing, also without a process of its
//!   own: [`ephemeral`] uses it for one run. [`derive`] is for replays.

mod admin;
mod attest;
mod config;
mod derive;
mod detail;
mod disk;
pub mod ephemeral;
mod keys;
mod log;
mod refused;
mod roster;
mod run;
#[cfg(test)]
mod sample;
pub mod sandbox;
mod service;
mod socket;
mod suite;

pub use admin::{AdminClient, AdminError};
pub use attest::{AgentKey, Answer, Attested, Attestor};
pub use config::{Config, DEFAULT_ADMIN_SOCKET, DEFAULT_DATA, DEFAULT_SOCKET};
pub use derive::derive;
pub use disk::DiskError;
pub use keys::{KeyError, PassphraseError, PrivateKey, SigningError};
pub use log::LogError;
pub use refused::Refused;
pub use roster::{AGENTS_LIMIT, RosterError, TOKEN_LASTS_LIMIT_S, TOKENS_LIMIT};
pub use run::{ATTEST_LIMIT_BYTES, Error, IfWeak, Ready};
pub use socket::SocketError;
pub use suite::{recompute_command, suite_identity};

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
