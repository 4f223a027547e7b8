//! Whatever an agent sends, an evaluation is whole, sound and always the same.

use proptest::prelude::*;
use touchstone_proto::observation::{
    Body, BodyEnd, Exchange, Failure, FailureKind, Framing, Header, Response, Step, Stop, Tls,
};
use touchstone_proto::vocabulary::{Execution, State};
use touchstone_suites::registry::CHECKS;
use touchstone_suites::{Evaluation, Param, Signing, evaluate};

use crate::observe::{BODIES, ENDPOINT, HEADERS, Observe, STARTED_MS, TOOLS, modern, open, result};

/// Every assertion in registry order, each with a reason that may stand there.
fn sound(evaluation: &Evaluation) {
    assert_eq!(evaluation.assertions.len(), CHECKS.len());
    for (assertion, spec) in evaluation.assertions.iter().zip(&CHECKS) {
        assert_eq!(assertion.check, spec.id);
        let reason = assertion.reason.key().spec();
        assert!(reason.states.contains(&assertion.state), "{assertion:?}");
        let params: Vec<_> = assertion
            .reason
            .params()
            .iter()
            .map(|param| param.0)
            .collect();
        assert_eq!(params, reason.params, "{assertion:?}");
        for (name, value) in assertion.reason.params() {
            let fits = match value {
                Param::Number(number) => number.unsigned_abs() < 1 << 53,
                Param::Word(word) => {
                    (1..=64).contains(&word.len())
                        && word.bytes().all(|b| {
                            b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b)
                        })
                }
            };
            assert!(fits, "{name} of {assertion:?}");
        }
        let settled = assertion.state != State::Unverified;
        assert!(
            !settled || assertion.execution == Execution::Completed,
            "{assertion:?}"
        );
        if matches!(assertion.state, State::Failed | State::ObservedRisk) {
            assert_eq!(spec.worst_state, Some(assertion.state), "{assertion:?}");
        }
    }
    let limited = evaluation.signing == Signing::Limited;
    assert_eq!(evaluation.challenge.is_some(), limited);
    if evaluation.signing == Signing::Full {
        assert!(evaluation.tools.is_some());
    }
}

fn steps() -> impl Strategy<Value = i32> {
    0..=8_i32
}

fn response() -> impl Strategy<Value = (Response, Vec<u8>)> {
    let status = prop_oneof![
        Just(200_u32),
        Just(202),
        Just(400),
        Just(401),
        Just(403),
        Just(404),
        Just(429),
        Just(503),
        Just(307),
        any::<u32>(),
    ];
    let body = prop_oneof![
        8 => prop::sample::select(BODIES.to_vec()).prop_map(|body| body.as_bytes().to_vec()),
        2 => prop::collection::vec(any::<u8>(), 0..200),
        1 => "\\PC{0,80}".prop_map(String::into_bytes),
    ];
    let headers = prop::collection::vec(prop::sample::select(HEADERS.to_vec()), 0..4);
    (
        status,
        body,
        headers,
        0..=6_i32,
        0..=4_i32,
        prop::collection::vec(0..=8_i32, 0..3),
    )
        .prop_map(|(status, body, headers, end, framing, sse_notes)| {
            let headers = headers
                .into_iter()
                .map(|(name, value)| Header {
                    name: name.to_owned(),
                    value: value.to_owned(),
                    redacted: false,
                })
                .collect();
            let kept = Observe::digest(&body);
            let response = Response {
                status,
                http_version: "2".to_owned(),
                headers,
                body: Some(Body {
                    kept_sha256: kept.clone(),
                    kept_size: body.len() as u64,
                    read_sha256: kept,
                    end,
                    framing,
                    sse_notes,
                    ..Body::default()
                }),
            };
            (response, body)
        })
}

