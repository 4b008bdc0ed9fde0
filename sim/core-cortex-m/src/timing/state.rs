//! The state of the three-stage pipeline between two instructions: fetch, decode, execute, and the data port.

use events::Costs;
use isa_thumb::RegSet;

use super::fetch::{Fetch, LONG_AGO, Path};
use super::m4::float::PendingResult;
use super::rule::{Rule, RuleSet};
use super::shape::{Class, Shape};
use super::supply::{FlashRead, Supply};
use super::{Cycle, Model};

/// Run-time facts of this execution of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub(crate) struct RuntimeFacts {
    /// Its IT condition failed.
    pub skipped: bool,
    /// The value of LR, for a skipped branch to LR.
    pub aside: Option<u32>,
    /// Whether it jumped.
    pub taken: bool,
    /// Whether it raised a mask.
    pub raises: bool,
    /// Wait states of all its data transfers together.
    pub wait: Cycle,
    /// Cycles that it waits for its memory if that is idle.
    pub grant: Cycle,
    /// Cycles of [`RuntimeFacts::wait`] spent waiting for other masters of the bus.
    pub held: Cycle,
    /// Writes are not buffered.
    pub unbuffered: bool,
    /// Its read from a flash that may need wait states; those are not part of `wait`.
    pub flash: Option<FlashRead>,
    /// Transfers beyond one for each of [`Shape::words`].
    pub extra_transfers: Cycle,
    /// Its data comes from the memory that instructions are fetched from.
    pub contends: bool,
    /// Cycles that its operands decide, of a divide or a long multiply.
    pub operand_cycles: Cycle,
    /// The part of the address space that its data lies in; see [`bus::Profile::area`].
    pub area: u8,
    /// Whether its data is on the single-cycle I/O port.
    pub io_port: bool,
    /// The rules by which the flash served its own fetches, as far as they were asked for before it.
    pub fetched_by: RuleSet,
    /// The rules of the memories that it was fetched from and that its data is in.
    pub memories: RuleSet,
}

/// When an instruction did what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Timing {
    /// First cycle in the execute stage.
    pub start: Cycle,
    /// From this cycle on the trace unit counts by it: no later than `start`.
    pub counted: Cycle,
    /// Address phase of its (first) data access; `start` if it has none.
    pub access: Cycle,
    /// First cycle in which an ordinary successor may start.
    pub free: Cycle,
    /// First cycle in which it could execute, as far as fetching it goes; not before the end of the previous instruction.
    pub arrived: Cycle,
    /// For a jump: how the target is fetched.
    pub jump: Option<Jump>,
    /// The rules that decided it.
    pub rules: RuleSet,
    /// The costs of the cycles by which `free` is later than that of the previous instruction.
    pub costs: Costs,
    /// For a jump: the additional delay of its target.
    pub refill: Costs,
}

impl Timing {
    /// The costs of its cycles until the next instruction can start, including its refill if it `jumped`.
    pub(crate) fn costs(&self, jumped: bool) -> Costs {
        let mut costs = self.costs;
        if jumped {
            costs.join(&self.refill);
        }
        costs
    }
}

/// How the target of a jump is fetched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Jump {
    /// The last cycle in which it can be requested without delaying what follows: it executes [`REFILL`] cycles later,
    /// or later still if it has to wait for its second word.
    pub request: Cycle,
    /// How much earlier the target was requested.
    pub early: EarlyRequest,
    /// A fetch whose address is given in the same cycle goes before it.
    pub behind: bool,
    /// A fetch whose address has been given, and waits, goes before it.
    pub keeps: bool,
}

/// How a branch asked for its target, and whether before it had to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct EarlyRequest {
    /// By so many cycles.
    pub cycles: u8,
    /// Where the branch was when it had to.
    pub by: RequestedFrom,
}

/// The position of an instruction in the pipeline when its target is requested.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) enum RequestedFrom {
    /// It executes, or no instruction led there.
    #[default]
    Execute,
    /// It is decoded.
    Decode,
    /// It has loaded the target.
    Load,
}

