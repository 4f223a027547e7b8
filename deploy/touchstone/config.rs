//! `config print ROLE` and `config check FILE`.

use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use serde::Serialize;

use crate::exit::{Exit, Failure, Outcome};
use crate::output;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print a role's configuration with every default
    Print { role: Role },
    /// Read a role's configuration file and say what is wrong with it
    Check {
        file: PathBuf,
        /// Whose configuration it is
        #[arg(long)]
        role: Role,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Role {
    Signer,
    ProbeAgent,
    Coordinator,
}

pub(crate) fn run(command: &Command) -> Outcome {
    match command {
        Command::Print { role } => print(*role),
        Command::Check { file, role } => check(file, *role),
    }
}

fn print(role: Role) -> Outcome {
    match role {
        Role::Signer => written(&touchstone_signer::Config::default()),
        Role::ProbeAgent => written(&touchstone_probe_agent::Config::default()),
        Role::Coordinator => written(&touchstone_coordinator::Config::default()),
    }
}

fn written(config: &impl Serialize) -> Outcome {
    let text = toml::to_string(config).map_err(|error| {
        Failure::new(
            Exit::Unexpected,
            format!("writing the configuration failed: {error}"),
        )
    })?;
    output::bytes(text.as_bytes())?;
    Ok(Exit::Done)
}

fn check(file: &Path, role: Role) -> Outcome {
    let invalid = |error: &dyn std::error::Error| Failure::caused(Exit::Configuration, error);
    match role {
        Role::Signer => touchstone_signer::Config::load(file)
            .map(drop)
            .map_err(|error| invalid(&error))?,
        Role::ProbeAgent => touchstone_probe_agent::Config::load(file)
            .map(drop)
            .map_err(|error| invalid(&error))?,
        Role::Coordinator => touchstone_coordinator::Config::load(file)
            .map(drop)
            .map_err(|error| invalid(&error))?,
    }
    output::line(&format!("{}: valid", file.display()))?;
    Ok(Exit::Done)
}
