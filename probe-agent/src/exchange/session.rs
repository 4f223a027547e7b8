//! What runs share ([`Egress`]) and what one run keeps ([`Session`]): its
//! guard, its open connections, the bodies that its exchanges name.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use http::HeaderValue;
use sha2::{Digest as _, Sha256};
use touchstone_proto::Digest;
use touchstone_proto::observation::Lookup;

use super::clock::Clock;
use super::connection::Connection;
use super::dial::Tls;
use super::headers::USER_AGENT;
use super::room::{BODIES_LIMIT_BYTES, House, Room};
use super::trust::Trust;
use crate::guard::{Guard, Policy, Resolver};

/// How a process reaches targets; one for all of its runs.
#[derive(Debug)]
pub struct Egress {
    policy: Arc<Policy>,
    resolver: Arc<Resolver>,
    trust_store: String,
    pub(super) tls: Tls,
    pub(super) user_agent: HeaderValue,
    pub(super) house: House,
}

impl Egress {
    pub fn new(policy: Policy, resolver: Resolver, trust: &Trust) -> Self {
        Self {
            policy: Arc::new(policy),
            resolver: Arc::new(resolver),
            trust_store: trust.name(),
            tls: Tls::new(trust),
            user_agent: HeaderValue::from_static(USER_AGENT),
            house: House::of(BODIES_LIMIT_BYTES),
        }
    }

    /// The same under another `User-Agent`, for a fleet whose operator has a
    /// page of their own.
    #[must_use]
    pub fn with_user_agent(mut self, user_agent: HeaderValue) -> Self {
        self.user_agent = user_agent;
        self
    }

    /// The same with another limit than [`BODIES_LIMIT_BYTES`] on what all
    /// runs together hold of bodies.
    #[must_use]
    pub fn with_bodies_limit(mut self, bytes: usize) -> Self {
        self.house = House::of(bytes);
        self
    }

    /// As recorded in an observation.
    pub fn trust_store(&self) -> &str {
        &self.trust_store
    }
}

/// One run's way to the outside.
pub struct Session {
    pub(super) egress: Arc<Egress>,
    pub(super) guard: Guard,
    pub(super) clock: Clock,
    /// At most one an origin; a run's requests bound the origins.
    connections: BTreeMap<String, Connection>,
    bodies: BTreeMap<Digest, Bytes>,
    /// For `bodies`.
    room: Room,
}

/// What a run saw beside its exchanges.
#[derive(Debug)]
pub struct Seen {
    pub lookups: Vec<Lookup>,
    /// Every body that an exchange names by digest, once each.
    pub bodies: Vec<Bytes>,
}

impl Session {
    /// `started_at` is the wall clock of the run's start; the run's later times
    /// are carried on from there.
    pub fn new(egress: Arc<Egress>, started_at: SystemTime) -> Self {
        let room = egress.house.room();
        let guard = Guard::new(Arc::clone(&egress.policy), Arc::clone(&egress.resolver));
        Self {
            egress,
            guard,
            clock: Clock::starting_at(started_at),
            connections: BTreeMap::new(),
            bodies: BTreeMap::new(),
            room,
        }
    }

    /// The run's wall clock, in milliseconds since the epoch.
    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// Ends the run: closes its connections and hands over what it kept.
    pub fn finish(self) -> Seen {
        Seen {
            lookups: self.guard.into_lookups(),
            bodies: self.bodies.into_values().collect(),
        }
    }

    /// Keeps a body, in the room that it took, and names it; an empty one has
    /// an empty name.
    pub(super) fn keep(&mut self, body: &Bytes, mut room: Room) -> Vec<u8> {
        if body.is_empty() {
            return Vec::new();
        }
        let digest: Digest = Sha256::digest(body).into();
        if self.bodies.insert(digest, body.clone()).is_none() {
            room.shrink(body.len());
            self.room.join(room);
        }
        digest.to_vec()
    }

    pub(super) fn idle(&mut self, origin: &str) -> Option<Connection> {
        self.connections.remove(origin)
    }

    pub(super) fn put_back(&mut self, origin: String, connection: Connection) {
        self.connections.insert(origin, connection);
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("connections", &self.connections.keys())
            .field("bodies", &self.bodies.len())
            .finish_non_exhaustive()
    }
}
