//! What keeps the keys in this process's memory from being copied out of it:
//! no core dump, and no other process may trace it or read its memory.

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

#[derive(Debug, thiserror::Error)]
pub enum LockdownError {
    #[error("locking down the signer: core dumps could not be turned off")]
    CoreLimit(#[source] rustix::io::Errno),
    #[error("locking down the signer: the process could not be closed to tracing")]
    Dumpable(#[source] rustix::io::Errno),
}

/// Takes effect for the whole process and is not undone.
pub(crate) fn lock_down() -> Result<(), LockdownError> {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none).map_err(LockdownError::CoreLimit)?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(LockdownError::Dumpable)
}

#[cfg(test)]
mod tests {
    use rustix::process::{dumpable_behavior, getrlimit};

    use super::*;

    #[test]
    fn the_process_leaves_no_core_and_cannot_be_traced() {
        lock_down().unwrap();
        assert_eq!(getrlimit(Resource::Core).maximum, Some(0));
        assert_eq!(dumpable_behavior(), Ok(DumpableBehavior::NotDumpable));
    }
}
