//! Memoised steps: the path between the fast and the slow one.
//!
//! It executes each instruction on its own and looks up the result in [`crate::block::StepCache`], by the flash's answers and the facts
//! that the instruction met. For unknown facts the slow path computes the result from the same answers, and the cache stores it.

use super::cursor::{Continuation, Executed, RunLimits, StepCursor, Stop};
use crate::state::Flow;
use bus::Flash;
use events::{RuleSet, Sink};

use super::trace::{TraceRecording, keep_trace};
use crate::access::may_run_blocks_at;
use crate::block::{
    CodeCache, ExecutedStep, Instr, NO_BLOCK, NO_NODE, StepCache, StepKey, StepNode, StepOutcome, StepRecord,
    StepResult, StepState,
};
use crate::core::Core;
use crate::exec::passes;
use crate::microop::{MicroOp, Step};
use crate::state::Deviation;
use crate::timing::{self, Class, Cycle, PipelineState, Preview, Request, RequestKind, catch_up};

/// Number of visits of a state before a block is decoded there, with a flash with wait states.
const OFTEN: u8 = 4;
/// Upper bound of the cycles that a word takes to transfer.
const TRANSFER: Cycle = 1 << 8;
/// Upper bound of the cycles, from its start, of an instruction that an exception makes start again (a divide or multiplication).
const ABANDONED: Cycle = 1 << 4;

/// Why no further step is taken.
pub(super) enum StepStop {
    /// A block continues: its number, the index, and the cycle at which its time begins.
    Block(u32, usize, Cycle),
    /// Execution continues at R15, by `Core::flow`.
    Elsewhere,
    /// Execution continues at R15, and the MPU may forbid the fetch.
    Checked,
}

/// The successor of a step.
struct NextStep {
    next: u32,
    later: Cycle,
    /// Whether the rest of the core must see what it changed.
    attends: bool,
}

impl Core {
    /// Executes steps until a block can begin or something is due.
    pub(super) fn run_memoised(
        &mut self,
        cache: &mut CodeCache,
        mut at: StepCursor,
        limits: &mut RunLimits,
        sink: &mut dyn Sink,
    ) -> Result<StepStop, Stop> {
        let timed = self.bus.flash().is_some_and(Flash::is_timed);
        let mut recording: Option<Box<TraceRecording>> = None;
        loop {
            if at.executed.is_none() && !self.request_log.resumes() {
                if self.emitter.paused {
                    self.resume_at_step(&cache.steps.states[at.state as usize], at.base);
                    return Ok(StepStop::Elsewhere);
                }
                let state = &cache.steps.states[at.state as usize];
                let end = state.pc.wrapping_add(u32::from(state.op.size));
                if !self.may_run(state.pc, end, &mut 0) {
                    self.resume_at_step(state, at.base);
                    return Ok(StepStop::Checked);
                }
                if let Some(next) = self.run_trace_at(cache, at, limits.deadline) {
                    keep_trace(recording.take(), &mut cache.steps);
                    at = self.run_traces(cache, next, limits.deadline);
                    continue;
                }
                if recording.is_none() {
                    let block = self.block_at_step(cache, at, limits.deadline);
                    if timed && !block.is_some_and(|(block, ..)| cache.cached_mut(block).is_fully_cached()) {
                        recording = self.begin_trace(&mut cache.steps, at);
                    }
                    if let Some((block, place, base)) = block.filter(|_| recording.is_none()) {
                        return Ok(StepStop::Block(block, place, base));
                    }
                }
                self.pending_link = None;
            }
            let executed = match self.execute_memoised(&cache.steps, at, limits, &mut recording, sink) {
                Ok(led) => {
                    at = StepCursor::at(led.next, at.base + led.later);
                    if recording.as_ref().is_some_and(|begun| begun.is_done()) {
                        keep_trace(recording.take(), &mut cache.steps);
                    }
                    if led.attends {
                        if self.code.is_stale() || !self.may_use_blocks() {
                            self.resume_at_step(&cache.steps.states[at.state as usize], at.base);
                            return Ok(StepStop::Elsewhere);
                        }
                        self.recognise_own_changes(at.base, limits);
                    }
                    continue;
                }
                Err(executed) => executed,
            };
            keep_trace(recording.take(), &mut cache.steps);
            let next = self.execute_and_record(cache, StepCursor { executed, ..at }, limits.until, sink)?;
            let Some(next) = next else {
                return Ok(StepStop::Elsewhere);
            };
            at = next;
            // A due event may have been handled meanwhile.
            limits.deadline = self.deadline(limits.until);
        }
    }

