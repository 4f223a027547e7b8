//! What the operator lets a probe reach: the public Internet over https on
//! port 443, and the networks of their own that they named.

use std::net::{IpAddr, UdpSocket};

use ipnet::IpNet;

use super::rule::Rule;
use super::special;

/// Where probes may go. The default is the public Internet alone.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    allow: Vec<IpNet>,
    deny: Vec<IpNet>,
}

/// What the policy says of one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Public,
    /// Inside a network that the operator named as their own: plain http and
    /// other ports are allowed there.
    Own,
    Denied(Rule),
}

impl Policy {
    /// `allow` are networks of the operator's own, reachable though they are
    /// not public. `deny` are networks never to be reached, public or not
    /// (a cluster's, a local NAT64 prefix); it wins over `allow`.
    pub fn new(allow: Vec<IpNet>, deny: Vec<IpNet>) -> Self {
        Self { allow, deny }
    }

    /// Whether any network of the operator's own was named.
    pub(super) fn has_own(&self) -> bool {
        !self.allow.is_empty()
    }

    pub(super) fn judge(&self, address: IpAddr) -> Verdict {
        if self.deny.iter().any(|net| net.contains(&address)) {
            return Verdict::Denied(Rule::Operator);
        }
        if self.allow.iter().any(|net| net.contains(&address)) {
            return self.judge_carried(address);
        }
        match special::special(address) {
            Some(rule) => Verdict::Denied(rule),
            None if is_own(address) => Verdict::Denied(Rule::OwnAddress),
            None => Verdict::Public,
        }
    }

    /// An allowed IPv6 block of a translator or tunnel reaches the IPv4
    /// addresses inside, which are judged in their own right: who allows
    /// 64:ff9b::/96 allows the public Internet through it, not 127.0.0.1.
    fn judge_carried(&self, address: IpAddr) -> Verdict {
        let IpAddr::V6(v6) = address else {
            return Verdict::Own;
        };
        special::carried(v6)
            .into_iter()
            .map(|v4| self.judge(v4.into()))
            .reduce(|one, other| match (one, other) {
                (Verdict::Denied(rule), _) | (_, Verdict::Denied(rule)) => Verdict::Denied(rule),
                (Verdict::Public, _) | (_, Verdict::Public) => Verdict::Public,
                (Verdict::Own, Verdict::Own) => Verdict::Own,
            })
            .unwrap_or(Verdict::Own)
    }
}

/// Whether an address is one of this machine's own, public though it be: what
/// listens there was not put before strangers. Binding asks the kernel alone;
/// nothing is sent. A machine that lets any address be bound answers yes to
/// all, a documentation address included, and then says nothing.
fn is_own(address: IpAddr) -> bool {
    const NOWHERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    UdpSocket::bind((address, 0)).is_ok() && UdpSocket::bind((NOWHERE, 0)).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_knows_which_addresses_are_its_own() {
        assert!(is_own("127.0.0.1".parse().unwrap()));
        assert!(!is_own("1.1.1.1".parse().unwrap()));
        assert!(!is_own("2606:4700::1111".parse().unwrap()));
    }

    #[test]
    fn what_the_operator_denies_is_denied_though_it_be_public_or_allowed() {
        let net = |text: &str| text.parse::<IpNet>().unwrap();
        let policy = Policy::new(
            vec![net("10.0.0.0/8")],
            vec![net("10.9.0.0/16"), net("1.1.1.0/24")],
        );
        for (address, verdict) in [
            ("10.1.0.1", Verdict::Own),
            ("10.9.0.1", Verdict::Denied(Rule::Operator)),
            ("1.1.1.1", Verdict::Denied(Rule::Operator)),
            ("1.0.0.1", Verdict::Public),
        ] {
            assert_eq!(policy.judge(address.parse().unwrap()), verdict, "{address}");
        }
    }
}
