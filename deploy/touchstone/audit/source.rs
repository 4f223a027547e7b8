//! Where a log is read from: a folder with a copy of its files, or the web.
//! Every answer has a bound in size and time; no redirect is followed.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use ipnet::IpNet;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::Url;

use crate::exit::{Exit, Failure, chain};

/// How long one file of a log may take.
const FILE_TIMEOUT: Duration = Duration::from_secs(30);
const AGENT: &str = concat!("touchstone-audit/", env!("CARGO_PKG_VERSION"));

#[derive(Debug)]
pub(super) enum Source {
    Folder(PathBuf),
    Web(Web),
}

/// One connection, made anew when it was closed.
#[derive(Debug)]
pub(super) struct Web {
    base: Url,
    /// Where plain http is allowed, besides loopback.
    allow: Vec<IpNet>,
    open: Option<SendRequest<Empty<Bytes>>>,
}

impl Source {
    pub(super) fn named(log: &str, allow: Vec<IpNet>) -> Result<Self, Failure> {
        if !log.contains("://") {
            return Ok(Self::Folder(log.into()));
        }
        let base = format!("{}/", log.trim_end_matches('/'));
        let base = Url::parse(&base).map_err(|error| {
            Failure::usage(format!(
                "{log} is not an address ({error}); write it like https://touchstone.example/log"
            ))
        })?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return Err(Failure::usage(format!(
                "{log} is not an https:// address; write it like https://touchstone.example/log"
            )));
        }
        Ok(Self::Web(Web {
            base,
            allow,
            open: None,
        }))
    }

    /// One file of the log, at most `limit` bytes.
    pub(super) async fn get(&mut self, path: &str, limit: usize) -> Result<Vec<u8>, Failure> {
        match self {
            Self::Folder(folder) => read(folder.join(path), limit).await,
            Self::Web(web) => {
                let got = tokio::time::timeout(FILE_TIMEOUT, web.get(path, limit)).await;
                got.unwrap_or_else(|_| {
                    let seconds = FILE_TIMEOUT.as_secs();
                    Err(web.failed(path, &format!("no answer within {seconds} s")))
                })
            }
        }
    }
}

async fn read(path: PathBuf, limit: usize) -> Result<Vec<u8>, Failure> {
    let name = path.display().to_string();
    let failed = |error: std::io::Error| {
        let exit = match error.kind() {
            std::io::ErrorKind::NotFound => Exit::NotFound,
            _ => Exit::Usage,
        };
        Failure::new(exit, format!("cannot read {name}: {error}"))
    };
    let file = tokio::fs::File::open(&path).await.map_err(failed)?;
    let mut bytes = Vec::new();
    let most = limit as u64 + 1;
    file.take(most)
        .read_to_end(&mut bytes)
        .await
        .map_err(failed)?;
    if bytes.len() > limit {
        let text =
            format!("{name} is larger than {limit} bytes, the most that a log's file can be");
        return Err(Failure::new(Exit::DoesNotVerify, text));
    }
    Ok(bytes)
}

impl Web {
    async fn get(&mut self, path: &str, limit: usize) -> Result<Vec<u8>, Failure> {
        // A kept connection may have been closed while it was idle; a fresh one
        // was not.
        if self.open.as_ref().is_some_and(SendRequest::is_closed) {
            self.open = None;
        }
        let mut sender = match self.open.take() {
            Some(sender) => sender,
            None => self.connect().await?,
        };
        let request = Request::get(format!("{}{path}", self.base.path()))
            .header("host", self.authority())
            .header("user-agent", AGENT)
            .body(Empty::new())
            .map_err(|error| self.failed(path, &chain(&error)))?;
        let asked = async {
            sender.ready().await?;
            sender.send_request(request).await
        };
        let answer = asked
            .await
            .map_err(|error| self.failed(path, &chain(&error)))?;
        let status = answer.status();
        if status != StatusCode::OK {
            let exit = match status {
                StatusCode::NOT_FOUND => Exit::NotFound,
                StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => Exit::TryLater,
                _ => Exit::Unreachable,
            };
            let failure = self.failed(path, &format!("it answered {status}"));
            return Err(Failure { exit, ..failure });
        }
        let body = Limited::new(answer.into_body(), limit).collect().await;
        let body = body.map_err(|error| self.failed(path, &error.to_string()))?;
        self.open = Some(sender);
        Ok(body.to_bytes().to_vec())
    }

    async fn connect(&self) -> Result<SendRequest<Empty<Bytes>>, Failure> {
        let failed = |error: &dyn std::error::Error| self.failed("", &chain(error));
        let host = self.base.host_str().unwrap_or_default();
        let port = self.base.port_or_known_default().unwrap_or(443);
        let plain = host.trim_start_matches('[').trim_end_matches(']');
        let addresses = tokio::net::lookup_host((plain, port)).await;
        let addresses: Vec<SocketAddr> = addresses.map_err(|error| failed(&error))?.collect();
        let is_plain = self.base.scheme() == "http";
        if let Some(refused) = addresses
            .iter()
            .find(|address| is_plain && !self.allows(address.ip()))
        {
            return Err(Failure::usage(format!(
                "{} is plain http at {}; write https://, or add --allow-net with that network (CIDR)",
                self.base,
                refused.ip()
            )));
        }
        let stream = TcpStream::connect(&addresses[..]).await;
        let stream = stream.map_err(|error| failed(&error))?;
        if is_plain {
            return open(stream).await.map_err(|error| failed(&error));
        }
        let name = ServerName::try_from(plain.to_owned()).map_err(|error| failed(&error))?;
        let config = tls().map_err(|error| failed(&error))?;
        let stream = TlsConnector::from(Arc::new(config))
            .connect(name, stream)
            .await;
        let stream = stream.map_err(|error| failed(&error))?;
        open(stream).await.map_err(|error| failed(&error))
    }

    fn allows(&self, address: IpAddr) -> bool {
        address.is_loopback() || self.allow.iter().any(|network| network.contains(&address))
    }

    fn authority(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        self.base
            .port()
            .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    fn failed(&self, path: &str, why: &str) -> Failure {
        let text = format!("cannot read {}{path}: {why}", self.base);
        Failure::new(Exit::Unreachable, text)
    }
}

async fn open<S>(stream: S) -> hyper::Result<SendRequest<Empty<Bytes>>>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    // Ends with the sender; an error shows at the sender too.
    tokio::spawn(connection);
    Ok(sender)
}

fn tls() -> Result<ClientConfig, rustls::Error> {
    let roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}
