//! Reads the signer's answer: whole, and about the run that was asked about, or
//! not at all.

use data_encoding::HEXLOWER;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use touchstone_proto::{
    signer::{AttestResponse, attest_response},
    vocabulary::{Scope, State},
};

use crate::store::{Answer, Listed, NewBody, read::StateCounts};

/// An answer that makes no sense; asked again later, since a signer of another
/// version may be on its way.
#[derive(Debug, thiserror::Error)]
pub(super) enum Nonsense {
    #[error("reading the signer's answer: its predicate cannot be read")]
    Predicate(#[from] serde_json::Error),
    #[error("reading the signer's answer: it is not UTF-8")]
    Text(#[from] std::string::FromUtf8Error),
    #[error("reading the signer's answer: it is about another run")]
    OtherRun,
    #[error("reading the signer's answer: it neither signs nor declines")]
    Empty,
    #[error("reading the signer's answer: what it signed stands in no log")]
    NotLogged,
    #[error("reading the signer's answer: scope and signature do not fit together")]
    Scope,
    #[error("reading the signer's answer: the tool list is not the one that was fingerprinted")]
    OtherList,
}

/// As much of a predicate as lists and counts need.
#[derive(Debug, Deserialize)]
struct Predicate {
    run: Run,
    scope: Option<Scope>,
    assertions: Vec<Assertion>,
    toolset_fingerprint: Option<String>,
    schema_fingerprint: Option<String>,
    definition_fingerprint: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Run {
    id: String,
}

#[derive(Debug, Deserialize)]
struct Assertion {
    state: State,
}

pub(super) fn read(response: AttestResponse, run_id: &str) -> Result<Answer, Nonsense> {
    let read: Predicate = serde_json::from_slice(&response.predicate)?;
    if read.run.id != run_id {
        return Err(Nonsense::OtherRun);
    }
    let predicate = String::from_utf8(response.predicate)?;
    let detail = String::from_utf8(response.detail)?;
    match (response.result, read.scope) {
        (None, _) => Err(Nonsense::Empty),
        (Some(attest_response::Result::Attested(attested)), Some(scope)) => Ok(Answer::Signed {
            scope,
            key_id: attested.key_id,
            envelope: attested.envelope,
            listed: listed(
                scope,
                read.definition_fingerprint,
                &attested.tool_list,
                &detail,
            )?,
            predicate,
            detail,
            states: count(&read.assertions),
            toolset_fingerprint: read.toolset_fingerprint,
            schema_fingerprint: read.schema_fingerprint,
            log: attested.log.ok_or(Nonsense::NotLogged)?,
        }),
        (Some(attest_response::Result::Declined(declined)), None) => Ok(Answer::Declined {
            reason_key: declined.reason_key,
            predicate,
            detail,
        }),
        _ => Err(Nonsense::Scope),
    }
}

/// What a run signed in full says of its list. The names come from the unsigned
/// detail, since a list too long to be handed over has names all the same.
fn listed(
    scope: Scope,
    fingerprint: Option<String>,
    text: &[u8],
    detail: &str,
) -> Result<Option<Box<Listed>>, Nonsense> {
    #[derive(Default, Deserialize)]
    struct Names {
        #[serde(default)]
        tool_names: Vec<String>,
    }
    if scope != Scope::Full {
        return Ok(None);
    }
    let digest = <[u8; 32]>::from(Sha256::digest(text));
    let fits = fingerprint
        .as_deref()
        .is_some_and(|stated| stated.strip_prefix("sha256:") == Some(&HEXLOWER.encode(&digest)));
    if !text.is_empty() && !fits {
        return Err(Nonsense::OtherList);
    }
    Ok(Some(Box::new(Listed {
        names: serde_json::from_str::<Names>(detail)?.tool_names,
        fingerprint,
        text: (!text.is_empty()).then(|| NewBody::pack(&digest, text)),
    })))
}

fn count(assertions: &[Assertion]) -> StateCounts {
    let of = |state| {
        let count = assertions
            .iter()
            .filter(|found| found.state == state)
            .count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    StateCounts {
        failed: of(State::Failed),
        observed_risk: of(State::ObservedRisk),
        unverified: of(State::Unverified),
        verified: of(State::Verified),
    }
}

#[cfg(test)]
mod tests {
    use touchstone_proto::signer::{Attested, Declined, LogProof};

    use super::*;

    fn response(scope: &str, result: Option<attest_response::Result>) -> AttestResponse {
        let predicate = format!(
            r#"{{"run":{{"id":"r"}},"scope":{scope},"assertions":[{{"state":"FAILED"}},{{"state":"VERIFIED"}},{{"state":"VERIFIED"}}],"toolset_fingerprint":null,"schema_fingerprint":null,"definition_fingerprint":null}}"#
        );
        AttestResponse {
            predicate: predicate.into_bytes(),
            detail: b"{}".to_vec(),
            result,
            timings: None,
        }
    }

    #[test]
    fn an_answer_is_taken_whole_or_not_at_all() {
        let attested = || {
            Some(attest_response::Result::Attested(Attested {
                log: Some(LogProof::default()),
                ..Attested::default()
            }))
        };
        let unlogged = || Some(attest_response::Result::Attested(Attested::default()));
        let of_another_list = || {
            Some(attest_response::Result::Attested(Attested {
                log: Some(LogProof::default()),
                tool_list: b"[]".to_vec(),
                ..Attested::default()
            }))
        };
        let declined = || Some(attest_response::Result::Declined(Declined::default()));
        let signed = read(response("\"limited\"", attested()), "r").unwrap();
        let Answer::Signed { scope, states, .. } = signed else {
            panic!("not signed: {signed:?}");
        };
        assert_eq!(
            (scope, states.failed, states.verified),
            (Scope::Limited, 1, 2)
        );
        assert!(matches!(
            read(response("null", declined()), "r"),
            Ok(Answer::Declined { .. })
        ));
        for (nonsense, run_id) in [
            (response("\"full\"", of_another_list()), "r"),
            (response("\"full\"", attested()), "other"),
            (response("\"full\"", declined()), "r"),
            (response("null", attested()), "r"),
            (response("\"full\"", unlogged()), "r"),
            (response("\"half\"", attested()), "r"),
            (response("null", None), "r"),
            (AttestResponse::default(), "r"),
        ] {
            assert!(read(nonsense, run_id).is_err());
        }
    }
}
