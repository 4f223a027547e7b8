//! Addresses of evidence and keys, and of the files that their commands fetch.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use tokio::sync::SemaphorePermit;
use touchstone_evidence::keyset::KeyDocument;

use super::{SHORTLY, Shared, Site, failed, is_run_id};
use crate::publish::evidence::{self, Signed};
use crate::publish::problem::{self, Form};
use crate::publish::text::Text;
use crate::publish::{Source, headers, keys, twin};
use crate::store::read::Evidence;

/// The key document that was parsed last, with the bytes it was parsed from.
#[derive(Default)]
pub(super) struct ReadKeys(Mutex<Option<(Vec<u8>, Arc<KeyDocument>)>>);

impl ReadKeys {
    fn of(&self, bytes: &[u8]) -> Option<Arc<KeyDocument>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, document) = kept.as_ref()?;
        (of == bytes).then(|| Arc::clone(document))
    }

    fn keep(&self, bytes: Vec<u8>, document: &Arc<KeyDocument>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some((bytes, Arc::clone(document)));
    }
}

/// What a digest names never changes.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

pub(super) async fn evidence_page<S: Source>(
    State(site): Shared<S>,
    Extension(text): Extension<Text>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    let form = Form::of(&name);
    let run_id = name.strip_suffix(".json").unwrap_or(&name);
    let (evidence, keys, _place) = match signed_run(&site, text, form, run_id).await {
        Ok(found) => found,
        Err(answer) => return answer,
    };
    if form == Form::Page {
        let Some(signed) = Signed::of(&evidence, keys.as_deref()) else {
            return problem::no_evidence(text, form, run_id);
        };
        return evidence::show(
            text,
            &signed,
            &headers::origin(site.pages.origin.as_deref(), &headers),
        );
    }
    // A bundle may hold the bodies of a whole run; making it is work for a
    // thread of its own.
    let made = tokio::task::spawn_blocking(move || {
        let signed = Signed::of(&evidence, keys.as_deref())?;
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

pub(super) async fn evidence_file<S: Source>(
    State(site): Shared<S>,
    Extension(text): Extension<Text>,
    Path((run_id, file)): Path<(String, String)>,
) -> Response {
    let (evidence, keys, _place) = match signed_run(&site, text, Form::Data, &run_id).await {
        Ok(found) => found,
        Err(answer) => return answer,
    };
    let Some(signed) = Signed::of(&evidence, keys.as_deref()) else {
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
async fn signed_run<'a, S: Source>(
    site: &'a Site<S>,
    text: Text,
    form: Form,
    run_id: &str,
) -> Result<(Evidence, Option<Arc<KeyDocument>>, SemaphorePermit<'a>), Response> {
    if !is_run_id(run_id) {
        return Err(problem::no_evidence(text, form, run_id));
    }
    // The semaphore is never closed; were it, the page would be ours to miss.
    let place = site
        .evidence
        .acquire()
        .await
        .map_err(|_| problem::unavailable(text, form))?;
    let found = site.pages.source.evidence(run_id).await;
    let evidence = found
        .map_err(|error| failed(text, form, &error))?
        .ok_or_else(|| match site.pages.runs_kept_days {
            Some(days) => problem::no_run(text, form, run_id, days),
            None => problem::no_evidence(text, form, run_id),
        })?;
    if evidence.envelope.is_none() {
        return Err(problem::no_evidence(text, form, run_id));
    }
    Ok((evidence, read_keys(site, text, form).await?, place))
}

async fn read_keys<S: Source>(
    site: &Site<S>,
    text: Text,
    form: Form,
) -> Result<Option<Arc<KeyDocument>>, Response> {
    let stored = site
        .pages
        .source
        .keys()
        .await
        .map_err(|error| failed(text, form, &error))?;
    let Some(stored) = stored else {
        return Ok(None);
    };
    if let Some(document) = site.keys.of(&stored.document) {
        return Ok(Some(document));
    }
    // Thousands of keys to decode: work for a thread of its own.
    let read = tokio::task::spawn_blocking(move || {
        KeyDocument::read(&stored.document).map(|document| (stored.document, Arc::new(document)))
    });
    match read.await {
        Ok(Ok((bytes, document))) => {
            site.keys.keep(bytes, &document);
            Ok(Some(document))
        }
        Ok(Err(error)) => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "the stored key document cannot be read"
            );
            Err(problem::broken(text, form))
        }
        Err(_) => Err(problem::broken(text, form)),
    }
}

pub(super) async fn keys_page<S: Source>(
    State(site): Shared<S>,
    Extension(text): Extension<Text>,
    headers: HeaderMap,
) -> Response {
    match read_keys(&site, text, Form::Page).await {
        Ok(Some(document)) => {
            let origin = headers::origin(site.pages.origin.as_deref(), &headers);
            let source = &site.pages.source;
            let isolation = source.signer_isolation();
            keys::show(text, &document, &isolation, source.now_ms(), &origin)
        }
        Ok(None) => problem::unavailable(text, Form::Page),
        Err(answer) => answer,
    }
}

/// The signer's document, byte for byte.
pub(super) async fn key_document<S: Source>(
    State(site): Shared<S>,
    Extension(text): Extension<Text>,
) -> Response {
    match site.pages.source.keys().await {
        Ok(Some(stored)) => data("application/json", SHORTLY, stored.document),
        Ok(None) => problem::unavailable(text, Form::Data),
        Err(error) => failed(text, Form::Data, &error),
    }
}

pub(super) async fn key_set<S: Source>(
    State(site): Shared<S>,
    Extension(text): Extension<Text>,
) -> Response {
    match read_keys(&site, text, Form::Data).await {
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
pub(super) async fn key_file<S: Source>(
    State(site): Shared<S>,
    Extension(text): Extension<Text>,
    Path(name): Path<String>,
) -> Response {
    let Some(start) = name
        .strip_suffix(".pem")
        .filter(|id| evidence::is_short_key(id))
    else {
        return problem::no_key(text, &name);
    };
    let document = match read_keys(&site, text, Form::Page).await {
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

/// Bytes for programs, readable from any origin: they are public, and no
/// answer of ours depends on who asks.
pub(super) fn data(media_type: &'static str, keep: &'static str, bytes: Vec<u8>) -> Response {
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
