//! The words for why something is not dialled: a closed set, stable, recorded.

use std::fmt;

/// Why an address or a URL is not dialled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    // Of the URL.
    Scheme,
    Userinfo,
    PlainHttp,
    Port,
    // Of an address.
    ThisNetwork,
    Private,
    Shared,
    Loopback,
    LinkLocal,
    ProtocolAssignments,
    Documentation,
    ServiceAnycast,
    SixToFour,
    Benchmarking,
    Multicast,
    Reserved,
    CloudMetadata,
    Unspecified,
    Ipv4Mapped,
    Ipv4Compatible,
    Ipv4Translated,
    Nat64,
    Isatap,
    Teredo,
    Discard,
    SegmentRouting,
    UniqueLocal,
    SiteLocal,
    OwnAddress,
    Operator,
}

impl Rule {
    /// As recorded: one word, stable.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scheme => "scheme",
            Self::Userinfo => "userinfo",
            Self::PlainHttp => "plain_http",
            Self::Port => "port",
            Self::ThisNetwork => "this_network",
            Self::Private => "private",
            Self::Shared => "shared",
            Self::Loopback => "loopback",
            Self::LinkLocal => "link_local",
            Self::ProtocolAssignments => "protocol_assignments",
            Self::Documentation => "documentation",
            Self::ServiceAnycast => "service_anycast",
            Self::SixToFour => "six_to_four",
            Self::Benchmarking => "benchmarking",
            Self::Multicast => "multicast",
            Self::Reserved => "reserved",
            Self::CloudMetadata => "cloud_metadata",
            Self::Unspecified => "unspecified",
            Self::Ipv4Mapped => "ipv4_mapped",
            Self::Ipv4Compatible => "ipv4_compatible",
            Self::Ipv4Translated => "ipv4_translated",
            Self::Nat64 => "nat64",
            Self::Isatap => "isatap",
            Self::Teredo => "teredo",
            Self::Discard => "discard",
            Self::SegmentRouting => "segment_routing",
            Self::UniqueLocal => "unique_local",
            Self::SiteLocal => "site_local",
            Self::OwnAddress => "own_address",
            Self::Operator => "operator",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
