//! The fetch of `VexRiscv`'s variants with an instruction cache: the address, the cache's tag, and the instruction, which
//! is the decode stage. A miss is noticed there; the line is loaded and the fetch done again, even if the instruction was
//! not wanted. Source: the Verilog's `IBusCachedPlugin_*`.

use super::Supply;
use super::arbiter::{Decision, Stages};
use super::lines::{Cycle, Lines, WORDS};
use super::passage::Kind;
use super::walk::{Step, Walk};

/// A fetch, in front of the decode stage.
pub(crate) trait Front: Clone + Eq + std::hash::Hash {
    /// The address that is fetched in this cycle.
    fn pc(&self) -> u32;

    /// No line is loaded, asked for or emptied.
    fn is_calm(&self) -> bool;

    /// Its cache.
    fn lines(&mut self) -> &mut Lines;

    /// What the cache has where this line would be.
    fn at(&self, line: u32) -> Option<u32>;

    /// One cycle. `jump` is where the fetch is sent. Gives the address of what enters the decode stage if that is not stuck.
    fn clock(
        &mut self,
        decision: &Decision,
        jump: Option<u32>,
        stages: &Stages,
        supply: &mut impl Supply,
    ) -> Option<u32>;
}

/// The fetch.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Fetch {
    walk: Walk,
    /// An address whose instruction the cache does not have.
    missed: Option<u32>,
    lines: Lines,
}

impl Fetch {
    /// As it comes out of reset, at `pc`, with a cache of so many lines.
    pub(crate) fn new(pc: u32, lines: u8) -> Fetch {
        Fetch {
            walk: Walk::new(pc),
            missed: None,
            lines: Lines::new(lines),
        }
    }
}

impl Front for Fetch {
    fn pc(&self) -> u32 {
        self.walk.pc
    }

    fn is_calm(&self) -> bool {
        self.missed.is_none() && self.lines.is_calm()
    }

    fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }

    fn at(&self, line: u32) -> Option<u32> {
        self.lines.at(line)
    }

    fn clock(
        &mut self,
        decision: &Decision,
        jump: Option<u32>,
        stages: &Stages,
        supply: &mut impl Supply,
    ) -> Option<u32> {
        let decode_stuck = decision.stuck[0];
        let decode = stages.decode;
        let redo = self.missed;
        let flush_all = decode.is_some_and(|decode| decode.kind == Kind::FlushInstructions);
        let predicts = decode.is_some_and(|decode| decode.predicted.is_some());
        let flush = decision.decode_removed || predicts && !decode_stuck || redo.is_some();
        let corrects = jump.is_some() || redo.is_some();
        let step = if self.walk.increment { 4 } else { 0 };
        let address = jump.or(redo).unwrap_or(self.walk.pc.wrapping_add(step)) & !3;
        let wants = !decision.halt_fetch && self.walk.booted;
        let moves = redo.is_none() && !decode_stuck;
        let halted = self.lines.halts(flush_all);

        let arrives = (moves && self.walk.fetching && !flush).then_some(self.walk.pc);
        let hit = arrives.filter(|&pc| self.lines.hits(pc));
        self.lines.clock(Cycle {
            prefetch: moves.then_some(address),
            fill: redo.map(|pc| (pc, supply.fetch_latency(pc & !31, WORDS))),
            flush: flush_all,
            fetching: self.walk.fetching,
            was_loading: self.lines.is_loading(),
        });
        self.missed = arrives.filter(|_| hit.is_none());
        self.walk.clock(Step {
            address,
            corrects,
            moves,
            halted,
            wants,
            flush,
        });
        hit
    }
}
