//! One table: from what broke to the kind of failure that is recorded. What
//! broke on our own side is never the target's.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};

use touchstone_proto::observation::FailureKind;
use touchstone_telemetry::Chain;
use tracing::{debug, warn};

/// A connection that was not made.
pub(super) fn of_connect(error: &io::Error, address: SocketAddr) -> FailureKind {
    let kind = match error.kind() {
        ErrorKind::ConnectionRefused => FailureKind::ConnectRefused,
        ErrorKind::TimedOut => FailureKind::ConnectTimedOut,
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => FailureKind::ConnectionLost,
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable if has_route(address) => {
            FailureKind::ConnectUnreachable
        }
        // No route, no permission (a local firewall), no file descriptor, no address to come from.
        _ => FailureKind::Agent,
    };
    told(kind, error)
}

/// A TLS handshake that was not completed.
pub(super) fn of_handshake(error: &io::Error) -> FailureKind {
    let kind = if is_of_tls(error) {
        FailureKind::Tls
    } else {
        FailureKind::ConnectionLost
    };
    told(kind, error)
}

/// An HTTP exchange that broke.
pub(super) fn of_http(error: &hyper::Error) -> FailureKind {
    let beneath = error.source().and_then(of_cause);
    let kind = if error.is_parse_too_large() {
        // Of a response's head; a body is counted where it is read.
        FailureKind::HeadersTooLarge
    } else if error.is_parse() {
        FailureKind::NotHttp
    } else if error.is_user() {
        FailureKind::Agent
    } else {
        beneath.unwrap_or(FailureKind::ConnectionLost)
    };
    told(kind, error)
}

/// What hyper itself does not tell from a lost connection.
fn of_cause(cause: &(dyn Error + 'static)) -> Option<FailureKind> {
    if let Some(io) = cause.downcast_ref::<io::Error>() {
        return match io.kind() {
            // An alert after the handshake: TLS 1.3 demands a client's certificate so.
            _ if is_of_tls(io) => Some(FailureKind::Tls),
            // A chunk whose size is no number.
            ErrorKind::InvalidInput | ErrorKind::InvalidData => Some(FailureKind::NotHttp),
            _ => None,
        };
    }
    // A frame that breaks HTTP/2: neither the network nor the other side ended
    // it, our reader did.
    let h2 = cause.downcast_ref::<h2::Error>()?;
    (!h2.is_io() && !h2.is_remote()).then_some(FailureKind::NotHttp)
}

fn is_of_tls(error: &io::Error) -> bool {
    let cause = error.get_ref();
    cause
        .and_then(|cause| cause.downcast_ref::<rustls::Error>())
        .is_some()
}

/// The record keeps the kind; the cause goes to the log, loudly if it is ours.
fn told(kind: FailureKind, error: &(dyn Error + 'static)) -> FailureKind {
    if kind == FailureKind::Agent {
        warn!(error = %Chain(error), "an exchange ended by a fault of ours");
    } else {
        debug!(error = %Chain(error), failure = kind.as_str_name(), "an exchange broke");
    }
    kind
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_says_of_a_connection_is_laid_where_it_belongs() {
        let here = SocketAddr::from(([127, 0, 0, 1], 1));
        for (kind, expected) in [
            (ErrorKind::ConnectionRefused, FailureKind::ConnectRefused),
            (ErrorKind::TimedOut, FailureKind::ConnectTimedOut),
            (ErrorKind::ConnectionReset, FailureKind::ConnectionLost),
            (ErrorKind::HostUnreachable, FailureKind::ConnectUnreachable),
            (
                ErrorKind::NetworkUnreachable,
                FailureKind::ConnectUnreachable,
            ),
            (ErrorKind::PermissionDenied, FailureKind::Agent),
            (ErrorKind::AddrNotAvailable, FailureKind::Agent),
            (ErrorKind::NetworkDown, FailureKind::Agent),
        ] {
            assert_eq!(of_connect(&kind.into(), here), expected, "{kind:?}");
        }
        // An address of a family that this machine has no way to: a link-local
        // one names no link here, wherever the test runs.
        let nowhere: SocketAddr = "[fe80::1]:443".parse().unwrap();
        for kind in [ErrorKind::HostUnreachable, ErrorKind::NetworkUnreachable] {
            assert_eq!(of_connect(&kind.into(), nowhere), FailureKind::Agent);
        }
        let too_many_open_files = io::Error::from_raw_os_error(24);
        assert_eq!(of_connect(&too_many_open_files, here), FailureKind::Agent);
    }
}
