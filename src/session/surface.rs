//! The surface: the events that messages are derived from, in their order (spec 2-session.md, 5).
//!
//! The order is not that of the sequence numbers: a replacement stands where its range stood. The nodes are
//! held in blocks of at most [`BLOCK`], and each event knows its block, so that a node is found without a walk over
//! the surface and a replacement moves one block at most.
//!
//! Invariants: no block is empty; ids of blocks grow in surface order; the blocks around a replacement are
//! merged while they fit into half a block, so that there are never many small ones.

/// The most nodes of a block. Blocks and their nodes are about equally many on a surface of 250,000 nodes.
const BLOCK: usize = 512;
/// Blocks are merged up to here, which leaves room for what comes.
const MERGED: usize = BLOCK / 2;
/// The block of an event that is not on the surface.
const NOWHERE: u32 = u32::MAX;

/// The nodes in surface order. See the module's head.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    blocks: Vec<Block>,
    /// The id of each event's block, by sequence number.
    block_of: Vec<u32>,
    len: usize,
    next_id: u32,
    replace_generation: u64,
}

#[derive(Clone, Debug)]
struct Block {
    id: u32,
    nodes: Vec<u64>,
}

/// Where a node stands; smaller is earlier in surface order. Holds until the surface changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    block: usize,
    at: usize,
}

impl Surface {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many replacements there were.
    pub fn replace_generation(&self) -> u64 {
        self.replace_generation
    }

