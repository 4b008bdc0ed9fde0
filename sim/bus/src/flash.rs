//! A flash interface: the logic between the buses and an array that is slower than the core.
//!
//! The array delivers one line of several words per access. An access takes the wait states that the program has set for its clock
//! (`latency`). Three features hide them, each of which a program may switch on: a prefetch buffer, which reads the next line while the
//! core consumes one; a cache of fetched lines; and a cache of lines read as data. With no wait states, none of this is consulted.
//!
//! - A fetch looks for its line in the cache, in the last line delivered, in the prefetch buffer, and then in the array. A cache hit
//!   changes nothing except, under LRU, the order of replacement.
//! - The cache takes each line that the array delivered for a fetch, or that a fetch took from the prefetch buffer. After both, the next
//!   line is prefetched if the cache does not have it.
//! - The array does one access at a time and never abandons one. A data read goes before a prefetch that has not begun; a fetch from
//!   another line drops that prefetch.
//!
//! Times are core cycles. A request in cycle `at` without wait states has its data in the next cycle.

mod cache;
mod expected;
mod shared;
#[cfg(test)]
mod tests;

pub use cache::{CacheShape, Replacement};
pub use expected::ExpectedLatency;
pub use shared::SharedCacheShape;

use cache::Cache;
use shared::{SharedCache, SharedLookup};

use crate::{Access, BURST, FlashSettings, Latency, Transfer};

/// The features of a flash interface, fixed in the chip.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlashShape {
    /// Bytes of a line, which one access of the array delivers. A power of two, 4 or more.
    pub line: u32,
    /// Whether it has a prefetch buffer.
    pub prefetches: bool,
    /// The cache of fetched lines, if it has one.
    pub instruction_cache: Option<CacheShape>,
    /// The cache of lines that were read as data, if it has one.
    pub data_cache: Option<CacheShape>,
    /// Whether a line that was read as data serves what is read next, without a cache.
    pub data_buffer: bool,
    /// Whether fetches and reads of data come to it over one bus, so that one line serves both.
    pub shared: bool,
    /// The cache of both, if they come over one bus and there is one.
    pub shared_cache: Option<SharedCacheShape>,
}

/// From where a request was served.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// Not by a flash that needs wait states.
    Elsewhere,
    /// The line that was given last.
    Line,
    /// The cache of lines.
    Cache,
    /// The prefetch buffer.
    Prefetch,
    /// The flash array.
    Array,
}

/// How a request was served.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlashResponse {
    /// The part that supplied it.
    pub by: Source,
    /// Wait states that it met.
    pub wait: i64,
    /// Of these, the wait states spent while the array was busy with something else.
    pub queued: i64,
}

impl FlashResponse {
    /// An answer that no flash supplied.
    pub const NOT_FLASH: FlashResponse = FlashResponse::at_once(Source::Elsewhere);

    const fn at_once(by: Source) -> Self {
        FlashResponse {
            by,
            wait: 0,
            queued: 0,
        }
    }
}

/// A read of data that is not made yet: how it would be served.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PredictedRead {
    /// Its first word; the others are served at once.
    pub served: FlashResponse,
    line: u32,
    /// The cycle in which the array is free again.
    free: i64,
}

/// A flash interface and its state.
#[derive(Clone, Debug)]
pub struct Flash {
    /// Base and size of the memory and of each alias.
    ranges: Vec<(u32, u32)>,
    shape: FlashShape,
    /// Bits of an address within a line.
    line_bits: u32,
    /// The lines of the memory.
    lines: u32,
    settings: FlashSettings,
    /// The line that was given to a fetch last.
    current: Option<u32>,
    /// The prefetched line.
    ahead: Option<ReadAhead>,
    /// The line that was read as data last.
    data: Option<u32>,
    /// The line that was looked for last in the cache of data, if it is not there.
    missed: Option<u32>,
    /// First cycle in which the array can begin another access, what is read ahead apart.
    free: i64,
    fetched: Cache,
    read: Cache,
    both: Option<SharedCache>,
    epoch: u64,
    /// The epoch since which nothing but fills changed what is served at once.
    settled: u64,
}

