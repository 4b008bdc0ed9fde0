//! Exceptions in time: when one is recognised, how long entry and return take, and what may come in between.

use super::cursor::{Continuation, Stop};
use crate::state::Flow;
use crate::state::Sleep;
use events::{Costs, Enter, EntryKind, Event, Exception, Exit, Sink};
use isa_thumb::is_wide;

use super::exception_return::ReturnUnderway;
use crate::config::Debugger;
use crate::core::{Core, Trap};
use crate::exception::Stuck;
use crate::fault::Fault;
use crate::microop::MicroOp;
use crate::regs::Mode;
use crate::sys::exceptions::number;
use crate::timing::{Cycle, Jump, Latencies, PipelineState, Rule, RuleSet, Supply, Timing};

impl From<Stuck> for Stop {
    fn from(stuck: Stuck) -> Stop {
        match stuck {
            Stuck::Lockup(_) => Stop::LockUp,
            Stuck::NotModelled(what) => Stop::NotModelled(what),
        }
    }
}

/// An exception whose handler is being reached.
struct ExceptionArrival {
    kind: EntryKind,
    /// When it was recognised.
    at: Cycle,
    /// When the handler's first instruction would execute.
    start: Cycle,
    /// When its first word is requested, if its vector does not decide that.
    request: Option<Cycle>,
    return_address: u32,
    rules: RuleSet,
    /// The costs of the cycles from `at` to `start`.
    costs: Costs,
}

impl ExceptionArrival {
    /// The first instruction executes in cycle `start`, at the earliest, by this rule.
    fn delay(&mut self, start: Cycle, rule: Rule) {
        self.costs.add(rule, (start - self.start).max(0) as u32);
        self.start = self.start.max(start);
    }
}

impl Core {
    /// Before an instruction that would start in cycle `start`, while the core is free from `free` and waits for these: takes the
    /// exception that is recognised by then, if any.
    pub(super) fn exception_before(
        &mut self,
        start: Cycle,
        free: Cycle,
        waits: &Costs,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        let at = self.next_due().min(start).max(free);
        let recognised = self.recognise(start);
        if recognised == Ok(None) {
            return Ok(false);
        }
        self.carry(free, &waits.first((at - free) as u32));
        self.cycle = at as u64;
        let Some(number) = recognised? else {
            return Ok(false);
        };
        self.leave_for(number, at, self.regs.r[15], self.regs.it, sink)?;
        Ok(true)
    }

    /// Advances everything outside the core to `now`, and returns the exception that the core then takes.
    ///
    /// # Errors
    /// If something outside ended the run, or reset the chip.
    pub(super) fn recognise(&mut self, now: Cycle) -> Result<Option<u16>, Stop> {
        let now = now as u64;
        let pended = self.sys.exceptions.is_pending(number::SYS_TICK);
        let seen = self.catch_up(now);
        if let Some(stop) = self.stop_requested() {
            return Err(stop);
        }
        if self.recognise_from <= now {
            self.recognise_from = u64::MAX;
        }
        if self.recognise_from != u64::MAX {
            return Ok(None);
        }
        Ok(match seen.filter(|&seen| seen > now) {
            Some(seen) => self.recognise_others(seen, pended),
            None => self.pending_exception(),
        })
    }

    /// The exception that the core takes when SysTick has raised its own, which is seen only from cycle `seen` on, unless it was
    /// pending before.
    fn recognise_others(&mut self, seen: u64, pended: bool) -> Option<u16> {
        self.recognise_from = seen;
        if pended {
            return self.pending_exception();
        }
        self.sys.exceptions.unpend(number::SYS_TICK);
        let other = self.pending_exception();
        self.sys.exceptions.pend(number::SYS_TICK);
        other
    }

