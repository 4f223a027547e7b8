//! The check suites: an observation in, one assertion a check out.
//!
//! [`evaluate`] runs the suite `mcp`: fifteen checks over what one run saw,
//! each with a state, an execution and a reason made of a key and parameters.
//! The signer calls it and signs what it says; the program's own `check` calls
//! the same function.
//!
//! Pure: no I/O, no clock, no randomness. The same bytes in give the same
//! evaluation out on any machine. Nothing here panics on any observation, and
//! no text of a target's enters a reason.

pub mod hygiene;
pub mod limits;
mod mcp;
mod model;
pub mod reason;
pub mod registry;
mod view;

pub use mcp::evaluate;
pub use model::{
    Assertion, ChallengeFacts, Definition, Detail, Difference, Drift, EXCHANGE_NOTES, Evaluation,
    ExchangeNote, HygieneHit, LikelyCause, Redefined, Redirect, Revisions, SchemaDrift, ServerInfo,
    Signing, ToolList, ToolNote,
};
pub use reason::{Param, Reason, ReasonKey};
pub use registry::CheckId;
