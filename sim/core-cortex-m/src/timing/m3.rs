//! The Cortex-M3: what each kind of instruction does to the pipeline.

use isa_thumb::RegSet;

use super::pipe::{Met, Pipe, Timing};
use super::rule::{Rule, RuleSet};
use super::shape::{Class, Shape};
use super::{Cycle, Model};

/// The rule by which an instruction may start while the one before it still waits for its data.
pub(super) fn overlap(model: Model, pipe: &Pipe, shape: &Shape) -> Option<Rule> {
    let rule = match shape.class {
        Class::Nop => Rule::LoadHidesNop,
        _ if pipe.only_nop_overlaps => return None,
        Class::Load | Class::StoreIndexed => Rule::LoadPipelined,
        _ => return None,
    };
    let possible = pipe.overlap_free < pipe.execute_free && !shape.address.intersects(pipe.loaded);
    (possible && model.has(rule)).then_some(rule)
}

/// When the instruction would start, and make its (first) data access, without executing it.
pub(crate) fn preview(pipe: &Pipe, model: Model, shape: &Shape) -> (Cycle, Cycle) {
    let mut ahead = *pipe;
    let (start, rules) = ahead.enter(model, shape);
    if shape.words == 0 {
        return (start, start);
    }
    let met = &Met::NOMINAL;
    let mut step =
        Step { pipe: &mut ahead, model, shape, met, start, access: start, request: Cycle::MIN, rules };
    step.address_phase();
    (start, step.access)
}

/// Executes one instruction in the pipeline.
pub(crate) fn step(pipe: &mut Pipe, model: Model, shape: &Shape, met: &Met) -> Timing {
    let (start, rules) = pipe.enter(model, shape);
    let mut step = Step { pipe, model, shape, met, start, access: start, request: Cycle::MIN, rules };
    if met.skipped {
        step.uses(Rule::Skipped);
        step.simple(1);
    } else {
        step.execute();
    }
    Timing { start, access: step.access, free: step.pipe.execute_free, request: step.request, rules: step.rules }
}

/// One instruction in the execute stage.
struct Step<'a> {
    pipe: &'a mut Pipe,
    model: Model,
    shape: &'a Shape,
    met: &'a Met,
    start: Cycle,
    access: Cycle,
    request: Cycle,
    rules: RuleSet,
}

