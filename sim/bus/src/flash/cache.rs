//! A cache of flash lines.
//!
//! One cache line, under one tag, may hold several lines of the array (its sectors); each sector has its own valid bit.

/// How a cache is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheShape {
    /// Its lines; a multiple of `ways`, at most 65,536.
    pub lines: u32,
    /// Lines in which a given address can be: all of them in a fully associative cache.
    pub ways: u32,
    /// Bytes of one of its lines: a power of two, and 1 to 32 lines of the array.
    pub line: u32,
    /// Which line makes room for another.
    pub replacement: Replacement,
}

impl CacheShape {
    /// No cache: nothing is ever found in it.
    pub const NONE: CacheShape = CacheShape {
        lines: 0,
        ways: 0,
        line: 0,
        replacement: Replacement::Fifo,
    };
}

/// Which line of a cache makes room for another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Replacement {
    /// The one whose last use lies back furthest.
    Lru,
    /// The one that was filled first.
    Fifo,
}

/// No line has this number.
const EMPTY: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(super) struct Cache {
    /// Lines of the array in one of the cache, as a power of two.
    sector_bits: u32,
    sets: u32,
    ways: usize,
    lru: bool,
    /// Its lines, set after set; then, for each set, one that holds nothing and closes the set's ring.
    lines: Vec<FlashLine>,
    /// For each remainder of a tag how many tags are there that have it, and where one of them is.
    found: Vec<(u32, u32)>,
    /// The place of the last hit.
    last: usize,
}

/// A line of the cache. Those of a set are a ring in the order in which they make room: used (filled, without LRU) longest ago first.
#[derive(Clone, Copy, Debug)]
struct FlashLine {
    /// Tag: the number of its first sector, in units of its sectors.
    tag: u32,
    /// Valid bits of its sectors.
    valid: u32,
    /// The line of the ring that comes next, and the one before.
    next: u32,
    before: u32,
    /// The epoch of [`super::Flash`] in which it was given to another line.
    given: u64,
}

impl FlashLine {
    const EMPTY: FlashLine = FlashLine {
        tag: EMPTY,
        valid: 0,
        next: 0,
        before: 0,
        given: 0,
    };
}

/// Number of tags per line that can be distinguished, so that they seldom collide.
const REMAINDERS: usize = 16;

impl Cache {
    /// An empty cache for an array with lines of this many bytes.
    ///
    /// # Panics
    /// If the shape contradicts itself.
    pub(super) fn new(shape: CacheShape, array_line: u32) -> Self {
        let sectors = (shape.line / array_line).max(1);
        assert!(
            sectors.is_power_of_two() && sectors <= 32 && shape.lines <= 1 << 16,
            "{shape:?}"
        );
        let sets = shape.lines.checked_div(shape.ways).unwrap_or(0);
        assert!(sets * shape.ways == shape.lines, "{shape:?}");
        let lines = shape.lines as usize;
        let mut cache = Cache {
            sector_bits: sectors.trailing_zeros(),
            sets,
            ways: shape.ways as usize,
            lru: shape.replacement == Replacement::Lru,
            lines: vec![FlashLine::EMPTY; lines + sets as usize],
            found: vec![(0, 0); (lines * REMAINDERS).next_power_of_two()],
            last: 0,
        };
        cache.clear();
        cache
    }

    pub(super) fn clear(&mut self) {
        for line in &mut self.lines {
            (line.tag, line.valid) = (EMPTY, 0);
        }
        self.found.fill((0, 0));
        for set in 0..self.sets as usize {
            let (end, first) = (self.end_of(set), set * self.ways);
            let ring = std::iter::once(end).chain(first..first + self.ways);
            for (place, next) in ring.clone().zip(ring.skip(1).chain([end])) {
                self.lines[place].next = next as u32;
                self.lines[next].before = place as u32;
            }
        }
    }

    /// Where the line is that closes the ring of a set.
    #[inline]
    fn end_of(&self, set: usize) -> usize {
        self.lines.len() - self.sets as usize + set
    }

    /// Whether a line of the array is there; if so, it is used.
    #[inline]
    pub(super) fn hit(&mut self, line: u32) -> bool {
        let (tag, sector) = self.split(line);
        let place = if self.lines.get(self.last).is_some_and(|last| last.tag == tag) {
            Some(self.last)
        } else {
            self.find(tag)
        };
        let Some(place) = place.filter(|&place| self.lines[place].valid & sector != 0) else {
            return false;
        };
        self.last = place;
        self.touch(place as u16);
        true
    }