    /// The nodes in surface order; what was appended since is at the back.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = u64> + '_ {
        self.blocks
            .iter()
            .flat_map(|block| block.nodes.iter().copied())
    }

    /// Whether an event is on the surface. Constant time.
    pub fn contains(&self, seq: u64) -> bool {
        self.block_id(seq).is_some()
    }

    /// Where an event stands, or `None` if it is not on the surface. Takes a look through one block.
    pub fn position(&self, seq: u64) -> Option<Position> {
        let id = self.block_id(seq)?;
        let block = self
            .blocks
            .binary_search_by_key(&id, |block| block.id)
            .ok()?;
        let at = self.blocks[block]
            .nodes
            .iter()
            .position(|&node| node == seq)?;
        Some(Position { block, at })
    }

    /// The nodes from one to another, both included; none if `start` stands behind `end`. Linear in their
    /// number.
    pub fn range(&self, start: Position, end: Position) -> Vec<u64> {
        let mut nodes = Vec::new();
        for index in start.block..=end.block {
            let Some(block) = self.blocks.get(index) else {
                break;
            };
            let from = if index == start.block { start.at } else { 0 };
            let to = if index == end.block {
                end.at + 1
            } else {
                block.nodes.len()
            };
            nodes.extend_from_slice(block.nodes.get(from..to).unwrap_or_default());
        }
        nodes
    }

    /// Puts an event behind all others. It is not on the surface yet.
    ///
    /// Memory grows with the highest sequence number: they count the events of a log, without holes. Amortised
    /// constant time.
    pub fn push(&mut self, seq: u64) {
        if self
            .blocks
            .last()
            .is_none_or(|last| last.nodes.len() >= BLOCK)
        {
            self.blocks.push(Block {
                id: self.next_id,
                nodes: Vec::new(),
            });
            self.next_id += 1;
        }
        if let Some(last) = self.blocks.last_mut() {
            last.nodes.push(seq);
            let id = last.id;
            self.set_block(seq, id);
            self.len += 1;
        }
    }

    /// Puts an event in the place of the nodes from `start` to `end`, both included. It is not on the surface
    /// yet. Linear in what is replaced, besides a few blocks and the list of blocks.
    ///
    /// Changes nothing and says so with `false` if `start` or `end` is not on the surface or `start` stands
    /// behind `end`.
    pub fn replace(&mut self, start: u64, end: u64, seq: u64) -> bool {
        let (Some(start), Some(end)) = (self.position(start), self.position(end)) else {
            return false;
        };
        if start > end {
            return false;
        }
        let shadowed = self.range(start, end);
        for &node in &shadowed {
            self.set_block(node, NOWHERE);
        }
        self.cut(start, end, seq);
        self.set_block(seq, self.blocks[start.block].id);
        self.len = self.len + 1 - shadowed.len();
        self.replace_generation += 1;
        self.merge_around(start.block);
        true
    }

    /// Takes the nodes of a range out of their blocks and puts `seq` in its place.
    fn cut(&mut self, start: Position, end: Position, seq: u64) {
        if start.block == end.block {
            self.blocks[start.block]
                .nodes
                .splice(start.at..=end.at, [seq]);
            return;
        }
        let first = &mut self.blocks[start.block].nodes;
        first.truncate(start.at);
        first.push(seq);
        let last = &mut self.blocks[end.block].nodes;
        last.drain(..=end.at);
        let gone = end.block + usize::from(last.is_empty());
        self.blocks.drain(start.block + 1..gone);
    }

    /// Merges the block with its neighbours, and the next one with the one behind it, while they are small.
    fn merge_around(&mut self, block: usize) {
        for left in [Some(block + 1), Some(block), block.checked_sub(1)]
            .into_iter()
            .flatten()
        {
            self.merge_with_next(left);
        }
    }

    fn merge_with_next(&mut self, left: usize) {
        let [Some(first), Some(second)] = [left, left + 1].map(|index| self.blocks.get(index))
        else {
            return;
        };
        if first.nodes.len() + second.nodes.len() > MERGED {
            return;
        }
        let id = first.id;
        let moved = self.blocks.remove(left + 1).nodes;
        for &node in &moved {
            self.set_block(node, id);
        }
        self.blocks[left].nodes.extend(moved);
    }

    fn block_id(&self, seq: u64) -> Option<u32> {
        let id = *self.block_of.get(usize::try_from(seq).ok()?)?;
        (id != NOWHERE).then_some(id)
    }

    fn set_block(&mut self, seq: u64, id: u32) {
        let Ok(index) = usize::try_from(seq) else {
            return;
        };
        if index >= self.block_of.len() {
            self.block_of.resize(index + 1, NOWHERE);
        }
        self.block_of[index] = id;
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    fn nodes(surface: &Surface) -> Vec<u64> {
        surface.nodes().collect()
    }

    fn pushed(seqs: std::ops::Range<u64>) -> Surface {
        let mut surface = Surface::default();
        seqs.for_each(|seq| surface.push(seq));
        surface
    }

    #[test]
    fn a_replacement_stands_where_its_range_stood() {
        let mut surface = pushed(0..4);
        assert!(surface.replace(1, 2, 4));
        assert_eq!(nodes(&surface), [0, 4, 3]);
        assert_eq!((surface.len(), surface.replace_generation()), (3, 1));
        assert!(surface.contains(4) && !surface.contains(1) && !surface.contains(2));
        assert!(surface.replace(4, 3, 5), "the start may be the greater");
        assert_eq!(nodes(&surface), [0, 5]);
    }

    #[test]
    fn what_is_no_range_changes_nothing() {
        let mut surface = pushed(0..3);
        assert!(!surface.replace(2, 1, 3));
        assert!(!surface.replace(0, 7, 3));
        assert!(!surface.replace(u64::MAX, 0, 3));
        assert_eq!(nodes(&surface), [0, 1, 2]);
        assert_eq!(surface.replace_generation(), 0);
        let (start, end) = (surface.position(2).unwrap(), surface.position(0).unwrap());
        assert!(start > end && surface.range(start, end).is_empty());
    }

    #[test]
    fn a_range_over_many_blocks_leaves_its_ends() {
        let count = 10 * BLOCK as u64;
        let mut surface = pushed(0..count);
        let (start, end) = (
            surface.position(3).unwrap(),
            surface.position(count - 2).unwrap(),
        );
        assert!(surface.range(start, end).into_iter().eq(3..count - 1));
        assert!(surface.replace(3, count - 2, count));
        assert_eq!(nodes(&surface), [0, 1, 2, count, count - 1]);
        assert_eq!(surface.blocks.len(), 1);
    }

    #[test]
    fn many_replacements_leave_few_blocks() {
        let (count, width) = (64 * BLOCK as u64, 64);
        let mut surface = pushed(0..count);
        for (seq, start) in (count..).zip((0..count).step_by(width)) {
            assert!(surface.replace(start, start + width as u64 - 1, seq));
        }
        assert_eq!(surface.len(), 64 * BLOCK / width);
        assert!(surface.blocks.len() <= 2 * surface.len() / MERGED + 1);
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// The surface as a plain list.
    #[derive(Default)]
    struct Model(Vec<u64>);

    impl Model {
        fn replace(&mut self, from: usize, to: usize, seq: u64) {
            self.0.splice(from..=to, [seq]);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Runs of appends, and replacements anywhere of any width.
        #[test]
        fn a_surface_is_a_list(
            steps in prop::collection::vec((0..700_u64, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..20)
        ) {
            let (mut surface, mut model, mut seq) = (Surface::default(), Model::default(), 0);
            for (appends, one, other) in steps {
                // Some events are not on the surface.
                for seq in (seq..seq + appends).filter(|seq| seq % 5 != 0) {
                    surface.push(seq);
                    model.0.push(seq);
                }
                seq += appends;
                if model.0.is_empty() {
                    continue;
                }
                let (one, other) = (one.index(model.0.len()), other.index(model.0.len()));
                // Narrow ranges more often than wide ones.
                let (from, to) = (one.min(other), if one % 3 == 0 { one.max(other) } else { one.min(other) + one % 3 });
                let to = to.min(model.0.len() - 1);
                let (start, end) = (model.0[from], model.0[to]);
                let (first, last) = (surface.position(start).unwrap(), surface.position(end).unwrap());
                prop_assert_eq!(surface.range(first, last), &model.0[from..=to]);
                prop_assert_eq!(first.cmp(&last), from.cmp(&to));
                prop_assert!(surface.replace(start, end, seq));
                model.replace(from, to, seq);
                seq += 1;
                prop_assert!(surface.nodes().eq(model.0.iter().copied()));
                prop_assert!(surface.nodes().rev().eq(model.0.iter().rev().copied()));
                prop_assert_eq!(surface.len(), model.0.len());
                let on: HashSet<u64> = model.0.iter().copied().collect();
                prop_assert!((0..=seq).all(|seq| surface.contains(seq) == on.contains(&seq)));
            }
        }
    }
}
