//! Sums over the call trees.

use std::collections::BTreeMap;

use super::{Profile, Tally};

/// A function's cost, summed over all its nodes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ByFunction {
    /// An index into [`Profile::functions`].
    pub function: usize,
    /// Calls.
    pub calls: u64,
    /// Cycles of its own instructions, by cause.
    pub exclusive: Tally,
    /// Cycles of the function and all its callees, recursion counted once. Interrupts are not included.
    pub inclusive: u64,
    /// The inclusive cycles by cause.
    pub inclusive_causes: Tally,
}

/// A source line's cost.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ByLine {
    /// The greatest execution count of its instructions: how often the line ran, unless it contains a loop.
    pub count: u64,
    /// The line's own cycles by cause.
    pub tally: Tally,
    /// The cycles of the line and all callees, recursion counted once.
    pub inclusive: Tally,
}

impl Profile {
    /// The inclusive cycles of each node.
    pub fn inclusive(&self) -> Vec<u64> {
        let mut all: Vec<u64> = self.nodes.iter().map(|node| node.exclusive().total()).collect();
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                all[parent] += all[index];
            }
        }
        all
    }

    /// The inclusive cycles of each node, by cause.
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

    /// Inclusive cost of instructions, grouped by `key` of their address. A call made while another call from the same group is under way
    /// adds nothing, so that recursion counts once.
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
        // A node, and whether it is being left.
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

    /// Cost by function, the highest exclusive cost first. Contexts and sleep are included if they took any cycles.
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

    /// Whether the node's function is also one of its ancestors.
    fn is_within_itself(&self, index: usize) -> bool {
        let function = self.nodes[index].function;
        self.above(index)
            .skip(1)
            .any(|above| self.nodes[above].function == function)
    }

    /// A node and its ancestors, innermost first.
    pub(super) fn above(&self, index: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(index), |&node| self.nodes[node].parent)
    }

    /// The nodes from the context to this node.
    pub(super) fn path(&self, index: usize) -> Vec<usize> {
        let mut path: Vec<usize> = self.above(index).collect();
        path.reverse();
        path
    }

    /// Cost by context, in the order of [`Profile::contexts`].
    pub fn by_context(&self) -> Vec<Tally> {
        let mut all = vec![Tally::default(); self.contexts.len()];
        for node in &self.nodes {
            all[node.context].add(&node.exclusive());
        }
        all
    }

    /// Cost by instruction, without cycles that belong to none.
    pub fn by_instruction(&self) -> BTreeMap<u32, Tally> {
        let mut all: BTreeMap<u32, Tally> = BTreeMap::new();
        for (pc, tally) in self.nodes.iter().flat_map(|node| &node.code) {
            all.entry(*pc).or_default().add(tally);
        }
        all
    }

    /// Inclusive cost by instruction, recursion counted once.
    pub fn by_instruction_inclusive(&self) -> BTreeMap<u32, Tally> {
        self.with_callees(|pc| pc)
    }

    /// Cost by source line; `None` holds the instructions without a known line.
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

    /// Source line of an instruction.
    pub(super) fn line_of(&self, pc: u32) -> Option<(String, u32)> {
        let code = self.code.get(&pc)?;
        code.frames.first()?.place.clone()
    }

    /// Cost of the whole run.
    pub fn total(&self) -> Tally {
        let mut all = Tally::default();
        for node in &self.nodes {
            all.add(&node.exclusive());
        }
        all
    }

    /// A tally's cycles by class, in the order of [`Profile::classes`].
    pub fn by_class(&self, tally: &Tally) -> Vec<u64> {
        let mut all = vec![0; self.classes.len()];
        for &(cause, cycles) in &tally.cycles {
            all[self.causes[cause].class] += cycles;
        }
        all
    }

    /// The rules of a tally with their cycles, most cycles first.
    pub(super) fn by_rule(&self, tally: &Tally) -> Vec<(&str, u64)> {
        let named = tally
            .cycles
            .iter()
            .map(|&(cause, cycles)| (self.causes[cause].rule.as_str(), cycles));
        let mut all: Vec<_> = named.collect();
        all.sort_by_key(|&(rule, cycles)| (std::cmp::Reverse(cycles), rule));
        all
    }

    /// Number of executed lines, and number of lines with code.
    pub fn coverage(&self) -> (usize, usize) {
        let all = || self.lines.values().flat_map(BTreeMap::values);
        (all().filter(|count| **count > 0).count(), all().count())
    }
}
