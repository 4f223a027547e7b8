//! One open connection, HTTP/1.1 or HTTP/2, to one judged address.
//!
//! hyper's connection-level client and nothing above it: no pool, no redirect,
//! no retry, no proxy and no environment stands between a request that was
//! counted and the wire.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;
use touchstone_proto::observation::{Exchange, FailureKind, Tls};

use super::failure;
use super::headers::{self, HEADERS_LIMIT_BYTES};

/// What may be in flight of one HTTP/2 response before we read it, in bytes.
const WINDOW_BYTES: u32 = 1024 * 1024;
/// Lines of headers that a reader of HTTP/1.1 has places for: as many as go
/// into [`HEADERS_LIMIT_BYTES`], of which each takes four at least (`a:`, CRLF),
/// so that it is always the bytes that are too many and never the lines.
const HEADER_LINES: usize = HEADERS_LIMIT_BYTES as usize / 4;
/// What HTTP/2 decodes of headers before it breaks the stream off, in bytes.
/// It breaks off as at a fault of the server's, so that what is larger than
/// [`HEADERS_LIMIT_BYTES`] has to be told before.
const DECODED_LIMIT_BYTES: u32 = 4 * HEADERS_LIMIT_BYTES;
/// How long a used connection may take to be ready for its next request.
const READY_WAIT: Duration = Duration::from_millis(100);

pub(super) struct Connection {
    sender: Sender,
    remote_address: String,
    tls: Option<Tls>,
    /// Ends with the connection's holder.
    _driver: AbortOnDropHandle<()>,
}

enum Sender {
    Http1(http1::SendRequest<Full<Bytes>>),
    Http2(http2::SendRequest<Full<Bytes>>),
}

/// A request that brought no response.
pub(super) struct Unanswered {
    pub(super) kind: FailureKind,
    /// It never left: the connection was closed before.
    pub(super) unsent: bool,
}

impl Connection {
    /// Begins HTTP over a stream; `exchange` is the one that made the stream.
    pub(super) async fn over<IO>(
        stream: IO,
        http2: bool,
        exchange: &Exchange,
    ) -> hyper::Result<Self>
    where
        IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let io = TokioIo::new(stream);
        let (sender, driver) = if http2 {
            let (sender, connection) = http2::Builder::new(TokioExecutor::new())
                .initial_stream_window_size(WINDOW_BYTES)
                .initial_connection_window_size(WINDOW_BYTES)
                .max_header_list_size(DECODED_LIMIT_BYTES)
                .handshake(io)
                .await?;
            // How a connection ends is told to whoever waits for its response.
            let driver = tokio::spawn(async move { _ = connection.await });
            (Sender::Http2(sender), driver)
        } else {
            let (sender, connection) = http1::Builder::new()
                .max_headers(HEADER_LINES)
                .max_buf_size(HEADERS_LIMIT_BYTES as usize)
                .max_header_size(HEADERS_LIMIT_BYTES as usize)
                .handshake(io)
                .await?;
            let driver = tokio::spawn(async move { _ = connection.await });
            (Sender::Http1(sender), driver)
        };
        Ok(Self {
            sender,
            remote_address: exchange.remote_address.clone(),
            tls: exchange.tls.clone(),
            _driver: AbortOnDropHandle::new(driver),
        })
    }

    pub(super) fn is_http2(&self) -> bool {
        matches!(self.sender, Sender::Http2(_))
    }

    /// Waits for the end of what came before; false if the connection is no
    /// longer one.
    pub(super) async fn is_ready(&mut self) -> bool {
        let ready = async {
            match &mut self.sender {
                Sender::Http1(sender) => sender.ready().await,
                Sender::Http2(sender) => sender.ready().await,
            }
        };
        matches!(timeout(READY_WAIT, ready).await, Ok(Ok(())))
    }

    /// Writes into an exchange that reuses this connection where it leads. The
    /// chain stands in the exchange that made it and is not repeated.
    pub(super) fn describe(&self, exchange: &mut Exchange) {
        exchange.remote_address.clone_from(&self.remote_address);
        exchange.tls = self.tls.clone().map(|tls| Tls {
            chain: Vec::new(),
            ..tls
        });
    }

    pub(super) async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, Unanswered> {
        let sent = match &mut self.sender {
            Sender::Http1(sender) => sender.try_send_request(request).await,
            Sender::Http2(sender) => sender.try_send_request(request).await,
        };
        let response = sent.map_err(|refused| Unanswered {
            unsent: refused.message().is_some(),
            kind: failure::of_http(refused.error()),
        })?;
        if headers::size(response.headers()) > HEADERS_LIMIT_BYTES as usize {
            return Err(Unanswered {
                unsent: false,
                kind: FailureKind::HeadersTooLarge,
            });
        }
        Ok(response)
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("remote_address", &self.remote_address)
            .field("http2", &self.is_http2())
            .finish_non_exhaustive()
    }
}
