//! `touchstone`, the one program people run: `up`, `check`, `verify`, `audit`,
//! `baseline`, the pure rules on files, and the three roles by name.
//!
//! Data goes to standard output, messages to standard error. What a command
//! could not do is one sentence that says what to do instead, and an exit code
//! of [`exit::Exit`].

mod audit;
mod baseline;
mod check;
mod config;
mod endpoint;
mod exit;
mod input;
mod output;
mod role;
mod terminal;
mod tool_list;
mod up;
mod verify;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use exit::{Exit, Failure, Outcome};

#[derive(Debug, Parser)]
#[command(
    name = "touchstone",
    version,
    about = "Watches MCP servers from outside and publishes signed evidence that anyone can check",
    after_help = "Examples:
  touchstone up https://mcp.example.com/mcp      watch a server, with pages on http://127.0.0.1:8080/
  touchstone check https://mcp.example.com/mcp   one run now, as a table
  touchstone verify bundle.json                  check evidence offline

Exit codes: touchstone help exit-codes",
    arg_required_else_help = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Watch servers: signer, probe-agent and coordinator as three processes, with pages
    Up(up::Args),
    /// Probe one server once and show all fifteen checks
    Check(check::Args),
    /// Check an evidence bundle offline
    Verify(verify::Args),
    /// Follow a transparency log and check that it only grew
    Audit(audit::Args),
    /// Approve a run as the release that later runs are compared with
    #[command(subcommand)]
    Baseline(baseline::Command),
    /// Print the canonical form (nfc-jcs/v1) of one JSON text
    Canonicalize(tool_list::CanonicalizeArgs),
    /// Print the fingerprints of a tool list
    Fingerprint(tool_list::ListArgs),
    /// Look for hidden characters and injection patterns in a tool list
    Lint(tool_list::ListArgs),
    /// Run the signer
    Signer(role::SignerArgs),
    /// Run a probe-agent
    ProbeAgent(role::Args),
    /// Run a coordinator
    Coordinator(role::Args),
    /// Print or check a role's configuration
    #[command(subcommand)]
    Config(config::Command),
    /// Print completions for a shell
    Completions { shell: clap_complete::Shell },
    /// Print the manual page
    Man,
    /// The exit codes of every command
    #[command(name = "exit-codes", long_about = exit::EXIT_CODES)]
    ExitCodes,
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            // Names of files and keys of strangers' JSON stand in messages too.
            anstream::eprintln!("touchstone: {}", terminal::plain(&failure.message));
            failure.exit.into()
        }
    }
}

fn run(command: Command) -> Outcome {
    match command {
        Command::Up(args) => block_on(up::run(args)),
        Command::Check(args) => block_on(check::run(args)),
        Command::Verify(args) => verify::run(&args),
        Command::Audit(args) => block_on(audit::run(args)),
        Command::Baseline(command) => block_on(baseline::run(command)),
        Command::Canonicalize(args) => tool_list::canonicalize(&args),
        Command::Fingerprint(args) => tool_list::fingerprint(&args),
        Command::Lint(args) => tool_list::lint(&args),
        Command::Signer(args) => role::signer(&args),
        Command::ProbeAgent(args) => block_on(role::probe_agent(args)),
        Command::Coordinator(args) => block_on(role::coordinator(args)),
        Command::Config(command) => config::run(&command),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "touchstone", &mut script);
            output::bytes(&script)?;
            Ok(Exit::Done)
        }
        Command::Man => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command())
                .render(&mut page)
                .map_err(|error| {
                    Failure::new(
                        Exit::Unexpected,
                        format!("the manual page could not be made: {error}"),
                    )
                })?;
            output::bytes(&page)?;
            Ok(Exit::Done)
        }
        Command::ExitCodes => {
            output::line(exit::EXIT_CODES)?;
            Ok(Exit::Done)
        }
    }
}

/// Threads of the runtime of one process; a fleet of one machine is three.
const RUNTIME_THREADS: usize = 2;

fn block_on(command: impl Future<Output = Outcome>) -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(RUNTIME_THREADS)
        .enable_all()
        .build()
        .map_err(|error| {
            Failure::new(
                Exit::Unexpected,
                format!("the runtime could not start: {error}"),
            )
        })?;
    let outcome = runtime.block_on(command);
    // A read of standard input may be waiting for ever; all else has ended.
    runtime.shutdown_background();
    outcome
}
