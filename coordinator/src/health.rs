//! `/healthz`: whether this process can do its work, for whoever restarts it or
//! sends it traffic. 200 when results can be stored, 503 when not. A signer that
//! is away is said and is no fault: runs wait for it.

use axum::{Json, Router, extract::State, http::StatusCode, routing::get};
use serde_json::json;

use crate::store::{Reader, read::StoreHealth};

/// The health check's route.
pub(crate) fn router(reader: Reader) -> Router {
    Router::new()
        .route("/healthz", get(health))
        .with_state(reader)
}

async fn health(State(reader): State<Reader>) -> (StatusCode, Json<serde_json::Value>) {
    let (code, body) = match reader.vitals().await {
        Ok(vitals) => {
            let code = if vitals.store == StoreHealth::Ok {
                StatusCode::OK
            } else {
                StatusCode::SERVICE_UNAVAILABLE
            };
            (code, json!(vitals))
        }
        Err(error) => {
            let body = json!({ "store": error.health() });
            (StatusCode::SERVICE_UNAVAILABLE, body)
        }
    };
    (code, Json(body))
}
