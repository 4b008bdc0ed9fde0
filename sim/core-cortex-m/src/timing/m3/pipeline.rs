//! The Cortex-M3 and the Cortex-M4: the effect of each kind of instruction on the pipeline. Rules that only one of them has express their
//! differences.

use events::Costs;
use isa_thumb::RegSet;

use super::issue::{delays_slots, issue_slot, leave_decode, note_request};
use super::rules::{refill, takes, waits};
use crate::timing::costs::{cycles, flash_stall, settle};
use crate::timing::fetch::{BusWait, UntakenTarget};
use crate::timing::m4::float::PendingResult;
use crate::timing::rule::{Rule, RuleSet};
use crate::timing::shape::{Class, Shape};
use crate::timing::state::{
    EarlyRequest, IssueSlot, Jump, PipelineState, Previous, RequestedFrom, RuntimeFacts, Timing,
};
use crate::timing::supply::Supply;
use crate::timing::{CODE_END, Cycle, Model, Preview, over_system_bus};

/// When the instruction, for which [`PipelineState::prepare`] was called, would start, and make its (first) data access, without
/// executing it; `skipped` if its IT condition fails.
pub(super) fn preview(pipe: &PipelineState, model: Model, shape: &Shape, area: u8, skipped: bool) -> Preview {
    if folded(pipe, model, shape) {
        return Preview {
            start: pipe.execute_free,
            access: pipe.execute_free,
            held_by: Rule::ItFolded,
            behind: (pipe.execute_free, Rule::ItFolded),
            arrived: pipe.execute_free,
        };
    }
    let mut ahead = *pipe;
    let supply = &mut Supply::immediate();
    let arrived = (ahead.fetch.ready(shape.pc, shape.size, supply) + 1).max(pipe.execute_free);
    ahead.look_ahead(shape, supply);
    let slot = issue_slot(&ahead, model, shape, area, skipped);
    let (_, start) = ahead.enter(shape, slot, supply);
    let mut access = start;
    if !skipped && shape.words != 0 && shares_system_bus(model, shape, area) {
        access = ahead.fetch.share(access, supply);
    }
    Preview {
        start,
        access,
        behind: (slot.from, slot.held_by),
        held_by: if start > slot.from {
            ahead.fetch.stalled_by(model, shape.pc, shape.size)
        } else {
            slot.held_by
        },
        arrived,
    }
}

/// Executes one instruction in the pipeline.
pub(super) fn step(
    pipe: &mut PipelineState,
    model: Model,
    shape: &Shape,
    facts: &RuntimeFacts,
    supply: &mut Supply<'_>,
) -> Timing {
    let arrived = (pipe.fetch.ready(shape.pc, shape.size, supply) + 1).max(pipe.execute_free);
    if folded(pipe, model, shape) {
        return fold(pipe, shape);
    }
    pipe.look_ahead(shape, supply);
    let slot = issue_slot(pipe, model, shape, facts.area, facts.skipped);
    let before = pipe.previous;
    let (free, passes) = (pipe.execute_free, pipe.passes);
    let (decoded, start) = pipe.enter(shape, slot, supply);
    let late = start > slot.from;
    let missed = pipe.fetch.missed(shape.pc, shape.size).filter(|_| late);
    let put_off = late && pipe.fetch.was_delayed(shape.pc, shape.size);
    let rules = slot
        .rules
        .with_if(late, Rule::FetchFifo)
        .with_if(missed.is_some(), missed.unwrap_or(Rule::RefillRoom))
        .with_if(put_off, Rule::FetchInVain);
    let mut costs = Costs::NONE;
    costs.add(slot.held_by, cycles(slot.from - free));
    let fetch =
        flash_stall(facts.fetched_by).unwrap_or_else(|| pipe.fetch.stalled_by(model, shape.pc, shape.size));
    costs.add(fetch, cycles(start - slot.from.max(free)));
    pipe.left = slot.held_by == Rule::LoadArea && start == slot.from && decoded < slot.entered;
    let access = if facts.skipped {
        start
    } else {
        access_from(pipe, model, (shape, facts), (&slot, start), supply)
    };
    pipe.previous = Previous::Other;
    // From when on it could have had its bus.
    let wanted = if slot.entered < free && before != Previous::StoreUnbuffered {
        passes + 1
    } else {
        slot.from
    };
    let waited = access > wanted.max(decoded + 1);
    (pipe.passes, pipe.waited) = (start, false);
    leave_decode(pipe, model, (shape, facts), &slot, (decoded, start));
    let hides = before == Previous::Load && start < free;
    pipe.delays_slots = hides || delays_slots(before, model, shape, facts);
    let mut step = ThreeBusExecution {
        pipe,
        model,
        shape,
        facts,
        supply,
        before,
        decoded,
        start,
        access,
        waited,
        jump: None,
        rules: rules.union(facts.memories),
        main: None,
        costs,
        refill: Costs::NONE,
    };
    if facts.skipped {
        step.skip();
    } else {
        step.results();
        step.execute();
    }
    if let Some(jump) = &mut step.jump {
        note_request(jump, model, shape);
    }
    step.account(free);
    Timing {
        start,
        counted: start.min(counted(&slot, start, decoded, passes)),
        access,
        free: step.pipe.execute_free,
        arrived,
        jump: step.jump,
        rules: step.rules.union(step.supply.take_rules()),
        costs: step.costs,
        refill: step.refill,
    }
}