impl Jump {
    /// Whose target is requested when it must.
    pub(crate) fn at(request: Cycle) -> Self {
        Jump {
            request,
            early: EarlyRequest::default(),
            behind: false,
            keeps: false,
        }
    }

    /// From when on its target can execute, if fetching it takes no longer than usual.
    pub(crate) fn end(self) -> Cycle {
        self.request + REFILL
    }

    /// The jump whose target executes in cycle `start`.
    pub(crate) fn reaching(start: Cycle, path: Path) -> Self {
        Jump::ending(start - path.total())
    }

    /// The jump whose target can execute in cycle `end`, if fetching it takes no longer than usual.
    pub(super) fn ending(end: Cycle) -> Self {
        Jump::at(end - REFILL)
    }
}

/// The pipeline between two instructions. Times are absolute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub(crate) struct PipelineState {
    pub(super) fetch: Fetch,
    /// When the instruction before started to execute; from then on the next one can be decoded.
    pub(super) last_start: Cycle,
    /// First cycle in which an ordinary next instruction may execute.
    pub(super) execute_free: Cycle,
    /// First cycle in which the data port takes the address of a store.
    pub(super) store_free: Cycle,
    /// First cycle in which the data port takes the address of a load.
    pub(super) load_free: Cycle,
    /// The kind of the previous instruction.
    pub(super) previous: Previous,
    /// Registers that it wrote.
    pub(super) written: RegSet,
    /// Of these, the registers that reach an address a cycle late.
    pub(super) late: RegSet,
    /// The base that it moved, if the address of the next load or store can take that over.
    pub(super) moved: RegSet,
    /// In which cycle an access finds that area still granted to the one before it.
    pub(super) granted: (Cycle, u8),
    /// Until then an instruction must be decoded to overlap with the load before it.
    pub(super) passes: Cycle,
    /// Whether it waited for its bus.
    pub(super) waited: bool,
    /// Whether it left decode a cycle before it could start, and the next instruction can do so too.
    pub(super) ahead: bool,
    /// Whether it left decode in the cycle before it started.
    pub(super) left: bool,
    /// The part of the address space that its data came from, or went to.
    pub(super) area: u8,
    /// The instruction decoded while it executes frees its prefetch slots only after it.
    pub(super) delays_slots: bool,
    /// An IT is decoded together with it.
    pub(super) folds: bool,
    /// The pending result of the floating-point unit.
    pub(super) pending_result: Option<PendingResult>,
}

/// The kind of the previous instruction, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Previous {
    /// Nothing that matters.
    Other,
    /// A single load, whose data phase is still to come.
    Load,
    /// A single store with an immediate offset.
    Store,
    /// A store with a register offset.
    StoreIndexed,
    /// A single store that is not buffered, whose data phase is still to come.
    StoreUnbuffered,
    /// A long multiply, into whose last cycle an accumulation of its high word fits.
    Multiply,
    /// An accumulation that began there, into whose last cycle another one fits.
    Accumulate,
    /// A load or store whose IT condition failed.
    SkippedAccess,
}

/// From the request of a branch's target to the first cycle in which it can execute.
const REFILL: Cycle = 3;

/// From the request of a word to the first cycle in which it can be decoded.
const DECODE_DELAY: Cycle = REFILL - 1;

/// The next instruction may start in the cycle before it is expected to, is decoded one cycle earlier, and makes room for
/// a request, or takes a request's place, at the earliest in that one; only a branch that waits may ask for its target
/// sooner, once it can be decoded.
const SETTLED: Cycle = 3;

/// A request for each slot, and from the last of them until it can be decoded.
const LOOKS_BACK: Cycle = 7;

impl PipelineState {
    /// From reset to the first cycle in which an instruction can execute.
    pub(crate) const FILL: Cycle = REFILL - 1;

    /// After a jump to `target`.
    pub(crate) fn refilled(target: u32, jump: Jump, path: Path) -> Self {
        let request = jump.request - Cycle::from(jump.early.cycles);
        let mut fetch = Fetch::refill(target, request, path);
        match jump.early {
            EarlyRequest {
                cycles: 0,
                by: RequestedFrom::Decode,
                ..
            } => fetch.decoded(),
            EarlyRequest {
                cycles: 0,
                by: RequestedFrom::Load,
                ..
            } => fetch.loaded(jump.request + REFILL),
            EarlyRequest { cycles: 0, .. } => {}
            _ => fetch.open(jump.request + 2),
        }
        Self::standing(fetch, jump.request + REFILL)
    }

