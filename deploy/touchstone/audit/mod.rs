//! `touchstone audit LOG`: follows a transparency log from the checkpoint that
//! was seen last, and checks that it only grew, with every entry it has.

mod follow;
mod seen;
mod source;

use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};
use ipnet::IpNet;
use touchstone_evidence::keyset::KeyDocument;
use touchstone_evidence::verify::{Finding, Outcome as Verdict};

use self::follow::{Report, follow};
use self::seen::Seen;
use self::source::Source;
use crate::exit::{Exit, Failure, Outcome};
use crate::{endpoint, input, output, terminal};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchstone audit https://touchstone.example/log --keys keys.json --state log.state
  touchstone audit ./mirror/log

Run it again with the same --state: it goes on from what it saw last, and finds
a log that was set back or rewritten since.")]
pub(crate) struct Args {
    /// The log: the address that its checkpoint and tiles stand under, or a folder with a copy
    #[arg(value_name = "URL|DIR")]
    log: String,
    /// A key document that you pinned; without it, whose log it is stays open
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// What was seen last; made at the first audit
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// A network in which plain http is allowed (CIDR); loopback always is
    #[arg(long, value_name = "CIDR", value_parser = endpoint::network)]
    allow_net: Vec<IpNet>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: Args) -> Outcome {
    let keys = args
        .keys
        .as_ref()
        .map(|file| {
            KeyDocument::read(&input::read(file)?)
                .map_err(|error| Failure::caused(Exit::Usage, &error))
        })
        .transpose()?;
    let seen = match &args.state {
        Some(file) => Seen::load(file)?,
        None => None,
    };
    let mut source = Source::named(&args.log, args.allow_net)?;
    let bar = progress();
    let report = follow(&mut source, keys.as_ref(), seen, |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    })
    .await?;
    bar.finish_and_clear();
    if let (Some(file), Some(seen), Verdict::Valid) = (&args.state, &report.seen, report.verdict) {
        seen.store(file)?;
    }
    tell(&report, args.json)?;
    Ok(match report.verdict {
        Verdict::Valid => Exit::Done,
        Verdict::Invalid => Exit::DoesNotVerify,
        Verdict::Undecidable => Exit::CannotTell,
    })
}

fn tell(report: &Report, json: bool) -> Result<(), Failure> {
    if json {
        return output::json(report);
    }
    for step in &report.steps {
        let mark = match step.ok {
            Finding::Holds => "holds ",
            Finding::Fails => "FAILS ",
            Finding::CannotTell => "cannot tell ",
        };
        output::line(&format!("{mark} {:11} {}", step.name, step.detail))?;
    }
    let said = match report.verdict {
        Verdict::Valid => "valid",
        Verdict::Invalid => "does not verify",
        Verdict::Undecidable => "cannot be told",
    };
    output::line(&terminal::strong(said, terminal::colour()))
}

fn progress() -> ProgressBar {
    if !terminal::progress() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    // The template is a constant; were it wrong, the plain bar stays.
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len} entries · {eta}") {
        bar.set_style(style);
    }
    bar
}
