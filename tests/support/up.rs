//! `touchstone up` as a real process, read by its JSON events.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Starting three processes and one run, on a busy machine.
pub const WITHIN: Duration = Duration::from_secs(90);

/// The built program.
pub fn program() -> &'static str {
    env!("CARGO_BIN_EXE_touchstone")
}

/// A running `touchstone up`. Dropped, it is killed; [`Up::interrupt`] is the polite end.
pub struct Up {
    child: Child,
    events: Receiver<Value>,
    seen: Vec<Value>,
    /// Like `http://127.0.0.1:PORT`.
    pub pages: String,
    pub data: PathBuf,
}

impl Up {
    /// Starts `up` on loopback targets and waits until the pages are served.
    pub fn start(data: &Path, urls: &[&str]) -> Self {
        Self::start_with(data, urls, &[])
    }

    pub fn start_with(data: &Path, urls: &[&str], more: &[&str]) -> Self {
        Self::start_in(data, urls, more, &[])
    }

    /// With variables of the environment.
    pub fn start_in(data: &Path, urls: &[&str], more: &[&str], variables: &[(&str, &str)]) -> Self {
        let log = std::fs::File::create(data.with_extension("up.log")).unwrap();
        let mut child = Command::new(program())
            .args(["up", "--json", "--listen", "127.0.0.1:0"])
            .args(["--allow-net", "127.0.0.0/8", "--data"])
            .arg(data)
            .args(more)
            .args(urls)
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("touchstone up starts");
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (sender, events) = channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let event = serde_json::from_str(&line)
                    .unwrap_or_else(|error| panic!("up wrote no JSON: {line}: {error}"));
                if sender.send(event).is_err() {
                    return;
                }
            }
        });
        let mut up = Self {
            child,
            events,
            seen: Vec::new(),
            pages: String::new(),
            data: data.to_owned(),
        };
        let started = up.event("the pages", |event| {
            event["event"] == "started" && event["pages_url"].is_string()
        });
        up.pages = started["pages_url"]
            .as_str()
            .unwrap()
            .trim_end_matches('/')
            .to_owned();
        up
    }

    /// Waits for an event, those that came before included.
    pub fn event(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(found) = self.seen.iter().find(|event| wanted(event)) {
            return found.clone();
        }
        let deadline = Instant::now() + WITHIN;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Ok(event) => {
                    self.seen.push(event.clone());
                    if wanted(&event) {
                        return event;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    panic!("no event for {what}; seen: {:#?}", self.seen)
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let log = std::fs::read_to_string(self.data.with_extension("up.log"))
                        .unwrap_or_default();
                    panic!("up ended before {what}; seen: {:#?}\n{log}", self.seen)
                }
            }
        }
    }

    /// Whether no event that came so far is of this kind.
    pub fn never(&mut self, kind: impl Fn(&Value) -> bool) -> bool {
        self.seen.extend(self.events.try_iter());
        !self.seen.iter().any(kind)
    }

    /// Forgets what came so far, so that [`Up::event`] waits for something new.
    pub fn forget(&mut self) {
        while self.events.try_recv().is_ok() {}
        self.seen.clear();
    }

    /// The end of one run of a target: attested or declined.
    pub fn result_of(&mut self, url: &str) -> Value {
        self.event(url, |event| {
            (event["event"] == "attested" || event["event"] == "declined") && event["url"] == url
        })
    }

    /// Ctrl-C; gives the exit code and how long it took.
    pub fn interrupt(mut self) -> (Option<i32>, Duration) {
        let pid = rustix::process::Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        let began = Instant::now();
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        let status = self.child.wait().unwrap();
        (status.code(), began.elapsed())
    }

    /// The process id of one role, as `up` said it last.
    pub fn pid_of(&mut self, role: &str) -> i32 {
        self.event(role, |event| {
            event["event"] == "started" && event["role"] == role
        });
        self.seen
            .iter()
            .rev()
            .find(|event| event["event"] == "started" && event["role"] == role)
            .and_then(|event| event["pid"].as_i64())
            .unwrap()
            .try_into()
            .unwrap()
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// GETs a page over a plain socket; gives status and body.
pub fn get(url: &str) -> (u16, String) {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let path = if path.is_empty() { "/" } else { path };
    let mut stream = TcpStream::connect(host).unwrap_or_else(|error| panic!("GET {url}: {error}"));
    write!(stream, "GET {path} HTTP/1.0\r\nhost: {host}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (
        head.split(' ').nth(1).unwrap().parse().unwrap(),
        body.to_owned(),
    )
}