    /// The step state of the next instruction.
    pub(super) fn step_cursor(&mut self, cache: &mut CodeCache) -> Option<StepCursor> {
        let pc = self.regs.r[15];
        if !may_run_blocks_at(pc) {
            return None;
        }
        let mut pipe = self.current_pipeline();
        let mut early = if let Flow::Jumped(jump) = self.flow {
            Some(jump.early)
        } else {
            None
        };
        if pipe.lags() && self.bus.flash().is_some_and(Flash::is_timed) {
            let (model, mut supply) = (self.config.model, self.supply());
            catch_up(&mut pipe, model, &mut supply);
            let rules = supply.rules();
            self.earlier_rules = self.earlier_rules.union(rules);
            (self.flow, early) = (Flow::Through(pipe), None);
            if pipe.lags() {
                return None;
            }
        }
        let base = pipe.free();
        self.bus.mark_code(pc);
        let key = cache.key(pc, self.regs.it, &pipe, &self.context());
        let state = cache.step_state(&key, self.earlier_rules, early, &self.context())?;
        self.earlier_rules = RuleSet::EMPTY;
        Some(StepCursor {
            state,
            base,
            executed: None,
        })
    }

    /// The pipeline state before the next instruction.
    fn current_pipeline(&self) -> PipelineState {
        match self.flow {
            Flow::Jumped(jump) => {
                PipelineState::refilled(self.regs.r[15], jump, self.fetch_path(self.regs.r[15]))
            }
            Flow::Through(pipe) => pipe,
        }
    }

    /// Continues in this state.
    fn resume_at_step(&mut self, state: &StepState, base: Cycle) {
        (self.regs.r[15], self.regs.it) = (state.pc, state.it);
        self.flow = Flow::Through(state.pipe.moved_by(base));
        self.earlier_rules = state.fetched;
        self.cycle = base as u64;
    }

    /// The block that begins in this state, the index, and when its time begins, if some of it can surely run.
    fn block_at_step(
        &mut self,
        cache: &mut CodeCache,
        at: StepCursor,
        deadline: Cycle,
    ) -> Option<(u32, usize, Cycle)> {
        let flash = self.bus.flash().filter(|flash| flash.is_timed());
        let state = &mut cache.steps.states[at.state as usize];
        if !state.fetched.is_empty() {
            return None;
        }
        if state.block == NO_BLOCK {
            state.visits += 1;
            if flash.is_some() && state.visits < OFTEN {
                return None;
            }
            let (key, early) = (state.key(), state.early);
            let key = early.map_or(key, |early| self.target_key(key.pc, key.it, early));
            let known = cache.position_of(&key);
            let (block, place) = known.unwrap_or_else(|| (self.find_or_decode(cache, &key), 0));
            if let Some(early) = early.filter(|_| place == 0) {
                cache.set_target(&key, early, block);
            }
            let state = &mut cache.steps.states[at.state as usize];
            (state.block, state.place) = (block, place);
        }
        let StepState { block, place, .. } = cache.steps.states[at.state as usize];
        let cached = cache.cached_mut(block);
        let flash = self.bus.flash();
        if cached.epoch != flash.map_or(0, Flash::epoch) {
            cached.look_up(flash);
        }
        let base = at.base - cached.block.pipe_at(place).free();
        let goes =
            cached.at_once as usize > place && base + cached.block.span < deadline && !cached.block.halts;
        if !goes && let Some(left) = self.pending_link.take() {
            cache.add_link(&left, (block, place), base, &self.context());
        }
        goes.then_some((block, place, base))
    }

    /// Executes an instruction, unless it was executed, and looks up its result; then emits and counts it and makes its requests. If
    /// there is no result, returns the outcome of the execution: otherwise only requests to the flash were made.
    fn execute_memoised(
        &mut self,
        tree: &StepCache,
        at: StepCursor,
        limits: &mut RunLimits,
        recording: &mut Option<Box<TraceRecording>>,
        sink: &mut dyn Sink,
    ) -> Result<NextStep, Option<Executed>> {
        let StepCursor { base, executed, .. } = at;
        let state = &tree.states[at.state as usize];
        let op = &state.op;
        self.request_log.begin();
        let first = self.replay_requests(tree, state.first, base, 0);
        let key = match executed {
            None => self.key_before(&state.instr()),
            Some(Executed { key, .. }) => key.unwrap_or_else(|| self.key_after(&state.instr())),
        };
        let prepared = self.request_log.given();
        let (start, access, first_outcome) = tree.executes(first, key).ok_or(executed)?;
        let step = match executed {
            Some(Executed { step, .. }) => step,
            None if self.may_be_delayed(state, base + start, limits) => return Err(None),
            None => {
                self.base = (base + access) as u64;
                self.remember_frame();
                let step = (op.exec)(self, op);
                self.emit_observed_accesses(op, step, sink)
            }
        };
        let executed = Executed { step, key: Some(key) };
        let (target, attends) = (self.regs.r[15], step == Step::Attention);
        if attends {
            self.deviation.raises = self.raised_a_mask();
        }
        // Later requests are made only if no exception comes before its end.
        if self.deviation.replaced.is_some() && base + start + ABANDONED > limits.deadline {
            return Err(Some(executed));
        }
        let outcome = StepOutcome::new(step, target, &self.deviation, op).ok_or(Some(executed))?;
        let result = self
            .result_of(tree, first_outcome, &outcome, base)
            .ok_or(Some(executed))?;
        let jumps = step == Step::Branch || self.deviation.taken;
        let switches = jumps && (!self.regs.thumb || target == op.pc);
        if switches || attends && self.stop_requested().is_some() {
            return Err(Some(executed));
        }
        if step != Step::Next {
            self.deviation = Deviation::NONE;
        }
        if jumps {
            self.note_jump();
        }
        self.emit_again(state, base, result, sink);
        if attends {
            self.handle_attention(op.pc, base + result.event.start, result.seen.since(-base), sink);
        }
        if let Some(begun) = recording {
            let executed_step = ExecutedStep {
                state: at.state,
                base,
                access,
                key,
                outcome,
                requests: self.request_log.requests(),
                prepared,
                result,
            };
            self.record_step(begun, tree, &executed_step);
        }
        Ok(NextStep {
            next: result.next,
            later: result.later,
            attends,
        })
    }

