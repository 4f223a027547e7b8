//! Files and standard input, read up to a bound.

use std::io::Read as _;
use std::path::Path;

use crate::exit::Failure;

/// Largest file that a command reads, in bytes: a bundle of seventeen bodies
/// of 2 MiB in base64 fits.
pub(crate) const INPUT_LIMIT_BYTES: u64 = 64 * 1024 * 1024;

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
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin()
            .lock()
            .take(INPUT_LIMIT_BYTES + 1)
            .read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path)
            .and_then(|file| file.take(INPUT_LIMIT_BYTES + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| Failure::usage(format!("cannot read {name}: {error}")))?;
    if bytes.len() as u64 > INPUT_LIMIT_BYTES {
        return Err(Failure::usage(format!(
            "{name} is larger than {INPUT_LIMIT_BYTES} bytes, the most that is read"
        )));
    }
    Ok(bytes)
}
