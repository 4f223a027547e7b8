//! Files and standard input, read up to a bound.

use std::io::Read as _;
use std::path::Path;

use touchstone_evidence::bundle::BUNDLE_LIMIT_BYTES;

use crate::exit::Failure;

/// Largest file that a command reads, in bytes. The largest of all are bundles.
pub(crate) const INPUT_LIMIT_BYTES: usize = BUNDLE_LIMIT_BYTES;

/// What a file is called in a message.
pub(crate) fn name(path: &Path) -> String {
    if path.as_os_str() == "-" {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// Reads a file, or standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let name = name(path);
    let more_than_is_read = INPUT_LIMIT_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin()
            .lock()
            .take(more_than_is_read)
            .read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path)
            .and_then(|file| file.take(more_than_is_read).read_to_end(&mut bytes))
    };
    read.map_err(|error| Failure::usage(format!("cannot read {name}: {error}")))?;
    if bytes.len() > INPUT_LIMIT_BYTES {
        return Err(Failure::usage(format!(
            "{name} is larger than {INPUT_LIMIT_BYTES} bytes, the most that is read"
        )));
    }
    if bytes.is_empty() {
        return Err(Failure::usage(format!(
            "{name} is empty; name a file, or pipe one into standard input"
        )));
    }
    Ok(bytes)
}
