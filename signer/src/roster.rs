//! The roster: which agents' keys count, where each stands, since when and
//! until when; and the one-time tokens by which a new agent joins it.
//!
//! Tokens are kept as digests only. A token that was used and the agent that
//! it let in are written together, so that no crash lets a token in twice or
//! loses an agent. Readers never wait for the disk.

mod state;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use data_encoding::BASE64URL_NOPAD;
use ed25519_dalek::{Signature, VerifyingKey};
use sha2::{Digest as _, Sha256};
use touchstone_evidence::keyset::PublicKey;
use touchstone_evidence::text::{HexDigest, Region};
use touchstone_evidence::timestamp::Timestamp;
use touchstone_proto::identity::{ENROL_TYPE, pae};
use zeroize::Zeroizing;

use crate::disk::{DiskError, PrivateFolder};
pub(crate) use state::Agent;
use state::{State, Token};

/// The roster and its tokens.
pub(crate) const ROSTER_FILE: &str = "roster.json";
/// Largest roster that is read, in bytes.
const ROSTER_LIMIT_BYTES: u64 = 16 * 1024 * 1024;
/// Most agents on the roster, revoked ones included.
pub const AGENTS_LIMIT: usize = 10_000;
/// Most tokens that are out at one time.
pub const TOKENS_LIMIT: usize = 1_000;
/// Longest life of a token, in seconds: seven days.
pub const TOKEN_LASTS_LIMIT_S: u32 = 7 * 24 * 60 * 60;
/// Random bytes of a token.
const TOKEN_BYTES: usize = 32;

#[derive(Debug, thiserror::Error)]
pub enum RosterError {
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error("{0} is damaged: restore it from a backup")]
    Damaged(String, #[source] serde_json::Error),
    #[error(
        "{0} is of format {1}, which this version does not know: start the version that wrote it"
    )]
    Format(String, u32),
    #[error("minting a token: the operating system gave no random bytes")]
    Random(#[source] getrandom::Error),
    #[error("minting a token: it can last from 1 to {TOKEN_LASTS_LIMIT_S} seconds")]
    Lasts,
    #[error("minting a token: {TOKENS_LIMIT} are out already; wait until some expire")]
    TooManyTokens,
    #[error("enrolling an agent: the key is not a usable Ed25519 key")]
    NotAKey,
    #[error("enrolling an agent: the signature is not that of the key over the token")]
    Signature,
    #[error(
        "enrolling an agent: the token is unknown, used or expired; ask the operator for a new one"
    )]
    Token,
    #[error("enrolling an agent: the key is on the roster already; a new agent makes a new key")]
    Enrolled,
    #[error("enrolling an agent: the roster holds {AGENTS_LIMIT} agents, which is its limit")]
    TooManyAgents,
    #[error("revoking an agent: no agent of this key is on the roster")]
    UnknownAgent,
}

#[derive(Debug)]
pub(crate) struct Roster {
    folder: Arc<PrivateFolder>,
    current: RwLock<Arc<State>>,
    /// Held from reading to writing, so that no change is lost.
    writing: Mutex<()>,
}

impl Roster {
    /// Reads the roster; there is none before the first agent.
    pub(crate) fn open(folder: Arc<PrivateFolder>) -> Result<Self, RosterError> {
        let path = || folder.path_of(ROSTER_FILE).display().to_string();
        let state = match folder.read(ROSTER_FILE, ROSTER_LIMIT_BYTES)? {
            Some(file) => {
                State::read(&file.bytes).map_err(|error| RosterError::Damaged(path(), error))?
            }
            None => State::default(),
        };
        if state.format != state::FORMAT {
            return Err(RosterError::Format(path(), state.format));
        }
        Ok(Self {
            folder,
            current: RwLock::new(Arc::new(state)),
            writing: Mutex::new(()),
        })
    }

