//! `VexRiscv` with an instruction cache, bypasses and static prediction, without a data cache (`vexriscv-lite`).
//!
//! Every signal is that of the Verilog in the same cycle.

use super::Supply;
use super::arbiter::{Decision, Halts, Stages};
use super::fetch::{Fetch, Front as _, Given};
use super::in_flight::{InFlight, Kind};
use super::interrupts::Interrupts;
use super::memoizable::{AccessPlace, Memoizable, RelevantOperand, goes_straight, restore, strip, under_way};
use super::rules::Rule;
use super::tags::Tags;
use super::units::{Units, bad_access};

/// Lines of its instruction cache, of 2 KiB.
const LINES: u8 = 64;

/// Cycles that a multiplication and a division stay in the memory stage beyond the first.
const MULTIPLY: u8 = 32;
const DIVIDE: u8 = 33;

/// The pipeline's registers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VexRiscvLite {
    fetch: Fetch,
    units: Units,
    /// Steps of a multiplication or division under way.
    steps: u8,
    stages: Stages,
    interrupts: Interrupts,
    /// Current fetches will not be executed.
    astray: bool,
}

impl VexRiscvLite {
    /// As it comes out of reset, at `pc`.
    pub fn new(pc: u32) -> VexRiscvLite {
        VexRiscvLite {
            fetch: Fetch::new(pc, LINES),
            units: Units::default(),
            steps: 0,
            stages: Stages::default(),
            interrupts: Interrupts::default(),
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
        let retires = self.stages.write_back;
        let busy = self.units.busy(&self.stages);
        let computes = self.computes();
        let memory_stuck = busy.memory || computes;
        let pending = supply.is_interrupted();
        let (held, interrupt) = (
            self.interrupts.holds(&self.stages),
            self.interrupts.jumps(&self.stages),
        );
        let halts = Halts {
            decode: self.hazard() || self.stages.returns() || held,
            execute: busy.execute,
            memory: memory_stuck,
            interrupt,
            memory_fault: bad_access(&self.stages),
            slow: [self.fetch.lines().is_slow(), self.units.is_slow()],
            ..Halts::default()
        };
        let decision = self.stages.decide(halts);
        let keeps = held.then_some(Rule::Interrupt);
        self.stages
            .attribute(&halts, &decision, keeps, self.fetch.lines().waits());
        self.interrupts.clock(held, interrupt, &decision, pending);
        let removed = [decision.execute_flushed, decision.remove[1]];
        self.units
            .clock(busy, &self.stages, memory_stuck, removed, supply);
        self.steps = if computes {
            self.steps + 1
        } else if memory_stuck {
            self.steps
        } else {
            0
        };
        let jump = self.jump(&decision, supply);
        let given = Given::plainly(jump, self.fetch.pc());
        let entering = self.fetch.clock(&decision, given, &self.stages, supply);
        self.stages.execute_leaving(&decision, &mut self.astray, supply);
        let next = entering.map(|(pc, _)| supply.decode(pc));
        self.stages.clock(&decision, next);
        retires
    }

    /// A multiplication or division is not done yet.
    fn computes(&self) -> bool {
        self.stages.memory.is_some_and(|memory| match memory.kind {
            Kind::Multiply => self.steps < MULTIPLY,
            Kind::Divide => self.steps < DIVIDE,
            _ => false,
        })
    }

    /// A register that decode reads cannot be bypassed yet.
    fn hazard(&self) -> bool {
        // JAL and JALR can be bypassed from the execute stage, not from the memory stage: so the Verilog's decoder resolves a case that its
        // authors left open.
        let late_in_memory = |kind: Kind| matches!(kind, Kind::Load | Kind::Link);
        let late_in_execute =
            |kind: Kind| matches!(kind, Kind::Load | Kind::Csr | Kind::Multiply | Kind::Divide);
        self.stages.misses_result(late_in_execute, late_in_memory)
    }

    /// The redirection of the fetch in this cycle. In order of precedence: a trap, a mispredicted branch, a prediction, which holds as long
    /// as decode is stuck.
    fn jump(&mut self, decision: &Decision, supply: &mut impl Supply) -> Option<u32> {
        if let Some(switch) = decision.traps {
            self.astray = false;
            return Some(switch.target(supply));
        }
        if let Some(jump) = self.stages.memory.and_then(|memory| memory.jump) {
            self.astray &= jump.misaligned;
            return Some(jump.target);
        }
        self.stages.decode.and_then(|decode| decode.predicted)
    }
}

impl Memoizable for VexRiscvLite {
    const RELEVANT_OPERAND: RelevantOperand = RelevantOperand::Amount;

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
        self.is_calm() && self.interrupts == Interrupts::default() && goes_straight(&self.stages)
    }

    fn is_calm(&self) -> bool {
        !self.fetch.flushes()
    }

    fn stripped(&mut self, class: &impl Fn(u32) -> u32) -> Self {
        let mut tags = Tags::default();
        self.fetch.lines().swap_tags(&mut tags);
        let mut stripped = self.clone();
        self.fetch.lines().swap_tags(&mut tags);
        strip(&mut stripped.stages, Self::RELEVANT_OPERAND, class);
        stripped.units.strip();
        stripped
    }

    fn resume(&mut self, stripped: &Self, places: &[AccessPlace], _: u32) {
        let mut tags = Tags::default();
        self.fetch.lines().swap_tags(&mut tags);
        self.clone_from(stripped);
        self.fetch.lines().swap_tags(&mut tags);
        restore(&mut self.stages, places);
    }

    fn fetches(&self, line: u32) -> bool {
        self.fetch.has(line)
    }

    fn fetch_changes(&self) -> u64 {
        self.fetch.changes()
    }

    fn loading_fetched(&self) -> Option<u32> {
        self.fetch.loading()
    }

    fn hold_fetched(&mut self, line: u32, later: u8) {
        self.fetch.lines().hold(line, later);
    }
}