/// The cycle of an instruction's first access, which shares its bus with fetches; its start otherwise.
fn access_from(
    pipe: &mut PipelineState,
    model: Model,
    (shape, facts): (&Shape, &RuntimeFacts),
    (slot, start): (&IssueSlot, Cycle),
    supply: &mut Supply<'_>,
) -> Cycle {
    if shape.words != 0 && shares_system_bus(model, shape, facts.area) {
        // Rule `unaligned-fetch`: one that waits has stopped the fetches.
        let parts = facts.extra_transfers != 0 && model.has(Rule::UnalignedFetch);
        let ahead = Cycle::from(parts && pipe.left);
        return start.max(pipe.fetch.share(start - ahead, supply));
    }
    if !facts.contends || !model.has(Rule::PortContention) {
        return start;
    }
    let waited = match slot.held_by {
        Rule::AddressDependency if start == slot.from => BusWait::ForAddress,
        Rule::StoreThenLoad if start == slot.from => BusWait::ForStore,
        _ => BusWait::No,
    };
    pipe.fetch.idle_from(start, waited, supply)
}

/// From when on the trace unit counts by it. What fits into a load or a store is there behind its address, in cycle `passes`, whatever its
/// data waits for.
fn counted(slot: &IssueSlot, start: Cycle, decoded: Cycle, passes: Cycle) -> Cycle {
    match slot.held_by {
        Rule::LoadHidesNop | Rule::StoreRegisterOffset | Rule::StoreUnbuffered => passes.max(decoded) + 1,
        _ => start,
    }
}

/// Whether an IT is decoded together with the instruction before it.
fn folded(pipe: &PipelineState, model: Model, shape: &Shape) -> bool {
    let there = || pipe.fetch.ready_at(shape.pc, shape.size) < pipe.last_start;
    shape.class == Class::It && pipe.folds && model.has(Rule::ItFolded) && there()
}

/// The pipeline then stands as before.
fn fold(pipe: &mut PipelineState, shape: &Shape) -> Timing {
    let at = pipe.execute_free;
    pipe.fetch.leaves(shape.pc, shape.size, pipe.last_start);
    Timing {
        start: at,
        counted: at,
        access: at,
        free: at,
        arrived: at,
        jump: None,
        rules: RuleSet::of(Rule::ItFolded),
        costs: Costs::NONE,
        refill: Costs::NONE,
    }
}

/// Whether instructions and this data come over the system bus both.
fn shares_system_bus(model: Model, shape: &Shape, area: u8) -> bool {
    model.has(Rule::SystemFetch) && shape.pc >= CODE_END && over_system_bus(area)
}

/// How far ahead of need a target is requested, where it still makes a difference: three words at the slowest memory.
const LONGEST_EARLY: Cycle = 8;

/// Three requests that were made so long ago that nobody remembers when are taken to be answered by so many cycles before the end of a
/// load's data, at the latest.
const IN_REACH: Cycle = 5;

/// Cycles of VDIV and VSQRT.
const FLOAT_DIVIDE: Cycle = 14;

/// An instruction in the execute stage.
struct ThreeBusExecution<'a, 'f> {
    pipe: &'a mut PipelineState,
    model: Model,
    shape: &'a Shape,
    facts: &'a RuntimeFacts,
    supply: &'a mut Supply<'f>,
    /// The kind of the instruction before it.
    before: Previous,
    decoded: Cycle,
    start: Cycle,
    access: Cycle,
    /// Whether it waited for its bus.
    waited: bool,
    jump: Option<Jump>,
    rules: RuleSet,
    /// The rule of its kind, which gets all cycles that no other rule claims.
    main: Option<Rule>,
    costs: Costs,
    refill: Costs,
}

