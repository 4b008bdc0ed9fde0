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
use super::in_flight::{InFlight, Kind};
use super::memoizable::{AccessPlace, Memoizable, RelevantOperand, is_plain, strip_insn};
use super::rules::{Rule, Told};
use controller::{Controller, ControllerRequests, ControllerState};
use load_store::LoadStore;
use prefetch::Prefetch;
use waits::IbexNextInsn;

/// Cycles of a multiplication (`RV32MFast`: products of 16 bits), of one that computes the upper half, of a division, and of
/// one by zero.
const MULTIPLY: u8 = 3;
const MULTIPLY_UPPER: u8 = 4;
const DIVIDE: u8 = 37;
const DIVIDE_BY_ZERO: u8 = 2;

/// An instruction in the ID stage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Id {
    in_flight: InFlight,
    /// It was executed, from the program's view.
    executed: bool,
}

/// An instruction in the write-back stage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct WriteBack {
    in_flight: InFlight,
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
    next: IbexNextInsn,
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
            next: IbexNextInsn::default(),
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
    pub fn clock(&mut self, supply: &mut impl Supply) -> Option<InFlight> {
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
            .clock(requests, self.id.map(|id| id.in_flight), supply);
        self.stall(&mut work, outstanding, answered, accessed);
        let asked = self.asked(work, pending, woken, ready);
        let state = self.controller.state;
        let orders = self.controller.clock(&asked, supply);
        work.done &= !orders.flush;
        let why = self.attribute_waits(state, work, &orders, answered, slow);
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
    fn executed(&mut self) -> impl Iterator<Item = &mut InFlight> {
        let id = self.id.iter_mut().filter(|id| id.executed);
        let last = self.write_back.iter_mut();
        id.map(|id| &mut id.in_flight)
            .chain(last.map(|last| &mut last.in_flight))
    }

    fn accesses(&self) -> bool {
        self.id.is_some_and(|id| id.in_flight.accesses())
    }

    fn runs(&self) -> bool {
        self.controller.state == ControllerState::Decode
    }

    /// The write-back stage holds a load or store.
    fn is_outstanding(&self) -> bool {
        self.write_back.is_some_and(|last| last.in_flight.accesses())
    }

    /// Has the program execute the instruction in its first cycle: nothing older can keep it from being executed.
    fn execute_first(&mut self, supply: &mut impl Supply) {
        if !self.runs() {
            return;
        }
        if let Some(id) = &mut self.id
            && !id.executed
        {
            id.in_flight = supply.execute(id.in_flight);
            id.executed = true;
        }
    }

    /// `stall_ld_hz`: it reads what a load in the write-back stage will bring.
    fn waits_for_load(&self, in_flight: &InFlight, refused: bool) -> bool {
        let Some(last) = self.write_back else { return false };
        let writes = last.in_flight.writes;
        let reads = in_flight.reads.contains(&writes) && writes != 0;
        last.in_flight.kind == Kind::Load && reads && !refused
    }

    fn work(&self, outstanding: bool) -> Work {
        let Some(Id { in_flight, .. }) = self.id else {
            return Work {
                later: self.later,
                ..Work::default()
            };
        };
        let refused = in_flight.is_refused();
        let hazard = self.waits_for_load(&in_flight, refused);
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
                self.go_on(&in_flight, &mut work);
            } else {
                self.begin(&in_flight, &mut work);
            }
        }
        if !self.three {
            work.sets |= self.branch_set;
        }
        work
    }

    /// The first cycle of an instruction.
    fn begin(&self, in_flight: &InFlight, work: &mut Work) {
        match in_flight.kind {
            Kind::Load | Kind::Store => work.later = !self.three,
            Kind::Multiply | Kind::Divide => {
                let computed = self.is_computed(in_flight);
                (work.later, work.stall) = (!computed, work.stall || !computed);
            }
            Kind::Link | Kind::FlushInstructions => {
                work.sets = true;
                (work.later, work.stall) = (!self.three, work.stall || !self.three);
            }
            _ if in_flight.branches && in_flight.jump.is_some() => {
                work.branch_set = true;
                work.sets = self.three;
                (work.later, work.stall) = (!self.three, work.stall || !self.three);
            }
            _ => {}
        }
    }

    /// Its further cycles.
    fn go_on(&self, in_flight: &InFlight, work: &mut Work) {
        match in_flight.kind {
            Kind::Multiply | Kind::Divide if !self.is_computed(in_flight) => work.stall = true,
            Kind::Load | Kind::Store => {}
            _ => work.later = false,
        }
    }

    /// `multdiv_valid`.
    fn is_computed(&self, in_flight: &InFlight) -> bool {
        self.steps + 1 == steps(in_flight)
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

    fn asked(&self, work: Work, pending: bool, woken: bool, ready: bool) -> ControllerRequests {
        let in_flight = self.id.map(|id| id.in_flight);
        let is = |kind| in_flight.is_some_and(|in_flight| in_flight.kind == kind);
        ControllerRequests {
            pending,
            woken,
            occupied: in_flight.is_some(),
            refused: work.refused,
            returns: is(Kind::Return) && !work.refused,
            waits: is(Kind::Wait) && !work.refused,
            unsettled: work.done && in_flight.is_some_and(|in_flight| in_flight.unsettles && !work.refused),
            stall: work.stall,
            ready,
            jump: (work.sets && !self.set_done)
                .then(|| in_flight.map(|in_flight| target(&in_flight)))
                .flatten(),
        }
    }

    /// Counts the steps of the multiplier, and makes the access to a control and status register.
    fn finish(&mut self, work: Work, supply: &mut impl Supply) {
        let Some(Id { in_flight, .. }) = self.id else {
            return;
        };
        if work.executing && matches!(in_flight.kind, Kind::Multiply | Kind::Divide) {
            self.steps = if self.is_computed(&in_flight) {
                0
            } else {
                self.steps + 1
            };
        }
        if work.done && in_flight.kind == Kind::Csr {
            supply.access_csr();
        }
    }

    /// The instruction that leaves the last stage. `why`: the reason that nothing leaves the ID stage, if so.
    fn retire(&mut self, work: Work, answered: bool, why: Rule) -> Option<InFlight> {
        let leaves = self
            .id
            .filter(|_| work.done && !work.refused)
            .map(|id| id.in_flight);
        if !self.three {
            return leaves;
        }
        let ends = self
            .write_back
            .filter(|last| !last.in_flight.accesses() || answered);
        if ends.is_some() {
            self.write_back = None;
        }
        if let Some(in_flight) = leaves {
            self.write_back = Some(WriteBack { in_flight });
        }
        self.empty = if self.write_back.is_none() {
            why
        } else {
            Rule::Issue
        };
        ends.map(|last| last.in_flight)
    }

    /// The end of the cycle for the fetch and the ID stage.
    fn advance(&mut self, work: Work, orders: &controller::ControllerDecision, supply: &mut impl Supply) {
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
        if let Some(in_flight) = fetched
            && orders.target.is_none()
        {
            let waits = self.next.arrive();
            self.id = Some(Id {
                in_flight: InFlight { waits, ..in_flight },
                executed: false,
            });
        }
    }
}

