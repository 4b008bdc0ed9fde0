//! Memoised steps of single instructions: transitions between pipeline states.
//!
//! Where a run is of no use (a word comes from the array of a flash, or an instruction meets unexpected facts), each instruction is timed
//! by itself. Its timing is a function of the pipeline state before it, of the flash's answer to each request, and of the facts that it
//! meets. A tree stores this function: a [`Stand`] is the state before an instruction; its branches are requests with their answers, then
//! the execution with its facts, then further requests; a leaf has the result and the next stand. The flash is asked each time: a path is
//! followed only as far as the answers are the same.

use bus::{ProfileId, Served};
use events::RuleSet;

use crate::core::Facts;
use crate::microop::{MicroOp, Step};
use crate::timing::{Cycle, Early, Pipe, Request, Shape, Timing, What};

use super::{Entry, Instr, NO_RUN, Strand, Told};

/// More of them than this are forgotten together.
const MOST: usize = 1 << 18;
const MOST_STRANDS: usize = 1 << 14;
/// No place in the tree.
pub(crate) const NOWHERE: u32 = u32::MAX;
/// Corrections of an instruction at the most, as of a run.
const CORRECTIONS: u8 = 8;

/// A state of the pipeline, and the instruction that comes next.
#[derive(Clone)]
pub(crate) struct Stand {
    pub pc: u32,
    pub it: u8,
    /// In its own time, in which the instruction can start in cycle 0.
    pub pipe: Pipe,
    /// Its times are those of the tree.
    pub op: MicroOp,
    pub shape: Shape,
    pub code: ProfileId,
    /// The rules by which a flash served what was requested before, for this instruction.
    pub fetched: RuleSet,
    /// Whether a sink may want it.
    pub split: bool,
    /// If a jump led here and nothing else is under way: how early it requested its target.
    pub early: Option<Early>,
    /// The beginning of what is known.
    pub first: u32,
    /// The run that begins here, once there is one; or that comes to this state, and at which of its instructions.
    pub run: u32,
    pub place: usize,
    /// How often it was met while there was no run.
    pub visits: u8,
    corrections: u8,
    /// The strand that begins here, once there is one; and how often it was met without.
    pub strand: u32,
    pub passes: u8,
}

impl Stand {
    pub(crate) fn instr(&self) -> Instr<'_> {
        Instr {
            op: &self.op,
            shape: &self.shape,
            code: self.code,
        }
    }

    pub(crate) fn entry(&self) -> Entry {
        Entry {
            pc: self.pc,
            it: self.it,
            pipe: self.pipe,
        }
    }
}

/// A branch of the tree.
#[derive(Clone, Copy)]
pub(crate) enum Node {
    /// A request with one of its answers.
    Asks {
        what: What,
        at: Cycle,
        served: Served,
        then: u32,
        /// The node for another answer.
        other: u32,
    },
    /// The instruction executes.
    Executes {
        key: Key,
        start: Cycle,
        /// Its (first) data access.
        access: Cycle,
        /// How that went: the first of its [`Outcome`]s.
        outcome: u32,
        /// The node for another key.
        other: u32,
    },
    /// The end of the path: one of the [`Leaf`]s.
    Done(u32),
}

/// The conditions, besides the pipeline, that decide when an instruction can start: the part of the address space of its access, and
/// whether its condition fails.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Key {
    pub area: u8,
    pub skipped: bool,
}

/// How an execution went.
#[derive(Clone, Copy)]
pub(crate) struct Outcome {
    pub way: Went,
    pub then: u32,
    pub other: u32,
}

/// How an execution went, as far as its timing depends on that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Went {
    step: Step,
    /// The target of its jump.
    target: u32,
    facts: Facts,
}

impl Went {
    const STRAIGHT: Went = Went {
        step: Step::Next,
        target: 0,
        facts: Facts::NONE,
    };

    /// The outcome of an execution. `None` if its result depends on more.
    #[inline]
    pub(crate) fn new(step: Step, target: u32, facts: &Facts, op: &MicroOp) -> Option<Went> {
        match step {
            Step::Next => Some(Went::STRAIGHT),
            Step::Trap => None,
            Step::Branch if *facts == Facts::NONE => Some(Went {
                step,
                target,
                facts: Facts::NONE,
            }),
            Step::Irregular | Step::Branch | Step::Attention => Went::with_facts(step, target, facts, op),
        }
    }

