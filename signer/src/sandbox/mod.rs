//! Shuts the signer in, so that code of a stranger's that came to run in it
//! could neither carry a key out nor reach anything else: no core dump, no
//! tracing, no new privileges, memory that is never swapped, no file outside
//! its folders (Landlock), no network, no program and no process (seccomp).
//!
//! Each barrier is for the whole process and is not undone. What could not be
//! raised is named in [`Isolation`], never passed over in silence. Refused
//! calls fail with EPERM or EACCES, so that a fault is an error and not a
//! riddle.

mod calls;
mod files;
mod memory;

use std::path::Path;

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
use touchstone_telemetry::Chain;

/// The barriers around this process that do not stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isolation {
    missing: Vec<Missing>,
}

/// A barrier that does not stand, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    pub barrier: Barrier,
    pub cause: String,
}

/// The names are those of `KeysResponse.missing_barriers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    CoreDumps,
    Tracing,
    NoNewPrivileges,
    LockedMemory,
    Landlock,
    Seccomp,
}

impl Barrier {
    pub const ALL: [Self; 6] = [
        Self::CoreDumps,
        Self::Tracing,
        Self::NoNewPrivileges,
        Self::LockedMemory,
        Self::Landlock,
        Self::Seccomp,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::CoreDumps => "core_dumps",
            Self::Tracing => "tracing",
            Self::NoNewPrivileges => "no_new_privs",
            Self::LockedMemory => "locked_memory",
            Self::Landlock => "landlock",
            Self::Seccomp => "seccomp",
        }
    }
}

/// What the process may still touch once it is shut in.
#[derive(Debug)]
pub struct Places<'p> {
    /// Read and written, with all beneath it.
    pub data: &'p Path,
    /// The files of its sockets, which it removes at its end.
    pub sockets: [&'p Path; 2],
}

impl Isolation {
    /// Closes the memory of this process to others. To be called before a key
    /// is in it.
    pub fn of_memory() -> Self {
        let mut isolation = Self {
            missing: Vec::new(),
        };
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        isolation.note(Barrier::CoreDumps, setrlimit(Resource::Core, none));
        isolation.note(
            Barrier::Tracing,
            set_dumpable_behavior(DumpableBehavior::NotDumpable),
        );
        isolation.note(Barrier::LockedMemory, memory::lock());
        isolation
    }

    /// A process in which none of it was done.
    pub(crate) fn none() -> Self {
        let never = |barrier| Missing {
            barrier,
            cause: "it was never raised".to_owned(),
        };
        Self {
            missing: Barrier::ALL.map(never).into(),
        }
    }

    /// Takes network, files, programs and processes away. To be called when
    /// the sockets are bound, before a byte from outside is read, and on the
    /// only thread that there is: those begun later are born inside.
    pub fn shut_in(&mut self, places: &Places<'_>) {
        let unprivileged = rustix::thread::set_no_new_privs(true);
        self.note(Barrier::NoNewPrivileges, unprivileged);
        self.note(Barrier::Landlock, files::restrict(places));
        // Last, for it takes the calls away that raise the others.
        self.note(Barrier::Seccomp, calls::restrict());
    }

    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }

    fn note<E: std::error::Error + 'static>(&mut self, barrier: Barrier, raised: Result<(), E>) {
        if let Err(error) = raised {
            let cause = Chain(&error).to_string();
            self.missing.push(Missing { barrier, cause });
        }
    }
}

/// `full`, or `weak (landlock: why; seccomp: why)`.
impl std::fmt::Display for Isolation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.missing.is_empty() {
            return f.write_str("full");
        }
        f.write_str("weak (")?;
        for (place, Missing { barrier, cause }) in self.missing.iter().enumerate() {
            let before = if place == 0 { "" } else { "; " };
            write!(f, "{before}{}: {cause}", barrier.as_str())?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use rustix::process::{dumpable_behavior, getrlimit};

    use super::*;

    #[test]
    fn the_process_leaves_no_core_and_cannot_be_traced() {
        let isolation = Isolation::of_memory();
        assert_eq!(getrlimit(Resource::Core).maximum, Some(0));
        assert_eq!(dumpable_behavior(), Ok(DumpableBehavior::NotDumpable));
        let missing = isolation.missing().iter().map(|missing| missing.barrier);
        assert!(
            missing
                .into_iter()
                .all(|barrier| barrier == Barrier::LockedMemory)
        );
    }

    #[test]
    fn what_is_missing_is_said_with_its_cause() {
        let mut isolation = Isolation {
            missing: Vec::new(),
        };
        assert_eq!(isolation.to_string(), "full");
        isolation.note(
            Barrier::Landlock,
            Err(std::io::Error::other("no kernel for it")),
        );
        isolation.note(Barrier::Seccomp, Err(std::io::Error::other("nor for this")));
        assert_eq!(
            isolation.to_string(),
            "weak (landlock: no kernel for it; seccomp: nor for this)"
        );
    }
}
