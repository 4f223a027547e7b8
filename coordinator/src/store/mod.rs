//! The truth: targets, runs, evidence, and what is still to be signed.

pub mod read;
