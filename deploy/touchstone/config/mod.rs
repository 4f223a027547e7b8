//! `config print ROLE` and `config check FILE`.
//!
//! Whose configuration a file is, is told by its keys: the role that takes it
//! as it is, else the one that knows the most of its keys.

mod keys;

use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use serde::Serialize;
use touchstone_telemetry::config::ConfigError;

use crate::exit::{Exit, Failure, Outcome};
use crate::{input, output};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print a role's configuration with every default
    Print { role: Role },
    /// Read a role's configuration file and say what is wrong with it
    Check {
        /// The configuration (TOML)
        file: PathBuf,
        /// Whose configuration it is; without it, that is told by the file's keys
        #[arg(long)]
        role: Option<Role>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    Signer,
    ProbeAgent,
    Coordinator,
}

impl Role {
    const ALL: [Self; 3] = [Self::Signer, Self::ProbeAgent, Self::Coordinator];

    fn as_str(self) -> &'static str {
        match self {
            Self::Signer => "signer",
            Self::ProbeAgent => "probe-agent",
            Self::Coordinator => "coordinator",
        }
    }

    fn load(self, file: &Path) -> Result<(), ConfigError> {
        match self {
            Self::Signer => touchstone_signer::Config::load(file).map(drop),
            Self::ProbeAgent => touchstone_probe_agent::Config::load(file).map(drop),
            Self::Coordinator => touchstone_coordinator::Config::load(file).map(drop),
        }
    }

    /// The keys of its configuration.
    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Signer => keys::of::<touchstone_signer::Config>(),
            Self::ProbeAgent => keys::of::<touchstone_probe_agent::Config>(),
            Self::Coordinator => keys::of::<touchstone_coordinator::Config>(),
        }
    }
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

fn check(file: &Path, role: Option<Role>) -> Outcome {
    let roles = match role {
        Some(role) => vec![role],
        None => Role::ALL.to_vec(),
    };
    let mut valid = Vec::new();
    let mut refused = Vec::new();
    for role in roles {
        match role.load(file) {
            Ok(()) => valid.push(role),
            Err(error @ ConfigError::File { .. }) => {
                return Err(Failure::caused(Exit::of_role(error.exit_code()), &error));
            }
            Err(error) => refused.push((role, error)),
        }
    }
    if !valid.is_empty() {
        output::line(&format!(
            "{}: valid for a {}",
            file.display(),
            names(&valid)
        ))?;
        return Ok(Exit::Done);
    }
    let candidates: Vec<Role> = refused.iter().map(|(role, _)| *role).collect();
    let likely = likely(file, &candidates);
    // Every role that took part was refused, so the likeliest one is among them.
    let Some((role, error)) = refused
        .into_iter()
        .find(|(role, _)| Some(*role) == likely.first().copied())
    else {
        return Err(Failure::usage("no role was named"));
    };
    let mut failure = Failure::caused(Exit::of_role(error.exit_code()), &error);
    let read_as = if likely.len() == 1 {
        format!("read as a {}'s", role.as_str())
    } else {
        format!(
            "read as a {}'s, and could be a {}'s; say whose with --role",
            role.as_str(),
            names(&likely[1..])
        )
    };
    failure.message = format!("{} ({read_as})", failure.message);
    Err(failure)
}

/// The roles that know the most of a file's keys; of several, the one first that
/// the file is named after.
fn likely(file: &Path, candidates: &[Role]) -> Vec<Role> {
    // A file that is larger than any that is read shows no keys.
    let bytes = input::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let known = |role: &Role| {
        let keys = role.keys();
        keys::set_in(&text).filter(|key| keys.contains(key)).count()
    };
    let most = candidates.iter().map(known).max().unwrap_or(0);
    let mut likely: Vec<Role> = candidates
        .iter()
        .copied()
        .filter(|role| known(role) == most)
        .collect();
    let named_after = |role: &Role| file.file_stem().is_some_and(|stem| stem == role.as_str());
    if let Some(role) = likely.iter().copied().find(named_after) {
        likely = vec![role];
    }
    likely
}

fn names(roles: &[Role]) -> String {
    let names: Vec<&str> = roles.iter().map(|role| role.as_str()).collect();
    names.join(" or a ")
}
