//! The signer's log as we serve it: entries, tiles, and the newest checkpoint
//! whose tree we hold whole. Whoever writes here has proved what he writes.

use std::sync::Arc;

use data_encoding::HEXLOWER;
use futures_util::FutureExt as _;
use sqlx::{Row as _, any::AnyRow};
use touchstone_evidence::log::{
    checkpoint::SignedCheckpoint,
    entry::Entry,
    hash::Hash,
    tile::{self, Edge, Kind, Tile},
};

use super::{Store, StoreError, Tx, row, unreadable};

/// The checkpoint that is shown: we hold every entry it stands for.
const SHOWN: &str = "log_checkpoint";
/// The newest checkpoint that the signer ever gave us.
const HELD: &str = "log_held";
/// Entries that a search of the log lists, at most.
pub const LOG_LINES_LIMIT: u32 = 50;

/// What was fetched and proved: entries, and the tree that ends with them.
#[derive(Clone, Debug)]
pub struct LogPart {
    pub entries: Vec<Vec<u8>>,
    /// Tiles that these entries made whole.
    pub whole: Vec<(Tile, Vec<Hash>)>,
    /// The right edge of the tree behind them.
    pub edge: Edge,
    /// To be shown from now on, if it stands for exactly this tree.
    pub checkpoint: Option<Vec<u8>>,
}

/// One entry of the log, for a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    pub index: u64,
    pub run_id: String,
    /// Of the envelope, lowercase hex.
    pub envelope_sha256: String,
}

impl Store {
    /// The checkpoint that is shown.
    pub async fn log_checkpoint(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.log_document(SHOWN).await
    }

    /// The newest checkpoint that the signer ever gave us.
    pub async fn log_held(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.log_document(HELD).await
    }

    async fn log_document(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let row = sqlx::query("SELECT body FROM documents WHERE name = $1")
            .bind(name)
            .fetch_optional(&self.pool)
            .await;
        row.and_then(|row| row.map(|row| row.try_get("body")).transpose())
            .map_err(self.failed("reading a checkpoint of the log"))
    }

    /// The right edge of the tree that is stored.
    pub async fn log_edge(&self) -> Result<Edge, StoreError> {
        let read = async {
            let row = sqlx::query("SELECT COALESCE(MAX(entry_index) + 1, 0) AS n FROM log_entries")
                .fetch_one(&self.pool)
                .await?;
            let size = row::unsigned(&row, "n")?;
            let mut tiles = Vec::new();
            for tile in Edge::partial_tiles(size).into_iter().flatten() {
                tiles.push((tile, self.hashes(tile).await?));
            }
            let find = |wanted: Tile| {
                let (_, hashes) = tiles.iter().find(|(tile, _)| *tile == wanted)?;
                tile::read_hashes(hashes.as_deref()?, wanted.width).ok()
            };
            Edge::of(size, find).ok_or_else(|| unreadable("the edge of the log"))
        };
        read.await.map_err(self.failed("reading the log"))
    }

    /// A tile of hashes or a bundle of entries; `None` when the log does not
    /// have it yet.
    pub async fn log_tile(&self, tile: Tile) -> Result<Option<Vec<u8>>, StoreError> {
        let failed = self.failed("reading a tile of the log");
        match tile.kind {
            Kind::Hashes { .. } => self.hashes(tile).await.map_err(failed),
            Kind::Entries => {
                let first = tile.index * tile::TILE_WIDTH;
                let rows = self.entries(first, tile.width).await.map_err(&failed)?;
                if rows.len() as u64 != tile.width {
                    return Ok(None);
                }
                Ok(tile::write_entries(rows.iter().map(|entry| &entry[..])))
            }
        }
    }

    /// As many of a tile's hashes as it is wide; a stored tile may have grown.
    async fn hashes(&self, tile: Tile) -> Result<Option<Vec<u8>>, sqlx::Error> {
        let Kind::Hashes { level } = tile.kind else {
            return Ok(None);
        };
        let row = sqlx::query("SELECT hashes FROM log_tiles WHERE level = $1 AND tile_index = $2")
            .bind(i64::from(level))
            .bind(signed(tile.index))
            .fetch_optional(&self.pool)
            .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let mut hashes: Vec<u8> = row.try_get("hashes")?;
        let wanted = usize::try_from(tile.width).unwrap_or(usize::MAX) * 32;
        if hashes.len() < wanted {
            return Ok(None);
        }
        hashes.truncate(wanted);
        Ok(Some(hashes))
    }

    async fn entries(&self, first: u64, count: u64) -> Result<Vec<Vec<u8>>, sqlx::Error> {
        let rows = sqlx::query(
            "SELECT entry FROM log_entries WHERE entry_index >= $1 AND entry_index < $2 \
             ORDER BY entry_index",
        )
        .bind(signed(first))
        .bind(signed(first + count))
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(|row| row.try_get("entry")).collect()
    }

