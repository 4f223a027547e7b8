//! Reconcilers: each looks at what the store says should be done, does it, and
//! can be started again at any moment. None takes input; being woken only means
//! to look sooner.

pub mod attest_pending;
pub mod prune;
pub mod record_missed;
pub mod refresh;
