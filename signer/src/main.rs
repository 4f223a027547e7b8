//! The signer as a program of its own, for images that must hold nothing else.
//!
//! `touchstone-signer --config FILE [--allow-weak-isolation]`

use std::io;
use std::path::Path;
use std::process::ExitCode;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use touchstone_signer::{Config, Error, IfWeak, Ready, VERSION};
use touchstone_telemetry::{Chain, exit};

const NAME: &str = "touchstone-signer";
const USAGE: &str = "Usage: touchstone-signer --config FILE [--allow-weak-isolation]";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(|argument| argument.to_str()).collect();
    match arguments[..] {
        [Some("--version")] => {
            println!("{NAME} {VERSION}");
            ExitCode::SUCCESS
        }
        [Some("--help")] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        [Some("--config"), Some(file)] => start(Path::new(file), IfWeak::Refuse),
        [Some("--config"), Some(file), Some("--allow-weak-isolation")] => {
            start(Path::new(file), IfWeak::Start)
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(exit::USAGE)
        }
    }
}

fn start(file: &Path, if_weak: IfWeak) -> ExitCode {
    let failed = |code: u8, error: &(dyn std::error::Error + 'static)| {
        eprintln!("{NAME}: {}", Chain(error));
        ExitCode::from(code)
    };
    let config = match Config::load(file) {
        Ok(config) => config,
        Err(error) => return failed(error.exit_code(), &error),
    };
    if let Err(error) = touchstone_telemetry::init(NAME, &config.log) {
        return failed(exit::CONFIGURATION, &error);
    }
    let ready = match Ready::isolated(&config, if_weak) {
        Ok(ready) => ready,
        Err(error) => return failed(error.exit_code(), &error),
    };
    match serve(ready) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => failed(error.exit_code(), &error),
        Err(error) => failed(exit::UNEXPECTED, &error),
    }
}

#[tokio::main]
async fn serve(ready: Ready) -> io::Result<Result<(), Error>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let shutdown = CancellationToken::new();
    let asked = shutdown.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        asked.cancel();
    });
    Ok(ready.serve(shutdown).await)
}