    /// Full, with the instruction at `pc` decoded and ready to execute in cycle `start`: after an exception entry or
    /// return, whose stacking hides the fetch, and after a halt.
    pub(crate) fn full(pc: u32, start: Cycle, path: Path, supply: &mut Supply) -> Self {
        let mut fetch = Fetch::refill(pc, start - 3 * REFILL - 3 * path.total(), path);
        fetch.rest(start - 1, supply);
        fetch.settle(start - 1);
        Self::standing(fetch, start)
    }

    /// As [`PipelineState::full`], where the first word at `pc` can be requested in cycle `request`. The instruction of `size`
    /// bytes there starts in cycle `start`, or as soon as it was fetched and decoded: which one is the answer's second
    /// part.
    pub(crate) fn reached(
        (pc, size): (u32, u8),
        (request, start): (Cycle, Cycle),
        path: Path,
        supply: &mut Supply,
    ) -> (Self, Cycle) {
        let mut fetch = Fetch::refill(pc, request, path);
        let start = start.max(fetch.ready(pc, size, supply) + 1);
        fetch.advance(start - 2, supply);
        if fetch.is_full() {
            fetch.rest(start - 1, supply);
        }
        (Self::standing(fetch, start), start)
    }

    fn standing(fetch: Fetch, start: Cycle) -> Self {
        PipelineState {
            fetch,
            last_start: start - 1,
            execute_free: start,
            store_free: start,
            load_free: start,
            passes: start - 1,
            waited: false,
            ahead: false,
            left: false,
            previous: Previous::Other,
            written: RegSet::EMPTY,
            late: RegSet::EMPTY,
            moved: RegSet::EMPTY,
            area: 0,
            granted: (start - 1 + LONG_AGO, 0),
            delays_slots: false,
            folds: false,
            pending_result: None,
        }
    }

    /// Whether a fetch has the system bus in cycle `at`.
    pub(crate) fn takes_system_bus(&mut self, at: Cycle, supply: &mut Supply) -> bool {
        self.fetch.takes_system_bus(at, supply)
    }

    /// When another word can be requested instead of its next one, in cycle `at` or behind what is under way on the code bus.
    pub(crate) fn yields(&mut self, at: Cycle, supply: &mut Supply) -> Cycle {
        if self.fetch.is_on_system_bus() {
            return at;
        }
        self.fetch.free_after(at - 1, supply).max(at)
    }

    /// The same where the address of the vector, of an interrupt, is given in that cycle: behind what is under way on the code bus, or was
    /// given before cycle `stops`.
    pub(crate) fn yields_since(&mut self, stops: Cycle, at: Cycle, supply: &mut Supply) -> Cycle {
        if self.fetch.is_on_system_bus() {
            return at;
        }
        self.fetch.free_after_given(stops, supply).max(at)
    }

    /// It was filled beside the frame of an exception that was entered or left (rule `entry-slot`), and the lower halfwords in these of its
    /// places looked like IT before (rule `it-looks`).
    pub(crate) fn fill_beside_frame(&mut self, stale: u8, model: Model) {
        if model.has(Rule::EntryRoom) {
            self.fetch.fill_beside_frame();
        }
        self.fetch.leave_in_queue(stale);
    }

    /// The words in the places of the prefetch unit, filled from address `from` on, that are there by cycle `at`; by their numbers.
    pub(crate) fn queued_words(&self, from: u32, at: Cycle) -> [Option<u32>; 3] {
        self.fetch.queued_words(from >> 2, at)
    }

