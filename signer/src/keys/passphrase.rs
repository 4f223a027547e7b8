//! The passphrase that seals private keys: from a file that nobody else may
//! read, never from a flag or the environment, and wiped at the end.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use zeroize::Zeroizing;

/// Shortest passphrase, in bytes. The file of a sealed key may be copied, and
/// then guessed at for as long as one likes.
const LEAST_BYTES: usize = 12;
/// Longest passphrase, in bytes, its newline included.
const LIMIT_BYTES: usize = 1024;

/// Each says what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum PassphraseError {
    #[error("reading the passphrase file {}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("the passphrase file {} is not a plain file", .0.display())]
    WrongKind(PathBuf),
    #[error("the passphrase file {} may be read by others (mode {mode:o}): run chmod 600 {}, and choose another passphrase if others had access", path.display(), path.display())]
    TooOpen { path: PathBuf, mode: u32 },
    #[error("the passphrase file {} belongs to user {owner}, and this process runs as user {user}: change its owner", path.display())]
    NotOurs {
        path: PathBuf,
        owner: u32,
        user: u32,
    },
    #[error(
        "the passphrase file {} holds no passphrase: it is to be one line of {LEAST_BYTES} to {LIMIT_BYTES} bytes",
        .0.display()
    )]
    Form(PathBuf),
}

/// Never shown.
pub(super) struct Passphrase(Zeroizing<Vec<u8>>);

impl Passphrase {
    pub(super) fn read(path: &Path) -> Result<Self, PassphraseError> {
        let failed = |source| PassphraseError::Io {
            path: path.to_owned(),
            source,
        };
        let file = OpenOptions::new()
            .read(true)
            // A pipe would be waited for.
            .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
            .open(path)
            .map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        check(path, &metadata)?;
        let mut bytes = Zeroizing::new(Vec::with_capacity(LIMIT_BYTES + 1));
        file.take(LIMIT_BYTES as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        let whole = bytes.len() <= LIMIT_BYTES;
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        if whole && bytes.len() >= LEAST_BYTES && !bytes.contains(&b'\n') {
            Ok(Self(bytes))
        } else {
            Err(PassphraseError::Form(path.to_owned()))
        }
    }
}

impl AsRef<[u8]> for Passphrase {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(…)")
    }
}

fn check(path: &Path, metadata: &std::fs::Metadata) -> Result<(), PassphraseError> {
    const ROOT: u32 = 0;
    let user = rustix::process::geteuid().as_raw();
    let owner = metadata.uid();
    let mode = metadata.mode() & 0o7777;
    // A credential of systemd is root's and opened to the service alone by an
    // access list, whose mask stands where the group's bits would be (0440).
    let allowed = if owner == ROOT && user != ROOT {
        0o640
    } else {
        0o600
    };
    if !metadata.is_file() {
        Err(PassphraseError::WrongKind(path.to_owned()))
    } else if owner != user && owner != ROOT {
        Err(PassphraseError::NotOurs {
            path: path.to_owned(),
            owner,
            user,
        })
    } else if mode & !allowed != 0 {
        Err(PassphraseError::TooOpen {
            path: path.to_owned(),
            mode,
        })
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn written(folder: &Path, text: &[u8], mode: u32) -> PathBuf {
        let path = folder.join("passphrase");
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn one_line_is_a_passphrase() {
        let folder = tempfile::tempdir().unwrap();
        let read = |text: &[u8]| Passphrase::read(&written(folder.path(), text, 0o600));
        for text in [&b"correct horse"[..], b"correct horse\n"] {
            assert_eq!(read(text).unwrap().as_ref(), b"correct horse");
        }
        let long = vec![b'x'; LIMIT_BYTES + 1];
        for text in [&b""[..], b"\n", b"too short\n", b"correct\nhorses\n", &long] {
            assert!(matches!(read(text), Err(PassphraseError::Form(_))));
        }
        let shown = format!("{:?}", read(b"correct horse").unwrap());
        assert!(!shown.contains("horse"));
    }

    #[test]
    fn what_others_may_read_is_no_secret() {
        let folder = tempfile::tempdir().unwrap();
        for mode in [0o644, 0o604, 0o640, 0o660] {
            let path = written(folder.path(), b"correct horse\n", mode);
            let error = Passphrase::read(&path).unwrap_err().to_string();
            assert!(error.contains("run chmod 600"), "{error}");
        }
        let read = Passphrase::read(&written(folder.path(), b"correct horse", 0o400));
        assert!(read.is_ok());
        let read = Passphrase::read(folder.path());
        assert!(matches!(read, Err(PassphraseError::WrongKind(_))));
        let read = Passphrase::read(&folder.path().join("nothing"));
        assert!(matches!(read, Err(PassphraseError::Io { .. })));
    }
}
