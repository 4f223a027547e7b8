//! What a role's process ends with, the same for each role and however it was
//! started (`touchstone exit-codes`).

use std::error::Error;
use std::io::{self, ErrorKind};

/// Unexpected: a restart may mend it.
pub const UNEXPECTED: u8 = 1;
/// Usage, or input that cannot be read.
pub const USAGE: u8 = 2;
/// Something else stands where this process should.
pub const CONFLICT: u8 = 9;
/// The configuration is invalid, or names a place that cannot be used.
pub const CONFIGURATION: u8 = 78;

/// The exit code for what keeps a role from working. An error of the operating
/// system about a place (an address that is not this machine's, a port or a
/// folder that this user may not use, a file where a folder should be) is one
/// of the configuration that names it: a restart does not mend it.
pub fn code(error: &(dyn Error + 'static)) -> u8 {
    let mut cause = Some(error);
    while let Some(error) = cause {
        match error.downcast_ref::<io::Error>().map(io::Error::kind) {
            Some(ErrorKind::AddrInUse) => return CONFLICT,
            Some(kind) if is_of_a_place(kind) => return CONFIGURATION,
            _ => cause = error.source(),
        }
    }
    UNEXPECTED
}

/// Whether an operation failed for the place that it was given.
pub fn is_of_a_place(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::AddrNotAvailable
            | ErrorKind::AlreadyExists
            | ErrorKind::InvalidFilename
            | ErrorKind::InvalidInput
            | ErrorKind::IsADirectory
            | ErrorKind::NotADirectory
            | ErrorKind::NotFound
            | ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("starting")]
    struct Starting(#[source] io::Error);

    #[test]
    fn a_place_that_cannot_be_used_is_a_fault_of_the_configuration() {
        for (kind, exit) in [
            (ErrorKind::AddrInUse, CONFLICT),
            (ErrorKind::AddrNotAvailable, CONFIGURATION),
            (ErrorKind::PermissionDenied, CONFIGURATION),
            (ErrorKind::NotADirectory, CONFIGURATION),
            (ErrorKind::ReadOnlyFilesystem, CONFIGURATION),
            (ErrorKind::StorageFull, UNEXPECTED),
            (ErrorKind::ConnectionReset, UNEXPECTED),
        ] {
            assert_eq!(code(&Starting(kind.into())), exit, "{kind:?}");
        }
        assert_eq!(code(&std::fmt::Error), UNEXPECTED);
    }
}
