//! The fetch: the address, the cache's tags, the translation, the instruction's word, and the decode stage. A miss, an unknown
//! translation and a refusal wait with their word until the decode stage is empty; the first two then have the fetch begin again with
//! the instruction that comes next. Source: the Verilog's `IBusCachedPlugin_iBusRsp_*` and `IBusCachedPlugin_decompressor_*`.

use crate::timing::arbiter::{Decision, Stages};
use crate::timing::fetch::Given;
use crate::timing::lines::{Cycle, Lines, WORDS};
use crate::timing::{Located, Rights, Supply};

/// The result of fetching a word of instructions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum ThirdStageResult {
    /// A word from this bus address.
    Word(u32),
    Missed(u32),
    /// Its translation was not known.
    Unknown,
    Refused,
}

/// The stage in which the word is there (`cacheRspArbitration`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct ThirdStage {
    /// Bit 1: the lower half is not wanted, or was used.
    pc: u32,
    came: ThirdStageResult,
}

/// The fetch unit.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a register of the Verilog
pub(super) struct PrecursorFetch {
    /// `fetchPc_pcReg`, also of what is in the first stage.
    pc: u32,
    increment: bool,
    booted: bool,
    /// There is something in the first stage.
    first: bool,
    /// The address in the second stage.
    second: Option<u32>,
    third: Option<ThirdStage>,
    /// The first half of an instruction, from the word before.
    kept: Option<u16>,
    /// The bus address of that half.
    kept_at: u32,
    /// `decodePc_pcReg`: the address of what is in the decode stage, or comes next.
    decode_pc: u32,
    lines: Lines,
}

/// The result of assembling words in a cycle.
struct JoinedHalves {
    /// There is an instruction.
    whole: bool,
    /// The word leaves its stage.
    used: bool,
    kept: Option<u16>,
}

impl PrecursorFetch {
    /// The fetch unit out of reset, at `pc`, with a cache of `ways` ways with `lines` lines each.
    pub(super) fn new(pc: u32, lines: u8, ways: u8) -> PrecursorFetch {
        PrecursorFetch {
            pc,
            increment: false,
            booted: false,
            first: false,
            second: None,
            third: None,
            kept: None,
            kept_at: 0,
            decode_pc: pc,
            lines: Lines::new(lines, ways),
        }
    }

    pub(super) fn pc(&self) -> u32 {
        self.pc
    }

    pub(super) fn lines(&self) -> &Lines {
        &self.lines
    }

    pub(super) fn lines_mut(&mut self) -> &mut Lines {
        &mut self.lines
    }

    /// The address whose translation is asked for in this cycle.
    pub(super) fn asks(&self) -> Option<u32> {
        self.second
    }

    /// Whether decode is empty and the next instruction for it must not be fetched.
    pub(super) fn is_refused(&self, stages: &Stages) -> bool {
        stages.decode.is_none()
            && self
                .third
                .is_some_and(|third| third.came == ThirdStageResult::Refused)
    }

    /// The address at which the fetch restarts in this cycle, after a miss or for a translation.
    pub(super) fn redo(&self, stages: &Stages) -> Option<u32> {
        let again = |third: ThirdStage| {
            matches!(
                third.came,
                ThirdStageResult::Missed(_) | ThirdStageResult::Unknown
            )
        };
        let redoes = stages.decode.is_none() && self.third.is_some_and(again);
        redoes.then_some(self.decode_pc)
    }

