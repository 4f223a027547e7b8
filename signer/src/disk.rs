//! Files that only this user may read, replaced as a whole or not at all.
//!
//! A write is durable when it returns, and a crash at any moment leaves the
//! old content or the new, never a part. A file or folder that others may
//! read is refused before a byte of it is used.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{FlockOperation, OFlags, flock};
use zeroize::Zeroizing;

#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    #[error("{action} {}", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error(
        "{} may be read or written by others (mode {mode:o}): run chmod {allowed:o} {}, and replace the keys in it if others had access",
        path.display(), path.display()
    )]
    TooOpen {
        path: PathBuf,
        mode: u32,
        allowed: u32,
    },
    #[error("{} belongs to user {owner}, and this process runs as user {user}: start it as its owner, or change the owner", path.display())]
    NotOurs {
        path: PathBuf,
        owner: u32,
        user: u32,
    },
    #[error("{} is not a {expected}: move it away", path.display())]
    WrongKind {
        path: PathBuf,
        expected: &'static str,
    },
    #[error("{} is longer than {limit} bytes: it is not what this program wrote, restore it from a backup", path.display())]
    TooLong { path: PathBuf, limit: u64 },
    #[error("{} is in use by another signer: stop that one, or give this one a folder of its own", path.display())]
    InUse { path: PathBuf },
}

/// A folder of mode 0700 that this process alone works in, until it is dropped.
#[derive(Debug)]
pub(crate) struct PrivateFolder {
    path: PathBuf,
    folder: File,
}

/// What was read, and when the file was last written.
pub(crate) struct PrivateFile {
    pub(crate) bytes: Zeroizing<Vec<u8>>,
    pub(crate) written: SystemTime,
}

impl PrivateFolder {
    /// How the name of a file ends that is not in its place yet.
    pub(crate) const UNFINISHED: &str = ".new";

    /// Opens the folder, making it when it is not there.
    pub(crate) fn open(path: &Path) -> Result<Self, DiskError> {
        make_private_folder(path)?;
        let folder = File::open(path).map_err(io_error("opening", path))?;
        match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self {
                path: path.to_owned(),
                folder,
            }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(DiskError::InUse {
                path: path.to_owned(),
            }),
            Err(errno) => Err(io_error("locking", path)(errno.into())),
        }
    }

    pub(crate) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Reads a file of mode 0600 or narrower; `None` when it is not there.
    pub(crate) fn read(&self, name: &str, limit: u64) -> Result<Option<PrivateFile>, DiskError> {
        let path = self.path_of(name);
        let opened = OpenOptions::new()
            .read(true)
            .custom_flags(flags(OFlags::NOFOLLOW | OFlags::NONBLOCK))
            .open(&path);
        let file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_error("opening", &path)(error)),
        };
        let metadata = file.metadata().map_err(io_error("examining", &path))?;
        if !metadata.is_file() {
            return Err(DiskError::WrongKind {
                path,
                expected: "plain file",
            });
        }
        check_private(&path, &metadata, 0o600)?;
        if metadata.len() > limit {
            return Err(DiskError::TooLong { path, limit });
        }
        // With its whole size reserved, no copy of a key is left behind by growing.
        let mut bytes = Zeroizing::new(Vec::with_capacity(reserve(metadata.len())));
        file.take(limit)
            .read_to_end(&mut bytes)
            .map_err(io_error("reading", &path))?;
        let written = metadata.modified().map_err(io_error("examining", &path))?;
        Ok(Some(PrivateFile { bytes, written }))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file of mode 0600 that grows in place, making it when it is not
    /// there.
    pub(crate) fn open_growing(&self, name: &str) -> Result<File, DiskError> {
        let path = self.path_of(name);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(flags(OFlags::NOFOLLOW | OFlags::NONBLOCK))
            .open(&path)
            .map_err(io_error("opening", &path))?;
        let metadata = file.metadata().map_err(io_error("examining", &path))?;
        if !metadata.is_file() {
            let expected = "plain file";
            return Err(DiskError::WrongKind { path, expected });
        }
        check_private(&path, &metadata, 0o600)?;
        Ok(file)
    }

    /// The names of what lies in the folder.
    pub(crate) fn names(&self) -> Result<Vec<String>, DiskError> {
        let failed = || io_error("listing", &self.path);
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.path).map_err(failed())? {
            let name = entry.map_err(failed())?.file_name();
            // What we write has a name in plain ASCII.
            names.extend(name.into_string());
        }
        Ok(names)
    }

    /// Puts a file in the place of the one before, whose bytes are then
    /// overwritten, as far as the file system writes where it read.
    pub(crate) fn replace_wiping(&self, name: &str, bytes: &[u8]) -> Result<(), DiskError> {
        let path = self.path_of(name);
        let before = open_to_wipe(&path).map_err(io_error("opening", &path))?;
        self.replace(name, bytes)?;
        overwrite(before).map_err(io_error("wiping what was in", &path))
    }

    /// Overwrites a file and removes it.
    pub(crate) fn wipe(&self, name: &str) -> Result<(), DiskError> {
        let path = self.path_of(name);
        let file = open_to_wipe(&path).map_err(io_error("opening", &path))?;
        overwrite(file)
            .and_then(|()| std::fs::remove_file(&path))
            .map_err(io_error("wiping", &path))
    }

    /// Puts a file of mode 0600 in the place of the one before.
    pub(crate) fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), DiskError> {
        let path = self.path_of(name);
        let new = self.path_of(&format!("{name}{}", Self::UNFINISHED));
        // A crash may have left one; it was never the file itself.
        match std::fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(io_error("removing", &new)(error));
            }
            _ => {}
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&new)
            .map_err(io_error("creating", &new))?;
        file.write_all(bytes)
            .and_then(|()| file.sync_all())
            .map_err(io_error("writing", &new))?;
        std::fs::rename(&new, &path).map_err(io_error("replacing", &path))?;
        self.folder
            .sync_all()
            .map_err(io_error("writing", &self.path))
    }
}

