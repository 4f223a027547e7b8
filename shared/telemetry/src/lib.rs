//! How every process of ours logs: once set up in `main`, to stderr, as JSON
//! lines unless a person asked for text.
//!
//! A line carries the time, the level, the name of the process, the fields of
//! the event and those of the spans around it. `RUST_LOG` outranks the filter
//! of the configuration; it is the one variable that is read here, and no
//! crate below a `main` reads any.
//!
//! Beside it, what else every process does before it works: [`config`] reads
//! its file, and [`exit`] says what it ends with when it cannot work. Roles that
//! have a network also write traces ([`trace`], sent by [`export`] to where the
//! `OTEL_` variables say, read there alone) and serve [`metrics`]; the signer is
//! built without those three.

pub mod config;
pub mod exit;
#[cfg(feature = "export")]
pub mod export;
#[cfg(feature = "export")]
pub mod metrics;
#[cfg(feature = "export")]
mod process;
#[cfg(feature = "export")]
pub mod trace;

use std::error::Error as StdError;
use std::fmt;
use std::io;

use serde::{Deserialize, Serialize};
use tracing::{Event, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::{self, FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::{FmtContext, MakeWriter};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

/// The filter when neither the configuration nor `RUST_LOG` names one.
pub const DEFAULT_FILTER: &str = "info";

/// The standard variable whose directives outrank the configured filter.
const FILTER_VARIABLE: &str = "RUST_LOG";

/// How a role logs, as its configuration says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    pub format: Format,
    /// Directives such as `info` or `info,touchstone_signer=debug`.
    pub filter: String,
}

impl Default for Log {
    fn default() -> Self {
        Self {
            format: Format::default(),
            filter: DEFAULT_FILTER.to_owned(),
        }
    }
}

/// How lines look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// One JSON object a line, for machines.
    #[default]
    Json,
    /// Plain text, for a person at a terminal.
    Human,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("setting up logs: {origin} holds {filter:?}, which is no list of log directives")]
    Filter {
        origin: &'static str,
        filter: String,
        source: tracing_subscriber::filter::ParseError,
    },
    #[error("setting up logs: they were set up before in this process")]
    Twice(#[from] tracing_subscriber::util::TryInitError),
}

/// An error with everything that caused it, on one line: `what: why: why`. A
/// cause that the one before it has said already is not said again.
#[derive(Clone, Copy, Debug)]
pub struct Chain<'a>(pub &'a (dyn StdError + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = self.0.to_string();
        f.write_str(&said)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if !said.ends_with(&text) {
                write!(f, ": {text}")?;
                said = text;
            }
            cause = error.source();
        }
        Ok(())
    }
}

/// Starts logging for this process, whose name `service` stands in every line.
pub fn init(service: &'static str, log: &Log) -> Result<(), Error> {
    let from_environment = std::env::var(FILTER_VARIABLE)
        .ok()
        .filter(|directives| !directives.is_empty());
    let filter = match &from_environment {
        Some(directives) => read(FILTER_VARIABLE, directives)?,
        None => read("the log filter of the configuration", &log.filter)?,
    };
    subscriber(service, log.format, filter, io::stderr).try_init()?;
    Ok(())
}

fn read(origin: &'static str, directives: &str) -> Result<EnvFilter, Error> {
    EnvFilter::try_new(directives).map_err(|source| Error::Filter {
        origin,
        filter: directives.to_owned(),
        source,
    })
}

fn subscriber<W>(
    service: &'static str,
    format: Format,
    filter: EnvFilter,
    writer: W,
) -> Box<dyn Subscriber + Send + Sync>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let registry = tracing_subscriber::registry().with(filter);
    let lines = tracing_subscriber::fmt::layer().with_writer(writer);
    match format {
        Format::Human => Box::new(registry.with(lines.with_ansi(false))),
        Format::Json => Box::new(
            registry.with(
                lines.json().event_format(Named {
                    service,
                    lines: format::format()
                        .json()
                        .flatten_event(true)
                        // It is the last of `spans`, which are listed.
                        .with_current_span(false),
                }),
            ),
        ),
    }
}

/// JSON lines with the name of the process as their first member, which the
/// JSON format of the library has no place for.
struct Named {
    service: &'static str,
    lines: format::Format<format::Json>,
}

impl<S, N> FormatEvent<S, N> for Named
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::new();
        self.lines
            .format_event(context, Writer::new(&mut line), event)?;
        match line.strip_prefix('{') {
            Some(rest) => write!(writer, "{{\"service\":\"{}\",{rest}", self.service),
            None => writer.write_str(&line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Lines {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(format: Format, filter: &str) -> String {
        let lines = Lines::default();
        let writer = lines.clone();
        let filter = read("a test", filter).unwrap();
        let subscriber = subscriber("agent", format, filter, move || writer.clone());
        tracing::subscriber::with_default(subscriber, || {
            let _run = tracing::info_span!("run", run.id = "r1").entered();
            tracing::info!(leases = 3, "taken");
            tracing::debug!("unseen");
        });
        lines.text()
    }

    #[test]
    fn a_json_line_names_the_process_the_event_and_its_spans() {
        let text = logged(Format::Json, "info");
        let line = text.strip_suffix('\n').unwrap();
        assert!(!line.contains('\n'), "one line, got {text}");
        assert!(
            line.starts_with(r#"{"service":"agent","timestamp":""#),
            "{line}"
        );
        for part in [r#""leases":3"#, r#""message":"taken""#, r#""run.id":"r1""#] {
            assert!(line.contains(part), "{part} is missing in {line}");
        }
    }

    #[test]
    fn a_person_gets_text_and_a_filter_lets_more_through() {
        assert!(logged(Format::Human, "info").contains("taken leases=3"));
        assert!(logged(Format::Human, "debug").contains("unseen"));
        assert!(!logged(Format::Human, "info").contains("unseen"));
    }

    #[test]
    fn a_filter_that_is_none_is_refused_with_its_origin() {
        let error = read("a test", "info,==").unwrap_err().to_string();
        assert!(
            error.contains("a test") && error.contains("info,=="),
            "{error}"
        );
    }

    #[test]
    fn a_chain_says_every_cause_and_none_twice() {
        let error = read("a test", "info,==").unwrap_err();
        let source = error.source().unwrap().to_string();
        let whole = format!("{error}: {source}");
        assert_eq!(Chain(&error).to_string(), whole);
        // The text of an error that wraps another is often the other's.
        let wrapped = io::Error::other(io::Error::other(error));
        assert_eq!(Chain(&wrapped).to_string(), whole);
    }
}
