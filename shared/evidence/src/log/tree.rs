//! The tree as it grows, and where its complete nodes stand in a file that is
//! only ever appended to.
//!
//! A *complete node* (level, index) is the root over the `2^level` leaves from
//! `index * 2^level` on. Any tree is a row of complete nodes, largest first,
//! one for each one-bit of its size.

use super::hash::Hash;

/// The complete nodes that a tree of some size consists of, largest first.
/// Enough to append to it and to know its root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    nodes: Vec<Hash>,
}

/// A complete node, as (level, index).
pub type Place = (u32, u64);

impl Frontier {
    pub fn empty() -> Self {
        Self {
            size: 0,
            nodes: Vec::new(),
        }
    }

    /// From the nodes that [`places`] names; `None` when they are not as many.
    pub fn of(size: u64, nodes: Vec<Hash>) -> Option<Self> {
        (nodes.len() == size.count_ones() as usize).then_some(Self { size, nodes })
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    /// Adds a leaf; gives every node that it completes, the leaf itself first,
    /// in the order of [`position`].
    pub fn push(&mut self, leaf: Hash) -> Vec<Hash> {
        let mut completed = vec![leaf];
        let mut node = leaf;
        for _ in 0..self.size.trailing_ones() {
            // There is one node for each one-bit of the size.
            let left = self.nodes.pop().expect("a node for each one-bit");
            node = Hash::of_node(left, node);
            completed.push(node);
        }
        self.nodes.push(node);
        self.size += 1;
        completed
    }

    pub fn root(&self) -> Hash {
        fold(&self.nodes)
    }

    pub(super) fn into_nodes(self) -> Vec<Hash> {
        self.nodes
    }
}

/// The root over complete nodes that stand in a row, largest first.
pub(super) fn fold(nodes: &[Hash]) -> Hash {
    let mut from_the_right = nodes.iter().rev();
    let Some(last) = from_the_right.next() else {
        return Hash::empty();
    };
    from_the_right.fold(*last, |right, left| Hash::of_node(*left, right))
}

/// The complete nodes of a tree of this size, largest first.
pub fn places(size: u64) -> Vec<Place> {
    places_between(0, size)
}

/// The complete nodes of the leaves from `first` up to `end`. `first` must be a
/// multiple of a power of two that is no smaller than `end - first`, as it is
/// for every subtree of a tree.
pub(super) fn places_between(first: u64, end: u64) -> Vec<Place> {
    let mut places = Vec::new();
    let mut at = first;
    while at < end {
        let level = (end - at).ilog2();
        places.push((level, at >> level));
        at += 1 << level;
    }
    places
}

/// Where a complete node stands in the file of all of them: each leaf is
/// followed by the nodes that it completes.
pub fn position((level, index): Place) -> u64 {
    let last_leaf = ((index + 1) << level) - 1;
    positions(last_leaf) + u64::from(level)
}

/// How many complete nodes a tree of this size has.
pub fn positions(size: u64) -> u64 {
    2 * size - u64::from(size.count_ones())
}
