//! The audit itself: one bundle of entries in memory at a time, the tree grown
//! from what was seen before, every tile compared with the one that follows
//! from the entries.

use serde::Serialize;
use touchstone_evidence::keyset::{KeyDocument, KeyState, Purpose};
use touchstone_evidence::log::checkpoint::SignedCheckpoint;
use touchstone_evidence::log::entry::Entry;
use touchstone_evidence::log::hash::{HASH_BYTES, Hash};
use touchstone_evidence::log::note::{NOTE_LIMIT_BYTES, SignedBy};
use touchstone_evidence::log::tile::{
    BUNDLE_LIMIT_BYTES, Edge, Kind, TILE_WIDTH, Tile, read_entries, read_hashes,
};
use touchstone_evidence::verify::{Finding, Outcome};

use super::seen::Seen;
use super::source::Source;
use crate::exit::{Exit, Failure};
use crate::terminal;

/// Bytes of a whole tile of hashes.
const TILE_BYTES: usize = 256 * HASH_BYTES;

/// What an audit found.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) verdict: Outcome,
    pub(super) origin: String,
    /// Entries that were seen before.
    from: u64,
    size: u64,
    root: Option<Hash>,
    /// Entries that were read now.
    checked: u64,
    /// Of these, how many are of a version that this program does not know.
    unknown_entries: u64,
    /// And how many name an attestation key that the key document given lacks.
    unknown_keys: u64,
    pub(super) steps: Vec<Step>,
    /// To go on from; only of a log that held.
    #[serde(skip)]
    pub(super) seen: Option<Seen>,
}

#[derive(Debug, Serialize)]
pub(super) struct Step {
    #[serde(rename = "step")]
    pub(super) name: &'static str,
    pub(super) ok: Finding,
    pub(super) detail: String,
}

/// Why an audit ends before all was seen.
enum Ended {
    /// What was found settles it; the steps say so.
    Settled,
    /// The log did not answer.
    Unread(Failure),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self::Unread(failure)
    }
}

/// `tick` is told how many entries were read, and of how many.
pub(super) async fn follow(
    source: &mut Source,
    keys: Option<&KeyDocument>,
    seen: Option<Seen>,
    tick: impl FnMut(u64, u64),
) -> Result<Report, Failure> {
    let mut report = Report {
        verdict: Outcome::Undecidable,
        origin: String::new(),
        from: seen.as_ref().map_or(0, |seen| seen.edge.size()),
        size: 0,
        root: None,
        checked: 0,
        unknown_entries: 0,
        unknown_keys: 0,
        steps: Vec::new(),
        seen: None,
    };
    match report.audit(source, keys, seen, tick).await {
        Ok(()) | Err(Ended::Settled) => {}
        Err(Ended::Unread(failure)) => return Err(failure),
    }
    let found = |finding| report.steps.iter().any(|step| step.ok == finding);
    report.verdict = if found(Finding::Fails) {
        Outcome::Invalid
    } else if found(Finding::CannotTell) {
        Outcome::Undecidable
    } else {
        Outcome::Valid
    };
    Ok(report)
}

impl Report {
    async fn audit(
        &mut self,
        source: &mut Source,
        keys: Option<&KeyDocument>,
        seen: Option<Seen>,
        tick: impl FnMut(u64, u64),
    ) -> Result<(), Ended> {
        let note = source.get("checkpoint", NOTE_LIMIT_BYTES).await?;
        let signed = match SignedCheckpoint::read(&note) {
            Ok(signed) => signed,
            Err(error) => return self.fails("checkpoint", format!("{error}.")),
        };
        let checkpoint = signed.checkpoint();
        self.origin = terminal::plain(checkpoint.origin.as_str());
        self.size = checkpoint.size;
        self.root = Some(checkpoint.root);
        let detail = format!("The log {} has {} entries.", self.origin, self.size);
        self.holds("checkpoint", detail);
        self.check_key(&signed, keys)?;
        let edge = self.check_history(&signed, seen)?;
        let edge = self.check_entries(source, edge, keys, tick).await?;
        self.check_tiles(source, edge.partial()).await?;
        if edge.root() != checkpoint.root {
            return self.fails(
                "entries",
                "The entries do not lead to the checkpoint's root.",
            );
        }
        let (from, checked) = (self.from, self.checked);
        self.holds(
            "entries",
            format!("{checked} entries from {from} on lead to the checkpoint's root, and so do their tiles."),
        );
        self.seen = Some(Seen {
            checkpoint: signed,
            edge,
        });
        Ok(())
    }

    fn check_key(
        &mut self,
        signed: &SignedCheckpoint,
        keys: Option<&KeyDocument>,
    ) -> Result<(), Ended> {
        let Some(document) = keys else {
            self.holds(
                "key",
                "No key document was given: this shows that the log is consistent, not whose it is.",
            );
            return Ok(());
        };
        let said = document
            .keys()
            .iter()
            .filter(|key| key.purpose == Purpose::LogCheckpoint)
            .map(|key| (key, signed.signed_by(key.public_key.verifying_key())))
            .find(|(_, said)| *said != SignedBy::No);
        match said {
            None => self.cannot_tell(
                "key",
                "No key of a log in the key document given names itself under the checkpoint.",
            ),
            Some((_, SignedBy::Broken | SignedBy::No)) => self.fails(
                "key",
                "The signature under the checkpoint is not that of the log's key.",
            ),
            Some((key, SignedBy::Key)) => {
                if !matches!(key.state, KeyState::Active | KeyState::Retired) {
                    return self.fails("key", "The key of the log is pending or was revoked.");
                }
                let short = &key.key_id.as_str()[..16];
                self.holds("key", format!("Key {short} signed the checkpoint."));
                Ok(())
            }
        }
    }

