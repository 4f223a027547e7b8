//! The three servers: pages for everyone, the fleet's service for agents, the
//! operator's socket.

use std::time::Duration;
use touchstone_telemetry::Chain;

use tokio::{
    net::{TcpListener, UnixListener},
    task::JoinHandle,
};
use tokio_stream::wrappers::{TcpListenerStream, UnixListenerStream};
use tokio_util::sync::CancellationToken;
use tonic::transport::{Server, server::Router};
use touchstone_proto::{
    MESSAGE_LIMIT_BYTES, fleet::fleet_service_server::FleetServiceServer,
    operator::operator_service_server::OperatorServiceServer,
};

use super::places::Agents;
use crate::{
    config::Config,
    fleet::stream::Fleet,
    health,
    operator::Operator,
    publish::{self, Pages},
    store::Reader,
};

/// A peer that does not answer a ping for this long is gone.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// Serves pages and the health check until `end`.
pub(super) fn pages(
    listener: TcpListener,
    reader: Reader,
    config: &Config,
    end: CancellationToken,
) -> JoinHandle<()> {
    let pages = Pages {
        source: reader.clone(),
        origin: config.public_url.clone(),
        runs_kept_days: config.runs_kept_days(),
    };
    let router = health::router(reader).merge(publish::router(pages));
    tokio::spawn(async move {
        let served = axum::serve(listener, router)
            .with_graceful_shutdown(end.cancelled_owned())
            .await;
        if let Err(error) = served {
            tracing::error!(
                error = %Chain(&error),
                "pages are not served"
            );
        }
    })
}

/// Serves agents; from `draining` on takes no new ones.
pub(super) fn agents(agents: Agents, fleet: Fleet, draining: CancellationToken) -> JoinHandle<()> {
    let service = FleetServiceServer::new(fleet)
        .max_decoding_message_size(MESSAGE_LIMIT_BYTES)
        .max_encoding_message_size(MESSAGE_LIMIT_BYTES);
    tokio::spawn(async move {
        let (health, health_service) = tonic_health::server::health_reporter();
        health.set_serving::<FleetServiceServer<Fleet>>().await;
        let router: Router = Server::builder()
            .http2_keepalive_interval(Some(KEEPALIVE))
            .http2_keepalive_timeout(Some(KEEPALIVE))
            .http2_adaptive_window(Some(true))
            .add_service(health_service)
            .add_service(service);
        let stop = draining.cancelled_owned();
        let served = match agents {
            Agents::Unix(listener) => {
                let incoming = UnixListenerStream::new(listener);
                router.serve_with_incoming_shutdown(incoming, stop).await
            }
            Agents::Tcp(listener) => {
                let incoming = TcpListenerStream::new(listener);
                router.serve_with_incoming_shutdown(incoming, stop).await
            }
        };
        if let Err(error) = served {
            tracing::error!(
                error = %Chain(&error),
                "agents are not served"
            );
        }
    })
}

/// Answers the operator of this machine until `end`.
pub(super) fn operator(
    listener: UnixListener,
    operator: Operator,
    end: CancellationToken,
) -> JoinHandle<()> {
    tokio::spawn(async move {
        let served = Server::builder()
            .add_service(OperatorServiceServer::new(operator))
            .serve_with_incoming_shutdown(UnixListenerStream::new(listener), end.cancelled_owned())
            .await;
        if let Err(error) = served {
            tracing::error!(
                error = %Chain(&error),
                "the operator is not answered"
            );
        }
    })
}
