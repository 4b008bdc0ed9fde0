//! Memoised steps: the transitions of single instructions between pipeline states.
//!
//! Where blocks are of no use (a word comes from the array of a flash, or an instruction meets unexpected facts), each instruction is
//! timed on its own. Its timing is a function of the pipeline state before it, the flash's answer to each request, and the facts that it
//! meets. This function is stored as a tree: below a [`StepState`] come requests with their answers, then the execution with its outcome,
//! then further requests, and a leaf with the result and the next state. The flash is asked each time; a path is followed as long as the
//! answers are the same.

use bus::{FlashResponse, ProfileId};
use events::RuleSet;

use crate::microop::{MicroOp, Step};
use crate::state::Deviation;
use crate::timing::{Cycle, EarlyRequest, PipelineState, Request, RequestKind, Shape, Timing};

use super::{BlockKey, EventTiming, Instr, NO_BLOCK, Trace};

/// Maximum number of nodes; beyond it all are dropped.
const MOST: usize = 1 << 18;
const MOST_STRANDS: usize = 1 << 14;
/// No node of the tree.
pub(crate) const NO_NODE: u32 = u32::MAX;
/// Maximum number of corrected expectations of an instruction, as of a block.
const CORRECTIONS: u8 = 8;

/// A pipeline state and the next instruction.
#[derive(Clone)]
pub(crate) struct StepState {
    pub pc: u32,
    pub it: u8,
    /// Relative to the cycle in which the instruction can start.
    pub pipe: PipelineState,
    /// Its times are those of the tree.
    pub op: MicroOp,
    pub shape: Shape,
    pub code: ProfileId,
    /// Rules by which a flash served earlier requests for this instruction.
    pub fetched: RuleSet,
    /// Whether a sink may ask for it.
    pub split: bool,
    /// How early the target was requested, if a jump led here and nothing else is in flight.
    pub early: Option<EarlyRequest>,
    /// The root of its tree.
    pub first: u32,
    /// The block that begins here or contains this state, if there is one, and at which index.
    pub block: u32,
    pub place: usize,
    /// Number of visits without a block.
    pub visits: u8,
    corrections: u8,
    /// The trace that begins here, if there is one, and the number of visits without.
    pub trace: u32,
    pub passes: u8,
}

impl StepState {
    pub(crate) fn instr(&self) -> Instr<'_> {
        Instr {
            op: &self.op,
            shape: &self.shape,
            code: self.code,
        }
    }

    pub(crate) fn key(&self) -> BlockKey {
        BlockKey {
            pc: self.pc,
            it: self.it,
            pipe: self.pipe,
        }
    }
}

/// A node of the tree.
#[derive(Clone, Copy)]
pub(crate) enum StepNode {
    /// A request and one of its answers.
    Asks {
        what: RequestKind,
        at: Cycle,
        served: FlashResponse,
        then: u32,
        /// The node for other answers.
        other: u32,
    },
    /// The execution of the instruction.
    Executes {
        key: StepKey,
        start: Cycle,
        /// Cycle of its (first) data access.
        access: Cycle,
        /// The first [`OutcomeNode`].
        first_outcome: u32,
        /// The node for other keys.
        other: u32,
    },
    /// The end of a path: index of a [`StepResult`].
    Done(u32),
}

/// What decides, besides the pipeline, when an instruction can start: the area of its access, and whether its condition fails.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct StepKey {
    pub area: u8,
    pub skipped: bool,
}

/// One outcome of an execution.
#[derive(Clone, Copy)]
pub(crate) struct OutcomeNode {
    pub outcome: StepOutcome,
    pub then: u32,
    pub other: u32,
}

/// The outcome of an execution, as far as its timing depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StepOutcome {
    step: Step,
    /// Target of its jump.
    target: u32,
    deviation: Deviation,
}

impl StepOutcome {
    const STRAIGHT: StepOutcome = StepOutcome {
        step: Step::Next,
        target: 0,
        deviation: Deviation::NONE,
    };

    /// The outcome of an execution; `None` if its timing depends on more.
    #[inline]
    pub(crate) fn new(step: Step, target: u32, deviation: &Deviation, op: &MicroOp) -> Option<StepOutcome> {
        match step {
            Step::Next => Some(StepOutcome::STRAIGHT),
            Step::Trap => None,
            Step::Branch if *deviation == Deviation::NONE => Some(StepOutcome {
                step,
                target,
                deviation: Deviation::NONE,
            }),
            Step::Irregular | Step::Branch | Step::Attention => {
                StepOutcome::with_facts(step, target, deviation, op)
            }
        }
    }