    /// The tree to go on from.
    fn check_history(
        &mut self,
        signed: &SignedCheckpoint,
        seen: Option<Seen>,
    ) -> Result<Edge, Ended> {
        let Some(seen) = seen else {
            self.holds("history", "Nothing was seen before; all of it is read.");
            return Ok(Edge::empty());
        };
        let (before, now) = (seen.checkpoint.checkpoint(), signed.checkpoint());
        if before.origin != now.origin {
            return self.cannot_tell("history", "The state file is of another log.");
        }
        if now.size < before.size {
            return self.fails(
                "history",
                format!(
                    "The log showed {} entries before, and shows {} now.",
                    before.size, now.size
                ),
            );
        }
        if now.size == before.size && now.root != before.root {
            return self.fails(
                "history",
                "The log shows other entries than it showed before.",
            );
        }
        self.holds(
            "history",
            format!(
                "{} entries were seen before; it is gone on from there.",
                before.size
            ),
        );
        Ok(seen.edge)
    }

    async fn check_entries(
        &mut self,
        source: &mut Source,
        mut edge: Edge,
        keys: Option<&KeyDocument>,
        mut tick: impl FnMut(u64, u64),
    ) -> Result<Edge, Ended> {
        let first = edge.size() / TILE_WIDTH;
        for tile in Tile::all(Kind::Entries, self.size, first) {
            let (bytes, width) = source.tile(tile, BUNDLE_LIMIT_BYTES).await?;
            let entries = match read_entries(&bytes, width) {
                Ok(entries) => entries,
                Err(error) => return self.fails("entries", format!("{error}: {}.", tile.path())),
            };
            let known = usize::try_from(edge.size() - tile.index * TILE_WIDTH).unwrap_or(0);
            let end = usize::try_from(tile.width).unwrap_or(0);
            let mut whole = Vec::new();
            for entry in &entries[known..end] {
                self.count(entry, keys);
                whole.extend(edge.push(Hash::of_leaf(entry)));
            }
            let whole = whole.iter().map(|(tile, hashes)| (*tile, &hashes[..]));
            self.check_tiles(source, whole).await?;
            tick(edge.size() - self.from, self.size - self.from);
        }
        Ok(edge)
    }

    async fn check_tiles<'h>(
        &mut self,
        source: &mut Source,
        tiles: impl Iterator<Item = (Tile, &'h [Hash])>,
    ) -> Result<(), Ended> {
        for (tile, expected) in tiles {
            let (bytes, width) = source.tile(tile, TILE_BYTES).await?;
            let same = read_hashes(&bytes, width).is_ok_and(|hashes| hashes.starts_with(expected));
            if !same {
                let detail = format!("The tile {} does not follow from the entries.", tile.path());
                return self.fails("tiles", detail);
            }
        }
        Ok(())
    }

    fn count(&mut self, entry: &[u8], keys: Option<&KeyDocument>) {
        self.checked += 1;
        let Ok(entry) = Entry::read(entry) else {
            self.unknown_entries += 1;
            return;
        };
        let attests = |keys: &KeyDocument| {
            keys.find(entry.key_id.as_str())
                .is_some_and(|key| key.purpose == Purpose::Attestation)
        };
        if keys.is_some_and(|keys| !attests(keys)) {
            self.unknown_keys += 1;
        }
    }

    fn holds(&mut self, name: &'static str, detail: impl Into<String>) {
        self.push(name, Finding::Holds, detail.into());
    }

    fn fails<T>(&mut self, name: &'static str, detail: impl Into<String>) -> Result<T, Ended> {
        self.push(name, Finding::Fails, detail.into());
        Err(Ended::Settled)
    }

    fn cannot_tell<T>(
        &mut self,
        name: &'static str,
        detail: impl Into<String>,
    ) -> Result<T, Ended> {
        self.push(name, Finding::CannotTell, detail.into());
        Err(Ended::Settled)
    }

    fn push(&mut self, name: &'static str, ok: Finding, detail: String) {
        self.steps.push(Step { name, ok, detail });
    }
}

impl Source {
    /// A tile and how much of it came: a partial one that is gone has become
    /// whole since.
    async fn tile(&mut self, tile: Tile, limit: usize) -> Result<(Vec<u8>, u64), Failure> {
        let path = |tile: Tile| format!("tile/{}", tile.path());
        match self.get(&path(tile), limit).await {
            Err(failure) if failure.exit == Exit::NotFound && tile.width < TILE_WIDTH => {
                let whole = Tile {
                    width: TILE_WIDTH,
                    ..tile
                };
                Ok((self.get(&path(whole), limit).await?, TILE_WIDTH))
            }
            got => Ok((got?, tile.width)),
        }
    }
}
