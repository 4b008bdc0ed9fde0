//! `VexRiscv` with two caches, a multiplier and a shifter that are pipelined (`vexriscv-standard`, `-full`; with compressed
//! instructions `-imac`, with address translation `-linux`, with protection `-secure`).
//!
//! Every signal is that of the Verilog in the same cycle.

use super::arbiter::{Decision, Halts, Stages};
use super::data::{DataCache, DataCacheOutputs};
use super::fetch::{Fetch, Front, Given};
use super::halves::Halves;
use super::in_flight::{InFlight, Kind};
use super::interrupts::Interrupts;
use super::memoizable::{
    AccessPlace, Load, Memoizable, RelevantOperand, goes_straight, restore, strip, under_way,
};
use super::rules::Rule;
use super::tags::Tags;
use super::walker::{Unknown, Walker};
use super::{Located, Supply};

/// Lines of a way of the instruction cache, of 4 KiB.
const LINES: u8 = 128;

/// Cycles that a division stays in the memory stage beyond the first.
const DIVIDE: u8 = 33;

/// The pipeline's registers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VexRiscvCached<F> {
    fetch: F,
    data: DataCache,
    walker: Walker,
    /// Steps of a division under way.
    steps: u8,
    /// Cycles that a write to what protects memory has taken.
    protected: u8,
    stages: Stages,
    interrupts: Interrupts,
    waits: bool,
    /// `execute_CsrPlugin_wfiWake`: an interrupt was pending and enabled in `mie` in the cycle before.
    woken: bool,
    /// Current fetches will not be executed.
    astray: bool,
}

impl VexRiscvCached<Fetch> {
    /// As it comes out of reset, at `pc`. `waits`: WFI does. `uncached` has a bit for each 256 MiB whose data are not cached.
    pub fn new(pc: u32, waits: bool, uncached: u16) -> Self {
        VexRiscvCached::behind(Fetch::new(pc, LINES), waits, uncached)
    }
}

impl VexRiscvCached<Halves> {
    /// The pipeline with compressed instructions.
    pub fn compressed(pc: u32, waits: bool, uncached: u16) -> Self {
        VexRiscvCached::behind(Halves::new(pc, LINES), waits, uncached)
    }
}

#[allow(private_bounds)] // nobody else makes one
impl<F: Front> VexRiscvCached<F> {
    fn behind(fetch: F, waits: bool, uncached: u16) -> Self {
        VexRiscvCached {
            fetch,
            data: DataCache::new(uncached),
            walker: Walker::new(),
            steps: 0,
            protected: 0,
            stages: Stages::default(),
            interrupts: Interrupts::default(),
            waits,
            woken: false,
            astray: false,
        }
    }

    /// The address that is fetched in this cycle.
    pub fn fetch_pc(&self) -> u32 {
        self.fetch.pc()
    }

    /// The rule by which the cycle that was clocked last is lost; none if something retired in it.
    pub fn lost(&self) -> Option<Rule> {
        self.stages.lost()
    }

    /// Clocks one cycle. Returns the instruction that retires in it.
    pub fn clock(&mut self, supply: &mut impl Supply) -> Option<InFlight> {
        let asked = self.fetch.asks();
        let located = asked.map_or(Located::at(0), |pc| supply.locate_fetch(pc));
        let memory = self.stages.memory.filter(InFlight::accesses);
        let data = memory
            .map(|access| access.address)
            .filter(|&address| supply.lacks_translation(address));
        let mut seen = self.seen();
        let answer = self.data.answer(&seen);
        let pending = supply.is_interrupted();
        let (held, interrupt) = (
            self.interrupts.holds(&self.stages),
            self.interrupts.jumps(&self.stages),
        );
        let divides = self.divides();
        let halts = self.halts(&answer, divides, held, interrupt);
        let decision = self.stages.decide(halts);
        let translates = self.walker.holds(&self.stages).then_some(Rule::Translation);
        let keeps = held.then_some(Rule::Interrupt).or(translates);
        let mut waits = self.fetch.lines().waits();
        waits.add_if(self.walker.halts_fetch(), Rule::Translation);
        self.stages.attribute(&halts, &decision, keeps, waits);
        self.interrupts.clock(held, interrupt, &decision, pending);
        self.woken = supply.is_woken();
        let begins = self
            .walker
            .begins(&self.stages, self.data.is_loading(), &decision);
        seen.execute = begins.or(seen.execute);
        let waits = self.walker.halts_fetch();
        let masked = self.data.empties() && supply.lacks_translation(self.in_memory());
        let lacking = [data.is_some(), masked];
        self.data.clock(&answer, &decision, &seen, lacking, supply);
        let unknown = Unknown {
            fetch: asked.filter(|_| located.physical.is_none()),
            data,
        };
        self.protect(supply);
        let [_, _, memory_stuck] = decision.stuck;
        if divides {
            self.steps += 1;
        } else if !memory_stuck {
            self.steps = 0;
        }
        let retires = self.stages.retiring(&decision);
        let cached = |load: &InFlight| load.kind == Kind::Load && !self.data.leaves_alone(load.physical);
        if let Some(load) = retires.filter(cached) {
            // Of a device in the cached part of the address space, which is read as if it were not. Elsewhere it was read when the
            // bus answered.
            supply.transferred(load.physical, false);
        }
        let given = Given {
            jump: self.jump(&decision, supply),
            located,
            waits,
        };
        self.walker
            .clock(begins.is_some(), &answer, &decision, unknown, supply);
        let entering = self.fetch.clock(&decision, given, &self.stages, supply);
        self.stages.execute_leaving(&decision, &mut self.astray, supply);
        let next = entering.map(|(pc, physical)| supply.decode_at(pc, physical));
        if F::MOVES_DECODE_PC {
            self.stages.misplace(&decision);
        }
        self.stages.clock(&decision, next);
        retires
    }