    /// Stacks the code that is left, and enters the most urgent exception.
    pub(super) fn leave_for(
        &mut self,
        number: u16,
        at: Cycle,
        return_address: u32,
        it: u8,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        self.pending_link = None;
        // If stacking stops the run, it does so in this cycle, however the previous instruction was executed.
        self.cycle = at as u64;
        let taken = self.fetches_over_system_bus(at);
        let stack_wait = self.wait_at(self.regs.r[13].wrapping_sub(4)).1;
        let with_fp = self.stacks_fp();
        if self.regs.mode() == Mode::Thread {
            self.emitter.thread_sp = Some(self.regs.r[13]);
        }
        let sp = self.regs.r[13];
        self.stack(return_address, it)?;
        self.emit_frame(return_address, sp, at, sink);
        let waits = (stack_wait, self.vector_wait(number), self.handler_wait(number));
        let entry = RuleSet::of(Rule::ExceptionEntry);
        let basic = self.latencies().entry(0, 0, 0);
        let mut costs = Costs::of(Rule::ExceptionEntry, basic as u32);
        let (latency, rules) = if with_fp {
            let quick = Latencies::entry_with_fp(0, 0, 0);
            costs.add(Rule::ExceptionEntryFp, (quick - basic) as u32);
            let latency = Latencies::entry_with_fp(waits.0, waits.1, waits.2);
            (latency, entry.with(Rule::ExceptionEntryFp))
        } else {
            (self.latencies().entry(waits.0, waits.1, waits.2), entry)
        };
        costs.add(Rule::WaitStates, latency as u32 - costs.total() as u32);
        let on = self.on_system_bus(number);
        let model = self.config.model;
        let asked = self.vector_asked(number, at);
        let course = Latencies::over_system_bus(model, at, asked, taken, on);
        let quick = at + self.latencies().entry(0, 0, 0);
        let behind = course.map_or(0, |course| (course.start - quick).max(0));
        costs.add(Rule::ExceptionSystemBus, behind as u32);
        let rules = rules.with_if(behind != 0, Rule::ExceptionSystemBus);
        let start = at + latency + behind;
        let request = course.map(|course| self.requested_after(course.request));
        self.arrive(
            ExceptionArrival {
                kind: EntryKind::Preempt,
                at,
                start,
                request,
                return_address,
                rules,
                costs,
            },
            sink,
        )
    }

    /// Enters the most urgent exception, the way being prepared: a more urgent one may still take its place until its
    /// first instruction executes.
    fn arrive(&mut self, mut arrival: ExceptionArrival, sink: &mut dyn Sink) -> Result<(), Stop> {
        let mut number = self.pending_exception();
        let mut reached = self.reach_handler(number, arrival.at, &mut arrival);
        loop {
            let due = self.next_due();
            if due >= arrival.start || !self.config.model.has(Rule::LateArrival) {
                break;
            }
            let later = self.recognise(due)?;
            if later.is_some() && later != number {
                number = later;
                let refetch = due + self.latencies().tail_chain(0, 0);
                arrival.delay(refetch, Rule::LateArrival);
                arrival.request = None;
                arrival.kind = EntryKind::LateArrival;
                arrival.rules = arrival.rules.with(Rule::LateArrival);
                reached = self.reach_handler(number, due, &mut arrival);
            }
        }
        let Some(number) = number else {
            unreachable!("an exception is entered because it is pending")
        };
        // SysTick's request by then belongs to the same exception, if that is SysTick's.
        if let Some(seen) = self.poll_systick((arrival.start - Latencies::PENDS) as u64) {
            self.recognise_from = self.recognise_from.min(seen);
        }
        let entry = self.take(number)?;
        let at = self.window(arrival.at, arrival.start, &mut arrival.costs);
        let exceptions = &self.sys.exceptions;
        let priority = exceptions.group(exceptions.priority(entry.number));
        let enter = Event::Enter(Enter {
            at,
            recognised: arrival.at as u64,
            exception: Exception::of_number(entry.number),
            kind: arrival.kind,
            return_address: arrival.return_address,
            handler: entry.handler,
            priority: Some(priority),
            sp: self.regs.r[13],
            since: self.since(arrival.rules),
            rules: arrival.rules,
            costs: arrival.costs,
        });
        self.emit_control(&enter, sink);
        let reached = reached.filter(|_| entry.handler & !1 == self.regs.r[15]);
        let stale = self.places_with_it(self.regs.r[15], arrival.at);
        self.resume_beside_frame(reached, stale, arrival.start);
        Ok(())
    }

    /// Fetches vector and handler of an exception that is recognised in cycle `at` from a flash with wait states, where
    /// both can come from the cache: they may delay the start. `None` where they meet nothing of the kind.
    fn reach_handler(
        &mut self,
        number: Option<u16>,
        at: Cycle,
        arrival: &mut ExceptionArrival,
    ) -> Option<PipelineState> {
        let number = number?;
        let (vector, handler) = (self.vector_address(number), self.handler_of(number));
        let vector_at = self.latencies().vector_request(at, arrival.start);
        let mut supply = Supply::from(self.bus.flash_mut());
        let late = supply.fetch(vector >> 2, vector_at);
        let request = arrival
            .request
            .unwrap_or_else(|| Latencies::handler_request(vector_at, late));
        arrival.rules = arrival.rules.union(supply.rules());
        let (pipe, start) = self.reach(handler, request, arrival.start)?;
        arrival.delay(start, Rule::FlashWait);
        Some(pipe)
    }

