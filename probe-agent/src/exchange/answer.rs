//! Reads a response's body as far as it has to be read, and says what it was.
//!
//! An event stream is read to the message that answers our request and not to
//! its end. It is cut after that event's last line, wherever the network cut
//! it, so that the same stream gives the same record.

use std::collections::BTreeSet;

use bytes::Bytes;
use http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, timeout_at};
use touchstone_canonical::Value;
use touchstone_proto::observation::{self, BodyEnd, FailureKind, Framing, SseNote};
use touchstone_wire::jsonrpc::Id;
use touchstone_wire::media::Media;
use touchstone_wire::sse::{Note, Search};

use super::body::{Body, Stopped};
use super::budget::RESPONSE_LIMIT_BYTES;
use super::failure;
use super::room::Room;

/// A body, read.
pub(super) struct Read {
    pub(super) record: observation::Body,
    pub(super) kept: Bytes,
    /// Why it is not complete, if it is not.
    pub(super) failure: Option<FailureKind>,
    /// Where it lies.
    pub(super) room: Room,
}

/// The id that the answer to a message must carry; `None` if it awaits none.
pub(super) fn awaited(message: &[u8]) -> Option<Id> {
    let message = touchstone_canonical::read(message).ok()?;
    let id = message.get("id")?;
    match id {
        Value::String(_) => id.as_str().map(Id::from),
        _ => id.as_i64().map(Id::from),
    }
}

/// Reads the body of a response to a request that awaits an answer to `id`.
pub(super) async fn read(
    headers: &HeaderMap,
    incoming: Incoming,
    id: Option<Id>,
    room: Room,
    deadline: Instant,
) -> Read {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let media = Media::of(text(header::CONTENT_TYPE));
    let stream = media == Media::EventStream;
    let codings = headers
        .get_all(header::CONTENT_ENCODING)
        .iter()
        // A value that is no text names no coding that is known.
        .flat_map(|value| value.to_str().unwrap_or("?").split(','));

    let nothing = |end, failure, room| Read::nothing(media, end, failure, room);
    let Some(body) = Body::coded(codings) else {
        return nothing(BodyEnd::Undecodable, Some(FailureKind::Undecodable), room);
    };
    if stream && id.is_none() {
        // Nothing is awaited, and a stream may be silent for ever.
        return nothing(BodyEnd::Answered, None, room);
    }
    let announced = text(header::CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    if announced.is_some_and(|length| length > RESPONSE_LIMIT_BYTES as u64) {
        return nothing(BodyEnd::TooLarge, Some(FailureKind::TooLarge), room);
    }
    let mut reader = Reader {
        body,
        search: id
            .filter(|_| stream)
            .map(|id| Search::new(id, RESPONSE_LIMIT_BYTES)),
        answer: None,
        room,
    };
    let (end, failure) = reader.run(incoming, deadline).await;
    reader.into_read(media, end, failure)
}

struct Reader {
    body: Body,
    search: Option<Search>,
    answer: Option<Vec<u8>>,
    room: Room,
}

impl Reader {
    async fn run(
        &mut self,
        mut incoming: Incoming,
        deadline: Instant,
    ) -> (BodyEnd, Option<FailureKind>) {
        loop {
            let (end, failure) = match timeout_at(deadline, incoming.frame()).await {
                Ok(Some(Ok(frame))) => {
                    let Ok(chunk) = frame.into_data() else {
                        continue; // trailers
                    };
                    let most = self.body.most_after(chunk.len());
                    if timeout_at(deadline, self.room.grow(most)).await.is_err() {
                        return (BodyEnd::TimedOut, Some(FailureKind::Agent));
                    }
                    match self.push(&chunk) {
                        Ok(()) if self.answer.is_none() => continue,
                        Ok(()) => return (BodyEnd::Answered, None),
                        Err(stopped) => return stopped.end(),
                    }
                }
                Ok(None) => match self.body.finish() {
                    Ok(()) => (BodyEnd::Complete, None),
                    Err(stopped) => return stopped.end(),
                },
                Ok(Some(Err(error))) => (BodyEnd::ConnectionLost, Some(failure::of_http(&error))),
                Err(_) => (BodyEnd::TimedOut, Some(FailureKind::TimedOut)),
            };
            // However a stream stopped, its last event may be the answer, with
            // only the closing blank line missing.
            self.answer = self.search.as_mut().and_then(Search::finish);
            return match self.answer {
                Some(_) => (BodyEnd::Answered, None),
                None => (end, failure),
            };
        }
    }

    fn push(&mut self, chunk: &[u8]) -> Result<(), Stopped> {
        let before = self.body.decoded().len();
        let decoded = self.body.push(chunk)?;
        let Some(search) = &mut self.search else {
            return Ok(());
        };
        let mut read = before;
        for line in decoded.split_inclusive(|byte| matches!(byte, b'\r' | b'\n')) {
            read += line.len();
            self.answer = search.push(line).map_err(|_| Stopped::TooLarge)?;
            if self.answer.is_some() {
                self.body.cut(read);
                break;
            }
        }
        Ok(())
    }

    fn into_read(self, media: Media, end: BodyEnd, failure: Option<FailureKind>) -> Read {
        let notes = self.search.map(|search| search.notes()).unwrap_or_default();
        let (read, wire) = self.body.into_parts();
        let record = observation::Body {
            read_sha256: Sha256::digest(&read).to_vec(),
            read_size: read.len() as u64,
            wire_size: wire as u64,
            ..record(media, end, read.is_empty(), &notes)
        };
        Read {
            record,
            kept: self.answer.unwrap_or(read).into(),
            failure,
            room: self.room,
        }
    }
}

impl Read {
    /// A body of which nothing was read.
    fn nothing(media: Media, end: BodyEnd, failure: Option<FailureKind>, room: Room) -> Self {
        Self {
            record: observation::Body {
                read_sha256: Sha256::digest([]).to_vec(),
                ..record(media, end, true, &BTreeSet::new())
            },
            kept: Bytes::new(),
            failure,
            room,
        }
    }
}

impl Stopped {
    fn end(self) -> (BodyEnd, Option<FailureKind>) {
        match self {
            Self::TooLarge => (BodyEnd::TooLarge, Some(FailureKind::TooLarge)),
            Self::Undecodable => (BodyEnd::Undecodable, Some(FailureKind::Undecodable)),
        }
    }
}

fn record(media: Media, end: BodyEnd, empty: bool, notes: &BTreeSet<Note>) -> observation::Body {
    let framing = match media {
        _ if empty && end == BodyEnd::Complete => Framing::Empty,
        Media::EventStream => Framing::Sse,
        Media::Json => Framing::Json,
        Media::Html | Media::Other | Media::Unnamed => Framing::Other,
    };
    observation::Body {
        end: end.into(),
        framing: framing.into(),
        sse_notes: notes.iter().map(|note| sse_note(*note).into()).collect(),
        ..observation::Body::default()
    }
}

fn sse_note(note: Note) -> SseNote {
    match note {
        Note::Bom => SseNote::Bom,
        Note::EmptyData => SseNote::EmptyData,
        Note::Comment => SseNote::Comment,
        Note::OtherMessageBefore => SseNote::OtherMessageBefore,
        Note::EventError => SseNote::EventError,
        Note::EventEndpoint => SseNote::EventEndpoint,
        Note::Unterminated => SseNote::Unterminated,
        Note::ForeignId => SseNote::ForeignId,
    }
}
