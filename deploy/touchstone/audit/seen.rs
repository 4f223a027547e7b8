//! What an audit saw last, kept in a file: the checkpoint, and the edge of its
//! tree, from which the next one goes on.

use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};
use touchstone_evidence::log::checkpoint::SignedCheckpoint;
use touchstone_evidence::log::hash::Hash;
use touchstone_evidence::log::tile::{Edge, Kind, Tile};

use crate::exit::{Exit, Failure};
use crate::input;

const FORMAT: u32 = 1;

#[derive(Debug)]
pub(super) struct Seen {
    pub(super) checkpoint: SignedCheckpoint,
    pub(super) edge: Edge,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: u32,
    checkpoint: String,
    /// Level and hashes of every tile that is not whole yet.
    edge: Vec<(u32, Vec<Hash>)>,
}

impl Seen {
    /// `None` when there is no such file: the first audit makes it.
    pub(super) fn load(file: &Path) -> Result<Option<Self>, Failure> {
        if let Err(error) = std::fs::metadata(file)
            && error.kind() == ErrorKind::NotFound
        {
            return Ok(None);
        }
        let stored: Option<Stored> = serde_json::from_slice(&input::read(file)?).ok();
        let seen = stored.as_ref().and_then(Self::of);
        seen.map(Some).ok_or_else(|| {
            Failure::usage(format!(
                "{} is not what an audit wrote; move it away, and the log is read from its beginning",
                file.display()
            ))
        })
    }

    fn of(stored: &Stored) -> Option<Self> {
        if stored.format != FORMAT {
            return None;
        }
        let checkpoint = SignedCheckpoint::read(stored.checkpoint.as_bytes()).ok()?;
        let hashes = |tile: Tile| {
            let Kind::Hashes { level } = tile.kind else {
                return None;
            };
            let found = stored.edge.iter().find(|(of, _)| *of == level)?;
            Some(found.1.clone())
        };
        let edge = Edge::of(checkpoint.checkpoint().size, hashes)?;
        (edge.root() == checkpoint.checkpoint().root).then_some(Self { checkpoint, edge })
    }

    /// Puts it in the place of what was seen before, whole or not at all.
    pub(super) fn store(&self, file: &Path) -> Result<(), Failure> {
        let edge = self
            .edge
            .partial()
            .filter_map(|(tile, hashes)| match tile.kind {
                Kind::Hashes { level } => Some((level, hashes.to_vec())),
                Kind::Entries => None,
            });
        let stored = Stored {
            format: FORMAT,
            checkpoint: self.checkpoint.to_string(),
            edge: edge.collect(),
        };
        let failed = |error: &dyn std::error::Error| {
            let text = format!("cannot write {}: {error}", file.display());
            Failure::new(Exit::Unexpected, text)
        };
        let json = serde_json::to_vec(&stored).map_err(|error| failed(&error))?;
        let mut new = file.as_os_str().to_owned();
        new.push(".new");
        std::fs::write(&new, json)
            .and_then(|()| std::fs::rename(&new, file))
            .map_err(|error| failed(&error))
    }
}
