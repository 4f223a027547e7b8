//! Which framing a response's `Content-Type` names.

/// The kinds of body that matter to a reader of MCP answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Media {
    /// `application/json`.
    Json,
    /// `text/event-stream`.
    EventStream,
    /// `text/html` or `application/xhtml+xml`: a page for people.
    Html,
    /// Any other type.
    Other,
    /// No type named. Some servers send their JSON errors so.
    Unnamed,
}

impl Media {
    /// From the header's value. Parameters such as `charset` and the case of
    /// letters say nothing (RFC 9110 section 8.3.1).
    pub fn of(content_type: Option<&str>) -> Self {
        let Some(value) = content_type else {
            return Self::Unnamed;
        };
        let name = value.split(';').next().unwrap_or_default().trim();
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        if name.is_empty() {
            Self::Unnamed
        } else if is("application/json") {
            Self::Json
        } else if is("text/event-stream") {
            Self::EventStream
        } else if is("text/html") || is("application/xhtml+xml") {
            Self::Html
        } else {
            Self::Other
        }
    }

    /// Whether the body may hold one JSON-RPC message as it is.
    pub fn may_be_json(self) -> bool {
        matches!(self, Self::Json | Self::Unnamed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_type_itself_counts() {
        for (header, media) in [
            (None, Media::Unnamed),
            (Some(""), Media::Unnamed),
            (Some("application/json"), Media::Json),
            (Some("Application/JSON ; charset=utf-8"), Media::Json),
            (Some("text/event-stream;charset=utf-8"), Media::EventStream),
            (Some("text/html; charset=utf-8"), Media::Html),
            (Some("text/plain"), Media::Other),
            (Some("application/json-rpc"), Media::Other),
        ] {
            assert_eq!(Media::of(header), media, "{header:?}");
        }
    }
}
