//! Certificates that verify and certificates that do not: the chain is kept
//! either way, and of the latter not a byte of HTTP is seen.

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, CustomExtension, DnType, IsCa, KeyPair,
    SanType, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use touchstone_proto::observation::TlsVerdict;

use super::stage::Plug;
use super::*;

type Issuer = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
}

pub(super) struct Authorities {
    root: Issuer,
    intermediate: Issuer,
}

pub(super) fn authorities() -> Authorities {
    let key = || KeyPair::generate().unwrap();
    let root = Issuer::self_signed(authority("root"), key()).unwrap();
    let intermediate = Issuer::signed_by(authority("intermediate"), key(), &root).unwrap();
    Authorities { root, intermediate }
}

/// A leaf for localhost, changed as told, and its key.
pub(super) struct Leaf {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl Authorities {
    pub(super) fn leaf(&self, change: impl Fn(&mut CertificateParams)) -> Leaf {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.not_before = date_time_ymd(2024, 1, 1);
        params.not_after = date_time_ymd(2200, 1, 1);
        change(&mut params);
        let leaf = params.signed_by(&key, &self.intermediate).unwrap();
        Leaf {
            chain: vec![leaf.der().clone(), self.intermediate.der().clone()],
            key: key.into(),
        }
    }

    pub(super) fn trust(&self) -> Trust {
        Trust::public()
            .with_authorities(self.root.pem().as_bytes())
            .unwrap()
    }
}

impl Leaf {
    pub(super) fn server(self, alpn: &[&[u8]]) -> rustls::ServerConfig {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = provider.key_provider.load_private_key(self.key).unwrap();
        // Shown as it is: a chain that this side could not read is wanted too.
        let shown = CertifiedKey::new(self.chain, key);
        let mut config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(SingleCertAndKey::from(shown)));
        config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
        config
    }
}

async fn secured(leaf: Leaf) -> Stage {
    Stage::play_tls(leaf.server(&[b"http/1.1"]), |mut plug| async move {
        loop {
            plug.request().await?;
            plug.say(json(ANSWER)).await?;
        }
    })
    .await
}

async fn asked(stage: &Stage, host: &str, trust: &Trust) -> Received {
    let url = format!("https://{host}:{}/mcp", stage.address.port());
    let mut session = Session::new(egress(trust), SystemTime::now());
    perform(&mut session, &post(&url), &mut budget()).await
}

#[tokio::test]
async fn a_chain_that_verifies_is_kept_with_its_dates() {
    let authorities = authorities();
    let leaf = authorities.leaf(|_| {});
    let chain: Vec<_> = leaf
        .chain
        .iter()
        .map(|certificate| certificate.to_vec())
        .collect();
    let stage = secured(leaf).await;
    let received = asked(&stage, "localhost", &authorities.trust()).await;
    assert_eq!((received.status(), received.failure()), (Some(200), None));
    let tls = received.last().tls.as_ref().unwrap();
    assert_eq!(tls.chain, chain);
    assert_eq!(tls.verdict(), TlsVerdict::Valid);
    assert_eq!((&tls.version[..], &tls.alpn[..]), ("1.3", "http/1.1"));
    assert_eq!(tls.not_before_s, date_time_ymd(2024, 1, 1).unix_timestamp());
    assert_eq!(tls.not_after_s, date_time_ymd(2200, 1, 1).unix_timestamp());
    assert!(stage.requests()[0].contains("host: localhost:"));
}

