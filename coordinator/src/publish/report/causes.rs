//! The five causes of "observed, not signed", each with what this run says for
//! or against it.
//!
//! The signer names the cause that an owner should look at first; what stands
//! beside the others are bare facts of the exchanges. Nothing is judged here.

use touchstone_evidence::detail::Detail;
use touchstone_proto::observation::{Exchange, Observation, SseNote, Step};
use touchstone_words::Param;

use crate::publish::commands::{Command, Commands, initialize_revision, initialize_status};
use crate::publish::text::{Prose, Text};

/// One cause as the page shows it.
#[derive(Debug)]
pub(in crate::publish) struct Cause {
    pub(in crate::publish) number: i64,
    pub(in crate::publish) fits: bool,
    pub(in crate::publish) title: Prose,
    pub(in crate::publish) verdict_label: Prose,
    pub(in crate::publish) verdict: Prose,
    pub(in crate::publish) about: Prose,
    pub(in crate::publish) command: Option<Command>,
    /// Answers of the command that point to this cause.
    pub(in crate::publish) points: Vec<&'static str>,
    pub(in crate::publish) points_note: Option<Prose>,
    pub(in crate::publish) fix_label: Prose,
    pub(in crate::publish) fix: Prose,
}

/// How a cause and a run go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    Fits,
    DoesNot,
    CannotTell,
}

/// A verdict and the end of its text's key, with a number or word for it.
type Verdict = (Fit, &'static str, Option<(&'static str, Param)>);

/// Bare facts of the handshake and of what came after it.
#[derive(Debug, Default)]
struct Seen {
    discover: Option<u32>,
    initialize: Initialize,
    /// The answer to initialize named a session.
    session: bool,
    /// What requests after initialize were answered.
    later: Vec<u32>,
    endpoint_event: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Initialize {
    #[default]
    NotSent,
    Unanswered,
    Answered(u32),
}

/// Whether the handshake was answered at all.
pub(super) fn was_answered(observation: &Observation) -> bool {
    Seen::of(observation).handshake().is_some()
}

pub(super) fn all(
    text: Text,
    observation: &Observation,
    detail: &Detail,
    endpoint: &str,
    commands: &mut Commands,
) -> Vec<Cause> {
    let seen = Seen::of(observation);
    let likely = detail.likely_cause.as_deref();
    let verdicts = [
        sign_in(&seen, likely),
        only_sse(&seen, likely),
        no_version(likely, detail),
        session_headers(&seen, likely),
        nothing_wrong(&seen, likely),
    ];
    (1..)
        .zip(verdicts)
        .map(|(number, verdict)| cause(text, number, verdict, endpoint, commands))
        .collect()
}

fn cause(
    text: Text,
    number: i64,
    verdict: Verdict,
    endpoint: &str,
    commands: &mut Commands,
) -> Cause {
    let (fit, end, arg) = verdict;
    let id = |end: &str| format!("cause-{number}.{end}");
    let command_label = text.plain_with("causes-command-label", &[("number", number.into())]);
    let command = match number {
        1 | 2 => Some(commands.named(initialize_status(endpoint), command_label)),
        3 => Some(commands.named(initialize_revision(endpoint), command_label)),
        _ => None,
    };
    let points: &[&str] = match number {
        1 => &["401", "403"],
        2 => &["404", "405"],
        3 => &["null"],
        _ => &[],
    };
    let (fix_label, fix) = match number {
        1 => (text.t(&id("fix-label")), text.t(&id("fix"))),
        4 => (text.t(&id("look-label")), text.t(&id("look"))),
        5 => (text.t(&id("nothing-label")), text.t(&id("nothing"))),
        _ => (text.t("cause-fix"), text.t(&id("fix"))),
    };
    Cause {
        number,
        fits: fit == Fit::Fits,
        title: text.t(&format!("cause-{number}")),
        verdict_label: text.t(match fit {
            Fit::Fits => "fit-fits",
            Fit::DoesNot => "fit-does-not",
            Fit::CannotTell => "fit-cannot-tell",
        }),
        verdict: text.with(&id(end), &arg.into_iter().collect::<Vec<_>>()),
        about: text.t(&id("about")),
        command,
        points: points.to_vec(),
        points_note: (number == 3).then(|| text.t(&id("expect-jq"))),
        fix_label,
        fix,
    }
}

fn sign_in(seen: &Seen, likely: Option<&str>) -> Verdict {
    match seen.handshake() {
        None => (Fit::CannotTell, "cannot-tell", None),
        Some(answer) if likely == Some("auth_before_handshake") || matches!(answer, 401 | 403) => {
            (Fit::Fits, "fits", Some(status(answer)))
        }
        Some(answer) => (Fit::DoesNot, "does-not", Some(status(answer))),
    }
}

fn only_sse(seen: &Seen, likely: Option<&str>) -> Verdict {
    if seen.endpoint_event {
        return (Fit::Fits, "fits-event", None);
    }
    match seen.handshake() {
        None => (Fit::CannotTell, "cannot-tell-silent", None),
        Some(answer) if likely == Some("sse_only") => (Fit::Fits, "fits", Some(status(answer))),
        Some(answer) if (200..300).contains(&answer) => {
            (Fit::DoesNot, "does-not", Some(status(answer)))
        }
        Some(answer) => (Fit::CannotTell, "cannot-tell", Some(status(answer))),
    }
}

fn no_version(likely: Option<&str>, detail: &Detail) -> Verdict {
    match &detail.revisions.recorded {
        _ if likely == Some("no_protocol_version") => (Fit::Fits, "fits", None),
        Some(revision) => (
            Fit::DoesNot,
            "does-not",
            Some(("revision", revision.as_str().into())),
        ),
        None => (Fit::CannotTell, "cannot-tell", None),
    }
}

fn session_headers(seen: &Seen, likely: Option<&str>) -> Verdict {
    let refused = seen.later.iter().copied().find(|answer| *answer >= 400);
    match refused {
        Some(answer) if likely == Some("session_headers") => {
            (Fit::Fits, "fits", Some(status(answer)))
        }
        None if seen.session && !seen.later.is_empty() => (Fit::DoesNot, "does-not", None),
        _ if !seen.session => (Fit::CannotTell, "cannot-tell", None),
        _ => (Fit::CannotTell, "cannot-tell-session", None),
    }
}

fn nothing_wrong(seen: &Seen, likely: Option<&str>) -> Verdict {
    let fallback = seen
        .discover
        .filter(|answer| (400..500).contains(answer) && *answer != 429);
    match fallback {
        _ if likely == Some("not_yours") => (Fit::Fits, "fits", None),
        Some(answer) if seen.initialize != Initialize::NotSent => {
            (Fit::DoesNot, "does-not", Some(status(answer)))
        }
        _ => (Fit::CannotTell, "cannot-tell", None),
    }
}

fn status(answer: u32) -> (&'static str, Param) {
    ("status", i64::from(answer).into())
}

impl Seen {
    fn of(observation: &Observation) -> Self {
        let mut seen = Self::default();
        for exchange in observation
            .exchanges
            .iter()
            .filter(|exchange| exchange.hop == 0)
        {
            seen.add(exchange);
        }
        seen
    }

