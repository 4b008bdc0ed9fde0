//! Collapsed stacks.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Frame, Profile, Tally};

impl Profile {
    /// Collapsed stacks, a line each: `context;function;function cycles`, inlined functions included. The lines add up to the run's
    /// cycles. With `causes`, the last function is followed by the cause in brackets.
    pub fn folded(&self, causes: bool) -> String {
        let mut text = String::new();
        for (stack, cycles) in self.stacks_of(causes) {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(text, "{stack} {cycles}");
        }
        text
    }

    pub(super) fn stacks_of(&self, causes: bool) -> BTreeMap<String, u64> {
        let mut all: BTreeMap<String, u64> = BTreeMap::new();
        for index in 0..self.nodes.len() {
            for (names, tally) in self.leaves(index) {
                let stack: Vec<String> = names.iter().map(|name| in_a_stack(name)).collect();
                let stack = stack.join(";");
                if !causes {
                    *all.entry(stack).or_default() += tally.total();
                    continue;
                }
                for (class, cycles) in self.by_class(&tally).into_iter().enumerate() {
                    if cycles > 0 {
                        *all.entry(format!("{stack};[{}]", self.classes[class]))
                            .or_default() += cycles;
                    }
                }
            }
        }
        all.retain(|_, cycles| *cycles > 0);
        all
    }

    /// The stacks that end in a node, inlined functions included, with the cycles spent there.
    pub(super) fn leaves(&self, index: usize) -> Vec<(Vec<String>, Tally)> {
        let above = self.names_above(index);
        let node = &self.nodes[index];
        let mut all = vec![(above.clone(), node.own.clone())];
        for (pc, tally) in &node.code {
            let mut names = above.clone();
            names.extend(self.inlined_at(*pc));
            match all.iter_mut().find(|(known, _)| *known == names) {
                Some((_, sum)) => sum.add(tally),
                None => all.push((names, tally.clone())),
            }
        }
        all.retain(|(_, tally)| tally.total() > 0);
        all
    }

    /// The functions from the root to a node, with the functions inlined at each call site.
    fn names_above(&self, index: usize) -> Vec<String> {
        let mut names = Vec::new();
        for node in self.path(index) {
            let node = &self.nodes[node];
            if let Some(pc) = node.call_site {
                names.extend(self.inlined_at(pc));
            }
            names.push(self.functions[node.function].name.clone());
        }
        names
    }

    /// The functions inlined at an instruction, outermost first, without the function itself.
    fn inlined_at(&self, pc: u32) -> Vec<String> {
        let Some(code) = self.code.get(&pc) else {
            return Vec::new();
        };
        let (_, inlined) = code.frames.split_last().unwrap_or((&NONE, &[]));
        let names = inlined.iter().rev().filter_map(|frame| frame.function.clone());
        names.collect()
    }
}

/// Escapes a name so that it neither splits a stack frame nor looks like a cycle count.
fn in_a_stack(name: &str) -> String {
    let name = name.replace(';', ":");
    match name.rsplit_once(' ') {
        Some((front, last)) if last.parse::<f64>().is_ok() => format!("{front}_{last}"),
        _ => name,
    }
}

const NONE: Frame = Frame {
    function: None,
    place: None,
};
