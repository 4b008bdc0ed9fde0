//! Replays traces: instructions whose flash requests get the same answers as before.

use super::cursor::{Executed, StepCursor};
use bus::{Flash, FlashResponse};

use crate::block::{CodeCache, ExecutedStep, StepCache, StepOutcome, Trace, TraceRequest, TraceStep};
use crate::core::{Core, Trap};
use crate::exec::passes;
use crate::microop::Step;
use crate::state::Deviation;
use crate::timing::{Cycle, RequestKind};

/// A trace that is being recorded.
pub(super) struct TraceRecording {
    from: StepCursor,
    trace: Trace,
    done: bool,
}

impl TraceRecording {
    /// Starts recording here.
    fn at(tree: &StepCache, from: StepCursor) -> TraceRecording {
        TraceRecording {
            from,
            trace: Trace::new(tree),
            done: false,
        }
    }

    /// Whether the recording is complete.
    pub(super) fn is_done(&self) -> bool {
        self.done
    }
}

/// Where execution left a trace: the instruction in flight, its outcome if it was executed, and the next request or the one with another
/// answer.
struct TraceExit {
    recorded: usize,
    step: Option<Step>,
    place: u32,
    answer: Option<FlashResponse>,
}

impl TraceExit {
    /// At the execution of an instruction.
    fn at(number: usize, recorded: &TraceStep, step: Option<Step>) -> TraceExit {
        TraceExit {
            recorded: number,
            step,
            place: recorded.behind,
            answer: None,
        }
    }

    /// At this request.
    fn answered(self, (place, answer): (u32, FlashResponse)) -> TraceExit {
        TraceExit {
            place,
            answer: Some(answer),
            ..self
        }
    }
}

/// Number of visits of a state before a trace is recorded from it.
const OFTEN: u8 = 8;

/// Stores a recorded trace, if it is long enough.
pub(super) fn keep_trace(recording: Option<Box<TraceRecording>>, tree: &mut StepCache) {
    if let Some(begun) = recording.filter(|begun| begun.trace.is_of_use()) {
        let TraceRecording { from, trace, .. } = *begun;
        tree.keep_trace(from.state, trace);
    }
}

impl Core {
    /// Runs the trace that begins here, if there is one and nothing is due before its end. Returns where execution continues.
    pub(super) fn run_trace_at(
        &mut self,
        cache: &mut CodeCache,
        at: StepCursor,
        deadline: Cycle,
    ) -> Option<StepCursor> {
        let trace = cache.steps.trace(at.state)?;
        let fp = trace.uses_fp && self.fp_to_preserve().is_some();
        if at.base + trace.reach >= deadline || fp || self.preserved.is_some() || !self.may_use_traces() {
            return None;
        }
        self.pending_link = None;
        let outcome = self.run_trace(trace, at.base);
        cache.steps.score_trace(at.state, outcome.is_ok());
        Some(outcome.unwrap_or_else(|left| left))
    }

