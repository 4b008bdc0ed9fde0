//! The fetch of `VexRiscv`'s variants with an instruction cache: the address, the cache's tag, and the instruction, which
//! is the decode stage. A miss is noticed there; the line is loaded and the fetch done again, even if the instruction was
//! not wanted. Source: the Verilog's `IBusCachedPlugin_*`.

use super::arbiter::{Decision, Stages};
use super::lines::{Cycle, Lines, WORDS};
use super::walk::{Walk, WalkInputs};
use super::{Located, Rights, Supply};

/// A fetch, in front of the decode stage.
pub(crate) trait Front: Clone + Eq + std::hash::Hash + Send + Sync + 'static {
    /// Whether a jump also sets the address of what is in the decode stage (`IBusCachedPlugin_decodePc_pcReg`).
    const MOVES_DECODE_PC: bool;

    /// The address that is fetched in this cycle.
    fn pc(&self) -> u32;

    /// The line that its cache loads.
    fn loading(&self) -> Option<u32>;

    /// Its cache.
    fn lines(&mut self) -> &mut Lines;

    /// Whether its cache is emptied, or will be.
    fn flushes(&self) -> bool;

    /// Whether its cache has this line.
    fn has(&self, line: u32) -> bool;

    /// How often its cache had other lines.
    fn changes(&self) -> u64;

    /// The address whose translation is asked for in this cycle.
    fn asks(&self) -> Option<u32>;

    /// The address of what is in the decode stage, or comes next.
    fn decode_pc(&self) -> u32;

    /// Whether the next instruction for the decode stage must not be fetched.
    fn is_refused(&self) -> bool;

    /// Clocks one cycle. Returns the address and bus address of the instruction that enters the decode stage, unless that is stuck.
    fn clock(
        &mut self,
        decision: &Decision,
        given: Given,
        stages: &Stages,
        supply: &mut impl Supply,
    ) -> Option<(u32, u32)>;
}

/// Inputs of the fetch in a cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    /// The address that it is redirected to.
    pub jump: Option<u32>,
    /// The bus address and rights of the address that it requests.
    pub located: Located,
    /// Whether it waits for a translation.
    pub waits: bool,
}

impl Given {
    /// A possible redirection, without translation of the requested `pc`.
    pub(crate) fn plainly(jump: Option<u32>, pc: u32) -> Given {
        Given {
            jump,
            located: Located::at(pc),
            waits: false,
        }
    }
}

/// A failed fetch, in place of an instruction at the decode stage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Failure {
    /// The cache does not have it; where it is on the bus.
    Missed(u32),
    /// Its translation is not known.
    Unknown,
    /// The fetch is not permitted.
    Refused,
}

/// The fetch unit.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Fetch {
    walk: Walk,
    /// `stages_1_output_m2sPipe_payload`: the address of what is in the decode stage, or was to be.
    decode_pc: u32,
    failure: Option<Failure>,
    lines: Lines,
}

impl Fetch {
    /// The fetch unit out of reset, at `pc`, with a cache of `lines` lines.
    pub(crate) fn new(pc: u32, lines: u8) -> Fetch {
        Fetch {
            walk: Walk::new(pc),
            decode_pc: pc,
            failure: None,
            lines: Lines::new(lines, 1),
        }
    }
}

impl Front for Fetch {
    const MOVES_DECODE_PC: bool = false;

    fn pc(&self) -> u32 {
        self.walk.pc
    }

    fn loading(&self) -> Option<u32> {
        self.lines.loading()
    }

    fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }

    fn flushes(&self) -> bool {
        self.lines.flushes()
    }

    fn has(&self, line: u32) -> bool {
        self.lines.has(line)
    }

    fn changes(&self) -> u64 {
        self.lines.changes()
    }

    fn asks(&self) -> Option<u32> {
        self.walk.fetching.then_some(self.walk.pc)
    }

    fn decode_pc(&self) -> u32 {
        self.decode_pc
    }

    fn is_refused(&self) -> bool {
        self.failure == Some(Failure::Refused)
    }

    fn clock(
        &mut self,
        decision: &Decision,
        given: Given,
        stages: &Stages,
        supply: &mut impl Supply,
    ) -> Option<(u32, u32)> {
        let decode_stuck = decision.stuck[0];
        let (jump, decode) = (given.jump, stages.decode);
        let again = self.failure.filter(|&failure| failure != Failure::Refused);
        let redo = again.map(|_| self.decode_pc);
        let flush_all = decode.is_some_and(|decode| decode.flushes);
        let predicts = decode.is_some_and(|decode| decode.predicted.is_some());
        let flush = decision.decode_removed || predicts && !decode_stuck || redo.is_some();
        let corrects = jump.is_some() || redo.is_some();
        let step = if self.walk.increment { 4 } else { 0 };
        let address = jump.or(redo).unwrap_or(self.walk.pc.wrapping_add(step)) & !3;
        let wants = !decision.halt_fetch && self.walk.booted;
        let leaves = self.failure.is_none() && !decode_stuck;
        let moves = leaves && !given.waits;
        let halted = self.lines.halts(flush_all);

        let arrives = (moves && self.walk.fetching && !flush).then_some(self.walk.pc);
        let came = arrives.map(|pc| self.arrived(pc, given.located));
        self.lines.clock(Cycle {
            prefetch: moves.then_some(address),
            fill: match self.failure {
                Some(Failure::Missed(line)) => Some((line, supply.fetch_latency(line & !31, WORDS))),
                _ => None,
            },
            flush: flush_all,
            fetching: self.walk.fetching,
            was_loading: self.lines.is_loading(),
        });
        self.failure = came.and_then(Result::err);
        if leaves {
            self.decode_pc = self.walk.pc;
        }
        self.walk.clock(WalkInputs {
            address,
            corrects,
            moves,
            halted,
            wants,
            flush,
        });
        came.and_then(Result::ok)
    }
}

impl Fetch {
    /// The result of fetching `pc`: its address and bus address.
    fn arrived(&self, pc: u32, located: Located) -> Result<(u32, u32), Failure> {
        let Some(physical) = located.physical else {
            return Err(Failure::Unknown);
        };
        match located.rights {
            Rights::NotInPage => Err(Failure::Refused),
            _ if !self.lines.hits(physical) => Err(Failure::Missed(physical)),
            Rights::NotInRegion => Err(Failure::Refused),
            Rights::Granted => Ok((pc, physical)),
        }
    }
}