impl ThreeBusExecution<'_, '_> {
    /// Charges unclaimed cycles after `free` to the rule of its kind.
    fn account(&mut self, free: Cycle) {
        let window = self.pipe.execute_free - free;
        settle(&mut self.costs, window, self.main.unwrap_or(Rule::Alu));
        let refill = self.jump.map_or(0, |jump| jump.end() - self.pipe.execute_free);
        let claimed = self.refill.total() as Cycle;
        self.refill.add(self.jumps_by(), cycles(refill - claimed));
    }

    /// The rule by which its target comes when it does.
    fn jumps_by(&self) -> Rule {
        match self.shape.class {
            Class::LoadPc | Class::LoadMultiplePc => Rule::LoadPc,
            _ => self.main.unwrap_or(Rule::BranchTaken),
        }
    }

    /// Notes the registers that it writes, and those that are late for the address of the next instruction.
    fn results(&mut self) {
        let Shape {
            class,
            writes,
            late,
            moved,
            ..
        } = *self.shape;
        let long = matches!(class, Class::LongMultiply | Class::LongMultiplyAccumulate);
        // The M3's multiplier has the low word a cycle before the high one.
        let together = long && !self.model.has(Rule::LongMultiply);
        self.pipe.late = if together { writes } else { late };
        let passes_on = self.model.has(Rule::IndexedPipelined);
        self.pipe.moved = if passes_on { moved } else { RegSet::EMPTY };
        self.pipe.written = RegSet(writes.0 & !self.pipe.moved.0);
    }

    fn execute(&mut self) {
        match self.shape.class {
            Class::Multiply if self.model.has(Rule::SingleCycleMultiply) => self.single_cycle_multiply(),
            Class::Data | Class::Multiply => self.plain(Rule::Alu),
            Class::Saturate => self.plain(Rule::Saturate),
            Class::MultiplyAccumulate => self.multiply_accumulate(),
            Class::LongMultiply => self.long_multiply(Rule::LongMultiply, false),
            Class::LongMultiplyAccumulate => self.long_multiply(Rule::LongMultiplyAccumulate, true),
            Class::Divide => self.occupies(Rule::Divide, self.facts.operand_cycles),
            Class::MoveFromSpecial => self.plain(Rule::MoveFromSpecial),
            Class::MoveToSpecial if self.facts.raises => self.plain(Rule::MaskRaise),
            Class::MoveToSpecial => self.plain(Rule::MoveToSpecial),
            Class::It => self.plain(Rule::It),
            Class::Nop => self.plain(Rule::Nop),
            Class::Hint | Class::Wait => self.plain(Rule::Hint),
            Class::Halt => self.plain(Rule::Halt),
            Class::Exceptional => self.plain(Rule::Exceptional),
            Class::Float => self.float(Rule::FloatData),
            Class::FloatMultiplyAccumulate => self.float(Rule::FloatMultiplyAccumulate),
            Class::FloatDivide => self.float_divide(),
            Class::FloatMove => self.plain(Rule::FloatMove),
            Class::FloatMovePair => self.occupies(Rule::FloatMove, 2 * takes(Rule::FloatMove)),
            Class::Barrier => self.barrier(),
            Class::InstructionBarrier => self.instruction_barrier(),
            Class::Load => self.load(Previous::Load),
            Class::LoadPc => self.load_pc(),
            Class::Store => self.store(Rule::Store, Previous::Store),
            Class::StoreIndexed => self.store(Rule::StoreRegisterOffset, Previous::StoreIndexed),
            Class::LoadDouble | Class::StoreDouble => self.words_in_turn(Rule::Double),
            Class::LoadMultiple | Class::StoreMultiple => self.words_in_turn(Rule::Multiple),
            Class::LoadMultiplePc => self.load_multiple_pc(),
            Class::TableBranch => self.table_branch(),
            Class::Branch | Class::BranchLr => self.branch(),
            Class::BranchConditional => self.branch_conditional(),
            Class::CompareBranch => self.compare_branch(),
            Class::BranchRegister => self.jump_by(Rule::BranchRegister),
            Class::WriteToPc => self.write_to_pc(),
        }
    }

    /// Its IT condition failed. A branch has asked for its target all the same.
    fn skip(&mut self) {
        (self.pipe.written, self.pipe.late, self.pipe.moved) = Default::default();
        self.plain(Rule::Skipped);
        if self.shape.words != 0 {
            self.pipe.previous = Previous::SkippedAccess;
        }
        if self.shape.class.asks_in_decode() && self.applies(Rule::BranchSpeculation) {
            self.speculate();
        }
    }

