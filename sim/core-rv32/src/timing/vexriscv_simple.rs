//! `VexRiscv` without caches, bypasses and prediction (`vexriscv-min`): a fetch that requests one word at a time, five stages, and a data
//! port that takes one access at a time.
//!
//! Every signal is that of the Verilog in the same cycle: the model is clocked as the Verilog is.

use super::Supply;
use super::arbiter::{Decision, Halts, Stages};
use super::in_flight::InFlight;
use super::interrupts::Interrupts;
use super::memoizable::{AccessPlace, Memoizable, RelevantOperand, goes_straight, restore, strip, under_way};
use super::port::Port;
use super::rules::{Rule, RuleSet};
use super::units::{Units, bad_access};
use super::walk::{Walk, WalkInputs};

/// Requests that the fetch may have under way (`pending_value` has three bits).
const MOST_PENDING: u8 = 7;

/// The prefetch: an address, requests under way, and a response that may wait.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a register of the Verilog
struct SimpleFetch {
    walk: Walk,
    pending: u8,
    /// Outstanding responses to discard.
    discard: u8,
    /// A response that came too early for its stage.
    buffered: bool,
}

/// The pipeline's registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VexRiscvSimple {
    fetch: SimpleFetch,
    instructions: Port,
    units: Units,
    stages: Stages,
    interrupts: Interrupts,
    /// The register that was written in the cycle before: it cannot be read yet.
    just_written: u8,
    /// Current fetches will not be executed.
    astray: bool,
}

impl VexRiscvSimple {
    /// As it comes out of reset, at `pc`.
    pub fn new(pc: u32) -> VexRiscvSimple {
        VexRiscvSimple {
            fetch: SimpleFetch {
                walk: Walk::new(pc),
                pending: 0,
                discard: 0,
                buffered: false,
            },
            instructions: Port::default(),
            units: Units::default(),
            stages: Stages::default(),
            interrupts: Interrupts::default(),
            just_written: 0,
            astray: false,
        }
    }

    /// The address that is fetched in this cycle.
    pub fn fetch_pc(&self) -> u32 {
        self.fetch.walk.pc
    }

    /// The rule by which the cycle that was clocked last is lost; none if something retired in it.
    pub fn lost(&self) -> Option<Rule> {
        self.stages.lost()
    }

    /// Clocks one cycle. Returns the instruction that retires in it.
    pub fn clock(&mut self, supply: &mut impl Supply) -> Option<InFlight> {
        let retires = self.stages.write_back;
        let busy = self.units.busy(&self.stages);
        let pending = supply.is_interrupted();
        let (held, interrupt) = (
            self.interrupts.holds(&self.stages),
            self.interrupts.jumps(&self.stages),
        );
        let halts = Halts {
            decode: self.hazard() || self.stages.returns() || held,
            execute: busy.execute,
            memory: busy.memory,
            interrupt,
            memory_fault: bad_access(&self.stages),
            slow: [self.instructions.is_slow(), self.units.is_slow()],
            ..Halts::default()
        };
        let decision = self.stages.decide(halts);
        let keeps = held.then_some(Rule::Interrupt);
        self.stages.attribute(&halts, &decision, keeps, RuleSet::NONE);
        self.interrupts.clock(held, interrupt, &decision, pending);
        let removed = [decision.execute_flushed, decision.remove[1]];
        self.units.clock(busy, &self.stages, busy.memory, removed, supply);
        let jump = self.jump(&decision, supply);
        let entering = self.clock_fetch(&decision, jump, supply);
        self.just_written = retires.map_or(0, |retired| retired.writes);
        self.stages.execute_leaving(&decision, &mut self.astray, supply);
        let next = entering.map(|pc| InFlight {
            predicted: None,
            ..supply.decode(pc)
        });
        self.stages.clock(&decision, next);
        retires
    }

    /// A register that decode reads is still to be written, or was written in the cycle before.
    fn hazard(&self) -> bool {
        let Some(decode) = self.stages.decode else {
            return false;
        };
        let stages = [self.stages.execute, self.stages.memory, self.stages.write_back];
        let written = stages.into_iter().flatten().map(|in_flight| in_flight.writes);
        let mut late = written
            .chain([self.just_written])
            .filter(|&register| register != 0);
        late.any(|register| decode.reads.contains(&register))
    }

    /// The redirection of the fetch in this cycle. A trap takes precedence over a branch.
    fn jump(&mut self, decision: &Decision, supply: &mut impl Supply) -> Option<u32> {
        if let Some(switch) = decision.traps {
            self.astray = false;
            return Some(switch.target(supply));
        }
        let jump = self.stages.memory.and_then(|memory| memory.jump)?;
        self.astray &= jump.misaligned;
        Some(jump.target)
    }

    /// The fetch's part of a cycle; gives the address of what enters the decode stage if that is not stuck.
    fn clock_fetch(
        &mut self,
        decision: &Decision,
        jump: Option<u32>,
        supply: &mut impl Supply,
    ) -> Option<u32> {
        let answered = self.instructions.acknowledged();
        let port_ready = answered || !self.instructions.asks;
        let fetch = &mut self.fetch;
        let step = if fetch.walk.increment { 4 } else { 0 };
        let address = jump.unwrap_or(fetch.walk.pc.wrapping_add(step)) & !3;
        let wants = !decision.halt_fetch && fetch.walk.booted;
        let has_response = fetch.buffered || answered;
        let joined = fetch.walk.fetching && has_response && fetch.discard == 0;
        let decode_ready = !decision.stuck[0];
        let moves = if fetch.walk.fetching {
            joined && decode_ready
        } else {
            decode_ready
        };
        let taken = joined && decode_ready;
        let drops = fetch.discard != 0 || decision.flush;
        let popped = has_response && (taken || drops);
        let can_ask = moves && fetch.pending != MOST_PENDING;
        let asks = wants && can_ask;
        let asked = asks && port_ready;
        let halted = wants && !asked;
        let entering = (joined && !decision.flush && decode_ready).then_some(fetch.walk.pc);

        let discarded = u8::from(has_response && fetch.discard != 0);
        fetch.discard = if decision.flush {
            fetch.pending - u8::from(popped)
        } else {
            fetch.discard - discarded
        };
        fetch.pending = fetch.pending + u8::from(asked) - u8::from(popped);
        if answered != popped {
            fetch.buffered = answered;
        }
        fetch.walk.clock(WalkInputs {
            address,
            corrects: jump.is_some(),
            moves,
            halted,
            wants,
            flush: decision.flush,
        });
        if asked {
            self.instructions.aim(supply.fetch_latency(address, 1));
        }
        let still_asks = if port_ready { asks } else { true };
        self.instructions.clock(answered, still_asks, false);
        entering
    }
}

impl Memoizable for VexRiscvSimple {
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
        self.interrupts == Interrupts::default() && goes_straight(&self.stages)
    }

    fn stripped(&mut self, class: &impl Fn(u32) -> u32) -> Self {
        let mut stripped = *self;
        strip(&mut stripped.stages, Self::RELEVANT_OPERAND, class);
        stripped.units.strip();
        stripped
    }

    fn resume(&mut self, stripped: &Self, places: &[AccessPlace], _: u32) {
        *self = *stripped;
        restore(&mut self.stages, places);
    }
}
