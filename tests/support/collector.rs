//! An OpenTelemetry collector that keeps what it is sent: the real service, on
//! a free loopback port.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use tonic::{Request, Response, Status};

/// One span, as it was sent.
#[derive(Clone, Debug)]
pub struct Span {
    pub service: String,
    pub trace: String,
    pub id: String,
    /// Empty for the first of a trace.
    pub parent: String,
    pub name: String,
    pub began_ns: u64,
    pub ended_ns: u64,
    attributes: Vec<KeyValue>,
}

impl Span {
    /// The text or number of an attribute.
    pub fn attribute(&self, key: &str) -> Option<String> {
        let found = self.attributes.iter().find(|found| found.key == key)?;
        said(found)
    }
}

fn said(attribute: &KeyValue) -> Option<String> {
    match attribute.value.clone()?.value? {
        any_value::Value::StringValue(text) => Some(text),
        any_value::Value::IntValue(number) => Some(number.to_string()),
        other => Some(format!("{other:?}")),
    }
}

/// A running collector; it ends with the test process.
#[derive(Clone, Debug)]
pub struct Collector {
    pub endpoint: String,
    received: Arc<Mutex<Vec<ExportTraceServiceRequest>>>,
}

impl Collector {
    pub fn start() -> Self {
        let received = Arc::default();
        let service = Kept(Arc::clone(&received));
        let (sender, address) = std::sync::mpsc::channel::<SocketAddr>();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
                let listener = listener.await.unwrap();
                sender.send(listener.local_addr().unwrap()).unwrap();
                tonic::transport::Server::builder()
                    .add_service(TraceServiceServer::new(service))
                    .serve_with_incoming(tokio_stream::wrappers::TcpListenerStream::new(listener))
                    .await
                    .unwrap();
            });
        });
        Self {
            endpoint: format!("http://{}", address.recv().unwrap()),
            received,
        }
    }

    /// Everything that was sent, in words, to look for what must not be there.
    pub fn everything(&self) -> String {
        format!("{:?}", self.received.lock().unwrap())
    }

    pub fn spans(&self) -> Vec<Span> {
        let received = self.received.lock().unwrap();
        let mut spans = Vec::new();
        for of_one in received.iter().flat_map(|request| &request.resource_spans) {
            let resource = of_one.resource.clone().unwrap_or_default();
            let is_name = |attribute: &&KeyValue| attribute.key == "service.name";
            let service = resource.attributes.iter().find(is_name).and_then(said);
            for span in of_one.scope_spans.iter().flat_map(|scope| &scope.spans) {
                spans.push(Span {
                    service: service.clone().unwrap_or_default(),
                    trace: hex(&span.trace_id),
                    id: hex(&span.span_id),
                    parent: hex(&span.parent_span_id),
                    name: span.name.clone(),
                    began_ns: span.start_time_unix_nano,
                    ended_ns: span.end_time_unix_nano,
                    attributes: span.attributes.clone(),
                });
            }
        }
        spans
    }
}

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

#[derive(Debug)]
struct Kept(Arc<Mutex<Vec<ExportTraceServiceRequest>>>);

#[tonic::async_trait]
impl TraceService for Kept {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        self.0.lock().unwrap().push(request.into_inner());
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}
