//! Ibex: a prefetch buffer before two stages, or three: with a write-back stage in which a load or store waits for its
//! answer, and an adder of its own for branch targets.
//!
//! Every signal is that of the Verilog in the same cycle. An instruction retires in the cycle in which it leaves the last
//! stage. Not modelled: bus errors of loads and stores (they stop the run), debug mode, the fast interrupts and NMI, PMP, and
//! the options that are off by default: instruction cache, branch prediction, the security features.

mod controller;
mod load_store;
mod prefetch;
mod waits;

use super::Supply;
use super::passage::{Kind, Passage};
use super::recurrent::{Matters, Place, Recurrent, is_plain, strip_passage};
use super::rules::{Rule, Told};
use controller::{Asked, Controller, State};
use load_store::LoadStore;
use prefetch::Prefetch;
use waits::Next;

/// Cycles of a multiplication (`RV32MFast`: products of 16 bits), of one that computes the upper half, of a division, and of
/// one by zero.
const MULTIPLY: u8 = 3;
const MULTIPLY_UPPER: u8 = 4;
const DIVIDE: u8 = 37;
const DIVIDE_BY_ZERO: u8 = 2;

/// An instruction in the ID stage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Id {
    passage: Passage,
    /// It was executed, from the program's view.
    executed: bool,
}

/// An instruction in the write-back stage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct WriteBack {
    passage: Passage,
}

/// The pipeline of Ibex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a register or parameter of the Verilog
pub struct Ibex {
    /// `WritebackStage` and `BranchTargetALU`.
    three: bool,
    prefetch: Prefetch,
    id: Option<Id>,
    /// `id_fsm_q`: not in its first cycle any more.
    later: bool,
    /// Cycles of a multiplication or division that are done.
    steps: u8,
    /// `branch_set_raw_q`.
    branch_set: bool,
    /// `branch_jump_set_done_q`.
    set_done: bool,
    load_store: LoadStore,
    write_back: Option<WriteBack>,
    controller: Controller,
    /// `core_busy_q`: the clock must go on.
    busy: bool,
    next: Next,
    /// Why nothing is in the write-back stage.
    empty: Rule,
    /// The rule by which the cycle that was clocked last is lost.
    lost: Told<Option<Rule>>,
}

/// The activity of the ID stage in a cycle.
#[derive(Clone, Copy, Default, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a signal of the Verilog
struct Work {
    refused: bool,
    executing: bool,
    stall: bool,
    done: bool,
    /// A branch or jump sets the fetch address (`branch_set_raw`, `jump_set_raw`).
    sets: bool,
    /// `branch_set_raw_d`.
    branch_set: bool,
    /// `id_fsm_d`.
    later: bool,
}

impl Ibex {
    /// As it comes out of reset, at `pc`; with two stages or `three`.
    pub fn new(pc: u32, three: bool) -> Ibex {
        Ibex {
            three,
            prefetch: Prefetch::new(pc),
            id: None,
            later: false,
            steps: 0,
            branch_set: false,
            set_done: false,
            load_store: LoadStore::default(),
            write_back: None,
            controller: Controller::new(pc),
            busy: false,
            next: Next::default(),
            empty: Rule::Fetch,
            lost: Told(None),
        }
    }

    /// The address that is fetched in this cycle.
    pub fn fetch_pc(&self) -> u32 {
        self.prefetch.address()
    }

    /// The word whose request was granted in the last cycle.
    pub fn granted(&self) -> Option<u32> {
        self.prefetch.granted()
    }

    /// The rule by which the cycle that was clocked last is lost; none if something retired in it.
    pub fn lost(&self) -> Option<Rule> {
        self.lost.0
    }

    /// Clocks one cycle. Returns the instruction that retires in it.
    pub fn clock(&mut self, supply: &mut impl Supply) -> Option<Passage> {
        let (pending, woken) = (supply.is_interrupted(), supply.is_woken());
        if !self.busy && !woken {
            supply.stands_still();
            self.prefetch.stand_still();
            self.lost = Told(Some(Rule::Sleep));
            self.busy = self.controller.is_busy(woken);
            return None;
        }
        let answered = self.load_store.answered();
        let outstanding = self.is_outstanding() && !answered;
        let ready = !outstanding;
        self.execute_first(supply);
        let mut work = self.work(outstanding);
        let busy = self.load_store.is_busy() || self.prefetch.is_outstanding();
        let slow = self.load_store.is_slow();
        let requests = work.executing && self.accesses() && (self.three || !self.later);
        let accessed = self
            .load_store
            .clock(requests, self.id.map(|id| id.passage), supply);
        self.stall(&mut work, outstanding, answered, accessed);
        let asked = self.asked(work, pending, woken, ready);
        let state = self.controller.state;
        let orders = self.controller.clock(&asked, supply);
        work.done &= !orders.flush;
        let why = self.tell_waits(state, work, &orders, answered, slow);
        self.finish(work, supply);
        let waits = if slow { Rule::WaitStates } else { Rule::Access };
        let last = if self.write_back.is_some() {
            waits
        } else {
            self.empty
        };
        let retired = self.retire(work, answered, why);
        let lost = if self.three { last } else { why };
        self.lost = Told(retired.is_none().then_some(lost));
        self.advance(work, &orders, supply);
        self.busy = orders.busy || busy;
        retired
    }

