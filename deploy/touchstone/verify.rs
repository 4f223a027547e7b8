//! `touchstone verify FILE`: an evidence bundle, checked offline.

use std::path::PathBuf;

use touchstone_evidence::keyset::KeyDocument;
use touchstone_evidence::verify::{Finding, Outcome as Verdict, Replay, verify_bytes};

use crate::exit::{Exit, Failure, Outcome};
use crate::{input, output, terminal};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bundle, as `check --bundle` or an evidence page gave it; - is standard input
    file: PathBuf,
    /// A key document that you pinned; only keys in it are believed
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Judge the raw observation again and compare the payload's bytes
    #[arg(long)]
    replay: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let bytes = input::read(&args.file)?;
    let keys = args
        .keys
        .as_ref()
        .map(|file| {
            KeyDocument::read(&input::read(file)?)
                .map_err(|error| Failure::caused(Exit::Usage, &error))
        })
        .transpose()?;
    let suite = touchstone_signer::suite_identity();
    let replay = Replay {
        suite: &suite,
        derive: &touchstone_signer::derive,
    };
    let verdict = verify_bytes(&bytes, keys.as_ref(), args.replay.then_some(&replay));
    if args.json {
        output::json(&verdict)?;
    } else {
        let colour = terminal::colour();
        for step in &verdict.steps {
            let mark = match step.ok {
                Finding::Holds => "holds ",
                Finding::Fails => "FAILS ",
                Finding::CannotTell => "cannot tell ",
            };
            let detail = terminal::plain(&step.detail);
            output::line(&format!("{mark} {:18} {detail}", step.step.as_str()))?;
        }
        let said = match verdict.verdict {
            Verdict::Valid => "valid",
            Verdict::Invalid => "does not verify",
            Verdict::Undecidable => "cannot be told",
        };
        output::line(&terminal::strong(said, colour))?;
    }
    Ok(match verdict.verdict {
        Verdict::Valid => Exit::Done,
        Verdict::Invalid => Exit::DoesNotVerify,
        Verdict::Undecidable => Exit::CannotTell,
    })
}
