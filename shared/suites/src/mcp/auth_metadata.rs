//! `auth_metadata`: are the challenge and the metadata that anybody can see
//! without a credential well formed?
//!
//! Says nothing about how strong the authentication is. A fault that was seen
//! counts also when the run stopped afterwards.

use touchstone_canonical::Value;
use touchstone_wire::challenge::{self, Quirk};
use touchstone_wire::metadata::{NoPlace, stated_place};
use url::Url;

use super::documents::{self, Got, Search, fault};
use crate::model::Finding;
use crate::reason::{Reason, ReasonKey};
use crate::view::{Turn, View, scheme_word};

pub(super) fn judge(view: &View<'_>) -> Finding {
    let seen = Seen {
        challenge: wall(view).map(Challenge::read),
        resource: Search::resource(view),
        server: Search::server(view),
    };
    if let Some(fault) = seen.fault(view) {
        return Finding::risk(fault);
    }
    if let Some(finding) = seen.cut_short(view) {
        return finding;
    }
    let documents = documents::count([&seen.resource, &seen.server]);
    match (&seen.challenge, documents) {
        (None, 0) => Finding::skipped(ReasonKey::NotObservable),
        (Some(challenge), 0) => Finding::verified(Reason::new(
            ReasonKey::ChallengeWellFormed,
            &[challenge.scheme.into()],
        )),
        (challenge, documents) => {
            let scheme = challenge.as_ref().map_or("none", |c| c.scheme);
            Finding::verified(Reason::new(
                ReasonKey::MetadataWellFormed,
                &[scheme.into(), documents.into()],
            ))
        }
    }
}

/// All that could be seen of the authentication.
struct Seen {
    challenge: Option<Challenge>,
    resource: Search,
    server: Search,
}

impl Seen {
    /// The first fault, in the order in which a client would meet them.
    fn fault(&self, view: &View<'_>) -> Option<Reason> {
        let challenge = self.challenge.as_ref();
        if let Some(fault) = challenge.and_then(|challenge| challenge.fault.clone()) {
            return Some(fault);
        }
        let was_named = challenge.is_some_and(|challenge| challenge.stated.is_some());
        let document = match &self.resource.got {
            Got::Document(document) => document,
            // What is not where it was guessed to be is just not there.
            _ if !was_named => return None,
            Got::Http(status) => {
                let params = ["resource".into(), (*status).into()];
                return Some(Reason::new(ReasonKey::MetadataHttpError, &params));
            }
            Got::NotJson => return Some(fault("resource", "not_json")),
            Got::NotObject => return Some(fault("resource", "not_object")),
            Got::Nothing => return None,
        };
        let scopes = challenge.map_or(&[][..], |challenge| &challenge.scopes);
        let endpoint = view.endpoint();
        documents::resource_fault(document, endpoint.as_ref(), scopes)
            .or_else(|| self.server_fault(document))
    }

    fn server_fault(&self, resource: &Value) -> Option<Reason> {
        let issuer = documents::first_server(resource).and_then(Value::as_str);
        match &self.server.got {
            Got::Document(document) => documents::server_fault(document, issuer?),
            _ if self.server.tried && self.server.hindered.is_none() => {
                Some(ReasonKey::ServerMetadataNotFound.into())
            }
            _ => None,
        }
    }

    /// What kept the search from its end, when it did not come to one.
    fn cut_short(&self, view: &View<'_>) -> Option<Finding> {
        let found_resource = matches!(self.resource.got, Got::Document(_));
        let search = if found_resource {
            &self.server
        } else {
            &self.resource
        };
        if let Some(reason) = &search.hindered {
            return Some(Finding::errored(reason.clone()));
        }
        if search.tried {
            return None;
        }
        // A run that was cut short may have missed the wall, or what lies behind it.
        let was_named = self.challenge.as_ref().is_some_and(|c| c.stated.is_some());
        if let Some(reason) = view.stop() {
            Some(Finding::blocked(reason))
        } else if self.challenge.is_none() && !found_resource {
            view.edge().map(Finding::blocked)
        } else {
            (found_resource || was_named).then(|| Finding::blocked(ReasonKey::NotRecorded))
        }
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
        let place = reading.resource_metadata().map(stated_place);
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
        } else {
            match place {
                Some(Err(NoPlace::NotWeb)) => Some(ReasonKey::ChallengeMetadataUrlInvalid.into()),
                Some(Err(NoPlace::Credentials)) => {
                    Some(ReasonKey::ChallengeMetadataUrlCredentials.into())
                }
                Some(Ok(_)) | None => None,
            }
        };
        Self {
            scheme: strict.map_or("other", |challenge| scheme_word(&challenge.scheme)),
            stated: place.and_then(Result::ok),
            scopes: reading.scopes().map(str::to_owned).collect(),
            fault,
        }
    }
}
