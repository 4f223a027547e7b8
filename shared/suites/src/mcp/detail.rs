//! The unsigned detail of an evaluation, and the revisions that travel with it.

use touchstone_proto::observation::Step;
use touchstone_wire::tools;

use super::drift::Comparison;
use super::fingerprints::Fingerprints;
use super::hygiene::Scanned;
use super::tools as tool_words;
use crate::model::{
    Detail, EXCHANGE_NOTES, ExchangeNote, Redirect, Revisions, ServerInfo, Signing,
};
use crate::view::{Destination, Turn, View};

/// Characters of a `Location` that are shown.
const LOCATION_SHOWN: usize = 512;
/// Words about tools, and about exchanges, that are written down.
const NOTES_SHOWN: usize = 500;

pub(super) fn detail(
    view: &View<'_>,
    signing: Signing,
    fingerprints: Option<&Fingerprints>,
    scanned: Scanned,
    comparison: Comparison,
) -> Detail {
    let tools = view.tools();
    let mut listed = tool_words::notes(&tools);
    listed.extend(scanned.listed);
    listed.sort_by_key(|note| note.tool_index);
    listed.truncate(NOTES_SHOWN);
    Detail {
        tool_names: tool_words::names(&tools),
        server: view.handshake.server.as_ref().map(|server| ServerInfo {
            name: server.name.clone(),
            version: server.version.clone(),
        }),
        revisions: revisions(view),
        hygiene: scanned.shown,
        listed,
        not_canonical: fingerprints.and_then(Fingerprints::not_canonical),
        drift: comparison.drift,
        redirects: view.turns.iter().filter_map(redirect).collect(),
        notes: notes(view),
        likely_cause: super::signing::likely_cause(view, signing),
    }
}

/// Every revision that was said and has the form of one.
pub(super) fn revisions(view: &View<'_>) -> Revisions {
    let handshake = &view.handshake;
    let revision = |text: &String| is_revision(text).then(|| text.clone());
    let offered = &view.recorded.run().offered_revision;
    Revisions {
        offered: revision(offered),
        recorded: handshake.recorded.as_ref().and_then(revision),
        supported: handshake.supported.iter().filter_map(revision).collect(),
        first_listed: handshake.supported.first().and_then(revision),
    }
}

fn is_revision(text: &str) -> bool {
    text.len() == "YYYY-MM-DD".len()
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

fn redirect(turn: &Turn<'_>) -> Option<Redirect> {
    let destination = turn.redirect()?;
    let location = turn.headers("location").next().unwrap_or_default();
    Some(Redirect {
        exchange: turn.index,
        status: turn.status(),
        location: location.chars().take(LOCATION_SHOWN).collect(),
        cross_host: destination == Destination::OtherHost,
    })
}

fn notes(view: &View<'_>) -> Vec<ExchangeNote> {
    let mut notes = view.handshake.notes.clone();
    let mut add = |turn: &Turn<'_>, note| {
        notes.push(ExchangeNote {
            exchange: turn.index,
            note,
        });
    };
    for turn in view.endpoint_turns() {
        for note in turn.notes() {
            add(turn, note);
        }
        if turn.step() == Step::Initialized && turn.is_success() {
            if turn.status() != 202 {
                add(turn, "acknowledgement_not_202");
            }
            if !turn.body().is_empty() {
                add(turn, "acknowledgement_body");
            }
        }
    }
    for &page in &view.listing.pages {
        let turn = &view.turns[page];
        let answer = turn.answer();
        let page = answer.and_then(|answer| tools::page(answer, view.handshake.era()).ok());
        for deviation in page.map(|page| page.deviations).unwrap_or_default() {
            add(turn, deviation.as_str());
        }
    }
    debug_assert!(notes.iter().all(|note| EXCHANGE_NOTES.contains(&note.note)));
    notes.sort_unstable();
    notes.dedup();
    notes.truncate(NOTES_SHOWN);
    notes
}
