//! JSON-RPC 2.0 answers as servers really send them (specification page
//! `2026-07-28/basic`; <https://www.jsonrpc.org/specification>).
//!
//! An HTTP exchange already ties an answer to its request, so one whose id is
//! missing, null or another's is still read; what is wrong with it is noted.

use std::collections::BTreeSet;

use touchstone_canonical::{JsonString, Object, ReadError, ReadErrorKind, Value, read};

/// The id that a request of ours carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Id {
    Number(i64),
    Text(String),
}

impl From<i64> for Id {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// An answer, and how it strays from the form.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    pub answer: Answer,
    pub notes: BTreeSet<Note>,
}

/// What a response says.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Result(Value),
    Error(ErrorObject),
}

impl Answer {
    pub fn result(&self) -> Option<&Value> {
        match self {
            Self::Result(result) => Some(result),
            Self::Error(_) => None,
        }
    }

    pub fn error(&self) -> Option<&ErrorObject> {
        match self {
            Self::Result(_) => None,
            Self::Error(error) => Some(error),
        }
    }
}

/// The `error` member of a response.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorObject {
    /// `None` when it is missing or no integer.
    pub code: Option<i64>,
    /// `None` when it is missing or no string.
    pub message: Option<JsonString>,
    pub data: Option<Value>,
}

impl ErrorObject {
    /// Whether code and message are there and of their types.
    pub fn is_well_formed(&self) -> bool {
        self.code.is_some() && self.message.is_some()
    }

    /// The revisions that `data.supported` lists, as errors about the protocol
    /// version carry them; bounded as [`crate::discover::LISTED_LIMIT`] says.
    pub fn supported(&self) -> Vec<String> {
        let data = self.data.as_ref();
        let listed = data.and_then(|data| data.get("supported"));
        crate::discover::listed(listed.and_then(Value::as_array).unwrap_or_default())
    }
}

/// How an answer strays from JSON-RPC 2.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Note {
    /// `jsonrpc` is missing or not "2.0".
    Version,
    IdMissing,
    IdNull,
    /// A string came back as a number, or a number as a string.
    IdTypeChanged,
    /// An id of the right type, but not ours.
    IdForeign,
    /// A byte order mark stood before the JSON. Clients that decode bodies as
    /// text never see it.
    Bom,
    /// The message stood in an array, which only revision 2025-03-26 allows.
    Batch,
    /// Both `result` and `error` were there. A null one is passed over; when
    /// neither is null the error counts.
    ResultAndError,
    ErrorCode,
    ErrorMessage,
}

impl Note {
    /// The stable key of this note.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Version => "jsonrpc_version",
            Self::IdMissing => "id_missing",
            Self::IdNull => "id_null",
            Self::IdTypeChanged => "id_type_changed",
            Self::IdForeign => "id_foreign",
            Self::Bom => "bom",
            Self::Batch => "batch",
            Self::ResultAndError => "result_and_error",
            Self::ErrorCode => "error_code",
            Self::ErrorMessage => "error_message",
        }
    }
}

/// Bytes that hold no JSON-RPC response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotJsonRpc {
    #[error("reading a JSON-RPC answer: the body is empty")]
    Empty,
    #[error("reading a JSON-RPC answer: the body is not JSON")]
    NotJson(#[source] ReadError),
    /// Beyond a bound of our own reader; it may be an answer all the same.
    #[error("reading a JSON-RPC answer: the body goes beyond what is read")]
    Unread(#[source] ReadError),
    /// JSON, but no object with a `result`, or an `error` that is an object.
    #[error("reading a JSON-RPC answer: the JSON is no response")]
    NoResponse,
}

impl NotJsonRpc {
    /// The stable key of this fault.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::NotJson(_) => "not_json",
            Self::Unread(_) => "unread",
            Self::NoResponse => "no_response",
        }
    }
}

impl From<ReadError> for NotJsonRpc {
    fn from(error: ReadError) -> Self {
        match error.kind {
            ReadErrorKind::Syntax => Self::NotJson(error),
            ReadErrorKind::Depth | ReadErrorKind::TooLarge => Self::Unread(error),
        }
    }
}

/// Reads the answer to the request that carried `expected`.
pub fn read_answer(bytes: &[u8], expected: &Id) -> Result<Reading, NotJsonRpc> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(NotJsonRpc::Empty);
    }
    let mut notes = BTreeSet::new();
    let (bytes, bom) = without_bom(bytes);
    if bom {
        notes.insert(Note::Bom);
    }
    let message = match read(bytes)? {
        Value::Array(messages) => {
            notes.insert(Note::Batch);
            let messages = messages.into_iter().map(Message::from);
            // The first of those that answer best: `max_by_key` gives the last.
            messages.rev().max_by_key(|message| message.fit(expected))
        }
        message => Some(Message::from(message)),
    };
    let message = message.ok_or(NotJsonRpc::NoResponse)?;
    if !message.is_version_2 {
        notes.insert(Note::Version);
    }
    notes.extend(message.id_note(expected));
    let answer = message.answer(&mut notes).ok_or(NotJsonRpc::NoResponse)?;
    Ok(Reading { answer, notes })
}