    /// `holds`, `interrupt`: an interrupt holds the decode stage, or is taken.
    fn halts(&mut self, answer: &DataCacheOutputs, divides: bool, holds: bool, interrupt: bool) -> Halts {
        Halts {
            decode: self.hazard() || self.stages.returns() || holds || self.walker.holds(&self.stages),
            execute: answer.halt_execute || self.execute_waits(),
            memory: divides,
            write_back: answer.halt_write_back,
            interrupt,
            memory_fault: false,
            write_back_fault: answer.fault && !answer.redo,
            redo: answer.redo && !self.walker.is_last(),
            reschedule: self.reschedules(),
            fetch_fault: self.fetch.is_refused(),
            untranslated: self.data.lacks_translation(),
            slow: [self.fetch.lines().is_slow(), self.data.is_slow()],
        }
    }

    /// The address in the memory stage's register (`memory_REGFILE_WRITE_DATA`) while the data cache is flushed: that of a division still
    /// there, or of the flush that waits in execute, to which the next instruction's address is computed.
    fn in_memory(&self) -> u32 {
        match (self.stages.memory, self.stages.execute) {
            (Some(memory), _) => memory.address,
            (None, Some(execute)) => execute.pc.wrapping_add(4),
            (None, None) => 0,
        }
    }

    /// The stages as the data cache sees them.
    fn seen(&self) -> Stages {
        if self.walker.is_idle() {
            self.stages
        } else {
            self.walker.among(&self.stages)
        }
    }

    /// Whether the instruction in the execute stage has all younger ones fetched again.
    fn reschedules(&self) -> bool {
        self.stages.execute.is_some_and(|execute| execute.reschedules)
    }

    /// A division is not done yet.
    fn divides(&self) -> bool {
        self.stages
            .memory
            .is_some_and(|memory| memory.kind == Kind::Divide)
            && self.steps < DIVIDE
    }

    /// Writes what protects memory, step by step, when nothing older is under way: its registers change in the third cycle.
    fn protect(&mut self, supply: &mut impl Supply) {
        let behind = self.stages.memory.is_some() || self.stages.write_back.is_some();
        match self.protects() {
            Some(cycles) if self.protected < cycles && !behind => {
                if self.protected == 2 {
                    supply.access_csr();
                }
                self.protected += 1;
            }
            _ => self.protected = 0,
        }
    }

    /// How long the instruction in the execute stage takes to write what protects memory.
    fn protects(&self) -> Option<u8> {
        let execute = self.stages.execute.filter(|execute| execute.kind == Kind::Csr);
        execute
            .map(|execute| execute.protects)
            .filter(|&cycles| cycles > 0)
    }

    /// The execute stage waits: to use a control and status register for all that is older, to sleep for an interrupt.
    fn execute_waits(&self) -> bool {
        if let Some(cycles) = self.protects() {
            return self.protected < cycles;
        }
        let behind = self.stages.memory.is_some() || self.stages.write_back.is_some();
        self.stages.execute.is_some_and(|execute| match execute.kind {
            Kind::Csr | Kind::IllegalCsr | Kind::FlushTranslations => behind,
            Kind::Wait => self.waits && !self.woken,
            _ => false,
        })
    }

