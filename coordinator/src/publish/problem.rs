//! Pages for what is not there and for what broke. They look alike and say
//! different things. No refusal leaves the site in another form: what the
//! router itself refuses becomes such a page in [`as_asked`].

use askama::Template;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use touchstone_words::{Language, Param};

use super::page::{Page, Place, answer};
use super::stranger::Stranger;
use super::text::{Prose, Text};
use super::twin;

#[derive(Template)]
#[template(path = "problem.html")]
struct Problem {
    page: Page,
    heading: Prose,
    /// What was asked for, if it is worth repeating.
    asked: Option<Stranger>,
    explanation: Prose,
    /// Our own name of the problem.
    key: &'static str,
}

/// How whoever asked reads the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Page,
    /// An address that ends in `.json`.
    Data,
}

impl Form {
    pub(super) fn of(path: &str) -> Self {
        // Addresses are told apart by case.
        match path.rsplit_once('.') {
            Some((_, "json" | "jwks")) => Self::Data,
            _ => Self::Page,
        }
    }
}

/// Marks an answer as one of this room's.
#[derive(Clone, Copy, Debug)]
struct Shown {
    key: &'static str,
    form: Form,
}

/// Gives every refusal as whoever asked reads it: as JSON where the address or
/// the `Accept` of the request says so, else as a page.
pub(super) async fn as_asked(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let text = language_of(path);
    let form = if prefers_data(request.headers()) {
        Form::Data
    } else {
        Form::of(path)
    };
    let response = next.run(request).await;
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return response;
    }
    let shown = response.extensions().get::<Shown>().copied();
    let key = match shown {
        Some(shown) if shown.form == form || form == Form::Page => return response,
        Some(shown) => shown.key,
        None => match status {
            StatusCode::NOT_FOUND => "not-found",
            StatusCode::METHOD_NOT_ALLOWED => "method-not-allowed",
            _ if status.is_client_error() => "bad-request",
            _ => "broken",
        },
    };
    let mut again = show(text, form, status, key, None);
    for name in [header::ALLOW, header::RETRY_AFTER] {
        if let Some(value) = response.headers().get(&name) {
            again.headers_mut().insert(name, value.clone());
        }
    }
    again
}

/// Whether `Accept` names JSON and no HTML (RFC 9110, section 12.5.1).
fn prefers_data(headers: &HeaderMap) -> bool {
    let accepts = |media_type: &str| {
        headers
            .get_all(header::ACCEPT)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .filter_map(|range| range.split(';').next())
            .any(|range| range.trim().eq_ignore_ascii_case(media_type))
    };
    (accepts("application/json") || accepts("application/problem+json")) && !accepts("text/html")
}

/// No page, no file at this address.
pub(super) fn not_found(text: Text, path: &str) -> Response {
    show(
        text,
        Form::of(path),
        StatusCode::NOT_FOUND,
        "not-found",
        Some(path),
    )
}

/// No target of this name, or no such run of it.
pub(super) fn no_target(text: Text, form: Form, slug: &str) -> Response {
    show(text, form, StatusCode::NOT_FOUND, "no-target", Some(slug))
}

/// No run of this id, or one that is not signed.
pub(super) fn no_evidence(text: Text, form: Form, run_id: &str) -> Response {
    show(
        text,
        form,
        StatusCode::NOT_FOUND,
        "no-evidence",
        Some(run_id),
    )
}

/// No run of this id: there never was one, or it was pruned.
pub(super) fn no_run(text: Text, form: Form, run_id: &str, kept_days: u32) -> Response {
    let days = [("days", Param::from(i64::from(kept_days)))];
    show_with(
        text,
        form,
        StatusCode::NOT_FOUND,
        "no-run",
        Some(run_id),
        &days,
    )
}

/// No key of this id.
pub(super) fn no_key(text: Text, key_id: &str) -> Response {
    show(
        text,
        Form::Page,
        StatusCode::NOT_FOUND,
        "no-key",
        Some(key_id),
    )
}

pub(super) fn bad_request(text: Text, form: Form) -> Response {
    show(text, form, StatusCode::BAD_REQUEST, "bad-request", None)
}

pub(super) fn method_not_allowed(text: Text, form: Form) -> Response {
    let mut response = show(
        text,
        form,
        StatusCode::METHOD_NOT_ALLOWED,
        "method-not-allowed",
        None,
    );
    response
        .headers_mut()
        .insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    response
}

/// The store, or the signer's key document, is not there now.
pub(super) fn unavailable(text: Text, form: Form) -> Response {
    let mut response = show(
        text,
        form,
        StatusCode::SERVICE_UNAVAILABLE,
        "unavailable",
        None,
    );
    response
        .headers_mut()
        .insert(header::RETRY_AFTER, HeaderValue::from_static("30"));
    response
}

/// A fault of ours.
pub(super) fn broken(text: Text, form: Form) -> Response {
    show(
        text,
        form,
        StatusCode::INTERNAL_SERVER_ERROR,
        "broken",
        None,
    )
}

/// When even a page about the fault cannot be made.
pub(super) fn last_resort(text: Text) -> Response {
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/plain; charset=utf-8"),
        ),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    let body = text.plain("problem-broken-text");
    (StatusCode::INTERNAL_SERVER_ERROR, headers, body).into_response()
}

/// The language of an address that no route matched.
pub(super) fn language_of(path: &str) -> Text {
    let rest = path.strip_prefix(Language::Chinese.prefix());
    Text(
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
            Language::Chinese
        } else {
            Language::English
        },
    )
}

fn show(
    text: Text,
    form: Form,
    status: StatusCode,
    key: &'static str,
    asked: Option<&str>,
) -> Response {
    show_with(text, form, status, key, asked, &[])
}

fn show_with(
    text: Text,
    form: Form,
    status: StatusCode,
    key: &'static str,
    asked: Option<&str>,
    args: &[(&str, Param)],
) -> Response {
    let mut response = match form {
        Form::Page => {
            let heading = text.t(&format!("problem-{key}"));
            let page = Page::new(text, Place::Nowhere, "/", heading.0.clone());
            let explanation = text.with(&format!("problem-{key}-text"), args);
            let asked = asked.map(|asked| Stranger(asked.to_owned()));
            answer(
                text,
                status,
                &Problem {
                    page,
                    heading,
                    asked,
                    explanation,
                    key,
                },
            )
        }
        Form::Data => {
            let media_type = HeaderValue::from_static("application/problem+json");
            let body = twin::body(&twin::problem(text, key, status.as_u16(), args));
            (status, [(header::CONTENT_TYPE, media_type)], body).into_response()
        }
    };
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.extensions_mut().insert(Shown { key, form });
    response
}
