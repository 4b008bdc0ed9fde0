//! The interface of a core's pipeline model.

use std::fmt;

use super::rule::Rule;
use super::shape::Shape;
use super::state::{PipelineState, RuntimeFacts, Timing};
use super::supply::Supply;
use super::{Model, Preview};

/// The pipeline of a core, as a function from state to state: it stores nothing itself. All pipelines share one state, [`PipelineState`]; each
/// leaves the fields alone that it does not use.
///
/// It is asked for each instruction that is timed on its own, and once for each instruction of a run.
pub(crate) trait Pipeline: fmt::Debug + Sync {
    /// The rule by which the first instruction after a jump takes [`PipelineState::FILL`] cycles to come.
    fn refill(&self) -> Rule;

    /// Whether a store may end before its memory has answered.
    fn buffers_writes(&self) -> bool;

    /// Whether a load's address is known so early that it can be foreseen how a flash with wait states serves it.
    fn predicts_reads(&self) -> bool;

    /// When an instruction would start, and make its (first) data access in this area, without executing it; `skipped` if its IT
    /// condition fails. [`Pipeline::prepare`] was called for it.
    fn preview(&self, pipe: &PipelineState, model: Model, shape: &Shape, area: u8, skipped: bool) -> Preview;

    /// Executes one instruction.
    fn step(
        &self,
        pipe: &mut PipelineState,
        model: Model,
        shape: &Shape,
        facts: &RuntimeFacts,
        supply: &mut Supply<'_>,
    ) -> Timing;

    /// Makes, of a flash with wait states, the requests that nothing to come can change. (Where the next instruction decides about
    /// all of them, none.)
    fn catch_up(&self, _pipe: &mut PipelineState, _supply: &mut Supply<'_>) {}

    /// Makes, of a flash with wait states, the requests before the instruction of this shape can be decoded.
    fn prepare(&self, _pipe: &mut PipelineState, _shape: &Shape, _supply: &mut Supply<'_>) {}

    /// The state as an instruction of this shape that comes next sees it: states that it cannot tell apart are one. `timed`: a flash
    /// with wait states is to be asked.
    fn seen_by(&self, pipe: &PipelineState, _shape: &Shape, _timed: bool) -> PipelineState {
        *pipe
    }
}

#[cfg(test)]
mod tests {
    use super::Rule;
    use crate::cores::CoreKind;
    use crate::timing::{Cycle, m0, m0plus, m3};

    /// The cycles of an instruction, by its rule.
    type Takes = fn(Rule) -> Cycle;

    /// The number that takes effect is the number that is written.
    #[test]
    fn the_pages_say_what_an_instruction_takes() {
        const RULES: [Rule; 31] = [
            Rule::Alu,
            Rule::Saturate,
            Rule::Multiply,
            Rule::MultiplyAccumulate,
            Rule::SingleCycleMultiply,
            Rule::MoveFromSpecial,
            Rule::MoveToSpecial,
            Rule::ChangeMask,
            Rule::MaskRaise,
            Rule::It,
            Rule::Nop,
            Rule::Hint,
            Rule::Wait,
            Rule::Halt,
            Rule::Exceptional,
            Rule::FloatData,
            Rule::FloatMultiplyAccumulate,
            Rule::FloatMove,
            Rule::Skipped,
            Rule::Barrier,
            Rule::BranchTaken,
            Rule::BranchNotTaken,
            Rule::CompareBranch,
            Rule::BranchRegister,
            Rule::BranchLink,
            Rule::WriteToPc,
            Rule::InstructionBarrier,
            Rule::Load,
            Rule::StorePrivate,
            Rule::StoreUnbuffered,
            Rule::TableBranch,
        ];
        let cores: [(CoreKind, Takes); 5] = [
            (CoreKind::CORTEX_M0, m0::takes),
            (CoreKind::CORTEX_M0PLUS, m0plus::takes),
            (CoreKind::CORTEX_M3, m3::takes),
            (CoreKind::CORTEX_M4, m3::takes),
            (CoreKind::CORTEX_M4F, m3::takes),
        ];
        assert_eq!(cores.map(|(core, _)| core), CoreKind::ALL);
        for (core, takes) in cores {
            for rule in RULES {
                let known = core.rules.iter().find(|known| known.number == rule.into());
                let Some(known) = known else { continue };
                let number = format!("{} cycle", takes(rule));
                let text = known.text;
                assert!(
                    text.contains(&number),
                    "{core:?}, {rule:?}: no {number} in {text}"
                );
            }
        }
    }

    /// The refills and waits that take effect are those that are written.
    #[test]
    fn the_pages_say_how_long_refills_and_waits_are() {
        const REFILLS: [Rule; 7] = [
            Rule::BranchTaken,
            Rule::CompareBranch,
            Rule::BranchRegister,
            Rule::WriteToPc,
            Rule::InstructionBarrier,
            Rule::LoadPc,
            Rule::TableBranch,
        ];
        const WAITS: [Rule; 4] = [
            Rule::AddressDependency,
            Rule::BranchDependency,
            Rule::StoreThenLoad,
            Rule::WriteBehindFetch,
        ];
        for core in [CoreKind::CORTEX_M3, CoreKind::CORTEX_M4, CoreKind::CORTEX_M4F] {
            let text = |rule: Rule| {
                core.rules
                    .iter()
                    .find(|known| known.number == rule.into())
                    .map(|known| known.text)
            };
            for rule in REFILLS {
                let cycles = m3::refill(rule);
                let text = text(rule).expect("a rule of the core");
                let says = [
                    format!("a refill of {cycles}"),
                    format!("{cycles} for the refill"),
                    format!("{cycles} cycles after the data"),
                ];
                assert!(
                    says.iter().any(|says| text.contains(says)),
                    "{core:?}, {rule:?}: {cycles}, {text}"
                );
            }
            for rule in WAITS {
                let says = format!("{} cycle", m3::waits(rule));
                assert!(
                    text(rule).is_none_or(|text| text.contains(&says)),
                    "{core:?}, {rule:?}"
                );
            }
        }
    }
}
