//! When an instruction would start, without executing it.

use events::Costs;

use super::costs::{cycles, flash_stall};
use super::cycle::Cycle;
use super::rule::{Rule, RuleSet};

/// When an instruction would do what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Preview {
    /// First cycle in the execute stage.
    pub start: Cycle,
    /// Address phase of its (first) data access.
    pub access: Cycle,
    /// The rule by which it starts no sooner.
    pub held_by: Rule,
    /// Until when it is kept waiting though it was fetched, and by which rule.
    pub behind: (Cycle, Rule),
    /// First cycle in which it could execute, as far as fetching it goes; not before the end of the previous instruction.
    pub arrived: Cycle,
}

impl Preview {
    /// The waits of an instruction that could have started in cycle `free`, as charged when it executes. `fetched_by`: the rules by which
    /// the flash served its fetches.
    pub(crate) fn waits(&self, free: Cycle, fetched_by: RuleSet) -> Costs {
        let (until, rule) = self.behind;
        let mut waits = Costs::of(rule, cycles(until - free));
        let late = flash_stall(fetched_by).unwrap_or(self.held_by);
        waits.add(late, cycles(self.start - until.max(free)));
        waits
    }
}
