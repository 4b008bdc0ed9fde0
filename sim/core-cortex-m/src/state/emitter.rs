//! The selection of events, and the position of their stream.

use events::{Costs, Event, Pcs, Ranges, RuleSet};
use exec::Accessed;

use crate::timing::{Cycle, Rule};

/// What to emit, and up to where it was emitted.
#[derive(Clone, Debug)]
pub(crate) struct Emitter {
    /// The instructions to emit.
    pub(crate) pcs: Pcs,
    /// Whether to emit them by [`Sink::step`] where that is cheaper.
    pub(crate) steps: bool,
    /// Whether to emit exceptions and similar events.
    pub(crate) control: bool,
    pub(crate) writes: Ranges,
    pub(crate) reads: Ranges,
    /// End of the last window.
    pub(crate) to: Cycle,
    /// Cycles from some cycle on that belong to the next window.
    pub(crate) carried: Option<(Cycle, Costs)>,
    /// Rules since the last emitted window.
    pub(crate) since: RuleSet,
    /// Rules of all windows before.
    pub(crate) rules: RuleSet,
    /// Changes whenever [`Emitter::since`] restarts: a block must note its rules once in each round.
    pub(crate) round: u64,
    /// Number of executed instructions.
    pub(crate) instructions: u64,
    /// SP and LR before the instruction in flight.
    pub(crate) before: [u32; 2],
    /// Observed loads and stores of the instruction in flight, each with the stack pointer before it (an access precedes the update of
    /// its base).
    pub(crate) accesses: Vec<(Accessed, u32)>,
    /// Pending changes of peripheral lines and inputs.
    pub(crate) lines: Vec<Event>,
    /// The stack pointer of thread mode when it was last left.
    pub(crate) thread_sp: Option<u32>,
    /// Whether a sink asked for a pause.
    pub(crate) paused: bool,
}

impl Emitter {
    /// The state before the first event of a run that begins in cycle `from`, whose first instruction can start in cycle `to`.
    pub(crate) fn new(from: Cycle, to: Cycle, rule: Rule) -> Emitter {
        Emitter {
            pcs: Pcs::None,
            steps: false,
            control: false,
            writes: Ranges::NONE,
            reads: Ranges::NONE,
            to: from,
            carried: Some((from, Costs::of(rule, (to - from) as u32))),
            since: RuleSet::EMPTY,
            rules: RuleSet::EMPTY,
            round: 1,
            instructions: 0,
            before: [0; 2],
            accesses: Vec::new(),
            lines: Vec::new(),
            thread_sp: None,
            paused: false,
        }
    }

    /// Whether exceptions and similar events are emitted.
    pub(crate) fn observes_control(&self) -> bool {
        self.control
    }

    /// Whether instructions are emitted as steps.
    pub(crate) fn emits_steps(&self) -> bool {
        self.steps
    }

    /// Whether no earlier event is pending for emission with or before the next instruction.
    pub(crate) fn is_alone(&self) -> bool {
        self.carried.is_none() && self.lines.is_empty()
    }

    /// Starts the round after this one, because blocks remember other rounds.
    pub(crate) fn begin_behind(&mut self, round: u64) {
        self.round = round + 1;
    }

    /// The present round.
    pub(crate) fn round(&self) -> u64 {
        self.round
    }

    /// Whether every instruction is emitted.
    pub(crate) fn all(&self) -> bool {
        self.pcs == Pcs::All
    }
}