/// How a message relates to a request of ours, the better the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// Not JSON, or no JSON-RPC.
    None,
    /// Beyond what we read: it may be the answer, or anything else.
    Unread,
    /// A notification, or a request of the server's.
    OtherMessage,
    /// A result for some other request.
    Foreign,
    /// A response whose id is not as it should be, and which cannot be another's.
    Taken,
    /// A response with our id.
    Ours,
}

/// How well the bytes answer our request; of a batch, its best message.
pub(crate) fn fit(bytes: &[u8], expected: &Id) -> Fit {
    match read(without_bom(bytes).0) {
        Ok(Value::Array(messages)) => messages
            .into_iter()
            .map(|message| Message::from(message).fit(expected))
            .max()
            .unwrap_or(Fit::None),
        Ok(message) => Message::from(message).fit(expected),
        Err(error) if error.kind == ReadErrorKind::Syntax => Fit::None,
        Err(_) => Fit::Unread,
    }
}

fn without_bom(bytes: &[u8]) -> (&[u8], bool) {
    match bytes.strip_prefix(b"\xEF\xBB\xBF") {
        Some(rest) => (rest, true),
        None => (bytes, false),
    }
}

/// The members of a message that JSON-RPC gives a meaning.
#[derive(Default)]
struct Message {
    is_version_2: bool,
    id: Option<Value>,
    has_method: bool,
    result: Option<Value>,
    error: Option<Value>,
}

impl From<Value> for Message {
    fn from(value: Value) -> Self {
        let mut message = Self::default();
        let Value::Object(object) = value else {
            return message;
        };
        for (key, value) in object {
            match key.as_str() {
                Some("jsonrpc") => message.is_version_2 = value.as_str() == Some("2.0"),
                Some("id") => message.id = Some(value),
                Some("method") => message.has_method = true,
                Some("result") => message.result = Some(value),
                Some("error") => message.error = Some(value),
                _ => {}
            }
        }
        message
    }
}

impl Message {
    fn fit(&self, expected: &Id) -> Fit {
        let is_error = matches!(self.error, Some(Value::Object(_)));
        let is_result = self.result.is_some() && matches!(self.error, None | Some(Value::Null));
        match self.id_note(expected) {
            _ if !is_error && !is_result && self.has_method => Fit::OtherMessage,
            _ if !is_error && !is_result => Fit::None,
            None => Fit::Ours,
            Some(Note::IdForeign) if is_result => Fit::Foreign,
            Some(_) => Fit::Taken,
        }
    }

    fn id_note(&self, expected: &Id) -> Option<Note> {
        match (&self.id, expected) {
            (None, _) => Some(Note::IdMissing),
            (Some(Value::Null), _) => Some(Note::IdNull),
            (Some(id @ Value::Number(_)), Id::Number(ours)) => {
                (id.as_i64() != Some(*ours)).then_some(Note::IdForeign)
            }
            (Some(Value::String(id)), Id::Text(ours)) => {
                (*id != ours[..]).then_some(Note::IdForeign)
            }
            (Some(_), _) => Some(Note::IdTypeChanged),
        }
    }

    fn answer(self, notes: &mut BTreeSet<Note>) -> Option<Answer> {
        if self.result.is_some() && self.error.is_some() {
            notes.insert(Note::ResultAndError);
        }
        match (self.result, self.error) {
            (Some(result), None | Some(Value::Null)) => Some(Answer::Result(result)),
            (_, Some(Value::Object(error))) => {
                let error = ErrorObject::from(error);
                if error.code.is_none() {
                    notes.insert(Note::ErrorCode);
                }
                if error.message.is_none() {
                    notes.insert(Note::ErrorMessage);
                }
                Some(Answer::Error(error))
            }
            _ => None,
        }
    }
}

impl From<Object> for ErrorObject {
    fn from(object: Object) -> Self {
        let mut error = Self {
            code: None,
            message: None,
            data: None,
        };
        for (key, value) in object {
            match (key.as_str(), value) {
                (Some("code"), value) => error.code = value.as_i64(),
                (Some("message"), Value::String(text)) => error.message = Some(text),
                (Some("data"), value) => error.data = Some(value),
                _ => {}
            }
        }
        error
    }
}

#[cfg(test)]
mod tests;
