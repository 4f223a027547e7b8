//! Every address that is no ordinary public one, as data with its source.
//!
//! IANA's two special-purpose registries whole (IPv4 and IPv6, copy of June
//! 2025), and the forms outside of them that carry or stand for another
//! address. What is not in the tables is public: for IPv6 only within
//! 2000::/3, the one block of global unicast that IANA hands out (RFC 4291,
//! section 2.4).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use super::rule::Rule;

/// The rule that an address falls under; `None` for a public one.
pub(super) fn special(address: IpAddr) -> Option<Rule> {
    match address {
        IpAddr::V4(v4) => IPV4
            .iter()
            .find(|block| block.net.contains(&v4))
            .map(|block| block.rule),
        IpAddr::V6(v6) => IPV6
            .iter()
            .find(|block| block.net.contains(&v6))
            .map(|block| block.rule)
            .or_else(|| is_isatap(v6).then_some(Rule::Isatap))
            .or_else(|| (!GLOBAL_UNICAST.contains(&v6)).then_some(Rule::Reserved)),
    }
}

/// Every block of the tables with its rule and source: for whoever builds a
/// second wall (a packet filter, a network policy) from the same list.
pub fn special_blocks() -> impl Iterator<Item = (IpNet, Rule, &'static str)> {
    let v4 = IPV4
        .iter()
        .map(|block| (block.net.into(), block.rule, block.source));
    let v6 = IPV6
        .iter()
        .map(|block| (block.net.into(), block.rule, block.source));
    v4.chain(v6)
}

/// The IPv4 addresses that an IPv6 address carries, by the form it falls
/// under; none for an ordinary address. RFC 4291 (mapped, compatible),
/// RFC 7915 (translated), RFC 6052 (NAT64), RFC 3056 (6to4), RFC 4380
/// (Teredo: server, and client with its bits inverted), RFC 5214 (ISATAP).
pub(super) fn carried(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let octets = address.octets();
    let at = |i: usize| Ipv4Addr::new(octets[i], octets[i + 1], octets[i + 2], octets[i + 3]);
    match special(IpAddr::V6(address)) {
        Some(Rule::Ipv4Mapped | Rule::Ipv4Compatible | Rule::Ipv4Translated | Rule::Isatap) => {
            vec![at(12)]
        }
        // Below 64:ff9b:1::/48 the place of the IPv4 address is the network's own choice.
        Some(Rule::Nat64) if WELL_KNOWN_NAT64.contains(&address) => vec![at(12)],
        Some(Rule::SixToFour) => vec![at(2)],
        Some(Rule::Teredo) => vec![at(4), Ipv4Addr::from_bits(!at(12).to_bits())],
        _ => Vec::new(),
    }
}

/// Interface identifier `0:5efe:a.b.c.d`, with or without the universal bit
/// (RFC 5214, section 6.1), below any prefix.
fn is_isatap(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    segments[4] & !0x0200 == 0 && segments[5] == 0x5efe
}

struct Block<Net> {
    net: Net,
    rule: Rule,
    /// The document that sets the block apart.
    source: &'static str,
}

const GLOBAL_UNICAST: Ipv6Net = net6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);
const WELL_KNOWN_NAT64: Ipv6Net = net6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);