    /// Entries below `size` of this run or envelope, newest first; of all for
    /// an empty text. At most [`LOG_LINES_LIMIT`].
    pub async fn log_lines(&self, text: &str, size: u64) -> Result<Vec<LogLine>, StoreError> {
        let rows = sqlx::query(
            "SELECT entry_index, run_id, envelope_sha256 FROM log_entries \
             WHERE entry_index < $1 AND ($2 = '' OR run_id = $2 OR envelope_sha256 = $2) \
             ORDER BY entry_index DESC LIMIT $3",
        )
        .bind(signed(size))
        .bind(text)
        .bind(i64::from(LOG_LINES_LIMIT))
        .fetch_all(&self.pool)
        .await;
        let line = |row: &AnyRow| {
            Ok(LogLine {
                index: row::unsigned(row, "entry_index")?,
                run_id: row.try_get("run_id")?,
                envelope_sha256: row.try_get("envelope_sha256")?,
            })
        };
        rows.and_then(|rows| rows.iter().map(line).collect())
            .map_err(self.failed("searching the log"))
    }

    /// Stores a part that begins where the stored log ends.
    pub async fn keep_log_part(&self, part: LogPart, now_ms: i64) -> Result<(), StoreError> {
        let part = Arc::new(part);
        self.run_tx("storing a part of the log", move |tx| {
            let part = Arc::clone(&part);
            async move { keep(tx, &part, now_ms).await }.boxed()
        })
        .await
    }
}

async fn keep(tx: &mut Tx, part: &LogPart, now_ms: i64) -> Result<(), sqlx::Error> {
    let first = part.edge.size() - part.entries.len() as u64;
    for (index, bytes) in (first..).zip(&part.entries) {
        // An entry of a version that we do not know is served all the same.
        let (run_id, envelope) = Entry::read(bytes).map_or_else(
            |_| (String::new(), String::new()),
            |entry| {
                let envelope = HEXLOWER.encode(&entry.envelope_sha256);
                (entry.run_id.into(), envelope)
            },
        );
        sqlx::query(
            "INSERT INTO log_entries (entry_index, entry, run_id, envelope_sha256) \
             VALUES ($1, $2, $3, $4)",
        )
        .bind(signed(index))
        .bind(&bytes[..])
        .bind(run_id)
        .bind(envelope)
        .execute(&mut *tx)
        .await?;
    }
    let whole = part.whole.iter().map(|(tile, hashes)| (*tile, &hashes[..]));
    for (tile, hashes) in whole.chain(part.edge.partial()) {
        keep_tile(tx, tile, hashes).await?;
    }
    if let Some(checkpoint) = &part.checkpoint {
        keep_document(tx, SHOWN, checkpoint, now_ms).await?;
    }
    Ok(())
}

async fn keep_tile(tx: &mut Tx, tile: Tile, hashes: &[Hash]) -> Result<(), sqlx::Error> {
    let Kind::Hashes { level } = tile.kind else {
        return Ok(());
    };
    let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.0).collect();
    sqlx::query(
        "INSERT INTO log_tiles (level, tile_index, hashes) VALUES ($1, $2, $3) \
         ON CONFLICT (level, tile_index) DO UPDATE SET hashes = excluded.hashes",
    )
    .bind(i64::from(level))
    .bind(signed(tile.index))
    .bind(bytes)
    .execute(&mut *tx)
    .await?;
    Ok(())
}

/// Keeps a checkpoint as the newest that the signer gave us, if it is.
pub(super) async fn keep_held(
    tx: &mut Tx,
    checkpoint: &[u8],
    now_ms: i64,
) -> Result<(), sqlx::Error> {
    let row = sqlx::query("SELECT body FROM documents WHERE name = $1")
        .bind(HELD)
        .fetch_optional(&mut *tx)
        .await?;
    let held: Option<Vec<u8>> = row.map(|row| row.try_get("body")).transpose()?;
    let held = held.and_then(|held| SignedCheckpoint::read(&held).ok());
    match SignedCheckpoint::read(checkpoint) {
        Ok(read) if held.is_none_or(|held| read.supersedes(&held)) => {
            keep_document(tx, HELD, checkpoint, now_ms).await
        }
        _ => Ok(()),
    }
}

async fn keep_document(
    tx: &mut Tx,
    name: &str,
    body: &[u8],
    now_ms: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO documents (name, body, fetched_at_ms) VALUES ($1, $2, $3) \
         ON CONFLICT (name) DO UPDATE SET body = excluded.body, \
         fetched_at_ms = excluded.fetched_at_ms",
    )
    .bind(name)
    .bind(body)
    .bind(now_ms)
    .execute(&mut *tx)
    .await?;
    Ok(())
}

/// Sizes of a log stay below 2^63 by the limit of what is read.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