fn open_to_wipe(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .custom_flags(flags(OFlags::NOFOLLOW | OFlags::NONBLOCK))
        .open(path)
}

fn overwrite(mut file: File) -> io::Result<()> {
    let length = file.metadata()?.len();
    io::copy(&mut io::repeat(0).take(length), &mut file)?;
    file.sync_all()
}

/// Makes a folder of mode 0700 with its parents, or checks the one there is.
pub(crate) fn make_private_folder(path: &Path) -> Result<(), DiskError> {
    make_folder(path, 0o700)
}

/// The same for a folder of this mode.
pub(crate) fn make_folder(path: &Path, mode: u32) -> Result<(), DiskError> {
    if path.as_os_str().is_empty() {
        return Ok(());
    }
    DirBuilder::new()
        .recursive(true)
        .mode(mode)
        .create(path)
        .map_err(io_error("creating", path))?;
    let metadata = std::fs::metadata(path).map_err(io_error("examining", path))?;
    check_private(path, &metadata, mode)
}

fn check_private(path: &Path, metadata: &std::fs::Metadata, allowed: u32) -> Result<(), DiskError> {
    let mode = metadata.mode() & 0o7777;
    let user = rustix::process::geteuid().as_raw();
    if metadata.uid() != user {
        Err(DiskError::NotOurs {
            path: path.to_owned(),
            owner: metadata.uid(),
            user,
        })
    } else if mode & !allowed != 0 {
        Err(DiskError::TooOpen {
            path: path.to_owned(),
            mode,
            allowed,
        })
    } else {
        Ok(())
    }
}

fn flags(flags: OFlags) -> i32 {
    // The kernel takes open(2)'s flags as a C int; these bits fit one.
    i32::try_from(flags.bits()).unwrap_or(0)
}

fn reserve(length: u64) -> usize {
    // A limit in bytes was checked before; a byte more keeps the last read,
    // which finds the end, from growing the buffer.
    usize::try_from(length).unwrap_or(0) + 1
}

