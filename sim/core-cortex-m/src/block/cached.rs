//! A block with the data cached for its execution: flash cache slots of its words, and its links.

use std::sync::Arc;

use bus::{ExpectedLatency, Flash, FlashResponse};
use events::RuleSet;

use super::{Block, CORRECTIONS, DecodeContext, InsnCache, InsnTiming, Links};
use crate::timing::{Class, Rule};

/// A block, and how much of it can run from the flash's cache.
#[derive(Clone)]
pub(crate) struct CachedBlock {
    pub block: Arc<Block>,
    /// [`bus::Flash::epoch`] for which the rest is valid.
    pub epoch: u64,
    /// Number of its first instructions that run without a flash wait state.
    pub at_once: u32,
    /// Slots, in the flash's cache, of the lines that it requests in order.
    pub places: Vec<u16>,
    /// Its known successors.
    pub links: Links,
    /// Step states before its instructions, as far as they were asked for.
    pub(super) states: Vec<u32>,
    /// [`crate::sys::mpu::Mpu::view`] when all of it could be fetched; 0 for never.
    pub checked: u64,
    /// The round in which all its rules were noted ([`crate::engine::Emitter::round`]); 0 for none.
    pub counted: u64,
    /// Number of its first lines that were not requested, because it was entered after them.
    pub skipped: u16,
    /// Number of executions from its first instruction on; counted only for a flash with wait states.
    pub begun: u32,
}

impl CachedBlock {
    /// The epoch of a block that was never looked up.
    const NEVER: u64 = u64::MAX;

    pub(super) fn new(block: Block) -> Self {
        CachedBlock {
            block: Arc::new(block),
            epoch: CachedBlock::NEVER,
            at_once: 0,
            places: Vec::new(),
            links: Links::default(),
            states: Vec::new(),
            checked: 0,
            counted: 0,
            skipped: 0,
            begun: 0,
        }
    }

    /// Whether all of it runs without a flash wait state.
    pub(crate) fn is_fully_cached(&self) -> bool {
        self.at_once as usize == self.block.ops.len()
    }

    /// Adds an instruction.
    pub(super) fn extend(&mut self, context: &DecodeContext, known: &mut InsnCache) {
        Arc::make_mut(&mut self.block).extend(context, known);
        self.epoch = CachedBlock::NEVER;
        (self.checked, self.counted) = (0, 0);
    }

    /// Looks up its words in the flash's cache.
    pub(crate) fn look_up(&mut self, flash: Option<&Flash>) {
        let block = &self.block;
        let epoch = flash.map_or(0, Flash::epoch);
        let whole = self.epoch != CachedBlock::NEVER && self.is_fully_cached();
        if whole && flash.is_none_or(|flash| flash.holds_since(self.epoch, &self.places)) {
            self.epoch = epoch;
            return;
        }
        let timed = flash.filter(|flash| flash.is_timed() && flash.contains(block.pc));
        self.epoch = epoch;
        self.counted = 0;
        self.places.clear();
        let Some(flash) = timed else {
            self.at_once = block.ops.len() as u32;
            return;
        };
        // Here branches also request targets they do not take, which may be anywhere.
        if flash.shape().shared {
            self.at_once = 0;
            return;
        }
        let (first, last) = (block.first_word(), block.reach);
        let found = if last > first {
            flash.cached(first << 2, (last << 2) - 4, &mut self.places) >> 2
        } else {
            last
        };
        let reached = |insn: &&InsnTiming| insn.furthest <= found;
        self.at_once = match found {
            all if all >= last => block.insns.len() as u32,
            none if none < first => 0,
            _ => block.insns.iter().take_while(reached).count() as u32,
        };
    }

    /// Counts an execution that begins at this index.
    #[inline]
    pub(crate) fn count_entry(&mut self, index: usize) {
        self.begun = self.begun.wrapping_add(u32::from(index == 0));
    }

    /// Counts an unexpected read. Returns whether the expectation should change.
    #[inline]
    pub(crate) fn is_read_differently(&mut self, index: usize, served: FlashResponse) -> bool {
        let often = self
            .links
            .count_read(index, ExpectedLatency::of(served), self.begun);
        often && self.block.corrections < CORRECTIONS && self.block.insns[index].shape.class == Class::Load
    }

    /// Whether these words are among its own requests and all of those are cached.
    #[inline]
    pub(crate) fn has_words(&self, first: u32, end: u32) -> bool {
        self.is_fully_cached() && self.requests(first, end)
    }

    /// Whether these words are among its own requests.
    #[inline]
    pub(super) fn requests(&self, first: u32, end: u32) -> bool {
        first >= self.block.first_word() && end <= self.block.reach
    }

    /// Marks the lines requested up to this word as used in the flash.
    #[inline]
    pub(crate) fn touch(&self, next_word: u32, flash: Option<&mut Flash>) {
        if let (Some(flash), false) = (flash, self.places.is_empty()) {
            self.touch_lines(self.lines(next_word, flash.shape().line), flash);
        }
    }

    /// Marks its first `lines` lines as used in the flash.
    #[inline]
    pub(crate) fn touch_lines(&self, lines: usize, flash: &mut Flash) {
        let end = lines.min(self.places.len());
        flash.touch(&self.places[usize::from(self.skipped).min(end)..end]);
    }

    /// Number of its lines that are requested before it is entered at this index.
    pub(super) fn lines_before(&self, index: usize, flash: &Flash) -> u16 {
        if index == 0 {
            return 0;
        }
        let (first, word) = (self.block.first_word(), self.block.pipe_at(index).next_word());
        let line_of = |word: u32| (word << 2) / flash.shape().line;
        (line_of(word) - line_of(first)) as u16
    }

    /// The rule by which a flash with wait states serves the fast path if words were requested: they are all cached.
    #[inline]
    pub(crate) fn served_by(&self, asked: bool) -> RuleSet {
        RuleSet::EMPTY.with_if(asked && !self.places.is_empty(), Rule::FlashInstructionCache)
    }

    /// Number of its lines with words before this one.
    pub(super) fn lines(&self, next_word: u32, line: u32) -> usize {
        let first = self.block.first_word();
        if next_word <= first {
            return 0;
        }
        let line_of = |word: u32| (word << 2) / line;
        (line_of(next_word - 1) - line_of(first) + 1) as usize
    }
}