    /// Goes on at `target`; what the data port still has to do stays.
    pub(crate) fn jump(&mut self, target: u32, jump: Jump, path: Path, supply: &mut Supply) {
        let request = jump.request - Cycle::from(jump.early.cycles);
        let behind = jump.behind
            && self.fetch.next_given(request, supply) != target >> 2
            && self.fetch.had_free_slot(request);
        let at = request + Cycle::from(behind);
        self.fetch.leave(at, jump.keeps, Some(target >> 2), supply);
        let mut fresh = Self::refilled(target, jump, path);
        fresh.fetch.wait_for(&self.fetch, at);
        let store_free = self.store_free.max(fresh.store_free);
        let granted = self.granted_after(fresh.last_start).unwrap_or(fresh.granted);
        *self = PipelineState {
            store_free,
            granted,
            load_free: self.load_free.max(fresh.load_free),
            pending_result: self.pending_result_after(fresh.last_start),
            ..fresh
        };
    }

    /// The earliest cycle in which an ordinary instruction could start now.
    pub(crate) fn free(&self) -> Cycle {
        self.execute_free
    }

    /// The state as it looks from `now`, for comparing states at different times.
    pub(crate) fn relative_to(mut self, now: Cycle) -> Self {
        let far = self.far(now);
        self.fetch = self.fetch.relative_to(now, far);
        self.pending_result = self
            .pending_result_after(self.last_start)
            .map(|pending_result| pending_result.moved_by(-now));
        let granted = self.granted_after(self.last_start.max(now + far));
        for cycle in self.cycles() {
            *cycle = (*cycle - now).max(far);
        }
        self.granted = granted.map_or((LONG_AGO, 0), |(cycle, area)| (cycle - now, area));
        self
    }

    /// So far back from `now` it does not matter any more when something was: far before the instruction before started, for behind a
    /// load whose data comes late, what waits for another bus looks back to that (rule `load-area`).
    fn far(&self, now: Cycle) -> Cycle {
        LONG_AGO.min(self.last_start - now - LOOKS_BACK)
    }

    /// The state as far as an instruction of this shape that comes next, and all later ones, can tell, with words that come without wait
    /// states from their memory. `timed`: a flash is to be asked for them, so that no request is computed here.
    ///
    /// Only a branch that waits, an IT that is folded, and what overlaps with a load look further back than a few cycles, to when
    /// they were decoded: for all others it is enough that they were.
    pub(crate) fn seen_by(mut self, shape: &Shape, timed: bool) -> Self {
        let decided = self.execute_free - SETTLED;
        let pending = self.fetch.next_request().is_some_and(|at| at <= decided);
        let looks_back = shape.class.may_jump() || shape.class == Class::It;
        let overlaps = matches!(self.previous, Previous::Load | Previous::StoreUnbuffered) || self.waited;
        // Rule `load-ahead`: it leaves decode while it waits for the port.
        let goes_ahead = shape.class == Class::Load && self.load_free > self.execute_free;
        // Rule `it-looks`: what is behind it may be there by then, or not.
        let near_it = self.previous == Previous::StoreIndexed && shape.class == Class::Nop;
        if looks_back || overlaps || goes_ahead || near_it || self.fetch.is_slow() || timed && pending {
            return self;
        }
        self.left = false;
        self.fetch.advance(decided, &mut Supply::immediate());
        let near = decided - 1;
        self.fetch.forget_before(near);
        for cycle in [
            &mut self.last_start,
            &mut self.store_free,
            &mut self.load_free,
            &mut self.passes,
        ] {
            *cycle = (*cycle).max(near);
        }
        self
    }

    /// The granted memory, as far as an access after cycle `last_start` can meet it.
    fn granted_after(&self, last_start: Cycle) -> Option<(Cycle, u8)> {
        Some(self.granted).filter(|granted| granted.0 > last_start)
    }

    /// Moves the state in time by `cycles`.
    pub(crate) fn moved_by(mut self, cycles: Cycle) -> Self {
        self.fetch = self.fetch.moved_by(cycles);
        self.pending_result = self
            .pending_result
            .map(|pending_result| pending_result.moved_by(cycles));
        for cycle in self.cycles() {
            *cycle += cycles;
        }
        self
    }

    /// The floating-point unit's pending result, as far as an instruction that starts after cycle `last_start` can meet it.
    fn pending_result_after(&self, last_start: Cycle) -> Option<PendingResult> {
        self.pending_result
            .and_then(|pending_result| pending_result.met_behind(last_start))
    }

