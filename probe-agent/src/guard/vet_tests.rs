//! Hosts in every notation, and name servers that lie.

use hickory_resolver::proto::rr::RecordType;

use super::*;
use crate::guard::nameserver::{Nameserver, Say};

fn guard(policy: Policy, resolver: Resolver) -> Guard {
    Guard::new(Arc::new(policy), Arc::new(resolver))
}

fn offline(allow: &[&str], deny: &[&str]) -> Guard {
    let nets = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
    guard(
        Policy::new(nets(allow), nets(deny)),
        Resolver::with_name_servers(Vec::new()),
    )
}

async fn verdict(guard: &mut Guard, url: &str) -> Result<Vec<String>, String> {
    match guard.vet(&Url::parse(url).unwrap()).await {
        Ok(vetted) => Ok(vetted.addresses().iter().map(ToString::to_string).collect()),
        Err(denied) => {
            let failure = denied.failure();
            Err(match failure.kind() {
                FailureKind::PolicyRefused => failure.rule,
                kind => kind.as_str_name().to_lowercase(),
            })
        }
    }
}

#[tokio::test]
async fn no_notation_of_an_address_slips_through() {
    let mut guard = offline(&[], &[]);
    for (host, rule) in [
        ("127.0.0.1", "loopback"),
        ("127.0.0.1.", "loopback"),
        ("127.1", "loopback"),
        ("2130706433", "loopback"),
        ("0x7f000001", "loopback"),
        ("0x7f.1", "loopback"),
        ("017700000001", "loopback"),
        ("0177.0.0.01", "loopback"),
        ("１２７.０.０.１", "loopback"),
        ("127。0。0。1", "loopback"),
        ("0", "this_network"),
        ("10.1.2.3", "private"),
        ("172.31.255.255", "private"),
        ("192.168.1", "private"),
        ("100.64.0.1", "shared"),
        ("169.254.169.254", "link_local"),
        ("0xa9fea9fe", "link_local"),
        ("168.63.129.16", "cloud_metadata"),
        ("224.0.0.1", "multicast"),
        ("255.255.255.255", "reserved"),
        ("[::]", "unspecified"),
        ("[::1]", "loopback"),
        ("[0:0:0:0:0:0:0:1]", "loopback"),
        ("[::127.0.0.1]", "ipv4_compatible"),
        ("[::ffff:127.0.0.1]", "ipv4_mapped"),
        ("[::ffff:7f00:1]", "ipv4_mapped"),
        ("[::ffff:8.8.8.8]", "ipv4_mapped"),
        ("[::ffff:0:127.0.0.1]", "ipv4_translated"),
        ("[64:ff9b::169.254.169.254]", "nat64"),
        ("[64:ff9b:1::1]", "nat64"),
        ("[2002:7f00:1::]", "six_to_four"),
        ("[2001:0:7f00:1::]", "teredo"),
        ("[fe80::1]", "link_local"),
        ("[fec0::1]", "site_local"),
        ("[fd00:ec2::254]", "unique_local"),
        ("[ff02::1]", "multicast"),
        ("localhost", "loopback"),
        ("LOCALHOST.", "loopback"),
        ("a.b.localhost", "loopback"),
    ] {
        let url = format!("https://{host}/mcp");
        assert_eq!(
            verdict(&mut guard, &url).await,
            Err(rule.to_owned()),
            "{host}"
        );
    }
}