pub(crate) fn io_error<'p>(
    action: &'static str,
    path: &'p Path,
) -> impl FnOnce(io::Error) -> DiskError + 'p {
    move |source| DiskError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn folder() -> (tempfile::TempDir, PrivateFolder) {
        let temporary = tempfile::tempdir().unwrap();
        let folder = PrivateFolder::open(&temporary.path().join("data")).unwrap();
        (temporary, folder)
    }

    fn chmod(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn files_and_folder_are_for_the_owner_alone() {
        let (_temporary, folder) = folder();
        folder.replace("a", b"one").unwrap();
        folder.replace("a", b"two").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o7777;
        assert_eq!(mode(&folder.path), 0o700);
        assert_eq!(mode(&folder.path_of("a")), 0o600);
        assert_eq!(folder.read("a", 3).unwrap().unwrap().bytes[..], *b"two");
        assert!(folder.read("b", 3).unwrap().is_none());
        assert!(!folder.path_of("a.new").exists());
    }

    #[test]
    fn what_others_may_read_is_refused_with_the_remedy() {
        let (_temporary, folder) = folder();
        folder.replace("a", b"one").unwrap();
        for mode in [0o640, 0o604, 0o620, 0o700, 0o4600] {
            chmod(&folder.path_of("a"), mode);
            let error = folder.read("a", 3).err().unwrap();
            assert!(error.to_string().contains("run chmod 600"), "{error}");
        }
        chmod(&folder.path_of("a"), 0o400);
        assert!(folder.read("a", 3).unwrap().is_some());
        chmod(&folder.path, 0o750);
        let path = folder.path.clone();
        drop(folder);
        let error = PrivateFolder::open(&path).unwrap_err();
        assert!(error.to_string().contains("run chmod 700"), "{error}");
    }

    #[test]
    fn what_is_no_plain_file_of_ours_is_refused() {
        let (_temporary, folder) = folder();
        std::fs::write(folder.path_of("elsewhere"), b"x").unwrap();
        symlink(folder.path_of("elsewhere"), folder.path_of("link")).unwrap();
        assert!(matches!(folder.read("link", 9), Err(DiskError::Io { .. })));
        std::fs::create_dir(folder.path_of("folder")).unwrap();
        let read = folder.read("folder", 9);
        assert!(matches!(read, Err(DiskError::WrongKind { .. })));
        folder.replace("long", b"0123456789").unwrap();
        let read = folder.read("long", 9);
        assert!(matches!(read, Err(DiskError::TooLong { .. })));
    }

    #[test]
    fn what_a_crash_left_half_written_is_never_read() {
        let (_temporary, folder) = folder();
        folder.replace("a", b"whole").unwrap();
        std::fs::write(folder.path_of("a.new"), b"ha").unwrap();
        let read = || folder.read("a", 9).unwrap().unwrap().bytes.to_vec();
        assert_eq!(read(), b"whole");
        folder.replace("a", b"next").unwrap();
        assert_eq!(read(), b"next");
    }

    #[test]
    fn what_is_wiped_holds_nothing_under_any_name() {
        let (_temporary, folder) = folder();
        folder.replace("a", b"secret").unwrap();
        // Another name for the same bytes, to look at them afterwards.
        std::fs::hard_link(folder.path_of("a"), folder.path_of("b")).unwrap();
        folder.replace_wiping("a", b"sealed").unwrap();
        assert_eq!(std::fs::read(folder.path_of("a")).unwrap(), b"sealed");
        assert_eq!(std::fs::read(folder.path_of("b")).unwrap(), [0; 6]);
        folder.wipe("a").unwrap();
        assert_eq!(folder.names().unwrap(), ["b"]);
    }

    #[test]
    fn one_process_at_a_time() {
        let (_temporary, folder) = folder();
        let second = PrivateFolder::open(&folder.path);
        assert!(matches!(second, Err(DiskError::InUse { .. })));
        let path = folder.path.clone();
        drop(folder);
        PrivateFolder::open(&path).unwrap();
    }
}
