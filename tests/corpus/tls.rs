//! Certificates. One authority of the test's own issues them all but one.

use touchstone_suites::registry::CheckId as C;

use super::case::{Case, legacy, modern};
use super::expect::{Expect, errored, failed, verified};
use crate::support::hostile::Certificate;

pub fn cases() -> Vec<Case> {
    // Ends before any byte of HTTP.
    let stopped = |id, against, certificate, key| {
        modern(id, &[], against)
            .over_tls(certificate)
            .expect(Expect::broke("tls_failed").asked(""))
            .with(C::TlsCertificate, failed(key))
    };
    vec![
        modern(
            "tls-modern",
            &[],
            "A certificate is judged by itself alone.",
        )
        .over_tls(Certificate::Valid)
        .with(C::TlsCertificate, verified("certificate_valid"))
        .asked("dlc"),
        legacy("tls-legacy", &[], "A session ends with its connection.")
            .over_tls(Certificate::Valid)
            .with(C::TlsCertificate, verified("certificate_valid"))
            .asked("dinlcx"),
        stopped(
            "tls-expired",
            "A certificate that was valid once is valid.",
            Certificate::Expired,
            "certificate_expired",
        ),
        stopped(
            "tls-not-yet-valid",
            "A certificate of the future has expired.",
            Certificate::NotYetValid,
            "certificate_not_yet_valid",
        ),
        stopped(
            "tls-other-name",
            "A certificate for another name will do.",
            Certificate::OtherName,
            "certificate_name_mismatch",
        ),
        stopped(
            "tls-self-signed",
            "Whoever signs for himself can be trusted.",
            Certificate::SelfSigned,
            "certificate_untrusted",
        ),
        modern(
            "tls-unheard-extension",
            &[],
            "A chain that our verifier does not know is broken.",
        )
        .over_tls(Certificate::Unheard)
        .expect(Expect::broke("tls_failed").asked(""))
        .with(C::TlsCertificate, errored("tls_failed")),
    ]
}
