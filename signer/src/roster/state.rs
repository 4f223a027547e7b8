//! What the roster's file holds.

use serde::{Deserialize, Serialize};
use touchstone_evidence::keyset::{KeyEntry, KeyState, PublicKey, Purpose};
use touchstone_evidence::text::{HexDigest, KeyId, Region};
use touchstone_evidence::timestamp::Timestamp;

/// The format that this build writes and reads.
pub(super) const FORMAT: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    pub(super) format: u32,
    /// One more with every change.
    pub(crate) version: u64,
    pub(crate) agents: Vec<Agent>,
    pub(super) tokens: Vec<Token>,
}

/// One agent, by its key.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Agent {
    pub(crate) public_key: PublicKey,
    pub(crate) region: Region,
    pub(crate) enrolled_at: Timestamp,
    /// From here on nothing of it is believed.
    pub(crate) revoked_at: Option<Timestamp>,
    /// The digest of the key, computed and never read.
    #[serde(skip)]
    key_id: std::sync::OnceLock<KeyId>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Token {
    /// Of the token's text.
    pub(super) sha256: HexDigest,
    pub(super) region: Region,
    pub(super) expires_at: Timestamp,
    /// The agent that it let in. Kept until the token expires, so that this
    /// agent can ask again.
    pub(super) used_by: Option<KeyId>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            format: FORMAT,
            version: 0,
            agents: Vec::new(),
            tokens: Vec::new(),
        }
    }
}

impl State {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    pub(super) fn to_json(&self) -> Vec<u8> {
        // Text, whole numbers and null serialize without fail.
        let mut json = serde_json::to_vec_pretty(self).expect("a roster serializes");
        json.push(b'\n');
        json
    }
}

impl Agent {
    pub(super) fn new(public_key: PublicKey, region: Region, enrolled_at: Timestamp) -> Self {
        Self {
            public_key,
            region,
            enrolled_at,
            revoked_at: None,
            key_id: std::sync::OnceLock::new(),
        }
    }

    pub(crate) fn key_id(&self) -> &KeyId {
        self.key_id.get_or_init(|| self.public_key.key_id())
    }

    /// As it stands in the key document.
    pub(crate) fn entry(&self) -> KeyEntry {
        let key = self.public_key.verifying_key();
        let mut entry = KeyEntry::active(Purpose::AgentIdentity, key, self.enrolled_at);
        if let Some(revoked_at) = self.revoked_at {
            entry.state = KeyState::Revoked;
            // Clocks may have been set back in between.
            entry.to = Some(revoked_at.max(self.enrolled_at));
        }
        entry
    }
}
