//! `VexRiscv`'s instruction cache: tags, the loader of lines, and what empties it. The data do not matter.

use super::Latency;
use super::rules::{Rule, RuleSet};
use super::tags::Tags;

/// Words of a line.
pub(crate) const WORDS: u8 = 8;

/// The instruction cache.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a register of the Verilog
pub(crate) struct Lines {
    tags: Tags,
    /// How many places there are.
    count: u8,
    /// The tag that was read for the fetch stage.
    read: Option<u32>,
    /// The line that is loaded.
    loading: Option<u32>,
    /// Its burst was asked for.
    sent: bool,
    /// Words of the line that have arrived.
    arrived: u8,
    /// A word comes in this cycle.
    responds: bool,
    /// Words of the burst that were acknowledged.
    acknowledged: u8,
    /// Cycles that the word asked for has waited.
    waited: u32,
    /// Of the memory that the line comes from.
    latency: Latency,
    flush_pending: bool,
    /// Places emptied so far by a flush.
    flushed: u8,
    /// The flush was complete in the previous cycle.
    was_flushed: bool,
}

impl Lines {
    /// The cache after reset, with `count` places per way, a power of two: a flush is pending.
    pub(crate) fn new(count: u8, ways: u8) -> Lines {
        Lines {
            tags: Tags::new(count, ways),
            count,
            read: None,
            loading: None,
            sent: false,
            arrived: 0,
            responds: false,
            acknowledged: 0,
            waited: 0,
            latency: Latency::default(),
            flush_pending: true,
            flushed: 0,
            was_flushed: false,
        }
    }

    /// No new fetch may begin; `flush` is asked for in this cycle.
    pub(crate) fn halts(&self, flush: bool) -> bool {
        self.loading.is_some() || self.flush_pending || !self.is_flushed() || !self.was_flushed || flush
    }

    /// Whether the address in the fetch stage is there.
    pub(crate) fn hits(&self, pc: u32) -> bool {
        self.read == Some(pc >> 5)
    }

    fn is_flushed(&self) -> bool {
        self.flushed == self.count
    }

    /// The end of a cycle. `prefetch` is the address whose tag is read if the fetch stage is free for it; `fill` is a line
    /// that was missed.
    pub(crate) fn clock(&mut self, cycle: Cycle) {
        if let Some(pc) = cycle.prefetch {
            self.read = self.tags.at(pc >> 5);
        }
        if self.loading.is_none() {
            self.tags.turn();
        }
        let fires = self.responds && self.arrived == WORDS - 1;
        self.write_tag(fires);
        let answered = self.clock_port(fires);
        if self.responds {
            self.arrived = (self.arrived + 1) % WORDS;
        }
        self.responds = answered;
        if fires {
            self.loading = None;
        }
        if let Some((pc, latency)) = cycle.fill {
            self.loading = Some(pc >> 5);
            self.latency = latency;
        }
        self.clock_flush(&cycle);
    }

    fn write_tag(&mut self, fires: bool) {
        if !self.is_flushed() {
            self.tags.empty(self.flushed);
        } else if let Some(line) = self.loading.filter(|_| fires) {
            self.tags.hold(line);
        }
    }

    /// The burst: its first word is asked for while it is not sent, the others follow.
    fn clock_port(&mut self, fires: bool) -> bool {
        let begins = self.loading.is_some() && !self.sent;
        let asks = begins || self.acknowledged != 0;
        let answered = asks && self.waited >= self.latency.word(self.acknowledged);
        self.waited = if asks && !answered { self.waited + 1 } else { 0 };
        if answered {
            self.acknowledged = (self.acknowledged + 1) % WORDS;
            self.sent |= begins;
        }
        if fires {
            self.sent = false;
        }
        answered
    }

    fn clock_flush(&mut self, cycle: &Cycle) {
        let was_loading = cycle.was_loading;
        let starts = self.flush_pending && !(was_loading || cycle.fetching);
        self.was_flushed = self.is_flushed();
        if !self.is_flushed() {
            self.flushed += 1;
        }
        if starts {
            self.flushed = 0;
        }
        self.flush_pending = (self.flush_pending || cycle.flush) && !starts;
    }

    /// The line that is loaded.
    pub(crate) fn loading(&self) -> Option<u32> {
        self.loading
    }

    /// Whether it is emptied, or will be.
    pub(crate) fn flushes(&self) -> bool {
        self.flush_pending || !self.is_flushed() || !self.was_flushed
    }

    /// Whether it has this line.
    pub(crate) fn has(&self, line: u32) -> bool {
        self.tags.at(line) == Some(line)
    }

    /// How often it had other lines.
    #[inline]
    pub(crate) fn changes(&self) -> u64 {
        self.tags.changes()
    }

    /// Forgets how long the last line took.
    pub(crate) fn strip(&mut self) {
        if self.loading.is_none() && self.acknowledged == 0 {
            self.latency = Latency::default();
        }
    }

    /// Inserts this line as of `later` turns after this cycle.
    pub(crate) fn hold(&mut self, line: u32, later: u8) {
        self.tags.hold_at(line, later);
    }

    /// Which lines it has.
    pub(crate) fn tags(&self) -> &Tags {
        &self.tags
    }

    /// Advances the turn counter by `cycles`.
    pub(crate) fn turn_by(&mut self, cycles: u32) {
        self.tags.turn_by(cycles);
    }

    pub(crate) fn swap_tags(&mut self, tags: &mut Tags) {
        std::mem::swap(&mut self.tags, tags);
    }

    /// The rules for which the fetch waits.
    pub(crate) fn waits(&self) -> RuleSet {
        let mut waits = RuleSet::NONE;
        waits.add_if(self.loading.is_some(), Rule::Fetch);
        let empties = self.flush_pending || !self.is_flushed() || !self.was_flushed;
        waits.add_if(empties, Rule::FenceI);
        waits
    }

    /// The memory does not answer in this cycle.
    pub(crate) fn is_slow(&self) -> bool {
        let begins = self.loading.is_some() && !self.sent;
        (begins || self.acknowledged != 0) && self.waited < self.latency.word(self.acknowledged)
    }

    /// Whether a line is being loaded.
    pub(crate) fn is_loading(&self) -> bool {
        self.loading.is_some()
    }
}

/// The pipeline's use of the cache in a cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cycle {
    pub prefetch: Option<u32>,
    pub fill: Option<(u32, Latency)>,
    /// A flush is asked for.
    pub flush: bool,
    /// An address is in the fetch stage.
    pub fetching: bool,
    /// A line was being loaded at the beginning of the cycle.
    pub was_loading: bool,
}
