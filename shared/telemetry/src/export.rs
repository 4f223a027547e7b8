//! Traces out of this process, to an OpenTelemetry collector by OTLP over gRPC.
//!
//! Off, and without any cost, unless the standard variables name a collector:
//! `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`.
//! `OTEL_TRACES_SAMPLER` and its `_ARG` say how much is recorded. The collector
//! is one on this machine or this network: the connection is not encrypted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider, SpanData};

use crate::Chain;
use crate::trace::{Names, Tracing, turn_on};

/// Of all runs, the part that is recorded unless it is said otherwise: all. A
/// fleet's load is hundreds of runs a minute at the most.
pub const DEFAULT_SAMPLE_RATIO: f64 = 1.0;
/// How long the last spans may take to be sent when a process ends.
pub const FLUSH_LIMIT: Duration = Duration::from_secs(2);

const SAMPLER: &str = "OTEL_TRACES_SAMPLER";
const RATIO: &str = "OTEL_TRACES_SAMPLER_ARG";
const PROTOCOL: &str = "OTEL_EXPORTER_OTLP_PROTOCOL";
const TRACES_PROTOCOL: &str = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL";

/// Why traces cannot be sent as the environment wants it.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Neither value is repeated: headers may hold a credential.
    #[error("setting up traces: the OTEL_EXPORTER_OTLP variables cannot be used")]
    Exporter(#[from] opentelemetry_otlp::ExporterBuildError),
    #[error("setting up traces: {variable} is {value:?}; traces are sent by grpc alone")]
    Protocol {
        variable: &'static str,
        value: String,
    },
    #[error(
        "setting up traces: {SAMPLER} is {0:?}, none of always_on, always_off, traceidratio and the parentbased_ ones"
    )]
    Sampler(String),
    #[error("setting up traces: {RATIO} is {0:?}, no number from 0 to 1")]
    Ratio(String),
}

/// Traces that are on, or off. Ended by [`Export::end`], or the last spans are lost.
#[derive(Debug, Default)]
#[must_use]
pub struct Export(Option<SdkTracerProvider>);

impl Export {
    /// Reads the environment. Must be called on a runtime, which sends.
    pub fn start(service: &'static str, version: &'static str) -> Result<Self, ExportError> {
        let endpoint = [
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            "OTEL_EXPORTER_OTLP_ENDPOINT",
        ];
        let is_off = set("OTEL_SDK_DISABLED").is_some_and(|value| value == "true")
            || set("OTEL_TRACES_EXPORTER").is_some_and(|value| value == "none");
        if is_off || endpoint.into_iter().find_map(set).is_none() {
            return Ok(Self(None));
        }
        for variable in [TRACES_PROTOCOL, PROTOCOL] {
            match set(variable) {
                Some(value) if value != "grpc" => {
                    return Err(ExportError::Protocol { variable, value });
                }
                Some(_) => break,
                None => {}
            }
        }
        let sample_ratio = sample_ratio(set(SAMPLER), set(RATIO))?;
        let exporter = SpanExporter::builder()
            .with_tonic()
            .with_protocol(opentelemetry_otlp::Protocol::Grpc)
            .build()?;
        let resource =
            Resource::builder().with_attributes([KeyValue::new("service.version", version)]);
        let resource = match set("OTEL_SERVICE_NAME") {
            Some(_) => resource,
            None => resource.with_service_name(format!("touchstone-{service}")),
        };
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(Told::by(exporter))
            .with_resource(resource.build())
            .with_id_generator(Names::default())
            // Whether a run is recorded is decided with its name; children follow.
            .with_sampler(Sampler::ParentBased(Box::new(Sampler::AlwaysOn)))
            .build();
        turn_on(Tracing {
            tracer: provider.tracer("touchstone"),
            sample_ratio,
        });
        tracing::info!(sample_ratio, "traces are sent");
        Ok(Self(Some(provider)))
    }

    /// Sends what is left, within [`FLUSH_LIMIT`].
    pub async fn end(self) {
        let Some(provider) = self.0 else { return };
        let ended =
            tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(FLUSH_LIMIT)).await;
        match ended {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(error = %Chain(&error), "the last spans were not sent");
            }
            Err(error) => tracing::warn!(%error, "the last spans were not sent"),
        }
    }
}

fn set(variable: &str) -> Option<String> {
    std::env::var(variable)
        .ok()
        .filter(|value| !value.is_empty())
}

fn sample_ratio(sampler: Option<String>, ratio: Option<String>) -> Result<f64, ExportError> {
    let Some(sampler) = sampler else {
        return Ok(DEFAULT_SAMPLE_RATIO);
    };
    match sampler.strip_prefix("parentbased_").unwrap_or(&sampler) {
        "always_on" => Ok(1.0),
        "always_off" => Ok(0.0),
        "traceidratio" => {
            let Some(text) = ratio else {
                return Ok(DEFAULT_SAMPLE_RATIO);
            };
            let number = text.parse().ok();
            number
                .filter(|number| (0.0..=1.0).contains(number))
                .ok_or(ExportError::Ratio(text))
        }
        _ => Err(ExportError::Sampler(sampler)),
    }
}

/// An exporter that says when it begins to fail and when it works again; the
/// library keeps it to itself.
#[derive(Debug)]
struct Told {
    exporter: SpanExporter,
    failing: AtomicBool,
}

impl Told {
    fn by(exporter: SpanExporter) -> Self {
        Self {
            exporter,
            failing: AtomicBool::new(false),
        }
    }
}

impl opentelemetry_sdk::trace::SpanExporter for Told {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = batch.len();
        let sent = self.exporter.export(batch).await;
        let was_failing = self.failing.swap(sent.is_err(), Ordering::Relaxed);
        match &sent {
            Err(error) if !was_failing => {
                tracing::warn!(error = %Chain(error), spans, "spans are not taken by the collector and are lost");
            }
            Ok(()) if was_failing => tracing::info!("spans are taken again"),
            _ => {}
        }
        sent
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_samplers_are_ratios() {
        let of = |sampler: &str, ratio: Option<&str>| {
            sample_ratio(Some(sampler.to_owned()), ratio.map(str::to_owned)).ok()
        };
        for (sampler, ratio, expected) in [
            ("always_on", None, Some(1.0)),
            ("parentbased_always_off", None, Some(0.0)),
            ("parentbased_traceidratio", Some("0.25"), Some(0.25)),
            ("traceidratio", None, Some(DEFAULT_SAMPLE_RATIO)),
            ("traceidratio", Some("1.1"), None),
            ("traceidratio", Some("NaN"), None),
            ("jaeger_remote", None, None),
        ] {
            assert_eq!(of(sampler, ratio), expected, "{sampler} {ratio:?}");
        }
        assert_eq!(sample_ratio(None, None).ok(), Some(DEFAULT_SAMPLE_RATIO));
    }
}
