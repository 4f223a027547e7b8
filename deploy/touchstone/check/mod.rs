//! `touchstone check URL`: one run now, in this process, without a server.
//!
//! The same agent, signer and suite as in the fleet, with keys made for this
//! one run. What is signed so shows that a bundle is whole, not who made it.

mod table;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use indicatif::{ProgressBar, ProgressStyle};
use ipnet::IpNet;
use serde_json::{Value, json};
use touchstone_evidence::bundle::Bundle;
use touchstone_evidence::detail::Detail;
use touchstone_evidence::payload::Predicate;
use touchstone_evidence::target::{Transport, target_id};
use touchstone_evidence::text::UrlText;
use touchstone_probe_agent::identity::Identity;
use touchstone_probe_agent::{Policy, RunSpec, SUITE, egress, probe};
use touchstone_proto::observation::{EndpointSource, SignedObservation};
use touchstone_proto::vocabulary::State;
use touchstone_signer::ephemeral::{Answer, Attested};
use url::Url;

use crate::endpoint;
use crate::exit::{Exit, Failure, Outcome, chain};
use crate::{output, terminal};

/// The region that a run on one's own machine is recorded under.
const REGION: &str = "local";
/// How often the progress line is drawn anew.
const DRAW_EVERY: Duration = Duration::from_millis(100);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The server's endpoint
    url: String,
    /// Which checks to run
    #[arg(long, value_enum, default_value = "mcp")]
    suite: Suite,
    /// A network of your own that may be probed, over plain http and on any port too
    #[arg(long, value_name = "CIDR", value_parser = endpoint::network)]
    allow_net: Vec<IpNet>,
    /// A network that is never probed, public or not; it goes before --allow-net
    #[arg(long, value_name = "CIDR", value_parser = endpoint::network)]
    deny_net: Vec<IpNet>,
    /// A further certificate authority (PEM) to trust
    #[arg(long, value_name = "FILE")]
    trust_ca: Vec<PathBuf>,
    /// Write the evidence bundle to a file
    #[arg(long, value_name = "FILE")]
    bundle: Option<PathBuf>,
    /// What ends with exit code 3
    #[arg(long, value_enum, default_value = "failed")]
    fail_on: FailOn,
    /// Print the payload's predicate as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Suite {
    Mcp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FailOn {
    /// A check that FAILED
    Failed,
    /// OBSERVED_RISK as well
    Risk,
}

/// What one run came to.
#[derive(Debug)]
struct Checked {
    predicate: Predicate,
    detail: Detail,
    attested: Attested,
}

pub(crate) async fn run(args: Args) -> Outcome {
    let Suite::Mcp = args.suite;
    let url = endpoint::parse(&args.url, &args.allow_net)?;
    if let Some(file) = &args.bundle {
        can_be_written(file)?;
    }
    let egress = egress(Policy::new(args.allow_net, args.deny_net), args.trust_ca)
        .await
        .map_err(|error| Failure::caused(Exit::Usage, &error))?;
    let identity =
        Identity::ephemeral().map_err(|error| Failure::caused(Exit::Unexpected, &error))?;
    let spec = spec(&url, &identity)?;
    let progress = progress(&url);
    let recording = probe(spec, &Arc::new(egress), SystemTime::now()).await;
    progress.finish_and_clear();
    let signed = identity.sign(&recording.observation, recording.bodies);
    let answer = touchstone_signer::ephemeral::attest(&signed, &identity.public_key(), REGION)
        .map_err(|error| {
            Failure::new(
                Exit::Unexpected,
                format!("judging the run failed: {}", chain(&error)),
            )
        })?;
    if let Some(file) = &args.bundle {
        keep(file, &answer, &signed)?;
    }
    let checked = Checked {
        predicate: answer.predicate,
        detail: answer.detail,
        attested: answer.attested,
    };
    if args.json {
        print_json(&checked)?;
    } else {
        table::print(&checked, terminal::colour())?;
    }
    Ok(exit(&checked, args.fail_on))
}