    /// Whether it met its stand's expectation, and nothing else.
    #[inline]
    pub(crate) fn is_straight(&self) -> bool {
        self.step == Step::Next
    }

    /// The target of its jump, if it did nothing else.
    pub(crate) fn jumped(&self) -> Option<u32> {
        let only = self.step == Step::Branch && self.facts == Facts::NONE;
        only.then_some(self.target)
    }

    /// The engine had to look at what it changed.
    pub(crate) fn attends(&self) -> bool {
        self.step == Step::Attention
    }

    fn with_facts(step: Step, target: u32, facts: &Facts, op: &MicroOp) -> Option<Went> {
        if facts.told || facts.disturbs {
            return None;
        }
        let mut facts = *facts;
        facts.replaced = facts.replaced.map(|_| 0);
        let by = op.by_operands;
        facts.operands = facts.operands.map(|operands| [by.cycles(operands).into(), 0]);
        if let Some(read) = &mut facts.flash {
            read.address %= 4;
        }
        let jumps = step == Step::Branch || facts.taken;
        let target = if jumps { target } else { 0 };
        Some(Went { step, target, facts })
    }
}

/// The result of an instruction.
#[derive(Clone, Copy)]
pub(crate) struct Leaf {
    pub told: Told,
    /// When it accessed memory, and when one that does not jump lets the next one start.
    pub seen: Seen,
    /// The next stand, and the number of cycles until its time.
    pub next: u32,
    pub later: Cycle,
}

/// When what an instruction changed is seen by the rest of the core.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Seen {
    /// The cycle of its access.
    pub access: Cycle,
    /// The cycle in which an ordinary instruction could start after it.
    pub free: Cycle,
}

impl Seen {
    /// Of an instruction that took this time.
    pub(crate) fn of(timing: &Timing) -> Seen {
        Seen {
            access: timing.access,
            free: timing.free,
        }
    }

    /// Moves it to the time that begins in this cycle.
    pub(crate) fn since(self, base: Cycle) -> Seen {
        Seen {
            access: self.access - base,
            free: self.free - base,
        }
    }
}

/// How an instruction went that is to be remembered.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Noted {
    /// Number of requests before it executed.
    pub prepared: usize,
    pub key: Key,
    pub start: Cycle,
    pub access: Cycle,
    /// Its result in absolute time; `None` if the tree cannot represent it.
    pub done: Option<(Went, Told, Seen)>,
    /// The memory that it accessed, if other than expected.
    pub profile: Option<ProfileId>,
}

/// All memoised steps.
#[derive(Clone, Default)]
pub(crate) struct Tree {
    pub stands: Vec<Stand>,
    pub nodes: Vec<Node>,
    pub outcomes: Vec<Outcome>,
    pub leaves: Vec<Leaf>,
    pub strands: Vec<Strand>,
    /// How often an expectation was corrected.
    pub corrected: u32,
}

impl Tree {
    pub(crate) fn is_full(&self) -> bool {
        self.nodes.len() > MOST || self.strands.len() > MOST_STRANDS
    }

    pub(crate) fn add(
        &mut self,
        entry: &Entry,
        early: Option<Early>,
        (op, shape): (MicroOp, Shape),
        code: ProfileId,
    ) -> u32 {
        let op = MicroOp {
            start: 0,
            access: 0,
            ..op
        };
        self.stands.push(Stand {
            pc: entry.pc,
            it: entry.it,
            pipe: entry.pipe,
            op,
            shape,
            code,
            fetched: RuleSet::EMPTY,
            split: false,
            early,
            first: NOWHERE,
            run: NO_RUN,
            place: 0,
            visits: 0,
            corrections: 0,
            strand: NOWHERE,
            passes: 0,
        });
        self.stands.len() as u32 - 1
    }

    /// A run comes to other states than before.
    pub(super) fn forget_midst(&mut self, run: u32) {
        let within = |stand: &&mut Stand| stand.run == run && stand.place != 0;
        for stand in self.stands.iter_mut().filter(within) {
            (stand.run, stand.place) = (NO_RUN, 0);
        }
    }

