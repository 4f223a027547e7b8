//! A server for tests: real sockets on loopback, every byte of a response in
//! the test's hands, every request kept.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::AbortOnDropHandle;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    pub(crate) body: serde_json::Value,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The JSON-RPC method, or the HTTP method and path of what is none.
    pub(crate) fn word(&self) -> String {
        match self.body["method"].as_str() {
            Some(method) => method.to_owned(),
            None => format!("{} {}", self.method, self.path),
        }
    }
}

/// What to answer.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    bytes: Vec<u8>,
    /// The body's end is not told, and the connection stays open.
    open: bool,
}

impl Reply {
    pub(crate) fn new(status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        Self::of(status, headers, body, false)
    }

    pub(crate) fn json(value: &serde_json::Value) -> Self {
        let json = [("content-type", "application/json")];
        Self::of(200, &json, &value.to_string(), false)
    }

    /// An event stream that is never closed.
    pub(crate) fn stream(events: &str) -> Self {
        Self::of(200, &[("content-type", "text/event-stream")], events, true)
    }

    /// Nothing, for ever.
    pub(crate) fn silence() -> Self {
        Self {
            bytes: Vec::new(),
            open: true,
        }
    }

    fn of(status: u16, headers: &[(&str, &str)], body: &str, open: bool) -> Self {
        use std::fmt::Write as _;
        let mut text = format!("HTTP/1.1 {status} Whatever\r\n");
        for (name, value) in headers {
            write!(text, "{name}: {value}\r\n").unwrap();
        }
        if !open {
            write!(text, "content-length: {}\r\n", body.len()).unwrap();
        }
        text.push_str("\r\n");
        text.push_str(body);
        Self {
            bytes: text.into_bytes(),
            open,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Peer {
    /// `http://127.0.0.1:PORT`
    pub(crate) origin: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    _task: AbortOnDropHandle<()>,
}

impl Peer {
    /// `answer` is given each request and the peer's origin.
    pub(crate) async fn start(
        answer: impl Fn(&Asked, &str) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (kept, at, answer) = (Arc::clone(&asked), origin.clone(), Arc::new(answer));
        let task = tokio::spawn(async move {
            // Dropped, and all connections with it, when the peer is.
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (kept, at, answer) = (Arc::clone(&kept), at.clone(), Arc::clone(&answer));
                connections.spawn(async move {
                    let _ = serve(stream, |asked| {
                        let reply = answer(&asked, &at);
                        kept.lock().unwrap().push(asked);
                        reply
                    })
                    .await;
                });
            }
        });
        Self {
            origin,
            asked,
            _task: AbortOnDropHandle::new(task),
        }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// All requests in a word each.
    pub(crate) fn words(&self) -> Vec<String> {
        self.asked().iter().map(Asked::word).collect()
    }
}

async fn serve(mut stream: TcpStream, answer: impl Fn(Asked) -> Reply) -> std::io::Result<()> {
    let mut buffer = Vec::new();
    loop {
        let head = loop {
            if let Some(end) = buffer.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break end;
            }
            if stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        };
        let text = String::from_utf8(buffer[..head].to_vec()).unwrap();
        let mut lines = text.split("\r\n");
        let mut first = lines.next().unwrap().split(' ');
        let (method, path) = (first.next().unwrap().into(), first.next().unwrap().into());
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let length = headers
            .iter()
            .find(|(name, _)| name == "content-length")
            .map_or(0, |(_, value)| value.parse().unwrap());
        buffer.drain(..head + 4);
        while buffer.len() < length {
            stream.read_buf(&mut buffer).await?;
        }
        let body: Vec<u8> = buffer.drain(..length).collect();
        let reply = answer(Asked {
            method,
            path,
            headers,
            body: serde_json::from_slice(&body).unwrap_or_default(),
        });
        stream.write_all(&reply.bytes).await?;
        if reply.open {
            // Until the other side goes.
            while stream.read_buf(&mut buffer).await? > 0 {}
            return Ok(());
        }
    }
}
