//! Server-sent events, read as the WHATWG HTML standard says (section 9.2.6),
//! and as leniently as shipped servers need.
//!
//! [`Unframer`] turns bytes, split anywhere, into events. [`Search`] looks
//! through them for the message that answers one request, so that a reader can
//! stop there though the stream stays open.
//!
//! Beyond the standard: an event with empty data is passed over (the priming
//! event of 2025-11-25), and one whose closing blank line never came is given
//! by [`Unframer::finish`]. Data is handed on as bytes, so that text which is
//! not UTF-8 is refused by the JSON reader and not silently repaired here.

use std::collections::BTreeSet;
use std::mem;

use crate::jsonrpc::{Fit, Id, fit};

/// What a stream did beyond the plain form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Note {
    /// It began with a byte order mark.
    Bom,
    /// An event carried no data, or empty data.
    EmptyData,
    /// A comment line, as servers send to keep a connection alive.
    Comment,
    /// Other messages came before the answer: notifications, requests.
    OtherMessageBefore,
    /// The answer came under `event: error`.
    EventError,
    /// `event: endpoint`: the transport of 2024-11-05.
    EventEndpoint,
    /// The closing blank line of the answer's event never came.
    Unterminated,
    /// The answer's id was missing, null, or not ours.
    ForeignId,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// `message` when the stream named none.
    pub name: String,
    /// Never empty. Several `data` lines are joined by a line feed.
    pub data: Vec<u8>,
    pub id: Option<String>,
    /// Milliseconds.
    pub retry: Option<u64>,
}

/// An event grew past the limit it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("reading an event stream: an event is larger than {limit} bytes")]
pub struct EventTooLarge {
    pub limit: usize,
}

/// Turns a byte stream into events.
#[derive(Debug)]
pub struct Unframer {
    limit: usize,
    start: Start,
    /// The line under way.
    line: Vec<u8>,
    /// The last byte ended a line as a carriage return: a line feed may follow.
    after_cr: bool,
    block: Block,
    /// An event grew past the limit; nothing more is read.
    overrun: bool,
    notes: BTreeSet<Note>,
}

/// How much of a byte order mark was met at the very start.
#[derive(Debug)]
enum Start {
    Matched(usize),
    Over,
}

const BOM: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// The fields of the event under way.
#[derive(Debug, Default)]
struct Block {
    name: Vec<u8>,
    /// `None` until a `data` field was met.
    data: Option<Vec<u8>>,
    id: Option<Vec<u8>>,
    retry: Option<u64>,
    any: bool,
}

