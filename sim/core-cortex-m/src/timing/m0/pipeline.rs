//! The Cortex-M0+ and the Cortex-M0: one instruction after the other, and one bus for instructions and data.
//!
//! Nothing overlaps but the fetch: an instruction takes the cycles of Arm's table, one for each pass through the execute
//! stage and one for the data of a load or store. Instructions come by whole words, just in time: a word is requested when
//! the first halfword of the word before it moves to the execute stage. With zero wait states it is always there when its
//! turn comes, so that the table is exact. A wait state of a fetch is seen in full by straight code; a data access waits
//! for the fetch under way, and a fetch for the data.
//!
//! The Cortex-M0+ differs in having no decode stage: a word can be executed in the cycle in which the Cortex-M0 decodes
//! it, so a branch is a cycle shorter. The prefetch unit speaks of decoding; on the Cortex-M0+ its clock therefore runs
//! [`ahead`](OneBus::ahead) of the execute stage's by one.

use events::Costs;

use crate::timing::costs::{cycles, flash_stall, settle};
use crate::timing::pipeline::Pipeline;
use crate::timing::rule::{Rule, RuleSet};
use crate::timing::shape::{Class, Shape};
use crate::timing::state::{Jump, PipelineState, RuntimeFacts, Timing};
use crate::timing::supply::Supply;
use crate::timing::{Cycle, Model, Preview};

use super::rules::takes;

/// Bits that the slow multiplier forms one after the other.
const SLOW_MULTIPLY: Cycle = 32;

/// A pipeline with one bus for instructions and data.
#[derive(Debug)]
pub(crate) struct OneBus {
    /// By how many cycles the prefetch unit's clock is ahead; see the head of this file.
    pub(crate) ahead: Cycle,
    /// The cycles of an instruction, by its rule.
    pub(crate) takes: fn(Rule) -> Cycle,
}

/// The pipeline of the Cortex-M0.
pub(crate) static M0: OneBus = OneBus { ahead: 0, takes };

impl Pipeline for OneBus {
    fn refill(&self) -> Rule {
        Rule::FetchWord
    }

    fn buffers_writes(&self) -> bool {
        false
    }

    fn predicts_reads(&self) -> bool {
        false
    }

    fn preview(
        &self,
        pipe: &PipelineState,
        model: Model,
        shape: &Shape,
        area: u8,
        _skipped: bool,
    ) -> Preview {
        let mut pipe = *pipe;
        let free = pipe.execute_free;
        let supply = &mut Supply::immediate();
        let start = enter(&mut pipe, shape, supply);
        let held_by = late(&pipe, model, shape);
        let access = if shape.words == 0 || area == PRIVATE_AREA {
            start
        } else {
            self.acquire(&mut pipe, (start, 0), supply)
        };
        Preview {
            start,
            access,
            held_by,
            behind: (free, held_by),
            arrived: start,
        }
    }

    fn step(
        &self,
        pipe: &mut PipelineState,
        model: Model,
        shape: &Shape,
        facts: &RuntimeFacts,
        supply: &mut Supply<'_>,
    ) -> Timing {
        let free = pipe.execute_free;
        let start = enter(pipe, shape, supply);
        let rules = facts.memories.with_if(start > free, Rule::FetchWord);
        let fetched_by = facts.fetched_by.union(supply.rules());
        let late = flash_stall(fetched_by).unwrap_or_else(|| late(pipe, model, shape));
        let costs = Costs::of(late, cycles(start - free));
        let mut step = OneBusExecution {
            core: self,
            pipe,
            model,
            shape,
            facts,
            supply,
            start,
            access: start,
            jump: None,
            rules,
            main: Rule::Alu,
            loads_pc: false,
            costs,
            refill: Costs::NONE,
        };
        step.execute();
        step.account(free);
        let timing = Timing {
            start,
            counted: start,
            access: step.access,
            free: step.pipe.execute_free,
            arrived: start,
            jump: step.jump,
            rules: step.rules.union(step.supply.take_rules()),
            costs: step.costs,
            refill: step.refill,
        };
        // Fields that only other pipelines use get one value, so that equal states compare equal.
        (pipe.last_start, pipe.store_free, pipe.load_free) = (timing.free - 1, timing.free, timing.free);
        timing
    }
}