/// A line that is or will be read ahead.
#[derive(Clone, Copy, Debug)]
struct ReadAhead {
    line: u32,
    /// When the array begins to read it.
    begin: i64,
    /// The cache of fetches, which was on, did not have it; nor has it now, for what is fetched since would have replaced this.
    absent: bool,
}

impl Flash {
    /// The interface of a memory that lies at each of these ranges (base and size), without wait states.
    ///
    /// # Panics
    /// If a line is not a power of two of at least 4 bytes, or one that is shared stands before a cache of fetches or data.
    pub fn new(ranges: Vec<(u32, u32)>, shape: FlashShape) -> Self {
        assert!(
            shape.line.is_power_of_two() && shape.line >= 4,
            "a line of {} bytes",
            shape.line
        );
        assert!(
            !shape.shared
                || shape.instruction_cache.is_none() && shape.data_cache.is_none() && !shape.prefetches,
            "a shared line, and no cache"
        );
        let cache = |cache: &Option<CacheShape>| Cache::new(cache.unwrap_or(CacheShape::NONE), shape.line);
        Flash {
            fetched: cache(&shape.instruction_cache),
            read: cache(&shape.data_cache),
            both: shape.shared_cache.map(SharedCache::new),
            lines: ranges.first().map_or(0, |&(_, size)| size / shape.line),
            ranges,
            line_bits: shape.line.trailing_zeros(),
            shape,
            settings: FlashSettings::default(),
            current: None,
            ahead: None,
            data: None,
            missed: None,
            free: i64::MIN,
            epoch: 0,
            settled: 0,
        }
    }

    /// The fixed features.
    pub fn shape(&self) -> &FlashShape {
        &self.shape
    }

    /// The current settings.
    pub fn settings(&self) -> FlashSettings {
        self.settings
    }

    /// Changes the settings from cycle `now` on. A cache keeps its contents while it is off.
    pub fn set(&mut self, settings: FlashSettings, now: i64) {
        if self.settings == settings {
            return;
        }
        let switched = self.settings.shared_cache != settings.shared_cache;
        if let Some(both) = self.both.as_mut().filter(|_| switched) {
            both.clear();
        }
        self.settings = settings;
        if !settings.prefetch {
            self.ahead = self.ahead.filter(|ahead| ahead.begin <= now);
        }
        self.unsettle(self.epoch);
    }

    /// Empties one of the caches or both.
    pub fn reset_caches(&mut self, instructions: bool, data: bool) {
        if instructions {
            self.fetched.clear();
        }
        if data {
            self.read.clear();
        }
        self.unsettle(self.epoch);
    }

    /// Begins a new epoch, so that no earlier knowledge holds.
    fn unsettle(&mut self, before: u64) {
        self.missed = None;
        self.epoch = before + 1;
        self.settled = self.epoch;
    }

    /// Copies the state of another flash of the same memory. Predictions for an earlier [`Flash::epoch`] no longer hold.
    pub fn restore(&mut self, saved: &Flash) {
        let before = self.epoch.max(saved.epoch);
        self.clone_from(saved);
        self.unsettle(before);
    }

    /// Whether an access can meet a wait state.
    #[inline]
    pub fn is_timed(&self) -> bool {
        self.settings.latency != 0
    }

    /// Another number whenever a fetch that would have been served at once by the cache perhaps is not any more, or the
    /// other way round.
    #[inline]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether fetches from these places of the cache, which [`Flash::cached`] gave in this epoch, are still served at once.
    #[inline]
    pub fn holds_since(&self, epoch: u64, places: &[u16]) -> bool {
        epoch >= self.settled && self.fetched.hold_since(epoch, places)
    }

