//! Endpoint addresses as people type them, judged before anything is sent.
//!
//! The guard judges every address again at the moment of dialling; what is
//! refused here is what can be seen from the text alone, so that a slip is
//! answered at once by a sentence that says what to write instead.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;
use touchstone_coordinator::targets::Credential;
use touchstone_evidence::target::names_a_user;
use touchstone_evidence::text::UrlText;
use touchstone_telemetry::metrics::MetricsListen;
use url::{Host, Url};

use crate::exit::{Exit, Failure};

/// Longest address that is accepted, in bytes.
const URL_LIMIT_BYTES: usize = 2048;

/// Reads one `--allow-net`.
pub(crate) fn network(text: &str) -> Result<IpNet, String> {
    if let Ok(network) = text.parse() {
        return Ok(network);
    }
    match text.parse::<IpAddr>() {
        Ok(address) => Err(format!("write one address as {}", IpNet::from(address))),
        Err(_) => Err("write a network like 127.0.0.0/8 or fd00::/8".to_owned()),
    }
}

/// Reads one `--listen`.
pub(crate) fn listen(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| match text.parse::<u16>() {
        Ok(port) => format!("write address and port, like 127.0.0.1:{port}"),
        Err(_) => "write an IP address and a port up to 65535, like 127.0.0.1:8080".to_owned(),
    })
}

/// Reads where metrics are to be served.
pub(crate) fn metrics(text: &str) -> Result<MetricsListen, String> {
    MetricsListen::try_from(text.to_owned())
        .map_err(|_| "write a port, or address and port, like 127.0.0.1:9464".to_owned())
}

/// Whether `--listen` can be listened at now.
pub(crate) fn try_listen(address: SocketAddr) -> Result<(), Failure> {
    std::net::TcpListener::bind(address)
        .map(drop)
        .map_err(|error| cannot_listen(address, &error))
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> Failure {
    let (exit, why) = match error.kind() {
        ErrorKind::AddrInUse => (
            Exit::Conflict,
            "it is in use by another program; stop that one, or name another port".to_owned(),
        ),
        ErrorKind::AddrNotAvailable => (
            Exit::Usage,
            format!(
                "this machine has no such address; name one of its own, like 127.0.0.1:{}",
                address.port()
            ),
        ),
        ErrorKind::PermissionDenied => (
            Exit::Usage,
            "this user may not listen there; name a port above 1023".to_owned(),
        ),
        _ => (
            Exit::Usage,
            format!("{error}; name another address and port, like 127.0.0.1:8080"),
        ),
    };
    Failure::new(exit, format!("--listen {address} cannot be used: {why}"))
}

/// Reads one endpoint address. `allow` are the networks of `--allow-net`.
pub(crate) fn parse(text: &str, allow: &[IpNet]) -> Result<Url, Failure> {
    if text.len() > URL_LIMIT_BYTES {
        return Err(too_long(text.len()));
    }
    if text.is_empty() || text == "-" {
        return Err(Failure::usage(
            "the address is missing; write it like https://mcp.example.com/mcp",
        ));
    }
    if names_a_user(text) {
        return Err(credentials());
    }
    let url = match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => url,
        Ok(url) if text.contains("://") => {
            return Err(Failure::usage(format!(
                "{text} has the scheme {}; write the server's https:// address",
                url.scheme()
            )));
        }
        // `example.com:8443/mcp` parses as a scheme, `example.com/mcp` not at all.
        Ok(_) | Err(url::ParseError::RelativeUrlWithoutBase) => {
            return Err(Failure::usage(format!(
                "{text} has no scheme; write https://{text}"
            )));
        }
        Err(error) => {
            return Err(Failure::usage(format!(
                "{text} is not an address ({error}); write it like https://mcp.example.com/mcp"
            )));
        }
    };
    match Credential::within(&url) {
        Some(Credential::User) => return Err(credentials()),
        Some(Credential::Parameter(name)) => {
            return Err(Failure::usage(format!(
                "the query parameter {name:?} is named like a credential, and an address is published as it is; write it without"
            )));
        }
        None => {}
    }
    if url.fragment().is_some() {
        return Err(Failure::usage(format!(
            "{text} has a fragment (#…), which never reaches a server; write it without"
        )));
    }
    // As it is sent and published: `é` is six bytes there.
    if url.as_str().len() > URL_LIMIT_BYTES {
        return Err(too_long(url.as_str().len()));
    }
    if UrlText::new(url.as_str()).is_err() {
        return Err(Failure::usage(format!(
            "{text} holds a backslash, which evidence cannot hold; write it as %5C"
        )));
    }
    if allow.is_empty() {
        refuse_outside_https(text, &url)?;
    }
    Ok(url)
}

fn too_long(bytes: usize) -> Failure {
    Failure::usage(format!(
        "the address is {bytes} bytes long; at most {URL_LIMIT_BYTES} are accepted"
    ))
}

/// Does not repeat the address.
fn credentials() -> Failure {
    Failure::usage(
        "the address holds a user name or password, and no credential is ever sent; write it without",
    )
}

