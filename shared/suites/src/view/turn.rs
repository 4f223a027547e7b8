//! One exchange as the checks read it: complete or not, a firewall's or the
//! server's own, and what it answered.

use std::collections::BTreeSet;

use touchstone_canonical::Value;
use touchstone_proto::observation::{
    Body, BodyEnd, Exchange, Failure, FailureKind, Response, SseNote, Step,
};
use touchstone_wire::challenge::{self, Challenge};
use touchstone_wire::edge;
use touchstone_wire::jsonrpc::{self, Answer, Id, NotJsonRpc, Reading};
use touchstone_wire::media::Media;
use touchstone_wire::sse::Search;
use url::{Host, Url};

use super::cause;
use crate::limits;
use crate::reason::{Reason, ReasonKey};

/// Authentication schemes registered with IANA; others are not named in reasons.
const SCHEMES: [&str; 14] = [
    "basic",
    "bearer",
    "concealed",
    "digest",
    "dpop",
    "gnap",
    "hoba",
    "mutual",
    "negotiate",
    "oauth",
    "privatetoken",
    "scram-sha-1",
    "scram-sha-256",
    "vapid",
];

/// An exchange and what its body says.
#[derive(Clone, Debug)]
pub(crate) struct Turn<'r> {
    pub(crate) index: usize,
    pub(crate) exchange: &'r Exchange,
    body: &'r [u8],
    reading: Option<Reading>,
    unread: Option<Reason>,
}

/// Content codings that an agent reads; a body in one of them that does not
/// decode is broken.
const CODINGS: [&str; 5] = ["", "identity", "gzip", "x-gzip", "deflate"];

/// Where a redirect leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    SameHost,
    OtherHost,
    /// `Location` is missing or no URL.
    Unreadable,
}

impl Destination {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::SameHost => "same_host",
            Self::OtherHost => "other_host",
            Self::Unreadable => "unreadable",
        }
    }
}

impl<'r> Turn<'r> {
    pub(super) fn new(index: usize, exchange: &'r Exchange, body: &'r [u8]) -> Self {
        let mut turn = Self {
            index,
            exchange,
            body,
            reading: None,
            unread: None,
        };
        if turn.is_undecodable() {
            turn.unread = turn
                .is_coded_beyond_us()
                .then(|| ReasonKey::ResponseUndecodable.into());
        } else if turn.is_metadata() {
            turn.unread = touchstone_canonical::read(body)
                .err()
                .and_then(|error| cause::beyond_reading(error.kind));
        } else {
            match turn.read_answer() {
                Some(Ok(reading)) => turn.reading = Some(reading),
                Some(Err(NotJsonRpc::Unread(error))) => {
                    turn.unread = cause::beyond_reading(error.kind);
                }
                Some(Err(_)) | None => {}
            }
        }
        turn
    }

    pub(crate) fn step(&self) -> Step {
        self.exchange.step()
    }

    /// Whether it asked for a metadata document, and not the endpoint.
    pub(crate) fn is_metadata(&self) -> bool {
        matches!(self.step(), Step::ResourceMetadata | Step::ServerMetadata)
    }

    /// Whether it is a page of the tool list after the first.
    pub(crate) fn is_later_page(&self) -> bool {
        self.step() == Step::ListTools && self.exchange.page > 1
    }

