//! Pages for what is not there and for what broke. They look alike and say
//! different things.

use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
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
    response
}