/// The part of the address space with the core's own registers, which no access to the bus reaches.
const PRIVATE_AREA: u8 = bus::Profile::PRIVATE.area;

/// The rule by which the instruction is late, if it is.
fn late(pipe: &PipelineState, model: Model, shape: &Shape) -> Rule {
    let waited_by = pipe.fetch.waited_by(model, shape.pc, shape.size);
    waited_by.unwrap_or(Rule::FetchWord)
}

/// Words that are fetched and not used up, at the most: the one that executes and the next.
const WORDS: u32 = 2;

/// Moves the next instruction to the execute stage, and says when it is there (rule `fetch-word`). Of an instruction of 32
/// bits the second half may come a cycle later: it executes in a pass of its own.
fn enter(pipe: &mut PipelineState, shape: &Shape, supply: &mut Supply) -> Cycle {
    let fetch = &mut pipe.fetch;
    let whole_word = shape.pc.is_multiple_of(4) && !fetch.has_requested();
    // Behind a jump to the first half of a word, the next word is not needed before that half executes.
    fetch.hold(if whole_word { 1 } else { WORDS });
    let mut start = pipe.execute_free.max(fetch.ready(shape.pc, 2, supply) + 1);
    if whole_word {
        fetch.hold(WORDS);
        fetch.block(start - 2, supply);
    }
    fetch.leaves(shape.pc, 0, start - 1);
    if shape.size == 4 {
        let second = shape.pc.wrapping_add(2);
        start = start.max(fetch.ready(second, 2, supply));
        fetch.leaves(second, 0, start);
    }
    start
}

impl OneBus {
    /// Takes the bus for `cycles` cycles as soon as it is free, from cycle `at` on; returns the first of them.
    fn acquire(&self, pipe: &mut PipelineState, (at, cycles): (Cycle, Cycle), supply: &mut Supply) -> Cycle {
        pipe.fetch.acquire(at - self.ahead, cycles, supply) + self.ahead
    }
}

/// An instruction in the execute stage.
struct OneBusExecution<'a, 'f> {
    core: &'a OneBus,
    pipe: &'a mut PipelineState,
    model: Model,
    shape: &'a Shape,
    facts: &'a RuntimeFacts,
    supply: &'a mut Supply<'f>,
    start: Cycle,
    access: Cycle,
    jump: Option<Jump>,
    rules: RuleSet,
    /// The rule of its kind, which gets all cycles that no other rule claims.
    main: Rule,
    loads_pc: bool,
    costs: Costs,
    refill: Costs,
}

impl OneBusExecution<'_, '_> {
    /// Charges unclaimed cycles after `free` to the rule of its kind.
    fn account(&mut self, free: Cycle) {
        settle(&mut self.costs, self.pipe.execute_free - free, self.main);
        let refill = self.jump.map_or(0, |jump| jump.end() - self.pipe.execute_free);
        let by = if self.loads_pc { Rule::LoadPc } else { self.main };
        self.refill.add(by, cycles(refill));
    }

    /// The classes that ARMv6-M has no instruction for are timed as what is nearest; none is ever decoded.
    fn execute(&mut self) {
        match self.shape.class {
            Class::Load | Class::LoadDouble => self.transfer(Rule::Load),
            Class::Store | Class::StoreIndexed | Class::StoreDouble => self.transfer(Rule::Store),
            Class::LoadMultiple | Class::StoreMultiple => self.transfer(Rule::Multiple),
            Class::LoadMultiplePc | Class::LoadPc | Class::TableBranch => self.load_pc(),
            Class::Branch if self.shape.size == 4 => self.branch(Rule::BranchLink),
            Class::Branch => self.branch(Rule::BranchTaken),
            Class::BranchConditional | Class::CompareBranch if self.facts.taken => {
                self.branch(Rule::BranchTaken);
            }
            Class::BranchConditional | Class::CompareBranch => self.plain(Rule::BranchNotTaken),
            Class::BranchLr | Class::BranchRegister => self.branch(Rule::BranchRegister),
            Class::WriteToPc => self.branch(Rule::WriteToPc),
            Class::InstructionBarrier => self.branch(Rule::InstructionBarrier),
            _ => self.within(),
        }
    }