    /// Whether it supplies what is at `address`.
    pub fn contains(&self, address: u32) -> bool {
        self.line_of(address).is_some()
    }

    /// Serves a fetch of the word at `address`, requested in cycle `at`.
    pub fn fetch(&mut self, address: u32, at: i64) -> FlashResponse {
        let Some(line) = self.timed_line(address) else {
            return FlashResponse::at_once(Source::Elsewhere);
        };
        if self.shape.shared {
            return self.serve_shared(address, line, at);
        }
        let ahead = self.ahead.filter(|ahead| ahead.line == line);
        let absent = ahead.is_some_and(|ahead| ahead.absent);
        if self.settings.instruction_cache && !absent && self.fetched.hit(line) {
            return FlashResponse::at_once(Source::Cache);
        }
        // A prefetched line is never the line delivered last.
        if ahead.is_none() && self.current == Some(line) {
            return FlashResponse::at_once(Source::Line);
        }
        let served = if let Some(ahead) = ahead {
            self.take_over(ahead, at)
        } else {
            let served = self.access(at);
            self.ahead = None;
            served
        };
        self.current = Some(line);
        if self.settings.instruction_cache {
            self.epoch += 1;
            self.fetched.fill(line, self.epoch);
        }
        self.read_ahead(line + 1, at);
        served
    }

    /// Serves a read of data at `address`, requested in cycle `at`.
    pub fn read(&mut self, address: u32, at: i64) -> FlashResponse {
        let Some(line) = self.timed_line(address) else {
            return FlashResponse::at_once(Source::Elsewhere);
        };
        if self.shape.shared {
            return self.serve_shared(address, line, at);
        }
        if self.settings.data_cache && self.missed.take() != Some(line) && self.read.hit(line) {
            return FlashResponse::at_once(Source::Cache);
        }
        if self.shape.data_buffer && self.data == Some(line) {
            return FlashResponse::at_once(Source::Line);
        }
        let (served, free) = self.array_serves(at);
        self.read_line(line, at, free);
        served
    }

    /// A line is read as data from the array, requested in cycle `at`.
    fn read_line(&mut self, line: u32, at: i64, free: i64) {
        self.free = free;
        if let Some(ahead) = &mut self.ahead
            && ahead.begin > at
        {
            ahead.begin = ahead.begin.max(free);
        }
        self.data = Some(line);
        if self.settings.data_cache {
            self.read.fill(line, self.epoch);
        }
    }

    /// Serves a transfer word by word: each word is requested in the cycle after the previous answer. `None` if this flash does not supply
    /// it or has no wait states.
    pub(crate) fn transfer(&mut self, transfer: &Transfer) -> Option<Latency> {
        self.timed_line(transfer.address)?;
        let mut at = transfer.start as i64;
        let mut waits = [0; BURST];
        let words = waits.iter_mut().zip((transfer.address..).step_by(4));
        for (wait, address) in words.take(transfer.words.into()) {
            let served = match transfer.access {
                Access::Fetch => self.fetch(address, at),
                Access::Read | Access::Write => self.read(address, at),
            };
            *wait = served.wait as u16;
            at += served.wait + 1;
        }
        Some(Latency::of_each(waits))
    }

    /// How a read of these bytes of data, requested in cycle `at`, would be served: the first word of them, if the others are then
    /// served at once.
    pub fn predict_read(&self, address: u32, bytes: u32, at: i64) -> Option<PredictedRead> {
        let line = self.timed_line(address)?;
        let alone = (address & 3) + bytes <= 4;
        let keeps = self.settings.data_cache && self.shape.data_cache.is_some();
        let together = keeps && self.line_of(address.wrapping_add(bytes - 1)) == Some(line);
        if self.shape.shared || !alone && !together {
            return None;
        }
        Some(self.predict_line(line, at))
    }