/// Without `--allow-net` only https on port 443 at a public address is probed.
fn refuse_outside_https(text: &str, url: &Url) -> Result<(), Failure> {
    if let Some(network) = own_network(url) {
        return Err(Failure::usage(format!(
            "{text} is an address of this machine or a private network; if it is yours, add --allow-net {network}"
        )));
    }
    if url.scheme() == "http" {
        return Err(Failure::usage(format!(
            "{text} is plain http, which is probed only inside a network you name; write https://, or add --allow-net with the server's network (CIDR)"
        )));
    }
    if let Some(port) = url.port() {
        return Err(Failure::usage(format!(
            "{text} names port {port}; only 443 is probed, unless the server is inside a network you name with --allow-net (CIDR)"
        )));
    }
    Ok(())
}

/// The network to allow for an address that plainly is one's own.
fn own_network(url: &Url) -> Option<String> {
    let address = match url.host()? {
        Host::Domain(name) if name == "localhost" || name.ends_with(".localhost") => {
            return Some("127.0.0.0/8".to_owned());
        }
        Host::Domain(_) => return None,
        Host::Ipv4(address) => IpAddr::V4(address),
        Host::Ipv6(address) => IpAddr::V6(address),
    };
    match address {
        IpAddr::V4(v4) if v4.is_loopback() => Some("127.0.0.0/8".to_owned()),
        IpAddr::V4(v4) if v4.is_private() || v4.is_link_local() => Some(format!("{v4}/32")),
        IpAddr::V6(v6) if v6.is_loopback() || v6.is_unique_local() => Some(format!("{v6}/128")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_answered_by_what_to_write() {
        let long = &format!("https://example.com/mcp/{}", "é".repeat(750));
        let cases = [
            ("mcp.example.com/mcp", "write https://mcp.example.com/mcp"),
            ("mcp.example.com:8443/mcp", "has no scheme"),
            ("localhost:3000/mcp", "has no scheme"),
            ("ftp://example.com/", "has the scheme ftp"),
            ("https://", "is not an address"),
            ("https://user:pw@example.com/mcp", "without"),
            ("https://example.com/mcp?api_key=sk-1", "\"api_key\""),
            ("https://example.com/mcp#x", "fragment"),
            (r"https://example.com/mcp?q=a\b", "write it as %5C"),
            (long, "4524 bytes long"),
            ("http://example.com/mcp", "plain http"),
            ("https://example.com:8443/mcp", "names port 8443"),
            ("http://localhost:3000/mcp", "--allow-net 127.0.0.0/8"),
            ("http://127.0.0.1:3000/mcp", "--allow-net 127.0.0.0/8"),
            ("https://2130706433/mcp", "--allow-net 127.0.0.0/8"),
            ("https://[::1]/mcp", "--allow-net ::1/128"),
            ("https://10.1.2.3/mcp", "--allow-net 10.1.2.3/32"),
        ];
        for (text, says) in cases {
            let failure = parse(text, &[]).expect_err(text);
            assert!(
                failure.message.contains(says),
                "{text}: {}",
                failure.message
            );
        }
    }

    #[test]
    fn a_network_and_a_place_say_what_to_write() {
        assert_eq!(
            network("127.0.0.1").unwrap_err(),
            "write one address as 127.0.0.1/32"
        );
        assert!(network("everything").unwrap_err().contains("127.0.0.0/8"));
        assert!(listen("8080").unwrap_err().contains("127.0.0.1:8080"));
        assert!(listen("localhost:8080").unwrap_err().contains("IP address"));
        assert!(listen("[::1]:0").is_ok());
    }

    #[test]
    fn a_password_is_not_repeated() {
        for text in [
            "https://user:hunter2@example.com/mcp",
            "https://example.com/mcp?token=hunter2",
            "https://example.com/mcp?token=hunter2#x",
        ] {
            let failure = parse(text, &[]).unwrap_err();
            assert!(!failure.message.contains("hunter2"), "{text}");
        }
    }

    #[test]
    fn one_s_own_network_may_be_plain() {
        let allow = ["127.0.0.0/8".parse().unwrap()];
        assert!(parse("http://localhost:3000/mcp", &allow).is_ok());
        assert!(parse("https://mcp.example.com/mcp", &[]).is_ok());
    }

    #[test]
    fn a_place_that_cannot_be_listened_at_is_named_with_what_to_do() {
        for (address, kind, exit, says) in [
            (
                "127.0.0.1:80",
                ErrorKind::AddrInUse,
                Exit::Conflict,
                "another port",
            ),
            (
                "192.0.2.1:80",
                ErrorKind::AddrNotAvailable,
                Exit::Usage,
                "like 127.0.0.1:80",
            ),
            (
                "127.0.0.1:80",
                ErrorKind::PermissionDenied,
                Exit::Usage,
                "above 1023",
            ),
            (
                "[ff02::1]:80",
                ErrorKind::InvalidInput,
                Exit::Usage,
                "name another address",
            ),
        ] {
            let failure = cannot_listen(address.parse().unwrap(), &kind.into());
            assert_eq!(failure.exit, exit, "{}", failure.message);
            assert!(
                failure
                    .message
                    .starts_with(&format!("--listen {address} cannot be used: "))
                    && failure.message.contains(says),
                "{}",
                failure.message
            );
        }
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let failure = try_listen(taken.local_addr().unwrap()).unwrap_err();
        assert_eq!(failure.exit, Exit::Conflict);
        assert!(try_listen("127.0.0.1:0".parse().unwrap()).is_ok());
    }
}