    fn add(&mut self, exchange: &Exchange) {
        let response = exchange.response.as_ref();
        let answer = response.map(|response| response.status);
        match exchange.step() {
            Step::Discover => self.discover = answer,
            Step::Initialize => {
                self.initialize = answer.map_or(Initialize::Unanswered, Initialize::Answered);
                self.session = response.is_some_and(|r| {
                    r.headers
                        .iter()
                        .any(|header| header.name == "mcp-session-id")
                });
            }
            Step::Initialized | Step::ListTools => self.later.extend(answer),
            _ => {}
        }
        self.endpoint_event |= response
            .and_then(|response| response.body.as_ref())
            .is_some_and(|body| body.sse_notes().any(|note| note == SseNote::EventEndpoint));
    }

    /// The answer that decided the handshake.
    fn handshake(&self) -> Option<u32> {
        match self.initialize {
            Initialize::NotSent => self.discover,
            Initialize::Unanswered => None,
            Initialize::Answered(status) => Some(status),
        }
    }
}

#[cfg(test)]
mod tests {
    use touchstone_proto::observation::{Header, Response};

    use super::*;

    fn exchange(step: Step, answer: u32, headers: &[&str]) -> Exchange {
        let headers = headers
            .iter()
            .map(|name| Header {
                name: (*name).to_owned(),
                value: String::new(),
                redacted: true,
            })
            .collect();
        Exchange {
            step: step.into(),
            response: (answer > 0).then(|| Response {
                status: answer,
                headers,
                ..Response::default()
            }),
            ..Exchange::default()
        }
    }

    fn fits(exchanges: Vec<Exchange>, likely: Option<&str>) -> [Fit; 5] {
        let seen = Seen::of(&Observation {
            exchanges,
            ..Observation::default()
        });
        let detail = Detail::default();
        [
            sign_in(&seen, likely).0,
            only_sse(&seen, likely).0,
            no_version(likely, &detail).0,
            session_headers(&seen, likely).0,
            nothing_wrong(&seen, likely).0,
        ]
    }

    #[test]
    fn what_came_back_speaks_for_and_against_each_cause() {
        use Fit::{CannotTell as U, DoesNot as N, Fits as Y};
        let old = |answer| {
            vec![
                exchange(Step::Discover, 405, &[]),
                exchange(Step::Initialize, answer, &[]),
            ]
        };
        assert_eq!(fits(old(405), Some("sse_only")), [N, Y, U, U, N]);
        assert_eq!(
            fits(old(401), Some("auth_before_handshake")),
            [Y, U, U, U, N]
        );
        assert_eq!(fits(old(200), Some("no_protocol_version")), [N, N, Y, U, N]);
        assert_eq!(fits(old(0), None), [U, U, U, U, N]);
        let mut session = vec![exchange(Step::Discover, 400, &[])];
        session.push(exchange(Step::Initialize, 200, &["mcp-session-id"]));
        session.push(exchange(Step::ListTools, 404, &[]));
        assert_eq!(fits(session, Some("session_headers")), [N, N, U, Y, N]);
        assert_eq!(
            fits(vec![exchange(Step::Discover, 0, &[])], Some("not_yours")),
            [U, U, U, U, Y]
        );
    }
}
