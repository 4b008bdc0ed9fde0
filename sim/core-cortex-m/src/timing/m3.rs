//! The Cortex-M3: what each kind of instruction does to the pipeline.

use super::arithmetic;
use super::pipe::{Behind, Met, Pipe, Timing};
use super::rule::{Rule, RuleSet};
use super::shape::{Class, Shape};
use super::{Cycle, Model};

/// When the instruction would start, and make its (first) data access, without executing it.
pub(crate) fn preview(pipe: &Pipe, model: Model, shape: &Shape) -> (Cycle, Cycle) {
    if shape.class == Class::It && model.has(Rule::ItFolded) {
        return (pipe.execute_free, pipe.execute_free);
    }
    let mut ahead = *pipe;
    let (room, _) = room(pipe, model, shape);
    let start = ahead.enter(shape, room);
    (start, start + address_delay(model, shape))
}

/// Executes one instruction in the pipeline.
pub(crate) fn step(pipe: &mut Pipe, model: Model, shape: &Shape, met: &Met) -> Timing {
    if shape.class == Class::It && model.has(Rule::ItFolded) {
        return fold(pipe, shape);
    }
    let (room, mut rules) = room(pipe, model, shape);
    let start = pipe.enter(shape, room);
    if start > room {
        rules = rules.with(Rule::FetchFifo);
    }
    let access = start + address_delay(model, shape);
    pipe.behind = Behind::Other;
    pipe.written = shape.writes;
    let mut step = Step { pipe, model, shape, met, start, access, request: Cycle::MIN, rules };
    if met.skipped {
        step.plain(Rule::Skipped, 1);
    } else {
        step.execute();
    }
    Timing { start, access, free: step.pipe.execute_free, request: step.request, rules: step.rules }
}

/// An IT is decoded together with its neighbour, and the pipeline stands as before.
fn fold(pipe: &mut Pipe, shape: &Shape) -> Timing {
    let at = pipe.execute_free;
    pipe.fetch.leaves(shape.pc, shape.size, pipe.last_start);
    let rules = RuleSet::of(Rule::ItFolded);
    Timing { start: at, access: at, free: at, request: Cycle::MIN, rules }
}

/// The first cycle in which the execute stage takes the instruction, whenever it is decoded.
fn room(pipe: &Pipe, model: Model, shape: &Shape) -> (Cycle, RuleSet) {
    if let Some(rule) = overlap(pipe, model, shape) {
        return (pipe.execute_free - 1, RuleSet::of(rule));
    }
    let mut room = pipe.execute_free;
    let mut rules = RuleSet::EMPTY;
    let branches = shape.words == 0;
    let rule = if branches { Rule::BranchDependency } else { Rule::AddressDependency };
    let late = branches || pipe.behind == Behind::Data;
    if late && shape.address.intersects(pipe.written) && model.has(rule) {
        (room, rules) = (room + 1, rules.with(rule));
    }
    let writes = shape.class.writes_memory();
    let port_free = if writes { pipe.store_free } else { pipe.load_free };
    if shape.words != 0 && room < port_free {
        (room, rules) = (port_free, rules.with(if writes { Rule::StoreBuffer } else { Rule::StoreThenLoad }));
    }
    (room, rules)
}

/// The rule by which the instruction may start in the last cycle of the one before it.
fn overlap(pipe: &Pipe, model: Model, shape: &Shape) -> Option<Rule> {
    let independent = !shape.address.intersects(pipe.written) && !shape.writes_base;
    let rule = match (pipe.behind, shape.class) {
        (Behind::Load, Class::Nop) => Rule::LoadHidesNop,
        (Behind::StoreIndexed, Class::Nop) => Rule::StoreRegisterOffset,
        (Behind::Load, Class::Load) if independent => Rule::LoadPipelined,
        (Behind::Literal, Class::Literal) => Rule::LiteralPipelined,
        (Behind::Load | Behind::Literal, Class::Store | Class::StoreIndexed) if independent => Rule::LoadThenStore,
        _ => return None,
    };
    model.has(rule).then_some(rule)
}