    /// Requests a target that is not needed.
    fn speculate(&mut self) {
        // An address in LR on the other bus is not seen.
        let same_bus = |target: &u32| (*target < CODE_END) == (self.shape.pc < CODE_END);
        let aside = UntakenTarget {
            target: self.shape.target.or(self.facts.aside.filter(same_bus)),
            keeps: self.model.has(Rule::JumpBehindFetch),
        };
        self.pipe.fetch.speculate(self.decoded, aside, self.supply);
    }

    fn uses(&mut self, rule: Rule) {
        self.rules = self.rules.with(rule);
    }

    /// As [`ThreeBusExecution::uses`], of the rule of its kind.
    fn is_by(&mut self, rule: Rule) {
        self.uses(rule);
        self.main.get_or_insert(rule);
    }

    /// As [`ThreeBusExecution::uses`] and whether the rule is on.
    fn applies(&mut self, rule: Rule) -> bool {
        let on = self.model.has(rule);
        if on {
            self.uses(rule);
        }
        on
    }

    /// Occupies the execute stage for as many cycles as its rule says.
    fn plain(&mut self, rule: Rule) {
        self.occupies(rule, takes(rule));
    }

    /// Occupies the execute stage for `cycles` cycles.
    fn occupies(&mut self, rule: Rule, cycles: Cycle) {
        self.is_by(rule);
        self.pipe.execute_free = self.start + cycles;
    }

    /// Executes a multiply-accumulate, which may have begun in the last cycle of the long multiply before it.
    fn multiply_accumulate(&mut self) {
        if !self.model.has(Rule::MultiplyAccumulate) {
            return self.single_cycle_multiply();
        }
        let overlaps = self.before == Previous::Multiply && self.start < self.pipe.execute_free;
        self.plain(Rule::MultiplyAccumulate);
        if overlaps {
            self.pipe.previous = Previous::Accumulate;
        }
    }

    fn single_cycle_multiply(&mut self) {
        self.plain(Rule::SingleCycleMultiply);
        self.pipe.previous = Previous::Multiply;
    }

    fn float(&mut self, rule: Rule) {
        self.plain(rule);
        self.pipe.pending_result =
            PendingResult::until(self.pipe.execute_free, self.shape.float).or(self.pipe.pending_result);
    }

    /// The unit divides on its own; what follows goes on.
    fn float_divide(&mut self) {
        self.plain(Rule::FloatDivide);
        self.pipe.pending_result = PendingResult::until(self.start + FLOAT_DIVIDE, self.shape.float);
    }

    /// Cycles that this execution adds to its transfers: wait states and the parts of an unaligned access.
    fn transfer_extra(&mut self) -> Cycle {
        let wait = self.facts.wait - self.facts.held;
        if wait != 0 {
            self.uses(Rule::WaitStates);
        }
        if self.facts.held != 0 {
            self.uses(Rule::MasterContention);
        }
        let unaligned = self.facts.extra_transfers != 0 && self.applies(Rule::Unaligned);
        let transfers = if unaligned { self.facts.extra_transfers } else { 0 };
        let flash = self.flash_wait();
        // The write buffer takes the wait states of a single store.
        if !matches!(self.shape.class, Class::Store | Class::StoreIndexed) {
            self.costs.add(Rule::WaitStates, cycles(wait));
            self.costs.add(Rule::MasterContention, cycles(self.facts.held));
        }
        self.costs.add(Rule::Unaligned, cycles(transfers));
        self.costs.add(Rule::FlashWait, cycles(flash));
        let granted = self.granted();
        self.facts.wait + granted + flash + transfers
    }

    /// Wait states of its read from flash, after earlier fetch requests.
    fn flash_wait(&mut self) -> Cycle {
        let Some(read) = self.facts.flash else {
            return 0;
        };
        self.pipe.fetch.advance(self.access - 1, self.supply);
        self.supply.read(read, self.access)
    }

    /// The transfers take the memory that instructions come from. Gives the cycles by which fetches, in turn, delay the later
    /// ones of them.
    fn occupy(&mut self, transfers: Cycle) -> Cycle {
        if !self.facts.contends || !self.applies(Rule::PortContention) {
            return 0;
        }
        if shares_system_bus(self.model, self.shape, self.facts.area) {
            return self.share_system_bus(transfers);
        }
        let end = self.access + transfers;
        for cycle in self.access..end {
            self.pipe.fetch.block(cycle, self.supply);
        }
        if self.shape.class.writes_memory() {
            self.pipe.fetch.deny(end, self.supply);
        }
        0
    }