    /// The roster as it is now.
    pub(crate) fn state(&self) -> Arc<State> {
        // A state is put in whole; a panic elsewhere does not spoil it.
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&current)
    }

    pub(crate) fn find(&self, key_id: &str) -> Option<Agent> {
        let state = self.state();
        state
            .agents
            .iter()
            .find(|agent| agent.key_id().as_str() == key_id)
            .cloned()
    }

    /// A new token that lets one agent into a region. Blocks on the disk.
    pub(crate) fn mint(
        &self,
        region: Region,
        lasts_s: u32,
        now: Timestamp,
    ) -> Result<Zeroizing<String>, RosterError> {
        if lasts_s == 0 || lasts_s > TOKEN_LASTS_LIMIT_S {
            return Err(RosterError::Lasts);
        }
        let expires_at = Timestamp::from_ms(now.as_ms() + i64::from(lasts_s) * 1000)
            .map_err(|_| RosterError::Lasts)?;
        let mut random = Zeroizing::new([0; TOKEN_BYTES]);
        getrandom::fill(&mut *random).map_err(RosterError::Random)?;
        let token = Zeroizing::new(BASE64URL_NOPAD.encode(&*random));
        let (_writing, mut state) = self.begin(now);
        if state.tokens.len() >= TOKENS_LIMIT {
            return Err(RosterError::TooManyTokens);
        }
        state.tokens.push(Token {
            sha256: digest(&token),
            region,
            expires_at,
            used_by: None,
        });
        self.commit(state)?;
        Ok(token)
    }

    /// Lets an agent in that holds a token and the key it names. The same agent
    /// with the same token again gets the same answer, for the first one may
    /// have been lost on the way. Blocks on the disk.
    pub(crate) fn enrol(
        &self,
        token: &str,
        public_key: &[u8],
        signature: &[u8],
        now: Timestamp,
    ) -> Result<Agent, RosterError> {
        let key = read_key(public_key)?;
        let message = pae(ENROL_TYPE, token.as_bytes());
        Signature::from_slice(signature)
            .and_then(|signature| key.verify_strict(&message, &signature))
            .map_err(|_| RosterError::Signature)?;
        let public_key = PublicKey::from(key);
        let key_id = public_key.key_id();
        let sha256 = digest(token);
        let (_writing, mut state) = self.begin(now);
        let known = state.agents.iter().find(|agent| *agent.key_id() == key_id);
        let token = state.tokens.iter().position(|token| token.sha256 == sha256);
        // Tokens past their time were left out by `begin`.
        let token = token.ok_or(RosterError::Token)?;
        match (&state.tokens[token].used_by, known) {
            (Some(user), Some(agent)) if *user == key_id => return Ok(agent.clone()),
            (Some(_), _) => return Err(RosterError::Token),
            (None, Some(_)) => return Err(RosterError::Enrolled),
            (None, None) if state.agents.len() >= AGENTS_LIMIT => {
                return Err(RosterError::TooManyAgents);
            }
            (None, None) => {}
        }
        let agent = Agent::new(public_key, state.tokens[token].region.clone(), now);
        state.tokens[token].used_by = Some(key_id);
        state.agents.push(agent.clone());
        self.commit(state)?;
        Ok(agent)
    }

    /// Ends an agent's time on the roster, for ever. Blocks on the disk.
    pub(crate) fn revoke(&self, key_id: &str, now: Timestamp) -> Result<Agent, RosterError> {
        let (_writing, mut state) = self.begin(now);
        let agent = state
            .agents
            .iter_mut()
            .find(|agent| agent.key_id().as_str() == key_id)
            .ok_or(RosterError::UnknownAgent)?;
        agent.revoked_at.get_or_insert(now);
        let agent = agent.clone();
        self.commit(state)?;
        Ok(agent)
    }

    /// A copy to change, without the tokens that have expired.
    fn begin(&self, now: Timestamp) -> (MutexGuard<'_, ()>, State) {
        let writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = State::clone(&self.state());
        state.tokens.retain(|token| now < token.expires_at);
        (writing, state)
    }

    /// First the disk, then the readers.
    fn commit(&self, mut state: State) -> Result<(), RosterError> {
        state.version += 1;
        self.folder.replace(ROSTER_FILE, &state.to_json())?;
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(state);
        Ok(())
    }
}

fn read_key(raw: &[u8]) -> Result<VerifyingKey, RosterError> {
    let raw: &[u8; 32] = raw.try_into().map_err(|_| RosterError::NotAKey)?;
    let key = VerifyingKey::from_bytes(raw).map_err(|_| RosterError::NotAKey)?;
    if key.is_weak() {
        Err(RosterError::NotAKey)
    } else {
        Ok(key)
    }
}

/// A token has 256 random bits, so its plain digest tells nothing of it.
fn digest(token: &str) -> HexDigest {
    <[u8; 32]>::from(Sha256::digest(token)).into()
}

#[cfg(test)]
mod tests;