/// Cycles from an instruction's start to its address phase.
fn address_delay(model: Model, shape: &Shape) -> Cycle {
    Cycle::from(shape.class == Class::StoreIndexed && model.has(Rule::StoreRegisterOffset))
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
            Class::LongMultiply => self.long_multiply(Rule::LongMultiply, false),
            Class::LongMultiplyAccumulate => self.long_multiply(Rule::LongMultiplyAccumulate, true),
            Class::Divide => self.data(Rule::Divide, arithmetic::divide(self.shape.signed, self.operands())),
            Class::MoveFromSpecial => self.data(Rule::MoveFromSpecial, 2),
            Class::MoveToSpecial => self.plain(Rule::MoveToSpecial, 1),
            Class::It => self.plain(Rule::It, 1),
            Class::Nop => self.plain(Rule::Nop, 1),
            Class::Hint => self.plain(Rule::Hint, 1),
            Class::Halt => self.plain(Rule::Halt, 0),
            Class::Exceptional => self.plain(Rule::Exceptional, 1),
            Class::Barrier => self.barrier(),
            Class::InstructionBarrier => self.instruction_barrier(),
            Class::Load => self.load(Behind::Load),
            Class::Literal => self.load(Behind::Literal),
            Class::LoadPc => self.load_pc(),
            Class::Store => self.store(Rule::Store, Behind::Other),
            Class::StoreIndexed => self.store(Rule::StoreRegisterOffset, Behind::StoreIndexed),
            Class::LoadDouble | Class::StoreDouble => self.words_in_turn(Rule::Double),
            Class::LoadMultiple | Class::StoreMultiple => self.words_in_turn(Rule::Multiple),
            Class::LoadMultiplePc => self.load_multiple_pc(),
            Class::TableBranch => self.table_branch(),
            Class::Branch => self.branch(Rule::BranchTaken),
            Class::BranchConditional => self.branch_conditional(),
            Class::BranchRegister => self.branch(Rule::BranchRegister),
            Class::WriteToPc => self.write_to_pc(),
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

    /// Occupies the execute stage for so many cycles.
    fn plain(&mut self, rule: Rule, cycles: Cycle) {
        self.uses(rule);
        self.pipe.execute_free = self.start + cycles;
    }

    /// The same, and its result reaches an address only a cycle later.
    fn data(&mut self, rule: Rule, cycles: Cycle) {
        self.plain(rule, cycles);
        self.pipe.behind = Behind::Data;
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

    fn load(&mut self, behind: Behind) {
        self.uses(Rule::Load);
        let extra = self.transfer_extra();
        self.occupy(1 + extra);
        let data = self.access + 1 + extra;
        self.pipe.execute_free = data + 1;
        self.pipe.behind = behind;
        self.port_busy_until(data, data);
    }

    fn load_pc(&mut self) {
        self.load(Behind::Other);
        self.uses(Rule::LoadPc);
        self.request = self.pipe.execute_free;
    }

    fn table_branch(&mut self) {
        self.load(Behind::Other);
        self.uses(Rule::TableBranch);
        self.request = self.pipe.execute_free + 1;
    }

    /// Hands one store to the write buffer.
    fn store(&mut self, rule: Rule, behind: Behind) {
        self.uses(rule);
        let extra = self.transfer_extra();
        self.occupy(1 + extra);
        let data = self.access + 1 + extra;
        let turn_around = Cycle::from(self.model.has(Rule::StoreThenLoad));
        self.port_busy_until(data, data + turn_around);
        self.pipe.execute_free = self.access + 1;
        self.pipe.behind = behind;
    }

    /// Several words one after the other, the last one's data included.
    fn words_in_turn(&mut self, rule: Rule) {
        self.uses(rule);
        let extra = self.transfer_extra();
        self.occupy(self.words() + extra);
        let end = self.access + 1 + self.words() + extra;
        self.pipe.execute_free = end;
        self.port_busy_until(end, end);
    }

    fn load_multiple_pc(&mut self) {
        self.words_in_turn(Rule::Multiple);
        self.uses(Rule::LoadPc);
        self.request = self.pipe.execute_free;
    }

    fn port_busy_until(&mut self, store: Cycle, load: Cycle) {
        self.pipe.store_free = store;
        self.pipe.load_free = load;
    }

    fn words(&self) -> Cycle {
        Cycle::from(self.shape.words)
    }

    fn barrier(&mut self) {
        let drained = self.pipe.store_free.max(self.start);
        self.plain(Rule::Barrier, 1 + drained - self.start);
    }

    /// Everything behind it is fetched anew: a jump to what follows.
    fn instruction_barrier(&mut self) {
        self.plain(Rule::InstructionBarrier, 1);
        self.request = self.start;
    }

    /// A branch whose target is known in decode, and requested there.
    fn branch(&mut self, rule: Rule) {
        self.plain(rule, 1);
        self.request = self.start - 1;
    }

    fn branch_conditional(&mut self) {
        if self.met.taken {
            self.branch(Rule::BranchTaken);
            return;
        }
        self.plain(Rule::BranchNotTaken, 1);
        if self.applies(Rule::BranchSpeculation) {
            self.pipe.fetch.block(self.start - 1);
        }
    }

    fn write_to_pc(&mut self) {
        self.plain(Rule::WriteToPc, 1);
        self.request = self.start;
    }

    fn long_multiply(&mut self, rule: Rule, accumulates: bool) {
        self.data(rule, arithmetic::long_multiply(accumulates, self.shape.signed, self.operands()));
    }

    /// The operands that this execution announced.
    fn operands(&self) -> [u32; 2] {
        self.met.operands.unwrap_or_default()
    }
}
