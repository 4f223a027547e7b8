//! Tiles: the tree cut into files (C2SP tlog-tiles). A tile holds up to 256
//! hashes of one level of every eighth; an entry bundle holds up to 256 leaves.
//! The last of each may be partial; a whole one never changes.

use super::entry::ENTRY_LIMIT_BYTES;
use super::hash::{HASH_BYTES, Hash};
use super::proof::TREE_LIMIT;
use super::tree::{Frontier, fold};

/// Hashes of a whole tile, leaves of a whole entry bundle.
pub const TILE_WIDTH: u64 = 256;
/// Levels of the tree from one level of tiles to the next.
pub const TILE_HEIGHT: u32 = 8;
/// Most levels of tiles that a tree can have.
pub const TILE_LEVELS: u32 = 64 / TILE_HEIGHT;

/// Which tile, and how much of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tile {
    pub kind: Kind,
    pub index: u64,
    /// 1 to 256; less is a partial tile.
    pub width: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Hashes { level: u32 },
    Entries,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TileError {
    #[error("reading a tile: it does not hold as many hashes as its address says")]
    Hashes,
    #[error("reading an entry bundle: it does not hold as many entries as its address says")]
    Entries,
}

impl Tile {
    /// The part behind `/tile/`: `LEVEL/N`, `entries/N`, with `.p/W` when it is
    /// partial and N in groups of three digits. One spelling, no other is read.
    pub fn read_path(path: &str) -> Option<Self> {
        let (kind, rest) = path.split_once('/')?;
        let kind = match kind {
            "entries" => Kind::Entries,
            level => Kind::Hashes {
                level: level.parse().ok()?,
            },
        };
        let (number, width) = match rest.split_once(".p/") {
            Some((number, width)) => (number, width.parse().ok()?),
            None => (rest, TILE_WIDTH),
        };
        let mut index: u64 = 0;
        for group in number.split('/') {
            let digits = group.strip_prefix('x').unwrap_or(group);
            let group: u64 = digits.parse().ok()?;
            index = index.checked_mul(1000)?.checked_add(group)?;
        }
        let tile = Self { kind, index, width };
        let possible = (1..=TILE_WIDTH).contains(&width)
            && index <= TREE_LIMIT / TILE_WIDTH
            && !matches!(kind, Kind::Hashes { level } if level >= TILE_LEVELS);
        (possible && tile.path() == path).then_some(tile)
    }

    /// See [`Tile::read_path`].
    pub fn path(&self) -> String {
        let mut number = format!("{:03}", self.index % 1000);
        let mut rest = self.index / 1000;
        while rest > 0 {
            number = format!("x{:03}/{number}", rest % 1000);
            rest /= 1000;
        }
        let kind = match self.kind {
            Kind::Entries => "entries".to_owned(),
            Kind::Hashes { level } => level.to_string(),
        };
        if self.width == TILE_WIDTH {
            format!("{kind}/{number}")
        } else {
            format!("{kind}/{number}.p/{}", self.width)
        }
    }

    /// Whether a log of this size has it, as whole as it is asked for.
    pub fn is_in(&self, size: u64) -> bool {
        let level = match self.kind {
            Kind::Entries => 0,
            Kind::Hashes { level } => level,
        };
        let end = self.index * TILE_WIDTH + self.width;
        size.checked_shr(level * TILE_HEIGHT).unwrap_or(0) >= end
    }

    /// The tiles of a kind that a log of this size has, from `first` on: whole
    /// ones, and a last one that may be partial.
    pub fn all(kind: Kind, size: u64, first: u64) -> impl Iterator<Item = Self> {
        let level = match kind {
            Kind::Entries => 0,
            Kind::Hashes { level } => level,
        };
        let items = size.checked_shr(level * TILE_HEIGHT).unwrap_or(0);
        (first..items.div_ceil(TILE_WIDTH)).map(move |index| Self {
            kind,
            index,
            width: (items - index * TILE_WIDTH).min(TILE_WIDTH),
        })
    }
}

/// The hashes of a tile of this width.
pub fn read_hashes(bytes: &[u8], width: u64) -> Result<Vec<Hash>, TileError> {
    let (hashes, rest) = bytes.as_chunks::<HASH_BYTES>();
    if !rest.is_empty() || hashes.len() as u64 != width {
        return Err(TileError::Hashes);
    }
    Ok(hashes.iter().map(|hash| Hash(*hash)).collect())
}

