//! `/metrics` of this process, for a Prometheus server to fetch: where it is
//! served, what it says of the process itself, and the numbers of its role.
//!
//! Off unless the configuration names where to listen. Few numbers, with their
//! unit in the name, and no label that grows with targets.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use serde::{Deserialize, Serialize};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::Chain;
use crate::process::Process;

/// Fetches at one time; one more waits.
pub const FETCHES_LIMIT: usize = 4;
/// How long one connection may take, from its first byte to its last.
pub const FETCH_TIMEOUT: Duration = Duration::from_secs(10);

/// After a connection that could not be taken.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

const TEXT: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// Where metrics are served: `PORT` on loopback, or `ADDRESS:PORT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MetricsListen(pub SocketAddr);

/// Not where anything can listen.
#[derive(Debug, thiserror::Error)]
#[error("metrics_listen is {0:?}, neither PORT nor ADDRESS:PORT")]
pub struct BadListen(String);

impl TryFrom<String> for MetricsListen {
    type Error = BadListen;

    fn try_from(text: String) -> Result<Self, BadListen> {
        if let Ok(port) = text.parse() {
            return Ok(Self((IpAddr::V4(Ipv4Addr::LOCALHOST), port).into()));
        }
        text.parse().map(Self).map_err(|_| BadListen(text))
    }
}

impl From<MetricsListen> for String {
    fn from(listen: MetricsListen) -> Self {
        listen.to_string()
    }
}

impl fmt::Display for MetricsListen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Metrics cannot be served there.
#[derive(Debug, thiserror::Error)]
#[error("serving metrics at {address}")]
pub struct MetricsError {
    address: SocketAddr,
    source: std::io::Error,
}

/// What a role knows of itself.
pub trait Measured: Send + Sync + 'static {
    /// Names every number, once.
    fn register(&self, registry: &mut Registry);
    /// Brings up to date what is not counted as it happens; before each fetch.
    fn refresh(&self) -> impl Future<Output = ()> + Send;
}

/// `/metrics` being served; no longer when dropped.
#[derive(Debug)]
pub struct Metrics {
    serving: JoinHandle<()>,
}

impl Drop for Metrics {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Metrics {
    /// Serves the numbers of a role, if that was asked for.
    pub async fn serve(
        listen: Option<MetricsListen>,
        role: &'static str,
        version: &'static str,
        measured: impl Measured,
    ) -> Result<Option<Self>, MetricsError> {
        let Some(MetricsListen(address)) = listen else {
            return Ok(None);
        };
        let failed = |source| MetricsError { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        let mut registry = Registry::default();
        let build = Info::new([("role", role), ("version", version)]);
        registry.register("touchstone_build", "The program that runs", build);
        registry.register_collector(Box::new(Process::of_this()));
        measured.register(&mut registry);
        tracing::info!(address = %bound, "metrics are served");
        let served = Arc::new(Served { registry, measured });
        let serving = tokio::spawn(accept(listener, served));
        Ok(Some(Self { serving }))
    }
}

#[derive(Debug)]
struct Served<M> {
    registry: Registry,
    measured: M,
}

async fn accept<M: Measured>(listener: TcpListener, served: Arc<Served<M>>) {
    let places = Arc::new(Semaphore::new(FETCHES_LIMIT));
    // Never closed.
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let served = Arc::clone(&served);
                tokio::spawn(async move {
                    let _place = place;
                    let fetched = tokio::time::timeout(FETCH_TIMEOUT, answer(stream, served)).await;
                    if let Ok(Err(error)) = fetched {
                        tracing::debug!(error = %Chain(&error), "metrics were not fetched");
                    }
                });
            }
            Err(error) => {
                // Of one connection, or too many open files; those end.
                tracing::warn!(error = %Chain(&error), "metrics cannot be fetched now");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn answer<M: Measured>(
    stream: TcpStream,
    served: Arc<Served<M>>,
) -> Result<(), hyper::Error> {
    let service = service_fn(|request: Request<Incoming>| {
        let served = Arc::clone(&served);
        async move { Ok::<_, std::convert::Infallible>(served.fetch(&request).await) }
    });
    hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service)
        .await
}

impl<M: Measured> Served<M> {
    async fn fetch(&self, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        let status = |status| {
            let mut response = Response::new(Full::default());
            *response.status_mut() = status;
            response
        };
        if request.uri().path() != "/metrics" {
            return status(StatusCode::NOT_FOUND);
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut refused = status(StatusCode::METHOD_NOT_ALLOWED);
            refused
                .headers_mut()
                .insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return refused;
        }
        self.measured.refresh().await;
        let mut text = String::new();
        if encode(&mut text, &self.registry).is_err() {
            return status(StatusCode::INTERNAL_SERVER_ERROR);
        }
        let mut response = Response::new(Full::from(text));
        response.headers_mut().insert(CONTENT_TYPE, TEXT);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_one_on_loopback() {
        for (text, address) in [
            ("9464", Some("127.0.0.1:9464")),
            ("0.0.0.0:9464", Some("0.0.0.0:9464")),
            ("[::1]:1", Some("[::1]:1")),
            ("", None),
            ("65536", None),
            ("localhost:1", None),
        ] {
            let listen = MetricsListen::try_from(text.to_owned()).ok();
            assert_eq!(listen.map(String::from).as_deref(), address, "{text}");
        }
    }
}