    /// The result of an execution with this outcome, if the flash answers the requests after it as before.
    #[inline]
    fn result_of<'t>(
        &mut self,
        tree: &'t StepCache,
        first_outcome: u32,
        outcome: &StepOutcome,
        base: Cycle,
    ) -> Option<&'t StepResult> {
        let known = tree.after(first_outcome, outcome)?;
        let read = self.deviation.flash.map_or(0, |read| read.address & !3);
        let end = self.replay_requests(tree, known, base, read);
        match tree.nodes.get(end as usize) {
            Some(&StepNode::Done(result)) => Some(&tree.leaves[result as usize]),
            _ => None,
        }
    }

    fn emit_again(&mut self, state: &StepState, base: Cycle, result: &StepResult, sink: &mut dyn Sink) {
        if let Some(pending) = &mut self.pending_link {
            pending.event = result.event.since(pending.base - base);
            pending.seen = result.seen.since(pending.base - base);
        }
        self.emit_memoised(&state.op, base, &result.event, sink);
    }

    /// Repeats requests to the flash while their answers are known. Returns the node after them.
    #[inline(always)]
    fn replay_requests(&mut self, tree: &StepCache, first: u32, base: Cycle, data: u32) -> u32 {
        match tree.nodes.get(first as usize) {
            Some(StepNode::Asks { .. }) => self.replay_requests_from(tree, first, base, data),
            _ => first,
        }
    }

    fn replay_requests_from(&mut self, tree: &StepCache, first: u32, base: Cycle, data: u32) -> u32 {
        let mut place = first;
        while let Some(&StepNode::Asks { what, at, .. }) = tree.nodes.get(place as usize) {
            let at = base + at;
            let Some(flash) = self.bus.flash_mut() else {
                return NO_NODE;
            };
            let answer = self.request_log.next().unwrap_or_else(|| {
                let served = match what {
                    RequestKind::Fetch(word) => flash.fetch(word << 2, at),
                    RequestKind::Read(word) => flash.read(data + 4 * word, at),
                };
                self.request_log.add(Request { what, at, served });
                served
            });
            place = loop {
                match tree.nodes.get(place as usize) {
                    Some(&StepNode::Asks { served, then, .. }) if served == answer => break then,
                    Some(&StepNode::Asks { other, .. }) => place = other,
                    _ => return NO_NODE,
                }
            };
        }
        place
    }

    /// The key for the start of an instruction that is about to execute.
    #[inline]
    fn key_before(&self, instr: &Instr) -> StepKey {
        self.key_of(instr.op, instr.shape.words != 0)
    }

    #[inline]
    pub(super) fn key_of(&self, op: &MicroOp, accesses: bool) -> StepKey {
        StepKey {
            area: if accesses { self.area(op) } else { 0 },
            skipped: !passes(op.cond, self.regs.flags),
        }
    }

    /// The key for the start of an instruction that was executed, from its deviation.
    fn key_after(&self, instr: &Instr) -> StepKey {
        let skipped = self.deviation.skipped;
        let area = match self.deviation.profile {
            _ if instr.shape.words == 0 => 0,
            _ if skipped => self.area(instr.op),
            profile => self.bus.profile(profile.unwrap_or(instr.op.profile)).area,
        };
        StepKey { area, skipped }
    }

    /// Whether an event may be due before or during an instruction that starts in this cycle. Handles due events without consequences.
    fn may_be_delayed(&mut self, state: &StepState, start: Cycle, limits: &mut RunLimits) -> bool {
        let words = Cycle::from(state.shape.words);
        let end = match state.shape.class {
            _ if words > 1 => start + (words + 1) * TRANSFER,
            Class::MultiplyAccumulate => start + timing::Latencies::MULTIPLY_ACCUMULATE,
            _ => start,
        };
        if start >= limits.deadline {
            self.recognise_until(start, limits);
        }
        end >= limits.deadline || state.op.uses_fp && self.fp_to_preserve().is_some()
    }

    /// Handles what is due by the start of the next instruction, except an exception to be taken, which stays due.
    fn recognise_until(&mut self, start: Cycle, limits: &mut RunLimits) {
        let due = self.next_due();
        let seen = due <= start && start < limits.until.min(self.next_edge());
        if seen && !matches!(self.recognise(start), Ok(None)) {
            self.recognise_from = due as u64;
        }
        limits.deadline = self.deadline(limits.until);
    }

    /// Recognises what the program changed before the next instruction, which can start in cycle `free`. If nothing else is due for long,
    /// that is all that it has to see.
    #[inline]
    pub(super) fn recognise_own_changes(&mut self, free: Cycle, limits: &mut RunLimits) {
        let others = self.pass_void(limits.until, TRANSFER);
        if self.recognise_from == u64::MAX {
            limits.deadline = others.min(self.next_edge());
            return;
        }
        self.recognise_pending_changes(free, limits);
    }

    #[inline(never)]
    fn recognise_pending_changes(&mut self, free: Cycle, limits: &mut RunLimits) {
        let seen_from = std::mem::replace(&mut self.recognise_from, u64::MAX);
        let alone = self.next_due() > free + TRANSFER;
        self.recognise_from = seen_from;
        if alone {
            self.recognise_until(free, limits);
        } else {
            limits.deadline = self.deadline(limits.until);
        }
    }

    /// Executes an instruction on the slow path, unless it was executed, and stores its result. `None`: execution continues at R15, by
    /// `Core::flow`.
    fn execute_and_record(
        &mut self,
        cache: &mut CodeCache,
        at: StepCursor,
        until: Cycle,
        sink: &mut dyn Sink,
    ) -> Result<Option<StepCursor>, Stop> {
        let state = cache.steps.states[at.state as usize].clone();
        let instr = state.instr();
        let mut pipe = state.pipe.moved_by(at.base);
        self.recognise_void(at.base as u64);
        self.step_record = Some(StepRecord::default());
        self.earlier_rules = state.fetched;
        self.request_log.repeat();
        let next = match at.executed {
            None => self.slow_step(&instr, &mut pipe, until, sink),
            Some(Executed { step, key }) => {
                let key = key.unwrap_or_else(|| self.key_after(&instr));
                self.prepare_executed(&instr, key, &mut pipe);
                self.account(&instr, step, &mut pipe, sink)
            }
        };
        let record = self.step_record.take();
        let next = next.inspect_err(|_| self.request_log.set_noting(false))?;
        if let Continuation::Straight = next {
            self.resume_after(instr.op, pipe);
        }
        let usual = record.filter(|record| record.done.is_some());
        let Some((record, (_, event, seen))) = usual.and_then(|record| Some((record, record.done?))) else {
            self.request_log.set_noting(false);
            return Ok(None);
        };
        let cursor = self.step_cursor(cache);
        self.request_log.set_noting(false);
        let Some(next) = cursor else {
            return Ok(None);
        };
        let corrected = record
            .profile
            .is_some_and(|profile| cache.steps.expect_profile(at.state, profile));
        if !corrected {
            let result = StepResult {
                event: event.since(at.base),
                seen: seen.since(at.base),
                next: next.state,
                later: next.base - at.base,
            };
            cache
                .steps
                .keep(at.state, at.base, &record, self.request_log.requests(), result);
        }
        let goes_on = !self.code.is_stale() && self.may_use_blocks();
        Ok(Some(next).filter(|_| goes_on))
    }

    /// Makes the requests before an instruction that the fast path executed.
    fn prepare_executed(&mut self, instr: &Instr, key: StepKey, pipe: &mut PipelineState) {
        let model = self.config.model;
        self.prepare(instr, pipe);
        let preview = timing::preview(pipe, model, instr.shape, key.area, key.skipped);
        self.record_preview(key, &preview);
    }

    /// Records when a step to be memoised starts.
    pub(super) fn record_start(&mut self, instr: &Instr, preview: &Preview) {
        if self.step_record.is_some() {
            self.record_preview(self.key_before(instr), preview);
        }
    }

    fn record_preview(&mut self, key: StepKey, preview: &Preview) {
        let prepared = self.request_log.given();
        self.step_record = Some(StepRecord {
            prepared,
            key,
            start: preview.start,
            access: preview.access,
            ..StepRecord::default()
        });
    }
}