    /// The pipeline that begins at `pc`, where the first word can be requested in cycle `request`; and when it starts, at
    /// the earliest in cycle `start`. `None` unless it comes from a flash with wait states.
    pub(super) fn reach(&mut self, pc: u32, request: Cycle, start: Cycle) -> Option<(PipelineState, Cycle)> {
        let flash = self.bus.flash().filter(|flash| flash.is_timed());
        flash.filter(|flash| flash.contains(pc))?;
        let size = if self.bus.peek_halfword(pc).is_some_and(is_wide) {
            4
        } else {
            2
        };
        let wait = self.fetch_path(pc);
        let mut supply = Supply::from(self.bus.flash_mut());
        Some(PipelineState::reached(
            (pc, size),
            (request, start),
            wait,
            &mut supply,
        ))
    }

    fn resume_through(&mut self, pipe: PipelineState, start: Cycle) {
        (self.earlier_rules, self.refilled_from) = (RuleSet::EMPTY, self.regs.r[15]);
        self.cycle = start as u64;
        self.flow = Flow::Through(pipe);
    }

    /// The pipeline is full at R15, and the next instruction executes in cycle `start`: after an exception was entered or
    /// left, a halt, or sleep. A core that fetches just in time then has the first word and no more.
    pub(super) fn resume_full(&mut self, start: Cycle) {
        let pc = self.regs.r[15];
        (self.earlier_rules, self.refilled_from) = (RuleSet::EMPTY, pc);
        if let Latencies::InTurn { .. } = self.latencies() {
            self.cycle = start as u64;
            self.flow = Flow::Jumped(Jump::reaching(start, self.fetch_path(pc)));
            return;
        }
        let wait = self.fetch_path(pc);
        let pipe = PipelineState::full(pc, start, wait, &mut Supply::from(self.bus.flash_mut()));
        self.resume_through(pipe, start);
    }

    /// The next instruction executes in cycle `start`, after an exception was entered or left, through what was `reached` or through a
    /// full pipeline; `stale`: see [`PipelineState::fill_beside_frame`].
    pub(super) fn resume_beside_frame(&mut self, reached: Option<PipelineState>, stale: u8, start: Cycle) {
        match reached {
            Some(pipe) => self.resume_through(pipe, start),
            None => self.resume_full(start),
        }
        if let Flow::Through(pipe) = &mut self.flow {
            pipe.fill_beside_frame(stale, self.config.model);
        }
    }

    /// Execution goes on at `pc`, as a debugger says: the pipeline is full there, and no cycle passes.
    pub fn go_to(&mut self, pc: u32) {
        // The earlier activity ends first: a jump, or the reset.
        let end = match self.flow {
            Flow::Jumped(jump) => jump.end(),
            Flow::Through(pipe) => pipe.free(),
        };
        (self.regs.r[15], self.regs.it) = (pc & !1, 0);
        self.resume_full(end.max(self.cycle as Cycle));
    }

    pub(super) fn latencies(&self) -> Latencies {
        self.config.core.latencies
    }

    /// An instruction ended in something else than going on.
    pub(super) fn trapped(
        &mut self,
        op: &MicroOp,
        timing: &Timing,
        before: &PipelineState,
        sink: &mut dyn Sink,
    ) -> Result<Continuation, Stop> {
        let behind = op.pc.wrapping_add(u32::from(op.size));
        self.count_start(timing.start, timing.rules.contains(Rule::LoadPc));
        match std::mem::replace(&mut self.trap, Trap::None) {
            Trap::None | Trap::Expect(_) | Trap::SlowPath => {
                unreachable!("a trap says what it is, and only the fast way asks for the careful one")
            }
            Trap::Fault(fault) => self.fault(fault, op, timing, before, sink)?,
            Trap::Svc => {
                self.emit_instruction(op, timing, (before.free(), timing.free), sink);
                // Its frame is the same if it escalates: the instruction is complete.
                let number = self.supervisor_call(op.pc)?;
                let at = timing.free + self.recognised_late();
                self.leave_for(number, at, behind, op.it_after, sink)?;
            }
            Trap::Bkpt(imm) => return self.breakpoint(imm, op, timing, before, sink),
            Trap::ExceptionReturn(exc_return) => {
                self.emit_instruction(op, timing, (before.free(), timing.free), sink);
                self.return_by(exc_return, op, timing, sink)?;
            }
            Trap::WaitForInterrupt => self.fall_asleep(Sleep::ForInterrupt, op, timing, before, sink),
            Trap::WaitForEvent => self.fall_asleep(Sleep::ForEvent, op, timing, before, sink),
            Trap::NotModelled(what) => {
                self.resume_before(op, *before);
                return Err(Stop::NotModelled(what));
            }
        }
        Ok(Continuation::Elsewhere)
    }

