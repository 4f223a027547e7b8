//! `touchstone baseline approve|list`: which run of a target later runs are
//! compared with. Asks the coordinator that runs on the data folder, which
//! alone writes; nothing is read or written here.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::{Value, json};
use touchstone_coordinator::{OperatorClient, OperatorError};
use touchstone_evidence::timestamp::Timestamp;
use touchstone_proto::operator::Baseline;

use crate::exit::{Exit, Failure, Outcome, chain};
use crate::output;

/// As the coordinator's configuration has it by default.
const OPERATOR_SOCKET: &str = "run/operator.sock";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Approve a run's tool list as the release that later runs are compared with
    ///
    /// Approving an older run again is the undo.
    Approve {
        /// The server, by its slug or its URL
        target: String,
        /// The run, as in the address of its report
        run: String,
        #[command(flatten)]
        at: At,
    },
    /// List what was approved for a server, newest first; the first is in force
    List {
        /// The server, by its slug or its URL
        target: String,
        #[command(flatten)]
        at: At,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct At {
    /// The data folder of the `touchstone up` that watches the server
    #[arg(long, value_name = "DIR", default_value = "touchstone-data")]
    data: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(command: Command) -> Outcome {
    match command {
        Command::Approve { target, run, at } => approve(&target, &run, &at).await,
        Command::List { target, at } => list(&target, &at).await,
    }
}

async fn approve(target: &str, run: &str, at: &At) -> Outcome {
    let socket = enter(&at.data)?;
    let asked = OperatorClient::approve_baseline(socket, target, run)
        .await
        .map_err(|error| failed(&at.data, &error))?;
    if at.json {
        output::json(&written(&asked.slug, &asked.answer, true))?;
    } else {
        output::line(&format!(
            "{}: runs are compared with {} from now on",
            asked.slug, asked.answer.run_id
        ))?;
    }
    Ok(Exit::Done)
}

async fn list(target: &str, at: &At) -> Outcome {
    let socket = enter(&at.data)?;
    let asked = OperatorClient::list_baselines(socket, target)
        .await
        .map_err(|error| failed(&at.data, &error))?;
    if asked.answer.is_empty() && !at.json {
        anstream::eprintln!("{}: no run was approved yet", asked.slug);
    }
    for (place, baseline) in asked.answer.iter().enumerate() {
        let in_force = place == 0;
        if at.json {
            output::json(&written(&asked.slug, baseline, in_force))?;
        } else {
            output::line(&format!(
                "{:9} {}  approved {} by {}, run of {}",
                if in_force { "in force" } else { "" },
                baseline.run_id,
                time(baseline.approved_at_ms),
                baseline.approved_by,
                time(baseline.run_started_at_ms),
            ))?;
        }
    }
    Ok(Exit::Done)
}

/// Goes into the folder, as the coordinator did, so that the socket keeps a
/// name that fits into a socket's address wherever the folder lies.
fn enter(data: &Path) -> Result<&'static Path, Failure> {
    std::env::set_current_dir(data).map_err(|error| {
        Failure::new(
            Exit::Unreachable,
            format!(
                "no coordinator answers in {} ({error}); start touchstone up there, or name its folder with --data",
                data.display()
            ),
        )
    })?;
    Ok(Path::new(OPERATOR_SOCKET))
}

fn failed(data: &Path, error: &OperatorError) -> Failure {
    let exit = match error {
        OperatorError::Unreachable { .. } => {
            return Failure::new(
                Exit::Unreachable,
                format!(
                    "no coordinator answers in {}; start touchstone up there, or name its folder with --data",
                    data.display()
                ),
            );
        }
        OperatorError::NoAnswer(_) => Exit::Unreachable,
        OperatorError::NotFound(_) => Exit::NotFound,
        OperatorError::Precondition(_) => Exit::Conflict,
        OperatorError::TryLater(_) => Exit::TryLater,
        OperatorError::Path(_) | OperatorError::Refused(_) => Exit::Unexpected,
    };
    Failure::new(exit, chain(error))
}

fn written(slug: &str, baseline: &Baseline, in_force: bool) -> Value {
    json!({
        "target": slug,
        "run_id": baseline.run_id,
        "observation_digest": format!("sha256:{}", baseline.observation_digest),
        "run_started_at": time(baseline.run_started_at_ms),
        "approved_at": time(baseline.approved_at_ms),
        "approved_by": baseline.approved_by,
        "in_force": in_force,
    })
}

/// RFC 3339; the number itself for a time that has no such form.
fn time(ms: i64) -> String {
    Timestamp::from_ms(ms).map_or_else(|_| ms.to_string(), |at| at.to_string())
}
