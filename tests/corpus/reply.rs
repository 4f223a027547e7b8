//! What a scripted server sends: status, headers, bytes, and how it ends.
//!
//! In headers and bodies `@ID@` stands for the request's id as it was sent and
//! `@ORIGIN@` for the server's own origin.

/// How a response ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// `Content-Length`, as it is.
    Length,
    /// `Content-Length`, as is claimed; then the connection is closed.
    Promise(usize),
    /// Chunked, one chunk a piece.
    Chunked,
    /// Chunked, and the last chunk never comes.
    Open,
    /// The end of the connection is the end of the body.
    Close,
    /// Nothing is ever sent.
    Silence,
    /// The connection is closed without a byte.
    Cut,
}

#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub chunks: Vec<Vec<u8>>,
    pub ending: Ending,
    /// With [`Ending::Open`]: a comment every second.
    pub drips: bool,
    /// Bytes of a piece; `None`: as the chunks are.
    pub piece: Option<usize>,
    /// Packed with gzip before it is sent.
    pub packed: bool,
}

impl Reply {
    /// No body.
    pub fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            chunks: Vec::new(),
            ending: Ending::Length,
            drips: false,
            piece: None,
            packed: false,
        }
    }

    pub fn of(status: u16, media: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            chunks: vec![body.into()],
            ..Self::status(status).header("content-type", media)
        }
    }

    pub fn json(body: impl Into<Vec<u8>>) -> Self {
        Self::of(200, "application/json", body)
    }

    /// A JSON-RPC result with the request's id.
    pub fn result(result: &str) -> Self {
        Self::json(answer(result))
    }

    /// A JSON-RPC error with the request's id.
    pub fn error(status: u16, error: &str) -> Self {
        let body = format!(r#"{{"jsonrpc":"2.0","id":@ID@,"error":{error}}}"#);
        Self::of(status, "application/json", body)
    }

    /// An event stream, one chunk a piece.
    pub fn sse(chunks: &[&str]) -> Self {
        Self {
            chunks: chunks
                .iter()
                .map(|chunk| chunk.as_bytes().to_vec())
                .collect(),
            ending: Ending::Chunked,
            ..Self::status(200).header("content-type", "text/event-stream")
        }
    }

    /// The result as the one event of a stream.
    pub fn event(result: &str) -> Self {
        Self::sse(&[&format!("event: message\ndata: {}\n\n", answer(result))])
    }

    pub fn cut() -> Self {
        Self::status(200).ending(Ending::Cut)
    }

    pub fn silence() -> Self {
        Self::status(200).ending(Ending::Silence)
    }

    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub fn ending(mut self, ending: Ending) -> Self {
        self.ending = ending;
        self
    }

    pub fn dripping(self) -> Self {
        Self {
            drips: true,
            ..self.ending(Ending::Open)
        }
    }

    /// Into pieces of so many bytes.
    pub fn split(self, bytes: usize) -> Self {
        Self {
            piece: Some(bytes),
            ..self
        }
    }

    pub fn packed(self) -> Self {
        Self {
            packed: true,
            ..self.header("content-encoding", "gzip")
        }
    }

    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }
}

/// A JSON-RPC result as text.
pub fn answer(result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":@ID@,"result":{result}}}"#)
}