    /// A fetch goes before a transfer, but not while a write has its data phase.
    fn share_system_bus(&mut self, transfers: Cycle) -> Cycle {
        let mut cycle = self.access;
        for index in 0..transfers {
            if index != 0 {
                cycle = self.pipe.fetch.share(cycle + 1, self.supply);
            }
            self.pipe.fetch.block(cycle, self.supply);
            if self.shape.class.writes_memory() {
                self.pipe.fetch.deny(cycle + 1, self.supply);
            }
        }
        cycle + 1 - self.access - transfers + self.write_held_up(cycle + 1)
    }

    /// The cycles by which a write takes longer whose data phase, in cycle `at`, holds up a fetch.
    fn write_held_up(&mut self, at: Cycle) -> Cycle {
        let meets = self.shape.class.writes_memory() && self.pipe.fetch.is_denied(at);
        if meets && self.applies(Rule::WriteBehindFetch) {
            waits(Rule::WriteBehindFetch)
        } else {
            0
        }
    }

    fn words(&self) -> Cycle {
        Cycle::from(self.shape.words)
    }

    fn barrier(&mut self) {
        let drained = self.pipe.store_free.max(self.start) - self.start;
        self.occupies(Rule::Barrier, takes(Rule::Barrier) + drained);
    }

    /// Refetches everything after it: a jump to the next instruction.
    fn instruction_barrier(&mut self) {
        self.jump_by(Rule::InstructionBarrier);
    }

    /// Occupies the execute stage for as many cycles as its rule says, and then jumps.
    fn jump_by(&mut self, rule: Rule) {
        self.plain(rule);
        self.jump_after(self.pipe.execute_free, rule);
        let branches = matches!(
            self.shape.class,
            Class::CompareBranch | Class::BranchRegister | Class::InstructionBarrier
        );
        if let (true, true, Some(jump)) = (branches, self.shape.pc >= CODE_END, &mut self.jump) {
            jump.behind = self.model.has(Rule::JumpBehindFetch);
        }
        if self.jump.is_some_and(|jump| jump.behind) {
            self.uses(Rule::JumpBehindFetch);
        }
    }

    fn write_to_pc(&mut self) {
        self.stop_fetching();
        self.jump_by(Rule::WriteToPc);
    }

    /// The target executes after the refill of this rule, which begins in cycle `free`.
    fn jump_after(&mut self, free: Cycle, rule: Rule) {
        self.jump = Some(Jump::ending(free + refill(rule)));
    }

    /// A branch asks for its target as soon as it is decoded, even while it waits for the execute stage.
    fn branch(&mut self) {
        self.plain(Rule::BranchTaken);
        if self.rules.contains(Rule::BranchDependency) {
            return self.branch_while_executing();
        }
        let jump = Jump::ending(self.pipe.execute_free + refill(Rule::BranchTaken));
        let waited = self.model.has(Rule::BranchEarly);
        let early = if waited {
            (jump.request - self.decoded).min(LONGEST_EARLY) as u8
        } else {
            0
        };
        if early != 0 {
            self.uses(Rule::BranchEarly);
        }
        let early = EarlyRequest {
            cycles: early,
            by: RequestedFrom::default(),
        };
        self.jump = Some(Jump { early, ..jump });
    }

    /// LR was not there when it was decoded: it asks as a branch to another register does.
    fn branch_while_executing(&mut self) {
        let waits = waits(Rule::BranchDependency);
        self.jump_after(self.pipe.execute_free + waits, Rule::BranchTaken);
        self.refill.add(Rule::BranchDependency, cycles(waits));
    }

    fn branch_conditional(&mut self) {
        if self.facts.taken {
            self.branch();
            return;
        }
        self.plain(Rule::BranchNotTaken);
        if self.applies(Rule::BranchSpeculation) {
            self.speculate();
        }
    }

    fn compare_branch(&mut self) {
        if self.facts.taken {
            self.jump_by(Rule::CompareBranch);
        } else {
            self.plain(Rule::BranchNotTaken);
        }
    }

    fn long_multiply(&mut self, rule: Rule, accumulates: bool) {
        if !self.model.has(rule) {
            return self.single_cycle_multiply();
        }
        self.occupies(rule, self.facts.operand_cycles);
        if !accumulates {
            self.pipe.previous = Previous::Multiply;
        }
    }
}

mod grant;
#[cfg(test)]
mod tests;
mod transfers;