/// An entry bundle: each entry behind its length as two bytes. Entries of ours
/// are far below that; `None` for one that is not.
pub fn write_entries<'e>(entries: impl IntoIterator<Item = &'e [u8]>) -> Option<Vec<u8>> {
    let mut bundle = Vec::new();
    for entry in entries {
        bundle.extend_from_slice(&u16::try_from(entry.len()).ok()?.to_be_bytes());
        bundle.extend_from_slice(entry);
    }
    Some(bundle)
}

/// The entries of a bundle of this width. Longer entries than ours can be are
/// no form error here: a log may hold entries of a later version.
pub fn read_entries(bytes: &[u8], width: u64) -> Result<Vec<&[u8]>, TileError> {
    let mut entries = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (length, behind) = rest.split_first_chunk::<2>().ok_or(TileError::Entries)?;
        let length = usize::from(u16::from_be_bytes(*length));
        let (entry, behind) = behind.split_at_checked(length).ok_or(TileError::Entries)?;
        if entries.len() as u64 == width {
            return Err(TileError::Entries);
        }
        entries.push(entry);
        rest = behind;
    }
    if entries.len() as u64 == width {
        Ok(entries)
    } else {
        Err(TileError::Entries)
    }
}

/// Largest entry bundle of ours, in bytes.
pub const BUNDLE_LIMIT_BYTES: usize = (ENTRY_LIMIT_BYTES + 2) * 256;

/// The right edge of a tree in tiles: of every level the last tile, unless it
/// is whole. What a log needs to be appended to in tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    size: u64,
    /// Hashes of the tile that is not whole yet, a list a level; less than 256.
    levels: Vec<Vec<Hash>>,
}

impl Edge {
    pub fn empty() -> Self {
        Self {
            size: 0,
            levels: Vec::new(),
        }
    }

    /// From the partial tiles of a tree of this size; `tile` gives the hashes
    /// of one. `None` when one does not hold what it must.
    pub fn of(size: u64, mut tile: impl FnMut(Tile) -> Option<Vec<Hash>>) -> Option<Self> {
        let mut levels = Vec::new();
        for partial in Self::partial_tiles(size) {
            let hashes = match partial {
                Some(partial) => tile(partial).filter(|h| h.len() as u64 == partial.width)?,
                None => Vec::new(),
            };
            levels.push(hashes);
        }
        Some(Self { size, levels })
    }

    /// The partial tile of every level of a tree of this size, lowest first;
    /// `None` for a level whose tiles are all whole.
    pub fn partial_tiles(size: u64) -> Vec<Option<Tile>> {
        let mut tiles = Vec::new();
        let mut level = 0;
        let mut items = size;
        while items > 0 {
            let width = items % TILE_WIDTH;
            tiles.push((width > 0).then_some(Tile {
                kind: Kind::Hashes { level },
                index: items / TILE_WIDTH,
                width,
            }));
            items /= TILE_WIDTH;
            level += 1;
        }
        tiles
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    /// Adds a leaf; gives the tiles that this makes whole, lowest first.
    pub fn push(&mut self, leaf: Hash) -> Vec<(Tile, Vec<Hash>)> {
        let mut whole = Vec::new();
        let mut hash = leaf;
        let mut items = self.size;
        for level in 0..TILE_LEVELS {
            if self.levels.len() <= level as usize {
                self.levels.push(Vec::new());
            }
            let hashes = &mut self.levels[level as usize];
            hashes.push(hash);
            if (hashes.len() as u64) < TILE_WIDTH {
                break;
            }
            let tile = Tile {
                kind: Kind::Hashes { level },
                index: items / TILE_WIDTH,
                width: TILE_WIDTH,
            };
            let hashes = std::mem::take(hashes);
            hash = root(&hashes);
            whole.push((tile, hashes));
            items /= TILE_WIDTH;
        }
        self.size += 1;
        whole
    }

    /// The partial tiles, with what they hold.
    pub fn partial(&self) -> impl Iterator<Item = (Tile, &[Hash])> {
        Self::partial_tiles(self.size)
            .into_iter()
            .zip(&self.levels)
            .filter_map(|(tile, hashes)| Some((tile?, &hashes[..])))
    }

    /// The root of the whole tree.
    pub fn root(&self) -> Hash {
        let nodes: Vec<Hash> = self.levels.iter().rev().flat_map(|h| complete(h)).collect();
        fold(&nodes)
    }
}

/// The root over the hashes of a tile.
pub fn root(hashes: &[Hash]) -> Hash {
    fold(&complete(hashes))
}

/// The complete nodes over a row of hashes, largest first.
fn complete(hashes: &[Hash]) -> Vec<Hash> {
    let mut frontier = Frontier::empty();
    for hash in hashes {
        frontier.push(*hash);
    }
    frontier.into_nodes()
}
