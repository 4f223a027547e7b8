//! Places to listen at. A socket file that nobody listens at any more is
//! replaced; one that somebody listens at is an error, as is a taken port.

use std::{io, net::SocketAddr, os::unix::fs::PermissionsExt as _, path::Path};

use tokio::net::{TcpListener, UnixListener, UnixStream};

/// A place that cannot be listened at.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error("listening at {place}: it is in use; is another coordinator running?")]
    InUse { place: String },
    #[error("listening at {place}")]
    Io { place: String, source: io::Error },
}

impl ListenError {
    fn new(place: String, source: io::Error) -> Self {
        if source.kind() == io::ErrorKind::AddrInUse {
            Self::InUse { place }
        } else {
            Self::Io { place, source }
        }
    }
}

/// Listens at a port.
pub(crate) async fn tcp(address: SocketAddr) -> Result<TcpListener, ListenError> {
    TcpListener::bind(address)
        .await
        .map_err(|source| ListenError::new(address.to_string(), source))
}

/// Listens at a socket file, in a folder that is made if it is missing.
pub(crate) async fn unix(path: &Path) -> Result<UnixListener, ListenError> {
    let failed = |source| ListenError::new(path.display().to_string(), source);
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        tokio::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .await
            .map_err(failed)?;
    }
    match UnixListener::bind(path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            // Refused by a file that was left behind; answered by a living peer.
            if UnixStream::connect(path).await.is_ok() {
                return Err(failed(error));
            }
            tokio::fs::remove_file(path).await.map_err(failed)?;
            UnixListener::bind(path).map_err(failed)
        }
        listener => listener.map_err(failed),
    }
}

/// The same, with a file that only its owner can open. Until its mode is set,
/// that of the folder keeps others out.
pub(crate) async fn private_unix(path: &Path) -> Result<UnixListener, ListenError> {
    let listener = unix(path).await?;
    let private = std::fs::Permissions::from_mode(0o600);
    tokio::fs::set_permissions(path, private)
        .await
        .map_err(|source| ListenError::new(path.display().to_string(), source))?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_private_socket_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run/operator.sock");
        let _listener = private_unix(&path).await.unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
    }

    #[tokio::test]
    async fn a_socket_left_behind_is_replaced_and_a_living_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/fleet.sock");
        let living = unix(&path).await.unwrap();
        assert!(matches!(unix(&path).await, Err(ListenError::InUse { .. })));
        drop(living);
        assert!(path.exists());
        unix(&path).await.unwrap();
    }

    #[tokio::test]
    async fn a_taken_port_is_told() {
        let first = tcp(([127, 0, 0, 1], 0).into()).await.unwrap();
        let taken = tcp(first.local_addr().unwrap()).await;
        assert!(matches!(taken, Err(ListenError::InUse { .. })), "{taken:?}");
        let foreign = tcp(([192, 0, 2, 1], 0).into()).await;
        assert!(
            matches!(foreign, Err(ListenError::Io { .. })),
            "{foreign:?}"
        );
    }
}