    /// A register that decode reads cannot be bypassed yet.
    fn hazard(&self) -> bool {
        // A store writes a register if it is conditional.
        let late_in_memory = |kind: Kind| matches!(kind, Kind::Load | Kind::Store | Kind::Multiply);
        let late_in_execute = |kind: Kind| {
            matches!(
                kind,
                Kind::Load
                    | Kind::Store
                    | Kind::Csr
                    | Kind::IllegalCsr
                    | Kind::Multiply
                    | Kind::Divide
                    | Kind::Shift(_)
            )
        };
        self.stages.misses_result(late_in_execute, late_in_memory)
    }

    /// The redirection of the fetch in this cycle. In order of precedence: an access to retry, a trap, a mispredicted branch, the
    /// instruction after a change of translation, a prediction, which holds as long as decode is stuck.
    fn jump(&mut self, decision: &Decision, supply: &mut impl Supply) -> Option<u32> {
        if decision.redo {
            self.astray = false;
            return Some(supply.redo());
        }
        if let Some(switch) = decision.traps {
            self.astray = false;
            if let Some(pc) = self.stages.misplaced() {
                supply.misplace(pc);
            }
            return Some(switch.target(supply));
        }
        if let Some(jump) = self.stages.memory.and_then(|memory| memory.jump) {
            // Behind a fault it sends the fetch there until the trap does, and is not executed.
            self.astray &= jump.misaligned || decision.write_back_removed;
            return Some(jump.target);
        }
        if self.reschedules() {
            return Some(self.fetch.decode_pc());
        }
        self.stages.decode.and_then(|decode| decode.predicted)
    }
}

impl<F: Front> Memoizable for VexRiscvCached<F> {
    const STORES_COLLIDE: bool = true;
    const ASKS_IN_ORDER: bool = true;
    const RELEVANT_OPERAND: RelevantOperand = RelevantOperand::Nothing;

    fn clock(&mut self, supply: &mut impl Supply) -> Option<InFlight> {
        self.clock(supply)
    }

    fn lost(&self) -> Option<Rule> {
        self.lost()
    }

    fn fetch_pc(&self) -> u32 {
        self.fetch_pc()
    }

    fn under_way(&self) -> usize {
        under_way(&self.stages)
    }

    fn is_quiet(&self) -> bool {
        self.is_calm()
            && self.interrupts == Interrupts::default()
            && goes_straight(&self.stages)
            && self.data.is_quiet(&self.stages)
    }

    fn is_calm(&self) -> bool {
        !self.fetch.flushes() && !self.data.flushes() && self.walker.is_idle()
    }

    fn stripped(&mut self, class: &impl Fn(u32) -> u32) -> Self {
        let mut tags = [Tags::default(), Tags::default()];
        self.swap_tags(&mut tags);
        let mut stripped = self.clone();
        self.swap_tags(&mut tags);
        strip(&mut stripped.stages, Self::RELEVANT_OPERAND, class);
        stripped.data.strip();
        stripped.fetch.lines().strip();
        stripped.woken = false;
        stripped
    }

    fn resume(&mut self, stripped: &Self, places: &[AccessPlace], loading: u32) {
        let mut tags = [Tags::default(), Tags::default()];
        self.swap_tags(&mut tags);
        self.clone_from(stripped);
        self.swap_tags(&mut tags);
        restore(&mut self.stages, places);
        self.data.restore(&self.stages, loading);
    }

    fn fetches(&self, line: u32) -> bool {
        self.fetch.has(line)
    }

    fn fetch_changes(&self) -> u64 {
        self.fetch.changes()
    }

    fn waiting(&self) -> Option<u32> {
        self.data.waiting()
    }

    fn wait_for(&mut self, address: u32) {
        self.data.wait_for(address);
    }

    fn loading_fetched(&self) -> Option<u32> {
        self.fetch.loading()
    }

    fn hold_fetched(&mut self, line: u32, later: u8) {
        self.fetch.lines().hold(line, later);
    }

    fn loading(&self) -> Option<u32> {
        self.data.loading()
    }

    fn hold(&mut self, line: u32) {
        self.data.hold(line);
    }

    fn load(&self, address: u32) -> Load {
        if self.data.holds(address) {
            Load::AtOnce
        } else if self.data.leaves_alone(address) {
            Load::Else
        } else {
            Load::Misses
        }
    }

    fn stores_at_once(&self, address: u32) -> bool {
        !self.data.leaves_alone(address)
    }
}

#[allow(private_bounds)] // nobody else makes one
impl<F: Front> VexRiscvCached<F> {
    fn swap_tags(&mut self, tags: &mut [Tags; 2]) {
        let [instructions, data] = tags;
        self.fetch.lines().swap_tags(instructions);
        self.data.swap_tags(data);
    }
}
