//! `auth_metadata`: are the challenge and the metadata that anybody can see
//! without a credential well formed?
//!
//! Says nothing about how strong the authentication is. A fault that was seen
//! counts also when the run stopped afterwards.

use touchstone_canonical::Value;
use touchstone_wire::challenge::{self, Quirk};
use touchstone_wire::metadata::stated_place;
use url::Url;

use super::documents::{self, Got, Search, fault};
use crate::model::Finding;
use crate::reason::{Reason, ReasonKey};
use crate::view::{Turn, View, scheme_word};

pub(super) fn judge(view: &View<'_>) -> Finding {
    let wall = wall(view);
    let challenge = wall.map(Challenge::read);
    if let Some(fault) = challenge
        .as_ref()
        .and_then(|challenge| challenge.fault.clone())
    {
        return Finding::risk(fault);
    }
    let resource = Search::resource(view);
    let server = Search::server(view);
    let stated = challenge
        .as_ref()
        .and_then(|challenge| challenge.stated.as_ref());

    let document = match (&resource.got, stated) {
        (Got::Document(document), _) => Some(document),
        // The place was named, so what is there is no guess.
        (Got::Http(status), Some(_)) => {
            let params = ["resource".into(), (*status).into()];
            return Finding::risk(Reason::new(ReasonKey::MetadataHttpError, &params));
        }
        (Got::NotJson, Some(_)) => return Finding::risk(fault("resource", "not_json")),
        (Got::NotObject, Some(_)) => return Finding::risk(fault("resource", "not_object")),
        _ => None,
    };
    if let Some(document) = document {
        let endpoint = view.endpoint();
        let scopes = challenge
            .as_ref()
            .map_or(&[][..], |challenge| &challenge.scopes);
        if let Some(fault) = documents::resource_fault(document, endpoint.as_ref(), scopes) {
            return Finding::risk(fault);
        }
        let issuer = documents::first_server(document).and_then(Value::as_str);
        match &server.got {
            Got::Document(document) => {
                if let Some(fault) = documents::server_fault(document, issuer.unwrap_or_default()) {
                    return Finding::risk(fault);
                }
            }
            _ if server.hindered.is_none() && server.tried => {
                return Finding::risk(ReasonKey::ServerMetadataNotFound);
            }
            _ => {}
        }
    }
    if let Some(finding) = hindered(view, wall.is_some(), &resource, &server) {
        return finding;
    }
    let scheme = challenge
        .as_ref()
        .map_or("none", |challenge| challenge.scheme);
    match (documents::count([&resource, &server]), &challenge) {
        (0, None) => Finding::skipped(ReasonKey::NotObservable),
        (0, Some(_)) => Finding::verified(Reason::new(
            ReasonKey::ChallengeWellFormed,
            &[scheme.into()],
        )),
        (documents, _) => Finding::verified(Reason::new(
            ReasonKey::MetadataWellFormed,
            &[scheme.into(), documents.into()],
        )),
    }
}

/// What kept the search from its end, when it did not come to one.
fn hindered(view: &View<'_>, wall: bool, resource: &Search, server: &Search) -> Option<Finding> {
    let found_resource = matches!(resource.got, Got::Document(_));
    if !found_resource && let Some(reason) = &resource.hindered {
        return Some(Finding::errored(reason.clone()));
    }
    if found_resource && let Some(reason) = &server.hindered {
        return Some(Finding::errored(reason.clone()));
    }
    // A run that was cut short may have missed the wall, or what lies behind it.
    let over = resource.tried && (!found_resource || server.tried);
    match view.stop() {
        Some(reason) if !over => Some(Finding::blocked(reason)),
        None if found_resource && !server.tried => Some(Finding::blocked(ReasonKey::NotRecorded)),
        _ if !wall => view.edge().map(Finding::blocked),
        _ => None,
    }
}

/// The answer whose challenge is judged: the last 401 that carries one, else
/// the last 403 that does.
fn wall<'v, 'r>(view: &'v View<'r>) -> Option<&'v Turn<'r>> {
    let with_challenge = |status: u32| {
        view.endpoint_turns()
            .filter(move |turn| turn.status() == status && turn.edge().is_none())
            .filter(|turn| turn.headers("www-authenticate").next().is_some())
            .last()
    };
    with_challenge(401).or_else(|| with_challenge(403))
}

struct Challenge {
    scheme: &'static str,
    /// Where it says the metadata lies.
    stated: Option<Url>,
    scopes: Vec<String>,
    fault: Option<Reason>,
}

impl Challenge {
    fn read(turn: &Turn<'_>) -> Self {
        let values: Vec<&str> = turn.headers("www-authenticate").collect();
        let strict = challenge::usable(&values);
        let reading = challenge::read(&values);
        let stated = reading.resource_metadata();
        let place = stated.and_then(stated_place);
        let has = |quirks: &[Quirk]| quirks.iter().any(|quirk| reading.quirks.contains(quirk));
        let quoting = [
            Quirk::SingleQuotes,
            Quirk::UnquotedValue,
            Quirk::OpenQuote,
            Quirk::BlanksAroundEquals,
        ];
        let fault = if has(&[Quirk::RepeatedParameter]) {
            Some(ReasonKey::ChallengeParameterRepeated.into())
        } else if has(&quoting) {
            Some(ReasonKey::ChallengeQuoting.into())
        } else if strict.is_none() || has(&[Quirk::Stray]) {
            Some(Reason::new(
                ReasonKey::ChallengeMalformed,
                &[turn.status().into()],
            ))
        } else if stated.is_some() && place.is_none() {
            Some(ReasonKey::ChallengeMetadataUrlInvalid.into())
        } else {
            None
        };
        Self {
            scheme: strict.map_or("other", |challenge| scheme_word(&challenge.scheme)),
            stated: place,
            scopes: reading.scopes().map(str::to_owned).collect(),
            fault,
        }
    }
}
