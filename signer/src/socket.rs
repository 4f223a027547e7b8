//! The Unix sockets of the signer: for named users alone, by asking the kernel
//! who calls, and for this user alone by the mode of file and folder too.
//!
//! They are bound and closed to others before the process is shut in, and
//! nothing is read from them until they are served.

use std::io;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener as BoundListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;

use crate::disk::{DiskError, make_folder};

/// Connections that were accepted and wait to be served.
const ACCEPTED_LIMIT: usize = 16;
/// Pause after the operating system refused to accept, say for want of file
/// descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    #[error(transparent)]
    Folder(#[from] DiskError),
    #[error("{action} the socket {}", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("listening on {}: another signer answers there; stop it first", .0.display())]
    InUse(PathBuf),
    #[error("listening on {}: there is a file that is no socket; move it away", .0.display())]
    NotASocket(PathBuf),
}

/// Who may call, beside root and the user that this process runs as.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Callers(Vec<u32>);

/// A socket that is listened on. Its file goes when this is dropped.
#[derive(Debug)]
pub(crate) struct Listening {
    listener: BoundListener,
    callers: Callers,
    file: SocketFile,
}

/// What comes in on a socket.
pub(crate) type Connections = ReceiverStream<io::Result<UnixStream>>;

/// Removes a socket's file when dropped.
#[derive(Debug)]
pub(crate) struct SocketFile(PathBuf);

impl Callers {
    pub(crate) fn with(further: &[u32]) -> Self {
        Self(further.to_vec())
    }

    /// Others are kept out by the kernel's account of them; where there are
    /// none, by the modes too.
    fn modes(&self) -> Modes {
        if self.0.is_empty() {
            Modes {
                folder: 0o700,
                file: 0o600,
            }
        } else {
            Modes {
                folder: 0o711,
                file: 0o666,
            }
        }
    }

    /// By the kernel's account of who connected (SO_PEERCRED).
    fn made(&self, stream: &UnixStream) -> bool {
        stream
            .peer_cred()
            .is_ok_and(|peer| self.include(peer.uid()))
    }

    fn include(&self, user: u32) -> bool {
        const ROOT: u32 = 0;
        let us = rustix::process::geteuid().as_raw();
        [us, ROOT].contains(&user) || self.0.contains(&user)
    }
}

/// The widest mode that the folder may have, and the mode of the file.
struct Modes {
    folder: u32,
    file: u32,
}

/// Listens, in a folder that others cannot list or write to. A file that a
/// dead signer left behind is replaced; one that somebody answers on is not.
/// Blocks on the disk.
pub(crate) fn listen(path: &Path, callers: Callers) -> Result<Listening, SocketError> {
    let modes = callers.modes();
    if let Some(folder) = path.parent() {
        make_folder(folder, modes.folder)?;
    }
    remove_stale(path)?;
    let listener = BoundListener::bind(path).map_err(failed("opening", path))?;
    let file = SocketFile(path.to_owned());
    listener
        .set_nonblocking(true)
        .map_err(failed("opening", path))?;
    let mode = std::fs::Permissions::from_mode(modes.file);
    std::fs::set_permissions(path, mode).map_err(failed("setting the mode of", path))?;
    Ok(Listening {
        listener,
        callers,
        file,
    })
}

impl Listening {
    /// Connections of those who may call, until the shutdown; then no more
    /// come.
    pub(crate) fn connections(
        self,
        shutdown: CancellationToken,
    ) -> Result<(SocketFile, Connections), SocketError> {
        let (sender, receiver) = mpsc::channel(ACCEPTED_LIMIT);
        let Self {
            listener,
            callers,
            file,
        } = self;
        let listener = UnixListener::from_std(listener).map_err(failed("serving", &file.0))?;
        tokio::spawn(async move {
            let accepting = accept(listener, callers, sender);
            shutdown.run_until_cancelled(accepting).await;
        });
        Ok((file, ReceiverStream::new(receiver)))
    }
}

async fn accept(
    listener: UnixListener,
    callers: Callers,
    sender: mpsc::Sender<io::Result<UnixStream>>,
) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) if !callers.made(&stream) => {
                tracing::warn!("a connection of another user was refused");
            }
            Ok((stream, _)) => {
                if sender.send(Ok(stream)).await.is_err() {
                    return;
                }
            }
            Err(error) => {
                tracing::warn!(%error, "no connection could be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn remove_stale(path: &Path) -> Result<(), SocketError> {
    let metadata = match std::fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed("examining", path)(error)),
    };
    if !metadata.file_type().is_socket() {
        return Err(SocketError::NotASocket(path.to_owned()));
    }
    match knock(path) {
        // AGAIN: somebody is there, with a full queue before the door.
        Ok(()) | Err(Errno::AGAIN) => Err(SocketError::InUse(path.to_owned())),
        Err(Errno::CONNREFUSED) => std::fs::remove_file(path).map_err(failed("removing", path)),
        Err(error) => Err(failed("trying", path)(error.into())),
    }
}

/// Connects without waiting.
fn knock(path: &Path) -> Result<(), Errno> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    connect(socket, &SocketAddrUnix::new(path)?)
}

fn failed<'p>(action: &'static str, path: &'p Path) -> impl FnOnce(io::Error) -> SocketError + 'p {
    move |source| SocketError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.0) {
            tracing::debug!(%error, "a socket's file was gone already");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listen_alone(path: &Path) -> Result<Listening, SocketError> {
        listen(path, Callers::default())
    }

    #[test]
    fn only_a_socket_that_nobody_answers_on_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run/s.sock");
        let listening = listen_alone(&path).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        assert!(matches!(listen_alone(&path), Err(SocketError::InUse(_))));
        drop(listening);
        assert!(!path.exists());
        // What a killed process leaves behind.
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        assert!(path.exists());
        drop(listen_alone(&path).unwrap());
        std::fs::write(&path, b"").unwrap();
        assert!(matches!(
            listen_alone(&path),
            Err(SocketError::NotASocket(_))
        ));
        assert!(path.exists());
    }

    #[test]
    fn a_folder_that_others_may_enter_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let open = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.path(), open).unwrap();
        let error = listen_alone(&folder.path().join("s.sock")).unwrap_err();
        assert!(error.to_string().contains("run chmod 700"), "{error}");
    }

    #[test]
    fn where_another_user_may_call_the_kernel_alone_says_who_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run/s.sock");
        let _listening = listen(&path, Callers::with(&[4_000])).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&path), 0o666);
        // Not to be listed, and not to be written to.
        assert_eq!(mode(path.parent().unwrap()), 0o711);
    }

    #[test]
    fn root_we_and_those_named_may_call() {
        let us = rustix::process::geteuid().as_raw();
        let callers = Callers::with(&[4_000]);
        assert!([0, us, 4_000].into_iter().all(|user| callers.include(user)));
        assert!(!callers.include(4_001));
        assert!(!Callers::default().include(4_000));
    }
}
