//! Standard output. What a reader that has gone away (`| head`) does not take is
//! dropped quietly, and the exit code still says what came out.
//!
//! A command that prints one result writes it here and waits. A process that
//! serves writes through [`Lines`], so that a reader that only stopped reading
//! (a pager, a terminal after Ctrl-S) holds up nothing but its own lines.

use std::io::{ErrorKind, Write as _};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::{mpsc, oneshot};

use crate::exit::{Exit, Failure};

/// Lines that may wait for the reader of standard output.
const LINES_WAITING_LIMIT: usize = 4096;
/// How long the last lines may take once nothing follows them.
const LAST_LINES_WITHIN: Duration = Duration::from_secs(2);

/// Whether anybody reads what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    Reads,
    IsGone,
}

/// Writes bytes as they are.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    write(bytes).map(|_| ())
}

/// Writes one line.
pub(crate) fn line(text: &str) -> Result<(), Failure> {
    bytes(format!("{text}\n").as_bytes())
}

/// Writes a value as one line of JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    line(&as_json(value)?)
}

/// A value as JSON on one line.
pub(crate) fn as_json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value)
        .map_err(|error| Failure::new(Exit::Unexpected, format!("writing JSON failed: {error}")))
}

fn write(bytes: &[u8]) -> Result<Reader, Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(Reader::Reads),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Reader::IsGone),
        Err(error) => Err(Failure::new(
            Exit::Unexpected,
            format!("writing to standard output failed: {error}"),
        )),
    }
}

/// Lines on their way to standard output, in order, written by a thread of
/// their own. Putting one never waits; what a slow reader leaves no room for is
/// not written, and counted.
#[derive(Debug)]
pub(crate) struct Lines {
    waiting: mpsc::Sender<String>,
    unwritten: u64,
    /// That nobody reads any more, or a failure; none once it was told.
    ended: Option<oneshot::Receiver<Result<(), Failure>>>,
}

impl Lines {
    pub(crate) fn start() -> Result<Self, Failure> {
        Self::through(LINES_WAITING_LIMIT, |line| {
            write(format!("{line}\n").as_bytes())
        })
    }

    fn through(
        limit: usize,
        mut put: impl FnMut(String) -> Result<Reader, Failure> + Send + 'static,
    ) -> Result<Self, Failure> {
        let (waiting, mut lines) = mpsc::channel::<String>(limit);
        let (end, ended) = oneshot::channel();
        std::thread::Builder::new()
            .name("standard-output".to_owned())
            .spawn(move || {
                let result = loop {
                    let Some(line) = lines.blocking_recv() else {
                        break Ok(());
                    };
                    match put(line) {
                        Ok(Reader::Reads) => {}
                        Ok(Reader::IsGone) => break Ok(()),
                        Err(failure) => break Err(failure),
                    }
                };
                // Whoever put the lines may be gone; then nobody is left to tell.
                let _ = end.send(result);
            })
            .map_err(|error| {
                Failure::new(
                    Exit::Unexpected,
                    format!("starting to write to standard output failed: {error}"),
                )
            })?;
        Ok(Self {
            waiting,
            unwritten: 0,
            ended: Some(ended),
        })
    }

    /// Puts one line.
    pub(crate) fn put(&mut self, line: String) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.waiting.try_send(line) {
            self.unwritten += 1;
        }
    }

    /// How many lines were not written since this was last asked, once there
    /// is room for a line that says so.
    pub(crate) fn take_unwritten(&mut self) -> Option<u64> {
        (self.unwritten > 0 && self.waiting.capacity() > 1)
            .then(|| std::mem::take(&mut self.unwritten))
    }

    /// Waits until nothing can be written any more: the reader went away, or
    /// writing failed. Comes to an end once.
    pub(crate) async fn ended(&mut self) -> Result<(), Failure> {
        let Some(ended) = &mut self.ended else {
            return std::future::pending().await;
        };
        let result = ended.await;
        self.ended = None;
        // The thread tells its end unless it panicked, which it has said itself.
        result.unwrap_or(Ok(()))
    }

    /// Waits for the lines that were put, for a reader that takes them.
    pub(crate) async fn finish(self) -> Result<(), Failure> {
        self.finish_within(LAST_LINES_WITHIN).await
    }

    async fn finish_within(self, limit: Duration) -> Result<(), Failure> {
        drop(self.waiting);
        let Some(ended) = self.ended else {
            return Ok(());
        };
        match tokio::time::timeout(limit, ended).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) | Err(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_reader_that_stopped_reading_holds_up_nothing_and_what_it_missed_is_counted() {
        let (go_on, may_go_on) = std::sync::mpsc::channel::<()>();
        let (take, mut taken) = mpsc::unbounded_channel();
        let mut lines = Lines::through(2, move |line| {
            take.send(line).unwrap();
            may_go_on.recv().unwrap();
            Ok(Reader::Reads)
        })
        .unwrap();
        lines.put("0".to_owned());
        assert_eq!(taken.recv().await.unwrap(), "0");
        // One is being written, two wait.
        for number in 1..10 {
            lines.put(number.to_string());
        }
        assert_eq!(lines.take_unwritten(), None, "there is no room to say it");
        for written in ["1", "2"] {
            go_on.send(()).unwrap();
            assert_eq!(taken.recv().await.unwrap(), written);
        }
        assert_eq!(lines.take_unwritten(), Some(7));
        assert_eq!(lines.take_unwritten(), None);
        lines.put("last".to_owned());
        go_on.send(()).unwrap();
        go_on.send(()).unwrap();
        lines.finish().await.unwrap();
        assert_eq!(taken.recv().await.unwrap(), "last");
    }

    #[tokio::test]
    async fn the_last_lines_are_not_waited_for_for_ever() {
        let (_never, go_on) = std::sync::mpsc::channel::<()>();
        let mut lines = Lines::through(2, move |_| {
            let _ = go_on.recv();
            Ok(Reader::Reads)
        })
        .unwrap();
        lines.put("a line".to_owned());
        lines.finish_within(Duration::ZERO).await.unwrap();
    }

    #[tokio::test]
    async fn the_end_of_writing_is_told_once_with_its_cause() {
        let mut lines = Lines::through(2, |_| Ok(Reader::IsGone)).unwrap();
        lines.put("a line".to_owned());
        lines.ended().await.unwrap();
        lines.put("another".to_owned());
        lines.finish().await.unwrap();
        let mut lines =
            Lines::through(2, |_| Err(Failure::new(Exit::Unexpected, "no room"))).unwrap();
        lines.put("a line".to_owned());
        assert_eq!(lines.ended().await.unwrap_err().message, "no room");
        lines.finish().await.unwrap();
    }
}
