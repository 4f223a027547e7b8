//! The metadata documents that a run asked for: what was found where, and
//! whether it is what its specification wants (RFC 9728, RFC 8414, MCP page
//! `2026-07-28/basic/authorization`).

use touchstone_canonical::Value;
use touchstone_proto::observation::Step;
use url::{Host, Url};

use crate::reason::{Reason, ReasonKey};
use crate::view::{Turn, View};

/// What asking for one document, at each of its places in turn, came to.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) got: Got,
    /// Whether any place was asked.
    pub(super) tried: bool,
    /// Why a place could not be looked at; a place that has no document is
    /// just a miss.
    pub(super) hindered: Option<Reason>,
}

/// The document, or what stood in the last place instead.
#[derive(Debug)]
pub(super) enum Got {
    Document(Value),
    NotJson,
    NotObject,
    Http(u32),
    Nothing,
}

impl Search {
    pub(super) fn resource(view: &View<'_>) -> Self {
        Self::of(view, Step::ResourceMetadata)
    }

    pub(super) fn server(view: &View<'_>) -> Self {
        Self::of(view, Step::ServerMetadata)
    }

    fn of(view: &View<'_>, step: Step) -> Self {
        let turns: Vec<&Turn<'_>> = view
            .turns
            .iter()
            .filter(|turn| turn.step() == step)
            .collect();
        let mut search = Self {
            got: Got::Nothing,
            tried: !turns.is_empty(),
            hindered: None,
        };
        for (place, turn) in turns.iter().enumerate() {
            // Redirects followed from a request stand behind it, the last one answers.
            let followed = turns
                .get(place + 1)
                .is_some_and(|next| next.exchange.hop > 0);
            if followed {
                continue;
            }
            if let Some(reason) = view.rate_limited(turn).or_else(|| turn.broke()) {
                search.hindered.get_or_insert(reason);
                continue;
            }
            let unread = || turn.unread().filter(|_| turn.status() == 200);
            if let Some(reason) = turn.edge().or_else(unread) {
                search.hindered.get_or_insert(reason);
                continue;
            }
            search.got = got(turn);
            if matches!(search.got, Got::Document(_)) {
                search.hindered = None;
                break;
            }
        }
        search
    }
}

/// How many documents were found.
pub(super) fn count(searches: [&Search; 2]) -> usize {
    let found = |search: &&Search| matches!(search.got, Got::Document(_));
    searches.iter().filter(|search| found(search)).count()
}

fn got(turn: &Turn<'_>) -> Got {
    if turn.status() != 200 {
        return Got::Http(turn.status());
    }
    match touchstone_canonical::read(turn.body()) {
        Err(_) => Got::NotJson,
        Ok(document) if document.as_object().is_none() => Got::NotObject,
        Ok(document) => Got::Document(document),
    }
}

pub(super) fn fault(document: &'static str, fault: &'static str) -> Reason {
    Reason::new(
        ReasonKey::MetadataMalformed,
        &[document.into(), fault.into()],
    )
}

/// The first entry of `authorization_servers`, whatever it is.
pub(super) fn first_server(document: &Value) -> Option<&Value> {
    document.get("authorization_servers")?.as_array()?.first()
}

/// What is wrong with a protected resource's metadata.
pub(super) fn resource_fault(
    document: &Value,
    endpoint: Option<&Url>,
    scopes_asked: &[String],
) -> Option<Reason> {
    // RFC 9728 section 2: `resource` is required; section 3.3: it is the URL used.
    let Some(resource) = document.get("resource") else {
        return Some(fault("resource", "resource_missing"));
    };
    let Some(resource) = resource.as_str().and_then(|text| Url::parse(text).ok()) else {
        return Some(fault("resource", "resource_invalid"));
    };
    if let Some(difference) = endpoint.and_then(|endpoint| difference(endpoint, &resource)) {
        return Some(Reason::new(
            ReasonKey::MetadataResourceMismatch,
            &[difference.into()],
        ));
    }
    // Required by MCP, at least one; only the first is looked at.
    let Some(server) = first_server(document) else {
        return Some(fault("resource", "authorization_servers_missing"));
    };
    let is_web = |url: &Url| matches!(url.scheme(), "http" | "https") && url.host().is_some();
    if !server
        .as_str()
        .and_then(|text| Url::parse(text).ok())
        .is_some_and(|url| is_web(&url))
    {
        return Some(fault("resource", "authorization_server_invalid"));
    }
    let supported = document.get("scopes_supported")?.as_array()?;
    let is_supported = |scope: &String| supported.iter().any(|s| s.as_str() == Some(scope));
    (!scopes_asked.iter().all(is_supported)).then(|| ReasonKey::ChallengeScopeUnsupported.into())
}

/// How the `resource` of the metadata differs from the URL that was probed.
fn difference(endpoint: &Url, resource: &Url) -> Option<&'static str> {
    let mut endpoint = endpoint.clone();
    endpoint.set_fragment(None);
    if endpoint == *resource {
        return None;
    }
    if endpoint.origin() != resource.origin() {
        return Some("origin");
    }
    let (ours, theirs) = (endpoint.path(), resource.path());
    let bare = |path: &str| path.trim_end_matches('/').to_owned();
    Some(if endpoint.query() != resource.query() {
        "path"
    } else if bare(ours) == bare(theirs) {
        "trailing_slash"
    } else if ours.starts_with(&format!("{}/", bare(theirs))) {
        "parent_path"
    } else {
        "path"
    })
}

/// What is wrong with an authorization server's metadata.
pub(super) fn server_fault(document: &Value, issuer: &str) -> Option<Reason> {
    let Some(stated) = document.get("issuer").and_then(Value::as_str) else {
        return Some(fault("server", "issuer_missing"));
    };
    // RFC 8414 section 3.3: identical, not equivalent.
    if stated != issuer {
        return Some(ReasonKey::MetadataIssuerMismatch.into());
    }
    let grants = document
        .get("grant_types_supported")
        .and_then(Value::as_array);
    let authorizes = grants.is_none_or(|grants| {
        grants
            .iter()
            .any(|grant| matches!(grant.as_str(), Some("authorization_code" | "implicit")))
    });
    // RFC 8414 section 2; no grant but `implicit` goes without a token endpoint.
    let required = [
        ("authorization_endpoint", authorizes),
        ("token_endpoint", true),
    ];
    for (name, required) in required {
        match document.get(name).and_then(Value::as_str).map(Url::parse) {
            Some(Ok(url)) if is_secure(&url) => {}
            Some(Ok(_)) => return Some(fault("server", "endpoint_insecure")),
            None if !required => {}
            Some(Err(_)) | None => return Some(fault("server", "endpoint_missing")),
        }
    }
    None
}

/// https, or this machine.
fn is_secure(url: &Url) -> bool {
    let loopback = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "https" || (url.scheme() == "http" && loopback)
}
