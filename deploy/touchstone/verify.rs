//! `touchstone verify FILE`: an evidence bundle, or a folder of them, checked
//! offline.

mod folder;

use std::path::PathBuf;

use touchstone_evidence::keyset::KeyDocument;
use touchstone_evidence::verify::{Finding, Outcome as Verdict, Replay, verify_bytes};

use crate::exit::{Exit, Failure, Outcome};
use crate::{input, output, terminal};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bundle, as `check --bundle` or an evidence page gave it, or a folder of bundles; - is standard input
    file: PathBuf,
    /// A key document that you pinned; only keys in it are believed
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Judge the raw observation again and compare the payload's bytes
    #[arg(long)]
    replay: bool,
    /// Print JSON; of a folder a line for each file, and last a summary
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Outcome {
    // Read first: of two slips the one about the bundle is told.
    let bytes = if args.file.is_dir() {
        None
    } else {
        Some(input::read(&args.file)?)
    };
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
    let verify = |bytes: &[u8]| verify_bytes(bytes, keys.as_ref(), args.replay.then_some(&replay));
    let Some(bytes) = bytes else {
        return folder::run(&args.file, args.keys.as_deref(), args.json, verify);
    };
    let verdict = verify(&bytes);
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
        output::line(&terminal::strong(said(verdict.verdict), colour))?;
    }
    Ok(exit_of(verdict.verdict))
}

fn said(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Valid => "valid",
        Verdict::Invalid => "does not verify",
        Verdict::Undecidable => "cannot be told",
    }
}

fn exit_of(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Valid => Exit::Done,
        Verdict::Invalid => Exit::DoesNotVerify,
        Verdict::Undecidable => Exit::CannotTell,
    }
}
