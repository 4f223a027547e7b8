//! Names to addresses, from name servers alone: no hosts file, no search
//! domains, no cache, both address families, times of our own.
//!
//! It tells apart whose fault a missing answer is: the name does not exist,
//! the name's own servers fail, or our resolver does not work.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, select};
use hickory_resolver::config::{
    ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError, NoRecords};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::proto::rr::{Name, RData, RecordType};
use hickory_resolver::{TokioResolver, system_conf};
use tokio::time::timeout;
use touchstone_proto::observation::FailureKind;

/// How often a question without an answer is asked again.
const RETRIES: usize = 1;
/// Addresses of one family that are looked at; what is beyond is never dialled.
const ADDRESS_LIMIT: usize = 32;

/// How long a resolver is waited for. [`Waits::RUN`] is what every run gets;
/// other values are for tests.
#[derive(Clone, Copy, Debug)]
struct Waits {
    /// One question for one answer.
    answer: Duration,
    /// A whole lookup.
    lookup: Duration,
    /// The other family, once one has given addresses.
    other_family: Duration,
    /// The sign that the resolver works at all.
    control: Duration,
}

impl Waits {
    const RUN: Self = Self {
        answer: Duration::from_secs(2),
        lookup: Duration::from_secs(5),
        other_family: Duration::from_secs(1),
        control: Duration::from_secs(1),
    };
}

/// Why a name gave no address.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LookupError {
    #[error("the name has no address")]
    NotFound,
    #[error("the name's own servers do not answer for it")]
    ServerFailed,
    #[error("our resolver does not work")]
    Unavailable(#[source] Option<NetError>),
}

impl LookupError {
    /// As recorded.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::NotFound => FailureKind::NameNotFound,
            Self::ServerFailed => FailureKind::NameServerFailed,
            Self::Unavailable(_) => FailureKind::ResolverUnavailable,
        }
    }
}

/// Asks name servers.
pub struct Resolver {
    servers: Servers,
    waits: Waits,
    /// Made at the first lookup and dropped when it does not work, so that a
    /// machine whose network comes late or changes is followed.
    live: Mutex<Option<Arc<TokioResolver>>>,
}

#[derive(Clone, Debug)]
enum Servers {
    System,
    Named(Vec<SocketAddr>),
}

/// Why a question brought no address.
enum Miss {
    NoSuchName,
    NoAddress,
    ServerFailed,
    Silence,
    Resolver(NetError),
}

impl Resolver {
    /// The name servers of this machine. They are read at the first lookup: a
    /// machine without any has no working resolver, which is recorded as such.
    pub fn system() -> Self {
        Self::of(Servers::System)
    }

    /// These name servers and no others.
    pub fn with_name_servers(servers: Vec<SocketAddr>) -> Self {
        Self::of(Servers::Named(servers))
    }

    /// The addresses of a name, which is taken as fully qualified. At least
    /// one, at most twice [`ADDRESS_LIMIT`].
    pub(super) async fn lookup(&self, host: &str) -> Result<Vec<IpAddr>, LookupError> {
        // A name that DNS cannot hold (a label over 63 bytes, say) exists nowhere.
        let Ok(name) = Name::from_ascii(format!("{host}.")) else {
            return Err(LookupError::NotFound);
        };
        let resolver = self
            .live()
            .await
            .map_err(|error| LookupError::Unavailable(Some(error)))?;
        let asking = Asking {
            resolver: &resolver,
            waits: self.waits,
        };
        let error = match asking.both_families(&name).await {
            Ok(addresses) => return Ok(addresses),
            Err(misses) => asking.blame(misses).await,
        };
        if matches!(error, LookupError::Unavailable(_)) {
            *self.slot() = None;
        }
        Err(error)
    }

    fn of(servers: Servers) -> Self {
        Self {
            servers,
            waits: Waits::RUN,
            live: Mutex::new(None),
        }
    }

    async fn live(&self) -> Result<Arc<TokioResolver>, NetError> {
        if let Some(live) = &*self.slot() {
            return Ok(Arc::clone(live));
        }
        let config = match &self.servers {
            Servers::System => system().await?,
            Servers::Named(servers) => named(servers),
        };
        let mut builder =
            TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        *builder.options_mut() = options(self.waits);
        let live = Arc::new(builder.build()?);
        *self.slot() = Some(Arc::clone(&live));
        Ok(live)
    }

    /// Held for a pointer's copy and never across an await.
    fn slot(&self) -> MutexGuard<'_, Option<Arc<TokioResolver>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Resolver").field(&self.servers).finish()
    }
}

fn options(waits: Waits) -> ResolverOpts {
    let mut options = ResolverOpts::default();
    options.timeout = waits.answer;
    options.attempts = RETRIES;
    options.cache_size = 0;
    options.use_hosts_file = ResolveHosts::Never;
    options
}

