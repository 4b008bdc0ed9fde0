//! The call trees with the cycles spent in each node.

use events::Costs;

use super::functions::Piece;

/// Maximum depth at which a recursive function still gets nested nodes.
const DEEPEST: u32 = 256;

/// No rule.
const NONE: u8 = u8::MAX;

/// Cells allocated together on first use: code without symbols is large, and little of it executes.
const BLOCK: usize = 16;

/// A block that is not allocated.
const UNMET: u32 = u32::MAX;

/// Rules that a cell stores inline.
const HELD: usize = 3;

/// The cost of one instruction in one node, kept small for the host's cache.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) count: u64,
    pub(super) raw: u32,
    rules: [u8; HELD],
    cycles: [u64; HELD],
    more: Vec<(u8, u64)>,
}

impl Cell {
    pub(super) const NONE: Cell = Cell {
        count: 0,
        raw: 0,
        rules: [NONE; HELD],
        cycles: [0; HELD],
        more: Vec::new(),
    };

    /// Counts one more execution with this cost.
    #[inline]
    pub(super) fn add(&mut self, costs: &Costs) {
        self.count += 1;
        for cost in costs.as_slice() {
            if cost.rule.0 == self.rules[0] {
                self.cycles[0] += u64::from(cost.cycles);
            } else {
                self.spend(cost.rule.0, u64::from(cost.cycles));
            }
        }
    }

    /// Fast path: counts one more execution if it costs nothing, or only cycles of the cell's first rule. Returns whether it did.
    #[inline(always)]
    pub(super) fn add_again(&mut self, costs: &Costs) -> bool {
        let cycles = match costs.as_slice() {
            [] => 0,
            [cost] if cost.rule.0 == self.rules[0] => cost.cycles,
            _ => return false,
        };
        self.count += 1;
        self.cycles[0] += u64::from(cycles);
        true
    }

    fn spend(&mut self, rule: u8, cycles: u64) {
        for (known, sum) in self.rules.iter_mut().zip(&mut self.cycles) {
            if *known == rule {
                *sum += cycles;
                return;
            }
            if *known == NONE {
                (*known, *sum) = (rule, cycles);
                return;
            }
        }
        match self.more.iter_mut().find(|(known, _)| *known == rule) {
            Some((_, sum)) => *sum += cycles,
            None => self.more.push((rule, cycles)),
        }
    }

    /// The cycles by rule.
    pub(super) fn spent(&self) -> impl Iterator<Item = (u8, u64)> {
        let held = self.rules.iter().copied().zip(self.cycles.iter().copied());
        let more = self.more.iter().copied();
        held.filter(|(rule, _)| *rule != NONE).chain(more)
    }
}

/// A function in one place of the tree.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) parent: Option<u32>,
    pub(super) context: u32,
    pub(super) call_site: Option<u32>,
    pub(super) piece: Piece,
    pub(super) calls: u64,
    pub(super) own: Cell,
    /// Index of its first block in `Tree::blocks`.
    base: usize,
    depth: u32,
    children: Vec<u32>,
}

/// The current position of the run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Here {
    pub(super) node: u32,
    pub(super) start: u32,
    pub(super) length: u32,
    base: usize,
}

/// All call trees.
#[derive(Default, Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// For each node in turn, the cell block of each group of its instructions.
    blocks: Vec<u32>,
    cells: Vec<[Cell; BLOCK]>,
}

impl Tree {
    /// Adds a context's root.
    pub(super) fn root(&mut self, context: u32, function: u32) -> u32 {
        let piece = Piece {
            function,
            start: 0,
            length: 0,
        };
        self.insert(None, context, None, piece)
    }

    /// The child node for a call, created if needed.
    pub(super) fn child(&mut self, parent: u32, call_site: Option<u32>, piece: Piece) -> u32 {
        let is_it = |&&child: &&u32| {
            let child = &self.nodes[child as usize];
            child.call_site == call_site && child.piece == piece
        };
        let known = &self.nodes[parent as usize].children;
        if let Some(&child) = known.iter().find(is_it) {
            return child;
        }
        if self.nodes[parent as usize].depth >= DEEPEST
            && let Some(above) = self.above(parent, |node| node.piece == piece)
        {
            return above;
        }
        let context = self.nodes[parent as usize].context;
        self.insert(Some(parent), context, call_site, piece)
    }

