//! A role's configuration file, read up to a bound, and what is wrong with it
//! as one sentence with its line.
//!
//! The line itself is not repeated: it may hold what must not reach a log.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::exit;

/// A configuration file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("reading the configuration {}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error(
        "the configuration {} is larger than {limit} bytes, the most that is read",
        path.display()
    )]
    TooLarge { path: PathBuf, limit: u64 },
    #[error("the configuration {} is invalid: {fault}", path.display())]
    Invalid { path: PathBuf, fault: Fault },
}

impl ConfigError {
    /// What a process that cannot go on without the file ends with.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::File { .. } => exit::USAGE,
            Self::TooLarge { .. } | Self::Invalid { .. } => exit::CONFIGURATION,
        }
    }
}

/// What is wrong with the text of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct Fault {
    /// From 1 on; unknown for what no line says.
    pub line: Option<usize>,
    pub message: String,
}

impl Fault {
    /// A fault of what one key says, at the line where it stands.
    pub fn of_key(text: &str, key: &str, error: &dyn std::error::Error) -> Self {
        let sets_key = |line: &str| {
            let rest = line.trim_start().strip_prefix(key);
            rest.is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        Self::where_(text, sets_key, error)
    }

    /// A fault of a value, at the line where it stands.
    pub fn of_value(text: &str, value: &str, error: &dyn std::error::Error) -> Self {
        Self::where_(text, |line| line.contains(value), error)
    }

    fn where_(text: &str, is_it: impl Fn(&str) -> bool, error: &dyn std::error::Error) -> Self {
        Self {
            line: text.lines().position(is_it).map(|place| place + 1),
            message: error.to_string(),
        }
    }
}

/// Reads TOML; a key that the type does not know is a fault.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    toml::from_str(text).map_err(|error: toml::de::Error| Fault {
        line: error
            .span()
            .and_then(|span| text.get(..span.start))
            .map(|before| before.matches('\n').count() + 1),
        message: error.message().trim_end().replace('\n', ", "),
    })
}

/// Reads a file of at most `limit` bytes with a role's own reading of its text.
/// Blocks on the file.
pub fn load<T>(
    path: &Path,
    limit: u64,
    read: impl FnOnce(&str) -> Result<T, Fault>,
) -> Result<T, ConfigError> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
        .map_err(|source| ConfigError::File {
            path: path.to_owned(),
            source,
        })?;
    if bytes.len() as u64 > limit {
        return Err(ConfigError::TooLarge {
            path: path.to_owned(),
            limit,
        });
    }
    let text = std::str::from_utf8(&bytes).map_err(|error| Fault {
        line: bytes
            .get(..error.valid_up_to())
            .map(|before| before.split(|byte| *byte == b'\n').count()),
        message: "the text is not UTF-8".to_owned(),
    });
    text.and_then(read).map_err(|fault| ConfigError::Invalid {
        path: path.to_owned(),
        fault,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        #[allow(dead_code)] // only whether it can be read is asked
        port: u16,
    }

    fn fault(text: &[u8]) -> String {
        let file = std::env::temp_dir().join(format!(
            "touchstone-config-{}-{}",
            std::process::id(),
            text.len()
        ));
        std::fs::write(&file, text).unwrap();
        let error = load(&file, 64, parse::<Sample>).unwrap_err();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(error.exit_code(), exit::CONFIGURATION);
        error.to_string()
    }

    #[test]
    fn a_fault_is_one_line_with_its_place_and_without_the_text_there() {
        for (text, said) in [
            (&b"prot = 'hunter2'"[..], "line 1: unknown field `prot`"),
            (b"\n# port\nport = 99999 # hunter2", "line 3: invalid value"),
            (b"port = 1\nport = 2 # hunter2", "line 2: duplicate key"),
            (b"port = [hunter2", "line 1: "),
            (b"# hunter2", "missing field `port`"),
            (b"port = 1\n# hunter2 \xff", "line 2: the text is not UTF-8"),
            (&[b'#'; 65], "larger than 64 bytes"),
        ] {
            let error = fault(text);
            assert!(error.contains(said), "{error}");
            assert!(!error.contains('\n'), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_no_invalid_configuration() {
        for path in ["/", "no-such-file.toml"] {
            let error = load(Path::new(path), 64, parse::<Sample>).unwrap_err();
            assert_eq!(error.exit_code(), exit::USAGE, "{error}");
        }
    }

    #[test]
    fn what_a_check_finds_has_the_line_of_its_key() {
        let text = "# runs = 1\nruns_at = 2\nruns   = 0\nurl = 'x.example'";
        let error = io::Error::other("wrong");
        assert_eq!(
            Fault::of_key(text, "runs", &error).to_string(),
            "line 3: wrong"
        );
        assert_eq!(Fault::of_key(text, "no", &error).to_string(), "wrong");
        assert_eq!(Fault::of_value(text, "x.example", &error).line, Some(4));
    }
}
