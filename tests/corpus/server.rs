//! A scripted MCP server: one HTTP/1.1 responder on a loopback port that
//! answers each kind of request with the next reply of a list, byte for byte.
//!
//! Threads end with their connection or with the test process.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::reply::{Ending, Reply};
use super::request::read_request;
pub use super::request::{On, Request};

/// Looks at a request before its reply is chosen; what it gives is sent instead.
pub type Guard = fn(&Request) -> Option<Reply>;

#[derive(Clone, Debug, Default)]
pub struct Script {
    pub replies: HashMap<On, Vec<Reply>>,
    pub guards: Vec<Guard>,
    /// Of the endpoint; `/mcp` when empty.
    pub path: &'static str,
}

/// A server that runs.
#[derive(Debug)]
pub struct Server {
    pub url: String,
    seen: Arc<Mutex<Vec<On>>>,
}

impl Server {
    /// With `tls`, under the name `localhost`.
    pub fn start(script: Script, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let origin = match tls {
            Some(_) => format!("https://localhost:{}", address.port()),
            None => format!("http://{address}"),
        };
        let path = if script.path.is_empty() {
            "/mcp"
        } else {
            script.path
        };
        let url = format!("{origin}{path}");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let play = Arc::new(Play {
            script,
            origin,
            seen: Arc::clone(&seen),
        });
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (play, tls) = (Arc::clone(&play), tls.clone());
                std::thread::spawn(move || play.meet(stream, tls));
            }
        });
        Self { url, seen }
    }

    /// One letter a request: discover, initialize, notification, list, call,
    /// get, delete (x), other (?).
    pub fn asked(&self) -> String {
        let seen = self.seen.lock().unwrap();
        seen.iter()
            .map(|on| match on {
                On::Discover => 'd',
                On::Initialize => 'i',
                On::Initialized => 'n',
                On::List => 'l',
                On::Call => 'c',
                On::Delete => 'x',
                On::Get(_) | On::AnyGet => 'g',
                On::Other => '?',
            })
            .collect()
    }
}

/// Plain or within TLS.
trait Stream: Read + Write {
    fn shut(&mut self);
}

impl Stream for TcpStream {
    fn shut(&mut self) {
        let _ = self.shutdown(Shutdown::Both);
    }
}

impl Stream for StreamOwned<ServerConnection, TcpStream> {
    fn shut(&mut self) {
        self.sock.shut();
    }
}

struct Play {
    script: Script,
    origin: String,
    seen: Arc<Mutex<Vec<On>>>,
}

impl Play {
    fn meet(&self, mut stream: TcpStream, tls: Option<Arc<ServerConfig>>) {
        stream.set_nodelay(true).unwrap();
        match tls {
            None => self.serve(&mut stream),
            Some(config) => {
                let connection = ServerConnection::new(config).unwrap();
                self.serve(&mut StreamOwned::new(connection, stream));
            }
        }
    }

    fn serve(&self, stream: &mut dyn Stream) {
        while let Some(mut request) = read_request(stream) {
            let on = request.on();
            {
                let mut seen = self.seen.lock().unwrap();
                request.before.clone_from(&seen);
                seen.push(on);
            }
            let reply = self.reply(on, &request);
            if !self.send(stream, &request, &reply) {
                return;
            }
        }
    }

    fn reply(&self, on: On, request: &Request) -> Reply {
        if let Some(reply) = self.script.guards.iter().find_map(|guard| guard(request)) {
            return reply;
        }
        let get = |on| self.script.replies.get(&on);
        let named = self.script.replies.iter().find_map(|(on, replies)| {
            let path = request.path.as_str();
            (request.method == "GET" && *on == On::Get(one_of(on)?) && one_of(on)? == path)
                .then_some(replies)
        });
        let count = request
            .before
            .iter()
            .filter(|before| **before == on)
            .count();
        match named.or_else(|| get(on)).or_else(|| get(On::Other)) {
            Some(replies) if named.is_none() => replies[count.min(replies.len() - 1)].clone(),
            Some(replies) => replies[0].clone(),
            None => Reply::status(404),
        }
    }

    /// `false`: the connection is over.
    fn send(&self, stream: &mut dyn Stream, request: &Request, reply: &Reply) -> bool {
        let id = request.body["id"].to_string();
        let fill = |bytes: &[u8]| -> Vec<u8> {
            match std::str::from_utf8(bytes) {
                Ok(text) => text
                    .replace("@ID@", &id)
                    .replace("@ORIGIN@", &self.origin)
                    .into_bytes(),
                Err(_) => bytes.to_vec(),
            }
        };
        let mut chunks: Vec<Vec<u8>> = reply.chunks.iter().map(|chunk| fill(chunk)).collect();
        if reply.packed {
            chunks = vec![gzip(&chunks.concat())];
        }
        if let Some(bytes) = reply.piece {
            chunks = chunks.concat().chunks(bytes).map(<[u8]>::to_vec).collect();
        }
        let whole: usize = chunks.iter().map(Vec::len).sum();
        let mut head = format!("HTTP/1.1 {} Status\r\n", reply.status);
        for (name, value) in &reply.headers {
            let value = String::from_utf8(fill(value.as_bytes())).unwrap();
            head += &format!("{name}: {value}\r\n");
        }
        let chunked = matches!(reply.ending, Ending::Chunked | Ending::Open);
        match reply.ending {
            Ending::Length if matches!(reply.status, 204 | 304) => {}
            Ending::Length => head += &format!("content-length: {whole}\r\n"),
            Ending::Promise(length) => head += &format!("content-length: {length}\r\n"),
            Ending::Chunked | Ending::Open => head += "transfer-encoding: chunked\r\n",
            Ending::Close => head += "connection: close\r\n",
            Ending::Silence => return hold(stream),
            Ending::Cut => return shut(stream),
        }
        let mut sent = stream.write_all(format!("{head}\r\n").as_bytes());
        for chunk in chunks.iter().filter(|chunk| !chunk.is_empty()) {
            sent = sent.and_then(|()| match chunked {
                true => {
                    let mut framed = format!("{:x}\r\n", chunk.len()).into_bytes();
                    framed.extend_from_slice(chunk);
                    framed.extend_from_slice(b"\r\n");
                    stream.write_all(&framed)
                }
                false => stream.write_all(chunk),
            });
            sent = sent.and_then(|()| stream.flush());
        }
        if sent.is_err() {
            return false;
        }
        match reply.ending {
            Ending::Open if reply.drips => drip(stream),
            Ending::Open => hold(stream),
            Ending::Chunked => stream.write_all(b"0\r\n\r\n").is_ok(),
            Ending::Close | Ending::Promise(_) => shut(stream),
            _ => true,
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn one_of(on: &On) -> Option<&'static str> {
    match on {
        On::Get(path) => Some(path),
        _ => None,
    }
}

/// Until the client goes.
fn hold(stream: &mut dyn Stream) -> bool {
    while stream.read(&mut [0; 1024]).is_ok_and(|read| read > 0) {}
    false
}

/// A comment every second, until the client goes.
fn drip(stream: &mut dyn Stream) -> bool {
    while stream.write_all(b"8\r\n: ping\n\n\r\n").is_ok() {
        std::thread::sleep(Duration::from_secs(1));
    }
    false
}

fn shut(stream: &mut dyn Stream) -> bool {
    stream.shut();
    false
}
