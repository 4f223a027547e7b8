//! The way to the dispatcher: what others may tell it. It is the one task that
//! owns schedule, leases and credits; see [`Dispatcher`].

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use touchstone_proto::fleet::WorkResponse;

pub use super::dispatcher::Dispatcher;
use super::{lease::ConnectionId, line::Line, token::LeaseKey, view::FleetView};
use crate::{clock::SharedClock, queue::Queue, random::SharedRandom, store::KnownTarget};

/// Commands that may wait for the dispatcher.
const COMMANDS_LIMIT: usize = 1_024;

/// What a connected agent is reached by.
#[derive(Debug)]
pub struct Connected {
    pub connection: ConnectionId,
    pub agent_key_id: String,
    pub region: Arc<str>,
    pub sender: mpsc::Sender<Result<WorkResponse, tonic::Status>>,
    /// Ends the connection from our side.
    pub end: CancellationToken,
}

#[derive(Debug)]
pub(super) enum Command {
    Add(Vec<KnownTarget>, oneshot::Sender<()>),
    WaitUntil(Arc<str>, i64),
    Join(Connected),
    Credit(ConnectionId, u32),
    Drain(ConnectionId),
    Leave(ConnectionId),
    Settled {
        target_id: Arc<str>,
        slot: u64,
        run_id: String,
    },
    /// No more leases are given, by nobody.
    Stop,
}

/// The dispatcher is gone: the coordinator is ending.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("reaching the dispatcher: it has ended")]
pub struct Ended;

/// The way to the dispatcher. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Dispatch {
    commands: mpsc::Sender<Command>,
    connections: Arc<AtomicU64>,
}

/// What the dispatcher needs.
#[derive(Debug)]
pub struct Parts {
    pub queue: Box<dyn Queue>,
    pub clock: SharedClock,
    pub random: SharedRandom,
    pub lease_key: LeaseKey,
    pub missed: Line,
    pub view: watch::Sender<FleetView>,
}

impl Dispatch {
    /// The handle, and the task behind it.
    pub fn new(parts: Parts) -> (Self, Dispatcher) {
        let (commands, receiver) = mpsc::channel(COMMANDS_LIMIT);
        let dispatcher = Dispatcher::new(parts, receiver);
        let handle = Self {
            commands,
            connections: Arc::default(),
        };
        (handle, dispatcher)
    }

    /// A number for a new connection.
    pub fn next_connection(&self) -> ConnectionId {
        self.connections.fetch_add(1, Ordering::Relaxed)
    }

    /// Takes targets up; those that are scheduled already are left alone. Comes
    /// back when what they missed is in line to be recorded.
    pub async fn add(&self, targets: Vec<KnownTarget>) -> Result<(), Ended> {
        let (done, added) = oneshot::channel();
        self.send(Command::Add(targets, done)).await?;
        added.await.map_err(|_| Ended)
    }

    /// A host wants no request before this time.
    pub async fn wait_until(&self, host: Arc<str>, until_ms: i64) -> Result<(), Ended> {
        self.send(Command::WaitUntil(host, until_ms)).await
    }

    /// An agent is there. One that is there already under the same key is
    /// taken to be a dead connection and ended.
    pub async fn join(&self, connected: Connected) -> Result<(), Ended> {
        self.send(Command::Join(connected)).await
    }

    pub async fn credit(&self, connection: ConnectionId, permits: u32) -> Result<(), Ended> {
        self.send(Command::Credit(connection, permits)).await
    }

    pub async fn drain(&self, connection: ConnectionId) -> Result<(), Ended> {
        self.send(Command::Drain(connection)).await
    }

    /// An agent is gone.
    pub async fn leave(&self, connection: ConnectionId) -> Result<(), Ended> {
        self.send(Command::Leave(connection)).await
    }

    /// A slot has a stored result.
    pub async fn settled(
        &self,
        target_id: Arc<str>,
        slot: u64,
        run_id: String,
    ) -> Result<(), Ended> {
        let settled = Command::Settled {
            target_id,
            slot,
            run_id,
        };
        self.send(settled).await
    }

    /// Gives no more leases from now on.
    pub async fn stop(&self) -> Result<(), Ended> {
        self.send(Command::Stop).await
    }

    async fn send(&self, command: Command) -> Result<(), Ended> {
        self.commands.send(command).await.map_err(|_| Ended)
    }
}
