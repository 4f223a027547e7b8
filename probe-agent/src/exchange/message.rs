//! What an exchange is asked to send, and what it hands back. Data only.

use bytes::Bytes;
use touchstone_proto::observation::{Body, BodyEnd, Exchange, Failure, FailureKind, Step};
use url::Url;

/// The methods that a run uses. An endpoint is never asked with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Post,
    Get,
    Delete,
}

impl Method {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Post => "POST",
            Self::Get => "GET",
            Self::Delete => "DELETE",
        }
    }
}

/// One request to send.
#[derive(Clone, Debug)]
pub struct Request {
    pub step: Step,
    /// `Step::ListTools`: 1 for the first page. Otherwise 0.
    pub page: u32,
    pub method: Method,
    pub url: Url,
    /// Beside those that every request carries: `user-agent`,
    /// `accept-encoding`, and what the transport adds (`host`,
    /// `content-length`). Names are lowercase.
    pub headers: Vec<(&'static str, String)>,
    /// A JSON-RPC message, or nothing. If it has an id an answer to that id is
    /// awaited; if it has none, an event stream in reply is not read.
    pub body: Vec<u8>,
}

/// What came of a request.
#[derive(Clone, Debug)]
pub struct Received {
    /// The request and each redirect followed from it, as recorded, in order.
    /// Never empty.
    pub exchanges: Vec<Exchange>,
    /// The kept body of the last exchange: of an event stream the answer's
    /// data, otherwise the body as far as it was read.
    pub body: Bytes,
    /// `mcp-session-id` of the last response. It is in no record.
    pub session_id: Option<String>,
}

impl Received {
    /// The exchange that decided.
    pub fn last(&self) -> &Exchange {
        // Built by `perform` alone, which records at least one exchange.
        self.exchanges.last().expect("an exchange is recorded")
    }

    /// Status of the last response; `None` when its headers were not read.
    pub fn status(&self) -> Option<u32> {
        self.last()
            .response
            .as_ref()
            .map(|response| response.status)
    }

    /// Every kept value of a response header, in order.
    pub fn header(&self, name: &str) -> impl Iterator<Item = &str> {
        self.last()
            .response
            .iter()
            .flat_map(|response| &response.headers)
            .filter(move |header| header.name == name)
            .map(|header| header.value.as_str())
    }

    /// How the reading of the last body ended; `None` without a response.
    pub fn body_end(&self) -> Option<BodyEnd> {
        let response = self.last().response.as_ref()?;
        response.body.as_ref().map(Body::end)
    }

    /// Why there is no complete response, if there is none.
    pub fn failure(&self) -> Option<FailureKind> {
        self.last().failure.as_ref().map(Failure::kind)
    }
}
