//! Which address shows what. Every address is checked before it is looked up,
//! and answers GET and HEAD alone.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Extension, Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use serde::Deserialize;
use touchstone_evidence::keyset::KeyDocument;
use touchstone_words::Language;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;

use super::directory::{self, Asked};
use super::evidence::{self, Signed};
use super::limits::{
    COMPRESS_FROM_BYTES, CURSOR_LIMIT, PAGE_ENTRIES, PAGE_TIMEOUT, QUERY_LIMIT, REQUEST_BODY_LIMIT,
    RUN_ID_LIMIT, SLUG_LIMIT,
};
use super::problem::{self, Form};
use super::report::{self, Reading};
use super::text::Text;
use super::{Pages, Source, Unavailable, assets, headers, keys, twin};
use crate::store::read::{DirectoryQuery, Evidence, SignatureFilter};

/// What a digest names never changes.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// What is judged by a clock, or grows.
const SHORTLY: &str = "public, max-age=15";

type Shared<S> = State<Arc<Pages<S>>>;

/// All pages over one source.
pub fn router<S: Source>(pages: Pages<S>) -> Router {
    let english = in_language::<S>(Language::English);
    let chinese = in_language::<S>(Language::Chinese);
    let files = Router::new()
        .route("/assets/{name}", get(asset))
        .route("/keys.json", get(key_document::<S>))
        .route("/.well-known/touchstone-keys.json", get(key_document::<S>))
        .route("/keys.jwks", get(key_set::<S>))
        .route("/keys/{name}", get(key_file::<S>))
        .route("/evidence/{run_id}/{file}", get(evidence_file::<S>))
        .layer(Extension(Text(Language::English)));
    Router::new()
        .merge(english)
        .merge(files)
        .nest(Language::Chinese.prefix(), chinese)
        .route(
            "/zh/",
            get(directory::<S>).layer(Extension(Text(Language::Chinese))),
        )
        .fallback(missing)
        .method_not_allowed_fallback(refused)
        .layer(DefaultBodyLimit::max(REQUEST_BODY_LIMIT))
        .layer(middleware::from_fn(in_time))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(
            CompressionLayer::new()
                .gzip(true)
                .compress_when(SizeAbove::new(COMPRESS_FROM_BYTES)),
        )
        .layer(middleware::from_fn(headers::add))
        .with_state(Arc::new(pages))
}

fn in_language<S: Source>(language: Language) -> Router<Arc<Pages<S>>> {
    Router::new()
        .route("/", get(directory::<S>))
        .route("/servers/{slug}", get(newest::<S>))
        .route("/servers/{slug}/runs/{run_id}", get(one_run::<S>))
        .route("/evidence/{run_id}", get(evidence_page::<S>))
        .route("/keys", get(keys_page::<S>))
        .layer(Extension(Text(language)))
}

#[derive(Debug, Deserialize)]
struct Search {
    #[serde(default)]
    q: String,
    #[serde(default)]
    sig: String,
    after: Option<String>,
}

async fn directory<S: Source>(
    State(pages): Shared<S>,
    Extension(text): Extension<Text>,
    search: Result<Query<Search>, axum::extract::rejection::QueryRejection>,
) -> Response {
    let Ok(Query(search)) = search else {
        return problem::bad_request(text, Form::Page);
    };
    let (signature, filter) = match search.sig.as_str() {
        "full" => ("full", Some(SignatureFilter::Full)),
        "limited" => ("limited", Some(SignatureFilter::Limited)),
        "none" => ("none", Some(SignatureFilter::None)),
        "" => ("", None),
        _ => return problem::bad_request(text, Form::Page),
    };
    if search
        .after
        .as_ref()
        .is_some_and(|cursor| cursor.len() > CURSOR_LIMIT)
    {
        return problem::bad_request(text, Form::Page);
    }
    let asked = Asked {
        text: search.q.trim().chars().take(QUERY_LIMIT).collect(),
        signature,
    };
    let query = DirectoryQuery {
        text: asked.text.clone(),
        signature: filter,
        cursor: search.after,
        limit: PAGE_ENTRIES,
    };
    match pages.source.directory(&query).await {
        Ok(found) => directory::show(text, &asked, &found, pages.source.now_ms()),
        Err(error) => failed(text, Form::Page, &error),
    }
}

async fn newest<S: Source>(
    pages: Shared<S>,
    Extension(text): Extension<Text>,
    Path(name): Path<String>,
) -> Response {
    show_report(pages, text, &name, None, Form::of(&name)).await
}

