//! What names an endpoint: the canonical descriptor of transport and URL, and
//! its digest. All evidence about one endpoint has the same subject.

use data_encoding::HEXLOWER;
use touchstone_canonical::{Canonical, canonicalize};

use crate::text::{HexDigest, UrlText};

/// How a target is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    StreamableHttp,
}

impl Transport {
    /// As in descriptors.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::StreamableHttp => "streamable-http",
        }
    }
}

/// Whether an address, well-formed or not, names a user or a password in front
/// of its host; then no part of it may be shown.
pub fn names_a_user(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next();
    authority.is_some_and(|authority| authority.contains('@'))
}

/// `{"endpoint_url": …, "transport": …}` in canonical form.
pub fn descriptor(transport: Transport, url: &UrlText) -> Canonical {
    let transport = transport.as_str();
    let json = format!(r#"{{"endpoint_url":"{url}","transport":"{transport}"}}"#);
    // A UrlText is visible ASCII without quote and backslash, so this is JSON,
    // short, flat and already in NFC.
    canonicalize(json.as_bytes()).expect("two plain ASCII strings")
}

/// The name of a target everywhere: SHA-256 over its descriptor, 64 lowercase
/// hex digits. A digest of this kind is also the subject of its evidence.
pub fn target_id(transport: Transport, url: &UrlText) -> String {
    HEXLOWER.encode(&descriptor(transport, url).sha256())
}

pub(crate) fn subject_digest(transport: Transport, url: &UrlText) -> HexDigest {
    descriptor(transport, url).sha256().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_that_of_the_descriptor_recomputed_by_hand() {
        let url = UrlText::new("https://mcp.example/mcp").unwrap();
        assert_eq!(
            descriptor(Transport::StreamableHttp, &url).as_str(),
            r#"{"endpoint_url":"https://mcp.example/mcp","transport":"streamable-http"}"#
        );
        // printf '%s' '{"endpoint_url":…}' | sha256sum
        assert_eq!(
            target_id(Transport::StreamableHttp, &url),
            "333712d9ee0f904d68242e29c51dedd69336e909f19d927e3fb59b22d6b2d61e"
        );
    }
}
