//! Which address shows what. Every address is checked before it is looked up,
//! and answers GET and HEAD alone.

mod checkers;
mod logged;
mod proofs;

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Extension, Path, Query, Request, State};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use serde::Deserialize;
use tokio::sync::Semaphore;
use touchstone_words::{self as words, Language};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;

use super::directory::{self, Asked};
use super::limits::{
    COMPRESS_FROM_BYTES, CURSOR_LIMIT, EVIDENCE_AT_ONCE, PAGE_ENTRIES, PAGE_TIMEOUT, QUERY_LIMIT,
    REQUEST_BODY_LIMIT, RUN_ID_LIMIT, SLUG_LIMIT,
};
use super::problem::{self, Form};
use super::report::{self, Reading};
use super::text::Text;
use super::{Pages, Source, Unavailable, assets, changes, headers, method, status, twin};
use crate::store::read::{DirectoryQuery, SignatureFilter};

/// What is judged by a clock, or grows.
const SHORTLY: &str = "public, max-age=15";

type Shared<S> = State<Arc<Site<S>>>;

/// What all handlers share.
struct Site<S> {
    pages: Pages<S>,
    /// The key document as it was last read, so that it is parsed once.
    keys: proofs::ReadKeys,
    /// A place for each evidence that is held in memory at one time.
    evidence: Semaphore,
}

/// All pages over one source.
pub fn router<S: Source>(pages: Pages<S>) -> Router {
    let english = in_language::<S>(Language::English);
    let chinese = in_language::<S>(Language::Chinese);
    let files = Router::new()
        .route("/assets/{name}", get(asset))
        .route("/status.json", get(fleet_data::<S>))
        .route("/fleet.json", get(fleet_data::<S>))
        .route("/keys.json", get(proofs::key_document::<S>))
        .route(
            "/.well-known/touchstone-keys.json",
            get(proofs::key_document::<S>),
        )
        .route("/log.json", get(logged::page_data::<S>))
        .route("/log/checkpoint", get(logged::checkpoint::<S>))
        .route("/log/tile/{*path}", get(logged::tile::<S>))
        .route("/keys.jwks", get(proofs::key_set::<S>))
        .route("/keys/{name}", get(proofs::key_file::<S>))
        .route("/evidence/{run_id}/{file}", get(proofs::evidence_file::<S>))
        .route("/schema/{name}", get(checkers::schema))
        .route("/scripts/{name}", get(checkers::script))
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
        .layer(middleware::from_fn(problem::as_asked))
        .layer(
            CompressionLayer::new()
                .gzip(true)
                .compress_when(SizeAbove::new(COMPRESS_FROM_BYTES)),
        )
        .layer(middleware::from_fn(headers::add))
        .with_state(Arc::new(Site {
            pages,
            keys: proofs::ReadKeys::default(),
            evidence: Semaphore::new(EVIDENCE_AT_ONCE),
        }))
}

fn in_language<S: Source>(language: Language) -> Router<Arc<Site<S>>> {
    Router::new()
        .route("/", get(directory::<S>))
        .route("/servers/{slug}", get(newest::<S>))
        .route("/servers/{slug}/changes", get(tool_changes::<S>))
        .route("/servers/{slug}/changes.json", get(tool_changes::<S>))
        .route("/servers/{slug}/runs/{run_id}", get(one_run::<S>))
        .route("/evidence/{run_id}", get(proofs::evidence_page::<S>))
        .route("/keys", get(proofs::keys_page::<S>))
        .route("/log", get(logged::page::<S>))
        .route("/status", get(fleet_page::<S>))
        .route("/fleet", get(fleet_page::<S>))
        .route("/method", get(methods))
        .route("/method/{check}", get(one_method))
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
    State(site): Shared<S>,
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
    match site.pages.source.directory(&query).await {
        Ok(found) => directory::show(text, &asked, &found, site.pages.source.now_ms()),
        Err(error) => failed(text, Form::Page, &error),
    }
}