impl Unframer {
    /// `limit` bounds the bytes kept of one event, its unfinished line included.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            start: Start::Matched(0),
            line: Vec::new(),
            after_cr: false,
            block: Block::default(),
            overrun: false,
            notes: BTreeSet::new(),
        }
    }

    /// Reads more of the stream and gives the events that are complete. Those
    /// before one that grows too large are given first, and the error with the
    /// next call; from then on there is nothing but the error.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<Vec<Event>, EventTooLarge> {
        while let Start::Matched(matched) = self.start {
            let Some((&first, rest)) = bytes.split_first() else {
                return Ok(Vec::new());
            };
            if first == BOM[matched] {
                bytes = rest;
                self.start = Start::Matched(matched + 1);
                if matched + 1 == BOM.len() {
                    self.notes.insert(Note::Bom);
                    self.start = Start::Over;
                }
            } else {
                self.line.extend_from_slice(&BOM[..matched]);
                self.start = Start::Over;
            }
        }
        let mut events = Vec::new();
        while let Some(&first) = bytes.first().filter(|_| !self.overrun) {
            if mem::take(&mut self.after_cr) && first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let part = &bytes[..end.unwrap_or(bytes.len())];
            if self.line.len() + self.block.size() + part.len() > self.limit {
                self.overrun = true;
                break;
            }
            self.line.extend_from_slice(part);
            let Some(end) = end else { break };
            self.after_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            events.extend(self.end_line());
        }
        if self.overrun && events.is_empty() {
            return Err(EventTooLarge { limit: self.limit });
        }
        Ok(events)
    }

    /// The event that the stream's end cut short, if it carries data.
    pub fn finish(&mut self) -> Option<Event> {
        if self.overrun {
            return None;
        }
        if let Start::Matched(matched) = mem::replace(&mut self.start, Start::Over) {
            self.line.extend_from_slice(&BOM[..matched]);
        }
        if !self.line.is_empty() {
            self.end_line();
        }
        let event = self.dispatch()?;
        self.notes.insert(Note::Unterminated);
        Some(event)
    }

    /// What was met so far.
    pub fn notes(&self) -> &BTreeSet<Note> {
        &self.notes
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = mem::take(&mut self.line);
        if line.is_empty() {
            return self.dispatch();
        }
        let (field, value) = match line.iter().position(|&byte| byte == b':') {
            Some(0) => {
                self.notes.insert(Note::Comment);
                return None;
            }
            Some(colon) => {
                let value = &line[colon + 1..];
                (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (&line[..], &[][..]),
        };
        self.block.set(field, value);
        None
    }

    fn dispatch(&mut self) -> Option<Event> {
        let block = mem::take(&mut self.block);
        let data = block.data.filter(|data| !data.is_empty());
        let Some(data) = data else {
            if block.any {
                self.notes.insert(Note::EmptyData);
            }
            return None;
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let name = match &block.name[..] {
            b"" => String::from("message"),
            name => text(name),
        };
        match &name[..] {
            "error" => _ = self.notes.insert(Note::EventError),
            "endpoint" => _ = self.notes.insert(Note::EventEndpoint),
            _ => {}
        }
        Some(Event {
            name,
            data,
            id: block.id.as_deref().map(text),
            retry: block.retry,
        })
    }
}

impl Block {
    fn set(&mut self, field: &[u8], value: &[u8]) {
        match field {
            b"event" => self.name = value.to_vec(),
            b"data" => match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => self.data = Some(value.to_vec()),
            },
            b"id" if !value.contains(&0) => self.id = Some(value.to_vec()),
            b"retry" => {
                let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
                let number = std::str::from_utf8(value).ok().filter(|_| digits);
                if let Some(number) = number.and_then(|digits| digits.parse().ok()) {
                    self.retry = Some(number);
                }
            }
            _ => return,
        }
        self.any = true;
    }

    fn size(&self) -> usize {
        let data = self.data.as_ref().map_or(0, Vec::len);
        let id = self.id.as_ref().map_or(0, Vec::len);
        data + id + self.name.len()
    }
}

/// Looks through a stream for the answer to one request.
///
/// The first message that fits is the answer, and there is no need to read on:
/// a response with our id; an error with any id or none, since the exchange
/// already ties it to our request; a result whose id is missing or changed its
/// type. A result that carries a different id of the same type is held, and
/// counts only when the stream ends without a better one. So is a message
/// beyond what we read, which counts before such a result: it may be ours.
#[derive(Debug)]
pub struct Search {
    unframer: Unframer,
    id: Id,
    notes: BTreeSet<Note>,
    held: Option<Held>,
}

/// What counts when nothing better comes.
#[derive(Debug)]
enum Held {
    Foreign(Vec<u8>),
    Unread(Vec<u8>),
}

impl Search {
    /// `limit` bounds the bytes kept of one event.
    pub fn new(id: Id, limit: usize) -> Self {
        Self {
            unframer: Unframer::new(limit),
            id,
            notes: BTreeSet::new(),
            held: None,
        }
    }

    /// Reads more of the stream; gives the answer's data once it is there.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Option<Vec<u8>>, EventTooLarge> {
        for event in self.unframer.push(bytes)? {
            if let Some(data) = self.consider(event) {
                return Ok(Some(data));
            }
        }
        Ok(None)
    }

    /// The answer as far as a stream that ended, or was given up, holds one.
    pub fn finish(&mut self) -> Option<Vec<u8>> {
        if let Some(event) = self.unframer.finish()
            && let Some(data) = self.consider(event)
        {
            return Some(data);
        }
        match self.held.take()? {
            Held::Foreign(data) => {
                self.notes.insert(Note::ForeignId);
                Some(data)
            }
            Held::Unread(data) => Some(data),
        }
    }

    /// What was met so far.
    pub fn notes(&self) -> BTreeSet<Note> {
        self.unframer.notes() | &self.notes
    }

    fn consider(&mut self, event: Event) -> Option<Vec<u8>> {
        match fit(&event.data, &self.id) {
            Fit::Ours => Some(event.data),
            Fit::Taken => {
                self.notes.insert(Note::ForeignId);
                Some(event.data)
            }
            Fit::Foreign => {
                self.held.get_or_insert(Held::Foreign(event.data));
                None
            }
            Fit::Unread => {
                if !matches!(self.held, Some(Held::Unread(_))) {
                    self.held = Some(Held::Unread(event.data));
                }
                None
            }
            Fit::OtherMessage => {
                self.notes.insert(Note::OtherMessageBefore);
                None
            }
            Fit::None => None,
        }
    }
}

#[cfg(test)]
mod tests;