fn spec(url: &Url, identity: &Identity) -> Result<RunSpec, Failure> {
    let text = UrlText::new(url.as_str()).map_err(|error| Failure::caused(Exit::Usage, &error))?;
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| {
        Failure::new(
            Exit::Unexpected,
            format!("the machine gave no random bytes: {error}"),
        )
    })?;
    Ok(RunSpec {
        run_id: format!("check-{}", data_encoding::HEXLOWER.encode(&random)),
        target_id: target_id(Transport::StreamableHttp, &text),
        suite: SUITE.to_owned(),
        slot: 0,
        region: REGION.to_owned(),
        agent_key_id: identity.key_id().to_owned(),
        endpoint_url: url.as_str().to_owned(),
        endpoint_source: EndpointSource::CommandLine,
    })
}

/// Refuses what plainly is no place for a bundle before the run and not after it.
fn can_be_written(file: &Path) -> Result<(), Failure> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let why = if file.is_dir() {
        "it is a folder"
    } else if !folder.is_dir() {
        "its folder is not there"
    } else {
        return Ok(());
    };
    Err(Failure::usage(format!(
        "--bundle {} cannot be written: {why}; name a file in a folder that is there",
        file.display()
    )))
}

/// A line that says what is going on, on a terminal and nowhere else.
fn progress(url: &Url) -> ProgressBar {
    if !terminal::progress() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    // The template is a constant; were it wrong, the plain spinner stays.
    if let Ok(style) =
        ProgressStyle::with_template("{spinner} probing {msg} · {elapsed} of at most 10 s")
    {
        bar.set_style(style);
    }
    bar.set_message(url.host_str().unwrap_or_default().to_owned());
    bar.enable_steady_tick(DRAW_EVERY);
    bar
}

fn keep(file: &Path, answer: &Answer, signed: &SignedObservation) -> Result<(), Failure> {
    let Attested::Signed { envelope, .. } = &answer.attested else {
        anstream::eprintln!("touchstone: this run is not signed, so there is no bundle to write");
        // An older bundle in its place would be taken for this run's.
        return match std::fs::remove_file(file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Failure::new(
                Exit::Unexpected,
                format!("removing the older {} failed: {error}", file.display()),
            )),
            _ => Ok(()),
        };
    };
    let bundle = Bundle::new(envelope.clone(), &answer.keys, Some(signed), None);
    std::fs::write(file, bundle.to_json()).map_err(|error| {
        Failure::place(
            &error,
            format!("--bundle {} cannot be written: {error}", file.display()),
        )
    })
}

fn print_json(checked: &Checked) -> Result<(), Failure> {
    let mut value = serde_json::to_value(&checked.predicate)
        .map_err(|error| Failure::new(Exit::Unexpected, format!("writing JSON failed: {error}")))?;
    let signing = match &checked.attested {
        Attested::Signed { scope, .. } => json!({"scope": scope.as_str(), "reason": null}),
        Attested::Declined { reason_key } => json!({"scope": "none", "reason": reason_key}),
    };
    if let Value::Object(members) = &mut value {
        members.insert("signing".to_owned(), signing);
    }
    output::json(&value)
}

/// The exit code of a run. What failed goes before what could not be told.
fn exit(checked: &Checked, fail_on: FailOn) -> Exit {
    let any = |state| {
        checked
            .predicate
            .assertions
            .iter()
            .any(|assertion| assertion.state == state)
    };
    if any(State::Failed) || (fail_on == FailOn::Risk && any(State::ObservedRisk)) {
        return Exit::Failed;
    }
    let reachability = checked
        .predicate
        .assertions
        .iter()
        .find(|assertion| assertion.check.as_str() == "reachability");
    let reason = reachability.map_or("", |assertion| assertion.reason.key.as_str());
    match (
        reachability.map(|assertion| assertion.state),
        &checked.attested,
    ) {
        (Some(State::Unverified), _) => match reason {
            "rate_limited" => Exit::TryLater,
            "policy_refused" => Exit::Usage,
            "resolver_unavailable" | "agent_fault" | "not_recorded" => Exit::Unexpected,
            "response_too_large" | "response_headers_too_large" => Exit::CannotTell,
            _ => Exit::Unreachable,
        },
        (_, Attested::Declined { reason_key }) if reason_key == "rate_limited" => Exit::TryLater,
        (_, Attested::Declined { .. }) => Exit::CannotTell,
        (_, Attested::Signed { .. }) => Exit::Done,
    }
}