impl Memoizable for Ibex {
    const RELEVANT_OPERAND: RelevantOperand = RelevantOperand::Divisor;

    fn clock(&mut self, supply: &mut impl Supply) -> Option<InFlight> {
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
        let refused = next.is_some_and(|id| id.in_flight.kind == Kind::Illegal);
        let straight = |in_flight: &mut InFlight| is_plain(in_flight) && !in_flight.is_split();
        self.runs() && !refused && { *self }.executed().all(straight)
    }

    fn stripped(&mut self, class: &impl Fn(u32) -> u32) -> Self {
        let mut stripped = *self;
        for in_flight in stripped.executed() {
            strip_insn(in_flight, Self::RELEVANT_OPERAND, class);
        }
        stripped
    }

    fn resume(&mut self, stripped: &Self, places: &[AccessPlace], _: u32) {
        *self = *stripped;
        for (in_flight, place) in self.executed().zip(places) {
            place.put(in_flight);
        }
    }
}

/// The target of a jump or taken branch; for FENCE.I, the next instruction.
fn target(in_flight: &InFlight) -> u32 {
    let next = in_flight.pc.wrapping_add(u32::from(in_flight.size));
    in_flight.jump.map_or(next, |jump| jump.target)
}

fn steps(in_flight: &InFlight) -> u8 {
    match in_flight.kind {
        Kind::Divide if in_flight.by_zero => DIVIDE_BY_ZERO,
        Kind::Divide => DIVIDE,
        _ if in_flight.upper => MULTIPLY_UPPER,
        _ => MULTIPLY,
    }
}