    /// The place of an array line, if the cache holds it.
    #[inline]
    pub(super) fn place(&self, line: u32) -> Option<u16> {
        let (tag, sector) = self.split(line);
        let place = self.find(tag)?;
        (self.lines[place].valid & sector != 0).then_some(place as u16)
    }

    #[inline]
    pub(super) fn touch(&mut self, place: u16) {
        if self.lru {
            self.renew(usize::from(place));
        }
    }

    /// A line was used: of its set, it is the last to make room.
    #[inline]
    fn renew(&mut self, place: usize) {
        let set = if self.sets == 1 { 0 } else { place / self.ways };
        self.renew_in(place, self.end_of(set));
    }

    /// Marks a place as used most recently, in the set whose ring `end` closes.
    #[inline]
    fn renew_in(&mut self, place: usize, end: usize) {
        let FlashLine { before, next, .. } = self.lines[place];
        if next as usize == end {
            return;
        }
        self.lines[before as usize].next = next;
        self.lines[next as usize].before = before;
        let last = std::mem::replace(&mut self.lines[end].before, place as u32);
        self.lines[last as usize].next = place as u32;
        let line = &mut self.lines[place];
        (line.before, line.next) = (last, end as u32);
    }

    /// Puts a line of the array there, which is not there yet, in this epoch.
    #[inline]
    pub(super) fn fill(&mut self, line: u32, epoch: u64) {
        if self.sector_bits == 0 && self.sets == 1 {
            return self.give(self.lines.len() - 1, (line, 1), epoch);
        }
        self.fill_sector(line, epoch);
    }

    /// Fills a cache that has sets, or lines of several sectors.
    fn fill_sector(&mut self, line: u32, epoch: u64) {
        let (tag, sector) = self.split(line);
        let among_others = if self.sector_bits == 0 {
            None
        } else {
            self.find(tag)
        };
        if let Some(place) = among_others {
            self.lines[place].valid |= sector;
            self.touch(place as u16);
            return;
        }
        let set = match self.sets {
            0 => return,
            1 => 0,
            sets => (tag % sets) as usize,
        };
        self.give(self.end_of(set), (tag, sector), epoch);
    }

    /// Gives the line that makes room, of the set whose ring is closed by `end`, to another tag, of which it has a sector.
    #[inline]
    fn give(&mut self, end: usize, (tag, sector): (u32, u32), epoch: u64) {
        let victim = self.lines[end].next;
        let place = victim as usize;
        let old = self.lines[place].tag;
        if old != EMPTY {
            let left = self.remainder(old);
            self.found[left].0 -= 1;
        }
        let found = self.remainder(tag);
        let found = &mut self.found[found];
        *found = (found.0 + 1, victim);
        let line = &mut self.lines[place];
        (line.tag, line.valid, line.given) = (tag, sector, epoch);
        self.last = place;
        self.renew_in(place, end);
    }

    #[inline]
    fn remainder(&self, tag: u32) -> usize {
        tag as usize & (self.found.len() - 1)
    }

    /// Whether these places still hold what they held in this epoch.
    #[inline]
    pub(super) fn hold_since(&self, epoch: u64, places: &[u16]) -> bool {
        let since = |&place: &u16| self.lines[usize::from(place)].given <= epoch;
        places.iter().all(since)
    }

    #[inline]
    fn split(&self, line: u32) -> (u32, u32) {
        let sector = line & ((1 << self.sector_bits) - 1);
        (line >> self.sector_bits, 1 << sector)
    }

    #[inline]
    fn find(&self, tag: u32) -> Option<usize> {
        let (tags, place) = self.found[self.remainder(tag)];
        if tags == 0 {
            return None;
        }
        let place = place as usize;
        match self.lines.get(place)?.tag {
            known if known == tag => Some(place),
            // No other tag has this remainder.
            known if tags == 1 && self.remainder(known) == self.remainder(tag) => None,
            _ => self.search(tag),
        }
    }

    #[cold]
    fn search(&self, tag: u32) -> Option<usize> {
        let set = tag.checked_rem(self.sets).unwrap_or(0) as usize;
        let mut places = set * self.ways..(set + 1) * self.ways;
        places.find(|&place| self.lines[place].tag == tag)
    }
}
