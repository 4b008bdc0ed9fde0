//! Links: the cached successors of blocks.
//!
//! The pipeline state after an instruction follows from the state before it and its outcome. A block left at the same index by the same
//! edge therefore leads to the same block, the same number of cycles later.

use bus::{ExpectedLatency, Flash, FlashResponse};

use crate::timing::{self, Cycle, Model};

use super::{DecodeContext, EffectTimes, EventTiming};

/// Maximum number of links of a block; beyond it all are dropped. A return leads to many places.
const MOST: u16 = 1024;

/// How a block is left at an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Edge {
    /// After its last instruction, which does not jump.
    End,
    /// By a jump to this address that leaves something in flight.
    Jumped(u32),
    /// The IT condition failed. For a branch to LR: the value of LR.
    Skipped(Option<u32>),
    /// It took this number of cycles, given its operands.
    Slow(u8),
    /// It read from a flash with wait states, with this answer.
    Read(FlashResponse),
    /// The rest of the core must see its effects; and whether it raised a mask.
    Attended(bool),
}

impl Edge {
    /// Whether execution continues with the next instruction.
    fn continues_straight(self) -> bool {
        matches!(
            self,
            Edge::Skipped(_) | Edge::Slow(_) | Edge::Read(_) | Edge::Attended(_)
        )
    }

    /// Packs the edge and whether a flash had wait states into one number, for a fast comparison.
    #[inline]
    fn code(self, timed: bool) -> u64 {
        let (kind, more) = match self {
            Edge::End => (0, 0),
            Edge::Jumped(target) => (1, u64::from(target)),
            Edge::Skipped(aside) => (2, aside.map_or(0, |target| 1 << 32 | u64::from(target))),
            Edge::Slow(cycles) => (3, u64::from(cycles)),
            Edge::Read(FlashResponse { by, wait, queued }) => {
                (4, (by as u64) << 48 | (wait as u64) << 24 | queued as u64)
            }
            Edge::Attended(raised) => (5, u64::from(raised)),
        };
        kind << 56 | u64::from(timed) << 55 | more
    }

    /// The edge of a read from a flash; `None` if it cannot be cached.
    pub(crate) fn reading(served: FlashResponse) -> Option<Edge> {
        let few = |cycles: i64| (0..1 << 24).contains(&cycles);
        (few(served.wait) && few(served.queued)).then_some(Edge::Read(served))
    }
}

/// A cached successor of a block.
#[derive(Clone, Copy)]
pub(crate) struct Link {
    pub edge: Edge,
    /// The next block and the index at which it is entered. Often the same block, when its pipeline state is as expected there.
    pub next: u32,
    pub from: usize,
    /// The next block's [`super::CachedBlock::skipped`]; `None` if the block continues in itself.
    pub skipped: Option<u16>,
    /// Cycles between the start of the two blocks' times.
    pub later: Cycle,
    /// Event data of the last instruction, relative to the block that is left; unused for [`Edge::End`].
    pub event: EventTiming,
    /// When its effects are visible, relative to the block that is left.
    pub seen: EffectTimes,
    /// For a flash with wait states whose cache had all words: the range of words requested in between, as first and end.
    pub words: (u32, u32),
    /// The number of lines requested, if all those words belong to the block that is left.
    pub lines: Option<u16>,
}

/// The links of one block.
#[derive(Clone, Default)]
pub(crate) struct Links {
    /// By instruction, each with [`Edge::code`].
    taken: exec::LinkTable<(u64, Link)>,
    /// The unexpected reads of each instruction.
    read: Vec<UnexpectedReads>,
}

/// The last unexpected way in which an instruction was served by the flash, how much more often it occurred than others, and the block's
/// entry count when counting began.
#[derive(Clone, Copy, Default)]
struct UnexpectedReads {
    expected: ExpectedLatency,
    times: u32,
    begun: u32,
}

/// Number of unexpected reads after which the expectation changes, if three out of four reads agree. Leaving a block this often costs
/// about as much as recomputing one and finding its links.
const OFTEN: u32 = 128;

impl Links {
    /// The link at this instruction by this edge, if it is known.
    #[inline]
    pub(crate) fn get(&self, index: usize, edge: Edge, timed: bool) -> Option<&Link> {
        let code = edge.code(timed);
        let known = self.taken.find(index, |&(known, _)| known == code)?;
        Some(&known.1)
    }

    /// Counts an unexpected read. Returns whether the instruction is now served that way in most cases.
    #[inline]
    pub(super) fn count_read(&mut self, index: usize, expected: ExpectedLatency, begun: u32) -> bool {
        if self.read.len() <= index {
            self.read.resize(index + 1, UnexpectedReads::default());
        }
        let read = &mut self.read[index];
        if read.expected == expected {
            read.times += 1;
        } else if read.times > 1 {
            read.times -= 1;
        } else {
            *read = UnexpectedReads {
                expected,
                times: 1,
                begun,
            };
        }
        if read.times < OFTEN || !expected.is_some() {
            return false;
        }
        let mostly = read.times * 4 > begun.wrapping_sub(read.begun) * 3;
        if !mostly {
            (read.times, read.begun) = (1, begun);
        }
        mostly
    }

    /// Whether a link leads into the middle of this block.
    pub(super) fn lead_into(&self, block: u32) -> bool {
        let mut links = self.taken.iter();
        links.any(|(_, link)| link.next == block && link.from != 0)
    }

