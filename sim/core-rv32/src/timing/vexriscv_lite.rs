//! `VexRiscv` with an instruction cache, bypasses and static prediction, without a data cache (`vexriscv-lite`).
//!
//! Every signal is that of the Verilog in the same cycle. The fetch has three stages of its own: the address, the cache's
//! tag, and the instruction, which is the decode stage. A miss is noticed there; the line is loaded and the fetch done
//! again, even if the instruction was not wanted.

use super::Supply;
use super::arbiter::{Decision, Halts, Stages};
use super::interrupts::Interrupts;
use super::lines::{Cycle, Lines};
use super::passage::{Kind, Passage};
use super::units::Units;

/// Cycles that a multiplication and a division stay in the memory stage beyond the first.
const MULTIPLY: u8 = 32;
const DIVIDE: u8 = 33;

/// The pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a register of the Verilog
pub struct Lite {
    pc: u32,
    /// The next address is the one behind `pc`.
    increment: bool,
    booted: bool,
    /// The address `pc` is in the stage that compares the tag.
    fetching: bool,
    /// An address whose instruction the cache does not have.
    missed: Option<u32>,
    lines: Lines,
    units: Units,
    /// Steps of a multiplication or division under way.
    steps: u8,
    stages: Stages,
    interrupts: Interrupts,
    /// What is fetched now will not be executed.
    astray: bool,
}

impl Lite {
    /// As it comes out of reset, at `pc`.
    pub fn new(pc: u32) -> Lite {
        Lite {
            pc,
            increment: false,
            booted: false,
            fetching: false,
            missed: None,
            lines: Lines::new(),
            units: Units::default(),
            steps: 0,
            stages: Stages::default(),
            interrupts: Interrupts::default(),
            astray: false,
        }
    }

    /// The address that is fetched in this cycle.
    pub fn fetch_pc(&self) -> u32 {
        self.pc
    }

    /// One cycle. Gives the instruction that retires in it.
    pub fn clock(&mut self, supply: &mut impl Supply) -> Option<Passage> {
        let retires = self.stages.write_back;
        let busy = self.units.busy(&self.stages);
        let computes = self.computes();
        let memory_stuck = busy.memory || computes;
        let pending = supply.is_interrupted();
        let (held, interrupt) = (
            self.interrupts.holds(&self.stages),
            self.interrupts.jumps(&self.stages),
        );
        let decision = self.stages.decide(Halts {
            decode: self.hazard() || self.stages.returns() || held,
            execute: busy.execute,
            memory: memory_stuck,
            interrupt,
        });
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
        let entering = self.clock_fetch(&decision, jump, supply);
        self.stages.execute_leaving(&decision, &mut self.astray, supply);
        let next = entering.map(|pc| supply.decode(pc));
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
        let Some(decode) = self.stages.decode else {
            return false;
        };
        // That JAL and JALR can be bypassed from the execute stage and not from the memory stage is what the Verilog's
        // decoder makes of a case that its authors left open.
        let late_in_memory = |kind: Kind| matches!(kind, Kind::Load | Kind::Link);
        let late_in_execute =
            |kind: Kind| matches!(kind, Kind::Load | Kind::Csr | Kind::Multiply | Kind::Divide);
        let execute = self
            .stages
            .execute
            .filter(|execute| late_in_execute(execute.kind));
        let memory = self.stages.memory.filter(|memory| late_in_memory(memory.kind));
        let written = [execute, memory]
            .into_iter()
            .flatten()
            .map(|passage| passage.writes);
        let mut late = written.filter(|&register| register != 0);
        late.any(|register| decode.reads.contains(&register))
    }

    /// Where the fetch is sent in this cycle: by a trap, else by a branch that went another way than was predicted, else by
    /// a prediction, which insists as long as decode is stuck.
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

    /// The fetch's part of a cycle; gives the address of what enters the decode stage if that is not stuck.
    fn clock_fetch(
        &mut self,
        decision: &Decision,
        jump: Option<u32>,
        supply: &mut impl Supply,
    ) -> Option<u32> {
        let decode_stuck = decision.stuck[0];
        let decode = self.stages.decode;
        let redo = self.missed;
        let flush_all = decode.is_some_and(|decode| decode.kind == Kind::FlushInstructions);
        let predicts = decode.is_some_and(|decode| decode.predicted.is_some());
        let flush = decision.decode_removed || predicts && !decode_stuck || redo.is_some();
        let corrects = jump.is_some() || redo.is_some();
        let step = if self.increment { 4 } else { 0 };
        let address = jump.or(redo).unwrap_or(self.pc.wrapping_add(step)) & !3;
        let wants = !decision.halt_fetch && self.booted;
        let moves = redo.is_none() && !decode_stuck;
        let halted = self.lines.halts(flush_all);
        let ready = moves && !halted;

        let arrives = (moves && self.fetching && !flush).then_some(self.pc);
        let hit = arrives.filter(|&pc| self.lines.hits(pc));
        self.lines.clock(Cycle {
            prefetch: moves.then_some(address),
            fill: redo.map(|pc| (pc, supply.fetch_latency(pc & !31))),
            flush: flush_all,
            fetching: self.fetching,
            was_loading: self.lines.is_loading(),
        });
        self.missed = arrives.filter(|_| hit.is_none());
        if corrects || moves {
            self.increment = false;
        }
        if ready {
            self.increment = wants;
        }
        if self.booted && (ready || corrects || moves) {
            self.pc = address;
        }
        if flush {
            self.fetching = false;
        }
        if moves {
            self.fetching = wants && !halted;
        }
        self.booted = true;
        hit
    }
}