/// The first block that holds an address decides.
#[rustfmt::skip]
const IPV4: &[Block<Ipv4Net>] = &[
    v4([0, 0, 0, 0], 8, Rule::ThisNetwork, "RFC 791, section 3.2"),
    v4([10, 0, 0, 0], 8, Rule::Private, "RFC 1918"),
    v4([100, 64, 0, 0], 10, Rule::Shared, "RFC 6598"),
    v4([127, 0, 0, 0], 8, Rule::Loopback, "RFC 1122, section 3.2.1.3"),
    // Azure's wire server, on a public address that is reachable from inside alone.
    v4([168, 63, 129, 16], 32, Rule::CloudMetadata, "Azure documentation"),
    // Holds 169.254.169.254, the metadata service of most clouds.
    v4([169, 254, 0, 0], 16, Rule::LinkLocal, "RFC 3927"),
    v4([172, 16, 0, 0], 12, Rule::Private, "RFC 1918"),
    v4([192, 0, 0, 0], 24, Rule::ProtocolAssignments, "RFC 6890"),
    v4([192, 0, 2, 0], 24, Rule::Documentation, "RFC 5737"),
    v4([192, 31, 196, 0], 24, Rule::ServiceAnycast, "RFC 7535 (AS112)"),
    v4([192, 52, 193, 0], 24, Rule::ServiceAnycast, "RFC 7450 (AMT)"),
    v4([192, 88, 99, 0], 24, Rule::SixToFour, "RFC 7526"),
    v4([192, 168, 0, 0], 16, Rule::Private, "RFC 1918"),
    v4([192, 175, 48, 0], 24, Rule::ServiceAnycast, "RFC 7534 (AS112)"),
    v4([198, 18, 0, 0], 15, Rule::Benchmarking, "RFC 2544"),
    v4([198, 51, 100, 0], 24, Rule::Documentation, "RFC 5737"),
    v4([203, 0, 113, 0], 24, Rule::Documentation, "RFC 5737"),
    v4([224, 0, 0, 0], 4, Rule::Multicast, "RFC 5771"),
    // Holds 255.255.255.255.
    v4([240, 0, 0, 0], 4, Rule::Reserved, "RFC 1112, section 4"),
];

/// The first block that holds an address decides, so the narrow ones stand
/// before those that hold them.
#[rustfmt::skip]
const IPV6: &[Block<Ipv6Net>] = &[
    v6([0, 0, 0, 0, 0, 0, 0, 0], 128, Rule::Unspecified, "RFC 4291"),
    v6([0, 0, 0, 0, 0, 0, 0, 1], 128, Rule::Loopback, "RFC 4291"),
    v6([0, 0, 0, 0, 0, 0, 0, 0], 96, Rule::Ipv4Compatible, "RFC 4291"),
    v6([0, 0, 0, 0, 0, 0xffff, 0, 0], 96, Rule::Ipv4Mapped, "RFC 4291"),
    v6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96, Rule::Ipv4Translated, "RFC 7915"),
    v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96, Rule::Nat64, "RFC 6052"),
    v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, Rule::Nat64, "RFC 8215"),
    v6([0x100, 0, 0, 0, 0, 0, 0, 0], 64, Rule::Discard, "RFC 6666"),
    v6([0x100, 0, 0, 1, 0, 0, 0, 0], 64, Rule::Discard, "RFC 9780"),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, Rule::Teredo, "RFC 4380"),
    v6([0x2001, 2, 0, 0, 0, 0, 0, 0], 48, Rule::Benchmarking, "RFC 5180"),
    // Holds AMT, AS112-v6, ORCHID, ORCHIDv2 and DRIP.
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, Rule::ProtocolAssignments, "RFC 2928"),
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, Rule::Documentation, "RFC 3849"),
    v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, Rule::SixToFour, "RFC 3056"),
    v6([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48, Rule::ServiceAnycast, "RFC 7534 (AS112)"),
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, Rule::Documentation, "RFC 9637"),
    v6([0x5f00, 0, 0, 0, 0, 0, 0, 0], 16, Rule::SegmentRouting, "RFC 9602"),
    // Holds fd00:ec2::254, a cloud's metadata service.
    v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, Rule::UniqueLocal, "RFC 4193"),
    v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, Rule::LinkLocal, "RFC 4291"),
    v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, Rule::SiteLocal, "RFC 3879"),
    v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, Rule::Multicast, "RFC 4291"),
];

const fn v4(octets: [u8; 4], length: u8, rule: Rule, source: &'static str) -> Block<Ipv4Net> {
    let [a, b, c, d] = octets;
    let net = Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length);
    Block { net, rule, source }
}

const fn v6(segments: [u16; 8], length: u8, rule: Rule, source: &'static str) -> Block<Ipv6Net> {
    let net = net6(segments, length);
    Block { net, rule, source }
}

const fn net6(s: [u16; 8], length: u8) -> Ipv6Net {
    let address = Ipv6Addr::new(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]);
    Ipv6Net::new_assert(address, length)
}

#[cfg(test)]
#[path = "special_tests.rs"]
mod tests;
