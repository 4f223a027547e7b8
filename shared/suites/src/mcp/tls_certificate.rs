//! `tls_certificate`: in date, for this name, with a whole chain to an
//! authority that we trust.
//!
//! Says nothing about how safe the server is. "Now" is the run's own start.

use touchstone_proto::observation::{Tls, TlsVerdict};

use crate::model::Finding;
use crate::reason::{Reason, ReasonKey};
use crate::view::{Turn, View};

const DAY_SECONDS: i64 = 86_400;

pub(super) fn judge(view: &View<'_>) -> Finding {
    if view.endpoint_is_plain() {
        return Finding::skipped(ReasonKey::PlainHttp);
    }
    let judged: Vec<&Tls> = view
        .endpoint_turns()
        .filter_map(|turn| turn.exchange.tls.as_ref())
        .filter(|tls| {
            !matches!(
                tls.verdict(),
                TlsVerdict::Unspecified | TlsVerdict::NoCertificate | TlsVerdict::Unsupported
            )
        })
        .collect();
    // What did not verify ended the run, so at most one of them is not valid.
    let decisive = judged
        .iter()
        .find(|tls| tls.verdict() != TlsVerdict::Valid)
        .or_else(|| judged.first());
    match decisive {
        Some(tls) => of_certificate(tls, view.started_s()),
        None => match view.endpoint_turns().find_map(Turn::broke) {
            Some(reason) => Finding::errored(reason),
            None => Finding::blocked(view.unrun()),
        },
    }
}

fn of_certificate(tls: &Tls, now: i64) -> Finding {
    let past = now.saturating_sub(tls.not_after_s);
    let ahead = tls.not_before_s.saturating_sub(now);
    match tls.verdict() {
        TlsVerdict::NameMismatch => Finding::failed(ReasonKey::CertificateNameMismatch),
        TlsVerdict::Untrusted => Finding::failed(ReasonKey::CertificateUntrusted),
        TlsVerdict::Broken => Finding::failed(ReasonKey::CertificateBroken),
        TlsVerdict::Expired => out_of_date(ReasonKey::CertificateExpired, past),
        TlsVerdict::NotYetValid => out_of_date(ReasonKey::CertificateNotYetValid, ahead),
        _ if tls.not_after_s == 0 => Finding::inconclusive(ReasonKey::NotRecorded),
        // The dates are looked at again: an agent's clock is not the run's start.
        _ if past > 0 => out_of_date(ReasonKey::CertificateExpired, past),
        _ if ahead > 0 => out_of_date(ReasonKey::CertificateNotYetValid, ahead),
        _ => {
            let days = past.saturating_neg() / DAY_SECONDS;
            Finding::verified(Reason::new(ReasonKey::CertificateValid, &[days.into()]))
        }
    }
}

/// Begun days; 0 when the server's own certificate is in date and one above it
/// is not.
fn out_of_date(key: ReasonKey, seconds: i64) -> Finding {
    let days = seconds.max(0).saturating_add(DAY_SECONDS - 1) / DAY_SECONDS;
    Finding::failed(Reason::new(key, &[days.into()]))
}
