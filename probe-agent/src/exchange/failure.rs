//! One table: from what broke to the kind of failure that is recorded. What
//! broke on our own side is never the target's.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};

use touchstone_proto::observation::FailureKind;

/// A connection that was not made.
pub(super) fn of_connect(error: &io::Error, address: SocketAddr) -> FailureKind {
    match error.kind() {
        ErrorKind::ConnectionRefused => FailureKind::ConnectRefused,
        ErrorKind::TimedOut => FailureKind::ConnectTimedOut,
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => FailureKind::ConnectionLost,
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable if has_route(address) => {
            FailureKind::ConnectUnreachable
        }
        // No route, no permission (a local firewall), no file descriptor, no address to come from.
        _ => FailureKind::Agent,
    }
}

/// A TLS handshake that was not completed.
pub(super) fn of_handshake(error: &io::Error) -> FailureKind {
    let of_tls = error
        .get_ref()
        .and_then(|cause| cause.downcast_ref::<rustls::Error>())
        .is_some();
    if of_tls {
        FailureKind::Tls
    } else {
        FailureKind::ConnectionLost
    }
}

/// An HTTP exchange that broke.
pub(super) fn of_http(error: &hyper::Error) -> FailureKind {
    if error.is_parse_too_large() {
        FailureKind::TooLarge
    } else if error.is_parse() || error.source().is_some_and(is_unreadable) {
        FailureKind::NotHttp
    } else if error.is_user() {
        FailureKind::Agent
    } else {
        FailureKind::ConnectionLost
    }
}

/// Whether what came could not be read as HTTP, where hyper itself does not
/// say: a chunk whose size is no number, a frame that breaks HTTP/2.
fn is_unreadable(cause: &(dyn Error + 'static)) -> bool {
    if let Some(io) = cause.downcast_ref::<io::Error>() {
        return matches!(io.kind(), ErrorKind::InvalidInput | ErrorKind::InvalidData);
    }
    // Neither the network nor the other side ended it: our reader did.
    cause
        .downcast_ref::<h2::Error>()
        .is_some_and(|h2| !h2.is_io() && !h2.is_remote())
}

/// Of several addresses that all failed, the failure that says most about the
/// target: one that answered, be it by refusing, before one that did not, and
/// our own inability last.
pub(super) fn telling(kind: FailureKind) -> u8 {
    match kind {
        FailureKind::ConnectRefused => 0,
        FailureKind::ConnectionLost => 1,
        FailureKind::ConnectTimedOut => 2,
        FailureKind::ConnectUnreachable => 3,
        _ => 4,
    }
}

/// Whether this machine knows any way to an address. Connecting a datagram
/// socket asks the kernel's routes and sends nothing.
fn has_route(address: SocketAddr) -> bool {
    let unspecified: SocketAddr = match address {
        SocketAddr::V4(_) => (std::net::Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (std::net::Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    UdpSocket::bind(unspecified).is_ok_and(|socket| socket.connect(address).is_ok())
}