    /// Predicts the answer for a line, if fetches have a bus of their own.
    #[inline]
    fn predict_line(&self, line: u32, at: i64) -> PredictedRead {
        let at_once = |by| PredictedRead {
            served: FlashResponse::at_once(by),
            line,
            free: self.free,
        };
        if self.settings.data_cache && self.missed != Some(line) && self.read.place(line).is_some() {
            return at_once(Source::Cache);
        }
        if self.shape.data_buffer && self.data == Some(line) {
            return at_once(Source::Line);
        }
        let (served, free) = self.array_serves(at);
        PredictedRead { served, line, free }
    }

    /// Reads data at `address`, up to a word, requested in cycle `at`, if it is served as predicted and fetches have a bus of their own.
    /// Returns whether it did. `None` if this flash does not supply it or has no wait states.
    #[inline]
    pub fn read_if_expected(&mut self, address: u32, at: i64, expected: ExpectedLatency) -> Option<bool> {
        let line = self.timed_line(address)?;
        let predicted = self.predict_line(line, at);
        let made = expected.is_some() && ExpectedLatency::of(predicted.served) == expected;
        if made {
            self.make_predicted_read(predicted, at);
        }
        Some(made)
    }

    /// Makes a read that was foreseen for cycle `at`; nothing was asked for since but what the cache of fetches has.
    pub fn make_predicted_read(&mut self, read: PredictedRead, at: i64) {
        self.missed = None;
        match read.served.by {
            Source::Array => self.read_line(read.line, at, read.free),
            Source::Cache => _ = self.read.hit(read.line),
            Source::Line | Source::Prefetch | Source::Elsewhere => {}
        }
    }

    /// Serves what comes over the only bus: from the cache before it, the line that was given last, or the array.
    #[inline(never)]
    fn serve_shared(&mut self, address: u32, line: u32, at: i64) -> FlashResponse {
        let begin = at.max(self.free);
        let latency = self.cycles() - 1;
        let offset = self.offset_of(address);
        let cache = self.both.as_mut().filter(|_| self.settings.shared_cache);
        let (by, latency) = if let Some(cache) = cache {
            match cache.ask(offset, begin, latency) {
                SharedLookup::Line => (Source::Line, 0),
                SharedLookup::Cached(wait) => (Source::Cache, wait),
                SharedLookup::Read(wait) => (Source::Array, wait),
            }
        } else if self.current.replace(line) == Some(line) && !self.settings.unbuffered {
            (Source::Line, 0)
        } else {
            (Source::Array, latency)
        };
        self.free = begin + 1 + latency;
        FlashResponse {
            by,
            wait: begin - at + latency,
            queued: begin - at,
        }
    }

    /// Whether a read of data at `address` is surely served at once; if so, it counts as made. `None` where this flash does not
    /// supply it, or has no wait states.
    #[inline]
    pub fn read_at_once(&mut self, address: u32) -> Option<bool> {
        let line = self.timed_line(address)?;
        let cached = self.settings.data_cache && self.read.hit(line);
        self.missed = Some(line).filter(|_| !cached);
        Some(cached)
    }

    /// Whether a fetch at `address` is surely served at once.
    pub fn serves_at_once(&self, address: u32) -> bool {
        let cached = self.settings.instruction_cache;
        self.timed_line(address)
            .is_none_or(|line| cached && self.fetched.place(line).is_some())
    }

    /// For each line from the one at `first` to the one at `last` where in the cache it is, up to the first that is not
    /// there. Gives the address up to which fetches from `first` on are served at once.
    pub fn cached(&self, first: u32, last: u32, places: &mut Vec<u16>) -> u32 {
        places.clear();
        let line = self.shape.line;
        let mut address = first & !(line - 1);
        while address <= last {
            let Some(number) = self.line_of(address) else {
                return u32::MAX;
            };
            let place = if self.settings.instruction_cache {
                self.fetched.place(number)
            } else {
                None
            };
            let Some(place) = place else {
                return address;
            };
            places.push(place);
            address += line;
        }
        address
    }