fn exchange() -> impl Strategy<Value = (Exchange, Vec<u8>)> {
    let url = prop_oneof![
        4 => Just(ENDPOINT.to_owned()),
        1 => Just("https://as.example/.well-known/oauth-authorization-server".to_owned()),
        1 => "\\PC{0,20}",
    ];
    let request = prop_oneof![
        3 => Just(r#"{"jsonrpc":"2.0","id":1,"params":{"name":"__touchstone_probe_no_such_tool__"}}"#),
        1 => Just(r#"{"id":"x"}"#),
        1 => Just("{"),
    ];
    let tls = prop::option::of((0..=8_i32, any::<i64>(), any::<i64>()));
    (
        (steps(), 0..4_u32, 0..3_u32, url, request),
        prop::option::weighted(0.9, response()),
        prop::option::weighted(0.15, 0..=18_i32),
        (tls, any::<u64>()),
    )
        .prop_map(
            |((step, page, hop, url, request), response, failure, (tls, us))| {
                let (response, body) = response.map_or((None, Vec::new()), |(r, b)| (Some(r), b));
                let exchange = Exchange {
                    step,
                    page,
                    hop,
                    url,
                    request_body: request.as_bytes().to_vec(),
                    headers_us: us,
                    response,
                    failure: failure.map(|kind| Failure {
                        kind,
                        rule: "private".to_owned(),
                    }),
                    tls: tls.map(|(verdict, not_before_s, not_after_s)| Tls {
                        verdict,
                        not_before_s,
                        not_after_s,
                        ..Tls::default()
                    }),
                    ..Exchange::default()
                };
                (exchange, body)
            },
        )
}

/// Exchanges in any order at all, or in the order of a conversation.
fn observation() -> impl Strategy<Value = Observe> {
    let stop = prop::option::of((0..=5_i32, 0..12_u32, any::<u32>()));
    let exchanges = prop::collection::vec(exchange(), 0..10);
    (exchanges, stop, any::<bool>(), any::<i64>(), "\\PC{0,12}").prop_map(
        |(mut exchanges, stop, in_order, started, offered)| {
            if in_order {
                exchanges.sort_by_key(|(exchange, _)| exchange.step);
            }
            let mut observe = Observe::new();
            for (exchange, body) in exchanges {
                observe.observation.exchanges.push(exchange);
                if !body.is_empty() {
                    observe.bodies.push(body);
                }
            }
            observe.observation.stop = stop.map(|(kind, exchange, retry_after_s)| Stop {
                kind,
                exchange,
                retry_after_s,
            });
            let run = observe.observation.run.as_mut().unwrap();
            run.offered_revision = offered;
            if started % 3 == 0 {
                run.started_at_ms = started;
            }
            observe
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_observation_gives_a_sound_evaluation(run in observation(), approved in prop::option::of(observation())) {
        let (run, approved) = (run.record(), approved.map(|approved| approved.record()));
        let evaluation = evaluate(&run, approved.as_ref());
        sound(&evaluation);
        prop_assert_eq!(evaluation, evaluate(&run, approved.as_ref()));
    }

    /// What stands in a list never breaks the evaluation of the rest.
    #[test]
    fn any_tool_gives_a_sound_evaluation(tool in "\\PC{0,60}", name in any::<Vec<u16>>()) {
        let name = name.iter().fold(String::new(), |text, unit| text + &format!("\\u{unit:04x}"));
        let tools = format!(r#"{{"tools":[{{"name":"{name}","description":"{name}","inputSchema":{{"{name}":1}}}}]}}"#);
        sound(&modern().list(result(&tools)).evaluate());
        sound(&modern().list(result(&format!(r#"{{"tools":[{tool}]}}"#))).evaluate());
    }
}

#[test]
fn a_thousand_evaluations_are_one() {
    let record = open().record();
    let approved = modern().list(result(&TOOLS.replace("sub", "mul"))).record();
    let first = evaluate(&record, Some(&approved));
    sound(&first);
    for _ in 0..1_000 {
        assert_eq!(evaluate(&record, Some(&approved)), first);
    }
}

#[test]
fn an_observation_of_nothing_is_evaluated() {
    let evaluation = Observe::new().evaluate();
    sound(&evaluation);
    assert!(
        evaluation
            .assertions
            .iter()
            .all(|assertion| assertion.state == State::Unverified)
    );
    // Every enum of the record has a value that this build does not know.
    let mut unknown = open();
    for exchange in &mut unknown.observation.exchanges {
        exchange.failure = Some(Failure {
            kind: 99,
            rule: String::new(),
        });
        if let Some(body) = exchange.response.as_mut().and_then(|r| r.body.as_mut()) {
            body.end = 99;
            body.framing = 99;
        }
    }
    assert_eq!(FailureKind::try_from(99).ok(), None);
    assert_eq!(
        (BodyEnd::try_from(99).ok(), Framing::try_from(99).ok()),
        (None, None)
    );
    assert_eq!(Step::try_from(0).ok(), Some(Step::Unspecified));
    assert_eq!(
        unknown.observation.run.as_ref().unwrap().started_at_ms,
        STARTED_MS
    );
    sound(&unknown.evaluate());
}