    fn add(&mut self, index: usize, timed: bool, link: Link) {
        if self.taken.add(index, (link.edge.code(timed), link), MOST) != 0 {
            self.read.clear();
        }
    }
}

/// A block that was left by an edge without a link.
#[derive(Clone, Copy)]
pub(crate) struct PendingLink {
    pub block: u32,
    pub index: usize,
    pub edge: Edge,
    /// Absolute cycle at which its time began.
    pub base: Cycle,
    /// Event data of its last instruction, relative to the block.
    pub event: EventTiming,
    /// When that instruction's effects are visible, relative to the block.
    pub seen: EffectTimes,
    /// [`bus::Flash::epoch`] at that moment, for a flash with wait states.
    pub epoch: Option<u64>,
}

impl PendingLink {
    /// A link whose last instruction's result is still to be filled in.
    pub(crate) fn new(block: u32, index: usize, edge: Edge, base: Cycle, epoch: Option<u64>) -> PendingLink {
        PendingLink {
            block,
            index,
            edge,
            base,
            event: EventTiming::NONE,
            seen: EffectTimes::default(),
            epoch,
        }
    }
}

impl super::CodeCache {
    /// Links a block that was left to the block and index where execution continued, whose time begins in cycle `base`. With a flash with
    /// wait states only if all words came from its cache and none was filled.
    pub(crate) fn add_link(
        &mut self,
        pending: &PendingLink,
        (next, from): (u32, usize),
        base: Cycle,
        context: &DecodeContext,
    ) {
        self.extend_before_link(pending, context);
        let flash = context.bus.flash();
        let timed = pending.epoch.is_some();
        let words = (
            self.requested(pending),
            self.blocks[next].block.pipe_at(from).next_word(),
        );
        if timed {
            let filled = flash.map(Flash::epoch) != pending.epoch;
            let held = flash.is_some_and(|flash| flash.holds(words.0, words.1));
            if filled || !held {
                return;
            }
        }
        let on = Some(pending).filter(|pending| pending.edge.continues_straight());
        let on = on.and_then(|pending| self.continues_in_itself(pending, (next, from), context.model));
        let skipped = flash.map_or(0, |flash| self.blocks[next].lines_before(from, flash));
        let skipped = on.is_none().then_some(skipped);
        let (next, from, began) = on.map_or((next, from, 0), |(from, began)| (pending.block, from, began));
        let link = Link {
            edge: pending.edge,
            next,
            from,
            skipped,
            later: base - began - pending.base,
            event: pending.event,
            seen: pending.seen,
            words,
            lines: flash
                .filter(|_| timed)
                .and_then(|flash| self.lines(pending, words, flash)),
        };
        let links = &mut self.blocks[pending.block].links;
        links.add(pending.index, timed, link);
    }

    /// Extends a block that was left at its end by an instruction that continues straight: it mostly continues in itself.
    fn extend_before_link(&mut self, pending: &PendingLink, context: &DecodeContext) {
        let block = &self.blocks[pending.block].block;
        if block.open && pending.edge.continues_straight() && pending.index + 1 == block.ops.len() {
            self.extend(pending.block, context);
        }
    }

    /// Whether the next block, from this index on, equals the rest of the block that was left, only later. Returns the index in that
    /// block, and when the next block's time begins relative to it.
    fn continues_in_itself(
        &self,
        pending: &PendingLink,
        (next, from): (u32, usize),
        model: Model,
    ) -> Option<(usize, Cycle)> {
        let (block, next) = (&self.blocks[pending.block].block, &self.blocks[next].block);
        let place = pending.index + 1;
        let (expected, facts) = (block.insns.get(place)?.before, next.insns.get(from)?.before);
        let same = block.ops[place].pc == next.ops[from].pc && block.ops[place].it == next.ops[from].it;
        let same = same && (from != 0 || !next.split && !next.halts);
        let shape = &block.insns[place].shape;
        let timed = pending.epoch.is_some();
        let [now, then] = [expected, facts].map(|pipe| timing::state_before(&pipe, model, shape, timed));
        (same && now == then).then_some((place, expected.free() - facts.free()))
    }

    /// The number of lines that a block has requested when it is left, if these words are all its own.
    fn lines(&self, pending: &PendingLink, (first, end): (u32, u32), flash: &Flash) -> Option<u16> {
        let cached = &self.blocks[pending.block];
        let requested = match (pending.edge, cached.block.insns.get(pending.index)) {
            (Edge::Jumped(_), Some(insn)) => insn.next_word,
            _ => self.requested(pending),
        };
        let known = first == requested && cached.requests(first, end);
        let lines = cached.lines(requested.max(end), flash.shape().line);
        u16::try_from(lines).ok().filter(|_| known)
    }

    /// Number of the first word requested after a block was left, if its last instruction met all expectations but its duration.
    fn requested(&self, pending: &PendingLink) -> u32 {
        let block = &self.blocks[pending.block].block;
        match pending.edge {
            Edge::Jumped(target) => target >> 2,
            Edge::End => block.after.next_word(),
            Edge::Skipped(_) | Edge::Slow(_) | Edge::Read(_) | Edge::Attended(_) => {
                block.insns[pending.index].before.next_word()
            }
        }
    }
}
