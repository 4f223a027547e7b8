//! Every block in every form, and the public addresses beside them.

use proptest::prelude::*;

use super::*;

fn rule(text: &str) -> Option<Rule> {
    special(text.parse().unwrap())
}

#[test]
fn every_block_is_denied_from_its_first_address_to_its_last() {
    for net in [
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "::/128",
        "::1/128",
        "::/96",
        "::ffff:0:0/96",
        "::ffff:0:0:0/96",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "100::/64",
        "100:0:0:1::/64",
        "2001::/23",
        "2001:2::/48",
        "2001:db8::/32",
        "2002::/16",
        "2620:4f:8000::/48",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
        "4000::/3",
        "e000::/4",
        "0:1::/32",
    ] {
        let net: IpNet = net.parse().unwrap();
        assert!(special(net.network()).is_some(), "first of {net}");
        assert!(special(net.broadcast()).is_some(), "last of {net}");
    }
}

#[test]
fn the_addresses_beside_the_blocks_are_public() {
    for address in [
        "1.0.0.0",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "168.63.129.15",
        "168.63.129.17",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.0.3.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "203.0.112.255",
        "203.0.114.0",
        "223.255.255.255",
        "2001:200::",
        "2001:db7:ffff::1",
        "2001:db9::1",
        "2003::1",
        "2606:4700::1111",
        "2620:4f:7fff::1",
        "2a00:1450::1",
        "3ffe:ffff::1",
    ] {
        assert_eq!(rule(address), None, "{address}");
    }
}

#[test]
fn an_address_is_named_by_the_narrowest_thing_it_is() {
    for (address, expected) in [
        ("127.0.0.1", Rule::Loopback),
        ("::1", Rule::Loopback),
        ("::", Rule::Unspecified),
        ("::7f00:1", Rule::Ipv4Compatible),
        ("::ffff:8.8.8.8", Rule::Ipv4Mapped),
        ("2001:0:808:808::1", Rule::Teredo),
        ("2001:20::1", Rule::ProtocolAssignments),
        ("169.254.169.254", Rule::LinkLocal),
        ("fd00:ec2::254", Rule::UniqueLocal),
        ("255.255.255.255", Rule::Reserved),
        ("2606:4700::5efe:a9fe:a9fe", Rule::Isatap),
        ("2606:4700::200:5efe:7f00:1", Rule::Isatap),
    ] {
        assert_eq!(rule(address), Some(expected), "{address}");
    }
}

#[test]
fn each_block_names_its_source() {
    assert!(
        special_blocks().all(|(_, _, source)| source.contains("RFC") || source.contains("doc"))
    );
}

/// Each way to write an IPv4 address as an IPv6 one.
fn forms(address: Ipv4Addr, prefix: u64) -> Vec<Ipv6Addr> {
    let low = u128::from(address.to_bits());
    let inverted = u128::from(!address.to_bits());
    let public_prefix = (0x2606_4700 << 96) | (u128::from(prefix & 0xffff_ffff) << 64);
    [
        low,
        low | 0xffff << 32,
        low | 0xffff << 48,
        low | 0x64_ff9b << 96,
        low | 0x64_ff9b_0001 << 80,
        0x2002 << 112 | low << 80 | u128::from(prefix & 0xffff_ffff),
        0x2001 << 112 | low << 64,
        0x2001 << 112 | inverted,
        public_prefix | 0x5efe << 32 | low,
        public_prefix | 0x0200_5efe << 32 | low,
    ]
    .map(Ipv6Addr::from_bits)
    .to_vec()
}

proptest! {
    #[test]
    fn no_form_of_any_ipv4_address_is_public(bits: u32, prefix: u64) {
        for form in forms(Ipv4Addr::from_bits(bits), prefix) {
            prop_assert!(special(form.into()).is_some(), "{}", form);
        }
    }

    #[test]
    fn what_an_ipv6_address_carries_is_found(bits: u32, prefix: u64) {
        let address = Ipv4Addr::from_bits(bits);
        for form in forms(address, prefix) {
            let undecodable = form.segments()[..3] == [0x64, 0xff9b, 1];
            let unspecified = form.is_unspecified() || form.is_loopback();
            prop_assert!(undecodable || unspecified || carried(form).contains(&address), "{}", form);
        }
    }

    #[test]
    fn outside_global_unicast_nothing_is_public(bits: u128) {
        let address = Ipv6Addr::from_bits(bits);
        prop_assert!(GLOBAL_UNICAST.contains(&address) || special(address.into()).is_some());
    }
}
