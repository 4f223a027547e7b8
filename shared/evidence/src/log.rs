//! The transparency log of envelopes, as pure rules: what a leaf is, how the
//! tree is hashed, proved and cut into tiles, and how its head is signed.
//!
//! * [`entry`]: the bytes of one leaf.
//! * [`hash`], [`tree`], [`proof`]: the Merkle tree of RFC 6962, section 2.
//! * [`tile`]: the tiles in which a log is served (C2SP tlog-tiles).
//! * [`note`] and [`checkpoint`]: the signed head (C2SP signed-note, tlog-checkpoint).
//! * [`inclusion`]: what a bundle carries to prove that its envelope was logged.
//!
//! Everything that is read from outside has a bound, and no input panics.

pub mod checkpoint;
pub mod entry;
pub mod hash;
pub mod inclusion;
pub mod note;
pub mod proof;
pub mod tile;
pub mod tree;

#[cfg(test)]
mod tests;
