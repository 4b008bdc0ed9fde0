//! `VexRiscv` without caches, bypasses and prediction (`vexriscv-min`): five stages behind a fetch that asks for words one
//! after the other, and a data port that takes one access at a time.
//!
//! Every signal is that of the Verilog in the same cycle: the model is clocked as the Verilog is.

use super::arbiter::{Halts, Stages};
use super::passage::{Kind, Passage};
use super::{Latency, Supply};

/// Requests that the fetch may have under way (`pending_value` has three bits).
const MOST_PENDING: u8 = 7;

/// One Wishbone master.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
struct Port {
    /// A transfer is asked for.
    asks: bool,
    /// For so many cycles so far.
    waited: u32,
}

impl Port {
    fn acknowledged(self, latency: Latency) -> bool {
        self.asks && self.waited >= latency.first
    }

    /// The end of a cycle; a transfer is asked for in the next one.
    fn clock(&mut self, acknowledged: bool, asks: bool) {
        self.waited = if self.asks && !acknowledged {
            self.waited + 1
        } else {
            0
        };
        self.asks = asks;
    }
}

/// The prefetch: an address, requests under way, and a response that may wait.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a register of the Verilog
struct Fetch {
    pc: u32,
    /// The next address is the one behind `pc`.
    increment: bool,
    booted: bool,
    /// An address waits for its response.
    waiting: bool,
    pending: u8,
    /// Responses to come that nobody wants any more.
    discard: u8,
    /// A response that came too early for its stage.
    buffered: bool,
}

/// The pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Simple {
    latency: Latency,
    fetch: Fetch,
    instructions: Port,
    data: Port,
    data_writes: bool,
    stages: Stages,
    /// What is left of a shift under way.
    shifting: Option<u8>,
    /// The register that was written in the cycle before: it cannot be read yet.
    just_written: u8,
}

impl Simple {
    /// As it comes out of reset, at `pc`.
    pub fn new(pc: u32, latency: Latency) -> Simple {
        Simple {
            latency,
            fetch: Fetch {
                pc,
                increment: false,
                booted: false,
                waiting: false,
                pending: 0,
                discard: 0,
                buffered: false,
            },
            instructions: Port::default(),
            data: Port::default(),
            data_writes: false,
            stages: Stages::default(),
            shifting: None,
            just_written: 0,
        }
    }

    /// The address that is fetched in this cycle.
    pub fn fetch_pc(&self) -> u32 {
        self.fetch.pc
    }

    /// One cycle. Gives the instruction that retires in it.
    pub fn clock(&mut self, supply: &mut impl Supply) -> Option<Passage> {
        let retires = self.stages.write_back;
        let data_done = self.data.acknowledged(self.latency);
        let halts = self.halts(data_done);
        let decision = self.stages.decide(halts);
        let starts_access = self.starts_access(halts.memory, decision.execute_flushed);
        self.clock_shift(halts.memory, decision.remove[1]);
        let jump = self.jump(&decision, supply);
        let next = self.clock_fetch(&decision, jump, supply);
        self.data_writes = if starts_access && !self.data.asks {
            self.stages
                .execute
                .is_some_and(|execute| execute.kind == Kind::Store)
        } else {
            self.data_writes
        };
        let still_asks = (self.data.asks || starts_access) && !data_done;
        self.data.clock(data_done, still_asks);
        self.just_written = retires.map_or(0, |retired| retired.writes);
        self.stages.clock(&decision, next);
        retires
    }

    fn halts(&self, data_done: bool) -> Halts {
        let loaded = data_done && !self.data_writes;
        let Stages {
            execute,
            memory,
            write_back,
            ..
        } = self.stages;
        let returns = |stage: Option<Passage>| stage.is_some_and(|passage| passage.kind == Kind::Return);
        let executes = execute.is_some_and(|passage| match passage.kind {
            Kind::Load | Kind::Store => self.data.asks && !passage.misaligned,
            Kind::Shift(amount) => amount != 0 && self.shifting.unwrap_or(amount) > 1,
            Kind::Csr => memory.is_some() || write_back.is_some(),
            _ => false,
        });
        Halts {
            decode: self.hazard() || [execute, memory, write_back].into_iter().any(returns),
            execute: executes,
            memory: memory.is_some_and(|passage| passage.kind == Kind::Load && !loaded),
        }
    }

    /// A register that decode reads is still to be written, or was written in the cycle before.
    fn hazard(&self) -> bool {
        let Some(decode) = self.stages.decode else {
            return false;
        };
        let stages = [self.stages.execute, self.stages.memory, self.stages.write_back];
        let written = stages.into_iter().flatten().map(|passage| passage.writes);
        let mut late = written
            .chain([self.just_written])
            .filter(|&register| register != 0);
        late.any(|register| decode.reads.contains(&register))
    }

    fn starts_access(&self, memory_stuck: bool, flushed: bool) -> bool {
        let wants = self
            .stages
            .execute
            .is_some_and(|execute| execute.accesses() && !execute.misaligned);
        wants && !memory_stuck && !flushed
    }

    /// The shifter moves by one bit a cycle.
    fn clock_shift(&mut self, stuck_by_others: bool, removed: bool) {
        let amount = match self.stages.execute.map(|execute| execute.kind) {
            Some(Kind::Shift(amount)) if amount != 0 => amount,
            _ => 0,
        };
        if amount != 0 && !stuck_by_others {
            let left = self.shifting.unwrap_or(amount);
            self.shifting = (left > 1).then(|| left - 1);
        }
        if removed {
            self.shifting = None;
        }
    }

    /// Where the fetch is sent in this cycle. A trap goes before a branch.
    fn jump(&self, decision: &super::arbiter::Decision, supply: &mut impl Supply) -> Option<u32> {
        if decision.traps {
            let target = supply.trap_target();
            supply.redirected();
            return Some(target);
        }
        let jump = self
            .stages
            .memory
            .and_then(|memory| memory.jump)
            .filter(|_| decision.branches)?;
        if !jump.misaligned {
            supply.redirected();
        }
        Some(jump.target)
    }

    /// The fetch's part of a cycle; gives what enters the decode stage if that is not stuck.
    fn clock_fetch(
        &mut self,
        decision: &super::arbiter::Decision,
        jump: Option<u32>,
        supply: &mut impl Supply,
    ) -> Option<Passage> {
        let answered = self.instructions.acknowledged(self.latency);
        let port_ready = answered || !self.instructions.asks;
        let fetch = &mut self.fetch;
        let step = if fetch.increment { 4 } else { 0 };
        let address = jump.unwrap_or(fetch.pc.wrapping_add(step)) & !3;
        let wants = !decision.halt_fetch && fetch.booted;
        let has_response = fetch.buffered || answered;
        let joined = fetch.waiting && has_response && fetch.discard == 0;
        let decode_ready = !decision.stuck[0];
        let moves = if fetch.waiting {
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
        let ready = moves && !halted;
        let entering = (joined && !decision.flush && decode_ready).then_some(fetch.pc);

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
        if jump.is_some() || moves {
            fetch.increment = false;
        }
        if wants && ready {
            fetch.increment = true;
        }
        if !wants && ready {
            fetch.increment = false;
        }
        if fetch.booted && (ready || jump.is_some() || moves) {
            fetch.pc = address;
        }
        if decision.flush {
            fetch.waiting = false;
        }
        if moves {
            fetch.waiting = wants && !halted;
        }
        fetch.booted = true;
        let still_asks = if port_ready { asks } else { true };
        self.instructions.clock(answered, still_asks);
        entering.map(|pc| supply.instruction(pc))
    }
}