async fn one_run<S: Source>(
    pages: Shared<S>,
    Extension(text): Extension<Text>,
    Path((slug, run)): Path<(String, String)>,
) -> Response {
    let form = Form::of(&run);
    let run_id = run.strip_suffix(".json").unwrap_or(&run);
    if !is_run_id(run_id) {
        return problem::no_target(text, form, &slug);
    }
    show_report(pages, text, &slug, Some(run_id), form).await
}

async fn show_report<S: Source>(
    State(pages): Shared<S>,
    text: Text,
    name: &str,
    run_id: Option<&str>,
    form: Form,
) -> Response {
    let slug = if run_id.is_none() {
        name.strip_suffix(".json").unwrap_or(name)
    } else {
        name
    };
    if !is_slug(slug) {
        return problem::no_target(text, form, name);
    }
    let report = match pages.source.report(slug, run_id).await {
        Ok(Some(report)) => report,
        Ok(None) => return problem::no_target(text, form, slug),
        Err(error) => return failed(text, form, &error),
    };
    let now_ms = pages.source.now_ms();
    match form {
        Form::Page => report::show(text, &report, now_ms),
        Form::Data => {
            let reading = Reading::new(text, &report, now_ms);
            data(
                "application/json",
                SHORTLY,
                twin::body(&twin::report(&reading)),
            )
        }
    }
}

async fn evidence_page<S: Source>(
    State(pages): Shared<S>,
    Extension(text): Extension<Text>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    let form = Form::of(&name);
    let run_id = name.strip_suffix(".json").unwrap_or(&name);
    let (evidence, keys) = match signed_run(&pages, text, form, run_id).await {
        Ok(found) => found,
        Err(answer) => return answer,
    };
    if form == Form::Page {
        let Some(signed) = Signed::of(&evidence, keys.as_ref()) else {
            return problem::no_evidence(text, form, run_id);
        };
        return evidence::show(
            text,
            &signed,
            &headers::origin(pages.origin.as_deref(), &headers),
        );
    }
    // A bundle may hold the bodies of a whole run; making it is work for a
    // thread of its own.
    let made = tokio::task::spawn_blocking(move || {
        let signed = Signed::of(&evidence, keys.as_ref())?;
        Some(signed.bundle())
    });
    match made.await {
        Ok(Some(Some(bundle))) => {
            let mut response = data("application/json", SHORTLY, bundle);
            save_as(&mut response, &name);
            response
        }
        // Signed, and its key is not in the document that we hold: for now.
        Ok(Some(None)) => problem::unavailable(text, form),
        Ok(None) => problem::no_evidence(text, form, run_id),
        Err(_) => problem::broken(text, form),
    }
}

async fn evidence_file<S: Source>(
    State(pages): Shared<S>,
    Extension(text): Extension<Text>,
    Path((run_id, file)): Path<(String, String)>,
) -> Response {
    let (evidence, keys) = match signed_run(&pages, text, Form::Data, &run_id).await {
        Ok(found) => found,
        Err(answer) => return answer,
    };
    let Some(signed) = Signed::of(&evidence, keys.as_ref()) else {
        return problem::no_evidence(text, Form::Data, &run_id);
    };
    let page = file
        .strip_prefix("tools-")
        .and_then(|rest| rest.strip_suffix(".json"))
        .and_then(|number| number.parse().ok());
    let bytes = match (file.as_str(), page) {
        ("payload.json", _) => Some(signed.payload()),
        ("envelope.json", _) => Some(signed.envelope()),
        (_, Some(number)) => signed.tool_page(number),
        _ => None,
    };
    let Some(bytes) = bytes else {
        return problem::not_found(text, &file);
    };
    let mut response = data("application/json", FOR_EVER, bytes.to_vec());
    save_as(&mut response, &file);
    response
}

/// The evidence of a run and the keys to check it with; the answer to give
/// when there is none.
async fn signed_run<S: Source>(
    pages: &Pages<S>,
    text: Text,
    form: Form,
    run_id: &str,
) -> Result<(Evidence, Option<KeyDocument>), Response> {
    if !is_run_id(run_id) {
        return Err(problem::no_evidence(text, form, run_id));
    }
    let found = pages.source.evidence(run_id).await;
    let evidence = found
        .map_err(|error| failed(text, form, &error))?
        .filter(|evidence| evidence.envelope.is_some())
        .ok_or_else(|| problem::no_evidence(text, form, run_id))?;
    Ok((evidence, read_keys(pages, text, form).await?))
}

async fn read_keys<S: Source>(
    pages: &Pages<S>,
    text: Text,
    form: Form,
) -> Result<Option<KeyDocument>, Response> {
    let stored = pages
        .source
        .keys()
        .await
        .map_err(|error| failed(text, form, &error))?;
    let Some(stored) = stored else {
        return Ok(None);
    };
    match KeyDocument::read(&stored.document) {
        Ok(document) => Ok(Some(document)),
        Err(error) => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "the stored key document cannot be read"
            );
            Err(problem::broken(text, form))
        }
    }
}

