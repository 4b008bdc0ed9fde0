//! Sums over the tree of calls.

use std::collections::BTreeMap;

use super::{Profile, Tally};

/// What a function took, over all places of the tree.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ByFunction {
    /// An index into [`Profile::functions`].
    pub function: usize,
    /// Calls.
    pub calls: u64,
    /// Cycles of its own instructions, by cause.
    pub exclusive: Tally,
    /// The same with all that it called; a function that calls itself is counted once. Interrupts are not among it.
    pub inclusive: u64,
    /// What that went to.
    pub inclusive_causes: Tally,
}

/// What a line took.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ByLine {
    /// The greatest count among its instructions: how often it ran, where no loop is within it.
    pub count: u64,
    /// Its instructions.
    pub tally: Tally,
    /// The same with all that was called from them; what calls itself is counted once.
    pub inclusive: Tally,
}

impl Profile {
    /// What each node took, with all below it.
    pub fn inclusive(&self) -> Vec<u64> {
        let mut all: Vec<u64> = self.nodes.iter().map(|node| node.exclusive().total()).collect();
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                all[parent] += all[index];
            }
        }
        all
    }

    /// What each node took, with all below it, by cause.
    pub(super) fn below(&self) -> Vec<Tally> {
        let mut all: Vec<Tally> = self.nodes.iter().map(super::Node::exclusive).collect();
        for index in (0..self.nodes.len()).rev() {
            if let Some(parent) = self.nodes[index].parent {
                let tally = all[index].clone();
                all[parent].add(&tally);
            }
        }
        all
    }

    /// What instructions took with all that was called from them, by what `key` makes of their addresses. Where a call is under way
    /// from one of a key, others of it add nothing.
    fn with_callees<K: Ord>(&self, key: impl Fn(u32) -> K) -> BTreeMap<K, Tally> {
        let (below, mut all) = (self.below(), BTreeMap::new());
        let mut children = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                children[parent].push(index);
            }
        }
        let mut under_way: BTreeMap<K, usize> = BTreeMap::new();
        let roots = (0..self.nodes.len()).filter(|&index| self.nodes[index].parent.is_none());
        // Each node, and whether it is left.
        let mut stack: Vec<(usize, bool)> = roots.map(|index| (index, false)).collect();
        while let Some((index, is_left)) = stack.pop() {
            let node = &self.nodes[index];
            let site = node.call_site.map(&key);
            if is_left {
                site.and_then(|site| under_way.get_mut(&site))
                    .into_iter()
                    .for_each(|calls| *calls -= 1);
                continue;
            }
            let is_under_way =
                |under_way: &BTreeMap<K, usize>, key: &K| under_way.get(key).is_some_and(|calls| *calls > 0);
            if let Some(site) = site {
                if !is_under_way(&under_way, &site) {
                    all.entry(key(node.call_site.unwrap_or(0)))
                        .or_insert_with(Tally::default)
                        .add(&below[index]);
                }
                *under_way.entry(site).or_default() += 1;
            }
            for (pc, tally) in &node.code {
                let key = key(*pc);
                if !is_under_way(&under_way, &key) {
                    all.entry(key).or_default().add(tally);
                }
            }
            stack.push((index, true));
            stack.extend(children[index].iter().map(|&child| (child, false)));
        }
        all
    }

    /// By function: those that took most themselves first. Contexts and sleep are among them where they took anything.
    pub fn by_function(&self) -> Vec<ByFunction> {
        let mut all: Vec<ByFunction> = (0..self.functions.len())
            .map(|function| ByFunction {
                function,
                ..ByFunction::default()
            })
            .collect();
        let below = self.below();
        for (index, node) in self.nodes.iter().enumerate() {
            let sum = &mut all[node.function];
            sum.exclusive.add(&node.exclusive());
            sum.calls += node.calls;
            if !self.is_within_itself(index) {
                sum.inclusive += below[index].total();
                sum.inclusive_causes.add(&below[index]);
            }
        }
        all.retain(|sum| {
            sum.inclusive > 0 && self.functions[sum.function].address.is_some() || sum.exclusive.total() > 0
        });
        all.sort_by_key(|sum| std::cmp::Reverse((sum.exclusive.total(), sum.inclusive)));
        all
    }

    /// Whether the function of a node stands above it, too.
    fn is_within_itself(&self, index: usize) -> bool {
        let function = self.nodes[index].function;
        self.above(index)
            .skip(1)
            .any(|above| self.nodes[above].function == function)
    }

    /// A node, and those above it.
    pub(super) fn above(&self, index: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(index), |&node| self.nodes[node].parent)
    }

    /// A node and those above it, the context first.
    pub(super) fn path(&self, index: usize) -> Vec<usize> {
        let mut path: Vec<usize> = self.above(index).collect();
        path.reverse();
        path
    }

    /// By context: in their order.
    pub fn by_context(&self) -> Vec<Tally> {
        let mut all = vec![Tally::default(); self.contexts.len()];
        for node in &self.nodes {
            all[node.context].add(&node.exclusive());
        }
        all
    }

    /// By instruction: what is no instruction is left out.
    pub fn by_instruction(&self) -> BTreeMap<u32, Tally> {
        let mut all: BTreeMap<u32, Tally> = BTreeMap::new();
        for (pc, tally) in self.nodes.iter().flat_map(|node| &node.code) {
            all.entry(*pc).or_default().add(tally);
        }
        all
    }

    /// By instruction, with all that was called from there; an instruction that calls itself in the end is counted once.
    pub fn by_instruction_inclusive(&self) -> BTreeMap<u32, Tally> {
        self.with_callees(|pc| pc)
    }

    /// By source line: `None` for instructions of which no line is known.
    pub fn by_line(&self) -> BTreeMap<Option<(String, u32)>, ByLine> {
        let mut all: BTreeMap<_, ByLine> = BTreeMap::new();
        for (pc, tally) in self.by_instruction() {
            let line = all.entry(self.line_of(pc)).or_default();
            line.count = line.count.max(tally.count);
            line.tally.add(&tally);
        }
        for (place, tally) in self.with_callees(|pc| self.line_of(pc)) {
            all.entry(place).or_default().inclusive = tally;
        }
        all
    }

    /// The line of an instruction.
    pub(super) fn line_of(&self, pc: u32) -> Option<(String, u32)> {
        let code = self.code.get(&pc)?;
        code.frames.first()?.place.clone()
    }

    /// The whole run.
    pub fn total(&self) -> Tally {
        let mut all = Tally::default();
        for node in &self.nodes {
            all.add(&node.exclusive());
        }
        all
    }

    /// A tally by class, in the order of [`Profile::classes`].
    pub fn by_class(&self, tally: &Tally) -> Vec<u64> {
        let mut all = vec![0; self.classes.len()];
        for &(cause, cycles) in &tally.cycles {
            all[self.causes[cause].class] += cycles;
        }
        all
    }

    /// The rules of a tally with their cycles, most first.
    pub(super) fn by_rule(&self, tally: &Tally) -> Vec<(&str, u64)> {
        let named = tally
            .cycles
            .iter()
            .map(|&(cause, cycles)| (self.causes[cause].rule.as_str(), cycles));
        let mut all: Vec<_> = named.collect();
        all.sort_by_key(|&(rule, cycles)| (std::cmp::Reverse(cycles), rule));
        all
    }

    /// Lines with code that were executed, and lines with code.
    pub fn coverage(&self) -> (usize, usize) {
        let all = || self.lines.values().flat_map(BTreeMap::values);
        (all().filter(|count| **count > 0).count(), all().count())
    }
}
