//! The trees of calls, and what was spent where.

use events::Costs;

use super::functions::Piece;

/// Deeper than this a function that stands above already is not put below once more.
const DEEPEST: u32 = 256;

/// No rule.
const NONE: u8 = u8::MAX;

/// Rules that a cell holds without further memory.
const HELD: usize = 3;

/// What one instruction took, in one place of the tree: so small that most of the time there are few to a line of the cache.
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

    /// Once more, at this cost.
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

    /// Cycles by rule.
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
    /// Where its instructions begin among all cells.
    base: usize,
    depth: u32,
    children: Vec<u32>,
}

/// Where the run is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Here {
    pub(super) node: u32,
    pub(super) start: u32,
    pub(super) length: u32,
    base: usize,
}

/// All trees.
#[derive(Default, Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    cells: Vec<Cell>,
}

impl Tree {
    /// A context as a whole.
    pub(super) fn root(&mut self, context: u32, function: u32) -> u32 {
        let piece = Piece {
            function,
            start: 0,
            length: 0,
        };
        self.insert(None, context, None, piece)
    }

    /// What a node calls there, whether it has called that before or not.
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

    /// The nearest node from this one upwards of which something is true.
    pub(super) fn above(&self, node: u32, is_it: impl Fn(&Node) -> bool) -> Option<u32> {
        let mut all = std::iter::successors(Some(node), |&node| self.nodes[node as usize].parent);
        all.find(|&node| is_it(&self.nodes[node as usize]))
    }

    fn insert(&mut self, parent: Option<u32>, context: u32, call_site: Option<u32>, piece: Piece) -> u32 {
        let number = self.nodes.len() as u32;
        let base = self.cells.len();
        self.cells
            .resize(base + (piece.length as usize).div_ceil(2), Cell::NONE);
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

    /// The run goes on in a node.
    pub(super) fn here(&self, node: u32) -> Here {
        let Node { piece, base, .. } = self.nodes[node as usize];
        Here {
            node,
            start: piece.start,
            length: piece.length,
            base,
        }
    }

    /// The cell of an instruction that stands here.
    #[inline]
    pub(super) fn cell(&mut self, here: &Here, pc: u32) -> &mut Cell {
        &mut self.cells[here.base + (pc.wrapping_sub(here.start) >> 1) as usize]
    }

    /// The instructions of a node that were executed.
    pub(super) fn code(&self, node: &Node) -> impl Iterator<Item = (u32, &Cell)> {
        let cells = &self.cells[node.base..][..(node.piece.length as usize).div_ceil(2)];
        let start = node.piece.start;
        let all = cells
            .iter()
            .enumerate()
            .map(move |(index, cell)| (start + 2 * index as u32, cell));
        all.filter(|(_, cell)| cell.count > 0)
    }
}
