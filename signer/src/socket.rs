//! The Unix sockets of the signer: for this user alone, by the mode of file
//! and folder and by asking the kernel who calls.

use std::io;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;

use crate::disk::{DiskError, make_private_folder};

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

/// A socket that is listened on. Its file goes when this is dropped.
#[derive(Debug)]
pub(crate) struct Listening {
    listener: UnixListener,
    file: SocketFile,
}

/// Removes a socket's file when dropped.
#[derive(Debug)]
pub(crate) struct SocketFile(PathBuf);

/// Listens, with mode 0600 in a folder of mode 0700. A file that a dead signer
/// left behind is replaced; one that somebody answers on is not.
pub(crate) async fn listen(path: &Path) -> Result<Listening, SocketError> {
    if let Some(folder) = path.parent() {
        make_private_folder(folder)?;
    }
    remove_stale(path).await?;
    let listener = UnixListener::bind(path).map_err(failed("opening", path))?;
    let file = SocketFile(path.to_owned());
    // Until here the folder's mode alone kept others out.
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(path, private).map_err(failed("closing to others", path))?;
    Ok(Listening { listener, file })
}

impl Listening {
    /// Connections of this user, until the shutdown; then no more come.
    pub(crate) fn connections(
        self,
        shutdown: CancellationToken,
    ) -> (SocketFile, ReceiverStream<io::Result<UnixStream>>) {
        let (sender, receiver) = mpsc::channel(ACCEPTED_LIMIT);
        let Self { listener, file } = self;
        tokio::spawn(async move {
            shutdown.run_until_cancelled(accept(listener, sender)).await;
        });
        (file, ReceiverStream::new(receiver))
    }
}

async fn accept(listener: UnixListener, sender: mpsc::Sender<io::Result<UnixStream>>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) if !is_this_user(&stream) => {
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

/// By the kernel's account of who connected (SO_PEERCRED).
fn is_this_user(stream: &UnixStream) -> bool {
    let us = rustix::process::geteuid().as_raw();
    stream.peer_cred().is_ok_and(|peer| peer.uid() == us)
}

async fn remove_stale(path: &Path) -> Result<(), SocketError> {
    let metadata = match std::fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed("examining", path)(error)),
    };
    if !metadata.file_type().is_socket() {
        return Err(SocketError::NotASocket(path.to_owned()));
    }
    match UnixStream::connect(path).await {
        Ok(_) => Err(SocketError::InUse(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            std::fs::remove_file(path).map_err(failed("removing", path))
        }
        Err(error) => Err(failed("trying", path)(error)),
    }
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

    #[tokio::test]
    async fn only_a_socket_that_nobody_answers_on_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run/s.sock");
        let listening = listen(&path).await.unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        assert!(matches!(listen(&path).await, Err(SocketError::InUse(_))));
        drop(listening);
        assert!(!path.exists());
        // What a killed process leaves behind.
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        assert!(path.exists());
        drop(listen(&path).await.unwrap());
        std::fs::write(&path, b"").unwrap();
        assert!(matches!(
            listen(&path).await,
            Err(SocketError::NotASocket(_))
        ));
        assert!(path.exists());
    }

    #[tokio::test]
    async fn a_folder_that_others_may_enter_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let open = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.path(), open).unwrap();
        let error = listen(&folder.path().join("s.sock")).await.unwrap_err();
        assert!(error.to_string().contains("run chmod 700"), "{error}");
    }
}
