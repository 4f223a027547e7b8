//! Which headers are sent, and which are kept of those that came.

use http::{HeaderMap, HeaderName, HeaderValue, header};
use touchstone_proto::observation::Header;

use super::message::Request;

/// Who we are, and where a server's owner reads why we came.
pub const USER_AGENT: &str = concat!(
    "touchstone/",
    env!("CARGO_PKG_VERSION"),
    " (+https://touchstone.dev/probe)"
);

/// Response headers that are kept, lowercase and sorted. No other header of a
/// server enters a record.
pub const KEPT_HEADERS: [&str; 15] = [
    "allow",
    "cf-mitigated",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "location",
    "mcp-protocol-version",
    "mcp-session-id",
    "retry-after",
    "server",
    "set-cookie",
    "www-authenticate",
    "x-amzn-waf-action",
    "x-vercel-mitigated",
];

/// Headers of which only the presence is kept, in either direction.
const REDACTED: [&str; 5] = [
    "authorization",
    "cookie",
    "mcp-session-id",
    "proxy-authorization",
    "set-cookie",
];

/// Of all response headers of one exchange together, in bytes, as HTTP/1.1
/// writes them. Their number has no limit of its own.
pub const HEADERS_LIMIT_BYTES: u32 = 65_536;

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// The headers of a request as they are sent; `None` if one of them is no
/// header. To another host than the request's own no session id goes along.
pub(super) fn outgoing(
    request: &Request,
    user_agent: &HeaderValue,
    same_host: bool,
) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(header::USER_AGENT, user_agent.clone());
    // Bodies then arrive as any client sees them that asks for nothing, and a
    // stream is not held back in a compressor. Some servers compress all the
    // same; what can be decoded is.
    headers.insert(
        header::ACCEPT_ENCODING,
        HeaderValue::from_static("identity"),
    );
    for (name, value) in &request.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        if same_host || name != SESSION_ID {
            headers.append(name, HeaderValue::from_str(value).ok()?);
        }
    }
    Some(headers)
}

/// As recorded: every header that we send.
pub(super) fn sent(headers: &HeaderMap) -> Vec<Header> {
    headers
        .iter()
        .map(|(name, value)| recorded(name, value))
        .collect()
}

/// As recorded: those on the keep-list.
pub(super) fn kept(headers: &HeaderMap) -> Vec<Header> {
    headers
        .iter()
        .filter(|(name, _)| KEPT_HEADERS.binary_search(&name.as_str()).is_ok())
        .map(|(name, value)| recorded(name, value))
        .collect()
}

/// Bytes that HTTP/1.1 writes for these headers: `name: value`, CRLF.
pub(super) fn size(headers: &HeaderMap) -> usize {
    headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len())
        .sum()
}

pub(super) fn session_id(headers: &HeaderMap) -> Option<String> {
    headers.get(SESSION_ID)?.to_str().ok().map(str::to_owned)
}

fn recorded(name: &HeaderName, value: &HeaderValue) -> Header {
    let redacted = REDACTED.contains(&name.as_str());
    Header {
        name: name.as_str().to_owned(),
        value: if redacted {
            String::new()
        } else {
            String::from_utf8_lossy(value.as_bytes()).into_owned()
        },
        redacted,
    }
}

#[cfg(test)]
mod tests {
    use touchstone_wire::{challenge, edge};

    use super::*;

    #[test]
    fn the_keep_list_is_sorted_and_has_what_readers_look_at() {
        assert!(KEPT_HEADERS.is_sorted());
        assert!(edge::HEADERS.iter().all(|name| KEPT_HEADERS.contains(name)));
    }

    #[test]
    fn a_challenge_is_never_longer_than_is_read_of_one() {
        // A byte that is no UTF-8 is kept as U+FFFD, which has three.
        let replaced = char::REPLACEMENT_CHARACTER.len_utf8();
        assert!(HEADERS_LIMIT_BYTES as usize * replaced <= challenge::HEADER_LIMIT);
    }

    #[test]
    fn headers_have_the_size_that_they_are_written_with() {
        let mut headers = HeaderMap::new();
        headers.append("a", HeaderValue::from_static("b"));
        headers.append("a", HeaderValue::from_static(""));
        assert_eq!(size(&headers), "a: b\r\na: \r\n".len());
    }
}