    /// Whether it met all expectations and continues straight.
    #[inline]
    pub(crate) fn is_straight(&self) -> bool {
        self.step == Step::Next
    }

    /// Target of its jump, if it did nothing else.
    pub(crate) fn jumped(&self) -> Option<u32> {
        let only = self.step == Step::Branch && self.deviation == Deviation::NONE;
        only.then_some(self.target)
    }

    /// Whether the engine had to look at what it changed.
    pub(crate) fn needs_attention(&self) -> bool {
        self.step == Step::Attention
    }

    fn with_facts(step: Step, target: u32, deviation: &Deviation, op: &MicroOp) -> Option<StepOutcome> {
        if deviation.observed || deviation.disturbs {
            return None;
        }
        let mut deviation = *deviation;
        deviation.replaced = deviation.replaced.map(|_| 0);
        let by = op.by_operands;
        deviation.operands = deviation.operands.map(|operands| [by.cycles(operands).into(), 0]);
        if let Some(read) = &mut deviation.flash {
            read.address %= 4;
        }
        let jumps = step == Step::Branch || deviation.taken;
        let target = if jumps { target } else { 0 };
        Some(StepOutcome {
            step,
            target,
            deviation,
        })
    }
}

/// The result of a step.
#[derive(Clone, Copy)]
pub(crate) struct StepResult {
    pub event: EventTiming,
    /// When its effects are visible.
    pub seen: EffectTimes,
    /// The next state, and the number of cycles until that state's time begins.
    pub next: u32,
    pub later: Cycle,
}

/// When the rest of the core sees what an instruction changed.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct EffectTimes {
    /// Cycle of its access.
    pub access: Cycle,
    /// First cycle in which an ordinary successor can start.
    pub free: Cycle,
}

impl EffectTimes {
    /// The times of an instruction with this timing.
    pub(crate) fn of(timing: &Timing) -> EffectTimes {
        EffectTimes {
            access: timing.access,
            free: timing.free,
        }
    }

    /// Makes its cycles relative to cycle `base`.
    pub(crate) fn since(self, base: Cycle) -> EffectTimes {
        EffectTimes {
            access: self.access - base,
            free: self.free - base,
        }
    }
}

/// A step that is being recorded.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct StepRecord {
    /// Number of requests before it executed.
    pub prepared: usize,
    pub key: StepKey,
    pub start: Cycle,
    pub access: Cycle,
    /// The result in absolute time; `None` if the tree cannot represent it.
    pub done: Option<(StepOutcome, EventTiming, EffectTimes)>,
    /// The memory that it accessed, if not the expected one.
    pub profile: Option<ProfileId>,
}

/// All memoised steps of a core.
#[derive(Clone, Default)]
pub(crate) struct StepCache {
    pub states: Vec<StepState>,
    pub nodes: Vec<StepNode>,
    pub outcomes: Vec<OutcomeNode>,
    pub leaves: Vec<StepResult>,
    pub traces: Vec<Trace>,
    /// Number of corrected expectations.
    pub corrected: u32,
}

impl StepCache {
    pub(crate) fn is_full(&self) -> bool {
        self.nodes.len() > MOST || self.traces.len() > MOST_STRANDS
    }

    pub(crate) fn add(
        &mut self,
        key: &BlockKey,
        early: Option<EarlyRequest>,
        (op, shape): (MicroOp, Shape),
        code: ProfileId,
    ) -> u32 {
        let op = MicroOp {
            start: 0,
            access: 0,
            ..op
        };
        self.states.push(StepState {
            pc: key.pc,
            it: key.it,
            pipe: key.pipe,
            op,
            shape,
            code,
            fetched: RuleSet::EMPTY,
            split: false,
            early,
            first: NO_NODE,
            block: NO_BLOCK,
            place: 0,
            visits: 0,
            corrections: 0,
            trace: NO_NODE,
            passes: 0,
        });
        self.states.len() as u32 - 1
    }

    /// Forgets at which indices of a block states occur, because the block has changed.
    pub(super) fn forget_inner_states(&mut self, block: u32) {
        let within = |state: &&mut StepState| state.block == block && state.place != 0;
        for state in self.states.iter_mut().filter(within) {
            (state.block, state.place) = (NO_BLOCK, 0);
        }
    }

    /// Corrects the memory that an instruction is expected to access.
    pub(crate) fn expect_profile(&mut self, state: u32, profile: ProfileId) -> bool {
        let state = &mut self.states[state as usize];
        let corrects = state.corrections < CORRECTIONS;
        if corrects {
            state.corrections += 1;
            state.op.profile = profile;
            state.first = NO_NODE;
            self.corrected += 1;
        }
        corrects
    }

