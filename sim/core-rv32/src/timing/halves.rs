//! The fetch of `VexRiscv`'s variants with compressed instructions: the address, then the cache's tag and words, from which instructions
//! are assembled, and then the decode stage. A word with two compressed instructions stays for two cycles. The first half of an instruction
//! that begins in the upper half of a word is kept until the next word arrives. A miss shows with the tag. Source: the Verilog's
//! `IBusCachedPlugin_decompressor_*`.

use super::arbiter::{Decision, Stages};
use super::fetch::{Front, Given};
use super::lines::{Cycle, Lines, WORDS};
use super::walk::{Walk, WalkInputs};
use super::{Rights, Supply};

/// The fetch unit.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Halves {
    walk: Walk,
    /// `throw2BytesReg`: the lower half of that word was used.
    lower_used: bool,
    /// The first half of an instruction, from the word before.
    kept: Option<u16>,
    /// The bus address of that half.
    kept_at: u32,
    /// Instead of an instruction a refusal is in the decode stage.
    refused: bool,
    /// `decodePc_pcReg`: the address of what is in the decode stage, or comes next.
    decode_pc: u32,
    lines: Lines,
}

/// The result of a fetch in a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FetchResult {
    /// There was no fetch.
    Nothing,
    /// It waits for a translation.
    Later,
    Word,
    Missed,
    Refusal,
}

/// The result of assembling words in a cycle.
struct JoinedWords {
    /// An instruction is whole.
    whole: bool,
    /// The word is used up.
    used: bool,
    lower_used: bool,
    kept: Option<u16>,
}

impl Halves {
    /// The fetch unit out of reset, at `pc`, with a cache of `lines` lines.
    pub(crate) fn new(pc: u32, lines: u8) -> Halves {
        Halves {
            walk: Walk::new(pc),
            lower_used: false,
            kept: None,
            kept_at: 0,
            refused: false,
            decode_pc: pc,
            lines: Lines::new(lines, 1),
        }
    }

    /// Instructions from this word and what was kept of the one before.
    fn joined(&self, word: u32) -> JoinedWords {
        let narrow = |half: u16| half & 3 != 3;
        let (lower, upper) = (word as u16, (word >> 16) as u16);
        let skips = self.lower_used || self.walk.pc & 2 != 0;
        let aligned = !skips && self.kept.is_none();
        let first = self.kept.unwrap_or(if skips { upper } else { lower });
        let two = aligned && narrow(lower) && narrow(upper);
        let behind_kept = self.kept.is_some() && narrow(upper);
        let keeps = aligned && narrow(lower) && !narrow(upper)
            || self.kept.is_some() && !narrow(upper)
            || skips && !narrow(first) && !narrow(upper);
        JoinedWords {
            whole: !(skips && self.kept.is_none() && !narrow(upper)),
            used: !behind_kept && !two,
            lower_used: two || behind_kept,
            kept: keeps.then_some(upper),
        }
    }

    /// The fetch's result in this cycle. No variant of the Verilog combines compressed instructions with translation or protection:
    /// translated and refused fetches behave here as in the fetch without compressed instructions.
    fn came(&self, given: Given) -> FetchResult {
        if !self.walk.fetching {
            return FetchResult::Nothing;
        }
        match (given.located.physical, given.located.rights) {
            _ if given.waits => FetchResult::Later,
            (None, _) => FetchResult::Later,
            (_, Rights::NotInPage) => FetchResult::Refusal,
            (Some(physical), _) if !self.lines.hits(physical) => FetchResult::Missed,
            (_, Rights::NotInRegion) => FetchResult::Refusal,
            _ => FetchResult::Word,
        }
    }

    fn address(&self, jump: Option<u32>, redo: Option<u32>) -> u32 {
        let next = if self.walk.increment {
            self.walk.pc.wrapping_add(4) & !2
        } else {
            self.walk.pc
        };
        jump.or(redo).unwrap_or(next) & !1
    }

    fn clock_decode_pc(&mut self, decision: &Decision, jump: Option<u32>, stages: &Stages) {
        let stuck = decision.stuck[0];
        if let Some(decode) = stages.decode.filter(|_| !stuck && !decision.decode_removed) {
            self.decode_pc = self.decode_pc.wrapping_add(u32::from(decode.size));
        }
        if let Some(target) = jump.filter(|_| !stuck || decision.decode_removed) {
            self.decode_pc = target;
        }
    }
}

impl Front for Halves {
    const MOVES_DECODE_PC: bool = true;

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
        self.refused
    }

    fn clock(
        &mut self,
        decision: &Decision,
        given: Given,
        stages: &Stages,
        supply: &mut impl Supply,
    ) -> Option<(u32, u32)> {
        let (jump, decode) = (given.jump, stages.decode);
        let flush_all = decode.is_some_and(|decode| decode.flushes);
        let predicts = decode.is_some_and(|decode| decode.predicted.is_some());
        let external_flush = decision.flush || predicts;
        let proceeds = !decision.stuck[0];
        let physical = given.located.physical.unwrap_or(self.walk.pc);
        let came = self.came(given);
        let missed = came == FetchResult::Missed;
        let joined = (came == FetchResult::Word).then(|| self.joined(supply.word(physical & !3)));
        let redo = missed.then_some(self.walk.pc | if self.lower_used { 2 } else { 0 });
        let free = matches!(came, FetchResult::Nothing | FetchResult::Word) && !given.waits;
        let moves = proceeds && free && joined.as_ref().is_none_or(|joined| joined.used);
        let flush = external_flush || missed;
        let address = self.address(jump, redo);
        let wants = !decision.halt_fetch && self.walk.booted;
        let halted = self.lines.halts(flush_all);
        self.lines.clock(Cycle {
            prefetch: moves.then_some(address),
            fill: missed.then(|| (physical, supply.fetch_latency(physical & !31, WORDS))),
            flush: flush_all,
            fetching: self.walk.fetching,
            was_loading: self.lines.is_loading(),
        });
        let whole = joined.as_ref().is_some_and(|joined| joined.whole);
        let kept_at = self.kept.map(|_| self.kept_at);
        if let Some(joined) = joined.filter(|_| proceeds) {
            if joined.whole {
                self.lower_used = joined.lower_used;
            }
            self.kept = joined.kept;
            self.kept_at = physical & !3 | 2;
        }
        self.refused = came == FetchResult::Refusal && proceeds && !external_flush;
        if external_flush {
            (self.lower_used, self.kept) = (false, None);
        }
        let corrects = jump.is_some() || missed;
        self.walk.clock(WalkInputs {
            address,
            corrects,
            moves,
            halted,
            wants,
            flush,
        });
        self.clock_decode_pc(decision, jump, stages);
        let begins = kept_at.unwrap_or(physical & !3 | self.decode_pc & 3);
        (whole && !external_flush).then_some((self.decode_pc, begins))
    }
}
