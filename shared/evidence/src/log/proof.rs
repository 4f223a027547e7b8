//! Proofs that a leaf is in a tree and that a tree is the beginning of another
//! (RFC 6962, sections 2.1.1 and 2.1.2; checked as in RFC 9162, sections
//! 2.1.3.2 and 2.1.4.2).

use super::hash::Hash;
use super::tree::{Place, fold, places_between};

/// Most hashes of one proof: a tree has at most 2^63 leaves.
pub const PROOF_LIMIT: usize = 64;
/// Largest tree that is read: sizes fit a signed 64-bit number everywhere.
pub const TREE_LIMIT: u64 = i64::MAX as u64;

/// A proof that does not prove what it was given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Disproved {
    #[error("checking a log proof: it is about leaves that the tree does not have")]
    Range,
    #[error("checking a log proof: it has too many or too few hashes")]
    Length,
    #[error("checking a log proof: it leads to another root")]
    Root,
}

/// Proves that leaf `index` is in the tree of `size` leaves. `node` reads a
/// complete node of it.
pub fn inclusion<E>(
    index: u64,
    size: u64,
    mut node: impl FnMut(Place) -> Result<Hash, E>,
) -> Result<Vec<Hash>, E> {
    let (mut first, mut end) = (0, size);
    let mut siblings = Vec::new();
    while end - first > 1 && index < size {
        let middle = first + left_size(end - first);
        if index < middle {
            siblings.push((middle, end));
            end = middle;
        } else {
            siblings.push((first, middle));
            first = middle;
        }
    }
    read_up(siblings, &mut node)
}

/// Proves that the tree of `old` leaves is the beginning of that of `size`.
pub fn consistency<E>(
    old: u64,
    size: u64,
    mut node: impl FnMut(Place) -> Result<Hash, E>,
) -> Result<Vec<Hash>, E> {
    let (mut first, mut end) = (0, size);
    let mut siblings = Vec::new();
    if old == 0 || old >= size {
        return Ok(Vec::new());
    }
    while end != old {
        let middle = first + left_size(end - first);
        if old <= middle {
            siblings.push((middle, end));
            end = middle;
        } else {
            siblings.push((first, middle));
            first = middle;
        }
    }
    // The old tree itself needs no proof where it is a whole subtree.
    if first > 0 {
        siblings.push((first, end));
    }
    read_up(siblings, &mut node)
}

fn read_up<E>(
    siblings: Vec<(u64, u64)>,
    node: &mut impl FnMut(Place) -> Result<Hash, E>,
) -> Result<Vec<Hash>, E> {
    let root = |(first, end)| {
        let nodes: Result<Vec<_>, _> = places_between(first, end)
            .into_iter()
            .map(&mut *node)
            .collect();
        Ok(fold(&nodes?))
    };
    siblings.into_iter().rev().map(root).collect()
}

/// The largest power of two below `size`, which is at least 2.
fn left_size(size: u64) -> u64 {
    1 << (size - 1).ilog2()
}

/// Whether the proof shows that this leaf is at `index` in the tree.
pub fn check_inclusion(
    proof: &[Hash],
    leaf: Hash,
    index: u64,
    size: u64,
    root: Hash,
) -> Result<(), Disproved> {
    if index >= size || size > TREE_LIMIT {
        return Err(Disproved::Range);
    }
    let (mut at, mut last) = (index, size - 1);
    let mut hash = leaf;
    for sibling in proof {
        if last == 0 {
            return Err(Disproved::Length);
        }
        if at & 1 == 1 || at == last {
            hash = Hash::of_node(*sibling, hash);
            while at & 1 == 0 && at != 0 {
                at >>= 1;
                last >>= 1;
            }
        } else {
            hash = Hash::of_node(hash, *sibling);
        }
        at >>= 1;
        last >>= 1;
    }
    match (last == 0, hash == root) {
        (false, _) => Err(Disproved::Length),
        (true, false) => Err(Disproved::Root),
        (true, true) => Ok(()),
    }
}

/// Whether the proof shows that the tree of `old` leaves under `old_root` is
/// the beginning of the tree of `size` leaves under `root`.
pub fn check_consistency(
    proof: &[Hash],
    (old, old_root): (u64, Hash),
    (size, root): (u64, Hash),
) -> Result<(), Disproved> {
    if old > size || size > TREE_LIMIT {
        return Err(Disproved::Range);
    }
    if old == size || old == 0 {
        let expected = if old == 0 { Hash::empty() } else { root };
        return match (proof.is_empty(), old_root == expected) {
            (false, _) => Err(Disproved::Length),
            (true, false) => Err(Disproved::Root),
            (true, true) => Ok(()),
        };
    }
    // A whole subtree is its own first hash.
    let mut hashes = old
        .is_power_of_two()
        .then_some(old_root)
        .into_iter()
        .chain(proof.iter().copied());
    let first = hashes.next().ok_or(Disproved::Length)?;
    let (mut at, mut last) = (old - 1, size - 1);
    while at & 1 == 1 {
        at >>= 1;
        last >>= 1;
    }
    let (mut old_hash, mut hash) = (first, first);
    for sibling in hashes {
        if last == 0 {
            return Err(Disproved::Length);
        }
        if at & 1 == 1 || at == last {
            old_hash = Hash::of_node(sibling, old_hash);
            hash = Hash::of_node(sibling, hash);
            while at & 1 == 0 && at != 0 {
                at >>= 1;
                last >>= 1;
            }
        } else {
            hash = Hash::of_node(hash, sibling);
        }
        at >>= 1;
        last >>= 1;
    }
    match (last == 0, old_hash == old_root && hash == root) {
        (false, _) => Err(Disproved::Length),
        (true, false) => Err(Disproved::Root),
        (true, true) => Ok(()),
    }
}
