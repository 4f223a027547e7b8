//! From a vetted target to a connection that speaks HTTP: TCP to a judged
//! address, TLS with its chain recorded, HTTP/1.1 or HTTP/2 as ALPN chose.
//!
//! What was seen on the way is written into the exchange as it is seen, so
//! that a handshake that breaks or never ends leaves its part of the record.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ProtocolVersion};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use touchstone_proto::observation::{Exchange, FailureKind};
use url::Host;

use super::certificate::Recorder;
use super::clock::{Clock, micros};
use super::connection::Connection;
use super::failure;
use super::trust::Trust;
use super::within;
use crate::guard::Vetted;

/// Addresses of one name that are tried.
const DIAL_LIMIT: usize = 4;
/// How long one address is tried alone before the next is tried beside it
/// (RFC 8305, section 5, recommends 250 ms).
const DIAL_STAGGER: Duration = Duration::from_millis(250);

const HTTP2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

/// How TLS is spoken to targets: no resumption, so that every handshake shows
/// its chain; no client certificate; no early data.
#[derive(Debug)]
pub(super) struct Tls {
    verifier: Arc<WebPkiServerVerifier>,
    config: ClientConfig,
}

impl Tls {
    pub(super) fn new(trust: &Trust) -> Self {
        let provider = Arc::new(ring::default_provider());
        let verifier =
            WebPkiServerVerifier::builder_with_provider(trust.roots(), Arc::clone(&provider))
                .build()
                // Refuses an empty store or a broken revocation list: `Trust`
                // always holds the public roots, and no list is given.
                .expect("the public roots are there");
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            // Refuses a provider without cipher suites for the versions: ring has them.
            .expect("ring speaks TLS 1.2 and 1.3")
            .with_webpki_verifier(Arc::clone(&verifier))
            .with_no_client_auth();
        config.resumption = Resumption::disabled();
        config.alpn_protocols = vec![HTTP2.to_vec(), HTTP1.to_vec()];
        Self { verifier, config }
    }
}

/// Connects, and writes into `exchange` what it sees.
pub(super) async fn dial(
    vetted: &Vetted,
    tls: &Tls,
    clock: Clock,
    deadline: Instant,
    exchange: &mut Exchange,
) -> Result<Connection, FailureKind> {
    let began = Instant::now();
    let tcp = within(
        deadline,
        FailureKind::ConnectTimedOut,
        connect(vetted.addresses()),
    )
    .await?;
    // Whatever the kernel or a proxy in between did: the far end is one that was judged.
    let remote = tcp.peer_addr().map_err(|_| FailureKind::ConnectionLost)?;
    if !vetted.addresses().contains(&remote) {
        return Err(FailureKind::Agent);
    }
    exchange.remote_address = remote.to_string();
    tcp.set_nodelay(true)
        .map_err(|_| FailureKind::ConnectionLost)?;

    let connection = if vetted.url().scheme() == "https" {
        let stream = secure(vetted, tls, clock, deadline, tcp, exchange).await?;
        let http2 = stream.get_ref().1.alpn_protocol() == Some(HTTP2);
        Connection::over(stream, http2, exchange).await
    } else {
        Connection::over(tcp, false, exchange).await
    }
    .map_err(|error| failure::of_http(&error))?;
    exchange.connect_us = micros(began.elapsed());
    Ok(connection)
}

async fn secure(
    vetted: &Vetted,
    tls: &Tls,
    clock: Clock,
    deadline: Instant,
    tcp: TcpStream,
    exchange: &mut Exchange,
) -> Result<TlsStream<TcpStream>, FailureKind> {
    let recorder = Arc::new(Recorder::new(Arc::clone(&tls.verifier), clock));
    let mut config = tls.config.clone();
    config
        .dangerous()
        .set_certificate_verifier(Arc::clone(&recorder) as _);
    let handshake = async {
        // A name that no certificate can carry is one that none vouches for.
        let name = server_name(vetted).ok_or(FailureKind::Tls)?;
        TlsConnector::from(Arc::new(config))
            .connect(name, tcp)
            .await
            .map_err(|error| failure::of_handshake(&error))
    };
    let stream = within(deadline, FailureKind::TimedOut, handshake).await;
    let mut seen = recorder.seen();
    if let Ok(stream) = &stream {
        let (_, session) = stream.get_ref();
        let version = match session.protocol_version() {
            Some(ProtocolVersion::TLSv1_2) => "1.2",
            Some(ProtocolVersion::TLSv1_3) => "1.3",
            _ => "",
        };
        version.clone_into(&mut seen.version);
        seen.alpn = session
            .alpn_protocol()
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .unwrap_or_default();
    }
    exchange.tls = Some(seen);
    stream
}

fn server_name(vetted: &Vetted) -> Option<ServerName<'static>> {
    match vetted.url().host()? {
        Host::Domain(name) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            ServerName::try_from(name.to_owned()).ok()
        }
        Host::Ipv4(address) => Some(ServerName::from(IpAddr::from(address))),
        Host::Ipv6(address) => Some(ServerName::from(IpAddr::from(address))),
    }
}

/// The first of the addresses that a connection is made to. They are tried in
/// their order, each with a head start over the next.
async fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, FailureKind> {
    let mut waiting = addresses.iter().take(DIAL_LIMIT).copied();
    let mut attempts = FuturesUnordered::new();
    let mut failures = Vec::new();
    attempts.extend(waiting.next().map(attempt));
    loop {
        tokio::select! {
            tried = attempts.next() => match tried {
                Some(Ok(stream)) => return Ok(stream),
                Some(Err(kind)) => {
                    failures.push(kind);
                    attempts.extend(waiting.next().map(attempt));
                }
                None => break,
            },
            () = sleep(DIAL_STAGGER), if waiting.len() > 0 => {
                attempts.extend(waiting.next().map(attempt));
            }
        }
    }
    failures.sort_by_key(|kind| failure::telling(*kind));
    Err(failures.first().copied().unwrap_or(FailureKind::Agent))
}

async fn attempt(address: SocketAddr) -> Result<TcpStream, FailureKind> {
    TcpStream::connect(address)
        .await
        .map_err(|error| failure::of_connect(&error, address))
}
