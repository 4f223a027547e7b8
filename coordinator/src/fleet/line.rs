//! Missed slots on their way from the dispatcher into the store, in order and
//! bounded. A result must not overtake them: the newest slot that is stored is
//! where the next start goes on, so that a miss before it that was still on its
//! way when the coordinator died would never be recorded.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::{mpsc, watch};

use crate::schedule::Missed;

/// The beginning of the line. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Line {
    sender: mpsc::Sender<Missed>,
    sent: Arc<AtomicU64>,
    recorded: watch::Receiver<u64>,
}

/// Its end, at the store.
#[derive(Debug)]
pub struct LineEnd {
    receiver: mpsc::Receiver<Missed>,
    recorded: watch::Sender<u64>,
}

/// The other end is gone: the coordinator is ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("recording missed slots: nobody does so any more")]
pub struct Closed;

/// A line in which at most `limit` ranges wait.
pub fn line(limit: usize) -> (Line, LineEnd) {
    let (sender, receiver) = mpsc::channel(limit);
    let (count, recorded) = watch::channel(0);
    let line = Line {
        sender,
        sent: Arc::default(),
        recorded,
    };
    let end = LineEnd {
        receiver,
        recorded: count,
    };
    (line, end)
}

impl Line {
    /// Waits for room.
    pub async fn send(&self, missed: Missed) -> Result<(), Closed> {
        // Before it waits, so that nothing overtakes what waits.
        self.sent.fetch_add(1, Ordering::SeqCst);
        self.sender.send(missed).await.map_err(|_| Closed)
    }

    /// Comes back when all that was sent before is recorded.
    pub async fn recorded(&self) -> Result<(), Closed> {
        let sent = self.sent.load(Ordering::SeqCst);
        let mut recorded = self.recorded.clone();
        let reached = recorded.wait_for(|recorded| *recorded >= sent).await;
        reached.map(drop).map_err(|_| Closed)
    }
}

impl LineEnd {
    /// Waits for some and takes at most `limit`; none when the other end is gone.
    pub async fn take(&mut self, limit: usize) -> Vec<Missed> {
        let mut taken = Vec::new();
        self.receiver.recv_many(&mut taken, limit).await;
        taken
    }

    /// So many of those taken are recorded.
    pub fn record(&self, count: usize) {
        self.recorded
            .send_modify(|recorded| *recorded += count as u64);
    }
}
