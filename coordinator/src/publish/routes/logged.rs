//! Addresses of the log: its page, and the files of C2SP tlog-tiles.

use axum::extract::{Extension, Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use touchstone_evidence::log::checkpoint::SignedCheckpoint;
use touchstone_evidence::log::tile::Tile;

use super::proofs::{FOR_EVER, data, read_keys};
use super::{QUERY_LIMIT, SHORTLY, Shared, Site, failed};
use crate::publish::problem::{self, Form};
use crate::publish::text::Text;
use crate::publish::{Source, headers, log, twin};

/// A checkpoint is asked for to learn what is new.
const NEVER: &str = "no-store";
/// Longest address of a tile that is looked at, in bytes.
const TILE_PATH_LIMIT: usize = 64;

#[derive(Debug, Deserialize)]
pub(super) struct Search {
    #[serde(default)]
    q: String,
}

pub(super) async fn page<S: Source>(
    site: Shared<S>,
    text: Extension<Text>,
    Query(search): Query<Search>,
    headers: HeaderMap,
) -> Response {
    show(site, text, search, &headers, Form::Page).await
}

pub(super) async fn page_data<S: Source>(
    site: Shared<S>,
    text: Extension<Text>,
    Query(search): Query<Search>,
    headers: HeaderMap,
) -> Response {
    show(site, text, search, &headers, Form::Data).await
}

async fn show<S: Source>(
    State(site): Shared<S>,
    Extension(text): Extension<Text>,
    search: Search,
    headers: &HeaderMap,
    form: Form,
) -> Response {
    let checkpoint = match read_checkpoint(&site, text, form).await {
        Ok(checkpoint) => checkpoint,
        Err(answer) => return answer,
    };
    let keys = match read_keys(&site, text, form).await {
        Ok(keys) => keys,
        Err(answer) => return answer,
    };
    let asked: String = search.q.trim().chars().take(QUERY_LIMIT).collect();
    let wanted = asked.strip_prefix("sha256:").unwrap_or(&asked);
    let lines = match site.pages.source.log_lines(wanted).await {
        Ok(lines) => lines,
        Err(error) => return failed(text, form, &error),
    };
    let shown = log::Shown {
        checkpoint: &checkpoint,
        keys: keys.as_deref(),
        asked: &asked,
        lines: &lines,
    };
    match form {
        Form::Page => {
            let origin = headers::origin(site.pages.origin.as_deref(), headers);
            log::show(text, &shown, &origin)
        }
        Form::Data => data("application/json", SHORTLY, twin::body(&log::twin(&shown))),
    }
}

async fn read_checkpoint<S: Source>(
    site: &Site<S>,
    text: Text,
    form: Form,
) -> Result<SignedCheckpoint, Response> {
    let found = site.pages.source.log_checkpoint().await;
    let note = found
        .map_err(|error| failed(text, form, &error))?
        .ok_or_else(|| problem::unavailable(text, form))?;
    SignedCheckpoint::read(&note).map_err(|error| {
        tracing::error!(
            error = &error as &dyn std::error::Error,
            "the stored checkpoint cannot be read"
        );
        problem::broken(text, form)
    })
}

pub(super) async fn checkpoint<S: Source>(
    State(site): Shared<S>,
    Extension(text): Extension<Text>,
) -> Response {
    match site.pages.source.log_checkpoint().await {
        Ok(Some(note)) => data("text/plain; charset=utf-8", NEVER, note),
        Ok(None) => problem::unavailable(text, Form::Data),
        Err(error) => failed(text, Form::Data, &error),
    }
}

/// What is served was proved before, and stays as it is.
pub(super) async fn tile<S: Source>(
    State(site): Shared<S>,
    Extension(text): Extension<Text>,
    Path(path): Path<String>,
) -> Response {
    let tile = (path.len() <= TILE_PATH_LIMIT).then(|| Tile::read_path(&path));
    let Some(tile) = tile.flatten() else {
        return problem::not_found(text, &path);
    };
    match site.pages.source.log_tile(tile).await {
        Ok(Some(bytes)) => data("application/octet-stream", FOR_EVER, bytes),
        Ok(None) => problem::not_found(text, &path),
        Err(error) => failed(text, Form::Data, &error),
    }
}
