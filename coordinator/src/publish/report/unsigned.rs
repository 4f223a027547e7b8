//! The report of a run that is not signed: why not, what points to which
//! cause, and what happens next. No state, no score, no colour.

use askama::Template;

use super::causes::{self, Cause};
use super::{Notice, Reading};
use crate::publish::commands::{Command, Commands, discover};
use crate::publish::limits::{RUN_REQUESTS, RUN_SECONDS};
use crate::publish::marks::Signature;
use crate::publish::stranger::Stranger;
use crate::publish::text::{Moment, Prose, Text};
use crate::store::read::{Attestation, ReportedRun};

/// Reasons that lie with us. The five causes are about a server, so they do
/// not stand on such a page.
const OURS: [&str; 10] = [
    "response_headers_too_large",
    "response_too_deep",
    "response_undecodable",
    "policy_refused",
    "resolver_unavailable",
    "agent_fault",
    "not_recorded",
    "disqualified",
    "signer_unreachable",
    "refused",
];

#[derive(Template)]
#[template(path = "section/why.html")]
struct Why {
    text: Text,
    lead: Prose,
    /// Number of the cause that fits.
    fitting: Option<i64>,
    discover: Command,
    causes: Vec<Cause>,
}

#[derive(Template)]
#[template(path = "section/next.html")]
struct Next {
    text: Text,
    due: Prose,
}

#[derive(Template)]
#[template(path = "section/first.html")]
struct FirstRun {
    text: Text,
    heading: Prose,
    due: Moment,
    before: Prose,
    endpoint: Stranger,
    after: Prose,
}

/// Whether the five causes can explain this run.
pub(super) fn cause_is_theirs(reading: &Reading<'_>) -> bool {
    reading
        .unsigned_reason()
        .is_some_and(|key| !OURS.contains(&key))
}

/// Takes the place of the five causes when the cause is ours.
pub(super) fn notice(reading: &Reading<'_>) -> Option<Notice> {
    let text = reading.text;
    let run = reading.run()?;
    let rest = match &run.run.attestation {
        Attestation::Pending { attempts } => text.with(
            if *attempts == 0 {
                "notice-pending-text"
            } else {
                "notice-pending-tried-text"
            },
            &[
                ("attempts", i64::from(*attempts).into()),
                ("moment", text.minute(run.run.stored_at_ms).shown.into()),
            ],
        ),
        _ if reading.signature == Signature::None && !cause_is_theirs(reading) => {
            text.t("notice-ours-text")
        }
        _ => return None,
    };
    let strong = text.t(if reading.signature == Signature::Pending {
        "notice-pending"
    } else {
        "notice-ours"
    });
    Some(Notice {
        kind: None,
        strong,
        rest,
        link: None,
    })
}

pub(super) fn why(
    reading: &Reading<'_>,
    run: &ReportedRun,
    commands: &mut Commands,
) -> Result<String, askama::Error> {
    let text = reading.text;
    let discover = commands.named(
        discover(reading.endpoint()),
        text.plain("causes-discover-label"),
    );
    let causes = causes::all(
        text,
        &run.observation,
        &reading.detail,
        reading.endpoint(),
        commands,
    );
    let fitting = causes
        .iter()
        .find(|cause| cause.fits)
        .map(|cause| cause.number);
    let lead = match fitting {
        Some(number) => text.with("causes-fits-one", &[("number", number.into())]),
        None if !causes::was_answered(&run.observation) => text.t("causes-no-answer"),
        None => text.t("causes-fits-none"),
    };
    Why {
        text,
        lead,
        fitting,
        discover,
        causes,
    }
    .render()
}

pub(super) fn next(reading: &Reading<'_>) -> Result<String, askama::Error> {
    let text = reading.text;
    let next = text.soon(reading.report.target.next_slot_at_ms, reading.now_ms);
    Next {
        text,
        due: text.with("next-due", &[("moment", next.shown.into())]),
    }
    .render()
}

/// A target that no run has looked at yet.
pub(super) fn first_run(reading: &Reading<'_>) -> Result<String, askama::Error> {
    let text = reading.text;
    let limits = [
        ("requests", RUN_REQUESTS.into()),
        ("seconds", RUN_SECONDS.into()),
    ];
    FirstRun {
        text,
        heading: text.t("first-heading"),
        due: text.soon(reading.report.target.next_slot_at_ms, reading.now_ms),
        before: text.with("first-before", &limits),
        endpoint: Stranger(reading.endpoint().to_owned()),
        after: text.t("first-after"),
    }
    .render()
}