    fn cycles(&mut self) -> [&mut Cycle; 6] {
        [
            &mut self.last_start,
            &mut self.execute_free,
            &mut self.store_free,
            &mut self.load_free,
            &mut self.passes,
            &mut self.granted.0,
        ]
    }

    /// Works out the requests by which the word behind a NOP may be there when that is decoded (rule `it-looks`).
    pub(super) fn look_ahead(&mut self, shape: &Shape, supply: &mut Supply) {
        if self.previous == Previous::StoreIndexed && shape.class == Class::Nop {
            self.fetch.advance(self.last_start - DECODE_DELAY, supply);
        }
    }

    /// Works out the requests without which the next instruction cannot be decoded.
    pub(super) fn prepare(&mut self, shape: &Shape, supply: &mut Supply) {
        self.fetch.ready(shape.pc, shape.size, supply);
    }

    /// Works out the requests that are made so early that nothing to come can change them.
    pub(super) fn catch_up(&mut self, supply: &mut Supply) {
        let decided = (self.execute_free - SETTLED).min(self.last_start - 1);
        self.fetch.advance(decided, supply);
    }

    /// Whether a request is still to be worked out that was made so long ago that [`PipelineState::relative_to`] moves it.
    pub(crate) fn lags(&self) -> bool {
        let next = self.fetch.next_request();
        next.is_some_and(|at| at < self.execute_free + self.far(self.execute_free))
    }

    /// The number of the next word that it will request.
    pub(crate) fn next_word(&self) -> u32 {
        self.fetch.next_word()
    }

    /// The number of the next word if this jump is taken: requests continue until the target's.
    pub(crate) fn next_word_at(mut self, jump: Jump) -> u32 {
        let request = jump.request - Cycle::from(jump.early.cycles);
        self.fetch.leave(
            request + Cycle::from(jump.behind),
            jump.keeps,
            None,
            &mut Supply::immediate(),
        );
        self.fetch.next_word()
    }

    /// Moves the next instruction through fetch and decode. Gives the first cycle in which it is decoded, and the one
    /// in which it starts to execute.
    pub(super) fn enter(&mut self, shape: &Shape, slot: IssueSlot, supply: &mut Supply) -> (Cycle, Cycle) {
        let ready = self.fetch.ready(shape.pc, shape.size, supply);
        let left = self.left && shape.class.asks_in_decode();
        let decoded = ready.max(self.last_start - Cycle::from(left));
        let entered = slot.entered.max(decoded + 1);
        let start = slot.from.max(decoded + 1);
        // That a stall ends is known too late to request a word in the same cycle.
        let held = entered > decoded + 1 && slot.entered > self.last_start + 1;
        // A single store is under way until its data phase ends.
        let under_way = self.execute_free + Cycle::from(self.previous == Previous::Store);
        let late = self.delays_slots && decoded < under_way;
        let waits = slot.held_by == Rule::AddressDependency && start == slot.from && slot.is_retried;
        match (held, late) {
            (true, _) => self.fetch.leaves(shape.pc, shape.size, start),
            (false, true) if waits => self.fetch.leaves(shape.pc, shape.size, start),
            (false, true) => self.fetch.leaves(shape.pc, shape.size, entered),
            (false, false) if waits && start > entered => {
                self.fetch
                    .leaves_for_address(shape.pc, shape.size, entered - 1, supply);
            }
            (false, false) => self.fetch.leaves(shape.pc, shape.size, entered - 1),
        }
        self.last_start = start;
        (decoded, start)
    }
}

/// When the execute stage takes the next instruction.
#[derive(Clone, Copy)]
pub(super) struct IssueSlot {
    /// From this cycle on it executes.
    pub from: Cycle,
    /// In this cycle it leaves decode: the same without the wait for a register to reach an address, or for the data
    /// port.
    pub entered: Cycle,
    /// Whether requests during the wait for its address may be in vain (rule `fetch-in-vain`).
    pub is_retried: bool,
    /// The rules that decided it.
    pub rules: RuleSet,
    /// The one that keeps it waiting longest.
    pub held_by: Rule,
}

#[cfg(test)]
mod tests;