    /// 0: no response's headers were read.
    pub(crate) fn status(&self) -> u32 {
        self.exchange.response.as_ref().map_or(0, |r| r.status)
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status())
    }

    /// The status where wire's readers want it.
    pub(crate) fn status_u16(&self) -> u16 {
        u16::try_from(self.status()).unwrap_or(0)
    }

    pub(crate) fn body(&self) -> &'r [u8] {
        self.body
    }

    /// Every value of a response header, in order.
    pub(crate) fn headers(&self, name: &'static str) -> impl Iterator<Item = &'r str> + use<'r> {
        let response: Option<&'r Response> = self.exchange.response.as_ref();
        response
            .into_iter()
            .flat_map(|response| &response.headers)
            .filter(move |header| header.name.eq_ignore_ascii_case(name))
            .map(|header| &header.value[..])
    }

    /// Why there is no complete response; `None` when there is one. A body that
    /// does not decode says nothing, but its status still speaks.
    pub(crate) fn broke(&self) -> Option<Reason> {
        if self.is_undecodable() {
            return None;
        }
        cause::of_exchange(self.exchange)
    }

    /// Why a response that came in full says nothing to us though it may say
    /// all that it should: it goes beyond what we read. That is never the
    /// server's fault.
    pub(crate) fn unread(&self) -> Option<Reason> {
        self.unread.clone()
    }

    fn is_undecodable(&self) -> bool {
        self.exchange.response.is_some()
            && self.exchange.failure.as_ref().map(Failure::kind) == Some(FailureKind::Undecodable)
    }

    fn is_coded_beyond_us(&self) -> bool {
        let codings: Vec<_> = self
            .headers("content-encoding")
            .flat_map(|value| value.split(','))
            .map(|coding| coding.trim().to_ascii_lowercase())
            .collect();
        match &codings[..] {
            [] => false,
            [coding] => !CODINGS.contains(&&coding[..]),
            _ => true,
        }
    }

    /// Asks us to come back later: 429, or 503 with Retry-After. `asked_s` is
    /// what the agent read of that header.
    pub(super) fn rate_limited(&self, asked_s: Option<u32>) -> Option<Reason> {
        let retry_after = self.headers("retry-after").next();
        let limited = match self.status() {
            429 => true,
            503 => retry_after.is_some(),
            _ => false,
        };
        if !limited || self.edge().is_some() {
            return None;
        }
        let stated = || retry_after.and_then(|value| value.trim().parse().ok());
        let seconds = asked_s.or_else(stated).unwrap_or(0);
        Some(cause::rate_limited(seconds))
    }

    /// A firewall answered in the server's place.
    pub(crate) fn edge(&self) -> Option<Reason> {
        let response = self.exchange.response.as_ref()?;
        let headers = response
            .headers
            .iter()
            .map(|header| (&header.name[..], &header.value[..]));
        let marker = edge::challenge(self.status_u16(), headers, self.body)?;
        Some(Reason::new(
            ReasonKey::EdgeChallenge,
            &[self.status().into(), marker.as_str().into()],
        ))
    }

    /// The challenge of a credential gate: 401, and a first challenge that is
    /// complete.
    pub(crate) fn gate(&self) -> Option<Challenge> {
        if self.status() != 401 || self.edge().is_some() {
            return None;
        }
        challenge::usable(&self.headers("www-authenticate").collect::<Vec<_>>())
    }

    /// `credential_required` for a response of this status.
    pub(crate) fn credential_required(&self) -> Reason {
        let values: Vec<_> = self.headers("www-authenticate").collect();
        let scheme = challenge::usable(&values).map_or("none", |c| scheme_word(&c.scheme));
        Reason::new(
            ReasonKey::CredentialRequired,
            &[self.status().into(), scheme.into()],
        )
    }

    /// The JSON-RPC answer, whichever way it is framed; `None` when the body
    /// holds none.
    pub(crate) fn answer(&self) -> Option<&Answer> {
        self.reading.as_ref().map(|reading| &reading.answer)
    }

    fn read_answer(&self) -> Option<Result<Reading, NotJsonRpc>> {
        let id = self.request_id()?;
        match self.media() {
            Media::Json | Media::Unnamed => Some(jsonrpc::read_answer(self.body, &id)),
            // Kept of a stream in which the answer was found is the answer's
            // data, otherwise the stream itself: JSON that stands in no event
            // is none, since no client looks there.
            Media::EventStream if self.is_answers_data() => {
                Some(jsonrpc::read_answer(self.body, &id))
            }
            Media::EventStream => Some(jsonrpc::read_answer(&self.unframed(&id)?, &id)),
            Media::Html | Media::Other => None,
        }
    }

    fn is_answers_data(&self) -> bool {
        let response = self.exchange.response.as_ref();
        let body = response.and_then(|response| response.body.as_ref());
        body.map(Body::end) == Some(BodyEnd::Answered)
    }

    fn unframed(&self, id: &Id) -> Option<Vec<u8>> {
        let mut search = Search::new(id.clone(), limits::RESPONSE_BYTES as usize);
        search.push(self.body).ok()?.or_else(|| search.finish())
    }

    fn request_id(&self) -> Option<Id> {
        let request = touchstone_canonical::read(&self.exchange.request_body).ok()?;
        match request.get("id")? {
            Value::String(id) => id.as_str().map(Id::from),
            id => id.as_i64().map(Id::from),
        }
    }

    pub(crate) fn media(&self) -> Media {
        Media::of(self.headers("content-type").next())
    }

    /// What the body is, in a word of ours.
    pub(crate) fn content(&self) -> &'static str {
        let undecoded = self.exchange.failure.is_some();
        match self.media() {
            _ if undecoded => "undecodable",
            _ if self.body.iter().all(u8::is_ascii_whitespace) => "empty",
            Media::Json => "json",
            Media::EventStream => "sse",
            Media::Html => "html",
            Media::Unnamed => "unnamed",
            Media::Other => match self.headers("content-type").next() {
                Some(value) if value.trim_start().to_ascii_lowercase().starts_with("text/") => {
                    "text"
                }
                _ => "other",
            },
        }
    }

    /// Where it redirects to, if it does.
    pub(crate) fn redirect(&self) -> Option<Destination> {
        if !matches!(self.status(), 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let location = self.headers("location").next();
        let from = Url::parse(&self.exchange.url).ok();
        let to = from
            .as_ref()
            .zip(location)
            .and_then(|(from, to)| from.join(to).ok());
        let host = |url: &Option<Url>| url.as_ref().and_then(Url::host).map(|host| named(&host));
        Some(match (host(&from), host(&to)) {
            (Some(from), Some(to)) if from == to => Destination::SameHost,
            (Some(_), Some(_)) => Destination::OtherHost,
            _ => Destination::Unreadable,
        })
    }

    /// What the stream did beyond the plain form.
    pub(crate) fn stream_notes(&self) -> impl Iterator<Item = SseNote> {
        self.exchange
            .response
            .as_ref()
            .and_then(|response| response.body.as_ref())
            .into_iter()
            .flat_map(Body::sse_notes)
    }

    /// Deviations of the stream and of the answer that were read past.
    pub(crate) fn notes(&self) -> BTreeSet<&'static str> {
        let answer = self.reading.iter().flat_map(|reading| &reading.notes);
        self.stream_notes()
            .filter_map(of_stream)
            .chain(answer.map(|note| note.as_str()))
            .collect()
    }
}

fn of_stream(note: SseNote) -> Option<&'static str> {
    Some(match note {
        SseNote::Unspecified => return None,
        SseNote::Bom => "sse_bom",
        SseNote::EmptyData => "sse_empty_data",
        SseNote::Comment => "sse_comment",
        SseNote::OtherMessageBefore => "sse_other_message_before",
        SseNote::EventError => "sse_event_error",
        SseNote::EventEndpoint => "sse_event_endpoint",
        SseNote::Unterminated => "sse_unterminated",
        SseNote::ForeignId => "sse_foreign_id",
    })
}

/// The scheme in a word of ours.
pub(crate) fn scheme_word(scheme: &str) -> &'static str {
    SCHEMES
        .into_iter()
        .find(|known| scheme.eq_ignore_ascii_case(known))
        .unwrap_or("other")
}

/// A host without the dot that may end a name.
fn named(host: &Host<&str>) -> String {
    let name = host.to_string();
    name.trim_end_matches('.').to_owned()
}
