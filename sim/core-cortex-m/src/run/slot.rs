//! A run with its cached data during execution: the places of its words in a flash's cache, and its exits.

use std::sync::Arc;

use bus::{Flash, Served, Usual};
use events::RuleSet;

use super::{CORRECTIONS, Context, Exits, Lowered, Run, Side};
use crate::timing::{Class, Rule};

/// A run, and how far it is known to be executed from the cache of the flash.
#[derive(Clone)]
pub(crate) struct Slot {
    pub run: Arc<Run>,
    /// The state of that cache, [`bus::Flash::epoch`], for which the rest holds.
    pub epoch: u64,
    /// Number of its instructions, from the first on, whose fetches and meanwhile requested words have no wait state of the flash.
    pub at_once: u32,
    /// The places in that cache of the lines that it requests, from its first request on.
    pub places: Vec<u16>,
    /// Its exits so far.
    pub exits: Exits,
    /// The stands before its instructions, as far as they were asked for.
    pub(super) stands: Vec<u32>,
    /// The value of [`crate::sys::mpu::Mpu::view`] when all of it could be fetched; 0 for never.
    pub checked: u64,
    /// The round in which all its rules were added ([`crate::engine::Told::round`]); 0 for none.
    pub counted: u64,
    /// Number of its first lines that it did not request, since it was entered after them.
    pub skipped: u16,
    /// Number of executions from its first instruction on, counted only for a flash with wait states.
    pub begun: u32,
}

impl Slot {
    /// An epoch in which nothing was looked up.
    const NEVER: u64 = u64::MAX;

    pub(super) fn new(run: Run) -> Self {
        Slot {
            run: Arc::new(run),
            epoch: Slot::NEVER,
            at_once: 0,
            places: Vec::new(),
            exits: Exits::default(),
            stands: Vec::new(),
            checked: 0,
            counted: 0,
            skipped: 0,
            begun: 0,
        }
    }

    /// Whether all of it is fetched without a wait state.
    pub(crate) fn is_whole(&self) -> bool {
        self.at_once as usize == self.run.ops.len()
    }

    /// Adds an instruction to the run.
    pub(super) fn grow(&mut self, context: &Context, known: &mut Lowered) {
        Arc::make_mut(&mut self.run).grow(context, known);
        self.epoch = Slot::NEVER;
        (self.checked, self.counted) = (0, 0);
    }

    /// Looks up what its fetches meet in the present state of the flash.
    pub(crate) fn look_up(&mut self, flash: Option<&Flash>) {
        let run = &self.run;
        let epoch = flash.map_or(0, Flash::epoch);
        let whole = self.epoch != Slot::NEVER && self.is_whole();
        if whole && flash.is_none_or(|flash| flash.holds_since(self.epoch, &self.places)) {
            self.epoch = epoch;
            return;
        }
        let timed = flash.filter(|flash| flash.is_timed() && flash.contains(run.pc));
        self.epoch = epoch;
        self.counted = 0;
        self.places.clear();
        let Some(flash) = timed else {
            self.at_once = run.ops.len() as u32;
            return;
        };
        // It also checks the target that a branch requests and does not take, wherever that is.
        if flash.shape().shared {
            self.at_once = 0;
            return;
        }
        let (first, last) = (run.first_word(), run.reach);
        let found = if last > first {
            flash.cached(first << 2, (last << 2) - 4, &mut self.places) >> 2
        } else {
            last
        };
        let reached = |side: &&Side| side.furthest <= found;
        self.at_once = match found {
            all if all >= last => run.sides.len() as u32,
            none if none < first => 0,
            _ => run.sides.iter().take_while(reached).count() as u32,
        };
    }

    /// Starts execution from this of its instructions.
    #[inline]
    pub(crate) fn begin_at(&mut self, index: usize) {
        self.begun = self.begun.wrapping_add(u32::from(index == 0));
    }

    /// An instruction read from a flash in this way, and not as it was expected to. Says whether it did that so often that it should be
    /// expected.
    #[inline]
    pub(crate) fn reads_otherwise(&mut self, index: usize, served: Served) -> bool {
        let often = self.exits.read_otherwise(index, Usual::of(served), self.begun);
        often && self.run.corrections < CORRECTIONS && self.run.sides[index].shape.class == Class::Load
    }

    /// Whether these words, which follow some of its requests, are among its requests, and the cache has all of those.
    #[inline]
    pub(crate) fn has_words(&self, first: u32, end: u32) -> bool {
        self.is_whole() && self.requests(first, end)
    }

    /// Whether these words are among its requests.
    #[inline]
    pub(super) fn requests(&self, first: u32, end: u32) -> bool {
        first >= self.run.first_word() && end <= self.run.reach
    }

    /// Tells the flash of the lines that were requested up to this word.
    #[inline]
    pub(crate) fn touch(&self, next_word: u32, flash: Option<&mut Flash>) {
        if let (Some(flash), false) = (flash, self.places.is_empty()) {
            self.touch_lines(self.lines(next_word, flash.shape().line), flash);
        }
    }

    /// Marks its first `lines` lines as requested in the flash.
    #[inline]
    pub(crate) fn touch_lines(&self, lines: usize, flash: &mut Flash) {
        let end = lines.min(self.places.len());
        flash.touch(&self.places[usize::from(self.skipped).min(end)..end]);
    }

    /// How many of its lines, the first ones, are requested before it is entered at this instruction.
    pub(super) fn lines_before(&self, index: usize, flash: &Flash) -> u16 {
        if index == 0 {
            return 0;
        }
        let (first, word) = (self.run.first_word(), self.run.pipe_at(index).next_word());
        let line_of = |word: u32| (word << 2) / flash.shape().line;
        (line_of(word) - line_of(first)) as u16
    }

    /// The rules by which a flash with wait states serves the fast way, if words were requested: it goes only where the cache
    /// has them all.
    #[inline]
    pub(crate) fn served_by(&self, asked: bool) -> RuleSet {
        RuleSet::EMPTY.with_if(asked && !self.places.is_empty(), Rule::FlashInstructionCache)
    }

    /// How many of its lines have words before this one.
    pub(super) fn lines(&self, next_word: u32, line: u32) -> usize {
        let first = self.run.first_word();
        if next_word <= first {
            return 0;
        }
        let line_of = |word: u32| (word << 2) / line;
        (line_of(next_word - 1) - line_of(first) + 1) as usize
    }
}
