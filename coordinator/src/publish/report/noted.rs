//! What answers did beyond the plain form of the protocol and was read past:
//! it changes no state, and whoever runs the server may want to know it.

use askama::Template;
use touchstone_evidence::detail::ExchangeNote;
use touchstone_proto::observation::Observation;

use super::saw::step_name;
use crate::publish::stranger::Stranger;
use crate::publish::text::{Prose, Text};

/// Notes that a page lists; the rest is counted.
const SHOWN_LIMIT: usize = 40;

#[derive(Template)]
#[template(path = "section/noted.html")]
struct Noted {
    text: Text,
    /// What was sent, and what was noted of the answer.
    rows: Vec<(Stranger, Prose)>,
    more: Option<Prose>,
}

/// `None` when there is nothing to tell.
pub(super) fn noted(
    text: Text,
    notes: &[ExchangeNote],
    observation: &Observation,
) -> Option<Result<String, askama::Error>> {
    let rows: Vec<_> = notes
        .iter()
        .filter_map(|note| {
            let exchange = observation.exchanges.get(note.exchange)?;
            Some((Stranger(step_name(exchange)), words(text, &note.note)))
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    let noted = Noted {
        text,
        more: text.more("noted-more", rows.len(), SHOWN_LIMIT),
        rows: rows.into_iter().take(SHOWN_LIMIT).collect(),
    };
    Some(noted.render())
}

fn words(text: Text, note: &str) -> Prose {
    touchstone_words::known(text.0, &format!("noted-{note}"))
        .map_or_else(|| Prose(note.to_owned()), Prose)
}

#[cfg(test)]
mod tests {
    use touchstone_proto::observation::{Exchange, Step};
    use touchstone_words::Language;

    use super::*;

    #[test]
    fn a_note_stands_beside_what_was_sent() {
        let exchange = |step: Step| Exchange {
            step: step.into(),
            method: "POST".to_owned(),
            ..Exchange::default()
        };
        let observation = Observation {
            exchanges: vec![exchange(Step::Discover), exchange(Step::ListTools)],
            ..Observation::default()
        };
        let note = |exchange, note: &str| ExchangeNote {
            exchange,
            note: note.to_owned(),
        };
        let shown = |notes: &[ExchangeNote]| {
            let section = noted(Text(Language::English), notes, &observation)?;
            Some(section.unwrap())
        };
        assert_eq!(shown(&[]), None);
        assert_eq!(shown(&[note(7, "batch")]), None, "no such exchange");
        let html = shown(&[note(0, "id_foreign"), note(1, "batch")]).unwrap();
        for part in [
            "POST server/discover",
            "not ours",
            "POST tools/list",
            "array",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
        let many = vec![note(1, "sse_comment"); SHOWN_LIMIT + 2];
        assert!(shown(&many).unwrap().contains("2 more"));
    }
}
