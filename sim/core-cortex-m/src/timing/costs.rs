//! The costs of an instruction's cycles, by rule.

use events::Costs;

use super::Cycle;
use super::fetch::Fetch;
use super::rule::{Rule, RuleSet};
use super::{CODE_END, Model};

/// A number of cycles that may have come out below zero, where instructions overlap: then none.
pub(super) fn cycles(cycles: Cycle) -> u32 {
    cycles.max(0) as u32
}

/// Makes the costs add up to the instruction's window: the rule of its kind gets the missing cycles. If it overlaps with the previous
/// instruction, so that its window is shorter than its parts, the first cycles were hidden.
pub(super) fn settle(costs: &mut Costs, window: Cycle, main: Rule) {
    let (window, claimed) = (cycles(window), costs.total() as u32);
    costs.add(main, window.saturating_sub(claimed));
    costs.take_first(claimed.saturating_sub(window));
}

/// The rule by which an instruction was late from a flash with wait states, if that served it late.
pub(super) fn flash_stall(fetched_by: RuleSet) -> Option<Rule> {
    let late = [Rule::FlashContention, Rule::FlashWait, Rule::FlashPrefetch];
    late.into_iter().find(|&rule| fetched_by.contains(rule))
}

impl Fetch {
    /// The rule by which an instruction that nothing else keeps waiting is late.
    pub(super) fn stalled_by(&self, model: Model, pc: u32, size: u8) -> Rule {
        self.waited_by(model, pc, size).unwrap_or_else(|| {
            if self.was_delayed(pc, size) {
                Rule::FetchInVain
            } else {
                self.missed(pc, size).unwrap_or(Rule::FetchFifo)
            }
        })
    }

    /// The rule by which its memory made an instruction late, if it did.
    pub(super) fn waited_by(&self, model: Model, pc: u32, size: u8) -> Option<Rule> {
        if self.was_late(pc, size) {
            Some(Rule::FlashWait)
        } else if !self.is_slow() {
            None
        } else if pc >= CODE_END && model.has(Rule::SystemFetch) {
            Some(Rule::SystemFetch)
        } else {
            Some(Rule::WaitStates)
        }
    }
}
