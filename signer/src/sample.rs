//! Small observations by hand, for the tests of this crate.

use ed25519_dalek::{Signer as _, SigningKey};
use prost::Message as _;
use sha2::{Digest as _, Sha256};
use touchstone_proto::identity::{OBSERVATION_TYPE, key_id, pae};
use touchstone_proto::observation::{
    Body, BodyEnd, EndpointSource, Exchange, Framing, Header, Observation, Response, Run,
    SignedObservation, Step,
};

/// 2026-12-04T11:20:00Z.
pub(crate) const STARTED_AT_MS: i64 = 1_796_383_200_000;
pub(crate) const REGION: &str = "eu-west";
const ENDPOINT: &str = "https://mcp.example/mcp";
const DISCOVER: &str = r#"{"jsonrpc":"2.0","id":"1","method":"server/discover"}"#;

pub(crate) fn agent(seed: u8) -> SigningKey {
    SigningKey::from_bytes(&[seed; 32])
}

/// An observation under construction: change it, then sign it.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) observation: Observation,
    bodies: Vec<Vec<u8>>,
}

impl Sample {
    fn new(seed: u8) -> Self {
        let run = Run {
            run_id: "run-1".to_owned(),
            target_id: "target-1".to_owned(),
            suite: "mcp".to_owned(),
            slot: 41,
            region: REGION.to_owned(),
            agent_key_id: key_id(agent(seed).verifying_key().as_bytes()),
            endpoint_url: ENDPOINT.to_owned(),
            endpoint_source: EndpointSource::Operator.into(),
            started_at_ms: STARTED_AT_MS,
            finished_at_ms: STARTED_AT_MS + 3_250,
            offered_revision: "2025-11-25".to_owned(),
        };
        Self {
            observation: Observation {
                format: 1,
                run: Some(run),
                agent_version: "0.1.0".to_owned(),
                ..Observation::default()
            },
            bodies: Vec::new(),
        }
    }

    /// A legacy server with these tools, asked all that is asked.
    pub(crate) fn full(seed: u8, tools: &[&str]) -> Self {
        let mut sample = Self::new(seed);
        sample.exchange(Step::Discover, DISCOVER, 400, "");
        let tools: Vec<String> = tools
            .iter()
            .map(|name| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#))
            .collect();
        sample.exchange(
            Step::Initialize,
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
            200,
            r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sample","version":"1"}}}"#,
        );
        sample.exchange(
            Step::Initialized,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            202,
            "",
        );
        sample.exchange(
            Step::ListTools,
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
            200,
            &format!(
                r#"{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{}]}}}}"#,
                tools.join(",")
            ),
        );
        sample.observation.exchanges[3].page = 1;
        sample.exchange(
            Step::CallUnknownTool,
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"__touchstone_probe_no_such_tool__","arguments":{}}}"#,
            200,
            r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown tool"}}"#,
        );
        sample
    }

    /// A server behind a sign-in wall.
    pub(crate) fn gated(seed: u8) -> Self {
        let mut sample = Self::new(seed);
        sample.exchange(Step::Discover, DISCOVER, 400, "");
        sample.exchange(
            Step::Initialize,
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
            401,
            "",
        );
        let response = sample.observation.exchanges[1].response.as_mut().unwrap();
        response.headers.push(Header {
            name: "www-authenticate".to_owned(),
            value: r#"Bearer realm="mcp", resource_metadata="https://mcp.example/.well-known/oauth-protected-resource""#.to_owned(),
            redacted: false,
        });
        sample
    }

    /// A server that fails.
    pub(crate) fn failing(seed: u8) -> Self {
        let mut sample = Self::new(seed);
        sample.exchange(Step::Discover, DISCOVER, 400, "");
        sample.exchange(
            Step::Initialize,
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
            500,
            "",
        );
        sample
    }

    pub(crate) fn run(&mut self) -> &mut Run {
        self.observation.run.as_mut().unwrap()
    }

    /// Encodes it and signs it as this agent.
    pub(crate) fn sign(&self, seed: u8) -> SignedObservation {
        let key = agent(seed);
        let observation = self.observation.encode_to_vec();
        let mut bodies = self.bodies.clone();
        bodies.sort();
        bodies.dedup();
        SignedObservation {
            signature: key.sign(&pae(OBSERVATION_TYPE, &observation)).to_vec(),
            agent_key_id: key_id(key.verifying_key().as_bytes()),
            bodies: bodies.into_iter().map(Into::into).collect(),
            observation,
        }
    }

    /// Puts another answer in an exchange's place.
    pub(crate) fn answer(&mut self, exchange: usize, status: u32, body: &[u8]) {
        let response = self.response(exchange);
        response.status = status;
        response.body = Some(read(body));
        let kept = |exchange: &Exchange| exchange.response.clone()?.body;
        let named: Vec<_> = self.observation.exchanges.iter().filter_map(kept).collect();
        self.bodies.push(body.to_vec());
        self.bodies.retain(|body| {
            let digest = Sha256::digest(body).to_vec();
            named.iter().any(|named| named.kept_sha256 == digest)
        });
    }

    /// Adds a header to an exchange's answer.
    pub(crate) fn header(&mut self, exchange: usize, name: &str, value: &str) {
        self.response(exchange).headers.push(Header {
            name: name.to_owned(),
            value: value.to_owned(),
            redacted: false,
        });
    }

    fn response(&mut self, exchange: usize) -> &mut Response {
        self.observation.exchanges[exchange]
            .response
            .as_mut()
            .unwrap()
    }

    fn exchange(&mut self, step: Step, request: &str, status: u32, body: &str) {
        let sent_at_ms =
            STARTED_AT_MS + 100 * i64::try_from(self.observation.exchanges.len()).unwrap();
        self.observation.exchanges.push(Exchange {
            step: step.into(),
            method: "POST".to_owned(),
            url: ENDPOINT.to_owned(),
            request_body: request.as_bytes().to_vec(),
            remote_address: "192.0.2.7:443".to_owned(),
            sent_at_ms,
            connect_us: 9_000,
            headers_us: 20_000,
            total_us: 21_000,
            response: Some(Response {
                status,
                http_version: "1.1".to_owned(),
                headers: vec![Header {
                    name: "content-type".to_owned(),
                    value: "application/json".to_owned(),
                    redacted: false,
                }],
                body: Some(read(body.as_bytes())),
            }),
            ..Exchange::default()
        });
        if !body.is_empty() {
            self.bodies.push(body.as_bytes().to_vec());
        }
    }
}

/// A body that was read to its end.
fn read(body: &[u8]) -> Body {
    let size = body.len() as u64;
    let (digest, framing) = if body.is_empty() {
        (Vec::new(), Framing::Empty)
    } else {
        (Sha256::digest(body).to_vec(), Framing::Json)
    };
    Body {
        kept_sha256: digest.clone(),
        kept_size: size,
        read_sha256: digest,
        read_size: size,
        wire_size: size,
        end: BodyEnd::Complete.into(),
        framing: framing.into(),
        sse_notes: Vec::new(),
    }
}
