//! A cache in front of memories that all ports of a core share: an L2.
//!
//! It holds no data, only tags: the memory behind it always has the bytes. The bus asks it once per transfer, in the order in which
//! transfers begin. It keeps the cycle from which it is free. The rules:
//!
//! - It serves one transfer at a time; a burst counts as one. The first request wins; in the same cycle, the one the bus reports first
//!   wins, which is the data port. A change of ports costs `switch` cycles.
//! - It looks up each word. On a hit it acknowledges the first word `hit` cycles after the request, and each further word of a burst `beat`
//!   cycles after the previous one.
//! - A miss adds `miss` cycles, the write-back of a dirty line, and the refill of the whole new line. Each transfer of those costs its wait
//!   states plus one cycle.
//! - A write that goes to memory ([`WritePolicy::Through`], or a miss without allocation) is acknowledged once memory has it.
//!
//! With one way, `WritePolicy::Back`, and `hit`, `beat` and `miss` of 1, these are the cycles of `wishbone.Cache` of `LiteX`
//! (litex/soc/interconnect/wishbone.py: IDLE, `TEST_HIT`, EVICT, REFILL). Two things differ: here the tags are empty after reset, and the
//! arbiter of `LiteX` keeps the bus for a port that requests transfers back to back.

use crate::flash::Replacement;
use crate::latency::{Access, BURST, Latency, Transfer};
use crate::region::WaitStates;

/// When a write reaches memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WritePolicy {
    /// On eviction of its line.
    Back,
    /// At once.
    Through,
}

/// How an L2 is built. Bytes are powers of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct L2Shape {
    /// Its bytes: `ways` lines or more.
    pub size: u32,
    /// Lines in which a given address can be.
    pub ways: u32,
    /// Bytes of a line: 4 to 128.
    pub line: u32,
    /// Bytes that it exchanges with memory in one transfer: 4 up to a line.
    pub width: u32,
    /// Which line makes room for another.
    pub replacement: Replacement,
    /// When a write reaches memory.
    pub write: WritePolicy,
    /// A write that misses brings its line in.
    pub allocates: bool,
    /// Cycles of the cache itself.
    pub wait: L2Wait,
}

/// Cycles that an L2 takes itself.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct L2Wait {
    /// Wait states of the first word of a transfer, if its line is there.
    pub hit: u8,
    /// Cycles from one word of a burst to the next.
    pub beat: u8,
    /// Added for a line that is not there, besides what the memory takes.
    pub miss: u8,
    /// Added for a transfer of another port than the last one.
    pub switch: u8,
}

/// A shared L2 cache: tags and timing, no data.
#[derive(Clone, Debug)]
pub struct L2 {
    shape: L2Shape,
    line_bits: u32,
    sets: u32,
    /// Sets lie one after the other.
    lines: Box<[L2Line]>,
    /// Number of uses so far, for replacement.
    clock: u64,
    /// The first cycle in which it can begin with a transfer.
    free: u64,
    /// Of the last transfer.
    port: u8,
    /// The undo log of the last trial.
    trial: CacheTrial,
}

/// The state to restore if a trial fails.
#[derive(Clone, Default, Debug)]
struct CacheTrial {
    /// The trial is running.
    is_open: bool,
    clock: u64,
    free: u64,
    port: u8,
    /// The lines that changed, the last one last.
    lines: Vec<(usize, L2Line)>,
}

#[derive(Clone, Copy, Debug)]
struct L2Line {
    /// Its address over the bytes of a line; `u32::MAX`, which no line of 4 bytes and more has, if it is empty.
    tag: u32,
    /// Dirty: written since the refill.
    dirty: bool,
    /// When it was used (with FIFO: filled) last; 0 never.
    used: u64,
}

const EMPTY: L2Line = L2Line {
    tag: u32::MAX,
    dirty: false,
    used: 0,
};

impl L2 {
    /// An empty one.
    ///
    /// # Panics
    /// If the shape contradicts itself.
    pub fn new(shape: L2Shape) -> L2 {
        let L2Shape {
            size,
            ways,
            line,
            width,
            ..
        } = shape;
        let sets = size.checked_div(ways * line).unwrap_or(0);
        let whole = sets.is_power_of_two() && sets * ways * line == size;
        assert!(whole && line.is_power_of_two() && line >= 4, "{shape:?}");
        assert!(
            width.is_power_of_two() && (4..=line).contains(&width),
            "{shape:?}"
        );
        assert!(line <= 128, "a transfer waits less than 65,536 cycles: {shape:?}");
        L2 {
            shape,
            line_bits: line.trailing_zeros(),
            sets,
            lines: vec![EMPTY; (sets * ways) as usize].into_boxed_slice(),
            clock: 0,
            free: 0,
            port: 0,
            trial: CacheTrial::default(),
        }
    }