    fn fault(
        &mut self,
        fault: Fault,
        op: &MicroOp,
        timing: &Timing,
        before: &PipelineState,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        (self.regs.r[15], self.regs.it) = (op.pc, op.it);
        // Not when it would have ended: that counts accesses that are not made.
        let end = timing.start + Latencies::EXCEPTIONAL;
        self.cycle = end as u64;
        let number = self.raise(fault, op.pc)?;
        self.carry_trap(timing, before, Rule::Exceptional, end);
        self.leave_for(number, end, op.pc, op.it, sink)
    }

    /// Rule `halt`. An interrupt that is seen by the end of the cycle in which the BKPT would halt goes first.
    fn breakpoint(
        &mut self,
        imm: u8,
        op: &MicroOp,
        timing: &Timing,
        before: &PipelineState,
        sink: &mut dyn Sink,
    ) -> Result<Continuation, Stop> {
        let (pc, sp) = (op.pc, self.regs.r[13]);
        let mut costs = stalled(timing, before.free());
        if imm == SEMIHOSTING {
            let at = self.window(before.free(), timing.start, &mut costs);
            let request = Event::Semihosting {
                at,
                pc,
                operation: self.regs.r[0],
                parameter: self.regs.r[1],
                costs,
            };
            self.emit_control(&request, sink);
        } else if self.config.debugger == Debugger::None {
            self.fault(Fault::DebugEvent, op, timing, before, sink)?;
            return Ok(Continuation::Elsewhere);
        } else {
            self.resume_before(op, *before);
            let end = timing.start + Latencies::GIVEN_WAY;
            if let Some(number) = self.recognise(end)? {
                self.carry_trap(timing, before, Rule::Halt, end);
                self.leave_for(number, end, op.pc, op.it, sink)?;
                return Ok(Continuation::Elsewhere);
            }
            let at = self.window(before.free(), timing.start, &mut costs);
            let halt = Event::Breakpoint {
                at,
                pc,
                imm,
                sp,
                since: self.since(RuleSet::EMPTY),
                costs,
            };
            self.emit_control(&halt, sink);
        }
        (self.regs.r[15], self.regs.it) = (pc.wrapping_add(u32::from(op.size)), op.it_after);
        self.resume_full(timing.start);
        if imm == SEMIHOSTING {
            Err(Stop::Semihosting)
        } else {
            Ok(Continuation::Elsewhere)
        }
    }

    /// From one handler to the next, recognised in cycle `at`, without unstacking and stacking.
    pub(super) fn tail_chain(
        &mut self,
        exit: &ReturnUnderway,
        next: u16,
        at: Cycle,
        rule: Rule,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let rules = RuleSet::of(Rule::TailChain).with(rule);
        let (cycle, number) = (exit.cycle as u64, exit.number);
        let (to, sp) = (self.handler_of(next), self.regs.r[13]);
        let left_by = if rule == Rule::PopPreemption {
            rule
        } else {
            Rule::ExceptionReturn
        };
        let mut left = Costs::of(left_by, (at - exit.free) as u32);
        let window = self.window(exit.free, at, &mut left);
        let leaves = Event::Exit(Exit {
            at: window,
            began: cycle,
            exception: Exception::of_number(number),
            to,
            sp,
            since: self.since(rules),
            rules,
            costs: left,
        });
        self.emit_control(&leaves, sink);
        let quick = self.latencies().tail_chain(0, 0);
        let waits = self.vector_wait(next) + self.handler_wait(next);
        let vector = self.chain_by_vector(next);
        let asked = self.vector_asked(next, at);
        let start = at + quick + waits + vector;
        let mut costs = Costs::of(Rule::TailChain, quick as u32);
        costs.add(Rule::WaitStates, waits as u32);
        costs.add(Rule::ExceptionSystemBus, vector as u32);
        let rules = rules.with_if(vector != 0, Rule::ExceptionSystemBus);
        self.arrive(
            ExceptionArrival {
                kind: EntryKind::TailChain,
                at,
                start,
                request: (vector != 0).then_some(asked + Latencies::CHAINED_REQUEST),
                return_address: exit.pc,
                rules,
                costs,
            },
            sink,
        )
    }

    /// An instruction gives way to an exception in cycle `end`: its cycles belong to the entry, and those from its start on to `rule`.
    fn carry_trap(&mut self, timing: &Timing, before: &PipelineState, rule: Rule, end: Cycle) {
        let free = before.free();
        let mut costs = stalled(timing, free);
        costs.add(rule, (end - free).max(0) as u32 - costs.total() as u32);
        self.carry(free, &costs);
    }
}

/// The waits of an instruction that could have started in cycle `free`. One that overlaps with the previous instruction started earlier,
/// and waited for nothing.
pub(super) fn stalled(timing: &Timing, free: Cycle) -> Costs {
    timing.costs.first((timing.start - free).max(0) as u32)
}

/// BKPT 0xab asks the host for a service (Arm semihosting specification).
const SEMIHOSTING: u8 = 0xab;