/// The machine's name servers, without its search domains and options.
async fn system() -> Result<ResolverConfig, NetError> {
    let (config, _) = tokio::task::spawn_blocking(system_conf::read_system_conf)
        .await
        .map_err(|_| NetError::Message("reading the machine's name servers was cut off"))??;
    Ok(ResolverConfig::from_name_servers(
        config.name_servers().to_vec(),
    ))
}

fn named(servers: &[SocketAddr]) -> ResolverConfig {
    let servers = servers.iter().map(|server| {
        let connections =
            [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
                connection.port = server.port();
                connection
            });
        NameServerConfig::new(server.ip(), true, connections.to_vec())
    });
    ResolverConfig::from_name_servers(servers.collect())
}

/// One lookup under way.
struct Asking<'a> {
    resolver: &'a TokioResolver,
    waits: Waits,
}

impl Asking<'_> {
    /// Asks for both families at once. One that answers is not held up for
    /// long by one that does not.
    async fn both_families(&self, name: &Name) -> Result<Vec<IpAddr>, [Miss; 2]> {
        let v4 = pin!(self.family(name, RecordType::A));
        let v6 = pin!(self.family(name, RecordType::AAAA));
        let (Either::Left((first, other)) | Either::Right((first, other))) = select(v4, v6).await;
        self.join(first, other).await
    }

    async fn join(
        &self,
        first: Result<Vec<IpAddr>, Miss>,
        other: impl Future<Output = Result<Vec<IpAddr>, Miss>>,
    ) -> Result<Vec<IpAddr>, [Miss; 2]> {
        match first {
            Ok(mut addresses) => {
                if let Ok(Ok(more)) = timeout(self.waits.other_family, other).await {
                    addresses.extend(more);
                }
                Ok(addresses)
            }
            Err(miss) => other.await.map_err(|other| [miss, other]),
        }
    }

    async fn family(&self, name: &Name, family: RecordType) -> Result<Vec<IpAddr>, Miss> {
        let lookup = self.resolver.lookup(name.clone(), family);
        let answer = match timeout(self.waits.lookup, lookup).await {
            Ok(answer) => answer.map_err(Miss::of)?,
            Err(_) => return Err(Miss::Silence),
        };
        let addresses: Vec<IpAddr> = answer
            .answers()
            .iter()
            .filter_map(|record| match &record.data {
                RData::A(a) => Some(IpAddr::V4(a.0)),
                RData::AAAA(aaaa) => Some(IpAddr::V6(aaaa.0)),
                _ => None,
            })
            .take(ADDRESS_LIMIT)
            .collect();
        if addresses.is_empty() {
            return Err(Miss::NoAddress);
        }
        Ok(addresses)
    }

    /// Whose fault it is that neither family brought an address.
    async fn blame(&self, misses: [Miss; 2]) -> LookupError {
        let any = |test: fn(&Miss) -> bool| misses.iter().any(test);
        if any(|miss| matches!(miss, Miss::NoSuchName))
            || misses.iter().all(|miss| matches!(miss, Miss::NoAddress))
        {
            return LookupError::NotFound;
        }
        if any(|miss| matches!(miss, Miss::ServerFailed)) {
            return LookupError::ServerFailed;
        }
        if any(|miss| matches!(miss, Miss::Silence)) && self.answers_at_all().await {
            return LookupError::ServerFailed;
        }
        let cause = misses.into_iter().find_map(|miss| match miss {
            Miss::Resolver(error) => Some(error),
            _ => None,
        });
        LookupError::Unavailable(cause)
    }

    /// A resolver is silent either because it is away or because it waits for
    /// a name's own servers. One that knows the root's servers, as each must,
    /// is there.
    async fn answers_at_all(&self) -> bool {
        let control = self.resolver.lookup(Name::root(), RecordType::NS);
        match timeout(self.waits.control, control).await {
            Ok(Ok(_)) => true,
            Ok(Err(error)) => error.is_no_records_found(),
            Err(_) => false,
        }
    }
}

impl Miss {
    fn of(error: NetError) -> Self {
        use ResponseCode::{NXDomain, NoError, ServFail};
        match &error {
            NetError::Timeout => Self::Silence,
            NetError::Dns(DnsError::NoRecordsFound(NoRecords { response_code, .. })) => {
                match response_code {
                    NXDomain => Self::NoSuchName,
                    NoError => Self::NoAddress,
                    ServFail => Self::ServerFailed,
                    _ => Self::Resolver(error),
                }
            }
            // What came for this name cannot be used; our resolver passed it on.
            NetError::Dns(DnsError::ResponseCode(ServFail))
            | NetError::Proto(_)
            | NetError::ForeignClassRecord { .. } => Self::ServerFailed,
            // Refused, not implemented, no route, no server: said by our resolver of itself.
            _ => Self::Resolver(error),
        }
    }
}

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;