    /// From now on transfers are only tried.
    pub(crate) fn begin_trial(&mut self) {
        let trial = &mut self.trial;
        (trial.clock, trial.free, trial.port) = (self.clock, self.free, self.port);
        trial.is_open = true;
        trial.lines.clear();
    }

    /// Ends the trial and keeps its changes.
    pub(crate) fn end_trial(&mut self) {
        self.trial.is_open = false;
    }

    /// Undoes the transfers of the last trial, which must be the most recent ones.
    pub(crate) fn take_back(&mut self) {
        let trial = &mut self.trial;
        while let Some((place, line)) = trial.lines.pop() {
            self.lines[place] = line;
        }
        (self.clock, self.free, self.port) = (trial.clock, trial.free, trial.port);
    }

    /// The geometry and timing.
    pub fn shape(&self) -> &L2Shape {
        &self.shape
    }

    /// A transfer begins, to a memory with these wait states.
    pub(crate) fn transfer(&mut self, transfer: &Transfer, memory: WaitStates) -> Latency {
        let Transfer { address, words, .. } = *transfer;
        let wait = self.shape.wait;
        let switch = if transfer.port == self.port {
            0
        } else {
            wait.switch
        };
        let begins = transfer.start.max(self.free) + u64::from(switch);
        let mut waits = [u16::from(wait.beat); BURST];
        waits[0] = u16::from(wait.hit);
        let words = usize::from(words).min(BURST);
        for (place, address) in (address..).step_by(4).take(words).enumerate() {
            if place == 0 || address & (self.shape.line - 1) == 0 {
                waits[place] += self.look_up(address, transfer.access == Access::Write, memory);
            }
        }
        let lasts: u64 = waits[..words].iter().map(|&wait| u64::from(wait) + 1).sum();
        (self.free, self.port) = (begins + lasts, transfer.port);
        waits[0] += (begins - transfer.start) as u16;
        Latency::of_each(waits)
    }

    /// Cycles beyond those of a hit. The line is there afterwards, or was written past.
    fn look_up(&mut self, address: u32, writes: bool, memory: WaitStates) -> u16 {
        let to_memory = 1 + u16::from(memory.write);
        let (through, tag) = (
            self.shape.write == WritePolicy::Through,
            address >> self.line_bits,
        );
        let found = self.set(tag).find(|&place| self.lines[place].tag == tag);
        if found.is_none() && writes && !self.shape.allocates {
            return to_memory;
        }
        let place = found.unwrap_or_else(|| self.victim(tag));
        if self.trial.is_open {
            self.trial.lines.push((place, self.lines[place]));
        }
        let mut cycles = 0;
        if found.is_none() {
            cycles += u16::from(self.shape.wait.miss) + self.exchange(place, memory);
            self.lines[place] = L2Line { tag, ..EMPTY };
        }
        let line = &mut self.lines[place];
        if found.is_none() || self.shape.replacement == Replacement::Lru {
            self.clock += 1;
            line.used = self.clock;
        }
        line.dirty |= writes && !through;
        cycles + if writes && through { to_memory } else { 0 }
    }

    /// The line that makes room: an empty one was never used.
    fn victim(&self, tag: u32) -> usize {
        let set = self.set(tag);
        let start = set.start;
        set.min_by_key(|&place| self.lines[place].used).unwrap_or(start)
    }

    /// Cycles to have a line come from memory, and the one in its place go there if it was written to.
    fn exchange(&self, victim: usize, memory: WaitStates) -> u16 {
        let transfers = (self.shape.line / self.shape.width) as u16;
        let whole = |first: u8, beat: u8| u16::from(first) + 1 + (transfers - 1) * (u16::from(beat) + 1);
        let evicts = if self.lines[victim].dirty {
            whole(memory.write, memory.write_beat)
        } else {
            0
        };
        evicts + whole(memory.read, memory.beat)
    }

    fn set(&self, tag: u32) -> std::ops::Range<usize> {
        let (set, ways) = (tag & (self.sets - 1), self.shape.ways);
        (set * ways) as usize..((set + 1) * ways) as usize
    }
}

#[cfg(test)]
mod tests;
