//! Which agents count, as the signer said last, and the key document that goes
//! with them. Kept in memory and in the store, so that agents can work while the
//! signer is away; refreshed from time to time, so that a revoked one does not
//! for long.
//!
//! An agent counts only once the key document that holds its key is kept: what
//! it observes can be verified from the first page on that shows it.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock},
};

use tokio::sync::{Mutex, watch};

use crate::{
    clock::SharedClock,
    signer::{Signer, SignerError},
    store::{AGENTS_LIMIT, Agent, Store, StoreError},
};

/// See the module.
#[derive(Debug)]
pub struct Roster {
    agents: RwLock<HashMap<String, Agent>>,
    changed: watch::Sender<()>,
    refreshing: Mutex<()>,
    signer: Signer,
    store: Store,
    clock: SharedClock,
}

/// The roster could not be brought up to date; the one before stays in force.
#[derive(Debug, thiserror::Error)]
pub enum RosterError {
    #[error("refreshing the roster: the signer did not give it")]
    Signer(#[source] SignerError),
    #[error("refreshing the roster: it could not be kept")]
    Store(#[source] StoreError),
    #[error("refreshing the roster: it holds {0} agents, and at most {AGENTS_LIMIT} are taken")]
    TooLarge(usize),
}

impl Roster {
    /// As last kept in the store.
    pub async fn load(
        store: Store,
        signer: Signer,
        clock: SharedClock,
    ) -> Result<Self, StoreError> {
        let agents = by_id(store.agents().await?);
        Ok(Self {
            agents: RwLock::new(agents),
            changed: watch::channel(()).0,
            refreshing: Mutex::new(()),
            signer,
            store,
            clock,
        })
    }

    /// The agent of this key, unless it is unknown or revoked.
    pub fn agent(&self, agent_key_id: &str) -> Option<Agent> {
        let agents = self.agents.read().unwrap_or_else(PoisonError::into_inner);
        let agent = agents.get(agent_key_id)?;
        (agent.revoked_at_ms == 0).then(|| agent.clone())
    }

    /// Wakes after every change.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// The agent of this key; an unknown one is looked for at the signer first, since it may
    /// have just enrolled.
    pub async fn find(&self, agent_key_id: &str) -> Result<Option<Agent>, RosterError> {
        if let Some(agent) = self.agent(agent_key_id) {
            return Ok(Some(agent));
        }
        self.refresh().await?;
        Ok(self.agent(agent_key_id))
    }

    /// Fetches roster and key document, in this order and one fetch at a time:
    /// an agent that enrols meanwhile is in the document if it is in the
    /// roster, and no older document takes the place of a newer one. The roster
    /// is in force even if it could not be kept.
    pub async fn refresh(&self) -> Result<(), RosterError> {
        let _alone = self.refreshing.lock().await;
        let fetched = self.signer.roster().await.map_err(RosterError::Signer)?;
        if fetched.len() > AGENTS_LIMIT {
            return Err(RosterError::TooLarge(fetched.len()));
        }
        let document = self.signer.keys().await.map_err(RosterError::Signer)?;
        let kept = self.store.keep_key_document(document, self.clock.now_ms());
        kept.await.map_err(RosterError::Store)?;
        let agents: Vec<Agent> = fetched.into_iter().filter_map(read).collect();
        let new = by_id(agents.clone());
        let changed = {
            let mut held = self.agents.write().unwrap_or_else(PoisonError::into_inner);
            let changed = *held != new;
            *held = new;
            changed
        };
        if changed {
            self.changed.send_replace(());
            let kept = self.store.keep_agents(agents).await;
            kept.map_err(RosterError::Store)?;
        }
        Ok(())
    }
}

/// An entry that is no Ed25519 key, or not under its own id, is no agent.
fn read(agent: touchstone_proto::signer::Agent) -> Option<Agent> {
    let public_key: [u8; 32] = agent.public_key.try_into().ok()?;
    if touchstone_proto::identity::key_id(&public_key) != agent.agent_key_id {
        tracing::warn!(agent.key_id = agent.agent_key_id, "not the id of its key");
        return None;
    }
    Some(Agent {
        agent_key_id: agent.agent_key_id,
        public_key,
        region: agent.region,
        enrolled_at_ms: agent.enrolled_at_ms,
        revoked_at_ms: agent.revoked_at_ms,
    })
}

fn by_id(agents: Vec<Agent>) -> HashMap<String, Agent> {
    let id = |agent: Agent| (agent.agent_key_id.clone(), agent);
    agents.into_iter().map(id).collect()
}
