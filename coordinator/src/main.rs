//! The coordinator alone, for machines that run nothing else. Events go to
//! stdout as JSON lines, logs to stderr.

use std::{
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
};

use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc,
};
use tokio_util::sync::CancellationToken;
use touchstone_coordinator::{Config, Error, Event, VERSION, run};
use touchstone_telemetry::{Chain, exit, export::Export};

/// Events that may wait to be printed.
const EVENTS_LIMIT: usize = 1_024;
const USAGE: &str = "usage: touchstone-coordinator --config FILE";

#[tokio::main]
async fn main() -> ExitCode {
    let Some(path) = config_path(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(exit::USAGE);
    };
    let failed = |code: u8, error: &(dyn std::error::Error + 'static)| {
        eprintln!("touchstone-coordinator: {}", Chain(error));
        ExitCode::from(code)
    };
    let config = match Config::load(&path) {
        Ok(config) => config,
        Err(error) => return failed(error.exit_code(), &error),
    };
    if let Err(error) = touchstone_telemetry::init("coordinator", &config.log) {
        return failed(exit::CONFIGURATION, &error);
    }
    let traces = match Export::start("coordinator", VERSION) {
        Ok(traces) => traces,
        Err(error) => return failed(exit::CONFIGURATION, &error),
    };
    let ended = start(config).await;
    traces.end().await;
    match ended {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => failed(error.exit_code(), &error),
        Err(error) => failed(exit::UNEXPECTED, &error),
    }
}

/// What the role came to, once its process could be set up for it.
async fn start(config: Config) -> io::Result<Result<(), Error>> {
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
    let (events, receiver) = mpsc::channel(EVENTS_LIMIT);
    let printer = tokio::spawn(print(receiver));
    let result = run(config, shutdown, events).await;
    // Ends by itself: the last sender went with the coordinator.
    printer.await?;
    Ok(result)
}

async fn print(mut events: mpsc::Receiver<Event>) {
    while let Some(event) = events.recv().await {
        let Ok(line) = serde_json::to_string(&event) else {
            continue;
        };
        // Nobody reads our stdout any more: nothing is lost by going on.
        let _closed = writeln!(io::stdout().lock(), "{line}");
    }
}

fn config_path(mut arguments: impl Iterator<Item = String>) -> Option<PathBuf> {
    let path = match arguments.next()?.as_str() {
        "--config" => arguments.next()?,
        argument => argument.strip_prefix("--config=")?.to_owned(),
    };
    arguments.next().is_none().then(|| path.into())
}