    /// Whether an instruction expects this memory, if need be from now on.
    pub(crate) fn expects_profile(&mut self, state: u32, profile: ProfileId) -> bool {
        self.states[state as usize].op.profile == profile || self.expect_profile(state, profile)
    }

    /// Start, access cycle and first outcome of the execution with this key.
    #[inline]
    pub(crate) fn executes(&self, first: u32, key: StepKey) -> Option<(Cycle, Cycle, u32)> {
        let mut place = first;
        while let Some(&StepNode::Executes {
            key: known,
            start,
            access,
            first_outcome,
            other,
        }) = self.nodes.get(place as usize)
        {
            if known == key {
                return Some((start, access, first_outcome));
            }
            place = other;
        }
        None
    }

    /// The node after an execution with this outcome.
    #[inline]
    pub(crate) fn after(&self, first_outcome: u32, outcome: &StepOutcome) -> Option<u32> {
        let mut place = first_outcome;
        while let Some(known) = self.outcomes.get(place as usize) {
            if known.outcome.step == outcome.step && (outcome.step == Step::Next || known.outcome == *outcome)
            {
                return Some(known.then);
            }
            place = known.other;
        }
        None
    }

    /// Stores the result of an instruction whose time began in cycle `base`.
    pub(crate) fn keep(
        &mut self,
        state: u32,
        base: Cycle,
        record: &StepRecord,
        requests: &[Request],
        result: StepResult,
    ) {
        let Some((outcome, ..)) = record.done else {
            return;
        };
        let first = self.states[state as usize].first;
        let (before, behind) = requests.split_at(record.prepared);
        let first = self.insert_requests(first, base, before, |tree, first| {
            tree.with_execution(first, base, record, &outcome, behind, result)
        });
        self.states[state as usize].first = first;
    }

    /// Adds these requests below `first`, then what `then` adds below them. Returns the new root.
    fn insert_requests(
        &mut self,
        first: u32,
        base: Cycle,
        requests: &[Request],
        then: impl FnOnce(&mut StepCache, u32) -> u32,
    ) -> u32 {
        let Some((request, rest)) = requests.split_first() else {
            return then(self, first);
        };
        let mut place = first;
        while let Some(&StepNode::Asks {
            served,
            then: known,
            other,
            ..
        }) = self.nodes.get(place as usize)
        {
            if served == request.served {
                let known = self.insert_requests(known, base, rest, then);
                if let StepNode::Asks { then, .. } = &mut self.nodes[place as usize] {
                    *then = known;
                }
                return first;
            }
            place = other;
        }
        let then = self.insert_requests(NO_NODE, base, rest, then);
        self.push(StepNode::Asks {
            what: request.what,
            at: request.at - base,
            served: request.served,
            then,
            other: first,
        })
    }

    fn with_execution(
        &mut self,
        first: u32,
        base: Cycle,
        record: &StepRecord,
        outcome: &StepOutcome,
        behind: &[Request],
        result: StepResult,
    ) -> u32 {
        let known = self
            .executes(first, record.key)
            .map(|(.., first_outcome)| first_outcome);
        let first_outcome = known.unwrap_or(NO_NODE);
        let then = self.after(first_outcome, outcome);
        let end = |tree: &mut StepCache, _| {
            tree.leaves.push(result);
            tree.push(StepNode::Done(tree.leaves.len() as u32 - 1))
        };
        let with = self.insert_requests(then.unwrap_or(NO_NODE), base, behind, end);
        if then.is_some() {
            let mut place = first_outcome;
            while self.outcomes[place as usize].outcome != *outcome {
                place = self.outcomes[place as usize].other;
            }
            self.outcomes[place as usize].then = with;
            return first;
        }
        self.outcomes.push(OutcomeNode {
            outcome: *outcome,
            then: with,
            other: first_outcome,
        });
        let first_outcome = self.outcomes.len() as u32 - 1;
        if known.is_none() {
            return self.push(StepNode::Executes {
                key: record.key,
                start: record.start - base,
                access: record.access - base,
                first_outcome,
                other: first,
            });
        }
        let mut place = first;
        while let StepNode::Executes {
            key,
            first_outcome: kept,
            other,
            ..
        } = &mut self.nodes[place as usize]
        {
            if *key == record.key {
                *kept = first_outcome;
                break;
            }
            place = *other;
        }
        first
    }

    fn push(&mut self, node: StepNode) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }
}