#[tokio::test]
async fn a_stranger_is_asked_over_https_on_its_port_without_credentials() {
    let mut guard = offline(&[], &[]);
    for (url, rule) in [
        ("http://1.1.1.1/", "plain_http"),
        ("http://1.1.1.1:443/", "plain_http"),
        ("https://1.1.1.1:8443/", "port"),
        ("https://user@1.1.1.1/", "userinfo"),
        ("https://:secret@1.1.1.1/", "userinfo"),
        ("ws://1.1.1.1/", "scheme"),
        ("ftp://1.1.1.1/", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("data:text/plain,x", "scheme"),
    ] {
        assert_eq!(
            verdict(&mut guard, url).await,
            Err(rule.to_owned()),
            "{url}"
        );
    }
    for (url, address) in [
        ("https://1.1.1.1/", "1.1.1.1:443"),
        ("https://[2606:4700::1111]:443/", "[2606:4700::1111]:443"),
    ] {
        assert_eq!(
            verdict(&mut guard, url).await,
            Ok(vec![address.to_owned()]),
            "{url}"
        );
    }
}

#[tokio::test]
async fn own_networks_may_be_reached_in_any_way() {
    let mut guard = offline(
        &["127.0.0.0/8", "10.0.0.0/8", "64:ff9b::/96"],
        &["10.9.0.0/16"],
    );
    for (url, expected) in [
        ("http://127.0.0.1:3000/mcp", Ok("127.0.0.1:3000")),
        ("http://localhost:3000/mcp", Ok("127.0.0.1:3000")),
        ("https://app.localhost/mcp", Ok("127.0.0.1:443")),
        ("http://10.0.0.1/", Ok("10.0.0.1:80")),
        ("http://10.9.0.1/", Err("operator")),
        ("http://192.168.0.1/", Err("private")),
        ("http://[::1]:3000/", Err("loopback")),
        ("http://[::ffff:127.0.0.1]:3000/", Err("ipv4_mapped")),
        ("http://1.1.1.1/", Err("plain_http")),
        ("https://1.1.1.1:444/", Err("port")),
        // A translator that the operator allows reaches what it carries.
        ("https://[64:ff9b::1.1.1.1]/", Ok("[64:ff9b::101:101]:443")),
        ("http://[64:ff9b::1.1.1.1]/", Err("plain_http")),
        ("http://[64:ff9b::10.0.0.1]/", Ok("[64:ff9b::a00:1]:80")),
        ("https://[64:ff9b::169.254.169.254]/", Err("link_local")),
    ] {
        let expected = expected
            .map(|address| vec![address.to_owned()])
            .map_err(str::to_owned);
        assert_eq!(verdict(&mut guard, url).await, expected, "{url}");
    }
    let lookups = guard.into_lookups();
    assert_eq!(lookups.len(), 2, "one a name, none for an address");
    assert_eq!(lookups[0].host, "localhost");
    let said: Vec<_> = lookups[0]
        .addresses
        .iter()
        .map(|a| (&a.address[..], &a.denied_by[..]))
        .collect();
    assert_eq!(said, [("127.0.0.1", ""), ("::1", "loopback")]);
}

#[tokio::test]
async fn a_name_with_one_denied_address_is_denied_and_each_verdict_kept() {
    let server = Nameserver::start(|name, _, _| match name {
        "good.test" => Say::addresses(&["1.1.1.1", "1.0.0.1", "2606:4700::1111"]),
        "mixed.test" => Say::addresses(&["1.1.1.1", "127.0.0.1"]),
        "mixed6.test" => Say::addresses(&["1.1.1.1", "::ffff:169.254.169.254"]),
        "inside.test" => Say::addresses(&["10.0.0.1"]),
        _ => Say::Silence,
    })
    .await;
    let resolver = Resolver::with_name_servers(vec![server.address]);
    let mut guard = guard(Policy::default(), resolver);
    let good = verdict(&mut guard, "https://good.test/").await.unwrap();
    assert_eq!(
        good,
        ["1.1.1.1:443", "[2606:4700::1111]:443", "1.0.0.1:443"]
    );
    for (host, rule) in [
        ("mixed.test", "loopback"),
        ("mixed6.test", "ipv4_mapped"),
        ("inside.test", "private"),
    ] {
        let url = format!("https://{host}/");
        assert_eq!(
            verdict(&mut guard, &url).await,
            Err(rule.to_owned()),
            "{host}"
        );
    }
    let lookups = guard.into_lookups();
    let mixed = &lookups[1];
    assert_eq!(mixed.host, "mixed.test");
    assert_eq!(mixed.failure, None, "the name gave addresses");
    let denied: Vec<_> = mixed.addresses.iter().map(|a| &a.denied_by[..]).collect();
    assert_eq!(denied, ["", "loopback"]);
}

#[tokio::test]
async fn a_name_is_asked_once_a_run() {
    let server = Nameserver::start(|name, _, before| match (name, before) {
        ("rebind.test", 0) => Say::addresses(&["1.1.1.1"]),
        _ => Say::addresses(&["127.0.0.1"]),
    })
    .await;
    let resolver = || Resolver::with_name_servers(vec![server.address]);
    let mut run = guard(Policy::default(), resolver());
    for path in ["", "mcp", ".well-known/oauth-protected-resource"] {
        let judged = verdict(&mut run, &format!("https://rebind.test/{path}")).await;
        assert_eq!(judged, Ok(vec!["1.1.1.1:443".to_owned()]));
    }
    assert_eq!(server.times_asked("rebind.test", RecordType::A), 1);
    let mut next = guard(Policy::default(), resolver());
    let judged = verdict(&mut next, "https://rebind.test/").await;
    assert_eq!(judged, Err("loopback".to_owned()));
}

#[tokio::test]
async fn a_machine_without_name_servers_has_no_working_resolver() {
    let mut guard = offline(&[], &[]);
    let judged = verdict(&mut guard, "https://example.test/").await;
    assert_eq!(judged, Err("failure_kind_resolver_unavailable".to_owned()));
    let lookup = &guard.into_lookups()[0];
    let kind = lookup.failure.as_ref().map(Failure::kind);
    assert_eq!(kind, Some(FailureKind::ResolverUnavailable));
}
