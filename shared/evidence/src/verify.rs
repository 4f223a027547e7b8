//! Whether a bundle holds: the steps of the check, one after the other, each
//! with one plain sentence.
//!
//! Three answers and no fourth: *valid*, *invalid*, and *undecidable* where
//! this program lacks what it would need to judge (the key, the version). The
//! payload is read only after the signature over the same bytes has held.
//! Never does I/O, never panics on any bundle.

mod enclosed;
mod logged;
mod replay;
mod signed;
mod steps;

use touchstone_proto::Recorded;

use crate::bundle::{Bundle, BundleError};
use crate::keyset::KeyDocument;
use crate::payload::{Statement, Suite};

pub use steps::{Finding, Outcome, Step, StepName, Verdict};
use steps::{Judged, Steps};

/// How to derive a payload anew from an observation, for `--replay`.
pub struct Replay<'a> {
    /// The suite that judges in this program.
    pub suite: &'a Suite,
    /// (observation, approved baseline) to the statement that would be signed,
    /// or one sentence why none would be.
    pub derive: &'a Derive<'a>,
}

/// See [`Replay::derive`].
pub type Derive<'a> = dyn Fn(&Recorded, Option<&Recorded>) -> Result<Statement, String> + 'a;

impl std::fmt::Debug for Replay<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replay")
            .field("suite", self.suite)
            .finish_non_exhaustive()
    }
}

/// Checks a bundle. With a key document (`pinned`), only keys that stand in it
/// are believed; without one, those that came with the bundle.
pub fn verify(
    bundle: &Bundle,
    pinned: Option<&KeyDocument>,
    replay: Option<&Replay<'_>>,
) -> Verdict {
    let mut steps = Steps::default();
    // A step that does not hold ends the check; what it found is in `steps`.
    let _ = judge(bundle, pinned, replay, &mut steps);
    steps.into_verdict()
}

/// Reads a file as a bundle and checks it.
pub fn verify_bytes(
    bytes: &[u8],
    pinned: Option<&KeyDocument>,
    replay: Option<&Replay<'_>>,
) -> Verdict {
    let refused = |outcome, error: BundleError| {
        let mut steps = Steps::default();
        steps.close(StepName::Parse, outcome, sentence(&error));
        steps.into_verdict()
    };
    match Bundle::read(bytes) {
        Ok(bundle) => verify(&bundle, pinned, replay),
        Err(error @ BundleError::MediaType) => refused(Outcome::Undecidable, error),
        Err(error) => refused(Outcome::Invalid, error),
    }
}

fn judge(
    bundle: &Bundle,
    pinned: Option<&KeyDocument>,
    replay: Option<&Replay<'_>>,
    steps: &mut Steps,
) -> Judged<()> {
    if bundle.media_type != crate::bundle::BUNDLE_TYPE {
        return steps.cannot_tell(
            StepName::Parse,
            "This program does not know the media type that the bundle states.",
        );
    }
    steps.holds(StepName::Parse, "The file is an evidence bundle.");
    let statement = signed::check(bundle, pinned, steps)?;
    logged::check(bundle, pinned, &statement, steps)?;
    let recorded = enclosed::check(bundle, pinned, statement.predicate(), steps)?;
    if let Some(replay) = replay {
        replay::check(bundle, &statement, recorded.as_ref(), replay, steps)?;
    }
    Ok(())
}

/// Longest sentence about an error, in characters.
const SENTENCE_LIMIT: usize = 300;

/// An error and its causes as one sentence. An error may quote the file, which
/// may hold anything: what a terminal could take for more than text goes out.
fn sentence(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    let plain = |c: char| {
        if c == ' ' || c.is_ascii_graphic() {
            c
        } else {
            '?'
        }
    };
    let mut sentence: String = text.chars().take(SENTENCE_LIMIT).map(plain).collect();
    sentence.push('.');
    sentence
}

#[cfg(test)]
mod tests;
