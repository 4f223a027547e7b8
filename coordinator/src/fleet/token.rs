//! Lease tokens. A report must present the token of a lease that was given for
//! its run to its agent. Tokens are authenticated, so none has to be stored: a
//! late report is recognised after the lease was lost and after a restart, and
//! an agent cannot report a run that it was never given.

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use crate::random::{NoRandomness, Random, draw};

/// Random bytes of a token: no two leases of a run have the same.
const NONCE_BYTES: usize = 16;
/// Bytes of the code over run, agent and nonce.
const CODE_BYTES: usize = 16;
/// Bytes of a SHA-256 block, to which HMAC pads its key (RFC 2104, section 2).
const BLOCK_BYTES: usize = 64;

/// The secret under which tokens are made; never leaves the coordinator.
#[derive(Clone)]
pub struct LeaseKey([u8; 32]);

impl std::fmt::Debug for LeaseKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LeaseKey(..)")
    }
}

impl LeaseKey {
    pub fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }

    /// A fresh token for one lease.
    pub fn mint(
        &self,
        run_id: &str,
        agent_key_id: &str,
        random: &dyn Random,
    ) -> Result<String, NoRandomness> {
        let nonce = draw::<NONCE_BYTES>(random)?;
        let code = self.code(run_id, agent_key_id, &nonce);
        Ok(HEXLOWER.encode(&[&nonce[..], &code].concat()))
    }

    /// Whether this token was made for this run and this agent.
    pub fn made(&self, token: &str, run_id: &str, agent_key_id: &str) -> bool {
        let Ok(bytes) = HEXLOWER.decode(token.as_bytes()) else {
            return false;
        };
        if bytes.len() != NONCE_BYTES + CODE_BYTES {
            return false;
        }
        let (nonce, code) = bytes.split_at(NONCE_BYTES);
        let expected = self.code(run_id, agent_key_id, nonce);
        // Every byte is looked at, so that time tells nothing of the first wrong one.
        let difference = code
            .iter()
            .zip(expected)
            .fold(0, |sum, (a, b)| sum | (a ^ b));
        difference == 0
    }

    fn code(&self, run_id: &str, agent_key_id: &str, nonce: &[u8]) -> [u8; CODE_BYTES] {
        let mut message = Vec::with_capacity(8 + run_id.len() + agent_key_id.len() + nonce.len());
        message.extend_from_slice(&(run_id.len() as u64).to_be_bytes());
        message.extend_from_slice(run_id.as_bytes());
        message.extend_from_slice(agent_key_id.as_bytes());
        message.extend_from_slice(nonce);
        let mac = hmac_sha256(&self.0, &message);
        let mut code = [0; CODE_BYTES];
        code.copy_from_slice(&mac[..CODE_BYTES]);
        code
    }
}

/// HMAC-SHA-256 (RFC 2104) under a key no longer than a block.
fn hmac_sha256(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    let pad = |byte: u8| {
        let mut block = [byte; BLOCK_BYTES];
        for (padded, key) in block.iter_mut().zip(key) {
            *padded ^= key;
        }
        block
    };
    let inner = Sha256::new()
        .chain_update(pad(0x36))
        .chain_update(message)
        .finalize();
    Sha256::new()
        .chain_update(pad(0x5c))
        .chain_update(inner)
        .finalize()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::CountedRandom;

    #[test]
    fn the_code_is_hmac_sha256() {
        // python3: hmac.new(bytes(range(32)), b"what do ya want for nothing?", "sha256")
        let key = std::array::from_fn(|index| u8::try_from(index).unwrap());
        assert_eq!(
            HEXLOWER.encode(&hmac_sha256(&key, b"what do ya want for nothing?")),
            "099805f4ac310786968565c098db515cc50862b420ae31e20238312344bed36a"
        );
    }

    #[test]
    fn a_token_is_good_for_its_run_and_agent_alone() {
        let key = LeaseKey::new([7; 32]);
        let random = CountedRandom::default();
        let token = key.mint("run", "agent", &random).unwrap();
        assert_ne!(token, key.mint("run", "agent", &random).unwrap());
        assert!(key.made(&token, "run", "agent"));
        assert!(!key.made(&token, "runa", "gent"));
        assert!(!key.made(&token, "other", "agent"));
        assert!(!LeaseKey::new([8; 32]).made(&token, "run", "agent"));
        for wrong in [
            "",
            "zz",
            &token[2..],
            &format!("{token}00"),
            &token.to_uppercase(),
        ] {
            assert!(!key.made(wrong, "run", "agent"), "{wrong}");
        }
    }
}
