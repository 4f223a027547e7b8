//! Places to listen at. A socket file that nobody listens at any more is
//! replaced; one that somebody listens at is an error, as is a taken port.

use std::{
    io,
    net::SocketAddr,
    os::unix::fs::{FileTypeExt as _, PermissionsExt as _},
    path::Path,
};

use tokio::net::{TcpListener, UnixListener, UnixStream};

/// A place that cannot be listened at, by the key of the configuration that names it.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error(
        "{key}: {place} is in use; stop what listens there (another coordinator?), or name another place"
    )]
    InUse {
        key: &'static str,
        place: String,
        source: io::Error,
    },
    #[error(
        "{key}: this machine has no address {place}; name one of its own, or 0.0.0.0 for all of them"
    )]
    NotHere {
        key: &'static str,
        place: String,
        source: io::Error,
    },
    #[error(
        "{key}: this user may not listen at {place}; name a port above 1023, or a folder of this user's"
    )]
    NotAllowed {
        key: &'static str,
        place: String,
        source: io::Error,
    },
    #[error("{key}: {place} cannot be listened at")]
    Io {
        key: &'static str,
        place: String,
        source: io::Error,
    },
}

impl ListenError {
    fn new(key: &'static str, place: String, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::AddrInUse => Self::InUse { key, place, source },
            io::ErrorKind::AddrNotAvailable => Self::NotHere { key, place, source },
            io::ErrorKind::PermissionDenied => Self::NotAllowed { key, place, source },
            _ => Self::Io { key, place, source },
        }
    }
}

/// Listens at a port.
pub(crate) async fn tcp(
    key: &'static str,
    address: SocketAddr,
) -> Result<TcpListener, ListenError> {
    TcpListener::bind(address)
        .await
        .map_err(|source| ListenError::new(key, address.to_string(), source))
}

/// Listens at a socket file, in a folder that is made if it is missing.
pub(crate) async fn unix(key: &'static str, path: &Path) -> Result<UnixListener, ListenError> {
    let failed = |source| ListenError::new(key, path.display().to_string(), source);
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
            remove_socket(path).await.map_err(failed)?;
            UnixListener::bind(path).map_err(failed)
        }
        listener => listener.map_err(failed),
    }
}

/// Removes a socket that nobody listens at; what is no socket is not ours to remove.
async fn remove_socket(path: &Path) -> io::Result<()> {
    let kind = tokio::fs::symlink_metadata(path).await?.file_type();
    if !kind.is_socket() {
        let what = "there is a file that is no socket; move it away";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, what));
    }
    tokio::fs::remove_file(path).await
}

/// The same, with a file that only its owner can open. Until its mode is set,
/// that of the folder keeps others out.
pub(crate) async fn private_unix(
    key: &'static str,
    path: &Path,
) -> Result<UnixListener, ListenError> {
    let listener = unix(key, path).await?;
    let private = std::fs::Permissions::from_mode(0o600);
    tokio::fs::set_permissions(path, private)
        .await
        .map_err(|source| ListenError::new(key, path.display().to_string(), source))?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_private_socket_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run/operator.sock");
        let _listener = private_unix("key", &path).await.unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
    }

    #[tokio::test]
    async fn a_socket_left_behind_is_replaced_and_a_living_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/fleet.sock");
        let living = unix("key", &path).await.unwrap();
        assert!(matches!(
            unix("key", &path).await,
            Err(ListenError::InUse { .. })
        ));
        drop(living);
        assert!(path.exists());
        unix("key", &path).await.unwrap();
    }

    #[tokio::test]
    async fn a_taken_port_is_told() {
        let first = tcp("key", ([127, 0, 0, 1], 0).into()).await.unwrap();
        let taken = tcp("key", first.local_addr().unwrap()).await;
        assert!(matches!(taken, Err(ListenError::InUse { .. })), "{taken:?}");
        let foreign = tcp("key", ([192, 0, 2, 1], 0).into()).await;
        assert!(
            matches!(foreign, Err(ListenError::NotHere { .. })),
            "{foreign:?}"
        );
    }

    #[tokio::test]
    async fn a_file_that_is_no_socket_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        std::fs::write(&path, "mine").unwrap();
        let refused = unix("key", &path).await;
        assert!(
            matches!(refused, Err(ListenError::Io { .. })),
            "{refused:?}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    }

    #[test]
    fn a_refusal_names_key_value_and_what_to_do() {
        for (kind, says) in [
            (io::ErrorKind::AddrInUse, "is in use; stop what listens"),
            (
                io::ErrorKind::AddrNotAvailable,
                "this machine has no address",
            ),
            (io::ErrorKind::PermissionDenied, "name a port above 1023"),
        ] {
            let place = "192.0.2.1:80".to_owned();
            let said = ListenError::new("pages_listen", place, kind.into()).to_string();
            assert!(said.starts_with("pages_listen: "), "{said}");
            assert!(
                said.contains("192.0.2.1:80") && said.contains(says),
                "{said}"
            );
        }
    }
}
