//! `touchstone verify FOLDER`: every bundle in a folder and below it, one after
//! the other in the order of their names, with one sentence for each that does
//! not hold and a summary. One bundle is in memory at a time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use touchstone_evidence::verify::{Finding, Outcome as Verdict, Verdict as Answer};

use super::exit_of;
use crate::exit::{Exit, Failure, Outcome};
use crate::{input, output, terminal};

/// Most files of one folder. Their names are held in memory.
const FILES_LIMIT: usize = 1_000_000;
/// How deep folders stand in one another; a mount may lead back to its start.
const DEPTH_LIMIT: usize = 64;
/// How often the progress bar is drawn anew.
const DRAW_EVERY: Duration = Duration::from_millis(100);

/// How many came out which way.
#[derive(Debug, Default, serde::Serialize)]
struct Summary {
    files: u64,
    valid: u64,
    invalid: u64,
    undecidable: u64,
    unreadable: u64,
}

/// What became of one file.
enum Judged {
    Answer(Answer),
    Unreadable(Failure),
}

/// Verifies what stands in `folder` and ends in `.json`, without `keys`, the
/// key document that may stand there too.
pub(super) fn run(
    folder: &Path,
    keys: Option<&Path>,
    as_json: bool,
    verify: impl Fn(&[u8]) -> Answer,
) -> Outcome {
    let files = list(folder, keys)?;
    let bar = progress(files.len());
    let mut summary = Summary::default();
    for file in &files {
        let judged = match input::read(file) {
            Ok(bytes) => Judged::Answer(verify(&bytes)),
            Err(failure) => Judged::Unreadable(failure),
        };
        summary.count(&judged);
        if as_json || judged.exit() != Exit::Done {
            bar.suspend(|| tell(file, &judged, as_json))?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    summary.tell(as_json)?;
    Ok(summary.exit())
}

/// The files, in the order of their names byte by byte, which is the same on
/// every machine.
fn list(folder: &Path, keys: Option<&Path>) -> Result<BTreeSet<PathBuf>, Failure> {
    let left_out = keys.and_then(|keys| keys.canonicalize().ok());
    let mut found = BTreeSet::new();
    let mut waiting = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = waiting.pop() {
        let failed = |error| Failure::usage(format!("cannot read {}: {error}", folder.display()));
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
            // A link to a folder could lead round in a circle.
            if kind.is_dir() && depth < DEPTH_LIMIT {
                waiting.push((path, depth + 1));
            } else if kind.is_dir() {
                return Err(Failure::usage(format!(
                    "{} stands in more than {DEPTH_LIMIT} folders; name one further down",
                    path.display()
                )));
            } else if path.extension().is_some_and(|end| end == "json")
                && (left_out.is_none() || path.canonicalize().ok() != left_out)
            {
                found.insert(path);
            }
            if found.len() > FILES_LIMIT {
                return Err(Failure::usage(format!(
                    "more than {FILES_LIMIT} files stand there; name a folder further down"
                )));
            }
        }
    }
    if found.is_empty() {
        return Err(Failure::usage(format!(
            "{} is a folder without a bundle: no file in it ends in .json",
            folder.display()
        )));
    }
    Ok(found)
}

fn progress(files: usize) -> ProgressBar {
    if !terminal::progress() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(files.try_into().unwrap_or(u64::MAX));
    // The template is a constant; were it wrong, the plain bar stays.
    if let Ok(style) =
        ProgressStyle::with_template("verifying {pos} of {len} {bar:30} {percent} % · {eta} left")
    {
        bar.set_style(style);
    }
    bar.enable_steady_tick(DRAW_EVERY);
    bar
}

/// One line about one file.
fn tell(file: &Path, judged: &Judged, as_json: bool) -> Result<(), Failure> {
    let (exit, sentence) = (judged.exit(), judged.sentence());
    if !as_json {
        let said = match judged {
            Judged::Answer(answer) => super::said(answer.verdict),
            Judged::Unreadable(_) => "cannot be read",
        };
        let name = terminal::plain(&file.display().to_string());
        let sentence = terminal::plain(sentence);
        return output::line(&format!("{said} ({})  {name}: {sentence}", exit as u8));
    }
    let mut line = match judged {
        Judged::Answer(answer) => serde_json::to_value(answer)
            .map_err(|error| Failure::new(Exit::Unexpected, format!("writing JSON: {error}")))?,
        Judged::Unreadable(_) => json!({ "verdict": null, "steps": [] }),
    };
    line["file"] = file.display().to_string().into();
    line["exit"] = (exit as u8).into();
    line["sentence"] = match exit {
        Exit::Done => None,
        _ => Some(sentence),
    }
    .into();
    output::json(&line)
}

impl Judged {
    fn exit(&self) -> Exit {
        match self {
            Self::Answer(answer) => exit_of(answer.verdict),
            Self::Unreadable(failure) => failure.exit,
        }
    }

    /// Of the step that does not hold, which is the last one taken.
    fn sentence(&self) -> &str {
        match self {
            Self::Answer(answer) => answer
                .steps
                .iter()
                .find(|step| step.ok != Finding::Holds)
                .map_or("", |step| &step.detail),
            Self::Unreadable(failure) => &failure.message,
        }
    }
}

impl Summary {
    fn count(&mut self, judged: &Judged) {
        self.files += 1;
        match judged {
            Judged::Answer(answer) => match answer.verdict {
                Verdict::Valid => self.valid += 1,
                Verdict::Invalid => self.invalid += 1,
                Verdict::Undecidable => self.undecidable += 1,
            },
            Judged::Unreadable(_) => self.unreadable += 1,
        }
    }

    fn tell(&self, as_json: bool) -> Result<(), Failure> {
        if as_json {
            return output::json(&json!({ "summary": self, "exit": self.exit() as u8 }));
        }
        let Self {
            files,
            valid,
            invalid,
            undecidable,
            unreadable,
        } = self;
        let text = format!(
            "{files} files: {valid} valid, {invalid} do not verify, {undecidable} cannot be told, {unreadable} cannot be read"
        );
        output::line(&terminal::strong(&text, terminal::colour()))
    }

    /// Some of many is an exit of its own; where none is valid, the worst that
    /// was found: false before unknown, unknown before unreadable.
    fn exit(&self) -> Exit {
        if self.valid == self.files {
            Exit::Done
        } else if self.valid > 0 {
            Exit::Partial
        } else if self.invalid > 0 {
            Exit::DoesNotVerify
        } else if self.undecidable > 0 {
            Exit::CannotTell
        } else {
            Exit::Usage
        }
    }
}
