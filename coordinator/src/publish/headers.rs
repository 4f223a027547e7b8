//! What stands on every answer: where a page may load from, and how long an
//! answer may be kept. And the address of this site in commands.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

/// Nothing but our own files; no frame, no form elsewhere, nothing inline.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
     connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const ALWAYS: [(HeaderName, HeaderValue); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(POLICY),
    ),
    (
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    ),
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    ),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), geolocation=(), microphone=()"),
    ),
];

/// Longest `Host` that is repeated in a command.
const HOST_LIMIT: usize = 255;

pub(super) async fn add(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    response.headers_mut().extend(ALWAYS);
    response
}

/// Where this site stands, for commands that a reader copies: as configured,
/// or as the reader reached it. A host that is not plainly one is not repeated.
pub(super) fn origin(configured: Option<&str>, headers: &HeaderMap) -> String {
    if let Some(origin) = configured {
        return origin.trim_end_matches('/').to_owned();
    }
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .filter(|host| !host.is_empty() && host.len() <= HOST_LIMIT)
        .filter(|host| {
            host.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b".-:[]_".contains(&b))
        });
    format!("http://{}", host.unwrap_or("localhost"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_repeated_only_when_it_is_one() {
        let headers = |host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
            headers
        };
        assert_eq!(
            origin(None, &headers("127.0.0.1:7080")),
            "http://127.0.0.1:7080"
        );
        assert_eq!(origin(None, &headers("[::1]:7080")), "http://[::1]:7080");
        assert_eq!(origin(None, &headers("a';id;'")), "http://localhost");
        assert_eq!(origin(None, &headers(&"a".repeat(300))), "http://localhost");
        assert_eq!(
            origin(Some("https://t.example/"), &headers("other")),
            "https://t.example"
        );
    }
}
