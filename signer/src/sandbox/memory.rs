//! Memory that is never written to a disk.

use rustix::mm::{MlockAllFlags, mlockall};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CapabilitySet, capabilities};

#[derive(Debug, thiserror::Error)]
pub(super) enum MemoryError {
    #[error(
        "this process may lock {0} bytes of memory: raise its limit (LimitMEMLOCK=infinity in its unit, --ulimit memlock=-1 in its container, ulimit -l unlimited in its shell)"
    )]
    Limit(u64),
    #[error("locking the memory of this process")]
    Lock(#[source] rustix::io::Errno),
}

/// Locks all that this process has in memory, and all that it will have.
///
/// All or nothing: with a limit below what the process comes to need, locked
/// allocations would fail one day (mlock(2), MCL_FUTURE).
pub(super) fn lock() -> Result<(), MemoryError> {
    if let Some(bytes) = getrlimit(Resource::Memlock).maximum
        && !exempt()
    {
        return Err(MemoryError::Limit(bytes));
    }
    let unlimited = Rlimit {
        current: None,
        maximum: None,
    };
    // Refused to whoever is exempt by capability alone, and not needed there.
    let _ = setrlimit(Resource::Memlock, unlimited);
    // Pages that were never touched hold nothing, and cost nothing.
    mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT)
        .map_err(MemoryError::Lock)
}

/// Whether the limit does not count for this process.
fn exempt() -> bool {
    capabilities(None).is_ok_and(|held| held.effective.contains(CapabilitySet::IPC_LOCK))
}
