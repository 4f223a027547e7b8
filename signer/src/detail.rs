//! Writes down the suite's unsigned detail as the pages read it.

use touchstone_evidence::detail as written;
use touchstone_suites::{self as found, LikelyCause};

pub(crate) fn written(detail: found::Detail) -> written::Detail {
    let found::Detail {
        tool_names,
        server,
        revisions,
        hygiene,
        listed,
        not_canonical,
        drift,
        redirects,
        notes,
        likely_cause,
    } = detail;
    written::Detail {
        tool_names,
        server: server.map(|found::ServerInfo { name, version }| written::ServerInfo {
            name: name.unwrap_or_default(),
            version: version.unwrap_or_default(),
        }),
        revisions: written::Revisions {
            offered: revisions.offered,
            recorded: revisions.recorded,
            supported: revisions.supported,
            first_listed: revisions.first_listed,
        },
        hygiene: hygiene.into_iter().map(hit).collect(),
        listed: listed.into_iter().map(note).collect(),
        not_canonical,
        drift: drift.map(self::drift),
        redirects: redirects.into_iter().map(redirect).collect(),
        notes: notes
            .into_iter()
            .map(
                |found::ExchangeNote { exchange, note }| written::ExchangeNote {
                    exchange,
                    note: note.to_owned(),
                },
            )
            .collect(),
        likely_cause: likely_cause.map(LikelyCause::as_str).map(str::to_owned),
    }
}

fn hit(hit: found::HygieneHit) -> written::HygieneHit {
    written::HygieneHit {
        tool_index: hit.tool_index,
        tool: hit.tool,
        field: hit.field.to_owned(),
        rule: hit.rule.to_owned(),
        family: hit.family.to_owned(),
        offset: hit.offset,
        excerpt: hit.excerpt,
    }
}

fn note(note: found::ToolNote) -> written::ToolNote {
    written::ToolNote {
        tool_index: note.tool_index,
        tool: note.tool,
        note: note.note.to_owned(),
    }
}

fn redirect(redirect: found::Redirect) -> written::Redirect {
    written::Redirect {
        exchange: redirect.exchange,
        status: redirect.status,
        location: redirect.location,
        cross_host: redirect.cross_host,
    }
}

fn drift(drift: found::Drift) -> written::Drift {
    written::Drift {
        added: drift.added,
        removed: drift.removed,
        changed: drift.changed.into_iter().map(changed).collect(),
        redefined: drift.redefined.into_iter().map(redefined).collect(),
    }
}

fn changed(changed: found::SchemaDrift) -> written::SchemaDrift {
    written::SchemaDrift {
        tool: changed.tool,
        differences: changed.differences.into_iter().map(difference).collect(),
        truncated: changed.truncated,
    }
}

fn redefined(redefined: found::Redefined) -> written::Redefined {
    written::Redefined {
        tool: redefined.tool,
        part: redefined.part.to_owned(),
        differences: redefined.differences.into_iter().map(difference).collect(),
        truncated: redefined.truncated,
    }
}

fn difference(difference: found::Difference) -> written::Difference {
    written::Difference {
        path: difference.path,
        approved: difference.approved,
        observed: difference.observed,
    }
}
