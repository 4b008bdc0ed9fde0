//! A cache in front of a flash with one bus for fetches and data: the VIMS of a CC2650.
//!
//! - A line buffer in front of the cache holds the line delivered last. Other requests go to the cache, which looks up its tags.
//! - A lookup takes a cycle, except for the line after the one looked up before, whose tags were read ahead. They were not read ahead in
//!   the second cycle after one in which a line came from the array, nor in the third if the line before came from the cache.
//! - A line from the array is present from the third cycle after its arrival. The ways of a set are filled in turn; once all are full, two
//!   bits of a feedback shift register select the victim. The register shifts with each line whose tags were not read ahead.

/// How such a cache is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharedCacheShape {
    /// Its lines; a multiple of `ways`.
    pub lines: u32,
    /// Lines in which a given address can be: 2 or 4.
    pub ways: u32,
    /// Bytes of a line: a power of two.
    pub line: u32,
}

/// No line has this number.
const EMPTY: u32 = u32::MAX;
/// From the cycle in which the array gave a line until it can be found.
const TO_FILL: i64 = 3;
/// Cycles of a tag lookup without read-ahead.
const TO_LOOK: i64 = 1;
/// The last bits that the register gave before its first one (it gives 255 before they come again).
const SEED: u8 = 0b0011_0100;

/// The answer to a request: wait states after the cycle of the request, and whether the array was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SharedLookup {
    Line,
    Cached(i64),
    Read(i64),
}

#[derive(Clone, Debug)]
pub(super) struct SharedCache {
    ways: usize,
    line_bits: u32,
    tags: Vec<u32>,
    /// For each set the way that is filled next, until all were.
    next: Vec<u8>,
    /// The last eight bits of the register.
    bits: u8,
    /// The line that was given last.
    given: Option<u32>,
    /// The line whose tags were read ahead.
    ahead: Option<u32>,
    /// When the array gave a line last.
    read: i64,
    /// When a line was taken from the cache last.
    taken: i64,
    fill: Option<LineFill>,
}

/// A line that is on its way into the cache.
#[derive(Clone, Copy, Debug)]
struct LineFill {
    line: u32,
    /// The cycle from which the line is present.
    from: i64,
    /// Whether all ways were full at the lookup.
    full: bool,
    /// Its tags were read ahead.
    expected: bool,
}

impl SharedCache {
    /// An empty one.
    ///
    /// # Panics
    /// If the shape contradicts itself.
    pub(super) fn new(shape: SharedCacheShape) -> Self {
        let sets = shape.lines / shape.ways;
        assert!(
            shape.line.is_power_of_two() && sets.is_power_of_two() && matches!(shape.ways, 2 | 4),
            "{shape:?}"
        );
        SharedCache {
            ways: shape.ways as usize,
            line_bits: shape.line.trailing_zeros(),
            tags: vec![EMPTY; shape.lines as usize],
            next: vec![0; sets as usize],
            bits: SEED,
            given: None,
            ahead: None,
            read: i64::MIN / 2,
            taken: i64::MIN / 2,
            fill: None,
        }
    }

    /// Empties it. The register goes on.
    pub(super) fn clear(&mut self) {
        self.tags.fill(EMPTY);
        self.next.fill(0);
        (self.given, self.ahead, self.fill) = (None, None, None);
    }

    /// Requests the word at this offset of the memory in cycle `at`, while no other request is under way.
    pub(super) fn ask(&mut self, offset: u32, at: i64, latency: i64) -> SharedLookup {
        let line = offset >> self.line_bits;
        if self.given.replace(line) == Some(line) {
            return SharedLookup::Line;
        }
        let late = at == self.read + 2 || at == self.read + 3 && self.taken == at - 1;
        let expected = self.ahead.replace(line + 1) == Some(line) && !late;
        let looks = if expected { 0 } else { TO_LOOK };
        let looked = at + looks;
        self.fill_until(looked);
        let set = self.set(line);
        if self.tags[set.clone()].contains(&line) {
            self.taken = looked;
            return SharedLookup::Cached(looks);
        }
        let full = self.tags[set.end - 1] != EMPTY;
        self.fill_until(i64::MAX);
        self.read = looked + 1 + latency;
        self.fill = Some(LineFill {
            line,
            from: self.read + TO_FILL,
            full,
            expected,
        });
        SharedLookup::Read(looks + latency)
    }

    fn set(&self, line: u32) -> std::ops::Range<usize> {
        let first = (line as usize & (self.next.len() - 1)) * self.ways;
        first..first + self.ways
    }

    /// Puts the line there that is on its way, if it can be found in this cycle.
    fn fill_until(&mut self, cycle: i64) {
        let Some(fill) = self.fill.filter(|fill| fill.from <= cycle) else {
            return;
        };
        self.fill = None;
        let set = self.set(fill.line);
        let way = if fill.full {
            usize::from(self.bits) & (self.ways - 1)
        } else {
            let next = &mut self.next[set.start / self.ways];
            let way = usize::from(*next);
            *next = ((way + 1) % self.ways) as u8;
            way
        };
        if !fill.expected {
            self.shift();
        }
        self.tags[set.start + way] = fill.line;
    }

    fn shift(&mut self) {
        let bits = u32::from(self.bits);
        let next = (bits >> 3 ^ bits >> 4 ^ bits >> 5 ^ bits >> 7) & 1;
        self.bits = self.bits << 1 | next as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: SharedCacheShape = SharedCacheShape {
        lines: 1024,
        ways: 4,
        line: 8,
    };

    #[test]
    fn what_comes_next_is_looked_for_ahead() {
        let mut cache = SharedCache::new(SHAPE);
        assert_eq!(cache.ask(0, 0, 2), SharedLookup::Read(3));
        assert_eq!(cache.ask(4, 4, 2), SharedLookup::Line);
        assert_eq!(cache.ask(8, 5, 2), SharedLookup::Read(2));
        // It arrived in cycle 8; the tags of the next line are not ready in cycle 10.
        assert_eq!(cache.ask(16, 10, 2), SharedLookup::Read(3));
        assert_eq!(cache.ask(0, 30, 2), SharedLookup::Cached(1));
        assert_eq!(cache.ask(8, 31, 2), SharedLookup::Cached(0));
    }

    #[test]
    fn the_register_comes_round_behind_255_bits() {
        let mut cache = SharedCache::new(SHAPE);
        let begin = cache.bits;
        let turns = (1..=256).find(|_| {
            cache.shift();
            cache.bits == begin
        });
        assert_eq!(turns, Some(255));
    }

    #[test]
    fn ways_are_filled_in_turn_and_then_make_room() {
        let mut cache = SharedCache::new(SHAPE);
        let mut found = |tag: u32, at| matches!(cache.ask(tag << 11, at, 2), SharedLookup::Cached(_));
        let first: Vec<bool> = (0..4).map(|tag| found(tag, 20 * i64::from(tag))).collect();
        assert_eq!(first, [false; 4]);
        assert!((0..4).all(|tag| found(tag, 100 + 20 * i64::from(tag))));
        assert!(!found(4, 200) && found(4, 220) || !found(5, 240));
    }
}
