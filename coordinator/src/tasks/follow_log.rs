//! Fetches the signer's log, so that we can serve it. Nothing is believed:
//! each part is proved against its checkpoint, and against all parts before,
//! before it is stored or shown.

use std::{sync::Arc, time::Duration};
use touchstone_telemetry::Chain;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use touchstone_evidence::log::{
    checkpoint::{CheckpointError, SignedCheckpoint},
    hash::{Hash, NotAHash},
    proof::{Disproved, PROOF_LIMIT, check_consistency},
    tile::Edge,
};
use touchstone_proto::signer::LogResponse;

use crate::{
    backoff::pause,
    clock::SharedClock,
    random::SharedRandom,
    signer::{Signer, SignerError},
    store::{LogPart, Store, StoreError},
};

/// Between two looks when nothing wakes us.
const LOOK_EVERY: Duration = Duration::from_mins(1);
/// First and longest pause after a failure.
const FAILED_FIRST: Duration = Duration::from_millis(250);
const FAILED_LIMIT: Duration = Duration::from_secs(30);

/// See the module.
#[derive(Clone, Debug)]
pub struct FollowLog {
    pub store: Store,
    pub signer: Signer,
    pub clock: SharedClock,
    pub random: SharedRandom,
    /// Notified after a run was signed, and so logged.
    pub logged: Arc<Notify>,
}

/// Why the log that is served did not grow.
#[derive(Debug, thiserror::Error)]
enum NotFollowed {
    #[error(transparent)]
    Signer(#[from] SignerError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("following the log: its checkpoint cannot be read")]
    Checkpoint(#[from] CheckpointError),
    #[error("following the log: it does not go on from what was fetched before")]
    Disproved(#[from] Disproved),
    #[error("following the log: its proof cannot be read")]
    Hash(#[from] NotAHash),
}

impl FollowLog {
    /// Works until `end` is cancelled.
    pub async fn run(self, end: CancellationToken) {
        let mut failures = 0;
        while !end.is_cancelled() {
            let wait = match self.once().await {
                Ok(true) => {
                    failures = 0;
                    continue;
                }
                Ok(false) => {
                    failures = 0;
                    LOOK_EVERY
                }
                Err(error) => {
                    tell(&error);
                    failures += 1;
                    pause(FAILED_FIRST, FAILED_LIMIT, failures - 1, &*self.random)
                }
            };
            tokio::select! {
                () = end.cancelled() => return,
                () = self.logged.notified(), if failures == 0 => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Fetches one part. `true`: there may be more.
    async fn once(&self) -> Result<bool, NotFollowed> {
        let edge = self.store.log_edge().await?;
        let answer = self.signer.log(edge.size()).await?;
        let part = proved(edge, answer)?;
        let shown = self.store.log_checkpoint().await?;
        if part.entries.is_empty() && part.checkpoint == shown {
            return Ok(false);
        }
        let more = part.checkpoint.is_none();
        self.store.keep_log_part(part, self.clock.now_ms()).await?;
        Ok(more)
    }
}

fn proved(mut edge: Edge, answer: LogResponse) -> Result<LogPart, NotFollowed> {
    let before = (edge.size(), edge.root());
    let signed = SignedCheckpoint::read(&answer.checkpoint)?;
    let checkpoint = signed.checkpoint();
    let mut whole = Vec::new();
    for entry in &answer.entries {
        whole.extend(edge.push(Hash::of_leaf(entry)));
    }
    // What was fetched before is the beginning of this tree, since it grew from
    // it; that the tree is the beginning of the checkpoint's is proved here.
    let proof = answer.consistency.iter().take(PROOF_LIMIT + 1);
    let proof: Vec<Hash> = proof
        .map(|hash| Hash::try_from(&hash[..]))
        .collect::<Result<_, _>>()?;
    let after = (edge.size(), edge.root());
    check_consistency(&proof, after, (checkpoint.size, checkpoint.root))?;
    // An answer without entries before the end would be asked for without end.
    if after == before && after.0 != checkpoint.size {
        return Err(Disproved::Length.into());
    }
    let is_whole = after.0 == checkpoint.size;
    Ok(LogPart {
        entries: answer.entries,
        whole,
        edge,
        checkpoint: is_whole.then_some(answer.checkpoint),
    })
}

/// A signer that is away is told elsewhere.
fn tell(error: &NotFollowed) {
    if let NotFollowed::Signer(SignerError::Away(_) | SignerError::Late(_)) = error {
        tracing::debug!(error = %Chain(error), "the log is not followed");
    } else {
        tracing::error!(error = %Chain(error), "the log is not followed");
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use touchstone_evidence::log::{
        checkpoint::{Checkpoint, Origin},
        proof::consistency,
        tree::{Frontier, position},
    };

    use super::*;

    /// What a signer with a log of `size` entries answers.
    fn answer(from: u64, to: u64, size: u64) -> LogResponse {
        let entry = |index: u64| index.to_be_bytes().to_vec();
        let mut tree = Frontier::empty();
        let nodes: Vec<Hash> = (0..size)
            .flat_map(|index| tree.push(Hash::of_leaf(&entry(index))))
            .collect();
        let Ok::<_, Infallible>(proof) = consistency(to, size, |place| {
            Ok(nodes[usize::try_from(position(place)).unwrap()])
        });
        let checkpoint = Checkpoint {
            origin: Origin::new("a").unwrap(),
            size,
            root: tree.root(),
        };
        let key = ed25519_dalek::SigningKey::from_bytes(&[1; 32]);
        let sign = |text: &[u8]| Ok(ed25519_dalek::Signer::sign(&key, text));
        let Ok::<_, Infallible>(signed) = checkpoint.signed(&key.verifying_key(), sign);
        LogResponse {
            checkpoint: signed.to_string().into_bytes(),
            entries: (from..to).map(entry).collect(),
            consistency: proof.iter().map(|hash| hash.0.to_vec()).collect(),
        }
    }

    #[test]
    fn parts_are_taken_only_where_they_go_on_from_each_other() {
        let first = proved(Edge::empty(), answer(0, 300, 700)).unwrap();
        assert_eq!((first.edge.size(), first.whole.len()), (300, 1));
        assert_eq!(first.checkpoint, None);
        let last = proved(first.edge.clone(), answer(300, 700, 700)).unwrap();
        assert_eq!(last.checkpoint, Some(answer(0, 0, 700).checkpoint));
        assert!(
            proved(last.edge, answer(700, 700, 700))
                .unwrap()
                .checkpoint
                .is_some()
        );
        let mut other = answer(300, 700, 700);
        other.entries[5][0] ^= 1;
        let mut unproved = answer(0, 300, 700);
        unproved.consistency.pop();
        let edge = || first.edge.clone();
        for (edge, wrong) in [
            (edge(), other),
            (edge(), answer(301, 700, 700)),
            (edge(), answer(300, 300, 700)),
            (edge(), answer(0, 200, 200)),
            (Edge::empty(), unproved),
            (Edge::empty(), LogResponse::default()),
        ] {
            assert!(proved(edge, wrong).is_err());
        }
    }
}