    /// An instruction met another kind of memory than it expected: from now on it expects that one.
    pub(crate) fn expect(&mut self, stand: u32, profile: ProfileId) -> bool {
        let stand = &mut self.stands[stand as usize];
        let corrects = stand.corrections < CORRECTIONS;
        if corrects {
            stand.corrections += 1;
            stand.op.profile = profile;
            stand.first = NOWHERE;
            self.corrected += 1;
        }
        corrects
    }

    /// Whether an instruction expects this kind of memory, now at least.
    pub(crate) fn expects(&mut self, stand: u32, profile: ProfileId) -> bool {
        self.stands[stand as usize].op.profile == profile || self.expect(stand, profile)
    }

    /// The execution with this key, from the first one on.
    #[inline]
    pub(crate) fn executes(&self, first: u32, key: Key) -> Option<(Cycle, Cycle, u32)> {
        let mut place = first;
        while let Some(&Node::Executes {
            key: known,
            start,
            access,
            outcome,
            other,
        }) = self.nodes.get(place as usize)
        {
            if known == key {
                return Some((start, access, outcome));
            }
            place = other;
        }
        None
    }

    /// The node after an execution with this outcome.
    #[inline]
    pub(crate) fn behind(&self, outcome: u32, went: &Went) -> Option<u32> {
        let mut place = outcome;
        while let Some(known) = self.outcomes.get(place as usize) {
            if known.way.step == went.step && (went.step == Step::Next || known.way == *went) {
                return Some(known.then);
            }
            place = known.other;
        }
        None
    }

    /// Keeps how an instruction went whose time began in cycle `base`.
    pub(crate) fn keep(&mut self, stand: u32, base: Cycle, noted: &Noted, requests: &[Request], leaf: Leaf) {
        let Some((went, ..)) = noted.done else {
            return;
        };
        let first = self.stands[stand as usize].first;
        let (before, behind) = requests.split_at(noted.prepared);
        let first = self.asks(first, base, before, |tree, first| {
            tree.with_execution(first, base, noted, &went, behind, leaf)
        });
        self.stands[stand as usize].first = first;
    }

    /// The tree with these requests, from `first` on, and then what `then` makes of what follows.
    fn asks(
        &mut self,
        first: u32,
        base: Cycle,
        requests: &[Request],
        then: impl FnOnce(&mut Tree, u32) -> u32,
    ) -> u32 {
        let Some((request, rest)) = requests.split_first() else {
            return then(self, first);
        };
        let mut place = first;
        while let Some(&Node::Asks {
            served,
            then: known,
            other,
            ..
        }) = self.nodes.get(place as usize)
        {
            if served == request.served {
                let known = self.asks(known, base, rest, then);
                if let Node::Asks { then, .. } = &mut self.nodes[place as usize] {
                    *then = known;
                }
                return first;
            }
            place = other;
        }
        let then = self.asks(NOWHERE, base, rest, then);
        self.push(Node::Asks {
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
        noted: &Noted,
        went: &Went,
        behind: &[Request],
        leaf: Leaf,
    ) -> u32 {
        let known = self.executes(first, noted.key).map(|(.., outcome)| outcome);
        let outcome = known.unwrap_or(NOWHERE);
        let then = self.behind(outcome, went);
        let end = |tree: &mut Tree, _| {
            tree.leaves.push(leaf);
            tree.push(Node::Done(tree.leaves.len() as u32 - 1))
        };
        let with = self.asks(then.unwrap_or(NOWHERE), base, behind, end);
        if then.is_some() {
            let mut place = outcome;
            while self.outcomes[place as usize].way != *went {
                place = self.outcomes[place as usize].other;
            }
            self.outcomes[place as usize].then = with;
            return first;
        }
        self.outcomes.push(Outcome {
            way: *went,
            then: with,
            other: outcome,
        });
        let outcome = self.outcomes.len() as u32 - 1;
        if known.is_none() {
            return self.push(Node::Executes {
                key: noted.key,
                start: noted.start - base,
                access: noted.access - base,
                outcome,
                other: first,
            });
        }
        let mut place = first;
        while let Node::Executes {
            key,
            outcome: kept,
            other,
            ..
        } = &mut self.nodes[place as usize]
        {
            if *key == noted.key {
                *kept = outcome;
                break;
            }
            place = *other;
        }
        first
    }

    fn push(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }
}
