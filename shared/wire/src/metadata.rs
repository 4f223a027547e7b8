//! Where OAuth metadata lies (RFC 9728 section 3.1, RFC 8414 section 3.1, MCP
//! page `2026-07-28/basic/authorization/authorization-server-discovery`).
//!
//! Only places are named here; any 4xx at one of them is a miss, and the next
//! is tried.

use url::Url;

const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const SERVER: &str = "/.well-known/oauth-authorization-server";
const OPENID: &str = "/.well-known/openid-configuration";

/// Where to look for the metadata of a protected resource when no challenge
/// names a place: under the endpoint's path, then at the root. One place for an
/// endpoint at the root.
pub fn resource_places(endpoint: &Url) -> Vec<Url> {
    let mut places = vec![
        place(endpoint, RESOURCE, endpoint.path(), endpoint.query()),
        place(endpoint, RESOURCE, "", None),
    ];
    places.dedup();
    places
}

/// Where to look for the metadata of an authorization server.
pub fn server_places(issuer: &Url) -> Vec<Url> {
    let path = trimmed(issuer.path());
    let mut places = vec![
        place(issuer, SERVER, path, None),
        place(issuer, OPENID, path, None),
    ];
    if !path.is_empty() {
        places.push(place(issuer, path, OPENID, None));
    }
    places
}

/// Why a place that is stated is not gone to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPlace {
    #[error("reading the place of metadata: it is no absolute http or https URL")]
    NotWeb,
    #[error("reading the place of metadata: it holds a user name or a password")]
    Credentials,
}

/// The place that a challenge's `resource_metadata` names, when it is an
/// absolute http or https URL without credentials.
pub fn stated_place(text: &str) -> Result<Url, NoPlace> {
    let mut url = Url::parse(text).map_err(|_| NoPlace::NotWeb)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(NoPlace::NotWeb);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(NoPlace::Credentials);
    }
    url.set_fragment(None);
    Ok(url)
}

/// A place at the origin of `base`.
fn place(base: &Url, first: &str, then: &str, query: Option<&str>) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{first}{}", trimmed(then)));
    url.set_query(query);
    url.set_fragment(None);
    // Fails only for URLs without a host, which carry no credentials either.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    url
}

/// A path without its closing slash, so that the root is empty.
fn trimmed(path: &str) -> &str {
    path.strip_suffix('/').unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(places: impl Fn(&Url) -> Vec<Url>, from: &str, expected: &[&str]) {
        let url = Url::parse(from).expect("test URL");
        let found: Vec<String> = places(&url).iter().map(Url::to_string).collect();
        assert_eq!(found, expected, "{from}");
    }

    #[test]
    fn resource_metadata_lies_under_the_path_then_at_the_root() {
        for (endpoint, expected) in [
            (
                "https://h.example/mcp",
                &[
                    "https://h.example/.well-known/oauth-protected-resource/mcp",
                    "https://h.example/.well-known/oauth-protected-resource",
                ][..],
            ),
            (
                "https://u:p@h.example:8443/a/mcp/?x=1#f",
                &[
                    "https://h.example:8443/.well-known/oauth-protected-resource/a/mcp?x=1",
                    "https://h.example:8443/.well-known/oauth-protected-resource",
                ],
            ),
            (
                "https://h.example/",
                &["https://h.example/.well-known/oauth-protected-resource"],
            ),
        ] {
            check(resource_places, endpoint, expected);
        }
    }

    #[test]
    fn server_metadata_lies_in_three_places_or_two() {
        for (issuer, expected) in [
            (
                "https://as.example/t",
                &[
                    "https://as.example/.well-known/oauth-authorization-server/t",
                    "https://as.example/.well-known/openid-configuration/t",
                    "https://as.example/t/.well-known/openid-configuration",
                ][..],
            ),
            (
                "https://as.example",
                &[
                    "https://as.example/.well-known/oauth-authorization-server",
                    "https://as.example/.well-known/openid-configuration",
                ],
            ),
        ] {
            check(server_places, issuer, expected);
        }
    }

    #[test]
    fn a_stated_place_is_an_absolute_web_address() {
        for (text, place) in [
            ("https://h/x?y#z", Ok("https://h/x?y")),
            ("http://h/x", Ok("http://h/x")),
            ("/x", Err(NoPlace::NotWeb)),
            ("ftp://h/x", Err(NoPlace::NotWeb)),
            ("ftp://u@h/x", Err(NoPlace::NotWeb)),
            ("https://u@h/x", Err(NoPlace::Credentials)),
            ("https://:p@h/x", Err(NoPlace::Credentials)),
            ("", Err(NoPlace::NotWeb)),
        ] {
            let found = stated_place(text).map(String::from);
            assert_eq!(found.as_deref(), place.as_ref().copied(), "{text}");
        }
    }
}
