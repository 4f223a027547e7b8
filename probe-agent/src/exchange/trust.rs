//! Which certificate authorities a probe believes: the public web's, from a
//! list built in, so that every region comes to the same verdict; and those
//! that the operator adds for their own networks.

use std::sync::Arc;

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{self, PemObject as _};

/// The built-in list and its version, as recorded in every observation.
const BUILT_IN: &str = "webpki-roots 1.0.10";

/// The authorities that a certificate must lead to.
#[derive(Clone, Debug)]
pub struct Trust {
    roots: Arc<RootCertStore>,
    added: usize,
}

/// An authority that cannot be added.
#[derive(Debug, thiserror::Error)]
pub enum BadAuthority {
    #[error("reading certificate authorities: not PEM")]
    Pem(#[source] pem::Error),
    #[error("reading certificate authorities: there is no certificate in the file")]
    None,
    #[error("reading certificate authorities: certificate {position} cannot be an authority")]
    Unusable {
        position: usize,
        source: rustls::Error,
    },
}

impl Trust {
    /// The authorities of the public web.
    pub fn public() -> Self {
        let roots = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
        Self {
            roots: Arc::new(roots),
            added: 0,
        }
    }

    /// Adds the authorities of a PEM file.
    pub fn with_authorities(mut self, pem: &[u8]) -> Result<Self, BadAuthority> {
        let roots = Arc::make_mut(&mut self.roots);
        let before = self.added;
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(BadAuthority::Pem)?;
            self.added += 1;
            roots
                .add(certificate)
                .map_err(|source| BadAuthority::Unusable {
                    position: self.added - before,
                    source,
                })?;
        }
        if self.added == before {
            return Err(BadAuthority::None);
        }
        Ok(self)
    }

    /// As recorded in an observation: the list, its version, what was added.
    pub fn name(&self) -> String {
        match self.added {
            0 => BUILT_IN.to_owned(),
            added => format!("{BUILT_IN} +{added}"),
        }
    }

    pub(super) fn roots(&self) -> Arc<RootCertStore> {
        Arc::clone(&self.roots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recorded_version_is_the_one_built_in() {
        let lock = include_str!("../../../Cargo.lock");
        let (name, version) = BUILT_IN.split_once(' ').unwrap();
        assert!(lock.contains(&format!("name = \"{name}\"\nversion = \"{version}\"")));
    }

    #[test]
    fn what_is_no_authority_is_refused() {
        assert!(matches!(
            Trust::public().with_authorities(b"text"),
            Err(BadAuthority::None)
        ));
        let broken = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(matches!(
            Trust::public().with_authorities(broken),
            Err(BadAuthority::Unusable { position: 1, .. })
        ));
    }
}
