//! The agent as a program of its own, for images that must hold nothing else.
//!
//! `touchstone-probe-agent --config FILE`

use std::path::PathBuf;
use std::process::ExitCode;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use touchstone_probe_agent::{Config, VERSION, run};
use touchstone_telemetry::export::{Export, ExportError};
use touchstone_telemetry::{Chain, exit};

const NAME: &str = "touchstone-probe-agent";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let config = match arguments.as_slice() {
        [flag] if flag == "--version" => {
            println!("{NAME} {VERSION}");
            return ExitCode::SUCCESS;
        }
        [flag] if flag == "--help" => {
            println!("Usage: {NAME} --config FILE");
            return ExitCode::SUCCESS;
        }
        [flag, file] if flag == "--config" => PathBuf::from(file),
        _ => {
            eprintln!("Usage: {NAME} --config FILE");
            return ExitCode::from(exit::USAGE);
        }
    };
    let config = match Config::load(&config) {
        Ok(config) => config,
        Err(error) => {
            eprintln!("{NAME}: {}", Chain(&error));
            return ExitCode::from(error.exit_code());
        }
    };
    if let Err(error) = touchstone_telemetry::init(NAME, &config.log) {
        eprintln!("{NAME}: {}", Chain(&error));
        return ExitCode::from(exit::CONFIGURATION);
    }
    match work(config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(error = %Chain(error.as_ref()), "the agent cannot work");
            let code = if error.is::<ExportError>() {
                exit::CONFIGURATION
            } else {
                exit::code(error.as_ref())
            };
            ExitCode::from(code)
        }
    }
}

#[tokio::main]
async fn work(config: Config) -> Result<(), Box<dyn std::error::Error>> {
    let shutdown = CancellationToken::new();
    let (mut interrupt, mut terminate) = (
        signal(SignalKind::interrupt())?,
        signal(SignalKind::terminate())?,
    );
    let asked = shutdown.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        asked.cancel();
    });
    let traces = Export::start("probe-agent", VERSION)?;
    let ended = run(config, shutdown).await;
    traces.end().await;
    Ok(ended?)
}
