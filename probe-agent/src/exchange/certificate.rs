//! The certificates that a server showed, kept whether they verify or not.
//!
//! One [`Recorder`] watches one handshake: it writes down the chain and the
//! verdict, and then returns the verdict, so that a chain which does not verify
//! ends the handshake before a byte of HTTP.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, DistinguishedName, Error, SignatureScheme};
use touchstone_proto::observation::{Tls, TlsVerdict};
use x509_parser::prelude::{FromDer as _, X509Certificate};

use super::clock::Clock;

/// Certificates kept of a chain.
const CHAIN_LIMIT: usize = 10;
/// Bytes kept of a chain.
const CHAIN_LIMIT_BYTES: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct Recorder {
    verifier: Arc<WebPkiServerVerifier>,
    clock: Clock,
    seen: Mutex<Tls>,
}

impl Recorder {
    pub(super) fn new(verifier: Arc<WebPkiServerVerifier>, clock: Clock) -> Self {
        let seen = Tls {
            verdict: TlsVerdict::NoCertificate.into(),
            ..Tls::default()
        };
        Self {
            verifier,
            clock,
            seen: Mutex::new(seen),
        }
    }

    /// What was seen so far.
    pub(super) fn seen(&self) -> Tls {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Tls> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whoever shows a chain must also hold its key.
    fn signed(
        &self,
        verified: Result<HandshakeSignatureValid, Error>,
    ) -> Result<HandshakeSignatureValid, Error> {
        if let Err(error) = &verified {
            self.lock().set_verdict(if is_unknown_to_us(error) {
                TlsVerdict::Unsupported
            } else {
                TlsVerdict::Broken
            });
        }
        verified
    }
}

impl ServerCertVerifier for Recorder {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp_response: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let now = UnixTime::since_unix_epoch(self.clock.now());
        let verified =
            self.verifier
                .verify_server_cert(leaf, intermediates, name, ocsp_response, now);
        let (not_before_s, not_after_s) = validity(leaf);
        let mut seen = self.lock();
        seen.chain = kept(leaf, intermediates);
        seen.not_before_s = not_before_s;
        seen.not_after_s = not_after_s;
        seen.set_verdict(match &verified {
            Ok(_) => TlsVerdict::Valid,
            Err(error) => verdict(error, leaf),
        });
        verified
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signed(
            self.verifier
                .verify_tls12_signature(message, leaf, signature),
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signed(
            self.verifier
                .verify_tls13_signature(message, leaf, signature),
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }

    fn root_hint_subjects(&self) -> Option<&[DistinguishedName]> {
        self.verifier.root_hint_subjects()
    }
}

/// Which of the verdicts an error of the verifier is.
fn verdict(error: &Error, leaf: &CertificateDer<'_>) -> TlsVerdict {
    use CertificateError as E;
    if is_unknown_to_us(error) {
        return TlsVerdict::Unsupported;
    }
    let Error::InvalidCertificate(error) = error else {
        return TlsVerdict::Broken;
    };
    match error {
        E::Expired | E::ExpiredContext { .. } => TlsVerdict::Expired,
        E::NotValidYet | E::NotValidYetContext { .. } => TlsVerdict::NotYetValid,
        E::NotValidForName | E::NotValidForNameContext { .. } => TlsVerdict::NameMismatch,
        E::UnknownIssuer | E::InvalidPurpose | E::InvalidPurposeContext { .. } => {
            TlsVerdict::Untrusted
        }
        // A certificate that signed itself is refused under several names
        // ("an authority used as a server", for one); that nobody vouches for
        // it is the whole of it.
        _ if is_self_issued(leaf) => TlsVerdict::Untrusted,
        _ => TlsVerdict::Broken,
    }
}

/// The chain uses what our verifier does not know, or is longer than it looks.
/// Others may know it, so that nothing is said about the chain.
fn is_unknown_to_us(error: &Error) -> bool {
    use CertificateError as E;
    use webpki::Error as W;
    let Error::InvalidCertificate(error) = error else {
        return false;
    };
    #[expect(deprecated, reason = "the verifier still gives it")]
    match error {
        E::UnsupportedSignatureAlgorithm
        | E::UnsupportedSignatureAlgorithmContext { .. }
        | E::UnsupportedSignatureAlgorithmForPublicKeyContext { .. }
        | E::UnhandledCriticalExtension => true,
        E::Other(other) => matches!(
            other.0.downcast_ref(),
            Some(
                W::UnsupportedCertVersion
                    | W::UnsupportedCriticalExtension
                    | W::UnsupportedNameType
                    | W::MaximumNameConstraintComparisonsExceeded
                    | W::MaximumPathBuildCallsExceeded
                    | W::MaximumPathDepthExceeded
                    | W::MaximumSignatureChecksExceeded
            )
        ),
        _ => false,
    }
}

fn is_self_issued(leaf: &CertificateDer<'_>) -> bool {
    X509Certificate::from_der(leaf)
        .is_ok_and(|(_, leaf)| leaf.issuer().as_raw() == leaf.subject().as_raw())
}

/// Not before, not after; seconds since the epoch. 0, 0 when unreadable.
fn validity(leaf: &CertificateDer<'_>) -> (i64, i64) {
    X509Certificate::from_der(leaf).map_or((0, 0), |(_, leaf)| {
        let validity = leaf.validity();
        (
            validity.not_before.timestamp(),
            validity.not_after.timestamp(),
        )
    })
}

fn kept(leaf: &CertificateDer<'_>, intermediates: &[CertificateDer<'_>]) -> Vec<Vec<u8>> {
    let mut room = CHAIN_LIMIT_BYTES;
    std::iter::once(leaf)
        .chain(intermediates)
        .take(CHAIN_LIMIT)
        .map_while(|certificate| {
            room = room.checked_sub(certificate.len())?;
            Some(certificate.to_vec())
        })
        .collect()
}