    /// Executed instructions that have not retired, youngest first.
    fn executed(&mut self) -> impl Iterator<Item = &mut Passage> {
        let id = self.id.iter_mut().filter(|id| id.executed);
        let last = self.write_back.iter_mut();
        id.map(|id| &mut id.passage)
            .chain(last.map(|last| &mut last.passage))
    }

    fn accesses(&self) -> bool {
        self.id.is_some_and(|id| id.passage.accesses())
    }

    fn runs(&self) -> bool {
        self.controller.state == State::Decode
    }

    /// The write-back stage holds a load or store.
    fn is_outstanding(&self) -> bool {
        self.write_back.is_some_and(|last| last.passage.accesses())
    }

    /// Has the program execute the instruction in its first cycle: nothing older can keep it from being executed.
    fn execute_first(&mut self, supply: &mut impl Supply) {
        if !self.runs() {
            return;
        }
        if let Some(id) = &mut self.id
            && !id.executed
        {
            id.passage = supply.execute(id.passage);
            id.executed = true;
        }
    }

    /// `stall_ld_hz`: it reads what a load in the write-back stage will bring.
    fn waits_for_load(&self, passage: &Passage, refused: bool) -> bool {
        let Some(last) = self.write_back else { return false };
        let writes = last.passage.writes;
        let reads = passage.reads.contains(&writes) && writes != 0;
        last.passage.kind == Kind::Load && reads && !refused
    }

    fn work(&self, outstanding: bool) -> Work {
        let Some(Id { passage, .. }) = self.id else {
            return Work {
                later: self.later,
                ..Work::default()
            };
        };
        let refused = passage.is_refused();
        let hazard = self.waits_for_load(&passage, refused);
        let speculates = self.runs() && !hazard;
        let executing = speculates && !(self.three && (refused || outstanding));
        let mut work = Work {
            refused,
            executing,
            stall: hazard,
            later: self.later,
            ..Work::default()
        };
        if speculates {
            if self.later {
                self.go_on(&passage, &mut work);
            } else {
                self.begin(&passage, &mut work);
            }
        }
        if !self.three {
            work.sets |= self.branch_set;
        }
        work
    }

    /// The first cycle of an instruction.
    fn begin(&self, passage: &Passage, work: &mut Work) {
        match passage.kind {
            Kind::Load | Kind::Store => work.later = !self.three,
            Kind::Multiply | Kind::Divide => {
                let computed = self.is_computed(passage);
                (work.later, work.stall) = (!computed, work.stall || !computed);
            }
            Kind::Link | Kind::FlushInstructions => {
                work.sets = true;
                (work.later, work.stall) = (!self.three, work.stall || !self.three);
            }
            _ if passage.branches && passage.jump.is_some() => {
                work.branch_set = true;
                work.sets = self.three;
                (work.later, work.stall) = (!self.three, work.stall || !self.three);
            }
            _ => {}
        }
    }

    /// Its further cycles.
    fn go_on(&self, passage: &Passage, work: &mut Work) {
        match passage.kind {
            Kind::Multiply | Kind::Divide if !self.is_computed(passage) => work.stall = true,
            Kind::Load | Kind::Store => {}
            _ => work.later = false,
        }
    }

    /// `multdiv_valid`.
    fn is_computed(&self, passage: &Passage) -> bool {
        self.steps + 1 == steps(passage)
    }

    /// The wait in the ID stage for a load or store in the ID or write-back stage.
    fn stall(&self, work: &mut Work, outstanding: bool, answered: bool, accessed: bool) {
        let waits = if self.three {
            outstanding || self.accesses() && !accessed
        } else {
            self.accesses() && (!answered || !self.later)
        };
        if self.id.is_some() {
            work.stall |= waits;
            if self.accesses() && self.runs() {
                work.later = waits;
            }
        }
        work.done = work.executing && !work.stall;
    }

