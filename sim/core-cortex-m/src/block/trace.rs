//! Traces: sequences of memoised steps that were executed in a row.
//!
//! Code that does not fit into the cache of a flash fetches its lines anew each time, gets the same answers, and follows the same path in
//! [`StepCache`]. A trace records one such path: the requests with their answers, and the instructions between them with their outcomes.
//! At the first difference execution continues in the step cache, at the instruction in flight.

use bus::{FlashResponse, FlashShape};
use events::RuleSet;

use crate::microop::MicroOp;
use crate::timing::{Cycle, Request, RequestKind};

use super::step_cache::{NO_NODE, StepCache, StepKey, StepOutcome, StepResult};

/// Maximum and minimum number of instructions in a trace.
const LONGEST: usize = 32;
const SHORTEST: usize = 2;
/// Upper bound of the cycles that a word takes to transfer.
const TRANSFER: Cycle = 1 << 8;
/// A trace is dropped when it was left early this much more often than it was completed.
const GIVEN_UP: i8 = -8;
const PROVEN: i8 = 8;

/// A request, and its index among all requests of the trace.
#[derive(Clone, Copy)]
pub(crate) struct TraceRequest {
    pub request: Request,
    pub place: u32,
}

/// An instruction of a trace.
#[derive(Clone)]
pub(crate) struct TraceStep {
    /// Its cycles are relative to the trace.
    pub op: MicroOp,
    pub state: u32,
    /// Cycle, relative to the trace, at which the time of its state begins.
    pub base: Cycle,
    pub key: StepKey,
    /// Whether it is conditional. The condition decides when it starts, so it is checked before execution.
    pub checked: bool,
    pub accesses: bool,
    /// Number of instructions from here on that make no request and continue straight, so they only need to be executed.
    pub plain: u8,
    pub outcome: StepOutcome,
    /// Target of its jump, if it can do nothing else.
    pub jumped: Option<u32>,
    /// Index of its first request, and of its first one after execution.
    pub first: u32,
    pub behind: u32,
    /// End indices, in [`Trace::sent`], of its requests before and after execution.
    pub sent: [u32; 2],
    /// Rules of all earlier instructions, and the end of the previous window.
    pub rules_used: RuleSet,
    pub window_end: Cycle,
}

/// A recorded sequence of instructions. Cycles are relative to its start.
#[derive(Clone, Default)]
pub(crate) struct Trace {
    /// All requests. One that is not in [`Trace::sent`] is for a word of the same line as the one before: its answer follows, and it has
    /// no side effect.
    requests: Vec<Request>,
    pub sent: Vec<TraceRequest>,
    pub steps: Vec<TraceStep>,
    /// Rules of all instructions, and the end of the last window.
    pub rules_used: RuleSet,
    pub window_end: Cycle,
    /// The state after it, and the cycle at which that state's time begins.
    pub next: u32,
    pub later: Cycle,
    /// A cycle by which it has surely completed, whatever its multiple loads and stores meet.
    pub reach: Cycle,
    pub uses_fp: bool,
    /// Value of [`StepCache::corrected`] when it was recorded.
    corrected: u32,
    score: i8,
    /// The flash line of the last request.
    line: Option<u32>,
}

/// An executed instruction to be added to a trace.
pub(crate) struct ExecutedStep<'a> {
    pub state: u32,
    /// Absolute cycle at which its time began.
    pub base: Cycle,
    pub access: Cycle,
    pub key: StepKey,
    pub outcome: StepOutcome,
    /// All its requests in absolute time, and the number of those before its execution.
    pub requests: &'a [Request],
    pub prepared: usize,
    pub result: &'a StepResult,
}

impl Trace {
    /// An empty trace.
    pub(crate) fn new(tree: &StepCache) -> Trace {
        Trace {
            corrected: tree.corrected,
            next: NO_NODE,
            ..Trace::default()
        }
    }

