//! One role, by its configuration file, until it is asked to stop.

use std::path::PathBuf;

use tokio::io::AsyncReadExt as _;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use touchstone_signer::{IfWeak, Ready};
use touchstone_telemetry::Log;
use touchstone_telemetry::config::ConfigError;
use touchstone_telemetry::export::Export;

use crate::exit::{Exit, Failure, Outcome, chain};
use crate::output::{self, Lines};

/// Events of a coordinator that may wait for the reader of its standard output.
const EVENTS_WAITING_LIMIT: usize = 1024;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The role's configuration (TOML); without it the defaults hold
    #[arg(long)]
    config: Option<PathBuf>,
    /// End when standard input does: whoever holds it started us
    #[arg(long, hide = true)]
    until_stdin_closes: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SignerArgs {
    #[command(flatten)]
    role: Args,
    /// Start even where the kernel cannot isolate the signer fully, and say so
    #[arg(long)]
    allow_weak_isolation: bool,
}

/// Not on a runtime: the signer shuts its process in while it is one thread.
pub(crate) fn signer(args: &SignerArgs) -> Outcome {
    let config = match &args.role.config {
        Some(path) => touchstone_signer::Config::load(path).map_err(|error| unusable(&error))?,
        None => touchstone_signer::Config::default(),
    };
    logs("signer", &config.log)?;
    let if_weak = if args.allow_weak_isolation {
        IfWeak::Start
    } else {
        IfWeak::Refuse
    };
    let exit_code = touchstone_signer::Error::exit_code;
    let ready = match Ready::isolated(&config, if_weak) {
        Ok(ready) => ready,
        Err(error) => return ended(Err(error), exit_code),
    };
    crate::block_on(async {
        let stop = stop(args.role.until_stdin_closes)?;
        ended(ready.serve(stop).await, exit_code)
    })
}

pub(crate) async fn probe_agent(args: Args) -> Outcome {
    let config = match &args.config {
        Some(path) => {
            touchstone_probe_agent::Config::load(path).map_err(|error| unusable(&error))?
        }
        None => touchstone_probe_agent::Config::default(),
    };
    logs("probe-agent", &config.log)?;
    let traces = traces("probe-agent")?;
    let stop = stop(args.until_stdin_closes)?;
    let result = touchstone_probe_agent::run(config, stop).await;
    traces.end().await;
    ended(result, |error| touchstone_telemetry::exit::code(error))
}

pub(crate) async fn coordinator(args: Args) -> Outcome {
    let config = match &args.config {
        Some(path) => {
            touchstone_coordinator::Config::load(path).map_err(|error| unusable(&error))?
        }
        None => touchstone_coordinator::Config::default(),
    };
    logs("coordinator", &config.log)?;
    let traces = traces("coordinator")?;
    let stop = stop(args.until_stdin_closes)?;
    let (events, mut happened) = mpsc::channel(EVENTS_WAITING_LIMIT);
    let mut lines = Lines::start()?;
    let writer = tokio::spawn(async move {
        while let Some(event) = happened.recv().await {
            lines.put(output::as_json(&event)?);
            if let Some(count) = lines.take_unwritten() {
                tracing::warn!(count, "nobody reads the events; these are dropped");
            }
        }
        lines.finish().await
    });
    let result = touchstone_coordinator::run(config, stop, events).await;
    traces.end().await;
    match writer.await {
        Ok(written) => written?,
        Err(error) => tracing::error!(%error, "writing events ended badly"),
    }
    ended(result, touchstone_coordinator::Error::exit_code)
}

fn unusable(error: &ConfigError) -> Failure {
    Failure::caused(Exit::of_role(error.exit_code()), error)
}

fn ended<E: std::error::Error>(result: Result<(), E>, code: impl Fn(&E) -> u8) -> Outcome {
    result
        .map(|()| Exit::Done)
        .map_err(|error| Failure::new(Exit::of_role(code(&error)), chain(&error)))
}

fn logs(service: &'static str, log: &Log) -> Result<(), Failure> {
    touchstone_telemetry::init(service, log)
        .map_err(|error| Failure::caused(Exit::Configuration, &error))
}

fn traces(service: &'static str) -> Result<Export, Failure> {
    Export::start(service, env!("CARGO_PKG_VERSION"))
        .map_err(|error| Failure::caused(Exit::Configuration, &error))
}

/// Cancelled by SIGTERM, by SIGINT, and, when asked for, by the end of standard input.
fn stop(until_stdin_closes: bool) -> Result<CancellationToken, Failure> {
    let listen = |kind| {
        signal(kind).map_err(|error| {
            Failure::new(
                Exit::Unexpected,
                format!("listening for signals failed: {error}"),
            )
        })
    };
    let mut terminate = listen(SignalKind::terminate())?;
    let mut interrupt = listen(SignalKind::interrupt())?;
    let stop = CancellationToken::new();
    let cancel = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            () = stdin_closed(until_stdin_closes) => {}
        }
        cancel.cancel();
    });
    Ok(stop)
}

async fn stdin_closed(watched: bool) {
    if !watched {
        return std::future::pending().await;
    }
    let mut nothing = [0; 64];
    let mut stdin = tokio::io::stdin();
    while stdin.read(&mut nothing).await.is_ok_and(|read| read > 0) {}
}
