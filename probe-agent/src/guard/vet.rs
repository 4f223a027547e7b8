//! From a URL to addresses that may be dialled, or a refusal.
//!
//! A [`Guard`] lives for one run and asks for each name once: the addresses
//! that were judged are the addresses that are dialled, for every request of
//! the run. If any address of a name is denied the whole name is: a mixed
//! answer is how a rebinding name server looks.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use tokio::time::Instant;
use touchstone_proto::observation::{Failure, FailureKind, Lookup, LookupAddress};
use touchstone_telemetry::Chain;
use tracing::warn;
use url::{Host, Url};

use super::policy::{Policy, Verdict};
use super::resolve::{LookupError, Resolver};
use super::rule::Rule;

/// The port that https means, and the only one that a stranger is asked on.
const HTTPS_PORT: u16 = 443;

/// A URL whose every address was judged. Made by [`Guard::vet`] alone; holding
/// one is the right to dial it.
#[derive(Clone, Debug)]
pub struct Vetted {
    url: Url,
    addresses: Vec<SocketAddr>,
}

impl Vetted {
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Where to connect, in the order to try. Never empty.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }
}

/// Why a URL is not dialled.
#[derive(Debug, thiserror::Error)]
pub enum Denied {
    #[error("refusing to dial {url}: {rule}")]
    Policy { url: Url, rule: Rule },
    #[error("looking up the host of {url}")]
    Lookup { url: Url, source: LookupError },
}

impl Denied {
    /// As recorded in an exchange.
    pub fn failure(&self) -> Failure {
        match self {
            Self::Policy { rule, .. } => Failure {
                kind: FailureKind::PolicyRefused.into(),
                rule: rule.as_str().to_owned(),
            },
            Self::Lookup { source, .. } => lookup_failure(source),
        }
    }
}

/// The guard of one run.
#[derive(Debug)]
pub struct Guard {
    policy: Arc<Policy>,
    resolver: Arc<Resolver>,
    judged: BTreeMap<String, Judged>,
    lookups: Vec<Lookup>,
}

/// What became of a name, kept for the run.
type Judged = Result<Vec<(IpAddr, Verdict)>, LookupError>;

impl Guard {
    pub fn new(policy: Arc<Policy>, resolver: Arc<Resolver>) -> Self {
        Self {
            policy,
            resolver,
            judged: BTreeMap::new(),
            lookups: Vec::new(),
        }
    }

    /// Judges a URL and every address of its host.
    pub async fn vet(&mut self, url: &Url) -> Result<Vetted, Denied> {
        let refuse = |rule| Denied::Policy {
            url: url.clone(),
            rule,
        };
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(refuse(Rule::Scheme));
        };
        if !matches!(url.scheme(), "https" | "http") {
            return Err(refuse(Rule::Scheme));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refuse(Rule::Userinfo));
        }
        let only_own = only_in_own_networks(url, port);
        if let Some(rule) = only_own
            && !self.policy.has_own()
        {
            return Err(refuse(rule));
        }

        let judged = match host {
            Host::Ipv4(address) => self.judge_all([address.into()]),
            Host::Ipv6(address) => self.judge_all([address.into()]),
            Host::Domain(name) => self
                .judge_name(name)
                .await
                .map_err(|source| Denied::Lookup {
                    url: url.clone(),
                    source,
                })?,
        };
        let mut addresses = Vec::new();
        for (address, verdict) in judged {
            match verdict {
                Verdict::Denied(rule) => return Err(refuse(rule)),
                Verdict::Public => {
                    if let Some(rule) = only_own {
                        return Err(refuse(rule));
                    }
                }
                Verdict::Own => {}
            }
            addresses.push(SocketAddr::new(address, port));
        }
        Ok(Vetted {
            url: url.clone(),
            addresses: in_dialling_order(addresses),
        })
    }

    /// Every name that was looked up, and what was said of its addresses.
    pub fn into_lookups(self) -> Vec<Lookup> {
        self.lookups
    }

    async fn judge_name(&mut self, name: &str) -> Judged {
        let name = name.strip_suffix('.').unwrap_or(name);
        if let Some(known) = self.judged.get(name) {
            return known.clone();
        }
        let asked = Instant::now();
        let (judged, all) = if is_localhost(name) {
            let all = self.judge_all([Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
            (Ok(keep_own(&all)), all)
        } else {
            match self.resolver.lookup(name).await {
                Ok(addresses) => {
                    let all = self.judge_all(addresses);
                    (Ok(all.clone()), all)
                }
                Err(error) => {
                    if matches!(error, LookupError::Unavailable(_)) {
                        warn!(host = name, error = %Chain(&error), "a name could not be asked for");
                    }
                    (Err(error), Vec::new())
                }
            }
        };
        self.lookups.push(Lookup {
            host: name.to_owned(),
            addresses: all.into_iter().map(recorded).collect(),
            failure: judged.as_ref().err().map(lookup_failure),
            took_us: micros(asked.elapsed()),
        });
        self.judged.insert(name.to_owned(), judged.clone());
        judged
    }

    fn judge_all(&self, addresses: impl IntoIterator<Item = IpAddr>) -> Vec<(IpAddr, Verdict)> {
        addresses
            .into_iter()
            .map(|address| (address, self.policy.judge(address)))
            .collect()
    }
}

/// The rule that keeps this URL to the operator's own networks, if one does.
fn only_in_own_networks(url: &Url, port: u16) -> Option<Rule> {
    if url.scheme() != "https" {
        Some(Rule::PlainHttp)
    } else if port != HTTPS_PORT {
        Some(Rule::Port)
    } else {
        None
    }
}

/// Names that mean this machine and are never asked of a name server
/// (RFC 6761, section 6.3).
fn is_localhost(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

/// Of the two addresses that we ourselves give to a localhost name, those that
/// the operator allows: nobody mixed them to deceive us. If none is allowed
/// both stay, and are refused.
fn keep_own(all: &[(IpAddr, Verdict)]) -> Vec<(IpAddr, Verdict)> {
    let own: Vec<_> = all
        .iter()
        .filter(|(_, verdict)| *verdict == Verdict::Own)
        .copied()
        .collect();
    if own.is_empty() { all.to_vec() } else { own }
}

/// IPv4 and IPv6 by turns, IPv4 first: a probe's own network lacks IPv6 more
/// often than a server lacks IPv4.
fn in_dialling_order(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let (v4, v6): (Vec<_>, Vec<_>) = addresses.into_iter().partition(SocketAddr::is_ipv4);
    let mut turns: Vec<(usize, SocketAddr)> = v4
        .into_iter()
        .enumerate()
        .chain(v6.into_iter().enumerate())
        .collect();
    // Stable: at each turn the IPv4 address stays before the IPv6 one.
    turns.sort_by_key(|(turn, _)| *turn);
    turns.into_iter().map(|(_, address)| address).collect()
}

fn recorded((address, verdict): (IpAddr, Verdict)) -> LookupAddress {
    LookupAddress {
        address: address.to_string(),
        denied_by: match verdict {
            Verdict::Denied(rule) => rule.as_str().to_owned(),
            Verdict::Public | Verdict::Own => String::new(),
        },
    }
}

fn lookup_failure(error: &LookupError) -> Failure {
    Failure {
        kind: error.kind().into(),
        rule: String::new(),
    }
}

fn micros(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "vet_tests.rs"]
mod tests;