impl Step<'_> {
    fn execute(&mut self) {
        match self.shape.class {
            Class::Data => self.data(Rule::Alu, 1),
            Class::Saturate => self.data(Rule::Saturate, 1),
            Class::MultiplyAccumulate => self.data(Rule::MultiplyAccumulate, 2),
            Class::LongMultiply => self.data(Rule::LongMultiply, 3 + self.multiply_steps()),
            Class::LongMultiplyAccumulate => self.data(Rule::LongMultiplyAccumulate, 4 + self.multiply_steps()),
            Class::Divide => self.data(Rule::Divide, self.divide_cycles()),
            Class::MoveFromSpecial => self.data(Rule::MoveFromSpecial, 2),
            Class::MoveToSpecial => self.plain(Rule::MoveToSpecial, 1),
            Class::It => self.plain(Rule::It, 1),
            Class::Nop | Class::Hint => self.plain(Rule::Hint, 1),
            Class::Halt => self.plain(Rule::Halt, 0),
            Class::Exceptional => self.plain(Rule::Exceptional, 1),
            Class::Barrier => self.barrier(),
            Class::InstructionBarrier => self.instruction_barrier(),
            Class::Load => self.load(),
            Class::LoadPc => self.load_pc(),
            Class::Store => self.store(),
            Class::StoreIndexed => self.store_indexed(),
            Class::LoadDouble => self.load_words(Rule::Double),
            Class::LoadMultiple => self.load_words(Rule::Multiple),
            Class::LoadMultiplePc => self.load_multiple_pc(),
            Class::StoreDouble => self.store_words(Rule::Double),
            Class::StoreMultiple => self.store_words(Rule::Multiple),
            Class::TableBranch => self.table_branch(),
            Class::Branch => self.branch(),
            Class::BranchConditional => self.branch_conditional(),
            Class::BranchRegister => self.branch_register(),
        }
    }

    fn uses(&mut self, rule: Rule) {
        self.rules = self.rules.with(rule);
    }

    /// As [`Step::uses`] and whether the rule is on.
    fn applies(&mut self, rule: Rule) -> bool {
        let on = self.model.has(rule);
        if on {
            self.uses(rule);
        }
        on
    }

    /// Occupies the execute stage for so many cycles and leaves nothing behind.
    fn simple(&mut self, cycles: Cycle) {
        self.free_from(self.start + cycles);
        self.pipe.produced = RegSet::EMPTY;
    }

    fn plain(&mut self, rule: Rule, cycles: Cycle) {
        self.uses(rule);
        self.simple(cycles);
    }

    /// Data processing: its result reaches an address only a cycle later.
    fn data(&mut self, rule: Rule, cycles: Cycle) {
        self.plain(rule, cycles);
        self.pipe.produced = self.shape.writes;
    }

    fn free_from(&mut self, free: Cycle) {
        self.pipe.execute_free = free;
        self.pipe.overlap_free = free;
        self.pipe.only_nop_overlaps = false;
        self.pipe.loaded = RegSet::EMPTY;
    }

    /// Finds the cycle of the (first) address phase.
    fn address_phase(&mut self) {
        let dependent = self.shape.address.intersects(self.pipe.produced) && self.start == self.pipe.execute_free;
        if dependent && self.applies(Rule::AddressDependency) {
            self.access += 1;
        }
        let writes = self.shape.class.writes_memory();
        let port_free = if writes { self.pipe.store_free } else { self.pipe.load_free };
        if self.access < port_free {
            self.uses(if writes { Rule::StoreBuffer } else { Rule::StoreThenLoad });
            self.access = port_free;
        }
        if self.shape.class == Class::StoreIndexed && self.applies(Rule::StoreRegisterOffset) {
            self.access += 1;
        }
        self.pipe.produced = RegSet::EMPTY;
    }

    /// Cycles that this execution adds to its transfers: wait states and the parts of an unaligned access.
    fn transfer_extra(&mut self) -> Cycle {
        if self.met.wait != 0 {
            self.uses(Rule::WaitStates);
        }
        let unaligned = self.met.extra_transfers != 0 && self.applies(Rule::Unaligned);
        self.met.wait + if unaligned { self.met.extra_transfers } else { 0 }
    }

    /// The transfers take the memory that instructions come from.
    fn occupy(&mut self, transfers: Cycle) {
        if self.met.contends && self.applies(Rule::PortContention) {
            for cycle in self.access..self.access + transfers {
                self.pipe.fetch.block(cycle);
            }
        }
    }

    fn load(&mut self) {
        self.uses(Rule::Load);
        self.address_phase();
        let extra = self.transfer_extra();
        self.occupy(1 + extra);
        let data = self.access + 1 + extra;
        self.free_from(data + 1);
        self.pipe.overlap_free = data;
        self.pipe.loaded = self.shape.writes;
        self.port_busy_until(data, data);
    }

    fn load_pc(&mut self) {
        self.load();
        self.uses(Rule::LoadPc);
        self.jump_at(self.pipe.execute_free);
    }

    fn table_branch(&mut self) {
        self.load();
        self.uses(Rule::TableBranch);
        self.jump_at(self.pipe.execute_free + 1);
    }

    fn store(&mut self) {
        self.uses(Rule::Store);
        self.address_phase();
        self.buffered();
        self.free_from(self.access + 1);
    }

    fn store_indexed(&mut self) {
        self.address_phase();
        self.buffered();
        self.free_from(self.access + 1);
        self.pipe.overlap_free = self.access;
        self.pipe.only_nop_overlaps = true;
    }

    /// Hands one store to the write buffer.
    fn buffered(&mut self) {
        let extra = self.transfer_extra();
        self.occupy(1 + extra);
        let data = self.access + 1 + extra;
        let turn_around = Cycle::from(self.model.has(Rule::StoreThenLoad));
        self.port_busy_until(data, data + turn_around);
    }

    fn load_words(&mut self, rule: Rule) {
        self.uses(rule);
        self.address_phase();
        let extra = self.transfer_extra();
        self.occupy(self.words() + extra);
        let end = self.access + 1 + self.words() + extra;
        self.free_from(end);
        self.port_busy_until(end, end);
    }

    fn load_multiple_pc(&mut self) {
        self.load_words(Rule::Multiple);
        self.uses(Rule::LoadPc);
        self.jump_at(self.pipe.execute_free);
    }

    fn store_words(&mut self, rule: Rule) {
        self.uses(rule);
        self.address_phase();
        let extra = self.transfer_extra();
        self.occupy(self.words() + extra);
        let end = self.access + 1 + self.words() + extra;
        self.free_from(end);
        let turn_around = Cycle::from(self.model.has(Rule::MultipleStoreThenLoad));
        self.port_busy_until(end, end + turn_around);
    }

    fn port_busy_until(&mut self, store: Cycle, load: Cycle) {
        self.pipe.store_free = store;
        self.pipe.load_free = load;
    }

    fn words(&self) -> Cycle {
        Cycle::from(self.shape.words)
    }

    fn barrier(&mut self) {
        self.uses(Rule::Barrier);
        let drained = self.pipe.store_free.max(self.start);
        self.simple(1 + drained - self.start);
    }

    /// Everything behind it is fetched anew: a jump to what follows.
    fn instruction_barrier(&mut self) {
        self.plain(Rule::InstructionBarrier, 1);
        self.request = self.start;
    }

    fn branch(&mut self) {
        self.plain(Rule::BranchTaken, 1);
        self.request = self.start - 1;
    }

    fn branch_conditional(&mut self) {
        self.plain(Rule::Alu, 1);
        if self.met.taken {
            self.uses(Rule::BranchTaken);
            self.request = self.start - 1;
        } else if self.model.has(Rule::BranchSpeculation) {
            self.pipe.fetch.block(self.start - 1);
        }
    }

    fn branch_register(&mut self) {
        self.plain(Rule::BranchRegister, 1);
        self.request = self.start;
    }

    fn jump_at(&mut self, request: Cycle) {
        self.request = request;
    }

    /// Steps of the early-terminating multiplier beyond the first: one if an operand needs more than 16 bits, two if
    /// both do.
    fn multiply_steps(&self) -> Cycle {
        let operands = self.met.operands.unwrap_or_default();
        operands.iter().map(|&operand| Cycle::from(operand > 0xffff)).sum()
    }

    /// One cycle of set-up, one to finish, and one for every three bits of quotient.
    fn divide_cycles(&self) -> Cycle {
        let [dividend, divisor] = self.met.operands.unwrap_or_default();
        if divisor == 0 || dividend < divisor {
            return 2;
        }
        let quotient_bits = divisor.leading_zeros() - dividend.leading_zeros() + 1;
        (2 + Cycle::from(quotient_bits.div_ceil(3))).min(12)
    }
}
