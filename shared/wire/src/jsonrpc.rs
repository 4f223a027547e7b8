//! JSON-RPC 2.0 answers as servers really send them (specification page
//! `2026-07-28/basic`; <https://www.jsonrpc.org/specification>).
//!
//! An HTTP exchange already ties an answer to its request, so one whose id is
//! missing, null or another's is still read; what is wrong with it is noted.

use std::collections::BTreeSet;

use touchstone_canonical::{JsonString, ReadError, Value, read};

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
            Self::NoResponse => "no_response",
        }
    }
}

/// Reads the answer to the request that carried `expected`.
pub fn read_answer(bytes: &[u8], expected: &Id) -> Result<Reading, NotJsonRpc> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(NotJsonRpc::Empty);
    }
    let mut notes = BTreeSet::new();
    let message = match read(bytes).map_err(NotJsonRpc::NotJson)? {
        Value::Array(messages) => {
            notes.insert(Note::Batch);
            best(messages, expected).ok_or(NotJsonRpc::NoResponse)?
        }
        message => message,
    };
    let answer = answer(&message, &mut notes).ok_or(NotJsonRpc::NoResponse)?;
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        notes.insert(Note::Version);
    }
    notes.extend(id_note(message.get("id"), expected));
    Ok(Reading { answer, notes })
}

/// How a message of a stream relates to a request of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// Not JSON, or no JSON-RPC.
    None,
    /// A notification, or a request of the server's.
    OtherMessage,
    /// A result for some other request.
    Foreign,
    /// A response whose id is not as it should be, and which cannot be another's.
    Taken,
    /// A response with our id.
    Ours,
}

pub(crate) fn fit(bytes: &[u8], expected: &Id) -> Fit {
    match read(bytes) {
        Ok(Value::Array(messages)) => messages
            .iter()
            .map(|message| fit_of(message, expected))
            .max()
            .unwrap_or(Fit::None),
        Ok(message) => fit_of(&message, expected),
        Err(_) => Fit::None,
    }
}

fn fit_of(message: &Value, expected: &Id) -> Fit {
    match answer(message, &mut BTreeSet::new()) {
        None if message.get("method").is_some() => Fit::OtherMessage,
        None => Fit::None,
        Some(answer) => match id_note(message.get("id"), expected) {
            None => Fit::Ours,
            Some(Note::IdForeign) if answer.error().is_none() => Fit::Foreign,
            Some(_) => Fit::Taken,
        },
    }
}

/// The message of a batch that answers our request best; the first of equals.
fn best(messages: Vec<Value>, expected: &Id) -> Option<Value> {
    messages
        .into_iter()
        .rev()
        .map(|message| (fit_of(&message, expected), message))
        .filter(|(fit, _)| *fit >= Fit::Foreign)
        .max_by_key(|(fit, _)| *fit)
        .map(|(_, message)| message)
}

fn answer(message: &Value, notes: &mut BTreeSet<Note>) -> Option<Answer> {
    let result = message.get("result");
    let error = message.get("error");
    if result.is_some() && error.is_some() {
        notes.insert(Note::ResultAndError);
    }
    match (result, error) {
        (Some(result), None | Some(Value::Null)) => Some(Answer::Result(result.clone())),
        (_, Some(error @ Value::Object(_))) => {
            let code = error.get("code").and_then(Value::as_i64);
            let message = error.get("message").and_then(Value::as_string);
            if code.is_none() {
                notes.insert(Note::ErrorCode);
            }
            if message.is_none() {
                notes.insert(Note::ErrorMessage);
            }
            Some(Answer::Error(ErrorObject {
                code,
                message: message.cloned(),
                data: error.get("data").cloned(),
            }))
        }
        _ => None,
    }
}

fn id_note(id: Option<&Value>, expected: &Id) -> Option<Note> {
    match (id, expected) {
        (None, _) => Some(Note::IdMissing),
        (Some(Value::Null), _) => Some(Note::IdNull),
        (Some(id @ Value::Number(_)), Id::Number(ours)) => {
            (id.as_i64() != Some(*ours)).then_some(Note::IdForeign)
        }
        (Some(Value::String(id)), Id::Text(ours)) => (*id != ours[..]).then_some(Note::IdForeign),
        (Some(_), _) => Some(Note::IdTypeChanged),
    }
}