async fn keys_page<S: Source>(
    State(pages): Shared<S>,
    Extension(text): Extension<Text>,
    headers: HeaderMap,
) -> Response {
    match read_keys(&pages, text, Form::Page).await {
        Ok(Some(document)) => {
            let origin = headers::origin(pages.origin.as_deref(), &headers);
            keys::show(text, &document, pages.source.now_ms(), &origin)
        }
        Ok(None) => problem::unavailable(text, Form::Page),
        Err(answer) => answer,
    }
}

/// The signer's document, byte for byte.
async fn key_document<S: Source>(
    State(pages): Shared<S>,
    Extension(text): Extension<Text>,
) -> Response {
    match pages.source.keys().await {
        Ok(Some(stored)) => data("application/json", SHORTLY, stored.document),
        Ok(None) => problem::unavailable(text, Form::Data),
        Err(error) => failed(text, Form::Data, &error),
    }
}

async fn key_set<S: Source>(State(pages): Shared<S>, Extension(text): Extension<Text>) -> Response {
    match read_keys(&pages, text, Form::Data).await {
        Ok(Some(document)) => data(
            "application/jwk-set+json",
            SHORTLY,
            twin::body(&document.jwks()),
        ),
        Ok(None) => problem::unavailable(text, Form::Data),
        Err(answer) => answer,
    }
}

/// One key as OpenSSL reads it, by the start of its id.
async fn key_file<S: Source>(
    State(pages): Shared<S>,
    Extension(text): Extension<Text>,
    Path(name): Path<String>,
) -> Response {
    let Some(start) = name
        .strip_suffix(".pem")
        .filter(|id| evidence::is_short_key(id))
    else {
        return problem::no_key(text, &name);
    };
    let document = match read_keys(&pages, text, Form::Page).await {
        Ok(Some(document)) => document,
        Ok(None) => return problem::unavailable(text, Form::Page),
        Err(answer) => return answer,
    };
    let mut fitting = document
        .keys()
        .iter()
        .filter(|key| key.key_id.as_str().starts_with(start));
    // Two keys whose ids start alike would not be told apart by this name.
    match (fitting.next(), fitting.next()) {
        (Some(key), None) => {
            let mut response = data(
                "application/x-pem-file",
                SHORTLY,
                keys::pem(key).into_bytes(),
            );
            save_as(&mut response, &name);
            response
        }
        _ => problem::no_key(text, &name),
    }
}

async fn asset(Extension(text): Extension<Text>, name: Path<String>, request: Request) -> Response {
    match assets::serve(name).await {
        Some(response) => response,
        None => problem::not_found(text, request.uri().path()),
    }
}

async fn missing(request: Request) -> Response {
    let path = request.uri().path();
    problem::not_found(problem::language_of(path), path)
}

async fn refused(request: Request) -> Response {
    let path = request.uri().path();
    problem::method_not_allowed(problem::language_of(path), Form::of(path))
}

/// A page that is not made in time has failed; who waits is told.
async fn in_time(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let (text, form) = (problem::language_of(path), Form::of(path));
    let head_or_get = matches!(*request.method(), Method::GET | Method::HEAD);
    match tokio::time::timeout(PAGE_TIMEOUT, next.run(request)).await {
        Ok(response) => response,
        Err(_) if head_or_get => problem::unavailable(text, form),
        Err(_) => StatusCode::REQUEST_TIMEOUT.into_response(),
    }
}

fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    tracing::error!("a page panicked");
    problem::broken(Text(Language::English), Form::Page)
}

fn failed(text: Text, form: Form, error: &Unavailable) -> Response {
    tracing::warn!(
        error = error as &dyn std::error::Error,
        "a page could not be read"
    );
    problem::unavailable(text, form)
}

/// Bytes for programs, readable from any origin: they are public, and no
/// answer of ours depends on who asks.
fn data(media_type: &'static str, keep: &'static str, bytes: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static(keep)),
        (
            header::ACCESS_CONTROL_ALLOW_ORIGIN,
            HeaderValue::from_static("*"),
        ),
    ];
    (headers, bytes).into_response()
}

/// A browser saves it under this name. The name was checked to be plain.
fn save_as(response: &mut Response, name: &str) {
    if let Ok(value) = HeaderValue::try_from(format!("attachment; filename=\"{name}\"")) {
        response
            .headers_mut()
            .insert(header::CONTENT_DISPOSITION, value);
    }
}

fn is_slug(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= SLUG_LIMIT
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-'))
}

fn is_run_id(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= RUN_ID_LIMIT
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b':' | b'-' | b'_'))
}
