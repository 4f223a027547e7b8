//! Which metadata documents to ask for behind a sign-in wall.
//!
//! The protected resource's first (RFC 9728): at the place that the challenge
//! names, or else at the well-known ones. Then that of the first authorization
//! server it lists (RFC 8414). Whatever is no document at one place is a miss,
//! and the next place is tried. No `jwks_uri` and no other link is followed.

use std::collections::VecDeque;

use touchstone_canonical::{Value, read};
use touchstone_proto::observation::Step;
use touchstone_wire::challenge;
use touchstone_wire::metadata::{resource_places, server_places, stated_place};
use url::Url;

/// A search under way.
#[derive(Debug)]
pub(super) struct Search {
    step: Step,
    /// What is still to be tried, the first first.
    places: VecDeque<Url>,
}

impl Search {
    /// `challenges`: the values of `WWW-Authenticate`, none if there were none.
    pub(super) fn new(endpoint: &Url, challenges: &[String]) -> Self {
        let reading = challenge::read(challenges);
        let stated = reading
            .resource_metadata()
            .and_then(|text| stated_place(text).ok());
        Self {
            step: Step::ResourceMetadata,
            places: match stated {
                Some(place) => VecDeque::from([place]),
                None => resource_places(endpoint).into(),
            },
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.places.is_empty()
    }

    /// What to ask for now.
    pub(super) fn next(&self) -> Option<(Step, Url)> {
        self.places.front().map(|place| (self.step, place.clone()))
    }

    /// Takes what the place answered; status 0 for nothing.
    pub(super) fn found(&mut self, status: u16, body: &[u8]) {
        self.places.pop_front();
        let Some(document) = document(status, body) else {
            return;
        };
        self.places = match self.step {
            Step::ResourceMetadata => first_server(&document)
                .map(|issuer| server_places(&issuer))
                .unwrap_or_default()
                .into(),
            _ => VecDeque::new(),
        };
        self.step = Step::ServerMetadata;
    }
}

fn document(status: u16, body: &[u8]) -> Option<Value> {
    let document = (status == 200).then(|| read(body).ok()).flatten()?;
    document.as_object()?;
    Some(document)
}

fn first_server(document: &Value) -> Option<Url> {
    let servers = document.get("authorization_servers")?.as_array()?;
    stated_place(servers.first()?.as_str()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MISS: (u16, &str) = (404, "");

    /// The places asked for, given what each answered.
    fn asked(endpoint: &str, challenges: &[&str], answers: &[(u16, &str)]) -> Vec<String> {
        let challenges: Vec<String> = challenges.iter().copied().map(str::to_owned).collect();
        let mut search = Search::new(&Url::parse(endpoint).unwrap(), &challenges);
        let mut asked = Vec::new();
        for (status, body) in answers {
            let Some((step, url)) = search.next() else {
                break;
            };
            let step = if step == Step::ResourceMetadata {
                "resource"
            } else {
                "server"
            };
            asked.push(format!("{step} {url}"));
            search.found(*status, body.as_bytes());
        }
        assert_eq!(search.is_over(), search.next().is_none());
        assert!(search.is_over(), "{:?} was not asked for", search.next());
        asked
    }

    #[test]
    fn a_named_place_is_the_only_one_and_its_server_is_followed() {
        let challenge = r#"Bearer resource_metadata="https://h/prm", scope="a""#;
        let document = r#"{"authorization_servers": ["https://as/t", "https://other"]}"#;
        assert_eq!(
            asked(
                "https://h/mcp",
                &[challenge],
                &[(200, document), MISS, (200, "{}")]
            ),
            [
                "resource https://h/prm",
                "server https://as/.well-known/oauth-authorization-server/t",
                "server https://as/.well-known/openid-configuration/t",
            ]
        );
        assert_eq!(
            asked("https://h/mcp", &[challenge], &[MISS]),
            ["resource https://h/prm"]
        );
    }

    #[test]
    fn without_a_named_place_the_well_known_ones_are_tried() {
        let named_badly = r#"Bearer resource_metadata="/relative""#;
        for challenges in [&[][..], &["Bearer"], &[named_badly]] {
            assert_eq!(
                asked("https://h/mcp", challenges, &[(403, "no"), (200, "<html>")]),
                [
                    "resource https://h/.well-known/oauth-protected-resource/mcp",
                    "resource https://h/.well-known/oauth-protected-resource",
                ]
            );
        }
    }

    #[test]
    fn a_document_that_leads_nowhere_ends_the_search() {
        for document in [
            "{}",
            r#"{"authorization_servers": []}"#,
            r#"{"authorization_servers": "https://as"}"#,
            r#"{"authorization_servers": [7]}"#,
            r#"{"authorization_servers": ["not a url"]}"#,
            r#"{"authorization_servers": ["ftp://as"]}"#,
        ] {
            assert_eq!(
                asked("https://h/", &[], &[(200, document)]).len(),
                1,
                "{document}"
            );
        }
        // An array or a redirect is no document.
        assert_eq!(asked("https://h/", &[], &[(200, "[]")]).len(), 1);
        assert_eq!(asked("https://h/m", &[], &[(302, "{}"), (0, "")]).len(), 2);
    }
}
