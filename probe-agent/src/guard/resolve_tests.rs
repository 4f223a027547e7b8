//! Whose fault a missing answer is, asked of a name server that does as told.

use super::*;
use crate::guard::nameserver::{Nameserver, Say};

fn asking(servers: Vec<SocketAddr>) -> Resolver {
    Resolver {
        waits: Waits {
            answer: Duration::from_millis(150),
            lookup: Duration::from_millis(400),
            other_family: Duration::from_millis(150),
            control: Duration::from_millis(400),
        },
        ..Resolver::with_name_servers(servers)
    }
}

#[expect(clippy::match_same_arms, reason = "a row a name")]
async fn lying() -> Nameserver {
    Nameserver::start(|name, family, before| match (name, family) {
        ("both.test", _) => Say::addresses(&["192.0.2.1", "2001:db8::1"]),
        ("v4.test", RecordType::A) => Say::addresses(&["192.0.2.1"]),
        ("v4.test", _) => Say::Code(ResponseCode::ServFail),
        ("slow6.test", RecordType::A) => Say::addresses(&["192.0.2.1"]),
        ("slow6.test", _) => Say::Silence,
        ("empty.test", _) => Say::Addresses(Vec::new()),
        ("half.test", RecordType::A) => Say::Addresses(Vec::new()),
        ("half.test" | "broken.test", _) => Say::Code(ResponseCode::ServFail),
        ("refused.test", _) => Say::Code(ResponseCode::Refused),
        ("lame.test", _) => Say::Silence,
        ("once.test", RecordType::A) if before == 0 => Say::Silence,
        ("once.test", _) => Say::addresses(&["192.0.2.1"]),
        ("garbage.test", _) => Say::Garbage,
        // More than are looked at, and no more than a datagram holds.
        ("many.test", _) => Say::Addresses(
            (1..=60)
                .map(|last| IpAddr::from([192, 0, 2, last]))
                .collect(),
        ),
        ("", RecordType::NS) => Say::Addresses(Vec::new()),
        _ => Say::Code(ResponseCode::NXDomain),
    })
    .await
}

#[tokio::test]
async fn each_answer_is_told_apart() {
    let server = lying().await;
    let resolver = asking(vec![server.address]);
    let long = format!("{}.test", "a".repeat(64));
    for (name, expected) in [
        ("both.test", Ok(2)),
        ("v4.test", Ok(1)),
        ("slow6.test", Ok(1)),
        ("once.test", Ok(1)),
        ("many.test", Ok(ADDRESS_LIMIT)),
        ("nowhere.test", Err(FailureKind::NameNotFound)),
        ("empty.test", Err(FailureKind::NameNotFound)),
        (&long[..], Err(FailureKind::NameNotFound)),
        ("half.test", Err(FailureKind::NameServerFailed)),
        ("broken.test", Err(FailureKind::NameServerFailed)),
        // Our resolver is there and knows the root, so the silence is the name's.
        ("lame.test", Err(FailureKind::NameServerFailed)),
        ("refused.test", Err(FailureKind::ResolverUnavailable)),
    ] {
        let found = resolver.lookup(name).await.map(|addresses| addresses.len());
        assert_eq!(found.map_err(|error| error.kind()), expected, "{name}");
    }
}

#[tokio::test]
async fn a_name_is_fully_qualified_and_asked_each_time() {
    let server = lying().await;
    let resolver = asking(vec![server.address]);
    for _ in 0..2 {
        resolver.lookup("both.test").await.unwrap();
    }
    assert_eq!(server.times_asked("both.test", RecordType::A), 2);
    assert_eq!(server.times_asked("both.test", RecordType::AAAA), 2);
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_not_ours_to_answer_for() {
    let server = lying().await;
    let resolver = asking(vec![server.address]);
    let error = resolver.lookup("garbage.test").await.unwrap_err();
    assert_eq!(error.kind(), FailureKind::NameServerFailed);
}

#[tokio::test]
async fn a_resolver_that_is_away_is_ours() {
    // Bound and never read: silence. Bound and closed again: refused.
    let silent = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let gone = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let closed = gone.local_addr().unwrap();
    drop(gone);
    for servers in [vec![silent.local_addr().unwrap()], vec![closed], Vec::new()] {
        let error = asking(servers.clone())
            .lookup("both.test")
            .await
            .unwrap_err();
        assert_eq!(
            error.kind(),
            FailureKind::ResolverUnavailable,
            "{servers:?}"
        );
    }
}
