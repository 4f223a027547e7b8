//! A target: one endpoint, under one id for ever. Built only from a URL that
//! passed [`Seed::parse`]; whether its host may be dialled is the agent's guard to say.

use std::sync::Arc;

use touchstone_evidence::{
    target::{Transport, names_a_user, target_id},
    text::{Region, UrlText},
};
pub use touchstone_proto::observation::EndpointSource;
use url::Url;

use super::{Credential, Tier};

/// The suite that every target runs.
pub const SUITE: &str = "mcp";
/// Most regions that a target takes turns in.
pub const REGIONS_LIMIT: usize = 64;

/// What an operator, a registry or an owner asks to have watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    pub target_id: String,
    pub url: Url,
    pub source: EndpointSource,
    pub tier: Tier,
    /// Never empty, in the order in which they take turns.
    pub regions: Vec<String>,
}

/// A target that cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    #[error("adding the target {url:?}: it is not a URL")]
    Url {
        url: String,
        source: url::ParseError,
    },
    #[error("adding the target {url:?}: only http and https URLs can be watched")]
    Scheme { url: String },
    #[error("adding a target: a URL with a user name or password is not taken, nor repeated here")]
    Credentials,
    #[error(
        "adding the target at {host:?}: its query parameter {name:?} is named like a credential, \
         and a URL is published as it is; write it without"
    )]
    CredentialParameter { host: String, name: String },
    #[error("adding the target {url:?}: it is longer than 2,048 characters")]
    Length { url: String },
    #[error("adding the target {url:?}: its query holds a backslash; write it as %5C")]
    Backslash { url: String },
    #[error(
        "adding the target {url:?}: it has {count} regions, and must have 1 to {REGIONS_LIMIT}"
    )]
    Regions { url: String, count: usize },
    #[error("adding the target {url:?}: {region:?} is no name of a region (a-z, 0-9, hyphen)")]
    Region { url: String, region: String },
}

impl SeedError {
    /// The address that was not taken, as far as it is shown.
    pub fn url(&self) -> Option<&str> {
        match self {
            Self::Url { url, .. }
            | Self::Scheme { url }
            | Self::Length { url }
            | Self::Backslash { url }
            | Self::Regions { url, .. }
            | Self::Region { url, .. } => Some(url),
            Self::Credentials | Self::CredentialParameter { .. } => None,
        }
    }
}

impl Seed {
    /// Reads a URL as a URL parser does, without its fragment, and names it.
    pub fn parse(
        text: &str,
        source: EndpointSource,
        tier: Tier,
        regions: Vec<String>,
    ) -> Result<Self, SeedError> {
        let shown = || text.chars().take(200).collect::<String>();
        if names_a_user(text) {
            return Err(SeedError::Credentials);
        }
        let mut url = Url::parse(text).map_err(|source| SeedError::Url {
            url: shown(),
            source,
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(SeedError::Scheme { url: shown() });
        }
        if let Some(credential) = Credential::within(&url) {
            return Err(match credential {
                Credential::User => SeedError::Credentials,
                // The URL is not repeated with what should not have been in it.
                Credential::Parameter(name) => SeedError::CredentialParameter {
                    host: url.host_str().unwrap_or_default().to_owned(),
                    name,
                },
            });
        }
        url.set_fragment(None);
        if regions.is_empty() || regions.len() > REGIONS_LIMIT {
            return Err(SeedError::Regions {
                url: shown(),
                count: regions.len(),
            });
        }
        if let Some(region) = regions.iter().find(|region| !is_region(region)) {
            return Err(SeedError::Region {
                url: shown(),
                region: region.clone(),
            });
        }
        // A parsed http URL is ASCII without spaces and quotes; only its length can
        // be wrong, or a backslash in its query, which evidence does not hold.
        let evidence_url = UrlText::new(url.as_str()).map_err(|_| {
            if url.as_str().contains('\\') {
                SeedError::Backslash { url: shown() }
            } else {
                SeedError::Length { url: shown() }
            }
        })?;
        Ok(Self {
            target_id: target_id(Transport::StreamableHttp, &evidence_url),
            url,
            source,
            tier,
            regions,
        })
    }
}

/// Whether `text` can name a region.
pub fn is_region(text: &str) -> bool {
    Region::new(text).is_ok()
}

/// A target as it is stored and scheduled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub target_id: Arc<str>,
    pub slug: String,
    pub url: String,
    /// Host and port: what politeness counts by.
    pub host: Arc<str>,
    pub source: EndpointSource,
    pub tier: Tier,
    /// Never empty, in the order in which they take turns.
    pub regions: Vec<String>,
    pub added_at_ms: i64,
}

