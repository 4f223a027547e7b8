//! What the operator of this machine may ask of a running coordinator, on a
//! socket that only its owner can open: approve a baseline, list baselines.
//! Nothing here reads what a run saw; the signer does that.

mod client;

pub use client::{Asked, OperatorClient, OperatorError};
use tonic::{Request, Response, Status, transport::server::UdsConnectInfo};
use touchstone_proto::operator::{
    ApproveBaselineRequest, ApproveBaselineResponse, Baseline, ListBaselinesRequest,
    ListBaselinesResponse, operator_service_server::OperatorService,
};
use touchstone_telemetry::Chain;

use crate::{
    clock::SharedClock,
    store::{Ineligible, Store, StoreError, read},
    targets::Target,
};

/// Longest name of a target, and of a run, that is looked up, in bytes.
const NAME_LIMIT_BYTES: usize = 2_048;

/// The service on the operator's socket.
#[derive(Clone, Debug)]
pub(crate) struct Operator {
    pub(crate) store: Store,
    pub(crate) clock: SharedClock,
}

#[tonic::async_trait]
impl OperatorService for Operator {
    async fn approve_baseline(
        &self,
        request: Request<ApproveBaselineRequest>,
    ) -> Result<Response<ApproveBaselineResponse>, Status> {
        let approved_by = caller(&request);
        let ApproveBaselineRequest { target, run_id } = request.into_inner();
        let target = self.target(&target).await?;
        within_limit(&run_id)?;
        let now_ms = self.clock.now_ms();
        let approved = self
            .store
            .approve(&target, &run_id, &approved_by, now_ms)
            .await
            .map_err(|error| unavailable(&error))?
            .map_err(|ineligible| refused(&ineligible))?;
        tracing::info!(
            target.slug = target.slug,
            run.id = run_id,
            approved_by,
            "a baseline was approved"
        );
        Ok(Response::new(ApproveBaselineResponse {
            slug: target.slug,
            baseline: Some(told(approved)),
        }))
    }

    async fn list_baselines(
        &self,
        request: Request<ListBaselinesRequest>,
    ) -> Result<Response<ListBaselinesResponse>, Status> {
        let target = self.target(&request.into_inner().target).await?;
        let approvals = self
            .store
            .approvals(&target.target_id)
            .await
            .map_err(|error| unavailable(&error))?;
        Ok(Response::new(ListBaselinesResponse {
            slug: target.slug,
            baselines: approvals.into_iter().map(told).collect(),
        }))
    }
}

impl Operator {
    async fn target(&self, name: &str) -> Result<Target, Status> {
        within_limit(name)?;
        let found = self.store.target_named(name).await;
        found
            .map_err(|error| unavailable(&error))?
            .ok_or_else(|| Status::not_found(format!("no target {name} is watched here")))
    }
}

fn within_limit(name: &str) -> Result<(), Status> {
    if name.len() > NAME_LIMIT_BYTES {
        let message = format!("a name is longer than {NAME_LIMIT_BYTES} bytes");
        return Err(Status::invalid_argument(message));
    }
    Ok(())
}

/// By the kernel's word; what a caller says of itself would prove nothing.
fn caller<T>(request: &Request<T>) -> String {
    request
        .extensions()
        .get::<UdsConnectInfo>()
        .and_then(|peer| peer.peer_cred)
        .map_or_else(
            || "unknown user".to_owned(),
            |peer| format!("uid {}", peer.uid()),
        )
}

fn refused(ineligible: &Ineligible) -> Status {
    let message = ineligible.to_string();
    match ineligible {
        Ineligible::NoRun { .. } => Status::not_found(message),
        Ineligible::Pending { .. } | Ineligible::NoToolList { .. } => {
            Status::failed_precondition(message)
        }
    }
}

fn unavailable(error: &StoreError) -> Status {
    tracing::error!(error = %Chain(error), "an operator was not answered");
    Status::unavailable(Chain(error).to_string())
}

fn told(baseline: read::Baseline) -> Baseline {
    Baseline {
        run_id: baseline.run_id,
        observation_digest: baseline.observation_digest,
        run_started_at_ms: baseline.run_started_at_ms,
        approved_at_ms: baseline.approved_at_ms,
        approved_by: baseline.approved_by,
    }
}
