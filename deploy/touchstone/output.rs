//! Standard output. A reader that has gone away (`| head`) ends the command quietly.

use std::io::{ErrorKind, Write as _};

use serde::Serialize;

use crate::exit::{Exit, Failure};

/// Writes bytes as they are.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            std::process::exit(Exit::Done as i32)
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