#[tokio::test]
async fn each_fault_has_its_verdict_and_ends_before_http() {
    let authorities = authorities();
    let day = |year| date_time_ymd(year, 1, 1);
    let named = |name: &str| {
        let name = SanType::DnsName(name.try_into().unwrap());
        move |params: &mut CertificateParams| params.subject_alt_names = vec![name.clone()]
    };
    let mut missing = authorities.leaf(|_| {});
    missing.chain.truncate(1);
    let self_signed = |ca| {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.is_ca = ca;
        Leaf {
            chain: vec![params.self_signed(&key).unwrap().der().clone()],
            key: key.into(),
        }
    };
    let mut forged = authorities.leaf(|_| {});
    let last = forged.chain[0].len() - 1;
    let mut bytes = forged.chain[0].to_vec();
    bytes[last] ^= 1;
    forged.chain[0] = bytes.into();

    for (what, leaf, host, verdict) in [
        (
            "expired",
            authorities.leaf(|p| p.not_after = day(2025)),
            "localhost",
            TlsVerdict::Expired,
        ),
        (
            "beyond us",
            authorities.leaf(|p| {
                let mut extension = CustomExtension::from_oid_content(&[1, 2, 3], vec![5, 0]);
                extension.set_criticality(true);
                p.custom_extensions.push(extension);
            }),
            "localhost",
            TlsVerdict::Unsupported,
        ),
        (
            "early",
            authorities.leaf(|p| p.not_before = day(2199)),
            "localhost",
            TlsVerdict::NotYetValid,
        ),
        (
            "other name",
            authorities.leaf(named("example.com")),
            "localhost",
            TlsVerdict::NameMismatch,
        ),
        (
            "no address",
            authorities.leaf(|_| {}),
            "127.0.0.1",
            TlsVerdict::NameMismatch,
        ),
        (
            "no intermediate",
            missing,
            "localhost",
            TlsVerdict::Untrusted,
        ),
        (
            "self-signed",
            self_signed(IsCa::NoCa),
            "localhost",
            TlsVerdict::Untrusted,
        ),
        (
            "self-signed authority",
            self_signed(IsCa::Ca(BasicConstraints::Unconstrained)),
            "localhost",
            TlsVerdict::Untrusted,
        ),
        ("forged", forged, "localhost", TlsVerdict::Broken),
    ] {
        let shown: Vec<_> = leaf
            .chain
            .iter()
            .map(|certificate| certificate.to_vec())
            .collect();
        let stage = secured(leaf).await;
        let received = asked(&stage, host, &authorities.trust()).await;
        assert_eq!(received.failure(), Some(FailureKind::Tls), "{what}");
        let exchange = received.last();
        let tls = exchange.tls.as_ref().unwrap();
        assert_eq!(tls.verdict(), verdict, "{what}");
        assert_eq!(tls.chain, shown, "{what}");
        assert_ne!(tls.not_after_s, 0, "{what}");
        assert_eq!(tls.version, "", "{what}");
        assert!(exchange.response.is_none());
        assert!(exchange.remote_address.starts_with("127.0.0.1:"));
        assert!(stage.requests().is_empty(), "{what}: not a byte of HTTP");
    }
}

#[tokio::test]
async fn an_unknown_root_is_untrusted_until_it_is_added() {
    let authorities = authorities();
    let stage = secured(authorities.leaf(|_| {})).await;
    let received = asked(&stage, "localhost", &Trust::public()).await;
    let tls = received.last().tls.as_ref().unwrap();
    assert_eq!(tls.verdict(), TlsVerdict::Untrusted);
    assert_eq!(authorities.trust().name(), "webpki-roots 1.0.10 +1");
}

#[tokio::test]
async fn the_run_s_own_clock_decides_what_has_expired() {
    let authorities = authorities();
    let stage =
        secured(authorities.leaf(|params| params.not_after = date_time_ymd(2025, 1, 1))).await;
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_720_000_000);
    let mut session = Session::new(egress(&authorities.trust()), then);
    let url = format!("https://localhost:{}/", stage.address.port());
    let received = perform(&mut session, &post(&url), &mut budget()).await;
    assert_eq!(received.status(), Some(200));
    assert_eq!(received.last().sent_at_ms / 100_000, 17_200_000);
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_shows_no_certificate() {
    for (said, expected) in [
        (&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], FailureKind::Tls),
        // Alert: fatal, handshake failure.
        (b"\x15\x03\x03\x00\x02\x02\x28", FailureKind::Tls),
        (b"", FailureKind::ConnectionLost),
    ] {
        let stage = Stage::play(move |mut plug| async move {
            plug.say(said).await?;
            plug.close().await
        })
        .await;
        let received = asked(&stage, "localhost", &Trust::public()).await;
        assert_eq!(received.failure(), Some(expected));
        let tls = received.last().tls.as_ref().unwrap();
        assert_eq!(tls.verdict(), TlsVerdict::NoCertificate);
        assert!(tls.chain.is_empty());
    }
}

/// In TLS 1.3 the server says so only after the handshake is done for us.
#[tokio::test]
async fn a_server_that_wants_a_client_certificate_fails_by_tls() {
    let authorities = authorities();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = rustls::RootCertStore::empty();
    roots.add(authorities.root.der().clone()).unwrap();
    let clients = rustls::server::WebPkiClientVerifier::builder_with_provider(
        Arc::new(roots),
        Arc::clone(&provider),
    )
    .build()
    .unwrap();
    let leaf = authorities.leaf(|_| {});
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(clients)
        .with_single_cert(leaf.chain, leaf.key)
        .unwrap();
    let stage = Stage::play_tls(config, Plug::hold).await;
    let received = asked(&stage, "localhost", &authorities.trust()).await;
    assert_eq!(received.failure(), Some(FailureKind::Tls));
    let tls = received.last().tls.as_ref().unwrap();
    assert_eq!((tls.verdict(), tls.chain.len()), (TlsVerdict::Valid, 2));
    assert!(received.last().response.is_none());
}

#[tokio::test]
async fn a_handshake_that_never_ends_ends_with_the_budget() {
    let stage = Stage::play(Plug::hold).await;
    let url = format!("https://localhost:{}/", stage.address.port());
    let received = perform(&mut session(), &post(&url), &mut short()).await;
    assert_eq!(received.failure(), Some(FailureKind::TimedOut));
    let exchange = received.last();
    assert_eq!(
        exchange.tls.as_ref().unwrap().verdict(),
        TlsVerdict::NoCertificate
    );
    assert_eq!(exchange.remote_address, stage.address.to_string());
}