    /// Instructions that neither access memory nor jump.
    fn within(&mut self) {
        match self.shape.class {
            Class::Multiply if self.model.multiplies_slowly() => self.occupies(Rule::Multiply, SLOW_MULTIPLY),
            Class::Multiply => self.plain(Rule::Multiply),
            Class::MoveFromSpecial => self.plain(Rule::MoveFromSpecial),
            Class::MoveToSpecial if self.shape.size == 4 => self.plain(Rule::MoveToSpecial),
            Class::MoveToSpecial => self.plain(Rule::ChangeMask),
            Class::Barrier => self.plain(Rule::Barrier),
            Class::Nop => self.plain(Rule::Nop),
            Class::Hint => self.plain(Rule::Hint),
            Class::Wait => self.plain(Rule::Wait),
            Class::Halt => self.plain(Rule::Halt),
            Class::Exceptional => self.plain(Rule::Exceptional),
            _ => self.plain(Rule::Alu),
        }
    }

    fn uses(&mut self, rule: Rule) {
        self.rules = self.rules.with(rule);
    }

    /// Occupies the execute stage for as many cycles as its rule says.
    fn plain(&mut self, rule: Rule) {
        self.occupies(rule, (self.core.takes)(rule));
    }

    /// Occupies the execute stage for `cycles` cycles.
    fn occupies(&mut self, rule: Rule, cycles: Cycle) {
        self.uses(rule);
        self.main = rule;
        self.pipe.execute_free = self.start + cycles;
    }

    /// A cycle for each word, and one for the data of the last.
    fn transfer(&mut self, rule: Rule) {
        self.uses(rule);
        self.main = rule;
        let words = Cycle::from(self.shape.words);
        if self.facts.io_port && self.model.has(Rule::IoPort) {
            // The port answers in the cycle that asks it.
            let data = Cycle::from(self.shape.words != 1);
            return self.occupies(Rule::IoPort, words + data);
        }
        let wait = self.facts.wait - self.facts.held;
        if wait != 0 {
            self.uses(Rule::WaitStates);
        }
        if self.facts.held != 0 {
            self.uses(Rule::MasterContention);
        }
        self.costs.add(Rule::WaitStates, self::cycles(wait));
        self.costs
            .add(Rule::MasterContention, self::cycles(self.facts.held));
        let data = (self.core.takes)(rule) - 1;
        let mut cycles = words + self.facts.wait;
        if self.facts.area != PRIVATE_AREA {
            self.access = self.core.acquire(self.pipe, (self.start, cycles), self.supply);
        }
        if let Some(read) = self.facts.flash {
            let wait = self.supply.read(read, self.access - self.core.ahead);
            self.costs.add(Rule::FlashWait, self::cycles(wait));
            self.pipe.fetch.delay(wait);
            cycles += wait;
        }
        if self.access > self.start {
            self.uses(Rule::SharedBus);
        }
        self.costs
            .add(Rule::SharedBus, self::cycles(self.access - self.start));
        self.pipe.execute_free = self.access + cycles + data;
    }

    /// The word for PC comes last; the branch follows.
    fn load_pc(&mut self) {
        self.transfer(Rule::Multiple);
        self.uses(Rule::LoadPc);
        self.loads_pc = true;
        self.jump_at(self.pipe.execute_free);
    }

    /// Passes through the execute stage, in the last of which the target is requested.
    fn branch(&mut self, rule: Rule) {
        self.plain(rule);
        self.jump_at(self.pipe.execute_free - 1);
    }

    /// The target is requested in this cycle, or when the fetch under way is over.
    fn jump_at(&mut self, cycle: Cycle) {
        let request = self.pipe.fetch.acquire(cycle - self.core.ahead, 0, self.supply);
        self.jump = Some(Jump::at(request));
    }
}

#[cfg(test)]
mod tests;
