//! Cycle windows, and how their cycles split by rule.

use std::fmt;

use crate::rule::{RuleId, RuleSet};

/// The half-open cycle interval `from..to`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Window {
    /// First cycle.
    pub from: u64,
    /// The cycle after the last.
    pub to: u64,
}

impl Window {
    /// Length in cycles.
    pub const fn length(self) -> u64 {
        self.to - self.from
    }
}

/// Cycles that one rule accounts for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cost {
    /// The rule.
    pub rule: RuleId,
    /// Number of cycles.
    pub cycles: u32,
}

/// The cycles of one window by rule. Each rule appears once, with at least one cycle.
///
/// Holds up to [`Costs::MOST`] rules inline, so that an event can be copied.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Costs {
    length: u8,
    costs: [Cost; Costs::MOST],
}

impl Costs {
    /// Capacity in rules, more than any known window needs. In a fuller window the last rule would take all further cycles.
    pub const MOST: usize = 8;

    /// No cycles.
    pub const NONE: Costs = Costs {
        length: 0,
        costs: [Cost {
            rule: RuleId(0),
            cycles: 0,
        }; Costs::MOST],
    };

    /// All cycles by one rule.
    pub fn of(rule: impl Into<RuleId>, cycles: u32) -> Costs {
        let mut costs = Costs::NONE;
        costs.add(rule, cycles);
        costs
    }

    /// Adds cycles to a rule.
    #[inline]
    pub fn add(&mut self, rule: impl Into<RuleId>, cycles: u32) {
        if cycles == 0 {
            return;
        }
        let (rule, length) = (rule.into(), usize::from(self.length));
        if let Some(known) = self.costs[..length].iter_mut().find(|cost| cost.rule == rule) {
            known.cycles += cycles;
        } else if length < Costs::MOST {
            self.costs[length] = Cost { rule, cycles };
            self.length += 1;
        } else {
            self.costs[length - 1].cycles += cycles;
        }
    }

    /// Adds the costs of another window.
    pub fn join(&mut self, other: &Costs) {
        for cost in other.iter() {
            self.add(cost.rule, cost.cycles);
        }
    }

    /// Removes `cycles` from the front, for cycles that belong to an earlier window.
    #[inline]
    pub fn take_first(&mut self, cycles: u32) {
        if cycles > 0 {
            self.without_first(cycles);
        }
    }

    fn without_first(&mut self, mut cycles: u32) {
        let all = *self;
        *self = Costs::NONE;
        for cost in all.iter() {
            let taken = cycles.min(cost.cycles);
            cycles -= taken;
            self.add(cost.rule, cost.cycles - taken);
        }
    }

    /// The costs of the first `cycles`, from the front.
    #[must_use]
    pub fn first(&self, mut cycles: u32) -> Costs {
        let mut first = Costs::NONE;
        for cost in self.iter() {
            first.add(cost.rule, cycles.min(cost.cycles));
            cycles = cycles.saturating_sub(cost.cycles);
        }
        first
    }

    /// The costs, in the order in which their rules were added.
    pub fn iter(&self) -> impl Iterator<Item = Cost> + '_ {
        self.as_slice().iter().copied()
    }

    /// The costs as a slice.
    pub fn as_slice(&self) -> &[Cost] {
        &self.costs[..usize::from(self.length)]
    }

    /// Total cycles.
    pub fn total(&self) -> u64 {
        self.iter().map(|cost| u64::from(cost.cycles)).sum()
    }

    /// The set of rules with cycles.
    pub fn rules(&self) -> RuleSet {
        self.iter().fold(RuleSet::EMPTY, |set, cost| set.with(cost.rule))
    }
}

impl Default for Costs {
    fn default() -> Self {
        Costs::NONE
    }
}

impl fmt::Debug for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.iter().map(|cost| (cost.rule.0, cost.cycles));
        f.debug_map().entries(pairs).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u8) -> RuleId {
        RuleId(number)
    }

    #[test]
    fn a_rule_stands_once_and_the_total_is_kept() {
        let mut costs = Costs::of(id(1), 2);
        costs.add(id(2), 1);
        costs.add(id(1), 3);
        costs.add(id(9), 0);
        assert_eq!(format!("{costs:?}"), "{1: 5, 2: 1}");
        assert_eq!(costs.total(), 6);
        assert_eq!(costs.rules(), RuleSet::of(id(1)).with(id(2)));
    }

    #[test]
    fn more_rules_than_there_is_room_for_lose_no_cycle() {
        let mut costs = Costs::NONE;
        for number in 0..20 {
            costs.add(id(number), 1);
        }
        assert_eq!(costs.total(), 20);
        assert_eq!(costs.as_slice().len(), Costs::MOST);
    }

    #[test]
    fn what_was_counted_before_is_taken_from_the_front() {
        let mut costs = Costs::of(id(1), 2);
        costs.add(id(2), 3);
        costs.take_first(3);
        assert_eq!(format!("{costs:?}"), "{2: 2}");
    }
}
