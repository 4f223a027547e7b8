//! Files of this build with which a reader checks evidence: the JSON Schema of
//! each payload version, and the scripts that recompute fingerprints.

use axum::extract::{Extension, Path};
use axum::response::Response;
use touchstone_canonical::recompute::{NODE, PYTHON};
use touchstone_evidence::schema::VERSIONS;

use super::proofs::data;
use crate::publish::problem;
use crate::publish::text::Text;

/// As long as a day: a name holds a version, and a build may yet mend the file.
const FOR_A_DAY: &str = "public, max-age=86400";
/// JSON Schema 2020-12, section 14 of its core.
const SCHEMA_TYPE: &str = "application/schema+json";

pub(super) async fn schema(Extension(text): Extension<Text>, Path(name): Path<String>) -> Response {
    match VERSIONS.iter().find(|known| known.file() == name) {
        Some(known) => data(SCHEMA_TYPE, FOR_A_DAY, known.schema.into()),
        None => problem::not_found(text, &name),
    }
}

pub(super) async fn script(Extension(text): Extension<Text>, Path(name): Path<String>) -> Response {
    let found = [
        (NODE, "text/javascript; charset=utf-8"),
        (PYTHON, "text/x-python; charset=utf-8"),
    ];
    match found.into_iter().find(|(script, _)| script.name == name) {
        Some((script, media_type)) => data(media_type, FOR_A_DAY, script.text.into()),
        None => problem::not_found(text, &name),
    }
}
