//! The baseline in force, and what of a run differs from the one it was
//! compared with. All names, paths and values are the server's own text.

use touchstone_evidence::detail;

use super::Reading;
use crate::publish::limits::DIFFERENCES_LIMIT;
use crate::publish::stranger::Stranger;
use crate::publish::text::{Moment, Prose, Text};
use crate::targets::run_path;

/// The approval in force when the page was made.
#[derive(Debug)]
pub(super) struct InForce {
    pub(super) approved: Moment,
    pub(super) run: Moment,
    pub(super) href: String,
}

/// As much of the differences as a page lists.
#[derive(Debug)]
pub(super) struct Drift {
    /// What became of tools, and which.
    pub(super) tools: Vec<(Prose, Vec<Stranger>)>,
    pub(super) changed: Vec<Changed>,
    pub(super) more: Option<Prose>,
}

#[derive(Debug)]
pub(super) struct Changed {
    /// Which part of the tool.
    pub(super) what: Prose,
    pub(super) tool: Stranger,
    pub(super) differences: Vec<Difference>,
    /// The record itself holds no more than these.
    pub(super) cut: bool,
}

#[derive(Debug)]
pub(super) struct Difference {
    pub(super) path: Stranger,
    pub(super) approved: Option<Stranger>,
    pub(super) observed: Option<Stranger>,
}

pub(super) fn in_force(reading: &Reading<'_>) -> Option<InForce> {
    let (text, baseline) = (reading.text, reading.report.baseline.as_ref()?);
    Some(InForce {
        approved: text.minute(baseline.approved_at_ms),
        run: text.minute(baseline.run_started_at_ms),
        href: text.link(&run_path(&reading.report.target.slug, &baseline.run_id)),
    })
}

impl Drift {
    /// `None` when nothing differs.
    pub(super) fn of(text: Text, drift: &detail::Drift) -> Option<Self> {
        let mut left = DIFFERENCES_LIMIT;
        let mut take = |wanted: usize| {
            let taken = wanted.min(left);
            left -= taken;
            taken
        };
        let mut tools = Vec::new();
        for (id, names) in [
            ("drift-added", &drift.added),
            ("drift-removed", &drift.removed),
        ] {
            let names: Vec<_> = names
                .iter()
                .take(take(names.len()))
                .map(|name| Stranger(name.clone()))
                .collect();
            if !names.is_empty() {
                tools.push((text.t(id), names));
            }
        }
        let parts = parts(text, drift);
        let mut changed = Vec::new();
        for (what, tool, differences, truncated) in &parts {
            let shown = take(differences.len());
            if shown == 0 && !differences.is_empty() {
                break;
            }
            changed.push(Changed {
                what: what.clone(),
                tool: Stranger((*tool).clone()),
                differences: differences.iter().take(shown).map(difference).collect(),
                cut: *truncated && shown == differences.len(),
            });
        }
        let places = parts.iter().map(|(_, _, differences, _)| differences.len());
        let all = drift.added.len() + drift.removed.len() + places.sum::<usize>();
        let more = text.more("drift-more", all, DIFFERENCES_LIMIT);
        (!tools.is_empty() || !changed.is_empty()).then_some(Self {
            tools,
            changed,
            more,
        })
    }
}

/// What changed, of which tool, where, and whether there is more.
type PartOf<'d> = (Prose, &'d String, &'d [detail::Difference], bool);

/// Schemas, which a check compares, before what none does.
fn parts(text: Text, drift: &detail::Drift) -> Vec<PartOf<'_>> {
    let schemas = drift.changed.iter().map(|changed| {
        let what = text.t("drift-schema");
        (
            what,
            &changed.tool,
            &changed.differences[..],
            changed.truncated,
        )
    });
    let others = drift.redefined.iter().map(|changed| {
        // The words of a newer suite may lack a text.
        let id = format!("drift-{}", changed.part.replace('_', "-"));
        let what =
            touchstone_words::known(text.0, &id).map_or_else(|| text.t("drift-other"), Prose);
        (
            what,
            &changed.tool,
            &changed.differences[..],
            changed.truncated,
        )
    });
    schemas.chain(others).collect()
}

fn difference(difference: &detail::Difference) -> Difference {
    let shown = |value: &Option<String>| value.clone().map(Stranger);
    Difference {
        path: Stranger(difference.path.clone()),
        approved: shown(&difference.approved),
        observed: shown(&difference.observed),
    }
}

#[cfg(test)]
mod tests {
    use touchstone_words::Language;

    use super::*;

    #[test]
    fn a_page_lists_a_bounded_number_of_differences_and_counts_the_rest() {
        let many = |count: usize| (0..count).map(|n| format!("tool_{n}")).collect::<Vec<_>>();
        let differences = |count: usize| -> Vec<_> {
            let one = |path| detail::Difference {
                path,
                approved: None,
                observed: Some("1".to_owned()),
            };
            many(count).into_iter().map(one).collect()
        };
        let drift = detail::Drift {
            added: many(DIFFERENCES_LIMIT - 2),
            removed: Vec::new(),
            changed: ["a", "b"]
                .map(|tool| detail::SchemaDrift {
                    tool: tool.to_owned(),
                    differences: differences(3),
                    truncated: true,
                })
                .into(),
            redefined: Vec::new(),
        };
        let text = Text(Language::English);
        let shown = Drift::of(text, &drift).unwrap();
        assert_eq!(shown.tools.len(), 1);
        assert_eq!(shown.changed.len(), 1);
        assert_eq!(shown.changed[0].differences.len(), 2);
        assert!(!shown.changed[0].cut, "the page cut it, not the record");
        assert_eq!(shown.more.unwrap().0, "4 more differences");
        assert!(Drift::of(text, &detail::Drift::default()).is_none());
    }
}
