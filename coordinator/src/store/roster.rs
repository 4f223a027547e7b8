//! What the signer told us last, kept so that we work on while it is away: the
//! roster of agents and its key document. And the one secret of our own, the
//! key of lease tokens.

use std::sync::Arc;

use futures_util::FutureExt as _;
use sqlx::Row as _;

use super::{Store, StoreError, Tx, read::KeyDocument, row, unreadable};

/// Most agents that a roster may hold.
pub const AGENTS_LIMIT: usize = 10_000;
const KEY_DOCUMENT: &str = "keys";
const LEASE_KEY: &str = "lease_key";

/// An agent of the signer's roster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    pub agent_key_id: String,
    /// Ed25519.
    pub public_key: [u8; 32],
    pub region: String,
    pub enrolled_at_ms: i64,
    /// 0: not revoked.
    pub revoked_at_ms: i64,
}

impl Store {
    /// The roster as last fetched.
    pub async fn agents(&self) -> Result<Vec<Agent>, StoreError> {
        let limit = i64::try_from(AGENTS_LIMIT).unwrap_or(i64::MAX);
        let rows = sqlx::query(
            "SELECT agent_key_id, public_key, region, enrolled_at_ms, revoked_at_ms \
             FROM agents ORDER BY agent_key_id LIMIT $1",
        )
        .bind(limit)
        .fetch_all(&self.pool)
        .await;
        let read = rows.and_then(|rows| {
            let agent = |row| {
                let public_key: Vec<u8> = sqlx::Row::try_get(row, "public_key")?;
                Ok(Agent {
                    agent_key_id: sqlx::Row::try_get(row, "agent_key_id")?,
                    public_key: public_key
                        .try_into()
                        .map_err(|_| unreadable("the key of an agent"))?,
                    region: sqlx::Row::try_get(row, "region")?,
                    enrolled_at_ms: sqlx::Row::try_get(row, "enrolled_at_ms")?,
                    revoked_at_ms: sqlx::Row::try_get(row, "revoked_at_ms")?,
                })
            };
            rows.iter().map(agent).collect()
        });
        read.map_err(self.failed("reading the roster"))
    }

    /// Replaces the roster.
    pub async fn keep_agents(&self, agents: Vec<Agent>) -> Result<(), StoreError> {
        let agents = Arc::new(agents);
        self.run_tx("storing the roster", move |tx| {
            let agents = Arc::clone(&agents);
            async move {
                sqlx::query("DELETE FROM agents").execute(&mut *tx).await?;
                for agent in agents.iter() {
                    insert_agent(tx, agent).await?;
                }
                Ok(())
            }
            .boxed()
        })
        .await
    }

    /// How many agents of a region are on the roster and not revoked.
    pub(super) async fn count_agents(&self, region: &str) -> Result<u64, sqlx::Error> {
        let row =
            sqlx::query("SELECT COUNT(*) AS n FROM agents WHERE region = $1 AND revoked_at_ms = 0")
                .bind(region)
                .fetch_one(&self.pool)
                .await?;
        row::unsigned(&row, "n")
    }

    /// The signer's key document as last fetched.
    pub async fn key_document(&self) -> Result<Option<KeyDocument>, StoreError> {
        let row = sqlx::query("SELECT body, fetched_at_ms FROM documents WHERE name = $1")
            .bind(KEY_DOCUMENT)
            .fetch_optional(&self.pool)
            .await;
        let read = row.and_then(|row| {
            row.map(|row| {
                Ok(KeyDocument {
                    document: row.try_get("body")?,
                    fetched_at_ms: row.try_get("fetched_at_ms")?,
                })
            })
            .transpose()
        });
        read.map_err(self.failed("reading the key document"))
    }

    /// Keeps the signer's key document.
    pub async fn keep_key_document(
        &self,
        document: Vec<u8>,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        let document = Arc::new(document);
        self.run_tx("storing the key document", move |tx| {
            let document = Arc::clone(&document);
            async move {
                sqlx::query(
                    "INSERT INTO documents (name, body, fetched_at_ms) VALUES ($1, $2, $3) \
                     ON CONFLICT (name) DO UPDATE SET body = excluded.body, \
                     fetched_at_ms = excluded.fetched_at_ms",
                )
                .bind(KEY_DOCUMENT)
                .bind(&document[..])
                .bind(now_ms)
                .execute(&mut *tx)
                .await?;
                Ok(())
            }
            .boxed()
        })
        .await
    }

    /// The key under which lease tokens are made: `fresh` if there is none yet.
    pub async fn lease_key(&self, fresh: [u8; 32], now_ms: i64) -> Result<[u8; 32], StoreError> {
        self.run_tx("reading the key of lease tokens", move |tx| {
            async move {
                sqlx::query(
                    "INSERT INTO documents (name, body, fetched_at_ms) VALUES ($1, $2, $3) \
                     ON CONFLICT (name) DO NOTHING",
                )
                .bind(LEASE_KEY)
                .bind(&fresh[..])
                .bind(now_ms)
                .execute(&mut *tx)
                .await?;
                let row = sqlx::query("SELECT body FROM documents WHERE name = $1")
                    .bind(LEASE_KEY)
                    .fetch_one(&mut *tx)
                    .await?;
                let key: Vec<u8> = row.try_get("body")?;
                key.try_into()
                    .map_err(|_| unreadable("the key of lease tokens"))
            }
            .boxed()
        })
        .await
    }
}

async fn insert_agent(tx: &mut Tx, agent: &Agent) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO agents (agent_key_id, public_key, region, enrolled_at_ms, revoked_at_ms) \
         VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(&agent.agent_key_id)
    .bind(&agent.public_key[..])
    .bind(&agent.region)
    .bind(agent.enrolled_at_ms)
    .bind(agent.revoked_at_ms)
    .execute(&mut *tx)
    .await?;
    Ok(())
}
