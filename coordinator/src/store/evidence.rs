//! The bytes of a run as they were received, put together again.

use std::{collections::BTreeSet, io::Read as _};

use bytes::Bytes;
use data_encoding::HEXLOWER;
use flate2::{Compression, read::ZlibDecoder, write::ZlibEncoder};
use prost::Message as _;
use sqlx::Row as _;
use touchstone_proto::observation::{Observation, SignedObservation};

use super::{Store, StoreError, runs::NewBody, unreadable};

impl Store {
    /// Observation, signature and bodies of a run.
    pub async fn signed(&self, run_id: &str) -> Result<Option<SignedObservation>, StoreError> {
        self.load_signed(run_id)
            .await
            .map_err(self.failed("reading an observation"))
    }

    async fn load_signed(&self, run_id: &str) -> Result<Option<SignedObservation>, sqlx::Error> {
        let Some((mut signed, observation)) = self.load_observation(run_id).await? else {
            return Ok(None);
        };
        for digest in body_digests(&observation) {
            signed.bodies.push(self.load_body(digest).await?);
        }
        Ok(Some(signed))
    }

    /// The same without bodies, with the observation decoded.
    pub(super) async fn load_observation(
        &self,
        run_id: &str,
    ) -> Result<Option<(SignedObservation, Observation)>, sqlx::Error> {
        let row = sqlx::query(
            "SELECT o.bytes, o.signature, r.agent_key_id FROM observations o \
             JOIN runs r ON r.run_id = o.run_id WHERE o.run_id = $1",
        )
        .bind(run_id)
        .fetch_optional(&self.pool)
        .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let signed = SignedObservation {
            observation: row.try_get("bytes")?,
            signature: row.try_get("signature")?,
            agent_key_id: row.try_get("agent_key_id")?,
            bodies: Vec::new(),
        };
        let observation = Observation::decode(&signed.observation[..])
            .map_err(|_| unreadable("an observation"))?;
        Ok(Some((signed, observation)))
    }

    async fn load_body(&self, digest: &[u8]) -> Result<Bytes, sqlx::Error> {
        let row = sqlx::query("SELECT size, zlib FROM bodies WHERE digest = $1")
            .bind(HEXLOWER.encode(digest))
            .fetch_one(&self.pool)
            .await?;
        let size: i64 = row.try_get("size")?;
        let zlib: Vec<u8> = row.try_get("zlib")?;
        unpack(&zlib, size.unsigned_abs()).ok_or_else(|| unreadable("a body"))
    }
}

/// The bodies of an observation, each once.
pub(super) fn body_digests(observation: &Observation) -> BTreeSet<&[u8]> {
    let exchanges = observation.exchanges.iter();
    exchanges
        .filter_map(|exchange| exchange.response.as_ref()?.body.as_ref())
        .filter(|body| body.kept_size > 0)
        .map(|body| &body.kept_sha256[..])
        .collect()
}

impl NewBody {
    /// Compresses a body for the store.
    pub fn pack(digest: &[u8; 32], bytes: &[u8]) -> Self {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        // Writing to a Vec cannot fail.
        let zlib = std::io::Write::write_all(&mut encoder, bytes)
            .and_then(|()| encoder.finish())
            .unwrap_or_default();
        Self {
            digest: HEXLOWER.encode(digest),
            size: bytes.len() as u64,
            zlib: zlib.into(),
        }
    }
}

/// Exactly `size` bytes, or nothing.
pub(super) fn unpack(zlib: &[u8], size: u64) -> Option<Bytes> {
    let mut bytes = Vec::with_capacity(usize::try_from(size).ok()?);
    ZlibDecoder::new(zlib)
        .take(size + 1)
        .read_to_end(&mut bytes)
        .ok()?;
    (bytes.len() as u64 == size).then(|| bytes.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_comes_back_as_it_went_in() {
        let long = vec![b'x'; 100_000];
        for bytes in [&b""[..], b"{}", &long] {
            let body = NewBody::pack(&[7; 32], bytes);
            assert_eq!(unpack(&body.zlib, body.size).as_deref(), Some(bytes));
            assert_eq!(unpack(&body.zlib, body.size + 1), None);
        }
        assert_eq!(unpack(&NewBody::pack(&[7; 32], b"abc").zlib, 2), None);
    }
}