    /// Adds an instruction of a trace that began in cycle `base`.
    pub(crate) fn add(&mut self, tree: &StepCache, executed: &ExecutedStep, base: Cycle, flash: &FlashShape) {
        let state = &tree.states[executed.state as usize];
        let since = executed.base - base;
        let start = since + executed.access;
        let first = self.requests.len() as u32;
        let (before, behind) = executed.requests.split_at(executed.prepared);
        self.ask(before, base, flash);
        let (executes, before) = (self.requests.len() as u32, self.sent.len() as u32);
        self.ask(behind, base, flash);
        let end = self.sent.len() as u32;
        let checked = state.op.is_conditional();
        let sent = self.steps.last().map_or(0, |recorded| recorded.sent[1]) != end;
        let plain = !checked && !sent && executed.outcome.is_straight();
        for known in self.steps.iter_mut().rev() {
            match known.plain {
                1.. if plain => known.plain += 1,
                _ => break,
            }
        }
        self.steps.push(TraceStep {
            op: MicroOp {
                start: start as i32,
                access: 0,
                ..state.op
            },
            state: executed.state,
            base: since,
            key: executed.key,
            checked,
            accesses: state.shape.words != 0,
            plain: plain.into(),
            outcome: executed.outcome,
            jumped: executed.outcome.jumped().filter(|_| state.shape.words == 0),
            first,
            behind: executes,
            sent: [before, end],
            rules_used: self.rules_used,
            window_end: self.window_end,
        });
        self.uses_fp |= state.op.uses_fp;
        self.rules_used = self.rules_used.union(executed.result.event.rules);
        self.window_end = since + executed.result.event.end;
        (self.next, self.later) = (executed.result.next, since + executed.result.later);
        let words = Cycle::from(state.shape.words);
        let transfers = if words > 1 { (words + 1) * TRANSFER } else { 0 };
        self.reach = self
            .reach
            .max(self.window_end.max(start + transfers))
            .max(self.later);
    }

    fn ask(&mut self, requests: &[Request], base: Cycle, flash: &FlashShape) {
        for request in requests {
            let at = request.at - base;
            let request = Request { at, ..*request };
            let implied = if let RequestKind::Fetch(word) = request.what {
                let number = (word << 2) / flash.line;
                let again = self.line.replace(number) == Some(number);
                // On a bus shared with data every word takes a cycle, whatever its line.
                again && !flash.shared && request.served == served_again(request.served)
            } else {
                false
            };
            if !implied {
                let place = self.requests.len() as u32;
                self.sent.push(TraceRequest { request, place });
            }
            self.requests.push(request);
        }
    }

    /// Whether it has its maximum length.
    pub(crate) fn is_full(&self) -> bool {
        self.steps.len() >= LONGEST
    }

    /// Whether it is long enough to keep.
    pub(crate) fn is_of_use(&self) -> bool {
        self.steps.len() >= SHORTEST
    }

    /// The requests of an instruction before the one at this index, and that one with its answer; relative to cycle `base`.
    pub(crate) fn requests_up_to(
        &self,
        recorded: usize,
        (place, answer): (u32, Option<FlashResponse>),
        base: Cycle,
    ) -> impl Iterator<Item = Request> {
        let known = &self.requests[self.steps[recorded].first as usize..place as usize];
        let last = answer.zip(self.requests.get(place as usize));
        let last = last.map(|(served, request)| Request { served, ..*request });
        known.iter().copied().chain(last).map(move |request| Request {
            at: request.at + base,
            ..request
        })
    }
}

/// The answer for another word of the line that was served just before.
fn served_again(served: FlashResponse) -> FlashResponse {
    FlashResponse {
        wait: 0,
        queued: 0,
        ..served
    }
}

impl StepCache {
    /// The trace that begins in this state, if it is still valid.
    #[inline]
    pub(crate) fn trace(&self, state: u32) -> Option<&Trace> {
        let trace = self.traces.get(self.states[state as usize].trace as usize)?;
        (trace.corrected == self.corrected && trace.score > GIVEN_UP).then_some(trace)
    }

    /// Stores a trace that begins in this state.
    pub(crate) fn keep_trace(&mut self, state: u32, trace: Trace) {
        let known = self.states[state as usize].trace as usize;
        if let Some(old) = self.traces.get_mut(known) {
            *old = trace;
        } else {
            self.states[state as usize].trace = self.traces.len() as u32;
            self.traces.push(trace);
        }
    }

    /// Rates a trace that was completed or left early.
    #[inline]
    pub(crate) fn score_trace(&mut self, state: u32, to_its_end: bool) {
        let place = self.states[state as usize].trace as usize;
        if let Some(trace) = self.traces.get_mut(place) {
            trace.score = if to_its_end {
                (trace.score + 1).min(PROVEN)
            } else {
                trace.score - 1
            };
        }
    }
}