    /// Counts fetches that the cache served as made: of lines whose places [`Flash::cached`] gave, in this order.
    #[inline]
    pub fn touch(&mut self, places: &[u16]) {
        for &place in places {
            self.fetched.touch(place);
        }
    }

    /// Whether the cache has the words from `first` up to, but not including, `end`.
    pub fn holds(&self, first: u32, end: u32) -> bool {
        let held = |line| self.fetched.place(line).is_some();
        first >= end
            || self.settings.instruction_cache
                && self.lines(first, end).is_some_and(|mut lines| lines.all(held))
    }

    /// Counts fetches of these words as made, of which the cache has all.
    pub fn touch_words(&mut self, first: u32, end: u32) {
        if first < end
            && let Some(lines) = self.lines(first, end)
        {
            for line in lines {
                self.fetched.hit(line);
            }
        }
    }

    /// The lines in which these words are.
    fn lines(&self, first: u32, end: u32) -> Option<std::ops::RangeInclusive<u32>> {
        let (from, to) = (self.line_of(first << 2)?, self.line_of(end.wrapping_sub(1) << 2)?);
        Some(from..=to)
    }

    fn timed_line(&self, address: u32) -> Option<u32> {
        if self.is_timed() {
            self.line_of(address)
        } else {
            None
        }
    }

    /// The offset of `address` from the start of the memory, which must contain it.
    fn offset_of(&self, address: u32) -> u32 {
        let mut offsets = self
            .ranges
            .iter()
            .map(|&(base, size)| (address.wrapping_sub(base), size));
        let inside = offsets.find(|(offset, size)| offset < size);
        inside.map_or(0, |(offset, _)| offset)
    }

    /// The number of the line at `address`: the same at each of the addresses where the memory shows.
    #[inline]
    fn line_of(&self, address: u32) -> Option<u32> {
        for &(base, size) in &self.ranges {
            let offset = address.wrapping_sub(base);
            if offset < size {
                return Some(offset >> self.line_bits);
            }
        }
        None
    }

    /// Cycles that the array takes for a line.
    fn cycles(&self) -> i64 {
        1 + i64::from(self.settings.latency)
    }

    /// Reads a line from the array, requested in cycle `at`.
    fn access(&mut self, at: i64) -> FlashResponse {
        let (served, free) = self.array_serves(at);
        self.free = free;
        served
    }

    /// The latency of a line from the array, requested in cycle `at`, and the cycle in which the array is free again.
    fn array_serves(&self, at: i64) -> (FlashResponse, i64) {
        let under_way = self.ahead.filter(|ahead| ahead.begin <= at);
        let free = under_way.map_or(self.free, |ahead| self.free.max(ahead.begin + self.cycles()));
        let begin = at.max(free);
        let free = begin + self.cycles();
        let served = FlashResponse {
            by: Source::Array,
            wait: free - at - 1,
            queued: begin - at,
        };
        (served, free)
    }

    /// A fetch of the line that is read ahead.
    fn take_over(&mut self, ahead: ReadAhead, at: i64) -> FlashResponse {
        let ready = ahead.begin + self.cycles();
        self.free = self.free.max(ready);
        FlashResponse {
            by: Source::Prefetch,
            wait: (ready - at - 1).max(0),
            queued: 0,
        }
    }

    /// Reads a line ahead as soon as the array is free, but not before cycle `at`.
    fn read_ahead(&mut self, line: u32, at: i64) {
        let inside = line < self.lines;
        let kept = self.settings.instruction_cache && self.fetched.place(line).is_some();
        let wanted = self.settings.prefetch && self.shape.prefetches && inside && !kept;
        self.ahead = wanted.then_some(ReadAhead {
            line,
            begin: self.free.max(at),
            absent: self.settings.instruction_cache,
        });
    }
}
