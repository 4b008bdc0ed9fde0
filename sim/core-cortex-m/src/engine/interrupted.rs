//! Instructions of many cycles, which an exception does not wait for.

use super::cursor::Stop;
use crate::state::Flow;
use events::{Costs, Sink};

use super::exceptions::stalled;
use crate::block::Instr;
use crate::core::Core;
use crate::exec::{fp_may_go_on, passes};
use crate::microop::{MicroOp, Step};
use crate::state::Deviation;
use crate::timing::{self, Class, Cycle, Latencies, PipelineState, Rule, Supply, Timing};

/// More cycles than any LDM or STM takes: 32 words, each with the most wait states that a memory can have.
const LONGEST: Cycle = 1 << 14;

/// The outcome of an instruction that an exception may interrupt.
pub(super) enum Interrupted {
    /// No interruption: it executes as a whole.
    No,
    /// Its exception is being entered.
    Yes,
    /// One of its earlier transfers failed.
    Failed,
}

impl Core {
    /// Rules `multiple-continued` and `multiple-abandoned`: before LDM or STM executes, checks whether an exception is recognised in the
    /// middle of it. Then only the transfers up to that point happen.
    pub(super) fn interrupt_transfers(
        &mut self,
        instr: &Instr,
        pipe: &PipelineState,
        sink: &mut dyn Sink,
    ) -> Result<Interrupted, Stop> {
        let Instr { op, shape, .. } = *instr;
        let may = self.may_interrupt(op, shape.class);
        let far = self.next_due() > pipe.free() + LONGEST;
        if !may || far || op.uses_fp && !fp_may_go_on(self) {
            return Ok(Interrupted::No);
        }
        // The memory that it really meets, whatever its run expects: it decides how many transfers are done by then.
        let actual = MicroOp {
            profile: self.memory_of_multiple(op),
            ..*op
        };
        let actual = Instr {
            op: &actual,
            ..*instr
        };
        let facts = actual.runtime_facts((&self.bus, self.config.model), &Deviation::default());
        let timing = timing::step(
            &mut { *pipe },
            self.config.model,
            shape,
            &facts,
            &mut Supply::immediate(),
        );
        let words = Cycle::from(shape.words);
        while self.next_due() < timing.free {
            let (done, end) = Latencies::transfers_until(self.next_due(), timing.access, facts.wait / words);
            if done >= words {
                break;
            }
            let Some(number) = self.recognise(self.next_due())? else {
                continue;
            };
            let (it, step) = self.interrupt_multiple(op, done as usize);
            if step == Step::Trap {
                return Ok(Interrupted::Failed);
            }
            self.deviation = Deviation::default();
            self.emit_accesses(op.pc, timing.access as u64, sink);
            let model = self.config.model;
            let rule = if model.has(Rule::MultipleContinued) {
                Rule::MultipleContinued
            } else {
                Rule::MultipleAbandoned
            };
            self.count_start(timing.start, true);
            self.carry_given_up(pipe.free(), &timing, end, rule);
            self.flow = Flow::Through(*pipe);
            self.leave_for(number, end, op.pc, it, sink)?;
            return Ok(Interrupted::Yes);
        }
        Ok(Interrupted::No)
    }

    /// Rule `lazy-stacking`: before an instruction of the FPU that would start in cycle `start`, saves the registers of the
    /// code that an exception left, if that is still to be done. True if the way to this instruction is then a new one:
    /// the registers are saved, or an exception comes first.
    pub(super) fn preserve_before(
        &mut self,
        op: &MicroOp,
        pipe: &PipelineState,
        start: Cycle,
        waits: &Costs,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        let Some(address) = self.fp_to_preserve().filter(|_| passes(op.cond, self.regs.flags)) else {
            return Ok(false);
        };
        // An exception that is recognised meanwhile leaves from here.
        self.flow = Flow::Through(*pipe);
        let free = pipe.free();
        let timed = self.config.model.has(Rule::LazyStacking);
        let saving = Latencies::lazy_stacking(self.wait_at(address).1);
        let end = start + if timed { saving } else { 0 };
        let carried = |until: Cycle| {
            let mut costs = *waits;
            costs.add(Rule::LazyStacking, (until - start.max(free)).max(0) as u32);
            costs
        };
        while self.next_due() < end {
            let due = self.next_due().max(start);
            if let Some(number) = self.recognise(due)? {
                self.carry(free, &carried(due));
                self.leave_for(number, due, op.pc, op.it, sink)?;
                return Ok(true);
            }
        }
        self.carry(free, &carried(end));
        (self.regs.r[15], self.regs.it) = (op.pc, op.it);
        self.preserve_fp(op.pc)?;
        self.emit_accesses(op.pc, start as u64, sink);
        if let Some(number) = self.pending_exception() {
            self.leave_for(number, end, op.pc, op.it, sink)?;
        } else {
            self.preserved = timed.then_some([start, end]);
            self.resume_full(end);
        }
        Ok(true)
    }

    /// An instruction that could start in cycle `free` is given up in cycle `end`: the cycles belong to what comes instead.
    fn carry_given_up(&mut self, free: Cycle, timing: &Timing, end: Cycle, rule: Rule) {
        let mut costs = stalled(timing, free);
        costs.add(rule, (end - free).max(0) as u32 - costs.total() as u32);
        self.carry(free, &costs);
    }

    fn may_interrupt(&self, op: &MicroOp, class: Class) -> bool {
        let multiple = matches!(
            class,
            Class::LoadMultiple | Class::StoreMultiple | Class::LoadMultiplePc
        );
        let model = self.config.model;
        let rule = model.has(Rule::MultipleContinued) || model.has(Rule::MultipleAbandoned);
        let on = rule && !self.sys.finishes_instructions();
        multiple && on && passes(op.cond, self.regs.flags)
    }

    /// The old value of the destination of a multi-cycle multiplication.
    pub(super) fn to_be_abandoned(&self, op: &MicroOp, class: Class) -> Option<u32> {
        let model = self.config.model;
        let slow = match class {
            Class::Multiply => model.multiplies_slowly(),
            Class::MultiplyAccumulate => model.has(Rule::MultiplyAccumulate),
            _ => false,
        };
        slow.then(|| self.regs.r[usize::from(op.rd & 15)])
    }

    /// Rules `divide-abandoned` and `multiply-abandoned`: after a divide or a multi-cycle multiplication, checks whether an exception was
    /// recognised in the middle of it. Then its result is withdrawn, and it restarts after the exception.
    pub(super) fn abandon_divide(
        &mut self,
        op: &MicroOp,
        deviation: &Deviation,
        timing: &Timing,
        before: &PipelineState,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        let model = self.config.model;
        let rule = model.has(Rule::DivideAbandoned) || model.has(Rule::MultiplyAbandoned);
        let on = rule && !self.sys.finishes_instructions();
        let Some(replaced) = deviation.replaced.filter(|_| on) else {
            return Ok(false);
        };
        while self.next_due() < timing.free {
            let due = self.next_due();
            if let Some(number) = self.recognise(due)? {
                self.regs.r[usize::from(op.rd & 15)] = replaced;
                let rule = if model.has(Rule::DivideAbandoned) {
                    Rule::DivideAbandoned
                } else {
                    Rule::MultiplyAbandoned
                };
                self.count_start(timing.start, false);
                self.carry_given_up(before.free(), timing, due, rule);
                self.flow = Flow::Through(*before);
                self.leave_for(number, due, op.pc, op.it, sink)?;
                return Ok(true);
            }
        }
        Ok(false)
    }
}
