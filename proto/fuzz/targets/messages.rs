//! Any bytes, as what an agent sends and as an observation: what is read is
//! written and read again as the same, and an observation that opens is whole.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prost::Message;
use sha2::{Digest as _, Sha256};
use touchstone_proto::Recorded;
use touchstone_proto::fleet::{WorkRequest, WorkResponse, work_request};
use touchstone_proto::observation::{Observation, SignedObservation};

fuzz_target!(|bytes: &[u8]| {
    same::<WorkResponse>(bytes);
    same::<Observation>(bytes);
    if let Some(WorkRequest {
        message: Some(work_request::Message::Report(report)),
    }) = same(bytes)
    {
        report.signed.as_ref().map(open);
    }
    if let Some(signed) = same(bytes) {
        open(&signed);
    }
    // The bytes as the observation itself, with the bodies it names made to fit.
    if let Ok(mut observation) = Observation::decode(bytes) {
        let mut bodies = Vec::new();
        for exchange in &mut observation.exchanges {
            let request = exchange.request_body.clone();
            let response = exchange.response.as_mut();
            if let Some(body) = response.and_then(|response| response.body.as_mut()) {
                body.kept_size = request.len() as u64;
                body.kept_sha256 = Sha256::digest(&request).to_vec();
                bodies.push(request.into());
            }
        }
        open(&SignedObservation {
            observation: observation.encode_to_vec(),
            bodies,
            ..SignedObservation::default()
        });
    }
});

fn same<M: Message + Default + PartialEq>(bytes: &[u8]) -> Option<M> {
    let message = M::decode(bytes).ok()?;
    let again = M::decode(&message.encode_to_vec()[..]);
    // Unequal to itself only where a float is not a number, of which there are none.
    assert!(again.as_ref() == Ok(&message));
    Some(message)
}

fn open(signed: &SignedObservation) {
    let Ok(recorded) = Recorded::open(signed) else {
        return;
    };
    recorded.run();
    for exchange in &recorded.observation().exchanges {
        if let Some(response) = &exchange.response {
            let kept = response.body.as_ref().map_or(0, |body| body.kept_size);
            assert_eq!(recorded.body(response).len() as u64, kept);
        }
    }
}