async fn newest<S: Source>(
    site: Shared<S>,
    Extension(text): Extension<Text>,
    Path(name): Path<String>,
) -> Response {
    show_report(site, text, &name, None, Form::of(&name)).await
}

async fn one_run<S: Source>(
    site: Shared<S>,
    Extension(text): Extension<Text>,
    Path((slug, run)): Path<(String, String)>,
) -> Response {
    let form = Form::of(&run);
    let run_id = run.strip_suffix(".json").unwrap_or(&run);
    if !is_run_id(run_id) {
        return problem::no_target(text, form, &slug);
    }
    show_report(site, text, &slug, Some(run_id), form).await
}

async fn show_report<S: Source>(
    State(site): Shared<S>,
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
    let report = match site.pages.source.report(slug, run_id).await {
        Ok(Some(report)) => report,
        Ok(None) => {
            return match (run_id, site.pages.runs_kept_days) {
                (Some(run_id), Some(days)) => problem::no_run(text, form, run_id, days),
                _ => problem::no_target(text, form, slug),
            };
        }
        Err(error) => return failed(text, form, &error),
    };
    let now_ms = site.pages.source.now_ms();
    match form {
        Form::Page => report::show(text, &report, now_ms),
        Form::Data => {
            let reading = Reading::new(text, &report, now_ms);
            proofs::data(
                "application/json",
                SHORTLY,
                twin::body(&twin::report(&reading)),
            )
        }
    }
}

#[derive(Debug, Deserialize)]
struct Before {
    before: Option<i64>,
}

async fn tool_changes<S: Source>(
    State(site): Shared<S>,
    Extension(text): Extension<Text>,
    Path(slug): Path<String>,
    uri: Uri,
    before: Result<Query<Before>, axum::extract::rejection::QueryRejection>,
) -> Response {
    let form = Form::of(uri.path());
    let Ok(Query(Before { before })) = before else {
        return problem::bad_request(text, form);
    };
    if !is_slug(&slug) {
        return problem::no_target(text, form, &slug);
    }
    match (site.pages.source.tool_changes(&slug, before).await, form) {
        (Ok(None), _) => problem::no_target(text, form, &slug),
        (Err(error), _) => failed(text, form, &error),
        (Ok(Some(history)), Form::Page) => changes::show(text, &history, before),
        (Ok(Some(history)), Form::Data) => proofs::data(
            "application/json",
            SHORTLY,
            twin::body(&changes::data(&history)),
        ),
    }
}

async fn fleet_page<S: Source>(
    State(site): Shared<S>,
    Extension(text): Extension<Text>,
    uri: Uri,
) -> Response {
    match site.pages.source.status().await {
        Ok(found) if uri.path().ends_with("/fleet") => status::show_fleet(text, &found),
        Ok(found) => status::show(text, &found),
        Err(error) => failed(text, Form::Page, &error),
    }
}

async fn fleet_data<S: Source>(
    State(site): Shared<S>,
    Extension(text): Extension<Text>,
    uri: Uri,
) -> Response {
    let data = match site.pages.source.status().await {
        Ok(found) if uri.path() == "/fleet.json" => status::fleet_data(&found),
        Ok(found) => status::data(&found),
        Err(error) => return failed(text, Form::Data, &error),
    };
    proofs::data("application/json", SHORTLY, twin::body(&data))
}

async fn methods(Extension(text): Extension<Text>) -> Response {
    method::show(text)
}

async fn one_method(Extension(text): Extension<Text>, Path(check): Path<String>) -> Response {
    match words::answers(&check) {
        Some(answers) => method::show_check(text, answers),
        None => problem::not_found(text, &check),
    }
}

async fn asset(Extension(text): Extension<Text>, Path(name): Path<String>) -> Response {
    assets::serve(&name).unwrap_or_else(|| problem::not_found(text, &name))
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
