//! Exception returns in time: unstacking, tail-chaining, and what the code that was left meets.

use super::cursor::Stop;
use crate::state::Sleep;
use events::{Costs, Event, Exception, Exit, Sink};

use crate::core::Core;
use crate::microop::MicroOp;
use crate::regs::Mode;
use crate::sys::dwt::Counter;
use crate::timing::{Cycle, Latencies, Rule, RuleSet, Timing};

/// An exception return in progress.
pub(super) struct ReturnUnderway {
    pub(super) number: u16,
    /// First cycle of the returning instruction.
    pub(super) cycle: Cycle,
    /// First cycle after it.
    pub(super) free: Cycle,
    /// Address of the returning instruction.
    pub(super) pc: u32,
}

/// The unstacking of an exception frame.
struct Unstacking {
    /// From this cycle on the return address is known.
    read: Cycle,
    /// Its end, apart from waits for a flash.
    end: Cycle,
    costs: Costs,
    rules: RuleSet,
}

impl Core {
    /// An exception return: to the next handler that is pending, or to the code that was left.
    pub(super) fn return_by(
        &mut self,
        exc_return: u32,
        op: &MicroOp,
        timing: &Timing,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let number = self.regs.ipsr;
        self.note_late_clear(op.pc, number, timing.start as u64);
        // Only a load to PC has a data access after which its own cycles end.
        let loaded = timing.rules.contains(Rule::LoadPc);
        let from = timing.free
            + if loaded {
                self.latencies().return_by_load()
            } else {
                0
            };
        self.count_until(from, Counter::Exception);
        self.begin_return(exc_return, op.pc)?;
        // The next exception may be one that the ended one held back, or a fault of its return.
        self.recognise_from = self.recognise_from.min(from as u64);
        self.emit_mask_changes(op.pc, timing.start as u64, sink);
        let exit = ReturnUnderway {
            number,
            cycle: timing.start,
            free: timing.free,
            pc: op.pc,
        };
        if let Some(next) = self.recognise(from)? {
            return self.tail_chain(&exit, next, from, Rule::TailChain, sink);
        }
        let unstacking = self.unstacking(exc_return, from, timing.free);
        let end = unstacking.end;
        let may_abandon = self.config.model.has(Rule::PopPreemption);
        while may_abandon && self.next_due() < end {
            let due = self.next_due();
            if let Some(next) = self.recognise(due)? {
                return self.tail_chain(&exit, next, due, Rule::PopPreemption, sink);
            }
        }
        if !self.unstack(exc_return, op.pc)? {
            let Some(next) = self.pending_exception() else {
                return Ok(());
            };
            return self.tail_chain(&exit, next, end, Rule::TailChain, sink);
        }
        self.resume_left_code(&exit, from, &unstacking, sink);
        if self.sleeps_on_exit() {
            self.sleeping = Some((Sleep::ForInterrupt, self.cycle));
        }
        Ok(())
    }

    /// The unstacking of a return whose own cycles end in cycle `from`; the window began in cycle `free`.
    fn unstacking(&mut self, exc_return: u32, from: Cycle, free: Cycle) -> Unstacking {
        let stack_wait = self.wait_at(self.regs.r[13]).0;
        let fetch_wait = self.fetch_path(self.regs.r[15]).total();
        let with_fp = self.unstacks_fp(exc_return);
        let latency = |stack_wait, fetch_wait| {
            if with_fp {
                Latencies::exit_with_fp(stack_wait, fetch_wait)
            } else {
                self.latencies().exit(stack_wait, fetch_wait)
            }
        };
        let (basic, quick) = (self.latencies().exit(0, 0), latency(0, 0));
        let after_frame = self.return_behind_frame();
        let end = from + latency(stack_wait, fetch_wait) + after_frame;
        let mut costs = Costs::of(Rule::ExceptionReturn, (from - free + basic) as u32);
        costs.add(Rule::ExceptionReturnFp, (quick - basic) as u32);
        costs.add(Rule::ExceptionSystemBus, after_frame as u32);
        costs.add(Rule::WaitStates, (end - from - quick - after_frame) as u32);
        let rules = RuleSet::of(Rule::ExceptionReturn)
            .with_if(with_fp, Rule::ExceptionReturnFp)
            .with_if(after_frame != 0, Rule::ExceptionSystemBus);
        Unstacking {
            read: from + stack_wait,
            end,
            costs,
            rules,
        }
    }

    /// Continues with the code that the exception left, whose frame was unstacked.
    fn resume_left_code(
        &mut self,
        exit: &ReturnUnderway,
        from: Cycle,
        unstacking: &Unstacking,
        sink: &mut dyn Sink,
    ) {
        let &Unstacking {
            read,
            end: quick,
            mut costs,
            rules,
        } = unstacking;
        let (to, sp) = (self.regs.r[15], self.regs.r[13]);
        let reached = self.reach(to, self.latencies().return_request(read, quick), quick);
        let end = reached.map_or(quick, |(_, end)| end);
        costs.add(Rule::FlashWait, (end - quick) as u32);
        let at = self.window(exit.free, end, &mut costs);
        let event = Event::Exit(Exit {
            at,
            began: exit.cycle as u64,
            exception: Exception::of_number(exit.number),
            to,
            sp,
            since: self.since(rules),
            rules,
            costs,
        });
        self.emit_control(&event, sink);
        self.emit_switch(end, exit.pc, sink);
        let stale = self.places_with_it(to, from);
        self.resume_beside_frame(reached.map(|(pipe, _)| pipe), stale, end);
    }

    /// Emits a context switch: a return to thread mode with another stack pointer than it was left with.
    fn emit_switch(&mut self, cycle: Cycle, pc: u32, sink: &mut dyn Sink) {
        if self.regs.mode() != Mode::Thread {
            return;
        }
        let sp = self.regs.r[13];
        if let Some(left) = self.emitter.thread_sp.take().filter(|left| *left != sp) {
            let cycle = cycle as u64;
            self.emit_control(&Event::Switch { cycle, pc, left, sp }, sink);
        }
    }
}
