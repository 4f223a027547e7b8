//! Requests as the scripted servers read them.

use std::io::Read;

use serde_json::Value;

/// Bytes of a request that are read at most.
const REQUEST_LIMIT: usize = 1 << 20;

/// What a reply answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum On {
    Discover,
    Initialize,
    Initialized,
    /// Pages in the order of asking.
    List,
    Call,
    Delete,
    /// GET of one path.
    Get(&'static str),
    /// GET of any other path.
    AnyGet,
    Other,
}

#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Value,
    /// Kinds of requests that came before it.
    pub before: Vec<On>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| &value[..])
    }

    pub fn on(&self) -> On {
        match (&self.method[..], self.body["method"].as_str()) {
            ("POST", Some("server/discover")) => On::Discover,
            ("POST", Some("initialize")) => On::Initialize,
            ("POST", Some("notifications/initialized")) => On::Initialized,
            ("POST", Some("tools/list")) => On::List,
            ("POST", Some("tools/call")) => On::Call,
            ("DELETE", _) => On::Delete,
            ("GET", _) => On::AnyGet,
            _ => On::Other,
        }
    }
}

/// `None`: the client is gone.
pub fn read_request(stream: &mut (impl Read + ?Sized)) -> Option<Request> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    while bytes.len() < REQUEST_LIMIT {
        let read = stream.read(&mut piece).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&piece[..read]);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.split("\r\n");
        let mut first = lines.next()?.split(' ');
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
            .collect();
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length = length.map_or(0, |(_, value)| value.parse().unwrap());
        if bytes.len() < end + 4 + length {
            continue;
        }
        return Some(Request {
            method: first.next()?.to_owned(),
            path: first.next()?.to_owned(),
            headers,
            body: serde_json::from_slice(&bytes[end + 4..]).unwrap_or_default(),
            before: Vec::new(),
        });
    }
    None
}
