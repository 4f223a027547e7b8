//! Standard output. What a reader that has gone away (`| head`) does not take is
//! dropped quietly, and the exit code still says what came out.

use std::io::{ErrorKind, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use crate::exit::{Exit, Failure};

static READER_IS_GONE: AtomicBool = AtomicBool::new(false);

/// Whether what is written is read by nobody any more.
pub(crate) fn reader_is_gone() -> bool {
    READER_IS_GONE.load(Ordering::Relaxed)
}

/// Writes bytes as they are.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            READER_IS_GONE.store(true, Ordering::Relaxed);
            Ok(())
        }
        Err(error) => Err(Failure::new(
            Exit::Unexpected,
            format!("writing to standard output failed: {error}"),
        )),
    }
}

/// Writes one line.
pub(crate) fn line(text: &str) -> Result<(), Failure> {
    bytes(format!("{text}\n").as_bytes())
}

/// Writes a value as one line of JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value)
        .map_err(|error| Failure::new(Exit::Unexpected, format!("writing JSON failed: {error}")))?;
    line(&text)
}
