//! Precursor's `VexRiscv` (`vexriscv-precursor`): an older generator, with compressed instructions, address translation, set-associative
//! caches, and two more fetch stages.
//!
//! Every signal is that of the Verilog in the same cycle. This module has the parts that differ from the other variants: the fetch, the
//! data cache, the page table walk, and interrupt entry. SFENCE.VMA and writes to `satp` cause no refetch: instructions under way keep
//! their translations.

mod data;
mod fetch;
mod interrupts;
mod walker;

use super::arbiter::{Decision, Halts, Stages};
use super::fetch::Given;
use super::in_flight::{InFlight, Kind};
use super::memoizable::{
    AccessPlace, Load, Memoizable, RelevantOperand, goes_straight, restore, strip, under_way,
};
use super::rules::Rule;
use super::tags::Tags;
use super::walker::Unknown;
use super::{Located, Supply};
use data::PrecursorDataCache;
use fetch::PrecursorFetch;
use interrupts::PrecursorInterrupts;
use walker::PrecursorWalker;

/// Lines of a way of the instruction cache, of 4 KiB.
const LINES: u8 = 128;

/// Cycles that a division stays in the memory stage beyond the first.
const DIVIDE: u8 = 33;

/// The pipeline's registers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Precursor {
    fetch: PrecursorFetch,
    data: PrecursorDataCache,
    walker: PrecursorWalker,
    /// Steps of a division under way.
    steps: u8,
    stages: Stages,
    interrupts: PrecursorInterrupts,
    /// `execute_CsrPlugin_wfiWake`: an interrupt was pending and enabled in `mie` in the cycle before.
    woken: bool,
    /// Current fetches will not be executed.
    astray: bool,
}

impl Precursor {
    /// The pipeline out of reset, at `pc`. `uncached` has a bit for each 256 MiB of uncached data. The last argument has the number of 4
    /// KiB ways of the instruction and the data cache.
    pub fn new(pc: u32, uncached: u16, [fetched, data]: [u8; 2]) -> Self {
        Precursor {
            fetch: PrecursorFetch::new(pc, LINES, fetched),
            data: PrecursorDataCache::new(uncached, data),
            walker: PrecursorWalker::new(),
            steps: 0,
            stages: Stages::default(),
            interrupts: PrecursorInterrupts::default(),
            woken: false,
            astray: false,
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

    /// The decode stage waits. An interrupt takes the place of other reasons, but for a return that is under way.
    fn keeps_decode(&self) -> bool {
        let others = if self.interrupts.valid {
            self.stages.decode.is_some()
        } else {
            self.walker.asks() || self.hazard()
        };
        self.walker.halts_access(&self.stages) || others || self.stages.returns()
    }

    fn halts(&self, answer: &data::PrecursorDataOutputs, interrupt: bool) -> Halts {
        let last = self.stages.write_back.filter(InFlight::accesses);
        Halts {
            decode: self.keeps_decode(),
            execute: answer.halt_execute || self.execute_waits(),
            memory: self.divides(),
            write_back: answer.halt_write_back,
            interrupt,
            memory_fault: false,
            write_back_fault: last.is_some() && answer.fault && !answer.redo,
            redo: last.is_some() && answer.redo,
            reschedule: false,
            fetch_fault: self.fetch.is_refused(&self.stages),
            untranslated: self.data.lacks_translation(),
            slow: [self.fetch.lines().is_slow(), self.data.is_slow()],
        }
    }

    /// Names what waits in this cycle.
    fn attribute(&mut self, halts: &Halts, decision: &Decision) {
        let translates = self.walker.asks() || self.walker.halts_access(&self.stages);
        let translates = translates.then_some(Rule::Translation);
        let held = self.interrupts.valid.then_some(Rule::Interrupt);
        let mut waits = self.fetch.lines().waits();
        waits.add_if(self.walker.halts_fetch(), Rule::Translation);
        self.stages.attribute(halts, decision, held.or(translates), waits);
    }

    /// A division is not done yet.
    fn divides(&self) -> bool {
        let divides = |memory: InFlight| memory.kind == Kind::Divide;
        self.stages.memory.is_some_and(divides) && self.steps < DIVIDE
    }

    /// The execute stage waits: to use a control and status register for all that is older, to sleep for an interrupt.
    fn execute_waits(&self) -> bool {
        let behind = self.stages.memory.is_some() || self.stages.write_back.is_some();
        self.stages.execute.is_some_and(|execute| match execute.kind {
            Kind::Csr | Kind::IllegalCsr => behind,
            Kind::Wait => !self.woken,
            _ => false,
        })
    }

    /// A register that decode reads cannot be bypassed yet.
    fn hazard(&self) -> bool {
        // A store writes a register if it is conditional.
        let late_in_memory = |kind: Kind| matches!(kind, Kind::Load | Kind::Store | Kind::Multiply);
        let late_in_execute = |kind: Kind| {
            late_in_memory(kind)
                || matches!(kind, Kind::Csr | Kind::IllegalCsr | Kind::Divide | Kind::Shift(_))
        };
        self.stages.misses_result(late_in_execute, late_in_memory)
    }

    /// The redirection of the fetch in this cycle. In order of precedence: an access to retry, a trap, a mispredicted branch, a failed
    /// fetch, a prediction, which holds as long as decode is stuck.
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
        let again = self.fetch.redo(&self.stages);
        again.or_else(|| self.stages.decode.and_then(|decode| decode.predicted))
    }

    /// Whether the fetch stages are flushed.
    fn flushes(&self, decision: &Decision) -> bool {
        let predicts = self
            .stages
            .decode
            .is_some_and(|decode| decode.predicted.is_some());
        decision.flush || predicts && !decision.stuck[0] || self.fetch.redo(&self.stages).is_some()
    }
}

impl Memoizable for Precursor {
    const STORES_COLLIDE: bool = true;
    const ASKS_IN_ORDER: bool = true;
    const RELEVANT_OPERAND: RelevantOperand = RelevantOperand::Nothing;

