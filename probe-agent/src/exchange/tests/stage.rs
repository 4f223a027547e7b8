//! A server on loopback that does to each connection what a test says.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_util::task::AbortOnDropHandle;

pub(super) struct Stage {
    pub(super) address: SocketAddr,
    log: Log,
    _task: AbortOnDropHandle<()>,
}

#[derive(Clone, Default)]
struct Log {
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

/// The server's end of one connection.
pub(super) struct Plug {
    io: Box<dyn Wire>,
    buffer: Vec<u8>,
    log: Log,
}

pub(super) trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

impl Stage {
    pub(super) async fn play<Act>(act: impl Fn(Plug) -> Act + Send + 'static) -> Self
    where
        Act: Future<Output = io::Result<()>> + Send + 'static,
    {
        Self::open("127.0.0.1:0", None, act).await
    }

    pub(super) async fn play_tls<Act>(
        config: rustls::ServerConfig,
        act: impl Fn(Plug) -> Act + Send + 'static,
    ) -> Self
    where
        Act: Future<Output = io::Result<()>> + Send + 'static,
    {
        Self::open(
            "127.0.0.1:0",
            Some(TlsAcceptor::from(Arc::new(config))),
            act,
        )
        .await
    }

    /// Answers request after request, on however many connections they come.
    pub(super) async fn replying(responses: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let mut responses: Vec<_> = responses.into_iter().collect();
        responses.reverse();
        let responses = Arc::new(Mutex::new(responses));
        Self::play(move |plug| plug.reply(Arc::clone(&responses))).await
    }

    pub(super) async fn open<Act>(
        address: &str,
        tls: Option<TlsAcceptor>,
        act: impl Fn(Plug) -> Act + Send + 'static,
    ) -> Self
    where
        Act: Future<Output = io::Result<()>> + Send + 'static,
    {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let log = Log::default();
        let of_task = log.clone();
        let task = tokio::spawn(async move {
            // Ends with the stage, and so do the connections.
            let mut acts = tokio::task::JoinSet::new();
            while let Ok((tcp, _)) = listener.accept().await {
                of_task.connections.fetch_add(1, Ordering::SeqCst);
                let plug = |io: Box<dyn Wire>| Plug {
                    io,
                    buffer: Vec::new(),
                    log: of_task.clone(),
                };
                match &tls {
                    // A client that refuses our certificate ends the handshake; that is the test.
                    Some(tls) => {
                        if let Ok(stream) = tls.accept(tcp).await {
                            acts.spawn(act(plug(Box::new(stream))));
                        }
                    }
                    None => {
                        acts.spawn(act(plug(Box::new(tcp))));
                    }
                }
            }
        });
        Self {
            address,
            log,
            _task: AbortOnDropHandle::new(task),
        }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn connections(&self) -> usize {
        self.log.connections.load(Ordering::SeqCst)
    }

    /// Every request that was read, head and body.
    pub(super) fn requests(&self) -> Vec<String> {
        self.log.requests.lock().unwrap().clone()
    }
}

impl Plug {
    /// Reads one request whole; an error when the connection ends before it.
    pub(super) async fn request(&mut self) -> io::Result<String> {
        loop {
            let text = String::from_utf8_lossy(&self.buffer).into_owned();
            if let Some(head) = text.find("\r\n\r\n") {
                let length = text[..head]
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length: "))
                    .map_or(0, |length| length.parse::<usize>().unwrap());
                let whole = head + 4 + length;
                if text.len() >= whole {
                    self.buffer.drain(..whole);
                    let request = text[..whole].to_owned();
                    self.log.requests.lock().unwrap().push(request.clone());
                    return Ok(request);
                }
            }
            if self.io.read_buf(&mut self.buffer).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    pub(super) async fn say(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.io.write_all(bytes.as_ref()).await?;
        self.io.flush().await
    }

    /// The bare connection, for a server of another kind.
    pub(super) fn into_io(self) -> Box<dyn Wire> {
        self.io
    }

    /// Leaves the connection open for as long as the stage stands.
    pub(super) async fn hold(self) -> io::Result<()> {
        std::future::pending().await
    }

    /// Ends the sending side in order, so that what was said arrives.
    pub(super) async fn close(mut self) -> io::Result<()> {
        self.io.shutdown().await
    }

    /// Answers from a common heap, last first, until it is used up.
    async fn reply(mut self, responses: Arc<Mutex<Vec<Vec<u8>>>>) -> io::Result<()> {
        loop {
            self.request().await?;
            let Some(response) = responses.lock().unwrap().pop() else {
                return self.close().await;
            };
            self.say(response).await?;
        }
    }
}

/// A whole response of known length. `headers` ends each line with CRLF.
pub(super) fn response(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

pub(super) fn json(body: &str) -> Vec<u8> {
    response(
        "200 OK",
        "Content-Type: application/json\r\n",
        body.as_bytes(),
    )
}