impl Target {
    /// What a seed becomes once it has a slug.
    pub fn new(seed: Seed, slug: String, added_at_ms: i64) -> Self {
        let host = seed.url.host_str().unwrap_or_default();
        let port = seed.url.port_or_known_default().unwrap_or_default();
        Self {
            target_id: seed.target_id.into(),
            slug,
            host: format!("{host}:{port}").into(),
            url: seed.url.into(),
            source: seed.source,
            tier: seed.tier,
            regions: seed.regions,
            added_at_ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<Seed, SeedError> {
        Seed::parse(
            text,
            EndpointSource::Operator,
            Tier::Unclaimed,
            vec!["local".to_owned()],
        )
    }

    #[test]
    fn the_id_is_that_of_the_parsed_url() {
        let plain = parse("https://mcp.example/mcp").unwrap();
        let spelled = parse("HTTPS://MCP.Example:443/x/../mcp#top").unwrap();
        assert_eq!(plain.target_id, spelled.target_id);
        assert_eq!(
            plain.target_id,
            "333712d9ee0f904d68242e29c51dedd69336e909f19d927e3fb59b22d6b2d61e"
        );
        assert_ne!(
            plain.target_id,
            parse("https://mcp.example/").unwrap().target_id
        );
    }

    #[test]
    fn what_cannot_be_watched_is_refused_with_its_reason() {
        assert!(matches!(parse("mcp.example"), Err(SeedError::Url { .. })));
        assert!(matches!(
            parse("ftp://mcp.example/"),
            Err(SeedError::Scheme { .. })
        ));
        let refusal = parse("https://me:secret@mcp.example/").unwrap_err();
        assert!(!refusal.to_string().contains("secret"));
        let refusal = parse("https://mcp.example/mcp?api_key=sk-1234").unwrap_err();
        let said = refusal.to_string();
        assert!(
            said.contains("api_key") && !said.contains("sk-1234"),
            "{said}"
        );
        let long = format!("https://mcp.example/{}", "x".repeat(2048));
        assert!(matches!(parse(&long), Err(SeedError::Length { .. })));
        assert!(matches!(
            parse("https://mcp.example/?q=a\\b"),
            Err(SeedError::Backslash { .. })
        ));
        let regions = |names: &[&str]| {
            let names = names.iter().map(|&name| name.to_owned()).collect();
            Seed::parse(
                "https://a.example/",
                EndpointSource::Operator,
                Tier::Free,
                names,
            )
        };
        assert!(matches!(regions(&[]), Err(SeedError::Regions { .. })));
        assert!(matches!(regions(&["Fra"]), Err(SeedError::Region { .. })));
        assert!(regions(&["fra", "eu-1"]).is_ok());
    }

    proptest! {
        /// What is taken is an address without secrets, and is its own spelling.
        #[test]
        fn any_text_is_a_target_or_is_refused(
            text in prop_oneof![
                "\\PC{0,60}",
                "(https?|HTTP|ftp|javascript)(://|:)[a-z0-9.@:%\\[\\]#?/\\\\é]{0,40}",
            ],
        ) {
            if let Ok(seed) = parse(&text) {
                prop_assert!(matches!(seed.url.scheme(), "http" | "https"));
                prop_assert!(seed.url.username().is_empty() && seed.url.password().is_none());
                prop_assert_eq!(seed.url.fragment(), None);
                let again = parse(seed.url.as_str()).unwrap();
                prop_assert_eq!(again.target_id, seed.target_id);
            }
        }
    }
}