    fn asked(&self, work: Work, pending: bool, woken: bool, ready: bool) -> Asked {
        let passage = self.id.map(|id| id.passage);
        let is = |kind| passage.is_some_and(|passage| passage.kind == kind);
        Asked {
            pending,
            woken,
            occupied: passage.is_some(),
            refused: work.refused,
            returns: is(Kind::Return) && !work.refused,
            waits: is(Kind::Wait) && !work.refused,
            unsettled: work.done && passage.is_some_and(|passage| passage.unsettles && !work.refused),
            stall: work.stall,
            ready,
            jump: (work.sets && !self.set_done)
                .then(|| passage.map(|passage| target(&passage)))
                .flatten(),
        }
    }

    /// Counts the steps of the multiplier, and makes the access to a control and status register.
    fn finish(&mut self, work: Work, supply: &mut impl Supply) {
        let Some(Id { passage, .. }) = self.id else { return };
        if work.executing && matches!(passage.kind, Kind::Multiply | Kind::Divide) {
            self.steps = if self.is_computed(&passage) {
                0
            } else {
                self.steps + 1
            };
        }
        if work.done && passage.kind == Kind::Csr {
            supply.access_csr();
        }
    }

    /// The instruction that leaves the last stage. `why`: the reason that nothing leaves the ID stage, if so.
    fn retire(&mut self, work: Work, answered: bool, why: Rule) -> Option<Passage> {
        let leaves = self
            .id
            .filter(|_| work.done && !work.refused)
            .map(|id| id.passage);
        if !self.three {
            return leaves;
        }
        let ends = self
            .write_back
            .filter(|last| !last.passage.accesses() || answered);
        if ends.is_some() {
            self.write_back = None;
        }
        if let Some(passage) = leaves {
            self.write_back = Some(WriteBack { passage });
        }
        self.empty = if self.write_back.is_none() {
            why
        } else {
            Rule::Issue
        };
        ends.map(|last| last.passage)
    }

    /// The end of the cycle for the fetch and the ID stage.
    fn advance(&mut self, work: Work, orders: &controller::Orders, supply: &mut impl Supply) {
        let clears = !(work.stall || orders.retain) || orders.flush;
        let accepts = !(work.stall || orders.halt || orders.retain);
        let fetched = self
            .prefetch
            .clock(orders.fetches, orders.target, accepts, supply);
        if work.executing {
            self.later = work.later;
        }
        self.set_done = (work.sets || self.set_done) && !clears;
        self.branch_set = work.branch_set;
        if clears {
            self.id = None;
        }
        if let Some(passage) = fetched
            && orders.target.is_none()
        {
            let waits = self.next.arrive();
            self.id = Some(Id {
                passage: Passage { waits, ..passage },
                executed: false,
            });
        }
    }
}

impl Recurrent for Ibex {
    const MATTERS: Matters = Matters::Divisor;

    fn clock(&mut self, supply: &mut impl Supply) -> Option<Passage> {
        self.clock(supply)
    }

    fn lost(&self) -> Option<Rule> {
        self.lost()
    }

    fn fetch_pc(&self) -> u32 {
        self.fetch_pc()
    }

    fn announces(&self, _: u32, _: Option<u32>) -> Option<u32> {
        self.granted()
    }

    fn under_way(&self) -> usize {
        { *self }.executed().count()
    }

    fn is_quiet(&self) -> bool {
        let next = self.id.filter(|id| !id.executed);
        let refused = next.is_some_and(|id| id.passage.kind == Kind::Illegal);
        let straight = |passage: &mut Passage| is_plain(passage) && !passage.is_split();
        self.runs() && !refused && { *self }.executed().all(straight)
    }

    fn stripped(&mut self, class: &impl Fn(u32) -> u32) -> Self {
        let mut stripped = *self;
        for passage in stripped.executed() {
            strip_passage(passage, Self::MATTERS, class);
        }
        stripped
    }

    fn resume(&mut self, stripped: &Self, places: &[Place], _: u32) {
        *self = *stripped;
        for (passage, place) in self.executed().zip(places) {
            place.put(passage);
        }
    }
}

/// The target of a jump or taken branch; for FENCE.I, the next instruction.
fn target(passage: &Passage) -> u32 {
    let next = passage.pc.wrapping_add(u32::from(passage.size));
    passage.jump.map_or(next, |jump| jump.target)
}

fn steps(passage: &Passage) -> u8 {
    match passage.kind {
        Kind::Divide if passage.by_zero => DIVIDE_BY_ZERO,
        Kind::Divide => DIVIDE,
        _ if passage.upper => MULTIPLY_UPPER,
        _ => MULTIPLY,
    }
}