    /// Clocks one cycle. `flush`: the stages are flushed. Returns the address and bus address of the instruction that enters the decode
    /// stage, unless that is stuck.
    pub(super) fn clock(
        &mut self,
        decision: &Decision,
        given: Given,
        stages: &Stages,
        flush: bool,
        supply: &mut impl Supply,
    ) -> Option<(u32, u32)> {
        let (jump, stuck) = (given.jump, decision.stuck[0]);
        let flush_all = stages.decode.is_some_and(|decode| decode.flushes);
        let word = self.third.and_then(|third| match third.came {
            ThirdStageResult::Word(physical) => Some(physical),
            _ => None,
        });
        let joined = word.map(|physical| self.joined(supply.word(physical & !3), stuck));
        let fill = match self.third.map(|third| third.came) {
            Some(ThirdStageResult::Missed(physical)) if stages.decode.is_none() => Some(physical),
            _ => None,
        };
        let waits = self
            .third
            .is_some_and(|third| !matches!(third.came, ThirdStageResult::Word(_)));
        let third_ready = !waits && joined.as_ref().is_none_or(|joined| joined.used);
        let second_ready = third_ready && !given.waits;
        let first_ready = second_ready && !self.lines.halts(flush_all);
        let wants = !decision.halt_fetch && self.booted;
        let (second, halted) = (self.second, self.lines.halts(flush_all));
        let begins = word.map(|physical| self.kept.map_or(physical & !3, |_| self.kept_at));
        let whole = joined.as_ref().is_some_and(|joined| joined.whole);
        self.clock_words(joined, word, third_ready, stuck);
        if third_ready {
            let moves = second.filter(|_| !given.waits);
            self.third = moves.map(|pc| ThirdStage {
                pc,
                came: self.came(pc, given.located),
            });
        }
        if second_ready {
            self.second = (self.first && !halted).then_some(self.pc);
        }
        let address = self.next(jump);
        if first_ready {
            (self.first, self.increment) = (wants, wants);
        } else {
            self.increment &= jump.is_none();
        }
        if self.booted && (first_ready || flush) {
            self.pc = address;
        }
        if flush {
            (self.second, self.third, self.kept) = (None, None, None);
            self.first &= first_ready;
        }
        self.booted = true;
        self.lines.clock(Cycle {
            prefetch: None,
            fill: fill.map(|physical| (physical, supply.fetch_latency(physical & !31, WORDS))),
            flush: flush_all,
            fetching: second.is_some(),
            was_loading: self.lines.is_loading(),
        });
        self.clock_decode_pc(decision, jump, stages);
        let begins = begins.map(|word| word & !3 | if word & 2 != 0 { 2 } else { self.decode_pc & 2 });
        begins
            .filter(|_| whole && !flush)
            .map(|begins| (self.decode_pc, begins))
    }

    /// The result of an address that leaves the second stage.
    fn came(&self, pc: u32, located: Located) -> ThirdStageResult {
        debug_assert_eq!(Some(pc), self.second, "what was located");
        match (located.physical, located.rights) {
            (None, _) => ThirdStageResult::Unknown,
            (_, Rights::NotInPage) => ThirdStageResult::Refused,
            (Some(physical), _) if !self.lines.has(physical >> 5) => ThirdStageResult::Missed(physical),
            (Some(physical), _) => ThirdStageResult::Word(physical),
        }
    }

    /// An instruction from this word and what was kept of the one before.
    fn joined(&self, word: u32, stuck: bool) -> JoinedHalves {
        let narrow = |half: u16| half & 3 != 3;
        let (lower, upper) = (word as u16, (word >> 16) as u16);
        let skips = self.third.is_some_and(|third| third.pc & 2 != 0);
        let first = self.kept.unwrap_or(if skips { upper } else { lower });
        let compressed = narrow(first);
        let whole = compressed || self.kept.is_some() || !skips;
        let leaves_upper = narrow(upper) && if compressed { !skips } else { self.kept.is_some() };
        let wide_alone = !compressed && !skips && self.kept.is_none();
        let upper_alone = compressed && skips;
        JoinedHalves {
            whole,
            used: !whole || !stuck && !leaves_upper,
            kept: (!wide_alone && !upper_alone).then_some(upper),
        }
    }

    /// The words at the end of a cycle.
    fn clock_words(&mut self, joined: Option<JoinedHalves>, word: Option<u32>, ready: bool, stuck: bool) {
        let (Some(joined), Some(physical)) = (joined, word) else {
            return;
        };
        let fires = joined.whole && !stuck;
        if joined.used {
            self.kept = joined.kept;
            self.kept_at = physical & !3 | 2;
        } else if fires {
            self.kept = None;
            if let Some(third) = &mut self.third {
                third.pc |= 2;
            }
        }
        debug_assert_eq!(ready, joined.used);
    }

    /// The address that comes next.
    fn next(&self, jump: Option<u32>) -> u32 {
        let next = if self.increment {
            self.pc.wrapping_add(4) & !2
        } else {
            self.pc
        };
        jump.unwrap_or(next) & !1
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
