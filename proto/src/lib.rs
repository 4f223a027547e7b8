//! The messages between the roles, and the few words that all of them share.
//!
//! Generated types live in [`observation`], [`fleet`], [`signer`] and
//! [`operator`]. By hand: [`Recorded`] (an observation together with the bodies that it names, which
//! cannot be built from bytes that do not fit together), [`identity`] (how a
//! key is named, what exactly is signed) and [`vocabulary`] (states,
//! executions, scopes).

pub mod identity;
mod recorded;
pub mod vocabulary;

pub use recorded::{Digest, Malformed, OBSERVATION_FORMAT, Recorded};

/// Largest message between two roles, in bytes: eight exchanges and nine later
/// pages of 2 MiB each, and room for what surrounds them.
pub const MESSAGE_LIMIT_BYTES: usize = 40 * 1024 * 1024;

/// Longest path of a Unix socket, in bytes (unix(7): `sun_path` holds 108, the
/// last of them a NUL).
pub const SOCKET_PATH_LIMIT_BYTES: usize = 107;

pub use generated::{
    fleet::v1 as fleet, observation::v1 as observation, operator::v1 as operator,
    signer::v1 as signer,
};

// The nesting is that of the protobuf packages, which the generated code counts on.
#[allow(
    clippy::all,
    clippy::pedantic,
    unreachable_pub,
    missing_debug_implementations,
    unused_qualifications
)]
mod generated {
    pub mod observation {
        pub mod v1 {
            tonic::include_proto!("touchstone.observation.v1");
        }
    }
    pub mod fleet {
        pub mod v1 {
            tonic::include_proto!("touchstone.fleet.v1");
        }
    }
    pub mod signer {
        pub mod v1 {
            tonic::include_proto!("touchstone.signer.v1");
        }
    }
    pub mod operator {
        pub mod v1 {
            tonic::include_proto!("touchstone.operator.v1");
        }
    }
}