    fn clock(&mut self, supply: &mut impl Supply) -> Option<InFlight> {
        let asked = self.fetch.asks();
        let located = asked.map_or(Located::at(0), |pc| supply.locate_fetch(pc));
        let memory = self.stages.memory.filter(InFlight::accesses);
        let data = memory
            .map(|access| access.address)
            .filter(|&address| supply.lacks_translation(address));
        let mut seen = self.seen();
        let answer = self.data.answer(&seen);
        let pending = supply.is_interrupted();
        let interrupt = self.interrupts.jumps(&self.stages);
        let halts = self.halts(&answer, interrupt);
        let decision = self.stages.decide(halts);
        self.attribute(&halts, &decision);
        let flush = self.flushes(&decision);
        self.interrupts.clock(&decision, flush, pending);
        self.woken = supply.is_woken();
        let begins = self.walker.begins(&self.stages, &answer, &decision);
        seen.execute = begins.or(seen.execute);
        let waits = self.walker.halts_fetch();
        self.data.clock(&answer, &decision, &seen, data.is_some(), supply);
        let [_, _, memory_stuck] = decision.stuck;
        if halts.memory {
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
        let unknown = Unknown {
            fetch: asked.filter(|_| located.physical.is_none()),
            data,
        };
        self.walker
            .clock(begins.is_some(), &answer, &decision, unknown, supply);
        let entering = self.fetch.clock(&decision, given, &self.stages, flush, supply);
        self.stages.execute_leaving(&decision, &mut self.astray, supply);
        let fences = |last: InFlight| last.kind == Kind::FlushTranslations;
        if self.stages.write_back.is_some_and(fences) {
            supply.forget_translations();
        }
        let next = entering.map(|(pc, physical)| supply.decode_at(pc, physical));
        self.stages.misplace(&decision);
        self.stages.clock(&decision, next);
        retires
    }

    fn lost(&self) -> Option<Rule> {
        self.stages.lost()
    }

    fn fetch_pc(&self) -> u32 {
        self.fetch.pc()
    }

    fn under_way(&self) -> usize {
        under_way(&self.stages)
    }

    fn is_quiet(&self) -> bool {
        self.is_calm()
            && !self.interrupts.valid
            && goes_straight(&self.stages)
            && self.data.is_quiet(&self.stages)
    }

    fn is_calm(&self) -> bool {
        !self.fetch.lines().flushes() && !self.data.flushes() && self.walker.is_idle()
    }

    fn stripped(&mut self, class: &impl Fn(u32) -> u32) -> Self {
        let mut tags = [Tags::default(), Tags::default()];
        self.swap_tags(&mut tags);
        let mut stripped = self.clone();
        self.swap_tags(&mut tags);
        strip(&mut stripped.stages, Self::RELEVANT_OPERAND, class);
        stripped.data.strip();
        stripped.fetch.lines_mut().strip();
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
        self.fetch.lines().has(line)
    }

    fn fetched(&self) -> Option<u32> {
        self.fetch.asks()
    }

    fn fetch_changes(&self) -> u64 {
        self.fetch.lines().changes()
    }

    fn waiting(&self) -> Option<u32> {
        self.data.waiting()
    }

    fn wait_for(&mut self, address: u32) {
        self.data.wait_for(address);
    }

    fn loading_fetched(&self) -> Option<u32> {
        self.fetch.lines().loading()
    }

    fn hold_fetched(&mut self, line: u32, later: u8) {
        self.fetch.lines_mut().hold(line, later);
    }

    fn came_later(&self, line: u32, turns: u64) -> u8 {
        self.fetch.lines().tags().way_from(line, turns)
    }

    fn compete(&self, one: u32, other: u32) -> bool {
        self.fetch.lines().tags().share_place(one, other)
    }

    fn turns(&self) -> [u64; 2] {
        [self.fetch.lines().tags().turns(), self.data.turns()]
    }

    fn turn_by(&mut self, [fetch, data]: [u32; 2]) {
        self.fetch.lines_mut().turn_by(fetch);
        self.data.turn_by(data);
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

impl Precursor {
    fn swap_tags(&mut self, tags: &mut [Tags; 2]) {
        let [instructions, data] = tags;
        self.fetch.lines_mut().swap_tags(instructions);
        self.data.swap_tags(data);
    }
}