    /// The nearest node, from this one upwards, for which `is_it` holds.
    pub(super) fn above(&self, node: u32, is_it: impl Fn(&Node) -> bool) -> Option<u32> {
        let mut all = std::iter::successors(Some(node), |&node| self.nodes[node as usize].parent);
        all.find(|&node| is_it(&self.nodes[node as usize]))
    }

    fn insert(&mut self, parent: Option<u32>, context: u32, call_site: Option<u32>, piece: Piece) -> u32 {
        let number = self.nodes.len() as u32;
        let base = self.blocks.len();
        self.blocks.resize(base + blocks_of(piece), UNMET);
        let mut depth = 0;
        if let Some(parent) = parent {
            let parent = &mut self.nodes[parent as usize];
            parent.children.push(number);
            depth = parent.depth + 1;
        }
        self.nodes.push(Node {
            parent,
            context,
            call_site,
            piece,
            calls: 0,
            own: Cell::NONE,
            base,
            depth,
            children: Vec::new(),
        });
        number
    }

    /// The position at the start of a node.
    pub(super) fn here(&self, node: u32) -> Here {
        let Node { piece, base, .. } = self.nodes[node as usize];
        Here {
            node,
            start: piece.start,
            length: piece.length,
            base,
        }
    }

    /// The cell of an instruction in this node.
    #[inline]
    pub(super) fn cell(&mut self, here: &Here, pc: u32) -> &mut Cell {
        let index = (pc.wrapping_sub(here.start) >> 1) as usize;
        let mut block = self.blocks[here.base + index / BLOCK];
        if block == UNMET {
            block = self.meet(here.base + index / BLOCK);
        }
        &mut self.cells[block as usize][index % BLOCK]
    }

    /// The cell of an instruction, if it or a neighbour has executed.
    #[inline(always)]
    pub(super) fn known(&mut self, here: &Here, pc: u32) -> Option<&mut Cell> {
        let index = (pc.wrapping_sub(here.start) >> 1) as usize;
        let block = *self.blocks.get(here.base + index / BLOCK)?;
        let cells = self.cells.get_mut(block as usize)?;
        Some(&mut cells[index % BLOCK])
    }

    #[cold]
    #[inline(never)]
    fn meet(&mut self, at: usize) -> u32 {
        let block = self.cells.len() as u32;
        self.cells.push([Cell::NONE; BLOCK]);
        self.blocks[at] = block;
        block
    }

    /// The executed instructions of a node.
    pub(super) fn code(&self, node: &Node) -> impl Iterator<Item = (u32, &Cell)> {
        let blocks = self.blocks[node.base..][..blocks_of(node.piece)]
            .iter()
            .enumerate();
        let met = blocks.filter(|(_, block)| **block != UNMET);
        let start = node.piece.start;
        let all = met.flat_map(move |(number, &block)| {
            let cells = self.cells[block as usize].iter().enumerate();
            cells.map(move |(index, cell)| (start + 2 * (number * BLOCK + index) as u32, cell))
        });
        all.filter(|(_, cell)| cell.count > 0)
    }
}

/// Number of blocks for the instructions of a piece.
const fn blocks_of(piece: Piece) -> usize {
    (piece.length as usize).div_ceil(2 * BLOCK)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fixed half a MiB per node, which made large stripped images run out of memory.
    #[test]
    fn a_node_takes_memory_for_what_is_executed() {
        let mut tree = Tree::default();
        let root = tree.root(0, 0);
        let piece = |start| Piece {
            function: 1,
            start,
            length: 1 << 14,
        };
        for (site, start) in (0..1000).zip([0x4000, 0x8000].into_iter().cycle()) {
            let node = tree.child(root, Some(site), piece(start));
            let here = tree.here(node);
            for pc in [start, start + 0x3ffe, start + 0x3ffe] {
                tree.cell(&here, pc).count += 1;
            }
            let met: Vec<_> = tree
                .code(&tree.nodes[node as usize])
                .map(|(pc, cell)| (pc, cell.count))
                .collect();
            assert_eq!(met, [(start, 1), (start + 0x3ffe, 2)]);
        }
        assert_eq!(tree.cells.len(), 2000);
    }
}
