//! Servers that misbehave in one way each. Loopback only; every thread ends
//! with its connection or with the test process.

use std::io::{Read as _, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rcgen::{CertificateParams, CustomExtension, DnType, IsCa, KeyPair, date_time_ymd};
use rustls::sign::{CertifiedKey, SingleCertAndKey};

/// How a server answers every request on every connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Accepts, and never sends a byte.
    Silent,
    /// A byte of the body each second, for ever.
    Drip,
    /// A body of 3 MB.
    ThreeMegabytes,
    /// 20 KB of gzip that unpack to 20 MB.
    GzipBomb,
    InvalidJson,
    /// 200 with a login page.
    Html,
    /// Closes in the middle of the response.
    CutOff,
    /// Not HTTP at all.
    Garbage,
    /// Response headers that never end.
    EndlessHeaders,
    /// Asks to come back later.
    RateLimited,
    ServerError,
    /// 401 with a challenge whose metadata redirects to itself for ever.
    RedirectLoop,
    /// POST answered with a redirect to another host.
    RedirectAway,
}

/// Starts a server; gives its URL.
pub fn start(manner: Manner) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || answer(manner, stream, address.port()));
        }
    });
    format!("http://{address}/mcp")
}

fn answer(manner: Manner, mut stream: TcpStream, port: u16) {
    while let Some(request) = read_request(&mut stream) {
        if respond(manner, &mut stream, port, &request).is_err() {
            return;
        }
    }
}

/// Head and body of one request; `None` when the client is gone.
pub fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some(end) = text.find("\r\n\r\n") else {
            continue;
        };
        let length = text[..end]
            .lines()
            .find_map(|line| {
                line.to_lowercase()
                    .strip_prefix("content-length:")
                    .map(|n| n.trim().parse().unwrap())
            })
            .unwrap_or(0usize);
        if bytes.len() >= end + 4 + length {
            return Some(text);
        }
    }
}

fn respond(
    manner: Manner,
    stream: &mut TcpStream,
    port: u16,
    request: &str,
) -> std::io::Result<()> {
    let json = |stream: &mut TcpStream, more: &str, body: &[u8]| {
        write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{more}content-length: {}\r\n\r\n",
            body.len()
        )?;
        stream.write_all(body)
    };
    match manner {
        Manner::Silent => {
            // Held open until the client goes.
            let _ = stream.read(&mut [0; 1]);
            Ok(())
        }
        Manner::Drip => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n")?;
            loop {
                stream.write_all(b" ")?;
                stream.flush()?;
                std::thread::sleep(Duration::from_secs(1));
            }
        }
        Manner::ThreeMegabytes => json(stream, "", &vec![b' '; 3_000_000]),
        Manner::GzipBomb => {
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            packed.write_all(&vec![b' '; 20_000_000])?;
            json(stream, "content-encoding: gzip\r\n", &packed.finish()?)
        }
        Manner::InvalidJson => json(stream, "", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"),
        Manner::Html => {
            let body = "<!doctype html><title>Sign in</title><form></form>";
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\r\n{body}", body.len())
        }
        Manner::CutOff => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{\"json")?;
            stream.shutdown(Shutdown::Both)
        }
        Manner::Garbage => {
            stream.write_all(b"SSH-2.0-OpenSSH_9.2p1\r\n")?;
            stream.shutdown(Shutdown::Both)
        }
        Manner::EndlessHeaders => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n")?;
            loop {
                stream.write_all(format!("x-filler: {}\r\n", "a".repeat(8000)).as_bytes())?;
            }
        }
        Manner::RateLimited => {
            stream.write_all(b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 120\r\ncontent-length: 0\r\n\r\n")
        }
        Manner::ServerError => stream.write_all(b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n"),
        Manner::RedirectLoop if request.starts_with("GET") => write!(
            stream,
            "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:{port}/.well-known/loop\r\ncontent-length: 0\r\n\r\n"
        ),
        Manner::RedirectLoop => write!(
            stream,
            "HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Bearer resource_metadata=\"http://127.0.0.1:{port}/.well-known/oauth-protected-resource\"\r\ncontent-length: 0\r\n\r\n"
        ),
        Manner::RedirectAway => stream.write_all(
            b"HTTP/1.1 307 Temporary Redirect\r\nlocation: https://elsewhere.example/mcp\r\ncontent-length: 0\r\n\r\n",
        ),
    }
}

/// How a TLS server's certificate is wrong; all are issued by one test authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certificate {
    Valid,
    Expired,
    NotYetValid,
    OtherName,
    /// Issued by nobody that anyone trusts.
    SelfSigned,
    /// With a critical extension that no verifier knows.
    Unheard,
}

/// The TLS side of a server of the name `localhost`, and the authority's
/// certificate (PEM) for `--trust-ca`.
pub fn server_config(
    certificate: Certificate,
    folder: &std::path::Path,
) -> (Arc<rustls::ServerConfig>, PathBuf) {
    let ca_key = KeyPair::generate().unwrap();
    let mut ca = CertificateParams::new(Vec::new()).unwrap();
    ca.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    ca.distinguished_name
        .push(DnType::CommonName, "Touchstone test authority");
    let ca_certificate = ca.self_signed(&ca_key).unwrap();
    let authority = folder.join(format!("{certificate:?}-ca.pem"));
    std::fs::write(&authority, ca_certificate.pem()).unwrap();

    let name = if certificate == Certificate::OtherName {
        "elsewhere.example"
    } else {
        "localhost"
    };
    let mut leaf = CertificateParams::new(vec![name.to_owned()]).unwrap();
    match certificate {
        Certificate::Expired => {
            leaf.not_before = date_time_ymd(2020, 1, 1);
            leaf.not_after = date_time_ymd(2021, 1, 1);
        }
        Certificate::NotYetValid => {
            leaf.not_before = date_time_ymd(2090, 1, 1);
            leaf.not_after = date_time_ymd(2091, 1, 1);
        }
        Certificate::Unheard => {
            let mut extension = CustomExtension::from_oid_content(&[1, 2, 3], vec![5, 0]);
            extension.set_criticality(true);
            leaf.custom_extensions.push(extension);
        }
        _ => {}
    }
    let key = KeyPair::generate().unwrap();
    let issuer = rcgen::Issuer::new(ca, ca_key);
    let leaf = if certificate == Certificate::SelfSigned {
        leaf.self_signed(&key).unwrap()
    } else {
        leaf.signed_by(&key, &issuer).unwrap()
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = rustls::pki_types::PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let key = provider.key_provider.load_private_key(key).unwrap();
    // Shown as it is: a chain that this side could not read is wanted too.
    let shown = CertifiedKey::new(vec![leaf.der().clone()], key);
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(shown)));
    (Arc::new(config), authority)
}

/// A TLS server that answers 500 to whatever comes; gives its URL and the
/// authority's certificate (PEM) for `--trust-ca`.
pub fn start_tls(certificate: Certificate, folder: &std::path::Path) -> (String, PathBuf) {
    let (config, authority) = server_config(certificate, folder);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let config = config.clone();
            std::thread::spawn(move || {
                let mut connection = rustls::ServerConnection::new(config).unwrap();
                let mut tls = rustls::Stream::new(&mut connection, &mut stream);
                let mut request = [0; 8192];
                while tls.read(&mut request).is_ok_and(|read| read > 0) {
                    if tls
                        .write_all(
                            b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n",
                        )
                        .is_err()
                    {
                        return;
                    }
                }
            });
        }
    });
    (format!("https://localhost:{port}/mcp"), authority)
}