    /// Runs traces as long as one follows the other. Returns where execution continues.
    pub(super) fn run_traces(
        &mut self,
        cache: &mut CodeCache,
        mut at: StepCursor,
        deadline: Cycle,
    ) -> StepCursor {
        while at.executed.is_none() && !self.request_log.resumes() {
            match self.run_trace_at(cache, at, deadline) {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }

    /// Not while every instruction is emitted or the MPU checks fetches.
    fn may_use_traces(&self) -> bool {
        !self.emitter.all() && !self.sys.checks_fetches()
    }

    /// Begins to record a trace, if this state was visited often enough.
    pub(super) fn begin_trace(&self, tree: &mut StepCache, at: StepCursor) -> Option<Box<TraceRecording>> {
        if !self.may_use_traces() {
            return None;
        }
        let state = &mut tree.states[at.state as usize];
        state.passes += 1;
        if state.passes < OFTEN {
            return None;
        }
        state.passes = 0;
        Some(Box::new(TraceRecording::at(tree, at)))
    }

    /// Adds an instruction to the recording.
    pub(super) fn record_step(&self, begun: &mut TraceRecording, tree: &StepCache, executed: &ExecutedStep) {
        let split = tree.states[executed.state as usize].split;
        let shape = self.bus.flash().map(Flash::shape);
        let Some(shape) = shape.filter(|_| !split && !executed.outcome.needs_attention()) else {
            begun.done = true;
            return;
        };
        begun.trace.add(tree, executed, begun.from.base, shape);
        begun.done = begun.trace.is_full();
    }

    /// Runs a trace whose time begins in cycle `base`. Returns the state after it, or the instruction in flight at the first difference.
    pub(super) fn run_trace(&mut self, trace: &Trace, base: Cycle) -> Result<StepCursor, StepCursor> {
        self.drop_carried();
        self.base = base as u64;
        // A load or store of an unexpected memory, perhaps in another cycle, is not executed.
        self.in_fast_path = true;
        let left = self.replay_trace(trace, base);
        self.in_fast_path = false;
        if let Some(TraceExit {
            recorded,
            step,
            place,
            answer,
        }) = left
        {
            let executed = step.filter(|_| !self.must_repeat());
            return Err(self.leave_trace(trace, (recorded, executed), (place, answer), base));
        }
        self.note_executed(trace.steps.len(), trace.rules_used, base + trace.window_end);
        Ok(StepCursor::at(trace.next, base + trace.later))
    }

    /// Executes the instructions of a trace up to the first difference, which it returns.
    #[inline]
    fn replay_trace(&mut self, trace: &Trace, base: Cycle) -> Option<TraceExit> {
        let (mut number, mut asked) = (0, 0);
        while let Some(recorded) = trace.steps.get(number) {
            if recorded.plain != 0 {
                let plain = &trace.steps[number..number + usize::from(recorded.plain)];
                for recorded in plain {
                    let step = (recorded.op.exec)(self, &recorded.op);
                    if step != Step::Next {
                        return Some(TraceExit::at(number, recorded, Some(step)));
                    }
                    number += 1;
                }
                continue;
            }
            let [before, behind] = recorded.sent.map(|end| end as usize);
            if asked != before
                && let Err(other) = self.replay_trace_requests(&trace.sent[asked..before], base)
            {
                return Some(TraceExit::at(number, recorded, None).answered(other));
            }
            asked = behind;
            if recorded.checked && !self.condition_matches(recorded) {
                return Some(TraceExit::at(number, recorded, None));
            }
            let step = (recorded.op.exec)(self, &recorded.op);
            let straight = step == Step::Next && recorded.outcome.is_straight();
            let usual = straight || step == Step::Branch && self.jumped_as_recorded(recorded);
            if !usual && !self.went_as_recorded(recorded, step) {
                return Some(TraceExit::at(number, recorded, Some(step)));
            }
            if before != behind
                && let Err(other) = self.replay_trace_requests(&trace.sent[before..behind], base)
            {
                return Some(TraceExit::at(number, recorded, Some(step)).answered(other));
            }
            if !straight {
                self.settle_trace_step(step);
            }
            number += 1;
        }
        None
    }

    /// Whether the condition decides as recorded, and a skipped instruction starts as recorded.
    fn condition_matches(&self, recorded: &TraceStep) -> bool {
        if recorded.key.skipped {
            self.key_of(&recorded.op, recorded.accesses) == recorded.key
        } else {
            passes(recorded.op.cond, self.regs.flags)
        }
    }

    /// Whether the last instruction did nothing because its access depends on the time; it must then be executed again.
    fn must_repeat(&mut self) -> bool {
        let takes_back = matches!(self.trap, Trap::Expect(_) | Trap::SlowPath);
        if takes_back {
            (self.trap, self.deviation) = (Trap::None, Deviation::NONE);
        }
        takes_back
    }

    /// Repeats these requests. The first that gets another answer is an error: its index and answer.
    #[inline]
    fn replay_trace_requests(
        &mut self,
        sent: &[TraceRequest],
        base: Cycle,
    ) -> Result<(), (u32, FlashResponse)> {
        for TraceRequest { request, place } in sent {
            let answer = self.answer_request(request.what, base + request.at);
            if answer != request.served {
                return Err((*place, answer));
            }
        }
        Ok(())
    }

    /// Applies the end of an instruction with this result.
    fn settle_trace_step(&mut self, step: Step) {
        self.deviation = Deviation::NONE;
        if step == Step::Branch {
            self.note_jump();
        }
    }

    /// Whether an instruction jumped as recorded and can have done nothing else.
    #[inline]
    fn jumped_as_recorded(&self, recorded: &TraceStep) -> bool {
        recorded.jumped == Some(self.regs.r[15]) && self.regs.thumb
    }

    /// Whether an instruction had the recorded outcome.
    fn went_as_recorded(&self, recorded: &TraceStep, step: Step) -> bool {
        let outcome = StepOutcome::new(step, self.regs.r[15], &self.deviation, &recorded.op);
        outcome == Some(recorded.outcome) && self.regs.thumb
    }

    #[inline]
    fn answer_request(&mut self, what: RequestKind, at: Cycle) -> FlashResponse {
        let Some(flash) = self.bus.flash_mut() else {
            return FlashResponse::NOT_FLASH;
        };
        match what {
            RequestKind::Fetch(word) => flash.fetch(word << 2, at),
            RequestKind::Read(word) => {
                let data = self.deviation.flash.map_or(0, |read| read.address & !3);
                flash.read(data + 4 * word, at)
            }
        }
    }

    /// Leaves the trace, at a request with another answer or an instruction with another outcome.
    fn leave_trace(
        &mut self,
        trace: &Trace,
        (under_way, executed): (usize, Option<Step>),
        answered: (u32, Option<FlashResponse>),
        base: Cycle,
    ) -> StepCursor {
        let recorded = &trace.steps[under_way];
        self.request_log
            .resume(trace.requests_up_to(under_way, answered, base));
        if under_way != 0 {
            self.note_executed(under_way, recorded.rules_used, base + recorded.window_end);
        }
        StepCursor {
            // The key for its start follows from its deviation.
            executed: executed.map(|step| Executed { step, key: None }),
            ..StepCursor::at(recorded.state, base + recorded.base)
        }
    }
}
