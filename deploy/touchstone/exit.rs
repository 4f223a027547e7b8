//! Exit codes, the same for every command, and the one way a command fails.

use std::process::ExitCode;

use touchstone_telemetry::exit as role;

/// How a command ended. The numbers are part of the program's face: scripts
/// and CI jobs rely on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    Done = 0,
    Unexpected = 1,
    Usage = 2,
    Failed = 3,
    NotFound = 5,
    Unreachable = 6,
    DoesNotVerify = 7,
    CannotTell = 8,
    Conflict = 9,
    Partial = 10,
    TryLater = 75,
    Configuration = 78,
}

impl Exit {
    /// The exit of a role that says itself what it ends with.
    pub(crate) fn of_role(code: u8) -> Self {
        match code {
            role::USAGE => Self::Usage,
            role::CONFLICT => Self::Conflict,
            role::CONFIGURATION => Self::Configuration,
            _ => Self::Unexpected,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The text of `touchstone help exit-codes`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes of every command:

  0  done; nothing found against it
  1  unexpected failure
  2  usage, or input that cannot be read
  3  completed; a check FAILED, or a gate was not met
  5  not found
  6  unreachable or timed out
  7  does not verify: signature, digest, log, replay
  8  cannot tell: unknown key, unknown schema, or no verdict could be reached
  9  conflict or precondition
 10  partial: some of many failed
 75  try again later (asked to wait, draining)
 78  configuration invalid

7 and 8 are two things on purpose: \"false\" is not \"cannot tell\".
OBSERVED_RISK alone exits 0; --fail-on risk makes it 3.";

/// Why a command could not do what it was asked for: what failed with its
/// value, what was observed, what to do next.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// A file or folder that could not be used: for what it is, which is the
    /// caller's to mend, or for a fault of the machine's.
    pub(crate) fn place(error: &std::io::Error, message: impl Into<String>) -> Self {
        let exit = if role::is_of_a_place(error.kind()) {
            Exit::Usage
        } else {
            Exit::Unexpected
        };
        Self::new(exit, message)
    }

    /// A failure with the whole chain of causes, each once.
    pub(crate) fn caused(exit: Exit, error: &dyn std::error::Error) -> Self {
        Self::new(exit, chain(error))
    }
}

/// An error and its causes as one line, each said once.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

pub(crate) type Outcome = Result<Exit, Failure>;
