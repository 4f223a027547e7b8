//! The signer as a program of its own, for images that must hold nothing else.
//!
//! `touchstone-signer --config FILE [--allow-weak-isolation]`

use std::path::Path;
use std::process::ExitCode;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use touchstone_signer::{Config, IfWeak, Ready, VERSION};
use touchstone_telemetry::Chain;

const NAME: &str = "touchstone-signer";
const USAGE: &str = "Usage: touchstone-signer --config FILE [--allow-weak-isolation]";

/// Exit codes, the same as the whole program's.
const FAILED: u8 = 1;
const WRONG_USAGE: u8 = 2;
const WRONG_CONFIG: u8 = 78;

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
            ExitCode::from(WRONG_USAGE)
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
        Err(error) => return failed(WRONG_CONFIG, &error),
    };
    if let Err(error) = touchstone_telemetry::init(NAME, &config.log) {
        return failed(WRONG_CONFIG, &error);
    }
    let ready = match Ready::isolated(&config, if_weak) {
        Ok(ready) => ready,
        Err(error) if error.is_of_configuration() => return failed(WRONG_CONFIG, &error),
        Err(error) => return failed(FAILED, &error),
    };
    match serve(ready) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(FAILED, error.as_ref()),
    }
}

#[tokio::main]
async fn serve(ready: Ready) -> Result<(), Box<dyn std::error::Error>> {
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
    ready.serve(shutdown).await?;
    Ok(())
}
