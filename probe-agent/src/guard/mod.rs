//! Which addresses may be dialled.
//!
//! A URL becomes a [`Vetted`] target only here: its scheme, port and host are
//! held against the [`Policy`], its name is resolved once a run, and every
//! address that the name gave is judged before any of them is dialled. The
//! exchange accepts nothing but a [`Vetted`], so an address that was not
//! judged cannot be connected to, and a name server that changes its answer
//! between the look and the step gains nothing.
//!
//! This room never opens a connection to a target.

#[cfg(test)]
pub(crate) mod nameserver;
mod policy;
mod resolve;
mod rule;
mod special;
mod vet;

pub use policy::Policy;
pub use resolve::{LookupError, Resolver};
pub use rule::Rule;
pub use special::special_blocks;
pub use vet::{Denied, Guard, Vetted};
